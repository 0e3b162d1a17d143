"""What a bench run is asked to do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["BACKS", "DEVICES", "SITE", "TABLE", "Options"]

SITE, TABLE = "bench", "uth-1"
BACKS = ("red", "blue")
DEVICES: Mapping[str, tuple[str, ...]] = {
    "dealing_shoe": ("shuffler", "shoe", "progressive"),
    "shuffler": ("shuffler", "progressive"),
}
"""Kinds of device at the table, by dealing method. Each is called `<kind>-1`."""


@dataclass(frozen=True, slots=True)
class Options:
    """`rounds`: 0 = until stopped. `broker`: auto | memory | mqtt://host:port. `elections`: reading -> choice, else cautious.

    `journal`: None = in the private directory, which then goes with the run. `slow_sync_ms`: added to each sync of the
    daemon. `seconds`: longest run, 0 = no limit; rounds that are not through by then have failed. `kills`: how many times
    the daemon is killed at a random moment. `keep`: where the private directory is kept, None = nowhere.
    """

    rulebook: str = "md-uth"
    rounds: int = 10
    speed: float = 10.0
    mishaps: tuple[str, ...] = ()
    method: str = "dealing_shoe"
    broker: str = "auto"
    journal: Path | None = None
    seed: int = 1
    seats: int = 6
    elections: Mapping[str, str] = field(default_factory=dict)
    recognition: bool = False
    counting: bool = True
    slow_sync_ms: int = 0
    seconds: float = 0.0
    kills: int = 0
    keep: Path | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        return DEVICES[self.method]
