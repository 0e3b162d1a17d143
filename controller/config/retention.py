"""How long a record is kept where, as configured."""

from pathlib import Path

from controller.config.gaming_day import GamingCalendar
from controller.readers.table import Table
from drivers.protocol.records import dataclass

KEEP_DAYS = (2, 3660)
"""Fewest and most days that may be set: a look-back over yesterday never needs a segment."""


@dataclass(frozen=True, slots=True)
class Retention:
    """`copy`: the folder of the second place, None = there is none. `keep_days`: gaming days that stay in the live file, None =
    all. `calendar`: by which days are closed, None = by UTC.
    """

    copy: Path | None = None
    keep_days: int | None = None
    calendar: GamingCalendar | None = None


def read_retention(section: Table, base: Path, calendar: GamingCalendar | None) -> Retention:
    """The section [retention] of a table; the reader adds its faults to those of the file."""
    copy, keep_days = section.maybe_path("copy", base), section.maybe_whole("keep_days", *KEEP_DAYS)
    if keep_days is not None and copy is None:
        section.fault(
            "keep_days", "nothing is pruned before it was copied: name a second place with 'copy'", "keys_together"
        )
    section.close()
    return Retention(copy, keep_days, calendar)
