"""Replays a journal: the table as it was at any moment, and every recorded input decided anew.

State is folded from the recorded facts, as a start does. Each input is decided from the recorded state, so that
one difference does not cause others. Rounds with sealed cards are not decided, and the result says so.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from controller.journal.archive.boundary import BoundaryUnreadable, read_boundary
from controller.journal.bodies import fact_of, input_of
from controller.journal.day_state import Closed, NotCarried, closed_in, rounds_at, state_from
from controller.journal.reading import Reading
from controller.journal.record import FACTS, Record, Stream
from controller.journal.vault.vault import StillSealed
from controller.journal.vault.vault_keys import VaultKeys
from controller.journal.view import Brief
from controller.rules.elections import ElectionsInvalid
from controller.rules.model import Rulebook
from controller.rules.read.library import RulebookUnknown, find
from controller.rules.read.loader import RulebookInvalid
from controller.table.decide import decide
from controller.table.fold.fold import evolve
from controller.table.state.recorded_setup import setup_from
from controller.table.state.state_json import carried
from controller.table.state.table import Setup, State
from controller.table.words.codec import encode, stream_of, version_of
from controller.table.words.facts import Fact, HoldPlaced, InputRefused, RoundBegun, RoundEnded
from controller.table.words.inputs import Input, RecordDayClosed, ServiceStarted, TableSetup
from controller.table.words.structs import replace
from drivers.events import LINK_EVENTS, REPORTS, DeviceOnline
from drivers.protocol.records import dataclass

UNFIT = (AssertionError, KeyError, ValueError, TypeError, AttributeError, IndexError)
"""What folding raises of a fact that nobody could have decided where it stands."""


class NotReplayable(Exception):
    """Something needed is not on record or not here; the text says what, and what to do."""


class TableUnfit(NotReplayable):
    """The given configuration is of another table; the text says what does not fit, and what to do."""


class Seen(NamedTuple):
    """The table at a moment. `record`: the last folded one; `sealed`: its round has unreadable cards."""

    setup: Setup
    state: State
    record: Record
    sealed: bool = False


class Sealed(NamedTuple):
    """An input that was not decided, because its cards are sealed. `why`: in words; `is_erased`: for ever."""

    input: Record
    round_id: str
    why: str
    is_erased: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """An input's facts, then and now. `was`, `now`: stream, subject, kind and body of each fact, in order."""

    input: Record
    was: list[dict[str, Any]]
    now: list[dict[str, Any]]

    def lines(self) -> list[str]:
        """Returns removed and new facts, for a person."""
        gone = [f"  was  {_fact_line(fact)}" for fact in self.was if fact not in self.now]
        new = [f"  now  {_fact_line(fact)}" for fact in self.now if fact not in self.was]
        order = ["  the same facts in another order"] if not gone and not new else []
        return [f"input/{self.input.sequence} {self.input.kind}", *gone, *new, *order]


class _Folding:
    """Folds records; holds the state and the setup of the last start."""

    def __init__(self, view: Reading, given: Setup | None, keys: VaultKeys | None) -> None:
        self.unsealer = view.unsealer(keys)
        self._sealed: dict[str, StillSealed] = {}
        self._site, self._table = view.description.site, view.description.table
        self._given, self.setup = given, given
        self.state: State | None = State.initial(given) if given else None

    def take(self, record: Record) -> None:
        """Folds a fact; a start may change the setup, the state continues. Skips sealed cards."""
        try:
            record = self.unsealer.clear(record)
        except StillSealed as sealed:
            self._sealed[sealed.round_id] = sealed
            return
        fact = fact_of(record.stream, record)
        if isinstance(fact.event, ServiceStarted):
            self.start(fact.event)
        if self.state is None:
            raise NotReplayable(
                f"{record.stream}/{record.sequence} comes before any start that says what table this is; "
                "give its configuration (--config)"
            )
        unfit = _unfit(self._given, fact) if self._given else ""
        if unfit:
            raise TableUnfit(
                f"{unfit} ({record.stream}/{record.sequence} {record.kind}); give the configuration of the table that this is "
                "the record of, or leave it out: each start has put its own on record"
            )
        try:
            self.state = evolve(self.state, fact)
        except UNFIT as exc:
            raise NotReplayable(
                f"{record.stream}/{record.sequence} {record.kind} does not follow on what was recorded before it: {exc!r}"
            ) from exc

    @property
    def still(self) -> StillSealed | None:
        """Returns why the state lacks cards of the round in play; None = it has them."""
        round_ = self.state.round if self.state else None
        return self._sealed.get(round_.id) if round_ else None

    def begin(self, closed: Closed) -> None:
        """Begins with the state at the end of a closed day. Raises `NotReplayable`."""
        self.start(closed.told.started)
        if self.setup is None:
            raise NotReplayable(
                "the start before that day does not say what table it was; give its configuration (--config)"
            )
        try:
            self.state = state_from(closed.told, self.setup)
        except NotCarried as exc:
            raise NotReplayable(str(exc)) from exc

    def start(self, started: ServiceStarted) -> None:
        """Uses a start's setup from here on, unless a configuration was given."""
        if self._given is None and started.setup is not None:
            self.setup = setup_of(started, started.setup, self._site, self._table)
        if self.setup is not None and self.state is None:
            self.state = State.initial(self.setup)


