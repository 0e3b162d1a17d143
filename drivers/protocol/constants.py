"""Every number of TDP/1 in one place, each with its unit and its reason. `docs/protocol.md` prints the same table."""

# --- The frame -----------------------------------------------------------------------------------------------------

VERSION_MAJOR = 1
"""High nibble of the first byte of every frame; a receiver drops frames of another major, HELLO and WELCOME excepted."""

VERSION_MINOR = 0
"""Low nibble: additions that an older receiver can pass over."""

HEADER_SIZE = 14
"""Bytes before the payload: version, type, flags, channel, seq, ack, session, length."""

MAC_SIZE = 16
"""Truncated HMAC-SHA-256 over everything before it in the body; a guess succeeds once in 2^128."""

NUMBER_SIZE = 8
"""The sender's count of sealed frames in this session, before the MAC: u64, so that it never comes round."""

SEAL_SIZE = NUMBER_SIZE + MAC_SIZE
"""Number and MAC, behind the payload when the flag is set."""

CRC_SIZE = 4
"""CRC-32C, little-endian, behind the body."""

MAX_BODY = 512
"""Header, payload and MAC. CRC-32C finds all errors of up to five bits in words up to 655 bytes; 512 is below."""

MIN_BODY = 256
"""A host must take bodies of this size: the longest record fits into one."""

MAX_PAYLOAD = 482
"""Of a frame without a seal."""

MAX_SEALED_PAYLOAD = MAX_BODY - HEADER_SIZE - SEAL_SIZE
"""474 bytes: of a sealed frame. Only LOG_DATA comes near it, and is cut to fit."""

MAX_WIRE = 521
"""The largest body on the wire: 512 + 4 (CRC) + 3 (COBS) + 2 (delimiters)."""

RX_LIMIT = 528
"""Bytes a receiver holds between two delimiters; more is `oversize` and everything up to the next 00 is dropped."""

GAP_LIMIT_S = 0.050
"""Longest silence inside a frame: above two 16 ms latency timers of a USB bridge plus scheduling."""

GAP_CHARACTERS = 20
"""The silence limit in character times, for lines so slow that 50 ms is less than this."""

SESSION_NONE = 0
"""Session number of a device that has no session (RESTARTED at power-up); a host never chooses it."""

# --- Requests: one outstanding, repeated, then unknown -----------------------------------------------------------------

RTO_FIRST_S = 0.4
"""Time-out of a request before any round trip was measured; also the longest an engage waits behind another request."""

RTO_FLOOR_S = 0.1
"""Lower bound of the time-out on a fast line; a slow line's own bound is `rto_min`."""

RTO_LATENCY_S = 0.032
"""Two 16 ms latency timers, added to twice the wire time of the largest frame in `rto_min`."""

RTO_MAX_S = 3.2
"""Upper bound of the time-out after doublings."""

TRANSMISSIONS = 5
"""How often a request is sent before its outcome is unknown and the link is given up."""

ANSWER_CACHE = 4
"""Answers a device keeps by sequence number; one would do with one outstanding request."""

SEEN_SESSIONS = 8
"""Former sessions a device remembers in order never to enter one again."""

OFFERED_SESSIONS = 4
"""HELLOs that a device remembers until a session starts, so that one that comes late does not displace a newer one."""

# --- Keys and firmware ---------------------------------------------------------------------------------------------------

KEY_SIZE = 32
"""Bytes of the key that one device shares with its host."""

PROOF_SIZE = 32
"""A whole HMAC-SHA-256 in AUTH, AUTH_OK and MEASURED."""

AUTH_SEQ = 1
"""AUTH is the first request of a session, so its number needs no protection of its own."""

CHAIN_SIZE = 8
"""Truncated HMAC-SHA-256 that chains a record to the one before: a guess succeeds once in 2^64, and a wrong one is reported."""

MEASURE_RANGES = 8
"""Ranges of the firmware that one MEASURE asks for."""

MEASURE_RANGE_MAX = 4096
"""Longest range in bytes: 32 KiB in all, which a small processor hashes within a second."""

MEASURE_TRIES = 3
"""How often a MEASURE is sent before the device counts as one that cannot be measured."""

MEASURE_TIMEOUT_S = 2.0
"""Wait for a MEASURED: twice what the slowest processor needs."""

MEASURE_PERIOD_S = 86_400.0
"""A device that stays connected is measured again each day."""

# --- Liveness ----------------------------------------------------------------------------------------------------------

PING_PERIOD_S = 1.0
"""A PING each second, outside the request window."""

SUSPECT_AFTER_S = 2.5
"""Without an echo of a PING for this long the device is suspect: a little over two PINGs."""

STALE_AFTER_S = 5.0
"""Without an echo for this long the link is dead and must be opened anew."""

STALE_AFTER_LOCKOUT_S = 3.0
"""The same for devices with a lock-out."""

HOST_WATCHDOG_S = 3.0
"""A device that hears no valid frame of its session for this long takes its safe levels by itself; at most the host's STALE."""

