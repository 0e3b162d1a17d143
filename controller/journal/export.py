"""A journal as plain text that a stranger can prove with `sha256sum` and `openssl`; docs/record.md tells how.

One line a record, in the order of the whole record, columns apart by tabs, which neither JSON nor hex holds.
"""

from collections.abc import Iterator

from controller.journal.chain import FORMAT, header_of
from controller.journal.reading import Reading
from controller.journal.record import Record, Stream

__all__ = ["COLUMNS", "export_lines"]

COLUMNS = ("stream", "sequence", "header", "salt", "data", "datahash", "recordhash")


def export_lines(view: Reading) -> Iterator[str]:
    """The journal's description, what each stream follows, and every record. Raises `JournalDamaged`."""
    about = view.description
    yield _line("journal", FORMAT, about.id, about.site, about.table, about.created_us, about.order_before)
    for stream in Stream:
        anchor = view.anchors[stream]
        yield _line("anchor", stream.value, anchor.sequence, anchor.recordhash.hex())
    for record in view.merged(Stream):
        yield _record(about.id, record)


def _record(journal: str, r: Record) -> str:
    return _line(
        r.stream.value, r.sequence, header_of(journal, r).decode(), r.salt.hex(), r.data.decode("utf-8", "backslashreplace"),
        r.datahash.hex(), r.recordhash.hex(),
    )  # fmt: skip


def _line(*columns: object) -> str:
    return "\t".join(map(str, columns)) + "\n"