def _unfit(given: Setup, fact: Fact) -> str:
    """Returns what the record names and this table lacks; "" = nothing."""
    event = fact.event
    told = event.kind in REPORTS or event.kind in LINK_EVENTS
    name = fact.subject if told else getattr(event, "device", "")
    if name and name not in given.devices:
        there = ", ".join(given.devices) or "none"
        return f"no device {name} is at this table, of which the record tells; there are: {there}"
    kind = given.devices[name].kind if name else None
    if isinstance(event, DeviceOnline) and event.device_kind is not kind:
        return f"{name} is a {kind} at this table, and a {event.device_kind} in the record"
    if isinstance(event, RoundBegun) and event.back not in given.backs:
        there = ", ".join(given.backs)
        return f"no {event.back} set belongs to this table, of which the record has a round; there are: {there}"
    plays = given.law.rulebook.plays
    if isinstance(event, RoundBegun) and event.game not in ("", plays):
        return f"{given.law.rulebook.id} is the game {plays}, and the record has a round of {event.game}"
    return ""


def setup_of(started: ServiceStarted, told: TableSetup, site: str, table: str) -> Setup:
    """Returns the table that a start recorded. Raises `NotReplayable`."""
    book = _rulebook_of(started)
    try:
        return setup_from(told, site, table, book)
    except (ElectionsInvalid, *UNFIT) as exc:
        raise NotReplayable(f"a start says of its table what cannot be: {exc}; give --config") from exc


def _rulebook_of(started: ServiceStarted) -> Rulebook:
    """Returns the rulebook with this hash: the current file, or one kept beside it."""
    for name in (started.rulebook, f"{started.rulebook}@{started.edition}"):
        try:
            found = find(name)
        except (RulebookUnknown, RulebookInvalid):
            continue
        if found.sha256 == started.sha256:
            return found
    raise NotReplayable(
        f"rulebook {started.rulebook} {started.edition} with hash {started.sha256[:16]} is not here; "
        f"put that file as {started.rulebook}@{started.edition}.toml among the rulebooks, or give --config"
    )


def table_at(
    view: Reading,
    *,
    time_us: int | None = None,
    round_id: str = "",
    given: Setup | None = None,
    keys: VaultKeys | None = None,
) -> Seen:
    """Returns the table as known at a time, or a round as it was before it ended. Raises `NotReplayable`.

    `round_id`: id or number. `time_us`: Unix time, microseconds, by the record's wall clock. `keys`: of the vault;
    without them only opened rounds show cards.
    """
    folding, last, is_there = _Folding(view, given, keys), None, False
    for record in view.merged(FACTS, _begun(view, folding, _is_before(time_us, round_id))):
        if time_us is not None and record.time_us > time_us:
            break
        if is_there and record.kind == RoundEnded.kind:
            break
        folding.take(record)
        last = record
        now = folding.state.round if folding.state else None
        is_there = bool(round_id and now and round_id in (now.id, str(now.number)))
    if last is None or folding.setup is None or folding.state is None:
        raise NotReplayable("nothing was on record by then")
    if round_id and not is_there:
        raise NotReplayable(f"no round {round_id} is in this journal")
    return Seen(folding.setup, folding.state, last, folding.still is not None)


def _begun(view: Reading, folding: _Folding, is_before: Callable[[Brief], bool]) -> dict[Stream, int]:
    """Begins the folding with the newest closed day before the wanted moment; returns the numbers after which to
    go on.

    Raises `NotReplayable` if the record begins in the middle and no closed day gives the state.
    """
    try:
        brief = view.closing(is_before)
        closed = closed_in(brief) if brief else None
    except NotCarried as exc:
        raise NotReplayable(str(exc)) from exc
    if closed is None:
        if view.description.order_before:
            raise NotReplayable(
                f"what came before order {view.description.order_before} was pruned, and its segments do not lie beside this "
                "record; bring them from the second place"
            )
        return {}
    folding.begin(closed)
    return {stream: head.sequence for stream, head in closed.boundary.end.heads.items()}


