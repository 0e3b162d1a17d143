"""Checks promise 6 and the delivery: each device report is on record once and in order, and each record was
delivered."""

import json
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from simulators.bench.observer.evidence import Evidence, Line, State, Verdict
from simulators.bench.observer.record import broken_links

NAME = "6 no gap in device events is silent"
DELIVERY = "delivery: a subscriber holds exactly the record"
CHAIN = "chain: the record is whole and unaltered"
IF_ANY = ("operation", "stack", "code", "text")
"""Values of a report that are absent in the record where they are 0 or empty: there is none."""


def nothing_lost(evidence: Evidence) -> Verdict:
    """Checks that each report in a device's log is one input of the journal, with equal content, in counter order.

    Exempt are reports made after the daemon received the stop signal: they may still be in the device's log alone.
    """
    device_of = evidence.serials
    recorded: dict[tuple[str, str], dict[int, Any]] = defaultdict(dict)
    problems: list[str] = []
    last: dict[tuple[str, str], int] = {}
    for row in evidence.inputs:
        if row.origin is None or row.order <= evidence.began:
            continue
        serial, boot, counter = row.origin
        key = (device_of.get(serial, serial), boot)
        if counter in recorded[key]:
            problems.append(f"{key[0]} {counter} is on record twice")
        if counter <= last.get(key, 0):
            problems.append(f"{key[0]} {counter} is on record behind {last[key]}")
        last[key] = max(counter, last.get(key, 0))
        recorded[key][counter] = (row.kind, row.data["body"])
    declared = _declared(evidence)
    checked = 0
    for line in evidence.device_lines("report"):
        checked += 1
        problems += _missing(evidence, line, recorded, declared)
    return Verdict.of(NAME, checked, problems, "no device reported anything")


class _Declared(NamedTuple):
    """A range of reports that the record says is lost; `last` 0 = to the end. `reused`: others have its numbers."""

    device: str
    boot: str
    first: int
    last: int
    reused: bool

    def covers(self, line: Line) -> bool:
        """Returns True if the range contains this report."""
        is_of_boot = (self.device, self.boot) == (line.device, line.data["boot"])
        return is_of_boot and self.first <= line.data["counter"] <= (self.last or line.data["counter"])


def _declared(evidence: Evidence) -> list[_Declared]:
    return [
        _Declared(row.subject, data["boot"], data["first"], data.get("last", 0), data.get("reused", False))
        for row in evidence.of("events_lost")
        for data in (row.data,)
    ]


def _missing(
    evidence: Evidence,
    line: Line,
    recorded: dict[tuple[str, str], dict[int, Any]],
    declared: list[_Declared],
) -> list[str]:
    boot, counter = line.data["boot"], line.data["counter"]
    what = f"{line.device} {counter} {line.data['kind']}"
    found = recorded.get((line.device, boot), {}).get(counter)
    lost = [one for one in declared if one.covers(line)]
    if found is None:
        after_stop = evidence.stop_ns and line.at_ns >= evidence.stop_ns
        return [] if lost or after_stop else [f"{what} is not on record"]
    body = {k: v for k, v in line.data["body"].items() if v is not None and (v or k not in IF_ANY)}
    if found != (line.data["kind"], body) and not any(one.reused for one in lost):
        return [f"{what} is on record as {found[0]} {json.dumps(found[1])}"]
    return []


def delivery(evidence: Evidence) -> Verdict:
    """Checks that first deliveries are the journal's main and diag records, in order, without gaps, each linked to
    the one before."""
    if evidence.delivered is None:
        return Verdict(DELIVERY, State.NOT_CHECKED, "there was no broker")
    seen: dict[str, list[dict[str, Any]]] = {"main": [], "diag": []}
    ids: set[str] = set()
    problems: list[str] = []
    for message in evidence.delivered:
        if "/evt/" not in message.topic:
            continue
        event = json.loads(message.payload)
        if event["journal"] != evidence.journal_id:
            continue
        if message.retained:
            problems.append(f"{event['id']} was retained: a new subscriber takes it for news")
        if event["id"] not in ids:
            ids.add(event["id"])
            seen[event["stream"]].append(event)
    checked = len(ids)
    for stream, events in seen.items():
        problems += _compared(evidence, stream, events)
    return Verdict.of(DELIVERY, checked, problems, "nothing was delivered")


NAMES_CARDS = ("hand_recorded",)
"""Facts that are published by their hash alone."""


def _compared(evidence: Evidence, stream: str, events: list[dict[str, Any]]) -> list[str]:
    rows = [row for row in evidence.rows if row.stream == stream and row.order > evidence.began]
    problems: list[str] = []
    for event, row in zip(events, rows, strict=False):
        if int(event["sequence"]) != row.sequence:
            return [*problems, f"{stream} {row.sequence} is missing or out of place: {event['sequence']} came"]
        hidden = {"withheld": True, "datahash": row.datahash.hex()} if row.kind in NAMES_CARDS else {}
        told = {name: event[name] for name in ("withheld", "datahash", "data") if name in event}
        if told != (hidden or {"data": row.data}) or event["recordhash"] != row.recordhash.hex():
            problems.append(f"{event['id']} was delivered otherwise than it is on record")
        if event["type"].split(".")[-2] != row.kind:
            problems.append(f"{event['id']} is called {event['type']}")
    for before, event in pairwise(events):
        if event["prevhash"] != before["recordhash"]:
            problems.append(f"{event['id']} does not follow {before['id']}")
    wanted = sum(row.sequence <= evidence.stopped_heads.get(stream, row.sequence) for row in rows)
    if len(events) < wanted:
        problems.append(f"{stream}: {wanted} on record before the stop, {len(events)} delivered")
    return problems


def chain(evidence: Evidence, anchors: Mapping[str, tuple[int, bytes]]) -> Verdict:
    """Checks the hash chain of all three streams, computed anew from the first record."""
    problems = broken_links(evidence.journal_id, evidence.rows, anchors)
    return Verdict.of(CHAIN, len(evidence.rows), problems, "nothing is on record")
