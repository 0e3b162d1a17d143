"""Writes figures in Prometheus's text format, and names those of a table's daemon."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Document = Mapping[str, Any]
Sample = tuple[Mapping[str, str], int | float]


class Family(NamedTuple):
    """One metric: its name, its type (`gauge` or `counter`), a sentence about it, and its values by labels."""

    name: str
    type: str
    help: str
    samples: Iterable[Sample]


def exposition(families: Iterable[Family]) -> Iterator[str]:
    """Yields the lines of the text format, version 0.0.4."""
    for family in families:
        yield f"# HELP {family.name} {_escaped(family.help)}"
        yield f"# TYPE {family.name} {family.type}"
        for labels, value in family.samples:
            told = ",".join(f'{key}="{_escaped(text, quote=True)}"' for key, text in labels.items())
            yield f"{family.name}{{{told}}} {value}" if told else f"{family.name} {value}"


def _escaped(text: str, quote: bool = False) -> str:
    text = text.replace("\\", r"\\").replace("\n", r"\n")
    return text.replace('"', r"\"") if quote else text


def daemon_families(status: Document) -> Iterator[Family]:
    """Yields the figures of one table from its status document (docs/control.md)."""
    at = {"site": status["site"], "table": status["table"]} if "table" in status else {}
    record = status.get("record") or {}

    def gauge(name: str, about: str, *samples: Sample) -> Family:
        return Family(
            f"tablewarden_{name}", "gauge", about, [({**at, **labels}, value) for labels, value in samples]
        )

    yield gauge("record_ok", "1 if the table's record can be written.", ({}, int(bool(record.get("ok")))))
    if not at:
        return
    book = status["rulebook"]
    yield gauge(
        "info", "1; its labels say what runs.",
        ({"version": status.get("version", ""), "rulebook": book["id"], "sha256": book["sha256"]}, 1),
    )  # fmt: skip
    yield gauge("open", "1 if the table is open.", ({}, int(status["open"])))
    yield gauge("held", "Holds that stop play until a person has looked.", ({}, len(status["held"])))
    yield gauge("duties", "Duties of people that block the next round.", ({}, len(status["duties"])))
    yield gauge("alarms", "Alarms that stand.", ({}, len(status["alarms"])))
    unseen = [alarm for alarm in status["alarms"] if not alarm.get("seen")]
    yield gauge("alarms_unseen", "Alarms that nobody has seen since they came.", ({}, len(unseen)))
    yield Family("tablewarden_rounds_total", "counter", "Rounds begun in this journal.", [(at, status["rounds"])])
    devices = status.get("devices", {})
    yield gauge(
        "device_online",
        "1 if the device is connected.",
        *(({"device": n}, int(d["online"])) for n, d in devices.items()),
    )
    yield gauge(
        "device_jammed",
        "1 if the device is jammed.",
        *(({"device": n}, int(bool(d.get("jammed")))) for n, d in devices.items()),
    )
    yield from _broker(gauge, status.get("broker") or {})


def _broker(gauge: Any, broker: Document) -> Iterator[Family]:
    streams = broker.get("streams", {}).items()
    yield gauge("broker_connected", "1 if the broker is connected.", ({}, int(bool(broker.get("connected")))))
    yield gauge(
        "broker_lag_events", "Events that wait for the broker.", *(({"stream": n}, s["lag"]) for n, s in streams)
    )
    yield gauge(
        "broker_parked_events", "Events that the broker does not take.",
        *(({"stream": n}, sum(hole["last"] - hole["first"] + 1 for hole in s["parked"])) for n, s in streams),
    )  # fmt: skip
