"""The options of a bench run, and the table that follows from them: its devices and how cards are dealt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from controller.games.registry import game_of
from controller.rules.elections import elect, proposals
from controller.rules.model import Rulebook
from controller.rules.read.library import find
from controller.rules.vocabulary import Method
from controller.table.state.table import DISPENSERS
from simulators.scenario.script import BUS, LINES, Script, load

SITE, TABLE = "bench", "uth-1"
BACKS = ("red", "blue")
DEVICES: Mapping[Method, tuple[str, ...]] = {
    Method.DEALING_SHOE: ("shuffler", "shoe", "progressive"),
    Method.SHUFFLER: ("shuffler", "progressive"),
    Method.MANUAL_SHOE: ("shuffler", "progressive"),
    Method.HAND: ("shuffler", "progressive"),
}
"""Kinds of device that may stand at the table, by dealing method. Each is called `<kind>-1`."""
LINKS = ("serial", "usb")
"""A pseudo-terminal each; or a USB device each, in a socket of its own, over USB/IP."""
METHODS = tuple(method.value for method in DEVICES)
OFFERED: Mapping[str, tuple[str, ...]] = {
    "md-uth": ("trips", "progressive"),
    "ma-uth": ("trips", "progressive"),
    "nj-pikit": ("three_card_bonus",),
    "ma-colorado": ("bonus",),
}
"""The optional wagers that this house offers, beside those of `Options.offer`."""


@dataclass(frozen=True)
class Options:
    """The options of a bench run.

    `rounds`: 0 = until stopped. `broker`: auto, memory or mqtt://host:port. `elections`: reading -> choice,
    otherwise as proposed. `method`: how cards are dealt, "" = the first of `METHODS` possible here. `journal`:
    None = in the private directory, removed with it. `slow_sync_ms`: delay of each sync of the daemon. `seconds`:
    time limit, 0 = none; unfinished rounds have failed. `kills`: how many times the daemon is killed at random.
    `keep`: where the private directory is kept, None = nowhere. `progressive`: tdp or modbus (remote I/O on a
    bus). `offer`: optional wagers beside the usual ones. `reshuffles`: the shoe shuffles by itself, without a
    shuffler. `link`: how devices are connected, one of `LINKS`. `pays`: cards are recorded and each wager is
    settled as offered. `reader`: a shoe that people deal from and that reads cards, tdp or bee-tek; "" = none.
    `scenario`: a file about one device (docs/scenarios.md), None = none. `recorder`: the back office's consumer runs
    beside the table, and the table waits for its confirmations.
    `panel`: a web page from which somebody deals, stops the people and lets faults happen.
    """

    rulebook: str = "md-uth"
    rounds: int = 10
    speed: float = 10.0
    mishaps: tuple[str, ...] = ()
    method: str = ""
    broker: str = "auto"
    journal: Path | None = None
    seed: int = 1
    seats: int = 6
    elections: Mapping[str, str] = field(default_factory=dict)
    recognition: bool = False
    counting: bool = True
    slow_sync_ms: int = 0
    seconds: float = 0.0
    kills: int = 0
    keep: Path | None = None
    progressive: str = "tdp"
    offer: tuple[str, ...] = ()
    reshuffles: bool = False
    link: str = "serial"
    pays: bool = False
    reader: str = ""
    scenario: Path | None = None
    recorder: bool = False
    panel: bool = False

    @cached_property
    def script(self) -> Script | None:
        """Returns the scenario. Raises `ScriptError`."""
        return load(self.scenario) if self.scenario else None

    def scripted(self, kind: str) -> bool:
        """Returns True if the scenario is for this kind of device, as built here."""
        built = BUS if kind == "progressive" and self.progressive == "modbus" else kind
        built = LINES if kind == "shoe" and self.reader == "bee-tek" else built
        return self.script is not None and kind in self.kinds and built == self.script.device

    @property
    def elected(self) -> dict[str, str]:
        """Returns a choice for every reading and house choice: the requested one, otherwise the proposed one."""
        return {**proposals(find(self.rulebook)), **self.elections}

    @cached_property
    def law(self) -> Rulebook:
        """Returns the rulebook as elected. Raises `RulebookUnknown`, `ElectionsInvalid`."""
        return elect(
            find(self.rulebook), {name: (choice, "bench") for name, choice in self.elected.items()}
        ).rulebook

    @property
    def dealt_by(self) -> Method:
        """The dealing method: the requested one, otherwise the document's first that has its device here."""
        if self.reshuffles and not self.method and Method.DEALING_SHOE in self.law.dealing:
            return Method.DEALING_SHOE
        possible = (method for method in DEVICES if method in self.law.dealing and self._may(method))
        return Method(self.method) if self.method else next(possible)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of devices at this table: those of the method that the document uses and the house elected."""
        absent = {"progressive"} if self.law.progressive is None else set()
        absent |= {kind.value for method, kind in DISPENSERS.items() if not self._may(method)}
        absent |= {"shuffler"} if self.reshuffles else set()
        reads = ("shoe",) * bool(self.reader)
        return tuple(kind for kind in (*DEVICES[self.dealt_by], *reads) if kind not in absent - set(reads))

    def _may(self, method: Method) -> bool:
        """Returns True if the device that deals so may be in service."""
        rule = self.law.devices.get(method)
        return rule is None or rule.value

    @property
    def backs(self) -> tuple[str, ...]:
        """The back colours: two sets beside a shuffler, otherwise one."""
        return BACKS if "shuffler" in self.kinds else BACKS[:1]

    @property
    def decks(self) -> int:
        """Decks in one set."""
        return int(self.law.decks.per_set.value)

    @property
    def offered(self) -> tuple[str, ...]:
        """The names of all optional wagers at the table: those of the rulebook and those asked for."""
        return tuple(dict.fromkeys((*OFFERED.get(self.rulebook, ()), *self.offer)))

    @property
    def plan(self) -> str:
        """The stacks that the simulators start with; the dealer sets the plan of each deal."""
        return ",".join(str(stack.cards) for stack in self.law.dealing[self.dealt_by].stacks)

    @property
    def keeps_set(self) -> bool:
        """True if a set is dealt on from round to round."""
        game = game_of(self.law)
        return game is not None and game.keeps_set
