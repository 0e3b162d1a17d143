"""What a device says it has told, by its echoes: reports that never came are asked for, and after a long pause of the host's
own loop nothing is released before all that was told meanwhile is on record."""

from drivers.protocol.constants import HOST_WATCHDOG_S, LOOP_LAG_S, PING_PERIOD_S, UNSENT_AFTER_S

PAUSED = "this computer stood still, and the device may have made itself safe meanwhile"
"""Why what was to be released is not known to hold."""

BITTEN_LAG_S = HOST_WATCHDOG_S - PING_PERIOD_S - LOOP_LAG_S
"""After a pause this long a PING period may have been silent too: the device's watchdog may have taken its safe levels."""


class Told:
    """The number of the newest report that exists, as the echoes of this session name it."""

    def __init__(self) -> None:
        self._named = (0, 0.0)  # the newest report that an echo spoke of while all before had come, and when
        self._is_unsure = False
        self._until: int | None = None  # unsure until this report is settled; None = until an echo names one

    def echoed(self, log_last: int, now: float, released: int, settled: int, *, is_fresh: bool) -> int | None:
        """An echo names `log_last`; of the reports `released` came. `is_fresh`: its PING was not under way in a pause of ours.

        Returns a report that was named long ago and has not come, which is to be read from the log; None = there is none. Only
        while all that came is settled: else it is us for whom the device waits.
        """
        if is_fresh and self._until is None:
            self._until = log_last
        named, since = self._named
        if released >= named:
            self._named = (log_last, now)
            return None
        return named if settled == released and now >= since + UNSENT_AFTER_S else None

    def paused(self, lag_s: float) -> bool:
        """Our own loop stood still for so long. True where the device may have taken its safe levels meanwhile.

        Then nothing that was wanted before is released, and nothing is until what the device told is known to whoever wants it:
        a release that was decided in ignorance would undo what the watchdog did.
        """
        if lag_s < BITTEN_LAG_S:
            return False
        self._is_unsure, self._until = True, None
        return True

    def is_unsure(self, settled: int) -> bool:
        """True from a long pause on until all that the device told by then is settled, so that whoever wants a level knows it."""
        self._is_unsure = self._is_unsure and (self._until is None or settled < self._until)
        return self._is_unsure
