"""Watches the certificates of the broker link: takes new ones while connected, and warns before one ends."""

import asyncio
from collections.abc import Callable

import structlog

from controller.clock import rfc3339
from controller.publish.broker.credentials import Look, ends, look, unfit
from controller.publish.config import Tls

log = structlog.get_logger()

DAYS = (0, 1, 3, 7, 14, 30)
"""Days before the end at which it is reported, the last ones first."""
_DAY_US = 86_400 * 1_000_000


class Certificates:
    """Those of one table. `tls`: None = none are used; `report`: takes facts for the journal. `look_s`: between two looks."""

    look_s = 5.0

    def __init__(self, tls: Tls | None, report: Callable[..., None]) -> None:
        self._tls, self._report = tls, report
        self._used: Look = ()
        self._ends: dict[str, int] = {}
        self._unfit: Look = ()  # new files that cannot be used, as they were when that was said
        self._said: dict[tuple[str, int], int] = {}

    def begin(self) -> None:
        """Notes the files with which a connection is made."""
        if self._tls is not None:
            self._used, self._ends = look(self._tls), ends(self._tls)

    def are_new(self) -> bool:
        """Returns True if other files lie there than at `begin`, and they can be used."""
        if self._tls is None or (now := look(self._tls)) in (self._used, self._unfit):
            return False
        if reason := unfit(self._tls):
            self._unfit = now
            log.warning("certificate_unfit", reason=reason, note="the connection goes on with the one before")
        return not reason

    async def wait_for_new(self) -> None:
        """Returns once new files can be used."""
        while not self.are_new():  # noqa: ASYNC110  # files have no event
            await asyncio.sleep(self.look_s)

    def warn(self, now_us: int, broker_end_s: int | None = None) -> None:
        """Reports each certificate that ends soon, once for each of `DAYS`. `broker_end_s`: of the broker's, Unix seconds."""
        of_broker = {} if broker_end_s is None else {"broker": broker_end_s}
        for name, end_s in {**self._ends, **of_broker}.items():
            left = (end_s * 1_000_000 - now_us) // _DAY_US
            span = next((days for days in DAYS if left <= days), None)
            if span is not None and span < self._said.get((name, end_s), span + 1):
                self._said[name, end_s] = span
                until = rfc3339(end_s * 1_000_000)
                self._report("certificate_expiring", certificate=name, until=until, days=max(0, left))
