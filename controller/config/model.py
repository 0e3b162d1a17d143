"""The configuration of one table as frozen records, and the law that follows from it.

`load.load_config` reads it from TOML. What is wrong with a configuration is always told whole: every fault of
the file, of the rulebook it names and of what does not fit between them.
"""

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from pathlib import Path

from controller.config.misfits import misfits, of_elections
from controller.config.retention import Retention
from controller.config.table import TableConfig
from controller.control.desk import ControlConfig
from controller.games.registry import unplayable
from controller.log import LogFormat, LogLevel
from controller.publish.config import PublishConfig
from controller.readers.fault import Fault, listed
from controller.readers.nearest import nearest
from controller.rules.elections import ElectionsInvalid, elect
from controller.rules.explain.coverage import CoverageInvalid
from controller.rules.model import Law, Rulebook
from controller.rules.read.library import RulebookUnknown, find, find_coverage
from controller.rules.read.loader import RulebookInvalid
from controller.table.state.table import DeviceSetup, Setup
from drivers.device import DeviceConfig
from drivers.events import DeviceKind
from drivers.protocol.records import dataclass

Elections = Mapping[str, tuple[str, str]]
"""Reading id -> (choice, who elected it)."""


class ConfigInvalid(Exception):
    """A configuration is refused. `faults`: every fault, each with its place in the file."""

    def __init__(self, path: Path, faults: Collection[Fault]) -> None:
        many = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__(f"{path}: refused for {many}\n" + listed(faults))
        self.path, self.faults = path, tuple(faults)


@dataclass(frozen=True, slots=True)
class LogConfig:
    """How the daemon writes its log: in which format, and from which level on."""

    format: LogFormat = LogFormat.AUTO
    level: LogLevel = LogLevel.INFO


@dataclass(frozen=True, slots=True)
class Config:
    """One table. `path`: the file it came from; `mqtt` None = no broker, events stay on this machine.

    `journal_key`: the file of the key that signs the record; None = nobody signs it. `vault`: the file of the keys that seal
    the faces of cards; None = the record shows them to everybody who can read it.
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
            meters=self.table.meters if self.table.computes_meters else {},
        )

    @property
    def frames(self) -> Path:
        """The folder for the last frames of a device link, beside the record."""
        return frames_beside(self.journal)

    def publish(self, version: str) -> PublishConfig | None:
        """What the publisher receives; `version` of this software stands in the birth message."""
        return replace(self.mqtt, version=version) if self.mqtt else None


def frames_beside(journal: Path) -> Path:
    """Where the last frames of a link go when something has to be explained: a folder beside the record."""
    return journal.with_name(f"{journal.name}.frames")


def law_of(
    table: TableConfig, elections: Elections, kinds: Collection[DeviceKind] | None
) -> tuple[Law | None, list[Fault]]:
    """The law of this table, and every fault of its rulebook, its elections, and of what does not fit between them.

    `kinds`: of its devices; None where table or devices could not be read, then nothing is said about what fits. The
    law is None where the rulebook cannot be used; elections that cannot be used are left out of it.
    """
    try:
        rulebook = find(table.rulebook)
        find_coverage(rulebook)
    except CoverageInvalid as exc:
        return None, [fault.within(exc.path) for fault in exc.faults]
    except RulebookUnknown as exc:
        return None, [
            Fault(
                "[table] rulebook",
                f"no rulebook {table.rulebook!r} {nearest(table.rulebook, exc.known)}",
                "rulebook_unknown",
            )
        ]
    except RulebookInvalid as exc:
        return None, [fault.within(exc.path.name) for fault in exc.faults]
    faults = changed_since(table.rulebook_sha256, rulebook) + (
        [] if kinds is None else misfits(table, kinds, rulebook)
    )
    try:
        law = elect(rulebook, elections)
        reason = unplayable(law.rulebook)
        faults += [Fault("[table] rulebook", f"{reason}", "game_unplayable")] if reason else []
        return law, faults + of_elections(table, kinds or (), law)
    except ElectionsInvalid as exc:
        return _sound_part(rulebook, elections, exc), faults + [f.within("[elections]") for f in exc.faults]


def _sound_part(rulebook: Rulebook, elections: Elections, refused: ElectionsInvalid) -> Law:
    """Returns the law with the sound elections alone, so that a wrong one hides no missing one."""
    wrong = {fault.place for fault in refused.faults}
    left = {question: elected for question, elected in elections.items() if question not in wrong}
    try:
        return elect(rulebook, left)
    except ElectionsInvalid as exc:  # what depended on a wrong one
        return _sound_part(rulebook, left, exc)


def not_kept(rulebook_id: str) -> dict[str, str]:
    """Kinds of table that this document permits and no configuration can name, with what is said of each; {} where unread."""
    try:
        rulebook = find(rulebook_id)
    except (RulebookUnknown, RulebookInvalid):
        return {}  # `law_of` says what is wrong with it
    if rulebook.not_kept is None:
        return {}
    ways = ", ".join(method.value for method in rulebook.dealing)
    cited = f" ({', '.join(rulebook.not_kept.cite)})"
    return {
        kind: f"{rulebook.id} permits an {kind} table{cited}, and none is kept here: cards lie on a layout, dealt by {ways}"
        for kind in rulebook.not_kept.value
    }


def changed_since(signed: str | None, rulebook: Rulebook) -> list[Fault]:
    """A rulebook is read by the file that was signed, and by no other: its hash stands on every disposition.

    `signed`: how the hash of that file began, None = it was not signed. Two hashes with a blank between them: one of now,
    one of the update that comes.
    """
    if signed is None or rulebook.sha256.startswith(tuple(signed.split())):
        return []
    return [
        Fault(
            "[table] rulebook_sha256",
            f"{rulebook.id} edition {rulebook.edition} was changed after it was signed; signed is "
            f"{signed[:16]}, the file has {rulebook.sha256[:16]}. Put the signed file back, or keep it as "
            f"{rulebook.id}@{rulebook.edition}.toml, see `rulebook diff` for what differs, and sign the new hash",
            "rulebook_changed",
        )
    ]
