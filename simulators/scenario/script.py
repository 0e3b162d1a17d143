"""A scenario file: what happens to one simulated device, step by step, and what must then be seen on it. Read strictly.

    about = "A stack sticks, and hands free it."
    device = "shoe"                     # shuffler | shoe | progressive | remote-io | bee-tek
    record = ["jammed"]                 # kinds of facts that a daemon must have on record afterwards; may be left out
    needs = {decks = 8}                 # settings that the simulator must have; may be left out
    then = "stay"                       # or "end": whether the simulator runs on after the last step

    [[step]]
    on = {dispensing = "allowed"}       # at: s since the start | after: s after the step before | on: a report, or a state
                                        # body: with a report as `on`, fields that it must have
    inject = "jam:stack=2"              # or do = an act or verb of the control socket, its particulars beside it
    expect = {jammed = true}            # what the state must come to
    within = 30                         # s that `on` and `expect` may each take

The steps are taken in their order. docs/scenarios.md is the manual.
"""

import difflib
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from drivers.protocol.reports import REPORTS, Back, Mode, ResetCause
from simulators.scenario.fault_kind import ALL as REPORTING
from simulators.scenario.fault_kind import PROGRESSIVE, REMOTE_IO, SHOE, SHUFFLER
from simulators.scenario.faults import FaultError, parse

WITHIN_S = 10.0
"""How long `on` and `expect` may take where the step does not say."""

LONGEST_S = 7 * 24 * 3600
"""Longest time of a step: a week, more than any bench runs."""

BUS, LINES = "remote-io", "bee-tek"
"""Devices that number nothing, by their names on the command line: of them there is no report to wait for."""
ALL = (*REPORTING, BUS, LINES)
MACHINES, SHOES, SETS, CHIPS = (SHUFFLER, SHOE), (SHOE, LINES), (SHUFFLER, SHOE, LINES), (PROGRESSIVE, BUS)
FAULTS_AS: Mapping[str, str] = {BUS: REMOTE_IO, LINES: LINES}
"""Whose faults a device has, where that is not its own kind."""

STEP_KEYS = ("at", "after", "on", "body", "do", "inject", "expect", "within")
ACTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "load": (SETS, ("back", "cards")),
    "unload": (MACHINES, ()),
    "green": (MACHINES, ()),
    "take": (MACHINES, ()),
    "remove": (SETS, ("leave",)),
    "open_lid": (SETS, ()),
    "close_lid": (SETS, ()),
    "mode": (MACHINES, ("mode",)),
    "plan": (MACHINES, ("plan",)),
    "bring_deck": (SETS, ("back",)),
    "retire": (SETS, ("back",)),
    "wash": (SETS, ("back",)),
    "find_lost": (SETS, ()),
    "draw": (SETS, ("cards",)),
    "key": (SHOES, ("to",)),
    "cutting_card": (SHOES, ("behind",)),
    "say": ((LINES,), ("text",)),
    "put_chip": (CHIPS, ("seat", "sensor")),
    "lift_chip": (CHIPS, ("seat", "sensor")),
    "collect": (CHIPS, ()),
    "lockout": (CHIPS, ()),
    "heal": (ALL, ()),
    "hang": (ALL, ("for_s",)),
    "wake": (ALL, ()),
    "unplug": (ALL, ("for_s",)),
    "replug": (ALL, ()),
    "power_off": (ALL, ("for_s",)),
    "power_on": (ALL, ()),
    "reboot": (ALL, ("cause",)),
}
"""Act or verb -> the devices it is done at, and the particulars it takes."""
CHOICES: Mapping[str, Iterable[str]] = {"back": Back, "mode": Mode, "cause": ResetCause}
COUNTS: Mapping[str, int] = {"seat": 1, "sensor": 1, "leave": 0}
"""Particulars that are a word of a list, and those that are a whole number with their least one."""


