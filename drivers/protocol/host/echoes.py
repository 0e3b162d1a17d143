"""Compares what a device has reported with what its echoes say: asks for missing reports, and blocks releases
after a pause.

After a long pause of the host's own loop, nothing is released before all reports of that time are on record.
"""

from drivers.protocol.constants import HOST_WATCHDOG_S, LOOP_LAG_S, PING_PERIOD_S, UNSENT_AFTER_S

PAUSED = "this computer stood still, and the device may have made itself safe meanwhile"
"""Why what was to be released is not known to hold."""

BITTEN_LAG_S = HOST_WATCHDOG_S - PING_PERIOD_S - LOOP_LAG_S
"""After a pause this long a PING period may have been silent too: the device's watchdog may have taken its safe levels."""


class Told:
    """The number of the newest report, as the echoes of this session name it."""

    def __init__(self) -> None:
        self._named = (0, 0.0)  # the newest report that an echo spoke of while all before had come, and when
        self._is_unsure = False
        self._until: int | None = None  # unsure until this report is settled; None = until an echo names one

    def echoed(self, log_last: int, now: float, released: int, settled: int, *, is_fresh: bool) -> int | None:
        """Takes an echo that names `log_last`; `released`: last report that came. `is_fresh`: its PING was not
        sent before a pause.

        Returns the number of a report that was named long ago and has not come, to be read from the log; None =
        nothing is missing. Call it only while all received reports are settled: otherwise the device waits for us.
        """
        if is_fresh and self._until is None:
            self._until = log_last
        named, since = self._named
        if released >= named:
            self._named = (log_last, now)
            return None
        return named if settled == released and now >= since + UNSENT_AFTER_S else None

    def paused(self, lag_s: float) -> bool:
        """Notes that our loop stood still; returns True if the device may have taken its safe levels meanwhile.

        Until the device's reports of that time are known, nothing is released: a release decided in ignorance
        would undo the watchdog's work.
        """
        if lag_s < BITTEN_LAG_S:
            return False
        self._is_unsure, self._until = True, None
        return True

    def is_unsure(self, settled: int) -> bool:
        """True from a long pause on, until all that the device had reported by then is settled."""
        self._is_unsure = self._is_unsure and (self._until is None or settled < self._until)
        return self._is_unsure
