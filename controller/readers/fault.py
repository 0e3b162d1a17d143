"""One mistake in a file: its text for people, its code for programs, its line where that is known."""

from collections.abc import Iterable, Sequence


class Fault(str):
    """The text is `place: what is wrong; what to do`.

    `code`: stable word, listed in docs/codes.md. `line`: from 1, None where the file does not give it.
    """

    __slots__ = ("code", "line", "place")

    code: str
    line: int | None
    place: str

    def __new__(cls, place: str, what: str, code: str, line: int | None = None) -> "Fault":
        """The fault at this place, in words."""
        fault = super().__new__(cls, f"{place}: {what}" if place else what)
        fault.place, fault.code, fault.line = place, code, line
        return fault

    @property
    def what(self) -> str:
        """What is wrong, without its place."""
        return self.removeprefix(f"{self.place}: ")

    def within(self, place: str) -> "Fault":
        """The fault as one of a larger place, such as a file that is named before it."""
        return Fault(f"{place} {self.place}".strip(), self.what, self.code, self.line)

    @property
    def with_line(self) -> str:
        """The text with the line behind it, as pages and exceptions print it."""
        return str(self) if self.line is None else f"{self} (line {self.line})"


FEW = 3
"""Unelected questions that are printed whole; of more, only the ids."""
UNELECTED = "reading_unelected"


def together(faults: Sequence[str]) -> list[str]:
    """Returns the faults as text, in their order; what is wrong in one way at several places stands there once."""
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for number, fault in enumerate(faults):
        kinds.setdefault(_kind(fault, number), []).append(fault)
    texts: list[str] = []
    for alike in kinds.values():
        if alike[0] in alike[1:] or len(alike) == 1 or (_is_unelected(alike[0]) and len(alike) <= FEW):
            texts += [fault.with_line if isinstance(fault, Fault) else fault for fault in alike]
        else:
            texts.append(_summary([fault for fault in alike if isinstance(fault, Fault)]))
    return texts


def _kind(fault: str, number: int) -> tuple[str, str, str]:
    if not isinstance(fault, Fault):
        return "", "", str(number)
    return fault.code, _table_of(fault.place), "" if _is_unelected(fault) else fault.what


def _is_unelected(fault: str) -> bool:
    return isinstance(fault, Fault) and fault.code == UNELECTED


def _table_of(place: str) -> str:
    return place.partition(" ")[0]


def _summary(alike: list[Fault]) -> str:
    table = _table_of(alike[0].place)
    lines = ["" if fault.line is None else f" (line {fault.line})" for fault in alike]
    names = [f"{fault.place.removeprefix(table).strip()}{line}" for fault, line in zip(alike, lines, strict=True)]
    if not _is_unelected(alike[0]):
        return f"{table}, {len(alike)} times: {alike[0].what}: {', '.join(names)}"
    return (
        f"{table}: nobody has elected {len(alike)} questions, so the table may not open: {', '.join(names)}; "
        "`tablewarden rulebook readings --table FILE` prints each with its choices, to paste into the file"
    )


def listed(faults: Iterable[str]) -> str:
    """Faults of one kind together, each on a line, set in; for the text of an exception."""
    return "\n".join(f"  {text}" for text in together(list(faults)))
