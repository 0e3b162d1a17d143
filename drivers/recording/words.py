"""What a link end said, one line each, for a list that is compared: the same words for the same event, and no time."""

import dataclasses
from enum import Enum

from drivers.protocol.framing import crc32c
from drivers.protocol.host.events import HostEvent, Lost, Online, Reported, Welcomed
from drivers.protocol.payloads import UnknownReport
from drivers.protocol.reports import LineUnparsed, Report


def event_words(event: HostEvent) -> str:
    """One line. A line of text from a device stands there by its length and check only: it may name a card."""
    match event:
        case Welcomed(who, boot, cause, first, last):
            name = f"{who.kind.value} {who.vendor!r} {who.model!r} serial={who.serial!r} firmware={who.firmware!r}"
            return f"welcomed {name} boot={boot:016x} reset={cause.value} log={first}..{last}"
        case Online(gap_closed, levels):
            return f"online gap_closed={_value(gap_closed)} {fields_words(levels)}"
        case Reported(boot, counter, tick_us, report, from_log, chain):
            where = (" from_log" if from_log else "") + (f" chain={chain.hex()}" if chain else "")
            return f"report {boot:016x}/{counter} at={tick_us}{where} {report_words(report)}"
        case Lost(boot, first, last):
            return f"lost {boot:016x}/{first}..{last or '?'}"
    return f"{_name(type(event).__name__)} {fields_words(event)}".rstrip()


def report_words(report: Report | UnknownReport) -> str:
    """Kind and fields of a report."""
    match report:
        case UnknownReport(code, data, _):
            return f"unknown code={code:#04x} data={data.hex()}"
        case LineUnparsed(text):
            return f"{report.kind} characters={len(text)} check={crc32c(text.encode('latin-1')):08x}"
    return f"{report.kind} {fields_words(report)}".rstrip()


def fields_words(thing: object) -> str:
    """`name=value` of each field of a record."""
    if not dataclasses.is_dataclass(thing):
        return str(thing)
    pairs = ((f.name, getattr(thing, f.name)) for f in dataclasses.fields(thing))
    return " ".join(f"{name}={_value(value, name)}" for name, value in pairs)


def _value(value: object, name: str = "") -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case Enum():
            return str(value.value)
        case bytes():
            return value.hex() or "-"
        case int() if name == "boot":
            return f"{value:016x}"
        case str() if not value.isidentifier():
            return repr(value)
        case _ if dataclasses.is_dataclass(value):
            return f"({fields_words(value)})"
    return str(value)


def _name(camel: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in camel).lstrip("_")
