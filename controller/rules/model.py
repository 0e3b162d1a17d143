"""A rulebook as frozen records: one edition of one rule document, every value with its citation.

Read by `loader.py`, never built by hand in the daemon. Clause ids are as printed in the document, without the
section sign (`13.I(1)`, `15(f)`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from controller.rules.vocabulary import GUARDS_OF, Action, Area, Guard, Method, Role, Trigger

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cited(Generic[T]):
    """A value and where it stands. `cite`: clause ids; `reading`: id where the value is a reading and not printed."""

    value: T
    cite: tuple[str, ...]
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """One action of a disposition with what demands it: clauses, or a reading, never both."""

    action: Action
    cite: tuple[str, ...] = ()
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class ByReading:
    """Actions that follow only where the licensee elected `choice` for `reading`, and so for each pair of `given`."""

    reading: str
    choice: str
    do: tuple[Action, ...]
    given: tuple[tuple[str, str], ...] = ()  # (reading, choice)

    @property
    def condition(self) -> tuple[tuple[str, str], ...]:
        """Every (reading, choice) that must be elected for this step."""
        return ((self.reading, self.choice), *self.given)


@dataclass(frozen=True, slots=True)
class Condition:
    guard: Guard
    holds: bool

    def met(self, guards: frozenset[Guard]) -> bool:
        return (self.guard in guards) is self.holds


@dataclass(frozen=True, slots=True)
class Row:
    """One answer to a trigger. `silent`: the text was read (`cite` = where) and says nothing; only readings act."""

    trigger: Trigger
    when: tuple[Condition, ...]
    cite: tuple[str, ...]
    do: tuple[Demand, ...]
    by_reading: tuple[ByReading, ...] = ()
    notwithstanding: tuple[str, ...] = ()
    silent: bool = False
    says: str = ""  # in our words, for `explain` and for the person who reads the status at 3 a.m.

    def live(self, guards: frozenset[Guard]) -> bool:
        return all(condition.met(guards) for condition in self.when)


@dataclass(frozen=True, slots=True)
class Choice:
    id: str
    says: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A recorded choice where the document is silent or contradicts itself.

    `moves`: it moves money, voids hands or decides whether play goes on. `governs`: the trigger whose *happening* it
    decides; a reading that governs, or on which a value of the file rests, offers one choice.
    """

    id: str
    clauses: tuple[str, ...]
    problem: str
    choices: tuple[Choice, ...]
    cautious: str
    moves: bool
    governs: Trigger | None = None


@dataclass(frozen=True, slots=True)
class DeckRule:
    """`full`: cards in one set. `second_set`: no | with_shuffler. `swap_after`: round | shoe."""

    per_set: Cited[int]
    full: Cited[int]
    cover_cards: Cited[int]
    second_set: Cited[str]
    swap_after: Cited[str]
    sets_in_rack: Cited[int]


@dataclass(frozen=True, slots=True)
class StubRule:
    """`every_rounds`: a stub count at least once in so many rounds; `waived_by`: what makes it unnecessary, or None."""

    every_rounds: Cited[int]
    waived_by: Cited[str] | None


@dataclass(frozen=True, slots=True)
class Stack:
    to: Area
    cards: int
    cite: tuple[str, ...]
    only_if: str | None = None  # a wager that must be offered for this stack to be dealt
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class Dealing:
    """One dealing method: `stacks` in order; a PLAYER stack stands for one to each seat in play, clockwise."""

    method: Method
    cite: tuple[str, ...]
    stacks: tuple[Stack, ...]
    burns: Cited[int]
    community_after: bool  # the community cards are dealt later, by hand, from what is left
    needs_shuffler: Cited[bool] | None = None


@dataclass(frozen=True, slots=True)
class HandRule:
    player: Cited[int]
    dealer: Cited[int]
    community: Cited[int]


@dataclass(frozen=True, slots=True)
class WagerRule:
    """One wager. `placed`: before_deal | decision. `requires`: wagers that must stand. `exact_cents`: the only amount."""

    name: str
    placed: str
    requires: Cited[tuple[str, ...]]
    cite: tuple[str, ...]
    optional: bool
    sensed: bool = False  # its chip lies on a progressive sensor
    exact_cents: Cited[int] | None = None


@dataclass(frozen=True, slots=True)
class ProgressiveRule:
    """`lock_at`: when the lock-out must be engaged; `verify_count`: chips collected are compared with wagers accepted."""

    lock_at: Cited[str]
    verify_count: Cited[bool]


