"""Why an act cannot be done, in the words of the table."""

from msgspec import Struct

HELD = "held"
"""Code of the refusal of every act that waits until a person has lifted a hold."""


class Refusal(Struct, frozen=True):
    """Why not, for the person who tried; `cite` where a clause says so, `reading` where one decides what no clause says.

    `code`: a stable word for this refusal, which a program may compare (`stub_count_contradicts`); docs/codes.md lists all.
    `said`: of an act that contradicts itself, its numbers and words, so that the same act is known again.
    """

    reason: str
    cite: tuple[str, ...] = ()
    code: str | None = None
    said: str | None = None
    reading: str | None = None
