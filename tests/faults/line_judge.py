"""What must hold of a shoe that writes lines after every fault. It numbers nothing and has no check: its lines are the truth."""

import json
from collections import Counter
from typing import Any

from controller.journal.record import Record, Stream
from drivers.lines.faces import withheld
from drivers.protocol.constants import MAX_LINE
from tests.faults.bus_judge import counted
from tests.faults.machine import LineShoe
from tests.faults.rig import Rig

KINDS = {"card_drawn", "line_unparsed", "alarm_raised"}
"""All that such a line can come to."""
CAUSES = {"non_ascii": "not_text", "oversize": "too_long", "partial": "cut_off"}
"""The session's counters of what was no line, and its words on record."""


def account(device: LineShoe, rig: Rig, *, lies: bool) -> list[str]:
    """Counters without a hole; no card that was not told; no text that names one; on a whole cable each card.

    `lies`: what it told before comes again, so cards cannot be held against it.
    """
    inputs = [r for r in rig.records(Stream.INPUT) if r.origin is not None and r.origin[0] == device.serial]
    wrong = counted(device, inputs) + damage(device, rig)
    wrong += [f"{r.kind} is on record of a shoe that writes lines" for r in inputs if r.kind not in KINDS]
    wrong += [f"{text!r} is on record" for text in map(_text, inputs) if not _may_be_shown(text)]
    return wrong if lies else wrong + cards(device, inputs)


def damage(device: LineShoe, rig: Rig) -> list[str]:
    """All that came and was no line is on record, by its cause, since the daemon started last."""
    records = rig.records(Stream.INPUT)
    starts = [n for n, r in enumerate(records) if r.kind == "service_started"]
    since = [r for r in records[starts[-1] if starts else 0 :] if r.kind == "lines_damaged"]
    told: Counter[str] = Counter()
    for record in since:
        told.update(json.loads(record.data)["body"])
    found = {words: device.session.counters.get(name, 0) for name, words in CAUSES.items()}
    return [
        f"{n} lines were {words.replace('_', ' ')}, and {told[words]} are on record"
        for words, n in found.items()
        if n != told[words]
    ]


def cards(device: LineShoe, inputs: list[Record]) -> list[str]:
    """The cards on record beside those that the shoe told."""
    told = sum(line["tells"] == "card" for line in device.noted("line"))
    drawn = sum(r.kind == "card_drawn" for r in inputs)
    wrong = [f"{drawn} cards are on record, {told} were told"] if drawn > told else []
    if drawn < told and _was_whole(device):
        wrong.append(f"{drawn} cards are on record of {told}, and nothing was wrong with the cable")
    return wrong


def _was_whole(device: LineShoe) -> bool:
    """Whether nothing befell the bytes on their way."""
    is_cut = any(status.reason for status in device.states)
    return not is_cut and not any(line["fault"].startswith("wire_") for line in device.noted("fault"))


def _text(record: Record) -> str:
    body: dict[str, Any] = json.loads(record.data)["body"]
    return str(body.get("text", ""))


def _may_be_shown(text: str) -> bool:
    return text.isprintable() and text.isascii() and len(text) <= MAX_LINE and withheld(text) == text
