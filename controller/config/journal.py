"""`[journal]` of a table's file: where the record is, and the keys that sign it and seal it."""

from pathlib import Path

from controller.readers.table import Table
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class JournalConfig:
    """`key`: signs the record; None = nobody signs it. `vault`: seals the faces of cards; None = in the clear."""

    path: Path
    key: Path | None = None
    vault: Path | None = None


def journal_in(root: Table, base: Path, *, production: bool) -> JournalConfig:
    """Reads the section; its faults are those of the file."""
    section = root.table("journal")
    found = JournalConfig(
        section.path("path", base), section.maybe_path("key", base), section.maybe_path("vault", base)
    )
    if production and found.key is None:
        section.fault(
            "key",
            "is missing; in production the record is signed (`tablewarden journal key --new FILE` makes a key)",
            "needed_in_production",
        )
    if production and found.vault is None:
        section.fault(
            "vault",
            "is missing; in production no card is recorded in the clear (`tablewarden vault key --new FILE` makes one)",
            "needed_in_production",
        )
    section.close()
    return found
