"""Why an act cannot be done, in the words of the table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not, for the person who tried; `cite` where a clause says so."""

    reason: str
    cite: tuple[str, ...] = ()