@dataclass(frozen=True, slots=True)
class DeckChangeRule:
    """Longest time a set may stay in play, seconds, by dealing method. A method without an entry has no interval."""

    interval_s: Mapping[Method, Cited[int]]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One edition. `sha256`: of the file's bytes, stamped on each disposition."""

    id: str
    game: str
    regulator: str
    edition: str
    sha256: str
    decks: DeckRule
    stub: StubRule
    hand: HandRule
    seats: Cited[int]
    dealing: Mapping[Method, Dealing]
    wagers: Mapping[str, WagerRule]
    progressive: ProgressiveRule
    deck_change: DeckChangeRule
    duty_roles: Mapping[Action, Cited[Role]]
    act_roles: Mapping[str, Cited[Role]]
    rows: Mapping[Trigger, tuple[Row, ...]]
    readings: Mapping[str, Reading]
    clauses: frozenset[str] = field(repr=False, default=frozenset())

    def row(self, trigger: Trigger, guards: frozenset[Guard]) -> Row:
        """The one row that governs. Guards that do not belong to the trigger are ignored.

        Raises `AmbiguousLaw` where none or several remain: the loader tries every combination, so never at the table.
        """
        relevant = guards & frozenset(GUARDS_OF[trigger])
        remaining = governing(self.rows.get(trigger, ()), relevant)
        if len(remaining) != 1:
            raise AmbiguousLaw(self.id, trigger, relevant, remaining)
        return remaining[0]

    def cite_for(self, cite: tuple[str, ...], method: Method) -> tuple[str, ...]:
        """The citations that speak of this dealing method, where a document repeats a rule in each method's chapter.

        (`8.G(1)`, `9.E(1)`, `10.E(1)`) becomes (`10.E(1)`,) with a dealing shoe; other citations stay as they are.
        """
        chapters = {m: chapter(dealing.cite[0]) for m, dealing in self.dealing.items()}
        own = chapters.get(method)
        if own is None or own not in map(chapter, cite):
            return cite
        others = set(chapters.values()) - {own}
        return tuple(clause for clause in cite if chapter(clause) not in others)


@dataclass(frozen=True, slots=True)
class Election:
    """The licensee's choice for one reading: `choice` is an id of the reading's choices, `by` a name."""

    reading: str
    choice: str
    by: str


@dataclass(frozen=True, slots=True)
class Law:
    """A rulebook together with the licensee's elections: what the core decides by."""

    rulebook: Rulebook
    elections: Mapping[str, Election]

    def elected(self, reading: str) -> str | None:
        election = self.elections.get(reading)
        return election.choice if election else None

    def demands(
        self, trigger: Trigger, guards: frozenset[Guard], method: Method | None = None
    ) -> tuple[Row, tuple[Demand, ...]]:
        """The governing row and all that it demands here: the clause's own actions, then those of elected readings.

        With `method`, row and demands cite only what speaks of that way of dealing.
        """
        row = self.rulebook.row(trigger, guards)
        if method is not None:
            cite_for = self.rulebook.cite_for
            do = tuple(replace(demand, cite=cite_for(demand.cite, method)) for demand in row.do)
            row = replace(row, cite=cite_for(row.cite, method), do=do)
        by_reading = tuple(
            Demand(action, reading=step.reading)
            for step in row.by_reading
            if all(self.elected(reading) == choice for reading, choice in step.condition)
            for action in step.do
        )
        demands: dict[Action, Demand] = {}
        for demand in row.do + by_reading:
            # Two readings may both call a floorperson: one call is enough, and the first to ask for it is cited.
            demands.setdefault(demand.action, demand)
        return row, tuple(demands.values())

    @property
    def of_holds(self) -> str | None:
        """The reading by which a person answers a hold that no clause asks for, None where a clause says who does."""
        lifts = self.rulebook.act_roles.get("resolve_hold")
        return lifts.reading if lifts else None

    def unelected(self) -> tuple[Reading, ...]:
        """Readings that move money or void hands and that nobody has elected: the table may not open with one."""
        return tuple(r for r in self.rulebook.readings.values() if r.moves and r.id not in self.elections)


def chapter(clause: str) -> str:
    """The section or chapter that a clause stands in: `13.I(1)` in 13, `15(f)` in 15."""
    return clause.partition(".")[0].partition("(")[0]


def governing(rows: Iterable[Row], guards: frozenset[Guard]) -> list[Row]:
    """The live rows that no other live row stands notwithstanding: exactly one in a sound rulebook."""
    live = [row for row in rows if row.live(guards)]
    overridden = {clause for row in live for clause in row.notwithstanding}
    return [row for row in live if not overridden.intersection(row.cite)]


class AmbiguousLaw(Exception):
    """A trigger has no governing row, or more than one."""

    def __init__(self, rulebook: str, trigger: Trigger, guards: frozenset[Guard], rows: list[Row]) -> None:
        state = ", ".join(sorted(guards)) or "no condition holds"
        found = " and ".join("/".join(row.cite) or "silent" for row in rows) or "nothing"
        super().__init__(f"{rulebook}: {trigger} ({state}) is answered by {found}; exactly one row must govern")
        self.trigger, self.guards, self.rows = trigger, guards, rows
