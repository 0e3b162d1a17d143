"""The list of everything that can go wrong with a device, by who is to blame. Ids are stable; texts are for
people."""

from enum import StrEnum


class Fault(StrEnum):
    """Ids of device faults. Families: LINK cable or system, FRAME noise, PROTO firmware, TIMEOUT unknown, AUTH
    security, HOST us."""

    LINK_MISSING = "link_missing"
    LINK_BUSY = "link_busy"
    LINK_FORBIDDEN = "link_forbidden"
    LINK_OPEN_FAILED = "link_open_failed"
    LINK_EOF = "link_eof"
    LINK_IO_ERROR = "link_io_error"
    LINK_RESTARTED = "link_restarted"  # the device rebooted under us
    LINK_CLOSED = "link_closed"  # we closed it
    FRAME_CRC = "frame_crc"
    FRAME_COBS = "frame_cobs"
    FRAME_OVERSIZE = "frame_oversize"
    FRAME_PARTIAL = "frame_partial"
    FRAME_LENGTH = "frame_length"
    FRAME_VERSION = "frame_version"
    FRAME_STALE_SESSION = "frame_stale_session"
    FRAME_DUPLICATE = "frame_duplicate"
    PROTO_UNEXPECTED = "proto_unexpected"
    PROTO_COUNTER_BACKWARDS = "proto_counter_backwards"
    PROTO_COUNTER_REUSED = "proto_counter_reused"
    PROTO_PAYLOAD = "proto_payload"
    PROTO_FLOOD = "proto_flood"  # far more reports than a game can bring
    TIMEOUT_HANDSHAKE = "timeout_handshake"
    TIMEOUT_REQUEST = "timeout_request"
    TIMEOUT_LIVENESS = "timeout_liveness"
    TIMEOUT_FILL = "timeout_fill"
    AUTH_VERSION = "auth_version"
    AUTH_WRONG_DEVICE = "auth_wrong_device"
    AUTH_WRONG_PORT = "auth_wrong_port"  # the right device, plugged in where it does not belong
    AUTH_NOT_APPROVED = "auth_not_approved"
    AUTH_KEY_FILE = "auth_key_file"  # our own key file cannot be used
    AUTH_KEY_NEEDED = "auth_key_needed"  # the device obeys only a host with its key
    AUTH_NO_KEY = "auth_no_key"  # the device has none
    AUTH_BAD_KEY = "auth_bad_key"  # it has another one
    AUTH_BAD_MAC = "auth_bad_mac"  # a frame that was neither noise nor sealed by the other end
    AUTH_REPLAY = "auth_replay"  # a sealed frame for the second time
    AUTH_CHAIN = "auth_chain"  # a report does not follow from the one before by the device's key
    AUTH_MEASURE = "auth_measure"  # the firmware is not the approved image
    DATA_EVENTS_LOST = "data_events_lost"
    DEVICE_SELF_TEST = "device_self_test"  # the device says that it is out of order
    HOST_SUSPENDED = "host_suspended"  # this machine slept
    HOST_QUEUE_FULL = "host_queue_full"
    HOST_LOOP_LAG = "host_loop_lag"


class DeviceError(Exception):
    """Base class of the drivers' exceptions; never raised itself."""


class PortUnavailable(DeviceError):
    """A port could not be opened: missing, busy or forbidden. The session waits and tries again."""

    def __init__(self, path: str, fault: Fault, remedy: str) -> None:
        super().__init__(f"{path}: {fault.value.replace('_', ' ')}; {remedy}")
        self.path, self.fault, self.remedy = path, fault, remedy
