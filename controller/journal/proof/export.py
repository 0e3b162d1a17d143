"""A journal as plain text that a stranger can prove with `sha256sum` and `openssl`; docs/record.md tells how.

One line a record, in the order of the whole record, columns apart by tabs, which neither JSON nor hex holds.
"""

from collections.abc import Iterator, Mapping

from controller.journal.chain import FORMAT, header_of
from controller.journal.disk.file import Anchor, Description
from controller.journal.reading import Reading
from controller.journal.record import Record, Stream
from controller.journal.seal import Head

COLUMNS = ("stream", "sequence", "header", "salt", "data", "datahash", "recordhash")
WITHHELD = "-"
"""Stands for salt and body of a withheld body; its commitment still proves the chain."""


def export_lines(view: Reading) -> Iterator[str]:
    """Yields the journal's description, what each stream follows, and every record. Raises `JournalDamaged`.

    Raises `JournalDamaged`.
    """
    yield from opening_lines(view.description, view.description.order_before, view.anchors)
    for record in view.merged(Stream):
        yield record_line(view.description.id, record)
    if (sealed := view.sealed_end()) is not None:
        statement, signature = sealed
        yield _line("segment", statement, signature or WITHHELD)


def opening_lines(about: Description, order_before: int, begin: Mapping[Stream, Anchor | Head]) -> Iterator[str]:
    """Yields the lines before the records: the journal, and the last earlier record of each stream and of all."""
    yield _line("journal", FORMAT, about.id, about.site, about.table, about.created_us, order_before)
    for stream in Stream:
        yield _line("anchor", stream.value, begin[stream].sequence, begin[stream].recordhash.hex())


def record_line(journal: str, r: Record, *, is_withheld: bool = False) -> str:
    """Returns one record as a line, with its body or without."""
    salt, data = (
        (WITHHELD, WITHHELD) if is_withheld else (r.salt.hex(), r.data.decode("utf-8", "backslashreplace"))
    )
    header = header_of(journal, r).decode()
    return _line(r.stream.value, r.sequence, header, salt, data, r.datahash.hex(), r.recordhash.hex())


def _line(*columns: object) -> str:
    return "\t".join(map(str, columns)) + "\n"
