"""The edge between a device and the daemon: what a hostile one may not bring past it.

Names are refused by the codec, and texts of refusals cleaned there. Here the texts of reports are, and the number of
reports is bounded. All sizes are those of frames, at most 512 bytes.
"""

from dataclasses import replace

from drivers.events import Report
from drivers.lines.faces import withheld
from drivers.protocol.reports import AlarmRaised, LineUnparsed
from drivers.protocol.texts import is_plain, plain

__all__ = ["Allowance", "fit_to_show"]


def fit_to_show(report: Report) -> Report:
    """The same report; in its text a mark for each character that would do something to a terminal or a page, and one for
    whatever looks like a card, since no device may tell one."""
    if not isinstance(report, (LineUnparsed, AlarmRaised)):
        return report
    text = withheld(report.text if is_plain(report.text) else plain(report.text))
    return report if text == report.text else replace(report, text=text)


class Allowance:
    """`burst` at once, and `per_s` more each second, for as long as the daemon runs."""

    def __init__(self, burst: int, per_s: float) -> None:
        self._burst, self._per_s = float(burst), per_s
        self._left = self._burst
        self._since: float | None = None

    def allows(self, now: float, cost: int = 1) -> bool:
        """Takes `cost`; False, and nothing is taken, where less is left. `now`: monotonic seconds."""
        if self._since is not None:
            self._left = min(self._burst, self._left + (now - self._since) * self._per_s)
        self._since = now
        if self._left < cost:
            return False
        self._left -= cost
        return True
