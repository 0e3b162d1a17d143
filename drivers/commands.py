"""What the controller may want of a device: standing levels. There is no command that moves a card."""

from dataclasses import dataclass

from drivers.protocol.reports import (
    ALLOWED,
    ENGAGED,
    INHIBITED,
    RELEASED,
    SAFE_VALUE,
    Level,
)

__all__ = ["ALLOWED", "ENGAGED", "INHIBITED", "RELEASED", "SAFE_VALUE", "Level", "WantedLevel"]


@dataclass(frozen=True, slots=True)
class WantedLevel:
    """One level that shall hold at one device. `operation`: u64, unique for each change of mind; repeats carry the same."""

    device: str
    level: Level
    value: str
    operation: int

    @property
    def is_safe(self) -> bool:
        """True where this value is the safe side of its level: it may go ahead of the record."""
        return SAFE_VALUE.get(self.level) == self.value
