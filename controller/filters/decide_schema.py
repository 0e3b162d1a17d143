"""JSON Schema of the lines that `decide` reads and writes, made from the records themselves.

Kept in `docs/schema/decide-input.json` and `docs/schema/decide-output.json`; a test compares.
"""

from typing import Any

from controller.filters.decide import FactLine, InputLine, JournalLine, Recorded
from controller.filters.error_line import ErrorLine
from controller.filters.json_schema import by_kind, close, document, ref, shapes
from controller.table.words.codec import BODIES, absent_in
from controller.table.words.facts import FACTS
from controller.table.words.inputs import Actor, Moment, Seen
from drivers.events import Origin


def input_schema() -> dict[str, Any]:
    """Returns the schema of one input line: written by hand, or printed by a journal."""
    found = shapes([InputLine, JournalLine, Recorded, Actor, Seen, Moment, Origin, *BODIES.values()])
    for name in found:
        if name != "JournalLine":  # a journal prints more than an input needs
            close(found[name])
    found["JournalLine"]["properties"]["stream"] = {"const": "input"}
    found["JournalLine"]["properties"]["time"]["format"] = "date-time"
    by_kind(found["InputLine"], {kind: {"body": ref(cls)} for kind, cls in BODIES.items()})
    recorded = {kind: {"data": {"properties": {"body": ref(cls)}}} for kind, cls in BODIES.items()}
    by_kind(found["JournalLine"], recorded)
    return document("decide-input", "Line that decide reads", [InputLine, JournalLine], found, 2)


def output_schema() -> dict[str, Any]:
    """Returns the schema of one output line: a fact, or a line's error. Kinds are only ever added."""
    found = shapes([FactLine, ErrorLine, *FACTS.values()])
    for cls in FACTS.values():
        for name, nothing in absent_in(cls).items():
            found[cls.__name__]["properties"][name]["not"] = {"const": nothing}
    by_kind(found["FactLine"], {kind: {"data": ref(cls)} for kind, cls in FACTS.items()})
    close(found["ErrorLine"])
    return document("decide-output", "Line that decide writes", [FactLine, ErrorLine], found, 2)
