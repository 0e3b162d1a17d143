"""Splits what a table says of itself into retained topics, so that a change sends only the part that changed."""

from collections.abc import Mapping

from controller.daemon.views.status import Document, state_documents
from controller.table.state.table import Setup, State

PARTS: Mapping[str, tuple[str, ...]] = {
    "rules": ("rulebook", "wagers", "keeps_set"),
    "sets": ("sets", "stub", "last_back"),
}
"""Topic -> the keys of the table's document that it takes; `round`, its seats and `last-round` are taken besides."""


def state_topics(setup: Setup, state: State) -> dict[str, Document | None]:
    """Returns the bodies of `state/*`; None for a topic that is to be empty: a round or a seat that is not in play."""
    return parted(state_documents(setup, state), setup.seats)


def parted(documents: Mapping[str, Document], seats_of_table: int) -> dict[str, Document | None]:
    """Returns whole documents as the bodies of their topics. `seats_of_table`: how many it has."""
    topics: dict[str, Document | None] = dict(documents)
    table = dict(documents["table"])
    for name, keys in PARTS.items():
        topics[name] = {key: table.pop(key) for key in keys if key in table}
    topics |= {f"meter-{name}": meter for name, meter in table.pop("meters", {}).items()}
    topics["last-round"] = table.pop("last_round")
    round_: Document | None = table.pop("round")
    seats = round_.pop("seats") if round_ is not None else {}
    topics |= {"table": table, "round": round_}
    topics |= {f"seat-{number}": seats.get(str(number)) for number in range(1, seats_of_table + 1)}
    return topics
