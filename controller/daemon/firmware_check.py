"""Has the firmware of each device measured when the table opens, so that nothing is played on what was changed since yesterday.

Nothing waits for it: a device that is measured as another one is refused as at a connection, and the table is told aloud.
"""

from collections.abc import Mapping
from typing import Protocol

from controller.table.state.table import State

__all__ = ["Measuring"]


class Table(Protocol):
    """What it needs of the engine; `controller.daemon.engine.Engine` is one."""

    @property
    def state(self) -> State: ...


class Session(Protocol):
    """What it needs of a device; `drivers.session.session.DeviceSession` is one."""

    def measure(self) -> None: ...


class Measuring:
    """Looks at the state after each commit. A table that is open already at the start had its devices measured as they came."""

    def __init__(self, table: Table, sessions: Mapping[str, Session]) -> None:
        self._table, self._sessions = table, sessions
        self._was_open = table.state.open

    def wake(self) -> None:
        """Called after each commit, from the loop's thread."""
        was_open, self._was_open = self._was_open, self._table.state.open
        if self._was_open and not was_open:
            for session in self._sessions.values():
                session.measure()
