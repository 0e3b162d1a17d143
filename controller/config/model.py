"""The configuration of one table as frozen records, and the law that follows from it.

`config_file.load_config` reads it from TOML. What is wrong with a configuration is always told whole: every fault of
the file, of the rulebook it names and of what does not fit between them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from controller.config.gaming_day import GamingCalendar
from controller.config.retention import Retention
from controller.control.desk import ControlConfig
from controller.games.registry import unplayable
from controller.games.settling.money import HOUSE, Money
from controller.games.settling.round import RoundRefused, Terms
from controller.log import LogFormat, LogLevel
from controller.publish.config import PublishConfig
from controller.rules.amounts import chip_misfits, has_limits, limits_apart
from controller.rules.elections import ElectionsInvalid, elect
from controller.rules.explain.coverage import CoverageInvalid
from controller.rules.model import Law, Rulebook
from controller.rules.read.library import RulebookUnknown, find, find_coverage
from controller.rules.read.loader import RulebookInvalid
from controller.rules.read.reader import nearest
from controller.rules.vocabulary import Method, Moment, Settle
from controller.table.acts.betting import MOST_CENTS
from controller.table.state.table import DeviceSetup, Setup
from controller.table.words import structs
from drivers.device import DeviceConfig
from drivers.events import DeviceKind

Elections = Mapping[str, tuple[str, str]]
"""Reading id -> (choice, who elected it)."""

DISPENSERS = {Method.DEALING_SHOE: DeviceKind.SHOE, Method.SHUFFLER: DeviceKind.SHUFFLER}
"""The device that deals under a method."""


class ConfigInvalid(Exception):
    """A configuration is refused. `faults`: every fault, each with its place in the file."""

    def __init__(self, path: Path, faults: Collection[str]) -> None:
        many = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__(f"{path}: refused for {many}\n" + "\n".join(f"  {fault}" for fault in faults))
        self.path, self.faults = path, tuple(faults)


@dataclass(frozen=True, slots=True)
class TableConfig:
    """What stands on the floor. `backs`: colours of the sets; `offered`: optional wagers of this house.

    `rulebook_sha256`: how the hash of the rulebook's file began when it was signed, None = it was not. `progressive_cents`:
    worth of one progressive chip, 0 = none. `production`: real play; then nothing that is only for a bench is accepted.
    `calendar`: when the gaming day of the house begins; None = nobody has said. `limits`: by wager, the posted least and
    most in cents. `payout_limit_cents`: of the house's own, None = it has none. `unit_cents`: the least amount that is paid.
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


@dataclass(frozen=True, slots=True)
class LogConfig:
    format: LogFormat = LogFormat.AUTO
    level: LogLevel = LogLevel.INFO


@dataclass(frozen=True, slots=True)
class Config:
    """One table. `path`: the file it came from; `mqtt` None = no broker, events stay on this machine.

    `journal_key`: the file of the key that signs the record; None = nobody signs it. `vault`: the file of the keys that seal
    which cards are told; None = they stand in the record as they are.
    """

    path: Path
    table: TableConfig
    devices: tuple[DeviceConfig, ...]
    journal: Path
    control: ControlConfig
    elections: Elections = field(default_factory=dict)
    mqtt: PublishConfig | None = None
    log: LogConfig = field(default_factory=LogConfig)
    journal_key: Path | None = None
    vault: Path | None = None
    retention: Retention = field(default_factory=Retention)

    def setup(self) -> Setup:
        """What the core decides by. Raises `ConfigInvalid` with all that does not fit the rulebook."""
        law, faults = law_of(self.table, self.elections, {device.kind for device in self.devices})
        if law is None or faults:
            raise ConfigInvalid(self.path, faults)
        return Setup(
            site=self.table.site,
            table=self.table.id,
            seats=self.table.seats,
            backs=self.table.backs,
            method=self.table.method,
            devices={device.name: DeviceSetup(device.name, device.kind) for device in self.devices},
            law=law,
            offered=frozenset(self.table.offered),
            currency=self.table.currency,
            progressive_cents=self.table.progressive_cents,
            limits=self.table.limits,
            payout_limit=self.table.payout_limit_cents,
            unit=self.table.unit_cents,
        )

    @property
    def frames(self) -> Path:
        return frames_beside(self.journal)

    def publish(self, version: str) -> PublishConfig | None:
        """What the publisher is told; `version` of this software stands in the birth message."""
        return replace(self.mqtt, version=version) if self.mqtt else None


def frames_beside(journal: Path) -> Path:
    """Where the last frames of a link go when something has to be explained: a folder beside the record."""
    return journal.with_name(f"{journal.name}.frames")


