"""The texts on devices' displays: asked for once, anew on each connection, again until the device says yes."""

import asyncio
import dataclasses
from pathlib import Path

import pytest

from controller.daemon.views.displays import ASK_AGAIN_S, SPARED_S, TEXTS, UNANSWERED, Displays
from controller.rules.elections import cautious
from controller.rules.read.loader import load_rulebook
from controller.rules.vocabulary import Method
from controller.table.state.table import DeviceSetup, Setup, State
from controller.table.words.structs import replace
from drivers import events as e
from drivers.commands import WantedLevel
from drivers.device import Delivery, SessionState
from drivers.errors import Fault
from drivers.protocol.messages import Identity
from drivers.protocol.words import Level
from tests.drivers.conftest import Bench as Wire
from tests.drivers.conftest import VirtualLoop

MD_UTH = Path(__file__).resolve().parents[3] / "config" / "rulebooks" / "md-uth.toml"
CLOSED = "Open the table (open_table)."
WHO = Identity(e.DeviceKind.SHOE, "M", "Shoe", "A", "SN-1", "1", display=64)


class Table:
    """As much of an engine as the displays see."""

    def __init__(self, name="shoe-1", kind=e.DeviceKind.SHOE):
        law = cautious(load_rulebook(MD_UTH), "bench")
        devices = {name: DeviceSetup(name, kind)}
        self.setup = Setup("bench", "t1", 6, ("red", "blue"), Method.HAND, devices, law, frozenset(), "USD")
        self.state, self.idle, self.failed = State.initial(self.setup), True, None


class Session:
    """One device that keeps what it is asked for."""

    def __init__(self, who=WHO, state=SessionState.ONLINE):
        self.identity, self.state, self.wanted = who, state, []

    def want(self, wanted):
        self.wanted.append(wanted)

    @property
    def texts(self):
        return [wanted.value for wanted in self.wanted]


class Bench:
    def __init__(self):
        self.now, self.table, self.session = 100.0, Table(), Session()
        self.displays = Displays(self.table, {"shoe-1": self.session}, lambda: self.now)

    def hears(self, body):
        return self.displays.heard(Delivery("shoe-1", body, None, 0))

    def says_yes(self):
        wanted = self.session.wanted[-1]
        return self.hears(e.LevelConfirmed(Level.DISPLAY, wanted.value, wanted.operation))


@pytest.fixture
def bench():
    return Bench()


def test_a_text_is_asked_for_once_and_is_shown_when_the_device_says_so(bench):
    """Commits that change nothing of it cost nothing."""
    bench.displays.wake()
    bench.displays.wake()
    (wanted,) = bench.session.wanted
    assert (wanted.device, wanted.level, wanted.value, wanted.is_safe) == ("shoe-1", Level.DISPLAY, CLOSED, False)
    assert wanted.operation & TEXTS
    assert bench.displays.document("shoe-1") == {"text": CLOSED, "shown": False}
    assert bench.says_yes()
    assert bench.displays.document("shoe-1") == {"text": CLOSED, "shown": True}


def test_the_newest_text_replaces_the_one_before(bench):
    """A yes to the old one, which comes late, says nothing of the new one."""
    bench.displays.wake()
    old = bench.session.wanted[-1]
    bench.table.state = replace(bench.table.state, open=True)
    bench.displays.wake()
    assert bench.session.texts == [CLOSED, "Take the blue set away (take_set_away)."]
    assert bench.hears(e.LevelConfirmed(Level.DISPLAY, old.value, old.operation))
    assert bench.displays.document("shoe-1")["shown"] is False


@pytest.mark.parametrize("body", [e.DeviceOffline("link_lost"), None])
def test_every_connection_is_asked_anew(bench, body):
    """A device forgets its text when it no longer hears its host; what it does not show is not said to be shown."""
    bench.displays.wake()
    bench.says_yes()
    if body is not None:
        assert not bench.hears(body), "the core must hear of it, too"
        assert bench.displays.document("shoe-1") is None
    online = e.DeviceOnline(e.DeviceKind.SHOE, "Shoe", "SN-1", "1", "0" * 16, False, True, (), e.Levels())
    assert not bench.hears(online)
    bench.displays.wake()
    assert bench.session.texts == [CLOSED, CLOSED]
    first, again = bench.session.wanted
    assert first.operation != again.operation


@pytest.mark.parametrize("reason", ["refused (3): no", "timeout_request"])
def test_a_text_that_is_not_shown_is_asked_for_again(bench, reason):
    """Refused or never answered, it is asked for again after a while, and no more once the device has said yes."""
    bench.displays.wake()
    assert bench.hears(e.LevelUnknown(Level.DISPLAY, CLOSED, bench.session.wanted[0].operation, reason))
    bench.now += ASK_AGAIN_S - 0.1
    bench.displays.ask_again()
    assert bench.session.texts == [CLOSED]
    bench.now += 0.2
    bench.displays.ask_again()
    assert bench.session.texts == [CLOSED, CLOSED]
    bench.says_yes()
    bench.now += 10 * ASK_AGAIN_S
    bench.displays.ask_again()
    assert len(bench.session.wanted) == 2


