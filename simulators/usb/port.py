"""The device's end of a USB cable: the simulator's link is a socket that speaks USB/IP instead of a tty.

Unplugging removes the socket, so that hosts find no device; plugging gives the device a new address on the bus.
"""

import asyncio
import contextlib
import socket
import stat
from pathlib import Path

from simulators.cable.cable import Cable
from simulators.cable.port import LinkTaken
from simulators.usb.device import UsbDevice
from simulators.usb.usbip import Exported, serve_usbip


class UsbPort:
    """The port of a simulated USB device. `link`: path of the Unix socket. `listen`: also host and port, for
    `usbip attach`.

    `cable`: carries the device's bytes; its `from_host` is the device's `on_data`.
    """

    def __init__(
        self,
        link: Path,
        exported: Exported,
        cable: Cable,
        *,
        listen: tuple[str, int] | None = None,
    ) -> None:
        self.link, self.wire = link, cable.wire
        self._exported, self._listen = exported, listen
        self._cable = cable
        cable.to_host = self._device.write
        self._servers: list[asyncio.Task[asyncio.Server]] = []

    @property
    def overruns(self) -> int:
        """How many bytes were lost because the host did not read them."""
        return self._device.overruns

    @property
    def is_plugged(self) -> bool:
        """True while the USB/IP server exports the device."""
        return bool(self._servers)

    @property
    def _device(self) -> UsbDevice:
        return self._exported.device

    def plug(self) -> None:
        """Plugs the cable in. Raises `LinkTaken`."""
        if self.is_plugged:
            return
        listening = [socket.create_server(self._listen)] if self._listen is not None else []
        try:
            listening.append(_unix(self.link))
        except OSError:
            for each in listening:
                each.close()
            raise
        self._exported.address = self._exported.address % 127 + 1
        self._device.plug()
        loop, factory = asyncio.get_running_loop(), serve_usbip(self._exported)
        self._servers = [loop.create_task(loop.create_server(factory, sock=each)) for each in listening]
        self.resume()

    def unplug(self) -> None:
        """Unplugs the cable; does nothing if it is out."""
        if not self.is_plugged:
            return
        self._cable.cut()
        self._device.unplug()
        servers, self._servers = self._servers, []
        for starting in servers:
            if starting.done():
                _close(starting)
            else:
                starting.add_done_callback(_close)
        self._exported.close()
        with contextlib.suppress(FileNotFoundError):
            self.link.unlink()

    def pause(self) -> None:
        """Takes no bytes from the host until `resume`."""
        self._device.pause()

    def resume(self) -> None:
        """Takes bytes from the host again."""
        self._device.resume()

    def flush(self) -> None:
        """Drops sent bytes that no host has read."""
        self._device.forget()

    def write(self, data: bytes) -> None:
        """Sends bytes, or loses them."""
        if self.is_plugged and data:
            self._cable.from_device(data)

    def heal(self) -> None:
        """Ends all faults of the cable; bytes that it still held arrive."""
        self._cable.heal()


def _close(started: "asyncio.Task[asyncio.Server]") -> None:
    if not started.cancelled() and started.exception() is None:
        started.result().close()


def _unix(path: Path) -> socket.socket:
    """Returns a listening socket of this name; replaces one that a killed simulator left. Raises `LinkTaken`."""
    if path.is_symlink() or (path.exists() and not stat.S_ISSOCK(path.stat().st_mode)):
        raise LinkTaken(f"{path} exists and is no socket")
    path.unlink(missing_ok=True)
    made = socket.socket(socket.AF_UNIX)
    try:
        made.bind(str(path))
        made.listen()
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made
