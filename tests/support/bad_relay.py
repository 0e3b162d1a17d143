"""A relay between a broker and its client that freezes, doubles, swallows or truncates what the broker sends."""

import socket
import threading
from contextlib import suppress

PUBLISH = 0x30


class BadRelay:
    """Relays whole packets. `fault`: what happens to messages from now on; "" = nothing."""

    def __init__(self, to_port: int) -> None:
        self.fault, self._to = "", to_port
        self._thawed = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._open: list[socket.socket] = [self._server]
        threading.Thread(target=self._accept, daemon=True).start()

    def thaw(self) -> None:
        """Ends a freeze."""
        self.fault = ""
        self._thawed.set()

    def end(self) -> None:
        self.thaw()
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._open += [near, far]
                threading.Thread(target=self._up, args=(near, far), daemon=True).start()
                threading.Thread(target=self._down, args=(far, near), daemon=True).start()

    def _up(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while data := near.recv(65_536):
                far.sendall(data)
            far.shutdown(socket.SHUT_RDWR)

    def _down(self, far: socket.socket, near: socket.socket) -> None:
        held = b""
        with suppress(OSError):
            while data := far.recv(65_536):
                held += data
                while (size := _size(held)) is not None and len(held) >= size:
                    packet, held = held[:size], held[size:]
                    near.sendall(self._spoilt(packet) if packet[0] & 0xF0 == PUBLISH else packet)
                    if self.fault == "truncate" and packet[0] & 0xF0 == PUBLISH:
                        self.fault = ""
                        raise OSError("the packet was cut, and with it the line")
        with suppress(OSError):
            near.shutdown(socket.SHUT_RDWR)
            far.shutdown(socket.SHUT_RDWR)

    def _spoilt(self, packet: bytes) -> bytes:
        match self.fault:
            case "freeze":
                self._thawed.wait()
            case "double":
                return packet * 2
            case "swallow":
                return b""
            case "truncate":
                return packet[: len(packet) // 2]
        return packet


def _size(held: bytes) -> int | None:
    """The length of the first packet; None if its head is not whole."""
    length = 0
    for at in range(1, min(len(held), 5)):
        length |= (held[at] & 127) << 7 * (at - 1)
        if held[at] < 128:
            return at + 1 + length
    return None
