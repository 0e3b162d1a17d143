"""Where a gaming day of the record begins and ends, as a statement that is signed when the day is closed.

The heads bind every byte of the day's records through the chain, so nothing else of them needs a signature.
"""

import re
from collections.abc import Mapping
from hashlib import sha256

import msgspec

from controller.clock import ClockState, Stamp
from controller.journal.chain import FORMAT
from controller.journal.disk.file import Description
from controller.journal.proof.checkpoint import HeadTold
from controller.journal.proof.keys import ALGORITHM, PublicKey, SigningKey
from controller.journal.record import Stream
from controller.journal.seal import Head
from drivers.protocol.records import dataclass

WHAT = "tablewarden segment"
"""First key of each statement: what has signed it can never be taken for a signature of something else."""
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
"""It becomes the name of a file, and nothing else may."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A position between two records. `heads`: the last record of each stream before it; `order`: of the last
    record of all."""

    heads: Mapping[Stream, Head]
    order: int


@dataclass(frozen=True, slots=True)
class Boundary:
    """The signed statement of a closed day, in this order of keys.

    `after`, `order_before`: the last records before the day; `heads`, `order`: its last records; `time_us`,
    `clock`: when it was closed; `algorithm`, `key`: its signer, "" = unsigned.
    """

    what: str
    format: int
    journal: str
    site: str
    table: str
    created_us: int
    day: str
    after: Mapping[str, HeadTold]
    order_before: int
    heads: Mapping[str, HeadTold]
    order: int
    time_us: int
    clock: ClockState
    algorithm: str
    key: str

    @property
    def begin(self) -> Mark:
        """The position before the segment's first record."""
        return Mark(_heads(self.after), self.order_before)

    @property
    def end(self) -> Mark:
        """The position after the segment's last record."""
        return Mark(_heads(self.heads), self.order)

    @property
    def description(self) -> Description:
        """The journal's description, as in a file that holds this day alone."""
        return Description(self.journal, self.site, self.table, self.created_us, self.order_before)

    @property
    def file_name(self) -> str:
        """The segment's name: gaming day, place in the record and heads, so that names sort like days and are
        unique."""
        digest = sha256("".join(self.heads[stream.value].hash for stream in Stream).encode()).hexdigest()
        return f"{self.day}-{self.order_before + 1:012d}-{self.order:012d}-{digest[:16]}.segment"

    def signed_by(self, text: str, signature: str, keys: Mapping[str, PublicKey]) -> bool:
        """Returns True if one of these keys signed this very text. `keys`: by id."""
        key = keys.get(self.key)
        try:
            made = bytes.fromhex(signature)
            return key is not None and made.hex() == signature and key.has_signed(made, text.encode())
        except ValueError:
            return False


class BoundaryUnreadable(Exception):
    """The text is no statement of a closed day, or one of a later release."""


def closed_day(
    key: SigningKey | None, about: Description, day: str, begin: Mark, end: Mark, at: Stamp
) -> tuple[str, str]:
    """Returns the statement as JSON without blanks, and its signature as 128 hex digits ("" without a key)."""
    boundary = Boundary(
        WHAT, FORMAT, about.id, about.site, about.table, about.created_us, day, _told(begin.heads), begin.order,
        _told(end.heads), end.order, at.wall_us, at.clock, ALGORITHM if key else "", key.public.id if key else "",
    )  # fmt: skip
    text = msgspec.json.encode(boundary)
    return text.decode(), key.sign(text).hex() if key else ""


def read_boundary(text: str | bytes) -> Boundary:
    """Returns the boundary in a statement. Raises `BoundaryUnreadable`."""
    try:
        boundary = msgspec.json.decode(text, type=Boundary)
        marks = boundary.begin, boundary.end
    except (msgspec.MsgspecError, ValueError, KeyError, RecursionError) as exc:
        raise BoundaryUnreadable(f"is no statement of a closed day: {exc}") from exc
    if boundary.what != WHAT:
        raise BoundaryUnreadable(f"is {boundary.what!r}, no closed day")
    if boundary.format > FORMAT:
        raise BoundaryUnreadable(f"has format {boundary.format}, and this release knows up to {FORMAT}")
    if DAY.fullmatch(boundary.day) is None:
        raise BoundaryUnreadable(f"is of {boundary.day!r}, which is no day")
    count = sum(marks[1].heads[s].sequence - marks[0].heads[s].sequence for s in Stream)
    if boundary.order - boundary.order_before != count or count <= 0:
        raise BoundaryUnreadable("does not say how many records it is of")
    return boundary


def _told(heads: Mapping[Stream, Head]) -> dict[str, HeadTold]:
    return {stream.value: HeadTold(heads[stream].sequence, heads[stream].recordhash.hex()) for stream in Stream}


def _heads(told: Mapping[str, HeadTold]) -> dict[Stream, Head]:
    return {s: Head(told[s.value].sequence, bytes.fromhex(told[s.value].hash)) for s in Stream}
