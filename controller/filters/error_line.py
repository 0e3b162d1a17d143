"""The line that a filter writes in place of an answer."""

import msgspec
from msgspec import Struct

_ENCODER = msgspec.json.Encoder()


class ErrorLine(Struct, frozen=True):
    """A line that was not taken. `error`: the cause, and what would be allowed; `code`: stable word, see docs/codes.md."""

    line: int
    error: str
    code: str


def error_line(number: int, error: str, code: str) -> bytes:
    """One line of JSON. `number`: of the line that was not taken, from 1."""
    return _ENCODER.encode(ErrorLine(number, error, code)) + b"\n"
