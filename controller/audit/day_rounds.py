"""What a day says to a look-back: the rounds that were dealt, and the verdicts on sets. Beside the segment of a closed day;
the file of the open one goes on each hour.

    tablewarden rounds 3 {release}
    {SHA-256 in hex of all bytes behind this line}
    MessagePack, the rounds of each set packed by zlib for themselves

Derived and disposable, as a snapshot is: a look-back over a month would else fold a month. One of another release, or one that
is not whole, is passed over, and the record itself is folded in its place; so is one of an open day that does not end with a
record of this very chain, or after which the table was started, since a start may say that it is another table.
"""

import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import msgspec

from controller import __distribution__
from controller.audit.replay import NotReplayable
from controller.audit.rounds_of_set import Touched, empty_table, touched_in
from controller.journal.archive import medium
from controller.journal.archive.shelf import all_in
from controller.journal.errors import JournalError
from controller.journal.opening import opened
from controller.journal.reading import Reading
from controller.journal.record import Stream
from controller.journal.view import Brief, Progress, quiet
from controller.table.words import facts as f
from controller.table.words.codec import UnknownKind
from controller.table.words.inputs import ServiceStarted

VERDICTS = (f.SetChecked.kind, f.StubCounted.kind, f.SetBrought.kind)
"""Kinds that may say that nothing is to be laid to the set: it was found right, or other cards came in its place."""
SUFFIX = ".rounds"
OPEN = f"open{SUFFIX}"
FIRST_LINE = f"tablewarden rounds 3 {version(__distribution__)}\n".encode()
MOST = 40
"""Days that are worked out at once, some seconds each; after an update the older ones follow with the next hours."""
LEVEL = 6
_Row = tuple[int, str, int, str, str | None, int, str]


class DayRounds(msgspec.Struct, frozen=True):
    """A day's rounds. `after`, `through`: the record of MAIN before the day, and its last one.

    `segment`: its file's name, or for an open day the last record's hash in hex; `told`: verdicts, oldest first;
    `rounds`: by set, packed.
    """

    segment: str
    after: int
    through: int
    told: tuple[_Row, ...]
    rounds: dict[str, bytes]

    def of(self, back: str) -> list[Touched]:
        """Returns the rounds of one set without decoding the others."""
        return _ROUNDS.decode(zlib.decompress(self.rounds[back])) if back in self.rounds else []

    @property
    def verdicts(self) -> Iterator[Brief]:
        """Returns the verdicts on sets, newest first."""
        return (Brief(*row[:6], row[6].encode()) for row in reversed(self.told))


_DECODER, _ROUNDS = msgspec.msgpack.Decoder(DayRounds), msgspec.msgpack.Decoder(list[Touched])


def note_rounds(folder: Path, told: Progress = quiet) -> list[str]:
    """Works out the missing files of a folder's segments, newest days first; returns their names. Raises
    `OSError`.

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


def note_open_day(view: Reading, folder: Path) -> bool:
    """Folds the rounds of the open day, up to the round in play, into the day's file. Raises `OSError`.

    `folder`: of the segments. Returns False if nothing is new, or the day cannot be read.
    """
    with suppress(JournalError, NotReplayable, UnknownKind):
        newest = next(newest_first(folder), None)
        begin = max(view.anchors[Stream.MAIN].sequence, newest.through if newest else 0)
        known = _read(folder / OPEN)
        if known is None or known.after != begin or not _is_of(view, known):
            known = DayRounds("", begin, begin, (), {})
        through = _between_rounds(view, known.through)
        if through > known.through:
            folder.mkdir(exist_ok=True, parents=True)
            write_day(folder / OPEN, _gone_on(view, known, through))
            return True
    return False


def write_day(path: Path, day: DayRounds) -> None:
    """Writes a day's file whole or not at all. Raises `OSError`."""
    packed = msgspec.msgpack.encode(day)
    draft = path.with_name(path.name + medium.PART)
    medium.write(draft, FIRST_LINE + sha256(packed).hexdigest().encode() + b"\n" + packed)
    draft.replace(path)


