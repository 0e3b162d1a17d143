"""What a closed day says to a look-back, beside its segment: the rounds that were dealt, and the verdicts on sets.

    tablewarden rounds 1 {release}
    {SHA-256 in hex of all bytes behind this line}
    zlib of JSON

Derived and disposable, as a snapshot is: a look-back over a month would else fold a month. One of another release, or one that
is not whole, is passed over, and the record itself is folded in its place.
"""

import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import msgspec

from controller import __distribution__
from controller.journal import medium
from controller.journal.errors import JournalError
from controller.journal.opening import opened
from controller.journal.record import Stream
from controller.journal.shelf import all_in
from controller.journal.view import Brief, Progress, quiet
from controller.replay import NotReplayable
from controller.table import facts as f
from controller.table.codec import UnknownKind
from controller.touched import Touched, empty_table, touched_in

__all__ = ["VERDICTS", "DayRounds", "by_set", "newest_first", "note_rounds", "write_day"]

VERDICTS = (f.SetChecked.kind, f.StubCounted.kind, f.SetBrought.kind, f.SetRemoved.kind)
"""Kinds that may say that nothing is to be laid to the set: it was found right, or other cards came in its place."""
SUFFIX = ".rounds"
FIRST_LINE = f"tablewarden rounds 1 {version(__distribution__)}\n".encode()
MOST = 40
"""Days that are worked out at once, some seconds each; after an update the older ones follow with the next hours."""
LEVEL = 6
_Row = tuple[int, str, int, str, str | None, int, str]


class DayRounds(msgspec.Struct, frozen=True):
    """`after`, `through`: behind which record of MAIN the day begins, and its last one; `segment`: the name of its file; `told`:
    its verdicts, oldest first; `rounds`: by set, as JSON."""

    segment: str
    after: int
    through: int
    told: tuple[_Row, ...]
    rounds: dict[str, msgspec.Raw]

    def of(self, back: str) -> list[Touched]:
        """The rounds of one set; those of the others are not looked into."""
        return _ROUNDS.decode(self.rounds[back]) if back in self.rounds else []

    @property
    def verdicts(self) -> Iterator[Brief]:
        """The newest first."""
        return (Brief(*row[:6], row[6].encode()) for row in reversed(self.told))


_DECODER, _ROUNDS = msgspec.json.Decoder(DayRounds), msgspec.json.Decoder(list[Touched])


def note_rounds(folder: Path, told: Progress = quiet) -> list[str]:
    """Works out what is missing of the segments in a folder, the newest days first; gives the names. Raises `OSError`.

    A day that cannot be read is left out: a look-back that needs it says why.
    """
    made: list[str] = []
    for named in reversed(all_in(folder)):
        target = named.path.with_suffix(SUFFIX)
        if _is_of_this_release(target):
            continue
        try:
            day = _worked_out(named.path, told)
        except (JournalError, NotReplayable, UnknownKind):
            continue
        write_day(target, day)
        made.append(target.name)
        if len(made) == MOST:
            break
    return made


def write_day(path: Path, day: DayRounds) -> None:
    """Whole or not at all. Raises `OSError`."""
    packed = zlib.compress(msgspec.json.encode(day), LEVEL)
    draft = path.with_name(path.name + medium.PART)
    medium.write(draft, FIRST_LINE + sha256(packed).hexdigest().encode() + b"\n" + packed)
    draft.replace(path)


def newest_first(folder: Path) -> Iterator[DayRounds]:
    """The days of a folder as they are asked for, without those that were not worked out."""
    for named in reversed(all_in(folder)):
        day = _read(named.path)
        if day is not None:
            yield day


def _is_of_this_release(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(FIRST_LINE)) == FIRST_LINE
    except OSError:
        return False


def _read(segment: Path) -> DayRounds | None:
    try:
        whole = segment.with_suffix(SUFFIX).read_bytes()
        if not whole.startswith(FIRST_LINE):
            return None
        digest, _, packed = whole[len(FIRST_LINE) :].partition(b"\n")
        if digest != sha256(packed).hexdigest().encode():
            return None
        day = _DECODER.decode(zlib.decompress(packed))
    except (OSError, zlib.error, msgspec.MsgspecError):
        return None
    return day if day.segment == segment.name else None


def _worked_out(segment: Path, told: Progress) -> DayRounds:
    with opened(segment, told) as view:
        after, through = view.anchors[Stream.MAIN].sequence, view.last()[0][Stream.MAIN].sequence
        state = empty_table(view)
        rows = [b for b in view.briefly(Stream.MAIN, after, through) if b.kind in VERDICTS]
        rounds = by_set(touched_in(view, state, state.sets, after, through))
    verdicts = tuple((*row[:6], row.data.decode(errors="replace")) for row in rows)
    return DayRounds(segment.name, after, through, verdicts, rounds)


def by_set(rounds: Iterable[Touched]) -> dict[str, msgspec.Raw]:
    """Rounds as a day keeps them."""
    found: dict[str, list[Touched]] = {}
    for touched in rounds:
        found.setdefault(touched.back, []).append(touched)
    return {back: msgspec.Raw(msgspec.json.encode(own)) for back, own in found.items()}
