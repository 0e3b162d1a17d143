"""What must hold after every fault, at the device's own record, at the journal and at the subscriber."""

import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from controller.daemon.story import CARD, LEVELS, OF_LINK, line_of
from controller.journal.proof.verify import verify
from controller.journal.record import Stream
from controller.table.words.codec import decode_fact
from tests.faults import bus_judge, line_judge
from tests.faults.catalogue import Row
from tests.faults.machine import Bus, Device, LineShoe
from tests.faults.play import Played
from tests.faults.rig import Rig
from tests.support.reported import as_recorded

SAFE = ("inhibited", "engaged")
US = timedelta(microseconds=1)
MOST_TURNS_PER_S = 1500.0
"""Turns of the loop in a virtual second, and ten for each report: more is a spin."""
MOST_FRAMES_PER_S = 20.0
"""Frames that the host sends in a second, and two for each report: more is a storm."""
NO_LINE = (
    "bets_closed", "card_drawn", "cards_loaded", "cut_asked", "deal_completed", "dealing_allowed", "level_confirmed",
    "service_started", "set_checked", "set_in_play", "shuffle_completed", "shuffle_started", "stack_dispensed", "wager_decided",
    "wager_sensed", "wager_withdrawn",
)  # fmt: skip
"""Facts that may follow from a fault, and are the ordinary course of a table too."""
ENGAGED_AGAIN = ("lockout", "dispensing")


class Lost(NamedTuple):
    """A loss that is on record. `last` 0: to the end. `reused`: another event may be on record under each of these numbers."""

    boot: str
    first: int
    last: int = 0
    reused: bool = False

    def covers(self, boot: str, counter: int) -> bool:
        """Whether this number is in it."""
        return self.boot == boot and self.first <= counter <= (self.last or counter)


def judge(row: Row, played: Played, rig: Rig) -> list[str]:
    """Everything that is wrong; empty where all is as it must be."""
    verdict = row.verdict
    wrong = [f"{fact} is not on record" for fact in verdict.facts if fact not in (*played.facts, *played.kinds)]
    wrong += [f"{fact} is not expected" for fact in played.facts if fact not in (*verdict.facts, *verdict.may)]
    wrong += [f"no state of the session was because of {r}" for r in verdict.reasons if r not in played.reasons]
    wrong += _rose("the session", verdict.counts, played.counts)
    wrong += _rose("the device", verdict.device_counts, played.device_counts)
    if played.unproven != verdict.unproven:
        wrong.append(f"the round is {'un' * played.unproven}proven")
    if played.state != verdict.ends:
        wrong.append(f"it ends {played.state}")
    return wrong + held(rig, played, lies=row.lies) + logged(rig, played)


def logged(rig: Rig, played: Played) -> list[str]:
    """What of a fault that is on record gives no line in the log, or one that names a card."""
    wrong = [
        f"{fact} gives no line in the log"
        for fact in played.facts
        if fact.partition(":")[0] not in (*LEVELS, *OF_LINK, *NO_LINE)
    ]
    for record in rig.records():
        if record.stream is not Stream.INPUT and record.kind in LEVELS:
            line = line_of(decode_fact(record.kind, record.subject, record.data, record.version))
            wrong += [f"{record.kind} names a card in the log: {line}"] if line and CARD.search(str(line)) else []
    return wrong


def held(rig: Rig, played: Played, *, lies: bool = False, unseen: bool = False) -> list[str]:
    """The invariants, whatever the fault. `unseen`: numbers may have been used again while there was no link to see it."""
    wrong = [f"the daemon ended: {rig.failed!r}"] if rig.failed else []
    for device in rig.devices.values():
        if isinstance(device, Bus):
            wrong += bus_judge.account(device, rig, lies=lies)
            continue
        if isinstance(device, LineShoe):
            wrong += line_judge.account(device, rig, lies=lies)
            continue
        wrong += [] if unseen else account(rig, device)
        wrong += [] if lies else dated(rig, device)
        wrong += commands(device)
    wrong += told(rig)
    report = verify(rig.path)
    wrong += [str(fault) for fault in report.faults]
    wrong += opened_off_the_record(rig)
    if played.turns_per_s > MOST_TURNS_PER_S + 10 * played.reports_per_s:
        wrong.append(f"the loop turned {played.turns_per_s:.0f} times a second")
    if played.frames_per_s > MOST_FRAMES_PER_S + 2 * played.reports_per_s:
        wrong.append(f"{played.frames_per_s:.0f} frames a second were sent")
    return wrong


def _rose(whose: str, wanted: tuple[str, ...], rose: Any) -> list[str]:
    return [f"none of {', '.join(wanted)} rose at {whose}: {dict(rose)}"] if wanted and not set(wanted) & {
        name for name, n in rose.items() if n
    } else []  # fmt: skip


