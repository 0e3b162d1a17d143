"""A cable over time: bytes that pass the wire arrive in order and not before their time."""

import asyncio
from collections import deque
from collections.abc import Callable

from simulators.cable.wire import Piece, Wire


class Cable:
    """Both directions of a cable in the event loop. `to_device`, `to_host`: called with arriving bytes; a port
    sets `to_host`."""

    def __init__(
        self,
        wire: Wire,
        to_device: Callable[[bytes], None] = lambda _: None,
        to_host: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self.wire = wire
        self.to_host = to_host
        self._lanes = {True: _Lane(to_device), False: _Lane(self._at_host)}

    def from_host(self, data: bytes) -> None:
        """Carries bytes towards the device, with the cable's faults."""
        self._carry(data, towards_device=True)

    def from_device(self, data: bytes) -> None:
        """Carries bytes towards the host, with the cable's faults."""
        self._carry(data, towards_device=False)

    def _at_host(self, data: bytes) -> None:
        self.to_host(data)

    def cut(self) -> None:
        """Drops the bytes under way."""
        for lane in self._lanes.values():
            lane.clear()

    def heal(self) -> None:
        """Ends all faults; bytes that the cable still held arrive."""
        self.wire.heal()
        for lane in self._lanes.values():
            lane.hurry()

    def _carry(self, data: bytes, *, towards_device: bool) -> None:
        now = asyncio.get_running_loop().time()
        for piece in self.wire.carry(data, towards_device=towards_device, now=now):
            self._lanes[piece.towards_device].put(piece, now)


class _Lane:
    """One direction. A piece that is delayed aside may be overtaken."""

    def __init__(self, arrive: Callable[[bytes], None]) -> None:
        self._arrive = arrive
        self._waiting: deque[Piece] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._aside: dict[asyncio.TimerHandle, Piece] = {}

    def put(self, piece: Piece, now: float) -> None:
        """Hands over a piece at once if nothing is before it and its time has come."""
        if piece.aside:
            self._put_aside(piece)
        elif self._waiting or piece.at > now:
            self._waiting.append(piece)
            if self._timer is None:
                self._sleep()
        else:
            self._arrive(piece.data)

    def clear(self) -> None:
        """Drops the bytes under way."""
        self._waiting.clear()
        for timer in (self._timer, *self._aside):
            if timer is not None:
                timer.cancel()
        self._timer = None
        self._aside.clear()

    def hurry(self) -> None:
        """Delivers the bytes under way now, in order."""
        waiting = [*self._waiting, *self._aside.values()]
        self.clear()
        for piece in waiting:
            self._arrive(piece.data)

    def _put_aside(self, piece: Piece) -> None:
        def arrive() -> None:
            del self._aside[timer]
            self._arrive(piece.data)

        timer = asyncio.get_running_loop().call_at(piece.at, arrive)
        self._aside[timer] = piece

    def _sleep(self) -> None:
        self._timer = asyncio.get_running_loop().call_at(self._waiting[0].at, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._arrive(self._waiting.popleft().data)
        if self._waiting and self._timer is None:
            self._sleep()
