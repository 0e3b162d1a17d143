"""A closed gaming day of the record as one file that proves by itself, for ever and without the rest.

    tablewarden segment 1
    {statement of the day}
    {its signature, or nothing}
    xz of one line a record: header, salt in hex, body; columns apart by tabs
    SHA-256 in hex of all bytes before

Hashes of records are not kept: they follow from header, salt and body, and must lead from where the day begins to the heads
that the statement names. Nothing in such a file ever changes.
"""

import lzma
import os
from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from controller.journal.archive.boundary import Boundary, BoundaryUnreadable, read_boundary
from controller.journal.chain import FORMAT, data_hash, header_of, record_hash
from controller.journal.errors import JournalDamaged, JournalError, JournalForeign, JournalMissing, JournalNewer
from controller.journal.record import Record, Stream
from controller.journal.seal import Head
from controller.journal.view import Brief

FIRST_WORDS = b"tablewarden segment "
SUM_BYTES = 65
"""64 hex digits and the end of their line."""
PRESET = 6
"""Of xz: two thirds of the size that zlib gives, at 3 MB/s; a day takes some 20 s of the least urgent time there is."""
CHUNK = 1 << 20
HEAD_BYTES = 1 << 14
UNREADABLE = (lzma.LZMAError, ValueError, KeyError, TypeError, RecursionError, msgspec.MsgspecError, NoBase64)
"""The exceptions that invalid bytes of a segment cause."""


class SegmentUnfit(JournalError):
    """A segment cannot be made, because the live record differs from what was closed. `found`: how."""

    def __init__(self, name: str, found: str) -> None:
        super().__init__(f"{name}: not sealed: {found}; prove the record (`tablewarden journal verify`)")
        self.name, self.found = name, found


def peek(path: Path) -> Boundary:
    """Returns a segment's statement without reading the rest. Raises as `Segment.open` does."""
    try:
        with path.open("rb") as file:
            first, text = file.readline(HEAD_BYTES).rstrip(b"\n"), file.readline(HEAD_BYTES).rstrip(b"\n")
    except OSError as exc:
        raise (
            JournalMissing(path) if isinstance(exc, FileNotFoundError) else JournalDamaged(path, str(exc))
        ) from exc
    if not first.startswith(FIRST_WORDS):
        raise JournalForeign(path, "something else", "a segment of a record")
    return _boundary(path, first, text)


def _boundary(path: Path, first: bytes, text: bytes) -> Boundary:
    version = first[len(FIRST_WORDS) :]
    if version != b"%d" % FORMAT:
        if version.isdigit():
            raise JournalNewer(path, int(version), FORMAT)
        raise JournalDamaged(path, "its first line is none of a segment")
    try:
        return read_boundary(text)
    except BoundaryUnreadable as exc:
        raise JournalDamaged(path, f"its statement {exc}") from exc


def is_segment(path: Path) -> bool:
    """Returns True for a file that begins like a segment. Never raises."""
    try:
        with path.open("rb") as file:
            return file.read(len(FIRST_WORDS)) == FIRST_WORDS
    except OSError:
        return False


def write_segment(path: Path, records: Iterable[Record], boundary: Boundary, text: str, signature: str) -> None:
    """Writes the records of a closed day to a new file, durably; `text`: the statement that `boundary` was read from.

    Raises `SegmentUnfit` where the records do not lead to what was closed, `OSError`, and what reading them raises.
    """
    packer, digest = lzma.LZMACompressor(preset=PRESET), sha256()
    heads = dict(boundary.begin.heads)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o640)
    with open(descriptor, "wb") as file:

        def put(data: bytes) -> None:
            digest.update(data)
            file.write(data)

        put(b"%b%d\n%b\n%b\n" % (FIRST_WORDS, FORMAT, text.encode(), signature.encode()))
        for record in records:
            put(packer.compress(line(boundary.journal, record)))
            heads[record.stream] = Head(record.sequence, record.recordhash)
        if heads != boundary.end.heads:
            raise SegmentUnfit(boundary.file_name, "its records do not lead to the heads that were closed")
        put(packer.flush())
        file.write(digest.hexdigest().encode() + b"\n")
        file.flush()
        os.fsync(descriptor)


def line(journal: str, r: Record) -> bytes:
    """Returns one record as a line of a segment."""
    is_plain = r.data[:1] == b"{" and b"\n" not in r.data and b"\t" not in r.data
    body = r.data if is_plain else b"=" + b64encode(r.data)
    return b"%b\t%b\t%b\n" % (header_of(journal, r), r.salt.hex().encode(), body)


