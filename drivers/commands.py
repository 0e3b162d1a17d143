"""Commands that the controller may give a device: standing levels. No command moves a card."""

from drivers.protocol.records import dataclass
from drivers.protocol.reports import (
    SAFE_VALUE,
    Level,
)


@dataclass(frozen=True, slots=True)
class WantedLevel:
    """One level that a device shall hold. `operation`: u64, new for each decision; a repeat carries the old
    number."""

    device: str
    level: Level
    value: str
    operation: int

    @property
    def is_safe(self) -> bool:
        """True for the safe side of a level: such a command may go out before it is on record."""
        return SAFE_VALUE.get(self.level) == self.value
