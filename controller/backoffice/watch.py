"""Is everything there: numbers, heads, declared holes, journals and signs of life of all tables. Pure; time comes as an argument.

Every method notes what is to be stored in `batch`; the recorder stores it together with the events that caused it. `now` is in
seconds of a monotonic clock, for deadlines alone.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from controller.backoffice.held import Held
from controller.backoffice.row import Row
from controller.backoffice.said import Conn, Heartbeat, signed, signed_in
from controller.backoffice.store.batch import AlarmStep, Batch, Hole, Loaded, Position, Seen, Standing, Step
from controller.clock import microseconds

LATE_S = 5.0
"""A number that is missing behind others, or behind a head, is late for so long and then missing."""
SILENT_S = 30.0
ASK_AGAIN_S, ASK_MOST_S = 20.0, 600.0
ASK_AT_ONCE = 10_000
"""Numbers of one replay; the rest is asked for when these are there."""
HEARD_EVERY_S = 10.0
"""How often `heard` of a table is stored."""


class Ask(NamedTuple):
    """A replay to be asked for."""

    source: str
    journal: str
    stream: str
    first: int
    last: int


@dataclass(slots=True)
class _Series:
    """One stream of one journal.

    `gap_since`: since when a number below a stored one is missing. `late_since`: since when the table is ahead and nothing came.
    `standing`: alarms that have not ended, by code, with the last number of each.
    """

    held: Held = field(default_factory=Held)
    declared: dict[tuple[int, int], str] = field(default_factory=dict)
    head: int = 0
    head_at: str | None = None
    late_since: float | None = None
    gap_since: float | None = None
    standing: dict[str, tuple[Standing, int]] = field(default_factory=dict)
    asked: tuple[int, int] | None = None
    ask_at: float = 0.0
    ask_wait: float = ASK_AGAIN_S

    def is_whole(self) -> bool:
        spans = self.held.spans
        return not self.standing and self.head <= self.held.highest and [each.first for each in spans] in ([], [1])

    def missing(self) -> list[tuple[int, int]]:
        return self.held.missing(max(self.head, self.held.highest), list(self.declared))

    def through(self) -> int:
        """The last number of the unbroken stretch from 1 that is stored or was pruned at the table."""
        pruned = [span for span, reason in self.declared.items() if reason == "pruned"]
        gaps = self.held.missing(self.held.highest + 1, pruned)
        return gaps[0][0] - 1 if gaps else self.held.highest


@dataclass(slots=True)
class _Table:
    """One table. `beat_at`: when it was last heard alive; None = not since this recorder listens."""

    seen: Seen
    series: dict[tuple[str, str], _Series] = field(default_factory=dict)
    beat_at: float | None = None
    silent: Standing | None = None
    heard_stored: float = float("-inf")

    def stream(self, journal: str, stream: str) -> _Series:
        return self.series.setdefault((journal, stream), _Series())


class Watch:
    """All tables of one recorder."""

    def __init__(self, loaded: Loaded) -> None:
        self.tables: dict[str, _Table] = {seen.source: _Table(seen) for seen in loaded.seen}
        for each in loaded.positions:
            series = self._table(each.source).stream(each.journal, each.stream)
            series.held, series.head, series.head_at = Held.decode(each.held), each.head, each.head_time
        for hole in loaded.holes:
            series = self._table(hole.source).stream(hole.journal, hole.stream)
            series.declared[hole.first, hole.last] = hole.reason
        for standing, _, last, _ in loaded.alarms:
            if standing.code == "silent":
                self._table(standing.source).silent = standing
            elif standing.code in ("gap", "tail"):
                found = self._table(standing.source).stream(standing.journal, standing.stream)
                found.standing[standing.code] = standing, last
        self._listening: float | None = None
        self._changed: set[tuple[str, str, str]] = set()
        self._news: set[str] = set()

    def listens(self, now: float | None) -> None:
        """Takes note that the recorder is connected since `now`; None = it is not."""
        self._listening = now

    def knows(self, row: Row) -> bool:
        """Returns True if this number is stored, by all that is known."""
        table = self.tables.get(row.source)
        series = table.series.get((row.journal, row.stream)) if table else None
        return series is not None and row.sequence in series.held

    def event(self, row: Row, batch: Batch, now: float) -> None:
        """Takes an event that `knows` does not know."""
        table = self._heard(row.source, batch, now)
        if (series := table.series.get((row.journal, row.stream))) is None or table.seen.journal is None:
            self._journal(table, row.journal, batch, is_present=False)
            series = table.stream(row.journal, row.stream)
        if not series.held.add(row.sequence, row.prevhash, row.recordhash):
            detail = f"{row.stream} {row.sequence} does not follow from its neighbours: two histories of one table"
            self._open(batch, Standing(row.source, "fork", row.journal, row.stream, row.sequence), detail)
        series.late_since = None
        if series.asked and series.asked[0] <= row.sequence <= series.asked[1]:
            series.ask_at = max(series.ask_at, now + LATE_S)
        self._changed.add((row.source, row.journal, row.stream))
        batch.rows.append(row)
        if row.kind == "checkpoint_signed" and (found := signed_in(row.source, row.body)):
            batch.checkpoints.append(found)

    def fork(self, row: Row, batch: Batch) -> None:
        """Takes an event that is stored with another content."""
        detail = f"{row.stream} {row.sequence} came with another content than the stored one, which was kept"
        self._open(batch, Standing(row.source, "fork", row.journal, row.stream, row.sequence), detail)

    def refused(self, source: str, reason: str, batch: Batch) -> None:
        """Takes note that a message of a table's topics was no event."""
        self._open(batch, Standing(source, "refused"), reason)

    def conn(self, source: str, said: Conn, is_retained: bool, batch: Batch, now: float) -> None:
        """Takes a message on `conn`. A death of an older session than the present one is an old will that came late."""
        table = self._heard(source, batch, now)
        seen = table.seen
        if said.state != "online" and seen.session is not None and said.session < seen.session:
            return
        created = microseconds(said.created) if said.created else seen.created
        table.seen = seen._replace(
            state=said.state, session=said.session, reason=said.reason or None, created=created,
            machine=said.machine or seen.machine, process=said.process or seen.process,
            version=said.version or seen.version,
        )  # fmt: skip
        self._news.add(source)
        if said.journal:
            self._journal(table, said.journal, batch, is_present=True)
            for stream, oldest in said.oldest.items():
                self._prune(table, said.journal, stream, oldest - 1, batch)
            self._heads(table, said.journal, said.heads, batch, is_lowest=is_retained)
        if found := signed(source, said.checkpoint):
            batch.checkpoints.append(found)
        if said.state == "lost":
            self._silent(table, "its connection ended without goodbye", batch)
        else:
            self._alive(table, batch, None if is_retained else now)

    def heartbeat(self, source: str, said: Heartbeat, batch: Batch, now: float) -> None:
        """Takes a heartbeat: heads, and the holes that are declared from now on."""
        table = self._heard(source, batch, now)
        table.seen = table.seen._replace(heartbeat=batch.at, state="online", session=said.session)
        self._journal(table, said.journal, batch, is_present=True)
        self._heads(table, said.journal, said.heads, batch, is_lowest=False)
        for stream in {*said.parked, *(stream for journal, stream in table.series if journal == said.journal)}:
            self._park(table, said.journal, stream, said.parked.get(stream, []), batch)
        self._alive(table, batch, now)

    def answered(self, source: str, state: str, reason: str, now: float) -> None:
        """Takes the answer to a replay: after `failed` the next question waits longer."""
        for series in self._table(source).series.values():
            if series.asked and state == "failed":
                series.ask_at, series.asked = now + series.ask_wait, None
                series.ask_wait = min(series.ask_wait * 2, ASK_MOST_S)

    def tick(self, batch: Batch, now: float) -> list[Ask]:
        """Finds what is late, missing, filled or silent. Returns the replays to ask for. Call it once a second or so."""
        asks: list[Ask] = []
        for source, table in self.tables.items():
            since = max(table.beat_at or 0.0, self._listening) if self._listening is not None else None
            if since is not None and now - since > SILENT_S and table.seen.state not in ("offline", None):
                self._silent(table, f"no heartbeat for {SILENT_S:.0f} s", batch)
            for (journal, stream), series in table.series.items():
                if series.is_whole():
                    series.gap_since = series.late_since = series.asked = None
                    continue
                if ask := self._look(table, journal, stream, series, batch, now):
                    asks.append(Ask(source, journal, stream, *ask))
        return asks

    def flush(self, batch: Batch) -> list[tuple[str, str]]:
        """Puts changed positions and tables into the batch. Returns source and journal of those that changed."""
        for source, journal, stream in self._changed:
            series = self.tables[source].series[journal, stream]
            batch.positions.append(
                Position(
                    source, journal, stream, series.through(), series.held.encode(), series.head, series.head_at
                )
            )
        changed = sorted({(source, journal) for source, journal, _ in self._changed})
        self._changed.clear()
        for source in self._news:
            batch.seen.append(self.tables[source].seen)
        self._news.clear()
        return changed

    def confirmation(self, source: str) -> tuple[str, dict[str, tuple[int, list[tuple[int, int]]]]] | None:
        """Returns the present journal of a table and, of each stream, `through` and the ranges stored above it."""
        table = self.tables[source]
        if (present := table.seen.journal) is None:
            return None
        told = {}
        for (journal, stream), series in table.series.items():
            if journal == present:
                through = series.through()
                above = [(each.first, each.last) for each in series.held.spans if each.first > through]
                told[stream] = (through, above)
        return present, told

    def _table(self, source: str) -> _Table:
        if source not in self.tables:
            self.tables[source] = _Table(Seen(source, *(None,) * (len(Seen._fields) - 1)))
        return self.tables[source]

    def _heard(self, source: str, batch: Batch, now: float) -> _Table:
        table = self._table(source)
        if now - table.heard_stored >= HEARD_EVERY_S:
            table.seen = table.seen._replace(heard=batch.at)
            table.heard_stored = now
            self._news.add(source)
        return table

    def _journal(self, table: _Table, journal: str, batch: Batch, *, is_present: bool) -> None:
        source, present = table.seen.source, table.seen.journal
        known = {each for each, _ in table.series} | ({present} if present else set())
        if known and journal not in known:
            detail = f"the table has a new journal {journal}; a person must confirm why"
            self._open(batch, Standing(source, "new_journal", journal), detail)
        if (is_present or present is None) and present != journal:
            table.seen = table.seen._replace(journal=journal)
            self._news.add(source)

    def _heads(self, table: _Table, journal: str, heads: dict[str, int], batch: Batch, *, is_lowest: bool) -> None:
        for stream, head in heads.items():
            series = table.stream(journal, stream)
            if head < series.held.highest and not is_lowest:
                standing = Standing(table.seen.source, "went_back", journal, stream)
                detail = f"the table ends at {stream} {head} and {series.held.highest} is stored here"
                self._open(batch, standing, detail, series.held.highest)
            if head > series.head:
                series.head, series.head_at = head, batch.at
                self._changed.add((table.seen.source, journal, stream))

    def _prune(self, table: _Table, journal: str, stream: str, last: int, batch: Batch) -> None:
        series = table.stream(journal, stream)
        if gone := [each for each in series.held.missing(last, list(series.declared)) if last > 0]:
            for first, end in gone:
                series.declared[first, end] = "pruned"
                batch.declared.append(Hole(table.seen.source, journal, stream, first, end, "pruned"))
            self._changed.add((table.seen.source, journal, stream))

    def _park(self, table: _Table, journal: str, stream: str, ranges: list[tuple[int, int]], batch: Batch) -> None:
        series = table.stream(journal, stream)
        before = {span for span, reason in series.declared.items() if reason == "parked"}
        for span in before - set(ranges):
            del series.declared[span]
            batch.withdrawn.append(Hole(table.seen.source, journal, stream, *span, "parked"))
        for span in set(ranges) - before - set(series.declared):
            series.declared[span] = "parked"
            batch.declared.append(Hole(table.seen.source, journal, stream, *span, "parked"))

    def _look(
        self, table: _Table, journal: str, stream: str, series: _Series, batch: Batch, now: float
    ) -> tuple[int, int] | None:
        """Opens and ends the alarms of one stream; returns the range to ask for."""
        missing = series.missing()
        for code, (standing, end) in list(series.standing.items()):
            if not any(a <= end and b >= standing.first for a, b in missing):
                batch.alarms.append(AlarmStep(standing, Step.FILLED))
                del series.standing[code]
        spans = [(standing.first, end) for standing, end in series.standing.values()]
        news = [(a, b) for a, b in missing if not any(first <= a and b <= end for first, end in spans)]
        highest = series.held.highest
        gaps, tail = [each for each in news if each[1] < highest], [each for each in news if each[1] > highest]
        series.gap_since = (series.gap_since or now) if gaps else None
        series.late_since = (series.late_since or now) if tail else None
        for code, ranges, since in (("gap", gaps, series.gap_since), ("tail", tail, series.late_since)):
            if since is not None and now - since >= LATE_S and code not in series.standing:
                first, last, count = ranges[0][0], ranges[-1][1], sum(b - a + 1 for a, b in ranges)
                standing = Standing(table.seen.source, code, journal, stream, first)
                self._open(batch, standing, f"{count} of {stream} {first} to {last} are missing", last)
                series.standing[code], series.ask_at, series.ask_wait = (standing, last), now, ASK_AGAIN_S
        if not series.standing or self._listening is None or journal != table.seen.journal:
            return None
        is_done = series.asked is not None and not any(a <= series.asked[1] for a, _ in missing)
        if now < series.ask_at and not is_done:
            return None
        first = missing[0][0]
        series.asked = first, min(missing[-1][1], first + ASK_AT_ONCE - 1)
        series.ask_wait = ASK_AGAIN_S if is_done else series.ask_wait
        series.ask_at = now + series.ask_wait
        series.ask_wait = min(series.ask_wait * 2, ASK_MOST_S)
        batch.alarms += [AlarmStep(each, Step.ASKED) for each, _ in series.standing.values()]
        return series.asked

    def _silent(self, table: _Table, why: str, batch: Batch) -> None:
        if table.silent is None:
            table.silent = Standing(table.seen.source, "silent")
            self._open(batch, table.silent, f"the table is unknown: {why}")

    def _alive(self, table: _Table, batch: Batch, now: float | None) -> None:
        if now is not None:
            table.beat_at = now
            if table.silent is not None:
                batch.alarms.append(AlarmStep(table.silent, Step.FILLED))
                table.silent = None

    def _open(self, batch: Batch, standing: Standing, detail: str, last: int = 0) -> None:
        batch.alarms.append(AlarmStep(standing, Step.OPENED, last or standing.first, detail))
