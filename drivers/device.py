"""The data that passes between a session and its owner: a device's configuration, deliveries, and state."""

from dataclasses import field
from enum import StrEnum
from pathlib import Path

from drivers.catalog import Codec, Firmware, Rejection, codec_of, judge
from drivers.events import LinkEvent, Origin, Report
from drivers.modbus.units import Unit
from drivers.protocol.constants import DEFAULT_BAUD
from drivers.protocol.messages import Identity
from drivers.protocol.records import dataclass
from drivers.protocol.reports import DeviceKind


class SessionState(StrEnum):
    """How far the connection to a device is."""

    DISABLED = "disabled"  # not running
    ABSENT = "absent"  # no port, no answer, or the link was lost
    OPENING = "opening"
    HELLO = "hello"  # asked, not yet answered
    AUTH = "auth"  # answered; its key being proven
    MEASURE = "measure"  # proven; its firmware being measured
    SYNC = "sync"  # believed; its log being read
    ONLINE = "online"
    SUSPECT = "suspect"  # was online, no echo for a while
    STALE = "stale"  # was online, no echo for too long
    FAULTED = "faulted"  # online, and the device itself says that it is out of order
    REJECTED = "rejected"  # the wrong device, or one that is not approved


KNOWN = (SessionState.AUTH, SessionState.MEASURE, SessionState.SYNC)
"""States in which a safe level is asked for: it goes out as soon as the device takes it."""

CONNECTED = (SessionState.ONLINE, SessionState.SUSPECT, SessionState.FAULTED)
"""States in which an unsafe level can be asked for."""


@dataclass(frozen=True, slots=True)
class SessionStatus:
    """How far a connection is. `since`: the loop's clock, seconds. `reason`: id of a `Fault`, "" = none. `detail`:
    for people."""

    state: SessionState
    since: float
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DeviceConfig:
    """One device of a table. `path`: best a by-id link. `serial`: the expected serial number; None = any.

    `speaks`: its wire language; None = the usual one of its kind. `accept_test_only`: simulators and other test
    models may serve, never at a table in real play. `key_file`: the file with the device's key; None = the device
    needs no proof. `units`: the units on its bus, if it speaks Modbus. `approved`: the list of approved firmware.
    `record`: the folder for recordings of its wire; None = no recording. `modem_line`: dsr or cts, the line that a
    device without answers holds while it has power; "" = its cable has none.
    """

    name: str
    kind: DeviceKind
    path: str
    serial: str | None = None
    baud: int = DEFAULT_BAUD
    accept_test_only: bool = False
    speaks: Codec | None = None
    key_file: Path | None = None
    units: tuple[Unit, ...] = ()
    approved: tuple[Firmware, ...] = field(default=(), repr=False)
    record: Path | None = None
    modem_line: str = ""

    @property
    def codec(self) -> Codec:
        """The wire language that is spoken with this device."""
        return self.speaks or codec_of(self.kind)

    def judge(self, identity: Identity) -> Rejection | None:
        """Returns None if the device with this identity may serve here; otherwise the reason why not."""
        return judge(
            identity,
            kind=self.kind,
            serial=self.serial,
            accept_test_only=self.accept_test_only,
            approved=self.approved,
            codec=self.codec,
        )


@dataclass(frozen=True, slots=True)
class Delivery:
    """One item that a session hands to its owner, in order. `received_ns`: CLOCK_MONOTONIC of its last bytes."""

    device: str
    body: Report | LinkEvent
    origin: Origin | None
    received_ns: int
