"""A cable inside the process, for tests and benches on virtual time. It behaves like a tty pair, without a kernel."""

import asyncio

from drivers.errors import Fault, PortUnavailable
from drivers.transport.base import (
    CLOSE_DEADLINE_S,
    READ_SIZE,
    STALE_S,
    WRITE_LIMIT,
    DataCallback,
    LostCallback,
    WriteBufferFull,
)

ENDS = ("host", "device")


class LoopbackCable:
    """Two ends joined by a wire that can be unplugged. Each end has at most one open transport at a time."""

    def __init__(self) -> None:
        self.plugged = True
        self._open: dict[str, LoopbackTransport] = {}

    def host(self, on_data: DataCallback, on_lost: LostCallback) -> "LoopbackTransport":
        """Returns a transport for the daemon's end."""
        return LoopbackTransport(self, "host", on_data, on_lost)

    def device(self, on_data: DataCallback, on_lost: LostCallback) -> "LoopbackTransport":
        """Returns a transport for the device's end."""
        return LoopbackTransport(self, "device", on_data, on_lost)

    def unplug(self, fault: Fault = Fault.LINK_EOF) -> None:
        """Unplugs the cable: both ends lose the link; opening fails until `plug`."""
        self.plugged = False
        for end in self._open.values():
            end._lose(fault, "unplugged")

    def plug(self) -> None:
        """Plugs the cable in: both ends can be opened again."""
        self.plugged = True

    def _take(self, name: str, end: "LoopbackTransport") -> None:
        if not self.plugged:
            raise PortUnavailable(f"loopback {name}", Fault.LINK_MISSING, "plug the cable in")
        if name in self._open:
            raise PortUnavailable(f"loopback {name}", Fault.LINK_BUSY, "close the other transport first")
        self._open[name] = end

    def _give_back(self, name: str) -> None:
        del self._open[name]

    def _peer(self, name: str) -> "LoopbackTransport | None":
        """The transport at the other end; None = nobody listens, and bytes are lost."""
        return self._open.get(ENDS[1 - ENDS.index(name)])


class LoopbackTransport:
    """`Transport` over one end of a `LoopbackCable`."""

    def __init__(self, cable: LoopbackCable, name: str, on_data: DataCallback, on_lost: LostCallback) -> None:
        self._cable, self._name = cable, name
        self._on_data, self._on_lost = on_data, on_lost
        self._is_open = False
        self._lost = True
        self._paused = False
        self._in = bytearray()  # stands for the kernel's buffer of this end
        self._out = bytearray()
        self._taken_at = 0.0  # when bytes that wait began to, or some of them were taken
        self._sent = asyncio.Event()

    def present(self) -> bool:
        """True while the cable is plugged in."""
        return self._cable.plugged

    async def open(self) -> None:
        """Opens this end of the cable. Raises `PortUnavailable`."""
        await asyncio.sleep(0)  # a real port is never there in the same step
        self._cable._take(self._name, self)
        self._is_open, self._lost, self._paused = True, False, False
        self._in.clear()
        self._out.clear()
        self._sent.set()

    def asserts(self, line: str) -> bool | None:
        """Returns None: the cable has no modem lines."""
        return None

    def write(self, data: bytes) -> None:
        """Sends or buffers all of `data`. Raises `WriteBufferFull`."""
        if self._lost:
            return
        if len(self._out) + len(data) > WRITE_LIMIT:
            raise WriteBufferFull(f"loopback {self._name}: {len(self._out)} bytes wait")
        if not self._out:
            self._taken_at = asyncio.get_running_loop().time()
        self._out += data
        self._pump()

    def _pump(self) -> None:
        """Moves bytes towards the peer as far as it has room."""
        peer = self._cable._peer(self._name)
        now = asyncio.get_running_loop().time()
        if peer is None or peer._lost:
            self._out.clear()
        elif self._out and now - self._taken_at > STALE_S:
            self._lose(Fault.LINK_IO_ERROR, f"{len(self._out)} bytes waited too long to be sent")
        else:
            room = READ_SIZE - len(peer._in)
            if self._out and room > 0:
                peer._arrive(self._out[:room])
                del self._out[:room]
                self._taken_at = now
        if self._out:
            self._sent.clear()
        else:
            self._sent.set()

    def _arrive(self, data: bytearray) -> None:
        scheduled = bool(self._in) and not self._paused
        self._in += data
        if not scheduled and not self._paused:
            asyncio.get_running_loop().call_soon(self._hand_over)

    def _hand_over(self) -> None:
        if self._lost or self._paused or not self._in:
            return
        data = bytes(self._in)
        self._in.clear()
        if (peer := self._cable._peer(self._name)) is not None:
            peer._pump()
        self._on_data(data)

    async def drain(self) -> None:
        """Waits until the buffer is empty, or the link is lost."""
        await self._sent.wait()

    def pause_reading(self) -> None:
        """Leaves further bytes in the cable until `resume_reading`."""
        self._paused = True

    def resume_reading(self) -> None:
        """Takes bytes from the cable again."""
        if self._paused:
            self._paused = False
            asyncio.get_running_loop().call_soon(self._hand_over)

    def _lose(self, fault: Fault, detail: str) -> None:
        if self._lost:
            return
        self._lost = True
        self._out.clear()
        self._sent.set()
        asyncio.get_running_loop().call_soon(self._on_lost, fault, detail)

    async def close(self, deadline_s: float = CLOSE_DEADLINE_S) -> None:
        """Sends what the peer takes, then frees this end."""
        if not self._is_open:
            return
        self._is_open = False
        self._paused = True
        try:
            async with asyncio.timeout(deadline_s):
                await self.drain()
        except TimeoutError:
            pass  # the peer takes nothing: what is left is thrown away
        finally:
            self._lose(Fault.LINK_CLOSED, "closed by the daemon")
            self._cable._give_back(self._name)
        await asyncio.sleep(0)  # the loss is told before close returns, as with a real port
