"""Why an act cannot be done, in the words of the table."""

from msgspec import Struct


class Refusal(Struct, frozen=True):
    """Why not, for the person who tried; `cite` where a clause says so."""

    reason: str
    cite: tuple[str, ...] = ()
