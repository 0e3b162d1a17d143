"""Which serial ports this machine has, by which names they can be opened, and which process holds each."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from serial.tools import list_ports

from drivers.protocol.records import dataclass
from drivers.protocol.texts import plain

STABLE = (Path("/dev/table"), Path("/dev/serial/by-id"), Path("/dev/serial/by-path"))
"""Folders of names that stay with a device or a socket: those of `systemd/60-tablewarden.rules`, then those of udev."""

LOCKS, PROCESSES = Path("/proc/locks"), Path("/proc")
SHOWN = 60
"""Characters of a text that a USB device says of itself."""


@dataclass(frozen=True, slots=True)
class Port:
    """One serial port. `names`: stable names that lead to it. What it says of itself on USB is "" for any other port."""

    path: str
    names: tuple[str, ...] = ()
    product: str = ""
    serial: str = ""
    usb: str = ""  # vendor:product at bus-port, as the kernel writes it


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that has a port locked. `command`: its first words, "" where they cannot be read."""

    pid: int
    command: str

    @property
    def words(self) -> str:
        """The process in words, for people."""
        return f"process {self.pid} ({self.command or 'of another user'})"

    @property
    def is_daemon(self) -> bool:
        """True for a `tablewarden run`."""
        words = self.command.split()
        return "run" in words[1:] and any("tablewarden" in word or "controller" in word for word in words)


def ports() -> list[Port]:
    """Every serial port that the kernel shows now, in the order of its name."""
    names: dict[str, list[str]] = {}
    for link in _links():
        names.setdefault(os.path.realpath(link), []).append(str(link))
    found = []
    for seen in list_ports.comports():
        said = " ".join(filter(None, (seen.manufacturer, seen.product)))
        at = f" at {seen.location}" if seen.location else ""
        usb = f"{seen.vid:04x}:{seen.pid:04x}{at}" if seen.vid is not None and seen.pid is not None else ""
        port = Port(
            seen.device, tuple(names.get(seen.device, ())), _shown(said), _shown(seen.serial_number or ""), usb
        )
        found.append(port)
    return sorted(found, key=lambda port: port.path)


def holder_of(path: str) -> Holder | None:
    """The process that has this port open for itself alone; None where nobody has, or the port is not there.

    Locks can be seen by every user, open files only by their owner.
    """
    try:
        node = os.stat(path)
        locks = LOCKS.read_text()
    except OSError:
        return None
    place = f"{os.major(node.st_dev):02x}:{os.minor(node.st_dev):02x}:{node.st_ino}"
    for line in locks.splitlines():
        fields = line.split()
        if place in fields and "FLOCK" in fields and "->" not in fields:
            pid = int(fields[fields.index(place) - 1])
            return Holder(pid, _command(pid))
    return None


def others_at(path: str) -> list[Holder]:
    """Other processes that have this port open: each takes bytes off it. Those of other users only root can see."""
    target, found = os.path.realpath(path), []
    for process in PROCESSES.iterdir():
        if not process.name.isdecimal() or int(process.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # it ended, or is somebody else's
            if any(os.readlink(fd) == target for fd in (process / "fd").iterdir()):
                found.append(Holder(int(process.name), _command(int(process.name))))
    return found


def who_holds(path: str) -> str:
    """The process that holds a port, for people; "" where nobody can be named."""
    holder = holder_of(path)
    return holder.words if holder else ", ".join(other.words for other in others_at(path))


def _links() -> Iterator[Path]:
    for folder in STABLE:
        if folder.is_dir():
            yield from sorted(folder.iterdir())


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return " ".join(_shown(word.decode("utf-8", "replace")) for word in words[:8] if word)


def _shown(text: str) -> str:
    """A device writes these texts itself: nothing in them may move a terminal's cursor."""
    return plain(text)[:SHOWN].strip()
