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

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, fields
from pathlib import Path

from controller.readers.fault import Fault
from controller.readers.nearest import nearest
from controller.readers.table import Scope, Table
from controller.readers.toml import TomlInvalid, parse_toml
from drivers.protocol.records import dataclass
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
    """A scenario that can't be read, does not fit its simulator, or did not come out as it says; names the step.

    `fault`: what is wrong with how it is written, None where that is not the reason.
    """

    def __init__(self, text: str, fault: Fault | None = None) -> None:
        super().__init__(text)
        self.fault = fault


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
        data = path.read_bytes()
        table = Table(parse_toml(data), "", Scope(data))
    except OSError as exc:
        raise ScriptError(f"{path}: {exc.strerror}") from exc
    except TomlInvalid as exc:
        raise ScriptError(f"{path}: no TOML: {exc}") from exc
    script = _script(path.name, table)
    if script is None:
        fault = table.scope.faults[0]
        raise ScriptError(f"{path}: {fault.with_line}", fault)
    return script


def _script(name: str, table: Table) -> Script | None:
    device, then = table.one_of("device", ALL), table.one_of("then", ("stay", "end"), "stay")
    about, needs, record = table.text("about"), table.free("needs"), table.texts("record", ())
    written = table.raw("step")
    table.close()
    steps = _steps(written, device, table.scope) if table.is_sound else ()
    return Script(name, device, steps, about, needs, then == "end", record) if table.is_sound else None


def read_steps(written: object, device: str) -> tuple[Step, ...]:
    """The steps of a script for a kind of device. Raises `ScriptError`."""
    scope = Scope()
    steps = _steps(written, device, scope)
    if scope.faults:
        raise ScriptError(scope.faults[0].with_line, scope.faults[0])
    return steps


def _steps(written: object, device: str, scope: Scope) -> tuple[Step, ...]:
    if not isinstance(written, list) or not written:
        scope.fault("[[step]]", "there is no step; write [[step]] and under it what happens", "key_missing")
        return ()
    tables = (Table(one, f"step {number}", scope, ("step", number - 1)) for number, one in enumerate(written, 1))
    return tuple(_step(number, table, device) for number, table in enumerate(tables, 1))


def _step(number: int, table: Table, device: str) -> Step:
    do, given = _deed(table, device)
    whens = [key for key in ("at", "after", "on") if key in table]
    if len(whens) > 1:
        table.fault(whens[1], f"excludes {whens[0]}; keep one, or make two steps", "keys_exclude")
    at, after = table.maybe_seconds("at", LONGEST_S), table.maybe_seconds("after", LONGEST_S)
    within, expect = table.maybe_seconds("within", LONGEST_S) or WITHIN_S, table.free("expect")
    report, state = _on(table, device)
    body = table.free("body")
    if body and not report:
        table.fault("body", 'is that of a report; name it, as in on = "shuffle_completed"', "keys_together")
    elif report in REPORTS:
        _known(table, "body", body, [field.name for field in fields(REPORTS[report])])
    if not (whens or do or expect):
        table.fault(
            "", "nothing happens in it; give it do, inject, expect, or a time to wait for", "nothing_happens"
        )
    table.close()
    return Step(number, at, after, report, body, state, do, given, expect, within)


def _deed(table: Table, device: str) -> tuple[str, Mapping[str, object]]:
    """What the step does and its particulars; ("", {}) = it only waits and looks."""
    do, fault = table.maybe_text("do") or "", table.maybe_text("inject") or ""
    if do and fault:
        table.fault("inject", "excludes do; make two steps", "keys_exclude")
    elif fault:
        try:
            parse(fault, FAULTS_AS.get(device, device))
        except FaultError as exc:
            table.fault("inject", str(exc), "fault_unknown")
        return "inject", {"fault": fault}
    elif do and table.one_of("do", [name for name, (devices, _) in ACTS.items() if device in devices]) in ACTS:
        return do, {key: _particular(table, key) for key in ACTS[do][1] if key in table}
    return "", {}


def _particular(table: Table, key: str) -> object:
    """A word or a number that a device could take; the device judges the rest when it is done."""
    value = table.raw(key)
    if key in CHOICES:
        _known(table, key, (str(value),), [str(word) for word in CHOICES[key]])
    elif key in COUNTS:
        table.whole(key, COUNTS[key])
    elif key == "for_s":
        table.maybe_seconds(key, LONGEST_S)
    return value


def _on(table: Table, device: str) -> tuple[str, Mapping[str, object]]:
    """The report or the state that the step waits for."""
    report = table.raw("on")
    if not isinstance(report, str):
        return "", table.free("on")
    if device in (BUS, LINES):
        what = f"a {device} numbers no reports; wait for what its state comes to, as on = {{plugged = true}}"
        table.fault("on", what, "key_unfit")
    else:
        _known(table, "on", (report,), REPORTS)
    return report, {}


def _known(table: Table, key: str, found: Iterable[str], known: Collection[str]) -> None:
    """Keeps a fault for each name that is none of `known`, with the nearest of them."""
    for name in found:
        if name not in known:
            table.fault(key, f"unknown word {name!r} {nearest(name, known)}", "word_unknown")


def _among(what: str, found: Iterable[str], known: Collection[str]) -> None:
    """Raises `ScriptError` for the first name that is none of `known`, with the nearest of them."""
    for name in found:
        if name not in known:
            raise ScriptError(f"no {what} {name!r} {nearest(name, known)}")


def verify_needs(script: Script, device: str, settings: Mapping[str, object]) -> None:
    """Raises `ScriptError` if the simulator is another device or lacks settings that the scenario needs."""
    if script.device != device:
        raise ScriptError(f"{script.name}: is for a {script.device}; this is a {device}")
    _among("setting", script.needs, settings)
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
    _among("key of the state", wanted, state)
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