def law_of(
    table: TableConfig, elections: Elections, kinds: Collection[DeviceKind] | None
) -> tuple[Law | None, list[str]]:
    """The law of this table, and every fault of its rulebook, its elections, and of what does not fit between them.

    `kinds`: of its devices; None where table or devices could not be read, then nothing is said about what fits. The
    law is None where the rulebook or an election cannot be used.
    """
    try:
        rulebook = find(table.rulebook)
        find_coverage(rulebook)
    except CoverageInvalid as exc:
        return None, [f"{exc.path} {fault}" for fault in exc.faults]
    except RulebookUnknown as exc:
        return None, [f"[table] rulebook: no rulebook {table.rulebook!r} {nearest(table.rulebook, exc.known)}"]
    except RulebookInvalid as exc:
        return None, [f"{exc.path.name} {fault}" for fault in exc.faults]
    faults = changed_since(table.rulebook_sha256, rulebook) + (
        [] if kinds is None else _misfits(table, kinds, rulebook)
    )
    try:
        law = elect(rulebook, elections)
        reason = unplayable(law.rulebook)
        faults += [f"[table] rulebook: {reason}"] if reason else []
        faults += _payout_misfits(table, law) + _withheld(table, law.rulebook)
        return law, faults + _not_enabled(kinds or (), law.rulebook)
    except ElectionsInvalid as exc:
        return None, faults + [f"[elections] {fault}" for fault in exc.faults]


def not_kept(rulebook_id: str) -> dict[str, str]:
    """Kinds of table that this document permits and no configuration can name, with what is said of each; {} where unread."""
    try:
        rulebook = find(rulebook_id)
    except (RulebookUnknown, RulebookInvalid):
        return {}  # `law_of` says what is wrong with it
    if rulebook.not_kept is None:
        return {}
    ways = ", ".join(method.value for method in rulebook.dealing)
    cited = _cited(rulebook.not_kept.cite)
    return {
        kind: f"{rulebook.id} permits an {kind} table{cited}, and none is kept here: cards lie on a layout, dealt by {ways}"
        for kind in rulebook.not_kept.value
    }


def changed_since(signed: str | None, rulebook: Rulebook) -> list[str]:
    """A rulebook is read by the file that was signed, and by no other: its hash stands on every disposition.

    `signed`: how the hash of that file began, None = it was not signed.
    """
    if signed is None or rulebook.sha256.startswith(signed):
        return []
    return [
        f"[table] rulebook_sha256: {rulebook.id} edition {rulebook.edition} was changed after it was signed; signed is "
        f"{signed[:16]}, the file has {rulebook.sha256[:16]}. Put the signed file back, or keep it as "
        f"{rulebook.id}@{rulebook.edition}.toml, see `rulebook diff` for what differs, and sign the new hash"
    ]


def _misfits(table: TableConfig, kinds: Collection[DeviceKind], rulebook: Rulebook) -> list[str]:
    """What the rulebook does not allow at this table, with the clause."""
    return [
        *_method_misfits(table, kinds, rulebook),
        *_card_misfits(table, kinds, rulebook),
        *_wager_misfits(table, kinds, rulebook),
        *_limit_misfits(table, rulebook),
    ]


def _method_misfits(table: TableConfig, kinds: Collection[DeviceKind], rulebook: Rulebook) -> list[str]:
    dealing = rulebook.dealing.get(table.method)
    if dealing is None:
        hint = nearest(table.method, [method.value for method in rulebook.dealing])
        return [f"[table] method: {rulebook.id} has no dealing by {table.method} {hint}"]
    faults = []
    dispenser = DISPENSERS.get(table.method)
    if dispenser is not None and dispenser not in kinds:
        faults.append(f"[table] method: {table.method} needs a {dispenser}, and no [[device]] is one")
    needs = dealing.needs_shuffler
    if needs is not None and needs.value and DeviceKind.SHUFFLER not in kinds:
        faults.append(f"[table] method: dealing by {table.method} needs a shuffler{_cited(needs.cite)}")
    return faults


def _not_enabled(kinds: Collection[DeviceKind], elected: Rulebook) -> list[str]:
    """Devices of this table that may not be put into service under what was elected."""
    return [
        f"[[device]] kind: no {kind} may be in service at this table by {rule.by_choice}{_cited(rule.cite)}"
        for method, kind in DISPENSERS.items()
        if kind in kinds and (rule := elected.devices.get(method)) is not None and not rule.value
    ]


def _card_misfits(table: TableConfig, kinds: Collection[DeviceKind], rulebook: Rulebook) -> list[str]:
    faults = []
    if table.seats > rulebook.seats.value:
        most = f"at most {rulebook.seats.value} seats{_cited(rulebook.seats.cite)}"
        faults.append(f"[table] seats: {rulebook.id} has {most}, and {table.seats} are set")
    second = rulebook.decks.second_set
    has_shuffler = DeviceKind.SHUFFLER in kinds
    if len(table.backs) > 1 and not (second.value != "no" and has_shuffler):
        allowed = "not at all" if second.value == "no" else "only with a shuffler"
        faults.append(f"[table] backs: a second set is allowed {allowed}{_cited(second.cite)}")
    if len(table.backs) < 2 and second.value == "required_with_shuffler" and has_shuffler:
        faults.append(f"[table] backs: with a shuffler two sets are required{_cited(second.cite)}")
    return faults


