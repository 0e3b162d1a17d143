"""Keeps each device's display text: derived after each commit, and repeated until the device confirms it.

A display text follows from the state, so it is not recorded. It is a wanted level: the newest replaces the one
before, a new connection gets it again, and an unanswered one is repeated. Only HELD precedes the record: the
fail-safe has stopped play, and people at the device must know at once.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from controller.daemon.views.display_text import display_text, fit
from controller.table.state.table import Setup, State
from drivers.commands import WantedLevel
from drivers.device import CONNECTED, Delivery, SessionState
from drivers.errors import Fault
from drivers.events import DeviceOffline, DeviceOnline, LevelConfirmed, LevelUnknown
from drivers.protocol.host.link import Identity
from drivers.protocol.words import Level

ASK_AGAIN_S = 5.0
"""A text that the device refused, or never answered, is asked for again after so long."""
UNANSWERED = 2
"""Links in a row that ended because a text was never answered."""
SPARED_S = 600.0
"""After these a device is spared its texts for so long: no display is worth a link."""
LOOK_S = 1.0
TEXTS = 1 << 51
"""Marks the operation ids of texts, which no record holds."""


class Table(Protocol):
    """What the displays need of the engine (`controller.daemon.engine.Engine`)."""

    @property
    def setup(self) -> Setup:
        """The table's fixed settings: rulebook, devices, seats."""

    @property
    def state(self) -> State:
        """The table's present state, folded from all facts."""

    @property
    def idle(self) -> bool:
        """True while no input waits to be decided."""

    @property
    def failed(self) -> str | None:
        """Why the engine ended; None while the engine runs."""


class Session(Protocol):
    """What the displays need of a device (`drivers.session.session.DeviceSession`)."""

    @property
    def state(self) -> SessionState:
        """How far the connection to the device is."""

    @property
    def identity(self) -> Identity | None:
        """Who the device says it is; None before the device has answered."""

    def want(self, wanted: WantedLevel) -> None:
        """Asks the session to set a level on the device."""


@dataclass(slots=True)
class _Asked:
    """The newest text on this connection. `at`: sent, monotonic seconds. `shown`: the device confirmed it."""

    wanted: WantedLevel
    at: float
    shown: bool = False


class Displays:
    """The displays of one table, for as long as its engine runs, in one event loop."""

    def __init__(
        self, table: Table, sessions: Mapping[str, Session], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._table, self._sessions, self._clock = table, sessions, clock
        self._asked: dict[str, _Asked] = {}
        self._unanswered: Counter[str] = Counter()
        self._spared_until: dict[str, float] = {}
        self._operation = TEXTS | (int(time.time()) & 0x7FFFFFFF) << 20

    def wake(self) -> None:
        """Updates the texts after a commit. While inputs wait, or the record has failed, HELD stays."""
        if self._table.failed or not self._table.idle:
            return
        for name in self._sessions:
            self._show(name, display_text(self._table.setup, self._table.state, name))

    def held(self, reason: str) -> None:
        """Shows HELD on every display at once; the next commit brings the instruction."""
        for name in self._sessions:
            self._show(name, f"HELD: {reason}")

    def heard(self, delivery: Delivery) -> bool:
        """Takes a device's confirmation; returns True if it is about a display."""
        name = delivery.device
        match delivery.body:
            case LevelConfirmed(Level.DISPLAY, _, operation):
                if (asked := self._asked.get(name)) is not None and asked.wanted.operation == operation:
                    asked.shown = True
                del self._unanswered[name]
                return True
            case LevelUnknown(Level.DISPLAY, reason=reason):
                self._unanswered[name] += reason == Fault.TIMEOUT_REQUEST
                if self._unanswered[name] >= UNANSWERED:
                    self._spared_until[name] = self._clock() + SPARED_S
                    del self._unanswered[name]
                return True
            case DeviceOnline() | DeviceOffline():
                self._asked.pop(name, None)
        return False

    async def run(self) -> None:
        """Repeats unanswered texts until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.ask_again()
            self.wake()

    def ask_again(self) -> None:
        """Sends again each text that was not confirmed in time, under a new operation."""
        for name, asked in list(self._asked.items()):
            if not asked.shown and self._clock() - asked.at >= ASK_AGAIN_S:
                del self._asked[name]
                self._show(name, asked.wanted.value)

    def document(self, name: str) -> dict[str, Any] | None:
        """Returns the text and whether the device shows it, for `status`; None without a display or device."""
        asked = self._asked.get(name)
        return None if asked is None else {"text": asked.wanted.value, "shown": asked.shown}

    def _show(self, name: str, text: str) -> None:
        session = self._sessions[name]
        characters = session.identity.display if session.identity is not None else None
        if characters is None or session.state not in CONNECTED:
            return
        value, asked = fit(text, characters), self._asked.get(name)
        if asked is not None and asked.wanted.value == value:
            return
        self._operation += 1
        wanted = WantedLevel(name, Level.DISPLAY, value, self._operation)
        self._asked[name] = _Asked(wanted, self._clock())
        if self._clock() >= self._spared_until.get(name, 0.0):
            session.want(wanted)
