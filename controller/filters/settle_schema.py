"""JSON Schema of the lines that `settle` reads and writes, made from the records themselves.

Kept in `docs/schema/settle-input.json` and `docs/schema/settle-output.json`; a test compares.
"""

from typing import Any

from controller.filters.error_line import ErrorLine
from controller.filters.json_schema import close, document, shapes
from controller.filters.settle import RoundLine, SettledLine


def input_schema() -> dict[str, Any]:
    """Returns the schema of one input line: a round of play."""
    found = shapes([RoundLine])
    for shape in found.values():
        close(shape)
    return document("settle-input", "Line that settle reads", [RoundLine], found)


def output_schema() -> dict[str, Any]:
    """Returns the schema of one output line: a settlement, or a line's error."""
    found = shapes([SettledLine, ErrorLine])
    close(found["ErrorLine"])
    return document("settle-output", "Line that settle writes", [SettledLine, ErrorLine], found)