def _is_before(time_us: int | None, round_id: str) -> Callable[[Brief], bool]:
    """Tells whether a day was closed before the wanted moment or round."""
    if time_us is not None:
        return lambda brief: brief.time_us <= time_us
    number = round_id.rpartition("-")[2]
    return lambda brief: number.isdigit() and rounds_at(closed_in(brief).told) < int(number)


def folded(view: Reading) -> Iterator[tuple[Record, State, State]]:
    """Yields each fact with the state before and after it, from the first usable start. Raises `NotReplayable`."""
    folding = _Folding(view, None, None)
    for record in view.merged(FACTS, _begun(view, folding, lambda _: False)):
        before = folding.state
        folding.take(record)
        if folding.state is not None:
            yield record, before or folding.state, folding.state


def differences(
    view: Reading, given: Setup | None = None, keys: VaultKeys | None = None
) -> Iterator[tuple[Record, Difference | Sealed | None]]:
    """Yields each input that would be decided otherwise now. Raises `NotReplayable`."""
    folding = _Folding(view, given, keys)
    order = view.description.order_before
    after = _begun(view, folding, lambda brief: closed_in(brief).boundary.order <= order) if order else {}
    pending: Record | None = None
    facts: list[Record] = []
    for record in view.merged(Stream, after):
        if record.stream is not Stream.INPUT:
            facts.append(record)
            continue
        if pending is not None:
            yield pending, _compare(folding, pending, facts)
        pending, facts = record, []
    if pending is not None:
        yield pending, _compare(folding, pending, facts)


def _compare(folding: _Folding, given: Record, facts: list[Record]) -> Difference | Sealed | None:
    try:
        given = folding.unsealer.clear(given)
        clear = [folding.unsealer.clear(record) for record in facts]
        still = folding.still
    except StillSealed as exc:
        clear, still = facts, exc
    if still is not None:
        for record in facts:
            folding.take(record)
        return Sealed(given, still.round_id or "none", still.reason, still.is_erased)
    decoded = input_of(given)
    if isinstance(decoded.body, ServiceStarted):
        folding.start(decoded.body)
    if folding.setup is None or folding.state is None:
        raise NotReplayable("the first start does not say what table this is; give its configuration (--config)")
    try:
        if isinstance(decoded.body, RecordDayClosed):
            other = _carried_otherwise(folding, given, decoded.body)
            if other is not None:
                return other
        facts_now = _decided(folding, decoded)
    except (NotCarried, BoundaryUnreadable, *UNFIT) as exc:
        raise NotReplayable(
            f"input/{given.sequence} {given.kind} cannot be decided where it stands: {exc!r}"
        ) from exc
    was = [(r.stream.value, r.subject, r.kind, _in_present_form(r)) for r in clear]
    now = [(stream_of(f), f.subject, f.event.kind, encode(f.event)) for f in facts_now]
    if was != now and len(clear) == len(facts_now):
        known = [_as_coded(f.event, r.data) for f, r in zip(facts_now, clear, strict=True)]
        now = [(*fact[:3], encode(event)) for fact, event in zip(now, known, strict=True)]
    for record in clear:
        folding.take(record)
    return None if was == now else Difference(given, [_plain(*f) for f in was], [_plain(*f) for f in now])


def _as_coded(event: Any, recorded: bytes) -> Any:
    """The fact without its code, where an earlier version recorded it before it had one."""
    has_code = isinstance(event, InputRefused | HoldPlaced)
    return replace(event, code=None) if has_code and b'"code":' not in recorded else event


def _carried_otherwise(folding: _Folding, given: Record, closed: RecordDayClosed) -> Difference | None:
    """Returns the day whose recorded state differs from the one its facts lead to."""
    assert folding.setup is not None
    assert folding.state is not None
    if (
        read_boundary(closed.statement).order != given.order - 1
        or state_from(closed, folding.setup) == folding.state
    ):
        return None
    was, now = "".join(closed.folded), "".join(carried(folding.state))
    return Difference(given, *([_plain("diag", "table", "state", text.encode())] for text in (was, now)))


def _decided(folding: _Folding, given: Input) -> tuple[Fact, ...]:
    assert folding.setup is not None
    assert folding.state is not None
    return decide(folding.setup, folding.state, given)


def _in_present_form(record: Record) -> bytes:
    """The body of a fact, byte for byte where it is of the present version; an older one is raised to that."""
    if record.version == version_of(record.kind):
        return record.data
    return encode(fact_of(record.stream, record).event)


def _plain(stream: str, subject: str, kind: str, data: bytes) -> dict[str, Any]:
    version = version_of(kind)
    return {"stream": stream, "subject": subject, "kind": kind, "version": version, "data": data.decode()}


def _fact_line(fact: dict[str, Any]) -> str:
    return f"{fact['subject']} {fact['kind']} {fact['data']}"
