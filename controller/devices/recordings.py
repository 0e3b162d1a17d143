"""Describes what the driver makes of a recording now, and where that differs."""

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import Any

from controller.devices.frames import pieces_in_words
from drivers.protocol.texts import plain
from drivers.recording.format import Recording
from drivers.recording.replay import Difference, Replayed

Document = dict[str, Any]


def replayed_document(
    recording: Recording, found: Replayed, lines: Sequence[str], expected: Sequence[str] | None, strict: bool
) -> Document:
    """Returns the result. `expected`: the list to compare with, None = none. `same`: no difference was found."""
    changed = (
        list(unified_diff(expected, lines, "the list", "now", lineterm="", n=1)) if expected is not None else []
    )
    differences = [_difference(recording, d) for d in found.differences] if strict else []
    return {
        "device": recording.header.device,
        "wall": recording.header.wall,
        "software": recording.header.software,
        "connections": found.connections,
        "sends": found.sends,
        "gaps": found.gaps,
        "torn": recording.is_torn,
        "events": list(lines),
        "strict": strict,
        "golden": expected is not None,
        "differences": differences,
        "changed": changed,
        "same": not differences and not changed,
    }


def _difference(recording: Recording, found: Difference) -> Document:
    began = recording.entries[0].us
    return {
        "at_s": round((found.us - began) / 1e6, 6),
        "entry": found.line + 1,
        "recorded": pieces_in_words(found.expected),
        "now": pieces_in_words(found.sent),
        "why": found.why,
    }


def compare_page(told: Document) -> Iterator[str]:
    """Yields the events, or the differences, for a person."""
    yield (
        f"{told['device']}, recorded {told['wall']} by {told['software']}: "
        f"{told['connections']} connections, {told['sends']} writes, {len(told['events'])} events"
    )
    if told["torn"]:
        yield "  the last line was cut off, as a power cut leaves it"
    if told["gaps"]:
        yield f"  {told['gaps']} entries are missing: the disk was too slow then"
    if not told["strict"] and not told["golden"]:
        yield from (f"  {plain(line)}" for line in told["events"])
    for one in told["differences"]:
        yield f"  at {one['at_s']:.6f} s, entry {one['entry']}"
        if one["why"]:
            yield f"    the driver cannot do what it did then: {one['why']}"
            continue
        yield from (f"    recorded  {line}" for line in one["recorded"] or ["nothing"])
        yield from (f"    now       {line}" for line in one["now"] or ["nothing"])
    yield from (f"  {plain(line)}" for line in told["changed"])
    if told["strict"]:
        yield (
            "the driver sends something else" if told["differences"] else "the driver sends the same, byte by byte"
        )
    if told["golden"]:
        yield "the events differ from the list" if told["changed"] else "the events are those of the list"
