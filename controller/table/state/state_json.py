"""The folded state between two rounds as JSON text, which runs no code of its reader: in a snapshot, and where a day ends.

In the text of earlier versions a duty was one word, and the cut of a set three (`cut_due`, `mark_due`, `was_cut`).
"""

from typing import Any, get_type_hints

import msgspec

from controller.table.state.card_set import Cut
from controller.table.state.table import State
from controller.table.words.codec import MAX_TEXT
from controller.table.words.older_bodies import duty_named

_HINTS = get_type_hints(State)
_FIELDS = [f for f in msgspec.structs.fields(State) if f.name != "round"]
_KEPT = [f.name for f in _FIELDS]
_REQUIRED = [(f.name, _HINTS[f.name]) for f in _FIELDS if f.required]
_GAINED = [
    (
        f.name,
        _HINTS[f.name],
        f.default if f.default is not msgspec.NODEFAULT else msgspec.field(default_factory=f.default_factory),
    )
    for f in _FIELDS
    if not f.required
]
_Between = msgspec.defstruct("_Between", [*_REQUIRED, *_GAINED], frozen=True, forbid_unknown_fields=True)
"""A state without the one thing that holds code: the game of a round in play."""


class StateUnreadable(Exception):
    """The text is no state that this software knows."""


def carried(state: State) -> tuple[str, ...]:
    """The state as JSON, in parts that a body takes. Raises `ValueError` in a round."""
    if state.round is not None:
        raise ValueError("a state is carried between two rounds")
    kept = {name: getattr(state, name) for name in _KEPT}
    if not state.meters:  # a table that computes none is written as before there were any
        kept["meters"] = msgspec.UNSET
    text = msgspec.json.encode(_Between(**kept)).decode()
    return tuple(text[at : at + MAX_TEXT] for at in range(0, len(text), MAX_TEXT))


def state_of(folded: tuple[str, ...]) -> State:
    """The state that these parts hold, as it was. Raises `StateUnreadable`."""
    try:
        raw = msgspec.json.decode("".join(folded))
        for duty in raw.get("duties", {}).values():
            duty_named(duty)
        for card_set in raw.get("sets", {}).values():
            card_set.setdefault("cut", _cut_named(card_set))
        told: Any = msgspec.json.decode(msgspec.json.encode(raw), type=_Between)
    except (msgspec.MsgspecError, RecursionError, AttributeError, TypeError) as exc:
        raise StateUnreadable(str(exc)) from exc
    return State(**{name: getattr(told, name) for name in _KEPT})


def _cut_named(card_set: dict[str, Any]) -> str:
    """The cut that three words tell; they are taken out of the set."""
    words = {"cut_due": Cut.DUE, "mark_due": Cut.MARK_DUE, "was_cut": Cut.MADE}
    told = [cut.value for word, cut in words.items() if card_set.pop(word, False)]
    return told[0] if told else Cut.NONE.value