def account(rig: Rig, device: Device) -> list[str]:
    """Released events = the device's events in order, minus ranges declared lost; nothing twice, nothing else.

    Under a number that the device used again another event of its own may stand, where the record says so.
    """
    serial = str(device.config.serial)
    truth = {(r["boot"], r["counter"]): (r["kind"], r["body"]) for r in device.noted("report")}
    recorded: dict[str, list[int]] = defaultdict(list)
    lost: list[Lost] = []
    wrong, others = [], []
    for record in rig.records(Stream.INPUT):
        body: dict[str, Any] = json.loads(record.data)
        if record.kind == "events_lost" and body["body"]["serial"] == serial:
            lost.append(Lost(**{k: v for k, v in body["body"].items() if k != "serial"}))
        if record.origin is None or record.origin[0] != serial:
            continue
        _, boot, counter = record.origin
        recorded[boot].append(counter)
        kind, told = truth.get((boot, counter), ("nothing", {}))
        if record.kind != kind or body["body"] != as_recorded(kind, told):
            others.append((boot, counter, f"is on record as {record.kind}, the device says {kind}"))
    for boot, counters in recorded.items():
        if counters != sorted(set(counters)):
            wrong.append(f"{serial} boot {boot}: recorded as {counters}")
    for boot, counter, what in others:
        if not any(one.reused and one.covers(boot, counter) for one in lost):
            wrong.append(f"{serial} {counter} {what}")
    for boot, counter in truth:
        gone = any(one.covers(boot, counter) for one in lost)
        if not gone and counter not in recorded[boot] and _is_our_business(recorded, lost, boot):
            wrong.append(
                f"{serial} {boot}/{counter} {truth[boot, counter][0]} is neither on record nor declared lost"
            )
    return wrong


def dated(rig: Rig, device: Device) -> list[str]:
    """What the subscriber is told of when something happened holds the truth, however late it came and whoever slept."""
    if any(line["fault"].startswith("frame_tick") for line in device.noted("fault")):
        return []  # its clock lies, on purpose
    truth = {(r["boot"], r["counter"]): r["t"] for r in device.noted("report")}
    wrong = []
    for event in (*rig.told(Stream.MAIN), *rig.told(Stream.DIAG)):
        if event.get("deviceserial") != str(device.config.serial):
            continue
        key = (event["deviceboot"], int(event["devicecounter"]))
        if "devicetime" not in event:
            continue
        before_us = (datetime.fromisoformat(event["time"]) - datetime.fromisoformat(event["devicetime"])) / US
        off_us = abs(
            (rig.loop.real_s(event["monons"] / 1e9) - rig.loop.real_s(truth[key] / 1e9)) * 1e6 - before_us
        )
        if off_us > event["deviceerrorus"]:
            wrong.append(f"{key} is told {off_us:.0f} us off, and may be {event['deviceerrorus']}")
    return wrong


def _is_our_business(recorded: dict[str, list[int]], lost: list[Lost], boot: str) -> bool:
    """Boots of which the host never heard leave nothing: their log went with them."""
    return bool(recorded[boot]) or any(one.boot == boot for one in lost)


def commands(device: Device) -> list[str]:
    """No command is carried out twice."""
    done = [c for c in device.noted("command") if c["outcome"] == "executed" and c["level"] in ENGAGED_AGAIN]
    times = Counter(c["operation"] for c in done)
    return [f"{device.config.name}: operation {op} was done {n} times" for op, n in times.items() if n > 1]


def told(rig: Rig) -> list[str]:
    """The subscriber holds exactly the journal's events, in order, byte for byte: nothing that is not on record."""
    wrong = []
    for stream in (Stream.MAIN, Stream.DIAG):
        told, records = rig.told(stream), rig.records(stream)
        if [e["data"] for e in told] != [json.loads(r.data) for r in records]:
            wrong.append(f"the subscriber holds {len(told)} events of {stream}, the journal {len(records)}")
        if [e["recordhash"] for e in told] != [r.recordhash.hex() for r in records]:
            wrong.append(f"the events of {stream} are not those of the journal")
    return wrong


def opened_off_the_record(rig: Rig) -> list[str]:
    """No device released or allowed anything that the journal did not want first."""
    wanted = set()
    for record in rig.records(Stream.MAIN, Stream.DIAG):
        if record.kind == "level_wanted":
            body = json.loads(record.data)
            wanted.add((body["device"], body["level"], body["value"], body["operation"]))
    opened = {
        (device.config.name, c["level"], c["value"], c["operation"])
        for device in rig.devices.values()
        if not isinstance(device, Bus)
        for c in device.noted("command")
        if c["outcome"] == "executed" and c["level"] in ENGAGED_AGAIN and c["value"] not in SAFE
    }
    return [f"{which} was opened and nobody had wanted it" for which in sorted(opened - wanted)]
