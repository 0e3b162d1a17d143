"""Lists the last rounds of a record, and lays one out: hands as they lay, wagers, and the records behind them. Read-only."""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import msgspec

from controller.audit.evidence.hands_svg import laid
from controller.audit.evidence.selection import begun
from controller.audit.rounds_of_set import Touched, empty_table, setup_in_force, touched_in
from controller.clock import rfc3339
from controller.journal.bodies import body_of
from controller.journal.proof.prove import told_in
from controller.journal.reading import Reading
from controller.journal.record import Record, Stream
from controller.table.words import facts as f
from controller.text.status_page import event_line

Document = dict[str, Any]
MOST = 40
"""Rounds that are looked at: an hour of play."""


def last_rounds(view: Reading, *, back: str = "", seat: int = 0, device: str = "") -> list[Document]:
    """Returns the last rounds that were dealt, the newest first.

    `back`, `seat`, `device`: only rounds of this set, with this seat in play, in which this device said something.
    """
    began = list(islice(view.backwards(Stream.MAIN, (f.RoundBegun.kind,)), MOST))
    if not began:
        return []
    first, last = began[-1].sequence - 1, view.last()[0][Stream.MAIN].sequence
    heard = {x.round_id for x in view.briefly(Stream.MAIN, first, last) if x.subject == device} if device else None
    return [
        document
        for document in reversed([_round(touched) for touched in _dealt(view, first, last)])
        if back in ("", document["back"]) and (not seat or str(seat) in document["seats"])
        if heard is None or document["round"] in heard
    ]


def laid_out(view: Reading, given: str) -> Document:
    """Returns one round, by its id or number. Raises `EvidenceError` where there is none.

    `hands`: cards as they lay, or why they are sealed; `seats`: wagers as they stood at the end; `records`: id and one line
    of each.
    """
    began = begun(view, given)
    name, journal = began.round_id or "", view.description.id
    records = [r for s in (Stream.MAIN, Stream.DIAG) for r in view.of_round(s, name, tuple(f.FACTS))]
    last = max(record.sequence for record in records if record.stream is Stream.MAIN)
    hands = laid([hand for hand in told_in(view, name, view.unsealer()) if hand.was_taken])
    return {
        "round": name,
        **next((_round(touched) for touched in _dealt(view, began.sequence - 1, last)), {"seats": {}}),
        "hands": [
            {
                "area": area, "seat": seat, "cards": hand.cards, "marked": sorted(hand.marked), "sealed": hand.sealed,
                "count": hand.count,
            }
            for (area, seat), hand in hands.items()
        ],
        "records": [
            {"id": record.id(journal), "time": rfc3339(record.time_us), "line": _line(record)}
            for record in sorted(records, key=lambda record: record.order)
        ],
    }  # fmt: skip


def law_in_force(view: Reading) -> list[Document]:
    """Returns the readings and house choices by which the table plays, as its last start put them on record."""
    law = setup_in_force(view).law
    return [
        {"reading": question.id, "choice": elected.choice, "by": elected.by, "problem": question.problem}
        for question in law.rulebook.questions.values()
        if (elected := law.elections.get(question.id)) is not None
    ]


def _dealt(view: Reading, after: int, through: int) -> Iterator[Touched]:
    state = empty_table(view)
    backs: Collection[str] = state.sets
    return touched_in(view, state, backs, after, through)


def _round(touched: Touched) -> Document:
    document: Document = msgspec.to_builtins(touched)
    began, ended = document.pop("began_us"), document.pop("ended_us")
    return {
        **document, "round": document.pop("id"), "began": rfc3339(began),
        "ended": None if ended is None else rfc3339(ended),
    }  # fmt: skip


def _line(record: Record) -> str:
    data = body_of(record.stream, record, dict[str, Any])
    return " ".join(event_line({"subject": record.subject, "kind": record.kind, "data": data}).split())
