"""A table on the bench of the pure core: acts and reports go in, facts come out, no clock and no device."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.rules.loader import load_rulebook
from controller.rules.model import Election, Law
from controller.rules.vocabulary import Method, Role
from controller.table import facts as f
from controller.table.acts import Act
from controller.table.decide import decide, fold
from controller.table.inputs import Actor, Body, Input, Moment
from controller.table.state import DeviceSetup, Setup, State
from drivers import events as e

RULEBOOKS = Path(__file__).resolve().parents[3] / "config" / "rulebooks"
CAPABILITIES = {
    e.DeviceKind.SHUFFLER: (e.Capability.COUNTS_EACH_SHUFFLE, e.Capability.TWO_SETS, e.Capability.SENSES_CARDS_INSIDE),
    e.DeviceKind.SHOE: (e.Capability.DISPENSES_STACKS, e.Capability.SENSES_CARDS_INSIDE),
    e.DeviceKind.PROGRESSIVE: (e.Capability.LOCKOUT, e.Capability.SENSES_WAGERS),
}
LEVELS = {
    e.DeviceKind.SHUFFLER: e.Levels(dispensing=e.INHIBITED, mode=e.Mode.SHUFFLE, cards_inside=0),
    e.DeviceKind.SHOE: e.Levels(dispensing=e.INHIBITED, cards_inside=0),
    e.DeviceKind.PROGRESSIVE: e.Levels(lockout=e.ENGAGED),
}


class Table:
    """Drives `decide` and keeps everything that came of it."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.state = setup, State.initial(setup)
        self.all: list[f.Fact] = []
        self.time_us = 1_800_000_000_000_000

    def put(self, body: Body, subject: str = "table", actor: Actor | None = None) -> list[f.Event]:
        """One input; returns the events of its facts."""
        self.time_us += 1_000
        at = Moment(self.time_us, self.time_us * 1000, "boot")
        facts = decide(self.setup, self.state, Input(at, subject, body, None, actor))
        self.state = fold(self.state, facts)
        self.all += facts
        return [fact.event for fact in facts]

    def act(self, act: Act, role: Role = Role.SUPERVISOR) -> list[f.Event]:
        """An act that must be accepted."""
        events = self.put(act, actor=Actor(f"a {role}", role))
        refused = [event for event in events if isinstance(event, f.InputRefused)]
        assert not refused, refused[0].reason
        return events

    def refused(self, act: Act, role: Role = Role.SUPERVISOR) -> f.InputRefused:
        """An act that must be refused."""
        (event,) = self.put(act, actor=Actor(f"a {role}", role))
        assert isinstance(event, f.InputRefused), event
        return event

    def online(self, name: str, **changes: object) -> list[f.Event]:
        kind = self.setup.devices[name].kind
        fields: dict[str, object] = {
            "device_kind": kind, "model": "bench", "serial": f"SIM-{name}", "firmware": "1", "boot": "0" * 16,
            "rebooted": False, "gap_closed": True, "capabilities": CAPABILITIES[kind], "levels": LEVELS[kind],
        }  # fmt: skip
        return self.put(e.DeviceOnline(**{**fields, **changes}), name)  # type: ignore[arg-type]


MakeTable = Callable[..., Table]


@pytest.fixture
def make_table() -> MakeTable:
    """A table of a rulebook with every reading elected as is cautious, except those given by keyword `elect`."""

    def make(
        rulebook: str = "md-uth",
        method: Method = Method.DEALING_SHOE,
        elect: dict[str, str] | None = None,
        offered: tuple[str, ...] = ("trips", "progressive"),
        unelected: bool = False,
    ) -> Table:
        book = load_rulebook(RULEBOOKS / f"{rulebook}.toml")
        chosen = {r.id: Election(r.id, (elect or {}).get(r.id, r.cautious), "bench") for r in book.readings.values()}
        kinds = {"shuffler-1": e.DeviceKind.SHUFFLER, "shoe-1": e.DeviceKind.SHOE, "progressive-1": e.DeviceKind.PROGRESSIVE}
        setup = Setup(
            site="bench", table="t1", seats=6, backs=("red", "blue"), method=method,
            devices={n: DeviceSetup(n, k) for n, k in kinds.items()}, law=Law(book, {} if unelected else chosen),
            offered=frozenset(offered), currency="USD", progressive_cents=500,
        )  # fmt: skip
        return Table(setup)

    return make


@pytest.fixture(params=["md-uth", "ma-uth"])
def rulebook(request: pytest.FixtureRequest) -> str:
    """Both documents, one after the other."""
    name: str = request.param
    return name