def test_a_device_that_answers_no_text_keeps_its_link(bench):
    """Each text costs it a connection; after two it is spared, said to show nothing, and tried again much later."""
    online = e.DeviceOnline(e.DeviceKind.SHOE, "Shoe", "SN-1", "1", "0" * 16, False, True, (), e.Levels())
    for _ in range(UNANSWERED):
        bench.displays.wake()
        wanted = bench.session.wanted[-1]
        bench.hears(e.LevelUnknown(Level.DISPLAY, CLOSED, wanted.operation, Fault.TIMEOUT_REQUEST.value))
        bench.hears(e.DeviceOffline(Fault.TIMEOUT_REQUEST.value))
        bench.hears(online)
    asked = len(bench.session.wanted)
    bench.displays.wake()
    bench.now += ASK_AGAIN_S + 1
    bench.displays.ask_again()
    assert len(bench.session.wanted) == asked
    assert bench.displays.document("shoe-1") == {"text": CLOSED, "shown": False}
    bench.now += SPARED_S
    bench.displays.ask_again()
    assert len(bench.session.wanted) == asked + 1


def test_a_real_session_survives_a_display_that_never_answers():
    """Two links are lost to it in ten minutes, and a lock-out that is wanted meanwhile waits for half a second at most."""

    async def scene():
        wire, loop = Wire(), asyncio.get_running_loop()
        device, session = wire.device, wire.session
        device.identity = dataclasses.replace(device.identity, display=40)
        device.power_up()
        obey = device._obey
        device._obey = lambda wish: None if wish.level is Level.DISPLAY else obey(wish)
        table = Table(name="prog-1", kind=e.DeviceKind.PROGRESSIVE)
        displays = Displays(table, {"prog-1": session}, loop.time)
        wire.owner.on_delivery = displays.heard
        async with wire:
            running = asyncio.create_task(displays.run())
            await wire.until(lambda: displays.document("prog-1"), 10.0, "a text is asked for")
            session.want(WantedLevel("prog-1", Level.LOCKOUT, e.ENGAGED, 7))
            await wire.until(lambda: wire.owner.bodies(e.LevelConfirmed), 0.5, "the lock-out is confirmed")
            await asyncio.sleep(SPARED_S - 60)
            losses = wire.owner.bodies(e.DeviceOffline)
            assert [loss.reason for loss in losses] == [Fault.TIMEOUT_REQUEST] * UNANSWERED
            assert session.state is SessionState.ONLINE
            running.cancel()
            await asyncio.wait({running})

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(scene())


def test_a_text_that_was_shown_in_between_forgives_one_that_was_not(bench):
    """A link may end for a request of another kind that stood before the text; only texts in a row count."""
    for n in range(2 * UNANSWERED):
        bench.table.state = replace(bench.table.state, open=n % 2 == 0)
        bench.displays.wake()
        bench.hears(e.LevelUnknown(Level.DISPLAY, "", 0, Fault.TIMEOUT_REQUEST.value))
        bench.says_yes()
    assert len(bench.session.wanted) == 2 * UNANSWERED


def test_held_is_shown_at_once_and_stays_until_the_state_has_caught_up(bench):
    """While inputs wait behind a slow commit the state is that of before, and would take HELD off again."""
    bench.displays.wake()
    bench.table.idle = False
    bench.displays.held("shoe-1 reported jammed")
    bench.displays.wake()
    assert bench.session.texts == [CLOSED, "HELD: shoe-1 reported jammed"]
    bench.table.idle = True
    bench.displays.wake()
    assert bench.session.texts[-1] == CLOSED


def test_held_stays_when_the_record_has_failed(bench):
    """Nothing is decided any more, and the state of before says nothing of that."""
    bench.displays.wake()
    bench.table.failed = "no space left"
    bench.displays.held("technician: the record cannot be written (no space left)")
    bench.displays.wake()
    assert bench.session.texts[-1] == "HELD: technician: the record cannot be written (no space left)"


async def test_held_is_taken_off_where_all_that_waited_led_to_nothing(bench, monkeypatch):
    """Reports that are on record already make no commit, so nobody wakes the displays behind them."""
    monkeypatch.setattr("controller.daemon.views.displays.LOOK_S", 0.01)
    bench.displays.held("shoe-1 reported jammed")
    task = asyncio.create_task(bench.displays.run())
    shown = asyncio.Event()
    bench.session.want = lambda wanted: shown.set() if wanted.value == CLOSED else None
    await asyncio.wait_for(shown.wait(), 5)
    task.cancel()
    await asyncio.wait({task})


@pytest.mark.parametrize(
    "session",
    [
        Session(dataclasses.replace(WHO, display=None)),
        Session(who=None),
        *(Session(state=state) for state in (SessionState.SYNC, SessionState.ABSENT, SessionState.STALE)),
    ],
)
def test_nothing_is_asked_of_a_device_without_a_display_or_that_is_not_here(session):
    """It would be refused, or told as an unknown level."""
    displays = Displays(Table(), {"shoe-1": session}, lambda: 0.0)
    displays.wake()
    displays.held("shoe-1 reported jammed")
    assert session.wanted == []
    assert displays.document("shoe-1") is None


def test_a_text_is_cut_to_the_display_of_its_device(bench):
    """Each device says in its WELCOME how much it shows."""
    bench.session.identity = dataclasses.replace(WHO, display=16)
    bench.displays.wake()
    assert bench.session.texts == ["Open the table.."]


def test_what_is_not_about_a_display_is_left_to_the_core(bench):
    """Levels that a clause hangs on go into the record."""
    assert not bench.hears(e.LevelConfirmed(Level.LOCKOUT, e.ENGAGED, 1))
    assert not bench.hears(e.LevelUnknown(Level.DISPENSING, e.INHIBITED, 1, "timeout_request"))
    assert not bench.hears(e.DoorOpened())
