"""Reports what may come in floods: the first at once, the rest gathered, ever more seldom while it goes on."""

from dataclasses import dataclass, field

from controller.publish.source import Report

FIRST_NS, MOST_NS = 60_000_000_000, 3_600_000_000_000
"""First and longest wait between two reports of one code."""


@dataclass(slots=True)
class _Waiting:
    due_ns: int
    wait_ns: int
    count: int = 0
    newest: dict[str, object] = field(default_factory=dict)


class Tally:
    """Counts by code and reports `kind` with `code`, `count` and the newest sample. `total`: all since the start."""

    def __init__(self, kind: str, report: Report) -> None:
        self._kind, self._report = kind, report
        self._waiting: dict[str, _Waiting] = {}
        self.total: dict[str, int] = {}

    def add(self, code: str, now_ns: int, **sample: object) -> None:
        """Counts one, and reports it if its time has come. A value that is None is left out."""
        self.total[code] = self.total.get(code, 0) + 1
        waiting = self._waiting.setdefault(code, _Waiting(now_ns, FIRST_NS))
        waiting.count += 1
        waiting.newest = {key: value for key, value in sample.items() if value is not None}
        self._tell(code, waiting, now_ns)

    def look(self, now_ns: int) -> None:
        """Reports what was gathered long enough, and forgets what has stopped."""
        for code, waiting in list(self._waiting.items()):
            if waiting.count:
                self._tell(code, waiting, now_ns)
            elif now_ns >= waiting.due_ns:
                del self._waiting[code]

    def _tell(self, code: str, waiting: _Waiting, now_ns: int) -> None:
        if now_ns < waiting.due_ns:
            return
        self._report(self._kind, code=code, count=waiting.count, **waiting.newest)
        waiting.count, waiting.due_ns = 0, now_ns + waiting.wait_ns
        waiting.wait_ns = min(2 * waiting.wait_ns, MOST_NS)
