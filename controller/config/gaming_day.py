"""The calendar of gaming days: a day begins at the same local time each day, and is named by the date on which it began."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from controller.readers.table import Table
from controller.table.words.inputs import GamingDayTold
from drivers.protocol.records import dataclass

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
OFFSET = re.compile(r"([+-])(\d{2}):(\d{2})")
CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class GamingCalendar:
    """`begins`: local time of day at which a gaming day begins."""

    begins: time
    zone: tzinfo

    def day_at(self, wall_us: int) -> GamingDayTold:
        """The gaming day of this moment. `wall_us`: Unix time, microseconds.

        Where clocks are put back over the beginning it is the first of the two; where they are put forward over it, the
        moment at which it would have come by the old time. A day has 23 to 25 hours then.
        """
        today = (EPOCH + timedelta(microseconds=wall_us)).astimezone(self.zone).date()
        for day in (today, today - timedelta(days=1)):
            begins_us = self._begins_us(day)
            if begins_us <= wall_us:
                break
        return GamingDayTold(day.isoformat(), begins_us, self._begins_us(day + timedelta(days=1)))

    def _begins_us(self, day: date) -> int:
        return (datetime.combine(day, self.begins, self.zone).astimezone(UTC) - EPOCH) // MICROSECOND


def calendar(begins: str, zone: str) -> GamingCalendar:
    """`begins`: "06:00"; `zone`: a name of the tz database or an offset as "-05:00". Raises `ValueError` in words."""
    clock = CLOCK.fullmatch(begins)
    if clock is None:
        raise ValueError(f"is a time of day as 06:00, not {begins!r}")
    return GamingCalendar(time(int(clock[1]), int(clock[2])), _zone(zone))


def read_calendar(section: Table) -> GamingCalendar | None:
    """When the gaming day begins, in which time zone: both or neither."""
    begins, zone = section.maybe_text("gaming_day"), section.maybe_text("time_zone")
    if begins is None or zone is None:
        if begins is not None or zone is not None:
            section.fault(
                "gaming_day" if begins else "time_zone",
                "'gaming_day' and 'time_zone' belong together",
                "keys_together",
            )
        return None
    try:
        return calendar(begins, zone)
    except ValueError as exc:
        section.fault("gaming_day", str(exc), "text_unfit")
        return None


def _zone(zone: str) -> tzinfo:
    offset = OFFSET.fullmatch(zone)
    if offset is not None:
        minutes = int(offset[2]) * 60 + int(offset[3])
        if minutes >= 24 * 60:
            raise ValueError(f"{zone!r} is no offset from UTC")
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as exc:
        raise ValueError(f"{zone!r} is no time zone that this machine knows, nor an offset as -05:00") from exc
