"""The `--json` documents of the `device` commands."""

from dataclasses import asdict
from typing import Any

from drivers.protocol import messages as m
from drivers.protocol.host.events import HostEvent, Reported
from drivers.protocol.payloads import UnknownReport
from drivers.protocol.reports import LineUnparsed, Report
from drivers.protocol.texts import plain
from drivers.recording.words import event_words
from drivers.session.probe import Probe

Document = dict[str, Any]

HIDDEN = "(not shown: it may name a card)"
"""In place of a line of text from a device: nobody has said what stands in it."""


def probe_document(port: str, seen: Probe) -> Document:
    """Returns a probe as a document. Boots: 16 hex digits; hashes: hex."""
    who, welcome = seen.welcome.identity, seen.welcome
    trips_ms = [round(trip_s * 1000, 2) for trip_s in seen.round_trips_s]
    return {
        "port": port,
        "answers": True,
        "identity": {
            **{name: plain(getattr(who, name)) for name in ("vendor", "model", "hardware", "serial", "firmware")},
            "kind": who.kind.value,
            "capabilities": [c.value for c in who.capabilities],
            "firmware_hash": who.firmware_hash.hex(),
            "config_hash": who.config_hash.hex(),
            "display": who.display,
            "extra": [[tag, value.hex()] for tag, value in who.extra],
        },
        "versions": [welcome.min_version, welcome.max_version],
        "boot": f"{welcome.boot:016x}",
        "reset_cause": welcome.reset_cause.value,
        "up_s": round(seen.tick_us / 1e6, 1) if seen.tick_us else None,
        "levels": asdict(seen.levels) if seen.levels else None,
        "why_not": plain(seen.why_not),
        "needs_key": seen.needs_key,
        "key_proven": seen.key_proven,
        "bad_seals": seen.bad_seals,
        "log": {
            "first": welcome.log_first,
            "last": welcome.log_last,
            "depth": welcome.log_depth,
            "former": [{"boot": f"{s.boot:016x}", "first": s.first, "last": s.last} for s in welcome.old_logs],
        },
        "line": {
            "pings": seen.pings,
            "echoed": len(trips_ms),
            "least_ms": min(trips_ms, default=None),
            "most_ms": max(trips_ms, default=None),
            "dropped": dict(seen.dropped),
            "peer_dropped": dict(seen.peer_dropped),
        },
        "clock": {
            "ppm": None if seen.clock_ppm is None else round(seen.clock_ppm, 1),
            "error_ppm": round(seen.clock_error_ppm, 1),
        },
        "reports": [record_document(event.record) for event in seen.reports],
    }


def record_document(record: m.Record) -> Document:
    """Returns one report with its place in the device's order."""
    return {"counter": record.counter, "tick_us": record.tick_us, **report_document(record.report)}


def event_document(event: HostEvent) -> Document:
    """Returns a link's event: its kind in words, and its fields."""
    match event:
        case Reported(boot, counter, tick_us, report, from_log):
            place = {"boot": f"{boot:016x}", "counter": counter, "tick_us": tick_us, "from_log": from_log}
            return {"event": "report", **place, **report_document(report)}
        case _:
            kind, _, rest = event_words(event).partition(" ")
            return {"event": kind, "words": plain(rest)}


def shown_input(event: Document) -> Document:
    """Returns an input record fit to be shown, without lines of its text."""
    data = event.get("data") or {}
    body = dict(data.get("body") or {})
    if event["kind"] == LineUnparsed.kind:
        body["text"] = HIDDEN
    return {**event, "data": body}


def report_document(report: Report | UnknownReport) -> Document:
    """Returns a report by the names of docs/protocol.md, without lines of text, which may name cards."""
    match report:
        case UnknownReport(code):
            return {"kind": "unknown", "code": code}
        case LineUnparsed(text):
            return {"kind": report.kind, "text": HIDDEN, "characters": len(text)}
        case _:
            return {"kind": report.kind, **asdict(report)}
