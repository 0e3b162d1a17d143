"""The table of faults, read strictly from `catalogue.toml`: what each does, how it is injected, and the expected verdict."""

import tomllib
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("catalogue.toml")
SCOPES = ("byte", "frame", "device", "host", "modbus")
COUNTS = {"B": 23, "F": 31, "D": 45, "H": 25, "M": 15}
"""How many faults of each letter the catalogue has."""
ALL_IDS = tuple(f"{letter}{number:02}" for letter, most in COUNTS.items() for number in range(1, most + 1))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What must come of a fault. Facts are written `kind` or `kind:particular`; nothing else out of the ordinary may occur.

    `counts`: counters of the session, `device_counts`: of the device's link, one of each must rise. `reasons`: all of them
    the session gave for its states. `facts`: in the journal and at the subscriber, all of them. `may`: others that are
    allowed. `unproven`: the round no longer counts as proven. `ends`: the session's state when it is over. `within_s`: how
    soon after its end. `because`: why so.
    """

    because: str
    counts: tuple[str, ...] = ()
    device_counts: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    unproven: bool = False
    ends: str = "online"
    within_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Row:
    """One fault. `inject`: lines of `simulators.scenario.faults`, or verbs of `tests.faults.verbs`. `on`: the device that has it.

    `drive`: what goes on at the table meanwhile. `lasts_s`: virtual seconds from the injection to its end. `shown_by`:
    the test that shows it, where it is not this table's own, and `elsewhere` why it is not. `open`: why nothing can show it
    yet. `lies`: the device tells what did not happen, or under other numbers, so that its times (of a bus and a shoe that writes
    lines, its reports) cannot be held against its own record. `keyed`: host and devices share keys and seal each frame.
    `progressive`: how that device is built, tdp | modbus (remote I/O on a bus). `reader`: bee-tek where hands deal from a shoe
    that writes lines. `full`: takes so long that only `make faults` plays it.
    """

    id: str
    scope: str
    does: str
    verdict: Verdict
    inject: tuple[str, ...] = ()
    on: str = "progressive-1"
    drive: str = "chips"
    lasts_s: float = 6.0
    shown_by: str = ""
    elsewhere: str = ""
    open: str = ""
    lies: bool = False
    keyed: bool = False
    progressive: str = "tdp"
    reader: str = ""
    full: bool = False

    @property
    def base(self) -> str:
        """The id of the catalogue; a row may be one form of it, as `D06-round`."""
        return self.id.partition("-")[0]

    @property
    def table(self) -> dict[str, str]:
        """How the table is built, by the names of the bench's options."""
        dealt = {"method": "manual_shoe", "reader": self.reader} if self.reader else {}
        return {"progressive": self.progressive, **dealt}


@dataclass(frozen=True, slots=True)
class Catalogue:
    rows: tuple[Row, ...] = field(default=())

    def row(self, fault_id: str) -> Row:
        return next(row for row in self.rows if row.id == fault_id)

    @property
    def played(self) -> tuple[Row, ...]:
        """Those that are injected into a running simulator here."""
        return tuple(row for row in self.rows if row.inject)


def _record(cls: type, given: dict[str, Any], where: str) -> Any:
    """A record of exactly the known fields. Raises ValueError with what is wrong."""
    known = {f.name for f in fields(cls)}
    if unknown := set(given) - known:
        raise ValueError(f"{where}: unknown {', '.join(sorted(unknown))}; known are {', '.join(sorted(known))}")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    try:
        return cls(**values)
    except TypeError as exc:
        raise ValueError(f"{where}: {exc}") from exc


@cache
def load(path: Path = PATH) -> Catalogue:
    """The table. Raises ValueError where a row is not whole, twice, of an unknown id, or can neither be played nor shown."""
    rows = []
    for given in tomllib.loads(path.read_text())["fault"]:
        where = str(given.get("id", "a row without id"))
        verdict = _record(Verdict, given.pop("verdict", {}), f"{where} verdict")
        row: Row = _record(Row, {**given, "verdict": verdict}, where)
        if row.base not in ALL_IDS or row.id in {other.id for other in rows}:
            raise ValueError(f"{row.id}: not in the catalogue, or twice")
        if row.scope not in SCOPES or not row.does.endswith("."):
            raise ValueError(f"{row.id}: a scope of {', '.join(SCOPES)}, and a sentence that ends")
        if sum(map(bool, (row.inject, row.shown_by, row.open))) != 1:
            raise ValueError(f"{row.id}: exactly one of inject, shown_by and open")
        if bool(row.shown_by) != bool(row.elsewhere):
            raise ValueError(f"{row.id}: shown_by and elsewhere, which says why, go together")
        rows.append(row)
    return Catalogue(tuple(rows))
