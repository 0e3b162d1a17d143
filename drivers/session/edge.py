"""Keeps a hostile device's data from harming the daemon: cleans report texts and bounds the number of reports.

The codec refuses bad names and cleans refusal texts. All sizes are those of frames, at most 512 bytes.
"""

from dataclasses import replace

from drivers.events import Report
from drivers.lines.faces import withheld
from drivers.protocol.reports import AlarmRaised, LineUnparsed
from drivers.protocol.texts import is_plain, plain


def fit_to_show(report: Report) -> Report:
    """Returns the report with a mark for each text character that would disturb a terminal, and for anything like
    a card."""
    if not isinstance(report, (LineUnparsed, AlarmRaised)):
        return report
    text = withheld(report.text if is_plain(report.text) else plain(report.text))
    return report if text == report.text else replace(report, text=text)


class Allowance:
    """Allows `burst` at once and `per_s` more each second, for the daemon's life."""

    def __init__(self, burst: int, per_s: float) -> None:
        self._burst, self._per_s = float(burst), per_s
        self._left = self._burst
        self._since: float | None = None

    def allows(self, now: float, cost: int = 1) -> bool:
        """Takes `cost`; returns False, and takes nothing, if less is left. `now`: monotonic seconds."""
        if self._since is not None:
            self._left = min(self._burst, self._left + (now - self._since) * self._per_s)
        self._since = now
        if self._left < cost:
            return False
        self._left -= cost
        return True
