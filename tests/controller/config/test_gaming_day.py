"""The calendar of gaming days: which one a moment belongs to, also where clocks are changed."""

from datetime import UTC, datetime

import pytest

from controller.config.gaming_day import calendar

HOUR_US = 3_600_000_000


def at(text: str) -> int:
    """Unix time in microseconds of a moment in UTC."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        ("2026-11-28T10:59:59", "2026-11-27"),
        ("2026-11-28T11:00:00", "2026-11-28"),
        ("2026-11-29T10:59:59", "2026-11-28"),
        ("2026-07-01T09:59:59", "2026-06-30"),
        ("2026-07-01T10:00:00", "2026-07-01"),
    ],
)
def test_a_day_begins_at_its_local_time(moment, day):
    """Six in New York is eleven or ten in UTC, by the season; both sides of the second."""
    told = calendar("06:00", "America/New_York").day_at(at(moment))
    assert told.day == day
    assert told.begins_us <= at(moment) < told.ends_us


@pytest.mark.parametrize(
    ("moment", "hours"), [("2026-03-08T07:00:00", 23), ("2026-11-01T08:00:00", 25), ("2026-11-02T12:00:00", 24)]
)
def test_a_day_in_which_clocks_are_changed_is_shorter_or_longer(moment, hours):
    """In March one hour is missing, in November one is there twice."""
    told = calendar("06:00", "America/New_York").day_at(at(moment))
    assert told.ends_us - told.begins_us == hours * HOUR_US


def test_days_follow_each_other_without_a_gap_though_they_begin_in_the_changed_hour():
    """At half past one, which comes twice in November, and half past two, which is missing in March."""
    for begins in ("01:30", "02:30"):
        days = calendar(begins, "America/New_York")
        moment, ends = at("2026-03-06T12:00:00"), None
        for _ in range(260):
            told = days.day_at(moment)
            assert ends in (None, told.begins_us)
            assert told.begins_us <= moment < told.ends_us
            moment, ends = told.ends_us, told.ends_us


def test_an_offset_serves_where_no_zone_is_named():
    """Four in the morning five hours behind UTC, and half past five ahead of it."""
    assert calendar("04:00", "-05:00").day_at(at("2026-01-02T09:00:00")).begins_us == at("2026-01-02T09:00:00")
    assert calendar("04:00", "+05:30").day_at(at("2026-01-01T22:30:00")).begins_us == at("2026-01-01T22:30:00")


@pytest.mark.parametrize(
    ("begins", "zone", "said"),
    [
        ("6:00", "UTC", "is a time of day as 06:00, not '6:00'"),
        ("24:00", "UTC", "is a time of day as 06:00, not '24:00'"),
        ("06:00", "New York", "'New York' is no time zone"),
        ("06:00", "../etc/passwd", "is no time zone"),
        ("06:00", "-99:00", "is no offset from UTC"),
    ],
)
def test_what_is_no_time_or_no_zone_is_named(begins, zone, said):
    """With what would be one."""
    with pytest.raises(ValueError, match=said.replace(".", r"\.").replace("(", r"\(")):
        calendar(begins, zone)
