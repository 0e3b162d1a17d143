"""One mistake in a file: its text for people, its code for programs, its line where that is known."""

from collections.abc import Iterable


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


def listed(faults: Iterable[str]) -> str:
    """One fault a line, set in; for the text of an exception."""
    return "\n".join(f"  {fault.with_line if isinstance(fault, Fault) else fault}" for fault in faults)
