"""What stands on the floor: the section [table] of a configuration, as a frozen record."""

from collections.abc import Mapping
from dataclasses import field

from controller.config.gaming_day import GamingCalendar
from controller.games.settling.meters import MeterTerms
from controller.rules.vocabulary import Method
from drivers.events import DeviceKind
from drivers.protocol.records import dataclass

DISPENSERS = {Method.DEALING_SHOE: DeviceKind.SHOE, Method.SHUFFLER: DeviceKind.SHUFFLER}
"""The device that deals under a method."""


@dataclass(frozen=True, slots=True)
class TableConfig:
    """What stands on the floor. `backs`: colours of the sets; `offered`: optional wagers of this house.

    `rulebook_sha256`: how the hash of the rulebook's file began when it was signed, None = it was not. `progressive_cents`:
    worth of one progressive chip, 0 = none. `production`: real play; then nothing that is only for a bench is accepted.
    `calendar`: when the gaming day of the house begins; None = nobody has said. `limits`: by wager, the posted least and
    most in cents. `payout_limit_cents`: of the house's own, None = it has none. `unit_cents`: the least amount that is paid.
    `computes_meters`: the progressive meters are this table's, with the parameters of `meters`; else people type them.
    """

    site: str
    id: str
    seats: int
    rulebook: str
    method: Method
    backs: tuple[str, ...] = ("red", "blue")
    offered: tuple[str, ...] = ()
    currency: str = "USD"
    progressive_cents: int = 0
    production: bool = False
    calendar: GamingCalendar | None = None
    rulebook_sha256: str | None = None
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    payout_limit_cents: int | None = None
    unit_cents: int = 1
    computes_meters: bool = False
    meters: Mapping[str, MeterTerms] = field(default_factory=dict)
