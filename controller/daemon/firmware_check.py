"""Has each device's firmware measured when the table opens, so that overnight changes are found before play.

Nothing waits for it: a device with another firmware is rejected as at a connection, and the table is alarmed.
"""

from collections.abc import Mapping
from typing import Protocol

from controller.table.state.table import State


class Table(Protocol):
    """What the check needs of the engine (`controller.daemon.engine.Engine`)."""

    @property
    def state(self) -> State:
        """The table's present state, folded from all facts."""


class Session(Protocol):
    """What the check needs of a device (`drivers.session.session.DeviceSession`)."""

    def measure(self) -> None:
        """Asks the device to measure its firmware now."""


class Measuring:
    """Looks at the state after each commit; asks for measurements when the table opens."""

    def __init__(self, table: Table, sessions: Mapping[str, Session]) -> None:
        self._table, self._sessions = table, sessions
        self._was_open = table.state.open

    def wake(self) -> None:
        """Asks for measurements if the table has just opened; call it after each commit."""
        was_open, self._was_open = self._was_open, self._table.state.open
        if self._was_open and not was_open:
            for session in self._sessions.values():
                session.measure()