class ScriptError(ValueError):
    """A scenario cannot be read, does not fit its simulator, or failed; the text names the step."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step, numbered from 1. At most one of `at`, `after`, `report`, `state` says when; `do` "" = only wait
    and compare."""

    number: int
    at: float | None = None
    after: float | None = None
    report: str = ""
    body: Mapping[str, object] = field(default_factory=dict)
    state: Mapping[str, object] = field(default_factory=dict)
    do: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    expect: Mapping[str, object] = field(default_factory=dict)
    within: float = WITHIN_S


@dataclass(frozen=True, slots=True)
class Script:
    """A scenario. `ends`: the simulator ends after the last step. `record`: kinds of facts that must be on record."""

    name: str
    device: str
    steps: tuple[Step, ...]
    about: str = ""
    needs: Mapping[str, object] = field(default_factory=dict)
    ends: bool = False
    record: tuple[str, ...] = ()


def load(path: Path) -> Script:
    """Returns the scenario of a file. Raises `ScriptError` naming file, step and remedy."""
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise ScriptError(f"{path}: {exc.strerror}") from exc
    except (ValueError, RecursionError) as exc:
        raise ScriptError(f"{path}: no TOML: {exc}") from exc
    try:
        return _script(path.name, written)
    except ScriptError as exc:
        raise ScriptError(f"{path}: {exc}") from None


def _script(name: str, written: Mapping[str, Any]) -> Script:
    _known("key", written, ("about", "device", "needs", "record", "then", "step"))
    device, then = written.get("device"), written.get("then", "stay")
    if device not in ALL:
        raise ScriptError(f"device must be one of {', '.join(ALL)}, not {device!r}")
    if then not in ("stay", "end"):
        raise ScriptError(f"then is stay or end, not {then!r}")
    about = written.get("about")
    if not isinstance(about, str) or not about:
        raise ScriptError("about is missing: say in one sentence what happens")
    needs = _table("needs", written.get("needs", {}))
    record = written.get("record", [])
    if not isinstance(record, list) or not all(isinstance(kind, str) for kind in record):
        raise ScriptError('record is a list of kinds of facts, as record = ["jammed"]')
    steps = read_steps(written.get("step"), device)
    return Script(name, device, steps, about, needs, then == "end", tuple(record))


def read_steps(written: object, device: str) -> tuple[Step, ...]:
    """Returns a script's steps for a kind of device. Raises `ScriptError`."""
    if not isinstance(written, list) or not written:
        raise ScriptError("there is no step; write [[step]] and under it what happens")
    steps = []
    for number, one in enumerate(written, 1):
        try:
            steps.append(_step(number, _table("a step", one), device))
        except (ScriptError, FaultError) as exc:
            raise ScriptError(f"step {number}: {exc}") from None
    return tuple(steps)


def _step(number: int, written: Mapping[str, Any], device: str) -> Step:
    do, given = _deed(written, device)
    whens = [key for key in ("at", "after", "on") if key in written]
    if len(whens) > 1:
        raise ScriptError(f"{' and '.join(whens)} exclude each other; keep one, or make two steps")
    expect = _table("expect", written.get("expect", {}))
    report, state = _on(written.get("on", {}), device)
    body = _body(report, _table("body", written.get("body", {})))
    if not (whens or do or expect):
        raise ScriptError("nothing happens in it; give it do, inject, expect, or a time to wait for")
    return Step(
        number, _seconds("at", written), _seconds("after", written), report, body, state, do, given, expect,
        _seconds("within", written) or WITHIN_S,
    )  # fmt: skip


def _deed(written: Mapping[str, Any], device: str) -> tuple[str, Mapping[str, object]]:
    """Returns the step's act and arguments; ("", {}) = it only waits and compares."""
    do, fault = written.get("do", ""), written.get("inject", "")
    if do and fault:
        raise ScriptError("do and inject exclude each other; make two steps")
    if not isinstance(do, str) or not isinstance(fault, str):
        raise ScriptError("do is the name of an act, and inject a fault, each as text")
    given = {key: value for key, value in written.items() if key not in STEP_KEYS}
    if fault:
        parse(fault, FAULTS_AS.get(device, device))
        _known("key", given, STEP_KEYS)
        return "inject", {"fault": fault}
    if not do:
        _known("key", given, STEP_KEYS)
        return "", {}
    mine = [name for name, (devices, _) in ACTS.items() if device in devices]
    _known(f"act at a {device}", (do,), mine)
    _known(f"particular of {do}", given, (*ACTS[do][1], *STEP_KEYS))
    _verify_given(given)
    return do, given


