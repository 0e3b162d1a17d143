"""Checks promise 7 and the lock-out: each command was decided, durable and sent once, and nothing opened too
early."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulators.bench.observer.evidence import Evidence, Line, Verdict
from simulators.bench.observer.record import Row

TOLD = "7 commands once, durable, read back"
LOCKOUT = "9 lock-out: released only by a person's act, before no more bets"
SAFE = {"lockout": "engaged", "dispensing": "inhibited"}
UNRECORDED = "display"
"""The level whose wishes stand in no record: its text follows from the state."""
OPENERS = {"released": ("begin_round", "release_lockout"), "allowed": ("start_dealing",)}
"""Acts of a person from which alone a level may be opened."""


@dataclass(slots=True)
class _Session:
    """The commands that one device received since it last found its host."""

    operations: set[int] = field(default_factory=set)


def told(evidence: Evidence) -> Verdict:
    """Checks that each command's operation is on record with the same device, level and value.

    Exempt are safe levels and display texts. No command may be obeyed twice (a safe level may, after a lost link),
    and nothing may rely on a command of unknown outcome.
    """
    wishes = {row.data["operation"]: row.data for row in evidence.facts if row.kind == "level_wanted"}
    problems: list[str] = list(evidence.at_once.get(TOLD, ()))
    executed: set[tuple[str, int]] = set()
    sessions: dict[str, _Session] = {}
    checked = 0
    for line in evidence.lines:
        if (
            line.what == "link" and line.data.get("state") in ("host_found", "host_lost", "unplugged")
        ) or line.what == "power":
            sessions[line.device] = _Session()
        elif line.what == "command":
            checked += 1
            session = sessions.setdefault(line.device, _Session())
            problems += _wrong_command(line, wishes, executed, session)
    problems += _relied_on_unknown(evidence)
    return Verdict.of(TOLD, checked, problems, "no device received a command")


def _wrong_command(
    line: Line, wishes: Mapping[int, Mapping[str, Any]], executed: set[tuple[str, int]], session: _Session
) -> Iterator[str]:
    level, value, operation = line.data["level"], line.data["value"], line.data["operation"]
    what = f"{line.device} {level} {value} (operation {operation})"
    may_be_told = SAFE.get(level) == value or level == UNRECORDED
    wish = wishes.get(operation)
    if wish is None and not may_be_told:
        yield f"{what} is not on record"
    elif wish is not None and (wish["device"], wish["level"], wish["value"]) != (line.device, level, value):
        yield f"{what} is on record as {wish['device']} {wish['level']} {wish['value']}"
    if line.data["holds"] is None:
        return  # the link's own repeat of a request; it is answered and not carried out
    if operation in session.operations:
        yield f"{what} was sent twice in one session"
    session.operations.add(operation)
    if line.data["outcome"] == "executed":
        if (line.device, operation) in executed:
            yield f"{what} was obeyed twice"
        executed.add((line.device, operation))


def _relied_on_unknown(evidence: Evidence) -> Iterator[str]:
    """Checks that a level of unknown outcome is confirmed, read or reported before the next card comes out.

    A device that is away is exempt: it locks by itself, and the base game goes on.
    """
    unknown: dict[tuple[str, str], Row] = {}
    away: set[str] = set()
    for row in evidence.facts:
        if row.order <= evidence.began:
            continue
        match row.kind:
            case "level_unknown":
                unknown[row.subject, row.data["level"]] = row
            case "level_confirmed":
                unknown.pop((row.subject, row.data["level"]), None)
            case "levels_read" | "device_online":
                unknown = {key: at for key, at in unknown.items() if key[0] != row.subject}
                away.discard(row.subject)
            case "device_offline":
                away.add(row.subject)
            case "lockout_engaged" | "lockout_released":
                unknown.pop((row.subject, "lockout"), None)
            case "dispensing_inhibited" | "dispensing_allowed":
                unknown.pop((row.subject, "dispensing"), None)
            case "dealing_allowed":
                for (device, level), at in unknown.items():
                    if level == "lockout" and device not in away:
                        yield f"main {row.sequence}: cards came out while {device} {level} was unknown since {at.order}"
            case _:
                pass


def lockout(evidence: Evidence) -> Verdict:
    """Checks that a level opens only after a person's act that allows it, and in the right phase."""
    inputs = evidence.input_of
    problems: list[str] = list(evidence.at_once.get(LOCKOUT, ()))
    checked, betting = evidence.looked_at_once.get(LOCKOUT, 0), False
    opened = {
        line.data["operation"]: line
        for line in evidence.device_lines("command")
        if line.data["value"] in OPENERS and line.data["outcome"] == "executed"
    }
    for row in evidence.facts:
        match row.kind:
            case "round_begun":
                betting = True
            case "bets_closed" | "round_ended" | "round_voided":
                betting = False
            case "level_wanted" if row.data["value"] in OPENERS:
                checked += 1
                given = inputs.get(row.cause)
                value = row.data["value"]
                if given is None or given.kind not in OPENERS[value]:
                    problems.append(
                        f"main {row.sequence}: {value} follows from {given.kind if given else 'nothing'}"
                    )
                if value == "released" and not betting:
                    problems.append(
                        f"main {row.sequence}: the lock-out was to be released while no bets were open"
                    )
            case _:
                pass
    recorded = {row.data["operation"] for row in evidence.facts if row.kind == "level_wanted"}
    problems += [
        f"{line.device} was opened ({line.data['value']}) by operation {operation}, which nobody recorded"
        for operation, line in opened.items()
        if operation not in recorded
    ]
    return Verdict.of(LOCKOUT, checked, problems, "nothing was opened")
