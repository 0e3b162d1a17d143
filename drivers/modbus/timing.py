"""Every number of the Modbus master in one place, each with its unit and its reason. `docs/modbus.md` prints the same table."""

DEFAULT_BAUD = 19_200
"""What the standard recommends; 8N1, because that is what remote I/O is shipped with."""

BITS_A_CHARACTER = 11
"""As the standard counts, parity included; with 8N1 the waits are a tenth longer than they had to be."""

QUIET_CHARACTERS = 3.5
"""Silence between two frames, in characters."""

QUIET_FLOOR_S = 0.00175
"""The same on lines faster than 19200 baud."""

GAP_LIMIT_S = 0.050
"""Longest silence inside an answer that is not whole: two 16 ms latency timers of a USB bridge and scheduling."""

RESPONSE_S = 0.2
"""How long a unit may think before its answer begins. The way of the question over the wire comes on top."""

DIE_S = 0.050
"""After a failure the bus stays silent for one more response time and this, so that a late answer dies."""

POLL_S = 0.050
"""From one look at the inputs of a unit to the next. A press or a chip that is shorter may go unseen."""

STEADY_READS = 2
"""Equal looks in a row until an input counts as changed."""

UNSTEADY_S = 2.0
"""An input with six levels in this time that did not hold for two looks is reported as broken: nobody knows what lies there."""

UNSEEN_S, UNSEEN_CHARACTERS, UNSEEN_UNIT_S = 0.15, 40, 0.03
"""A unit that nobody looked at for longer than this, and for so many characters and seconds of each unit on the bus, may have
had a chip that nobody saw: that is reported as lost. An ordinary round of looks, with a command between them, takes less."""

FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 8.0
"""Time without a look is reported at once, then gathered for a second, and for twice as long each time while it goes on."""

TRIES = 3
"""Failures in a row until a unit is away."""

STALE_S = 3.0
"""Without an answer of one of the units for this long the link is lost: the same as for every device with a lock-out."""

WATCHDOG_MS = 1500
"""What is written into the watchdog register: below `STALE_S`, above three refreshes."""

WATCHDOG_MOST_MS = 2000
"""The longest that a coarse register may make of it."""

FED_S = 1.0
"""After this long without a good answer, the lock-out's unit counts as away at its next failure."""

BITTEN_S = 0.1
"""The unit with the lock-out, once it is away, is not asked for the time of its watchdog and this: each question feeds it."""

REFRESH_S = 0.5
"""How often the watchdog register is read: a request that feeds it, and the proof that it still stands."""

AGREE_S = 0.2
"""Coil and auxiliary contact must say the same within this time after a coil was written."""

HANDSHAKE_S = 10.0
"""From an open port to all units known, each with its watchdog running and its relay seen engaged."""


def byte_time(baud: int) -> float:
    """Returns the seconds of one character on the wire."""
    return BITS_A_CHARACTER / baud


def unseen_limit(units: int, byte_time_s: float) -> float:
    """Returns the seconds between two reads of a unit after which changes count as unseen."""
    return UNSEEN_S + units * (UNSEEN_CHARACTERS * byte_time_s + UNSEEN_UNIT_S)


def quiet(byte_time_s: float) -> float:
    """Returns the seconds of silence that end a frame."""
    return max(QUIET_CHARACTERS * byte_time_s, QUIET_FLOOR_S)
