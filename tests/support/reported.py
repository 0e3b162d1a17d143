"""What a device says it reported, in the form in which the record has it."""

import json
from typing import Any

from controller.table.words.codec import body_from, encode


def as_recorded(kind: str, told: dict[str, Any]) -> dict[str, Any]:
    """The body of a report as it stands on record: nothing is null, and 0 for no command is left out."""
    body: dict[str, Any] = json.loads(encode(body_from(kind, {k: v for k, v in told.items() if v is not None})))
    return body
