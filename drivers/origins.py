"""Where a report came from, in the words of the record."""

from drivers.events import Origin
from drivers.protocol.host import Reported
from drivers.protocol.messages import Identity

__all__ = ["boot_words", "origin_of"]


def origin_of(event: Reported, who: Identity | None) -> Origin:
    """The origin of a report that the device `who` made."""
    serial = who.serial if who else ""
    chain = event.chain.hex() or None
    return Origin(serial, boot_words(event.boot), event.counter, event.tick_us, event.from_log, chain)


def boot_words(boot: int) -> str:
    """A boot as it stands in the record: 16 hex digits."""
    return f"{boot:016x}"
