"""A USB device as its controller sees it: requests for transfers come, wait, and are completed or taken back.

It keeps to packets: a transfer towards the host ends with a short packet or when it is full, one towards the
device when the device has room for all of it. Callable from any thread. Time-outs are the host's.
"""

import errno
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from simulators.usb.descriptors import BULK_IN, BULK_OUT, CONFIGURATION, DEVICE, PACKET, STRING, Description

CONTROL = 0
FIFO = 4096
"""Bytes that a device keeps in each direction while nobody takes them."""

TO_HOST = 0x80
"""The direction bit of an endpoint's address, and of a control request's type."""


class To(IntEnum):
    """The recipient of a control request: the low bits of its type."""

    DEVICE = 0x00
    INTERFACE = 0x01
    ENDPOINT = 0x02
    ACM = 0x21


class Ask(IntEnum):
    """Control requests of chapter 9, and of a CDC-ACM function."""

    GET_STATUS = 0
    CLEAR_FEATURE = 1
    GET_DESCRIPTOR = 6
    GET_CONFIGURATION = 8
    SET_CONFIGURATION = 9
    GET_INTERFACE = 10
    SET_INTERFACE = 11
    SET_LINE_CODING = 0x20
    GET_LINE_CODING = 0x21
    SET_CONTROL_LINE_STATE = 0x22


@dataclass(slots=True, eq=False)
class Request:
    """One requested transfer (a URB). `done(request)`: called once, unless the transfer is taken back first.

    `endpoint`: with the direction bit; 0 = control. `length`: most bytes towards the host. `data`: bytes towards
    the device. Results: `status`: 0 or a negative error number; `got`: bytes towards the host; `taken`: bytes that
    the device took.
    """

    endpoint: int
    length: int
    done: "Callable[[Request], None]"
    data: bytes = b""
    setup: bytes = b""
    status: int = 0
    got: bytearray = field(default_factory=bytearray)
    taken: int = 0