def known_days(view: Reading, folder: Path) -> Iterator[DayRounds]:
    """Returns the open day as far as it was worked out, and the closed days, newest first."""
    closed = newest_first(folder)
    newest, day = next(closed, None), _read(folder / OPEN)
    if day is not None and (newest is None or day.through > newest.through) and _is_of(view, day):
        yield day
    if newest is not None:
        yield newest
        yield from closed


def newest_first(folder: Path) -> Iterator[DayRounds]:
    """Returns a folder's closed days, newest first, without those not worked out."""
    for named in reversed(all_in(folder)):
        day = _read(named.path.with_suffix(SUFFIX))
        if day is not None and day.segment == named.path.name:
            yield day


def _is_of_this_release(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(FIRST_LINE)) == FIRST_LINE
    except OSError:
        return False


def _read(path: Path) -> DayRounds | None:
    try:
        whole = path.read_bytes()
        if not whole.startswith(FIRST_LINE):
            return None
        digest, _, packed = whole[len(FIRST_LINE) :].partition(b"\n")
        if digest != sha256(packed).hexdigest().encode():
            return None
        return _DECODER.decode(packed)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None


def _is_of(view: Reading, day: DayRounds) -> bool:
    """Returns True if an open day's file ends with a record of this chain and the table was not restarted since."""
    if not view.anchors[Stream.MAIN].sequence < day.through <= view.last()[0][Stream.MAIN].sequence:
        return False
    if next(view.backwards(Stream.MAIN, (ServiceStarted.kind,), after=day.through), None) is not None:
        return False
    return _hash_of(view, day.through) == day.segment


def _hash_of(view: Reading, sequence: int) -> str:
    """Returns the hash of a record of MAIN, in hex."""
    return next(view.merged((Stream.MAIN,), {Stream.MAIN: sequence - 1})).recordhash.hex()


def _between_rounds(view: Reading, after: int) -> int:
    """Returns the newest record of MAIN after which no round is in play; `after` if there is none later."""
    newest = next(view.backwards(Stream.MAIN, (f.RoundBegun.kind, f.RoundEnded.kind), after=after), None)
    is_in_play = newest is not None and newest.kind == f.RoundBegun.kind
    return newest.sequence - 1 if newest and is_in_play else view.last()[0][Stream.MAIN].sequence


def _gone_on(view: Reading, known: DayRounds, through: int) -> DayRounds:
    state = empty_table(view)
    later = view.backwards(Stream.MAIN, VERDICTS, before=through + 1, after=known.through)
    told = (*known.told, *reversed([_row(brief) for brief in later]))
    before = [r for back in known.rounds for r in known.of(back)]
    rounds = by_set([*before, *touched_in(view, state, state.sets, known.through, through)])
    return DayRounds(_hash_of(view, through), known.after, through, told, rounds)


def _worked_out(segment: Path, told: Progress) -> DayRounds:
    with opened(segment, told) as view:
        after, through = view.anchors[Stream.MAIN].sequence, view.last()[0][Stream.MAIN].sequence
        state = empty_table(view)
        rows = [b for b in view.briefly(Stream.MAIN, after, through) if b.kind in VERDICTS]
        rounds = by_set(touched_in(view, state, state.sets, after, through))
    return DayRounds(segment.name, after, through, tuple(_row(brief) for brief in rows), rounds)


def _row(verdict: Brief) -> _Row:
    return (*verdict[:6], verdict.data.decode(errors="replace"))


def by_set(rounds: Iterable[Touched]) -> dict[str, bytes]:
    """Returns rounds grouped by set, as a day's file keeps them."""
    found: dict[str, list[Touched]] = {}
    for touched in rounds:
        found.setdefault(touched.back, []).append(touched)
    return {back: zlib.compress(msgspec.msgpack.encode(own), LEVEL) for back, own in found.items()}
