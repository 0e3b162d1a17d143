"""Prints one line for each event as it is recorded, for people who watch a run."""

from collections.abc import Iterator, Mapping
from typing import Any

from simulators.bench.expected.case import deed
from simulators.bench.observer.record import RecordReader, Row

QUIET = ("level_wanted", "level_confirmed", "button_pressed", "levels_read", "checkpoint_signed")
"""Kinds that say little to a person beside what caused them."""


class Scroll:
    """Reads on in the journal from its last position."""

    def __init__(self, record: RecordReader, began: int) -> None:
        self._record, self._order = record, began

    def lines(self) -> Iterator[str]:
        """Returns the lines for what was recorded since the last call."""
        for row in self._record.rows(self._order):
            self._order = row.order
            if row.stream != "input" and row.kind not in QUIET:
                yield told(row)


def told(row: Row) -> str:
    """Returns a record as one line: round, subject, kind, body, clauses last."""
    body = _without_seals(row.data) if "sealed" in row.data else row.data
    words = [_word(key, value) for key, value in body.items() if key not in ("demands", "sha256", "says", "cite")]
    if row.kind == "disposition_made":
        words = [row.data["trigger"], "->", *[_demand(demand) for demand in row.data["demands"]]]
    elif row.data.get("cite"):
        words.append("[" + ", ".join(row.data["cite"]) + "]")
    return f"{row.round or '-':>10}  {row.subject:14} {row.kind:22} {' '.join(word for word in words if word)}"


def _without_seals(body: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the body with the number of sealed cards in the place of their commitments."""
    shown = {key: f"{len(value)} sealed" if isinstance(value, list) else value for key, value in body.items()}
    return {key: value for key, value in shown.items() if key != "sealed"}


def _demand(demand: Mapping[str, Any]) -> str:
    because = demand.get("reading") or ", ".join(demand.get("cite", ()))
    return f"{deed(demand)} [{because}]"


def _word(key: str, value: object) -> str:
    if value in (None, "", [], {}, False):
        return ""
    if isinstance(value, dict):
        return f"{key}=..."
    return f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