class UsbDevice:
    """A simulated USB device. `on_data`: takes the host's bytes in the moving thread; None = they wait for `read`.

    `pads`: a transfer that would end with a full packet gets one zero byte more, as TDP/1 allows.
    """

    def __init__(
        self, description: Description, on_data: Callable[[bytes], None] | None = None, *, pads: bool = True
    ) -> None:
        self.description = description
        self.configured = 1
        self.overruns = 0
        self._on_data, self._pads = on_data, pads
        self._lock = threading.RLock()
        self._handing = threading.RLock()
        self._packets: deque[bytes] = deque()
        self._received = bytearray()
        self._waiting: dict[int, deque[Request]] = {BULK_IN: deque(), BULK_OUT: deque()}
        self._halted: set[int] = set()
        self._line_coding = bytes.fromhex("00c20100000008")  # 115200 8N1
        self._paused = False
        self._gone = False

    # --- the device's side --------------------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """How many bytes `write` would take now."""
        with self._lock:
            return FIFO - sum(map(len, self._packets))

    def write(self, data: bytes) -> None:
        """Queues one transfer towards the host; loses what finds no room, like a serial line without a reader."""
        with self._lock:
            if len(data) > self.room:
                self.overruns += len(data)
                return
            if self._pads and len(data) % PACKET == 0:
                data += b"\0"
            self._packets.extend(data[at : at + PACKET] for at in range(0, len(data), PACKET))
            self._feed_host()

    def read(self) -> bytes:
        """Returns bytes that the host sent and nobody has read."""
        with self._lock:
            data = bytes(self._received)
            self._received.clear()
            self._feed_device()
        return data

    def pause(self) -> None:
        """Takes no more bytes than the buffer holds."""
        self._paused = True

    def resume(self) -> None:
        """Takes the host's bytes again and hands over those that waited."""
        self._paused = False
        self._hand_over()

    def forget(self) -> None:
        """Drops bytes that no host has read."""
        with self._lock:
            self._packets.clear()

    def halt(self, endpoint: int) -> None:
        """Stalls an endpoint until the host clears it; waiting transfers are refused."""
        with self._lock:
            self._halted.add(endpoint)
            self._refuse_all(endpoint, -errno.EPIPE)

    def unplug(self) -> None:
        """Pulls the cable: waiting and later transfers fail."""
        with self._lock:
            self._gone = True
            for endpoint in self._waiting:
                self._refuse_all(endpoint, -errno.ENODEV)

    def plug(self) -> None:
        """Plugs the cable in: as after a bus reset, nothing is halted."""
        with self._lock:
            self._gone = False
            self.configured = 1
            self._halted.clear()

    # --- the host's side ----------------------------------------------------------------------------------------------

    def submit(self, request: Request) -> None:
        """Takes a transfer; it may be done before this call returns."""
        with self._lock:
            if self._gone:
                self._finish(request, -errno.ENODEV)
            elif request.endpoint & ~TO_HOST == CONTROL:
                self._control(request)
            elif request.endpoint in self._halted:
                self._finish(request, -errno.EPIPE)
            elif request.endpoint not in self._waiting:
                self._finish(request, -errno.ENOENT)
            else:
                self._waiting[request.endpoint].append(request)
                self._feed_host() if request.endpoint & TO_HOST else self._feed_device()
        self._hand_over()

    def take_back(self, request: Request) -> bool:
        """Ends an unfinished transfer with the bytes moved so far; returns False if it was done."""
        with self._lock:
            waiting = self._waiting.get(request.endpoint)
            if waiting is None or request not in waiting:
                return False
            waiting.remove(request)
            request.status = -errno.ECONNRESET
            return True

    def clear_halt(self, endpoint: int) -> None:
        """Ends the halt of an endpoint, as CLEAR_FEATURE asks."""
        with self._lock:
            self._halted.discard(endpoint)

    def _feed_host(self) -> None:
        waiting = self._waiting[BULK_IN]
        while waiting and self._packets:
            request, packet = waiting[0], self._packets.popleft()
            if len(request.got) + len(packet) > request.length:
                waiting.popleft()
                self._finish(request, -errno.EOVERFLOW)
                continue
            request.got += packet
            if len(packet) < PACKET or len(request.got) == request.length:
                waiting.popleft()
                self._finish(request, 0)

    def _feed_device(self) -> None:
        waiting = self._waiting[BULK_OUT]
        while waiting:
            request = waiting[0]
            part = request.data[request.taken : request.taken + FIFO - len(self._received)]
            self._received += part
            request.taken += len(part)
            if request.taken < len(request.data):
                return
            waiting.popleft()
            self._finish(request, 0)

    def _hand_over(self) -> None:
        """Hands bytes to the owner without the lock, because the owner may call back."""
        with self._handing:  # two threads must not hand over two pieces in the wrong order
            while self._on_data is not None and not self._paused and (data := self.read()):
                self._on_data(data)

    def _refuse_all(self, endpoint: int, status: int) -> None:
        waiting = self._waiting.get(endpoint, deque())
        while waiting:
            self._finish(waiting.popleft(), status)

    @staticmethod
    def _finish(request: Request, status: int) -> None:
        request.status = status
        request.done(request)

    def _control(self, request: Request) -> None:
        answer = self._answer(request)
        if answer is None:
            self._finish(request, -errno.EPIPE)
            return
        request.got += answer[: request.length]
        request.taken = len(request.data)
        self._finish(request, 0)

    def _answer(self, request: Request) -> bytes | None:
        """Answers a host's request on endpoint 0; None = stall."""
        setup = request.setup
        value, index = int.from_bytes(setup[2:4], "little"), setup[4]
        match setup[0] & ~TO_HOST, setup[1]:
            case To.DEVICE, Ask.GET_DESCRIPTOR:
                return self._descriptor(value >> 8, value & 0xFF)
            case To.DEVICE, Ask.SET_CONFIGURATION:
                self.configured = value
            case To.DEVICE, Ask.GET_CONFIGURATION:
                return bytes([self.configured])
            case To.DEVICE | To.INTERFACE, Ask.GET_STATUS:
                return b"\1\0"  # self-powered
            case To.INTERFACE, Ask.GET_INTERFACE:
                return b"\0"
            case To.INTERFACE, Ask.SET_INTERFACE:
                pass
            case To.ENDPOINT, Ask.GET_STATUS:
                return bytes([index in self._halted, 0])
            case To.ENDPOINT, Ask.CLEAR_FEATURE:
                self.clear_halt(index)
            case To.ACM, Ask.SET_LINE_CODING:
                self._line_coding = request.data
            case To.ACM, Ask.GET_LINE_CODING:
                return self._line_coding
            case To.ACM, Ask.SET_CONTROL_LINE_STATE:
                pass
            case _:
                return None
        return b""

    def _descriptor(self, kind: int, index: int) -> bytes | None:
        if kind == DEVICE:
            return self.description.device()
        if kind == CONFIGURATION and index == 0:
            return self.description.configuration()
        return self.description.string(index) if kind == STRING else None
