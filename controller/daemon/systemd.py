"""Notifies the service manager: ready, alive, status, stopping. The protocol is one datagram a message.

Own code instead of a library, as sd_notify(3) advises: the protocol is stable and small.
"""

import os
import socket
from collections.abc import Mapping


class Notifier:
    """Tells the service manager that started this process, if one did; without one every call does nothing.

    Each call says whether the message was taken. One that was not needs no handling here: a manager that hears
    nothing acts by itself (`WatchdogSec=`, `TimeoutStartSec=`), and the daemon must not wait for it.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        is_ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        microseconds = environment.get("WATCHDOG_USEC", "")
        self.watchdog_s = int(microseconds) / 1e6 if is_ours and microseconds.isdigit() else None
        """The longest silence that the manager allows, seconds; None = it does not watch."""
        self._socket: socket.socket | None = (
            None  # kept: when no descriptor is left, the watchdog is fed all the same
        )

    def ready(self, status: str) -> bool:
        """Tells systemd that the daemon has started; returns False if nobody listens."""
        return self._send("READY=1", _status(status))

    def status(self, status: str) -> bool:
        """Sends one line for people, shown by `systemctl status`."""
        return self._send(_status(status))

    def alive(self) -> bool:
        """Feeds the watchdog. Call it only if the daemon has just proved that it works."""
        return self._send("WATCHDOG=1")

    def stopping(self, status: str) -> bool:
        """Tells systemd that the daemon is ending; returns False if nobody listens."""
        return self._send("STOPPING=1", _status(status))

    def _send(self, *lines: str) -> bool:
        if not self._address.startswith(("/", "@")):  # "@": Linux's abstract names begin with a zero byte
            return False
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as notify:
                notify.sendto("\n".join(lines).encode(), address)
        except OSError:
            return False
        return True


def _status(text: str) -> str:
    return "STATUS=" + " ".join(text.split())  # a line break would begin another field