def _verify_given(given: Mapping[str, object]) -> None:
    """Raises `ScriptError` for a word or number that no device could take."""
    for key, value in given.items():
        if key in CHOICES:
            _known(key, (str(value),), [str(word) for word in CHOICES[key]])
        elif key in COUNTS and (isinstance(value, bool) or not isinstance(value, int) or value < COUNTS[key]):
            raise ScriptError(f"{key} is a whole number from {COUNTS[key]}, not {value!r}")
        elif key == "for_s":
            _seconds(key, given)


def _on(written: object, device: str) -> tuple[str, Mapping[str, object]]:
    if isinstance(written, str) and device in (BUS, LINES):
        raise ScriptError(
            f"a {device} numbers no reports; wait for what its state comes to, as on = {{plugged = true}}"
        )
    if isinstance(written, str):
        _known("report", (written,), REPORTS)
        return written, {}
    return "", _table("on", written)


def _body(report: str, written: Mapping[str, Any]) -> Mapping[str, Any]:
    if written and not report:
        raise ScriptError('body is that of a report; name it, as in on = "shuffle_completed"')
    if report:
        _known(f"field of {report}", written, [f.name for f in fields(REPORTS[report])])
    return written


def _seconds(key: str, written: Mapping[str, Any]) -> float | None:
    value = written.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_S:
        raise ScriptError(f"{key} is a number of seconds up to {LONGEST_S}, not {value!r}")
    return float(value)


def _table(what: str, written: object) -> Mapping[str, Any]:
    if not isinstance(written, dict):
        raise ScriptError(f"{what} is a table of keys and values, not {written!r}")
    return written


def _known(what: str, written: Iterable[str], known: Collection[str]) -> None:
    """Raises `ScriptError` for the first unknown name, with the nearest known one."""
    for name in written:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
            raise ScriptError(f"no {what} {name!r}; {hint}")


def verify_needs(script: Script, device: str, settings: Mapping[str, object]) -> None:
    """Raises `ScriptError` if the simulator is another device or lacks settings that the scenario needs."""
    if script.device != device:
        raise ScriptError(f"{script.name}: is for a {script.device}; this is a {device}")
    _known("setting", script.needs, settings)
    for key, value in script.needs.items():
        if not matches(settings[key], value):
            raise ScriptError(
                f"{script.name}: needs {key} = {value!r}, and this simulator has {settings[key]!r}; see its --help"
            )


def verify_keys(steps: Iterable[Step], state: Mapping[str, object]) -> None:
    """Raises `ScriptError` for a key of `on` or `expect` that this device's state never has."""
    for step in steps:
        for wanted in (step.state, step.expect):
            try:
                _keys(wanted, state)
            except ScriptError as exc:
                raise ScriptError(f"step {step.number}: {exc}") from None


def _keys(wanted: Mapping[str, object], state: Mapping[str, object]) -> None:
    _known("key of the state", wanted, state)
    for key, value in wanted.items():
        inner = state[key]
        if isinstance(value, Mapping) and isinstance(inner, Mapping):
            _keys(value, inner)


def matches(found: object, wanted: object) -> bool:
    """Returns True if everything wanted is found; of a table only the named keys count."""
    match found, wanted:
        case Mapping(), Mapping():
            return all(key in found and matches(found[key], value) for key, value in wanted.items())
        case ((list() | tuple()), (list() | tuple())):
            return len(found) == len(wanted) and all(map(matches, found, wanted))
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)
