"""What a session must remember over losses of its link: which reports are where, and which levels are wanted."""

from collections import OrderedDict

from drivers.commands import WantedLevel
from drivers.protocol.chain import Place
from drivers.protocol.host.link import LevelRefused, LevelUnknown, Reported
from drivers.protocol.reports import Level

Key = tuple[int, int]
"""(boot, counter) of a report."""

REPORTS_KEPT = 2048
"""Reports on their way to the record that are remembered: twice as many as the queue holds."""

BOOTS_KEPT = 8
"""Boots whose last report is remembered: the present one, and former ones whose logs may still be read."""


class Acknowledgements:
    """Tracks which reports were handed over, which are durable, and what may be acknowledged now.

    While held, nothing is acknowledged; the hold ends when every handed-over report is durable. `last`: the last
    durable report at the start, None = none.
    """

    def __init__(self, last: Place | None) -> None:
        self.durable = last
        self._under_way: OrderedDict[Key, Reported] = OrderedDict()  # handed over and not yet durable
        self.held = False
        self._latest = self._told = last[:2] if last else None
        self._highest: OrderedDict[int, int] = OrderedDict([last[:2]] if last else [])
        self._on_link: dict[int, int] = {}
        self._reused = (0, 0, 0)

    def begin(self, boot: int) -> None:
        """Begins with this boot's first report if nothing of it was durable before, so that none may be missed."""
        if self.durable is None:
            self.durable = Place(boot, 0)

    def new_link(self) -> None:
        """Begins a link: it starts after the last durable report, and may acknowledge only what it brought itself."""
        self._told = self.durable[:2] if self.durable else None
        self._on_link.clear()

    def take(self, report: Reported) -> bool:
        """Takes a report; returns True if it must be handed over, False if its number came on an earlier link."""
        boot, counter = key = report.boot, report.counter
        self._on_link[boot] = counter
        if counter <= self.highest(boot):
            return False
        self.pass_over(boot, counter)
        self._latest = key
        self._under_way[key] = report
        if len(self._under_way) > REPORTS_KEPT:
            self._under_way.popitem(last=False)
        return True

    def is_another(self, report: Reported) -> bool:
        """Returns True if another report was handed over under this number and is not durable yet."""
        known = self._under_way.get((report.boot, report.counter))
        return known is not None and (known.tick_us, known.report) != (report.tick_us, report.report)

    def pass_over(self, boot: int, counter: int) -> None:
        """Notes that reports up to this number will not come."""
        self._highest[boot] = counter
        self._highest.move_to_end(boot)
        while len(self._highest) > BOOTS_KEPT:
            self._highest.popitem(last=False)

    def went_back(self, boot: int, first: int, last: int) -> bool:
        """Notes that a boot uses the numbers `first` to `last` again; returns True if that is new."""
        known_boot, known_first, known_last = self._reused
        if boot == known_boot and known_first <= first and last <= known_last:
            return False
        self._reused = (boot, first, last)
        return True

    def highest(self, boot: int) -> int:
        """Returns the last number of a boot that was handed over or passed over; 0 = none."""
        return self._highest.get(boot, 0)

    def hold(self) -> bool:
        """Stops acknowledging; returns False, without effect, if no report is on its way to disk."""
        if self.held or self._all_durable():
            return False
        self.held = True
        return True

    def make_durable(self, boot: int, counter: int) -> None:
        """Notes that everything handed over up to this report is durable."""
        report = self._under_way.pop((boot, counter), None)
        self.durable = Place(boot, counter, report.chain if report else b"")
        while self._under_way and (oldest := next(iter(self._under_way)))[0] == boot and oldest[1] < counter:
            self._under_way.popitem(last=False)
        self.held = self.held and not self._all_durable()

    def _all_durable(self) -> bool:
        if self._latest is None or self.durable is None:
            return self._latest is None
        return self.durable[0] == self._latest[0] and self.durable[1] >= self._latest[1]

    def due(self) -> Key | None:
        """Returns the report to acknowledge now; None = nothing new, or held."""
        if self.held or self.durable is None:
            return None
        boot, counter, _ = self.durable
        key = (boot, min(counter, self._on_link.get(boot, 0)))
        told = self._told[1] if self._told is not None and self._told[0] == boot else 0
        if key[1] <= told:
            return None
        self._told = key
        return key


class Wishes:
    """The wanted levels of a device, the newest command for each. Only a safe level outlives the link.

    A release or an allowance belongs to the moment in which a person gave it: after a loss it is dropped, and
    without an answer its outcome is unknown.
    """

    def __init__(self) -> None:
        self._newest: dict[Level, WantedLevel] = {}
        self._refused: set[tuple[Level, str]] = set()

    def add(self, wanted: WantedLevel) -> None:
        """Adds a command; it replaces the one before for its level."""
        self._newest[wanted.level] = wanted

    def granted(self, level: Level, operation: int) -> None:
        """Notes that the device confirmed this level."""
        self._refused = {refused for refused in self._refused if refused[0] is not level}
        self._settle(level, operation)

    def refused(self, level: Level, value: str, operation: int) -> bool:
        """Notes a refusal; returns True if the device had not refused this value since it last granted the level.

        A repeated refusal is reported once: an owner that answers each by asking again would cause a storm.
        """
        self._settle(level, operation)
        is_first = (level, value) not in self._refused
        self._refused.add((level, value))
        return is_first

    def not_set(self, event: LevelRefused | LevelUnknown) -> str:
        """Returns why the level may not hold, for the owner; "" if the command was replaced or the reason was
        reported."""
        if isinstance(event, LevelRefused):
            is_first = self.refused(event.level, event.value, event.operation)
            return f"refused ({event.code}): {event.text}" if is_first else ""
        if event.reason == "superseded":
            return ""
        self.unanswered(event.level, event.operation)
        return event.reason

    def unanswered(self, level: Level, operation: int) -> None:
        """Notes that no answer will come."""
        self._settle(level, operation)

    def _settle(self, level: Level, operation: int) -> None:
        wanted = self._newest.get(level)
        if wanted is not None and wanted.operation == operation and not wanted.is_safe:
            del self._newest[level]

    def standing(self) -> list[WantedLevel]:
        """Returns the safe levels that each new link must command."""
        return [wanted for wanted in self._newest.values() if wanted.is_safe]

    def lose(self) -> list[WantedLevel]:
        """Drops what may not be repeated on the next link, and returns it."""
        lost = [wanted for wanted in self._newest.values() if not wanted.is_safe]
        for wanted in lost:
            del self._newest[wanted.level]
        return lost