def _wager_misfits(table: TableConfig, kinds: Collection[DeviceKind], rulebook: Rulebook) -> list[str]:
    faults = []
    optional = [
        name for name, wager in rulebook.wagers.items() if wager.optional and wager.placed == "before_deal"
    ]
    for name in table.offered:
        if name not in optional:
            faults.append(
                f"[table] offered: {rulebook.id} has no optional wager {name!r} {nearest(name, optional)}"
            )
        elif rulebook.wagers[name].sensed:
            if DeviceKind.PROGRESSIVE not in kinds:
                faults.append(f"[table] offered: {name} needs a progressive device, and no [[device]] is one")
            if table.progressive_cents == 0:
                faults.append(f"[table] progressive_cents: {name} is offered, so say what one chip is worth")
    for rule, exact in chip_misfits(rulebook, table.progressive_cents):
        cited = _cited(rule.exact_cents.cite if rule.exact_cents else ())
        faults.append(
            f"[table] progressive_cents: a {rule.name} wager is exactly {exact} cents{cited}, and {table.progressive_cents} is "
            f"set; set {exact}"
        )
    return faults


def _withheld(table: TableConfig, elected: Rulebook) -> list[str]:
    """Wagers that are offered and not dealt for by the method of this table, as far as is elected."""
    dealing = elected.dealing.get(table.method)
    if dealing is None or dealing.withholds is None:
        return []
    rule = dealing.withholds
    return [
        f"[table] offered: {name} needs cards that no clause deals by {table.method}; take it off, or elect {rule.by_choice} "
        f"otherwise{_cited(rule.cite)}"
        for name in table.offered
        if name in rule.value
    ]


def _limit_misfits(table: TableConfig, rulebook: Rulebook) -> list[str]:
    """Limits that would bound nothing, and in production those that players must be able to read and that nobody has set."""
    faults = []
    for name in table.limits:
        rule = rulebook.wagers.get(name)
        if rule is None:
            faults.append(f"[limits] {name}: {rulebook.id} has no such wager {nearest(name, rulebook.wagers)}")
        elif not has_limits(rule):
            faults.append(
                f"[limits] {name}: its amount is not the player's choice; it has no limits{_cited(rule.cite)}"
            )
    for apart, of in limits_apart(rulebook, table.limits):
        cited = _cited(dict(apart.times)[Moment.BEFORE_DEAL].cite)
        faults.append(
            f"[limits] {apart.name}: no amount within its limits fits those of {of}{cited}; set both alike"
        )
    if table.production:
        faults += [f"[limits] {missing}; in production it stands here" for missing in unposted(table, rulebook)]
    return faults


def _payout_misfits(table: TableConfig, law: Law) -> list[str]:
    """What is said of payouts and can not be honoured, as nobody elected it or the document does not allow it."""
    book, faults = law.rulebook, []
    of_house = [limit.applies for limit in book.limits.values() if HOUSE in dict(limit.applies.options).values()]
    elected = any(applies.value == HOUSE for applies in of_house)
    if table.payout_limit_cents is not None and not elected:
        by = "; ".join(f"{applies.by_choice} leaves none of the house's own" for applies in of_house)
        faults.append(f"[table] payout_limit_cents: {by or f'{book.id} has no limit that the house may set'}")
    if table.payout_limit_cents is None and elected:
        cited = "; ".join(f"by {applies.by_choice}{_cited(applies.cite)}" for applies in of_house)
        return [f"[table] payout_limit_cents: is missing; the house has a limit of its own {cited}"]
    if table.unit_cents > 1 and Settle.BREAKAGE not in book.settlement:
        faults.append(f"[table] unit_cents: {book.id} has no rule of breakage, so each cent is paid")
    terms = Terms.posted(table.currency, {}, table.payout_limit_cents, table.unit_cents)
    least = {name: low for name, (low, _) in table.limits.items() if name in book.wagers}
    try:
        Money(law).check_terms(structs.replace(terms, least=least))
    except RoundRefused as refused:
        faults.append(f"[table] payout_limit_cents: {refused}")
    return faults


def unposted(table: TableConfig, rulebook: Rulebook) -> list[str]:
    """Wagers at this table whose limits the document has posted, and that have none here, each with its clause.

    What must equal another wager is bound by the limits of that one.
    """
    missing = []
    for name, rule in rulebook.wagers.items():
        if rule.posted is None or not rule.posted.value or rule.of is not None:
            continue
        if rule.optional and name not in table.offered:
            continue
        least, most = table.limits.get(name, (1, MOST_CENTS))
        lacks = [*(["least"] if least == 1 else []), *(["most"] if most == MOST_CENTS else [])]
        if lacks:
            missing.append(f"{name} has no {' and no '.join(lacks)}{_cited(rule.posted.cite)}")
    return missing


def _cited(cite: tuple[str, ...]) -> str:
    return f" ({', '.join(cite)})" if cite else ""