class Segment:
    """One opened segment, unchanged since it was sealed. Its signature is for a proof to check."""

    def __init__(
        self, path: Path, boundary: Boundary, text: str, signature: str, payload: bytes, digest: str
    ) -> None:
        """Use `open`."""
        self.path, self.boundary, self.text, self.signature = path, boundary, text, signature
        self.sha256 = digest
        self._payload = payload

    @classmethod
    def open(cls, path: Path) -> "Segment":
        """Reads the file whole, some megabytes. Raises `JournalMissing`, `JournalForeign`, `JournalNewer`, `JournalDamaged`."""
        try:
            whole = path.read_bytes()
        except FileNotFoundError as exc:
            raise JournalMissing(path) from exc
        except OSError as exc:
            raise JournalDamaged(path, f"cannot be read: {exc.strerror}") from exc
        if not whole.startswith(FIRST_WORDS):
            raise JournalForeign(path, "something else", "a segment of a record")
        if whole[-SUM_BYTES:] != sha256(whole[:-SUM_BYTES]).hexdigest().encode() + b"\n":
            raise JournalDamaged(path, "these are not the bytes that were sealed; get another copy")
        first, *rest = whole[:-SUM_BYTES].split(b"\n", 3)
        boundary = _boundary(path, first, rest[0] if rest else b"")
        if len(rest) < 3 or not rest[1].isascii():
            raise JournalDamaged(path, "it has no signature and no records")
        text, signature, payload = rest
        return cls(path, boundary, text.decode(), signature.decode(), payload, sha256(whole).hexdigest())

    def records(self) -> Iterator[Record]:
        """Every record in order, its hashes worked out anew. Raises `JournalDamaged` at the end where they do not lead to the
        heads that were closed, or before it where a line is none.
        """
        heads, order = dict(self.boundary.begin.heads), self.boundary.order_before
        journal = self.boundary.journal
        try:
            for line in _lines(self._payload):
                record = _record(line, heads)
                heads[record.stream] = Head(record.sequence, record.recordhash)
                order += 1
                if record.order != order or line[: line.index(b"\t")] != header_of(journal, record):
                    raise JournalDamaged(self.path, f"record {record.order} does not stand in its place")
                yield record
        except UNREADABLE as exc:
            raise JournalDamaged(self.path, f"cannot be read behind order {order}: {exc}") from exc
        if heads != self.boundary.end.heads:
            raise JournalDamaged(self.path, "its records do not lead to the heads that were closed")

    def briefs(self) -> Iterator[tuple[Stream, Brief]]:
        """Every record in order without its hashes, some three times as fast. Raises `JournalDamaged`."""
        try:
            for line in _lines(self._payload):
                header, _, body = line.split(b"\t")
                h = _decode(header)
                yield Stream(h[2]), Brief(h[3], h[5], h[6], h[7], h[8], h[10], _body(body))
        except UNREADABLE as exc:
            raise JournalDamaged(self.path, f"cannot be read: {exc}") from exc


def _lines(payload: bytes) -> Iterator[bytes]:
    unpacker, rest = lzma.LZMADecompressor(lzma.FORMAT_XZ), b""
    data = payload
    while not unpacker.eof:
        text = unpacker.decompress(data, CHUNK)
        data = b""
        if not text and unpacker.needs_input:
            raise ValueError("it ends too early")
        *lines, rest = (rest + text).split(b"\n")
        yield from lines
    if rest or unpacker.unused_data:
        raise ValueError("something stands behind its end")


_decode = msgspec.json.Decoder(list).decode


def _body(column: bytes) -> bytes:
    return b64decode(column[1:], validate=True) if column[:1] == b"=" else column


def _record(line: bytes, heads: dict[Stream, Head]) -> Record:
    header, salt_hex, body = line.split(b"\t")
    salt = bytes.fromhex(salt_hex.decode())
    data = _body(body)
    (
        _, _, stream, sequence, order, kind, version, subject, round_id, cause, time_us, recorded_us, mono_ns, boot, clock,
        origin,
    ) = _decode(header)  # fmt: skip
    head = heads[stream]
    if sequence != head.sequence + 1:
        raise ValueError(f"{stream}/{sequence} follows {stream}/{head.sequence}")
    datahash = data_hash(salt, data)
    return Record(
        Stream(stream), sequence, kind, version, subject, round_id, cause, time_us, recorded_us, mono_ns, boot, clock,
        data, head.recordhash, record_hash(head.recordhash, header, datahash), datahash, salt, order,
        tuple(origin) if origin else None,
    )  # fmt: skip
