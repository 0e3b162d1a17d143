"""The bytes under the hash, against vectors written by hand and against another JSON encoder."""

import json
import struct
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from controller.journal.chain import data_hash, genesis_hash, header_bytes, header_of, record_hash
from controller.journal.record import Record, Stream

JOURNAL = "0f1e2d3c4b5a6978"
HEADER = (
    b'[1,"0f1e2d3c4b5a6978","input",3,7,"device_report",1,"shoe-1",null,null,'
    b'1767225600000000,1767225600000137,9007199254740993,"00000000000000b1","synced",'
    b'["SHOE-0042","00000000000000d1",18446744073709551615]]'
)
RECORD = Record(
    Stream.INPUT, 3, "device_report", 1, "shoe-1", None, None, 1767225600000000, 1767225600000137, 9007199254740993,
    "00000000000000b1", "synced", b'{"cards":52}', bytes(32), b"", b"", bytes(range(16)), 7,
    ("SHOE-0042", "00000000000000d1", 18446744073709551615),
)  # fmt: skip

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(0, 2**63 - 1)
columns = st.tuples(
    texts, numbers, texts, st.none() | texts, st.none() | texts, numbers, numbers, numbers, texts, texts
)
origins = st.none() | st.tuples(texts, texts, st.integers(0, 2**64 - 1))


def test_the_header_is_the_array_that_the_format_says() -> None:
    """Every column in its place; numbers beyond 2^53 stay exact; what is not there is null."""
    assert header_of(JOURNAL, RECORD) == HEADER


def test_the_hashes_are_those_of_the_hand_made_bytes() -> None:
    """Length as eight bytes, big end first, before each part; the values came from sha256sum over the bytes of the format."""
    datahash = data_hash(RECORD.salt, RECORD.data)
    assert datahash.hex() == "0633c5dcc882e819b7e7f76c7e4581b4b3d1e4c908fceb6ba5e9b3c5c15a95fb"
    assert (
        record_hash(bytes(32), HEADER, datahash).hex()
        == "f0dcd62b514b707756fa899ae135c9b6d51a8cab94edfce9396b227630f9a69d"
    )


def test_the_genesis_binds_the_chain_to_one_stream_of_one_journal_of_one_table() -> None:
    """Changing any word of the description or the stream gives another first link."""
    said = (JOURNAL, "lv01", "uth-017", 1767225600000000)
    text = b'["tablewarden journal",1,"0f1e2d3c4b5a6978","lv01","uth-017",1767225600000000,"main"]'
    assert genesis_hash(*said, Stream.MAIN) == sha256(text).digest()
    others = [("0" * 16, *said[1:]), (JOURNAL, "lv02", *said[2:]), (*said[:2], "uth-018", said[3]), (*said[:3], 1)]
    made = {genesis_hash(*other, Stream.MAIN) for other in others} | {genesis_hash(*said, s) for s in Stream}
    assert len(made) == 7


@given(stream=st.sampled_from(Stream), sequence=numbers, order=numbers, columns=columns, origin=origins)
def test_the_header_is_plain_json_that_gives_every_column_back(
    stream: Stream,
    sequence: int,
    order: int,
    columns: tuple[str | int | None, ...],
    origin: tuple[str, str, int] | None,
) -> None:
    """Another encoder makes the same bytes, and no two different headers have the same bytes."""
    header = header_bytes(JOURNAL, stream.value, sequence, order, columns, origin)
    fields = [1, JOURNAL, stream.value, sequence, order, *columns, list(origin) if origin else None]
    assert header == json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    assert json.loads(header) == fields


@given(prevhash=st.binary(min_size=32, max_size=32), header=st.binary(max_size=200), salt=st.binary(max_size=40),
       data=st.binary(max_size=200))  # fmt: skip
def test_the_hashes_are_length_prefixed_sha256(prevhash: bytes, header: bytes, salt: bytes, data: bytes) -> None:
    """So no byte can move from one part into its neighbour unseen."""

    def by_hand(*parts: bytes) -> bytes:
        whole = sha256()
        for part in parts:
            whole.update(struct.pack(">Q", len(part)) + part)
        return whole.digest()

    datahash = data_hash(salt, data)
    assert datahash == by_hand(salt, data)
    assert record_hash(prevhash, header, datahash) == by_hand(prevhash, header, datahash)
