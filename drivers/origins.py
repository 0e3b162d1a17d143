"""Where a report came from, and what its device has proven, in the words of the record."""

from drivers.events import FirmwareMeasured, Origin
from drivers.protocol.host import Reported
from drivers.protocol.messages import Identity

__all__ = ["boot_words", "hash_words", "measured", "origin_of"]


def origin_of(event: Reported, who: Identity | None) -> Origin:
    """The origin of a report that the device `who` made."""
    serial = who.serial if who else ""
    chain = event.chain.hex() or None
    return Origin(serial, boot_words(event.boot), event.counter, event.tick_us, event.from_log, chain)


def measured(who: Identity | None, boot: int | None) -> FirmwareMeasured:
    """What was found out about the firmware of the device `who` in this boot."""
    if who is None or boot is None:
        raise AssertionError("a device is measured after its welcome")
    return FirmwareMeasured(who.serial, boot_words(boot), who.firmware_hash.hex())


def hash_words(digest: bytes) -> str | None:
    """A hash that a device tells, as 64 hex digits; None for the zeros that mean that it does not."""
    return digest.hex() if any(digest) else None


def boot_words(boot: int) -> str:
    """A boot as it stands in the record: 16 hex digits."""
    return f"{boot:016x}"