CLOCK_SAMPLES = 8
"""PINGs at the start of a session that follow each other quickly, to know the device's clock at once."""

CLOCK_SAMPLE_PERIOD_S = 0.053
"""Time between them: above two 16 ms latency timers, so that one does not wait for the other, and in step with nothing."""

CLOCK_DECAY = 1 / 30
"""Weight of the newest echo in the estimate of the clock: half a minute is remembered."""

CLOCK_KEPT = 30
"""Echoes that the error of the estimate is taken over."""

CLOCK_DRIFT = 0.001
"""By how much a device's clock may run faster or slower than the host's: twice what either may be off by itself."""

CLOCK_OUTLIER = 2.0
"""An echo that took more than this many times the shortest round trip is left out."""

CLOCK_AGING = 1.1
"""Growth of the shortest round trip with each echo left out, for a line that has become slower for good."""

CLOCK_JUMP_S = 0.5
"""A device clock further off its line than this leapt, and the estimate begins anew."""

HELLO_TIMEOUT_S = 2.5
"""Longest wait between two HELLOs; the first repeats come after 0.4, 0.8 and 1.6 s, as a HELLO may be lost."""

HANDSHAKE_TIMEOUT_S = 10.0
"""HELLO to WELCOME in all. Reading the log afterwards is bounded by progress, not by this."""

RESTARTED_PERIOD_S = 1.0
"""A device without a session answers foreign frames with at most one RESTARTED in this time."""

# --- Reports: nothing is lost without being known -------------------------------------------------------------------

UNACKED_WINDOW = 8
"""Reports a device sends ahead of the host's EVENT_ACK; with this many open it only fills its log."""

RESEND_S = (1.0, 2.0, 4.0, 5.0)
"""Waits before unacknowledged reports are sent again; the last repeats for ever while the host is there."""

LOG_DEPTH = 4096
"""Records a device's ring log holds at least: several shoes of eight decks with all their marks."""

UNSENT_AFTER_S = 2.0
"""A report that an echo named this long ago and that did not come is read from the log; the device repeats after 1 s."""

FILL_TRIES = 3
"""How often one range of the log is asked for without progress before the link is given up."""

FILL_TIMEOUT_S = 2.0
"""The same in time, from the first LOG_READ without progress."""

RECENT_REPORTS = 16
"""Released reports a host remembers, to tell a repeat from a counter used twice."""

OLD_LOGS = 3
"""Former boots whose surviving logs a WELCOME lists, newest last."""

# --- Texts ---------------------------------------------------------------------------------------------------------------

MAX_NAME = 48
"""Bytes of each text of a WELCOME (vendor, model, hardware, serial, firmware)."""

MAX_EXTRA = 16
"""Tagged values of a WELCOME that this version does not know and keeps; more are passed over."""

MAX_DISPLAY = 64
"""Characters of a display text."""

MAX_LINE = 128
"""Characters of an unparsed line."""

MAX_ERROR_TEXT = 120
"""Bytes of the human text of an ERR."""

# --- The session above the link ----------------------------------------------------------------------------------------

BACKOFF_FIRST_S = 0.25
"""First wait before a port is opened again."""

BACKOFF_MAX_S = 5.0
"""Longest wait; a link is never given up for good."""

BACKOFF_FACTOR = 2.0
"""Growth of the wait from try to try."""

BACKOFF_JITTER = 0.2
"""The wait varies by this fraction, so that a row of devices does not return in step."""

BACKOFF_RESET_AFTER_S = 30.0
"""Time online after which the wait starts small again; less would let a boot-looping device storm."""

FLOOD_BURST = 20_000
"""Reports that a device may tell at once: several full logs. More at a stretch is no game."""

FLOOD_PER_S = 10.0
"""Reports a second that a device in real play may tell for ever: 864,000 a day, some 300 MB of record."""

QUEUE_LIMIT = 1024
"""Places between sessions and the controller."""

LOOP_LAG_S = 0.5
"""A pause of the host's own loop above this extends the device's deadlines: do not blame it for our pause."""

SUSPEND_S = 1.0
"""A machine that slept for longer than this knows nothing of its devices any more, and asks them anew."""

FLIGHT_FRAMES = 256
"""Frames of each direction that are kept in memory, to be written down when something has to be explained."""

DEFAULT_BAUD = 115_200
"""8N1; a device below `MIN_BAUD` cannot be certified for TDP/1."""

MIN_BAUD = 57_600
"""At this rate the largest frame takes 90 ms."""


def rto_min(byte_time_s: float) -> float:
    """Returns the least time-out of a request in seconds, if a byte takes `byte_time_s` seconds."""
    return max(RTO_FLOOR_S, 2 * MAX_WIRE * byte_time_s + RTO_LATENCY_S)


def gap_limit(byte_time_s: float) -> float:
    """Returns the longest silence inside a frame in seconds, if a byte takes `byte_time_s` seconds."""
    return max(GAP_LIMIT_S, GAP_CHARACTERS * byte_time_s)
