"""A rulebook as frozen records: one edition of one rule document, every value with its citation.

Read by `loader.py`, never built by hand in the daemon. Clause ids are as printed in the document, without the
section sign (`13.I(1)`, `15(f)`).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from typing import TypeAlias

from controller.rules.applies import Conditions
from controller.rules.citation import Cited, T, chapter
from controller.rules.named_wagers import ASK_PLACED, asked_about, word_of
from controller.rules.parts import (
    CutRule,
    Dealing,
    DeckChangeRule,
    DeckRule,
    DiscardRule,
    HandRule,
    IdleRule,
    LaidAway,
    OpeningRule,
    PlayRule,
    ProgressiveRule,
    RankingRule,
    SettlingStep,
    ShuffleRule,
    StubRule,
    WagerRule,
)
from controller.rules.pay import PayLimit, PayTable
from controller.rules.vocabulary import GUARDS_OF, Action, Method, Role, Settle, Trigger
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Demand:
    """One action of a disposition with what demands it: clauses, or a reading, never both.

    `wager`: the wager that the demand names, None where it is not about one.
    """

    action: Action
    cite: tuple[str, ...] = ()
    reading: str | None = None
    wager: str | None = None

    @property
    def word(self) -> str:
        """The action in one word, with its wager: `return_ante`, `reshuffle`."""
        return word_of(self.action, self.wager)


@dataclass(frozen=True, slots=True)
class ByReading:
    """Demands that follow only where the licensee elected `choice` for `reading`, and so for each pair of `given`."""

    reading: str
    choice: str
    do: tuple[Demand, ...]
    given: tuple[tuple[str, str], ...] = ()  # (reading, choice)

    @property
    def condition(self) -> tuple[tuple[str, str], ...]:
        """Every (reading, choice) that must be elected for this step."""
        return ((self.reading, self.choice), *self.given)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that must hold, or must not: a guard of the vocabulary, or that a certain wager is placed."""

    guard: str
    holds: bool

    def met(self, guards: frozenset[str]) -> bool:
        """Returns True if the condition holds at a table where exactly these guards hold."""
        return (self.guard in guards) is self.holds


@dataclass(frozen=True, slots=True)
class Row:
    """One answer to a trigger. `silent`: the text was read (`cite` = where) and says nothing; only readings act.

    `absent`: the game has nothing that this could happen to. If it is reported all the same, the table holds and asks.
    """

    trigger: Trigger
    when: tuple[Condition, ...]
    cite: tuple[str, ...]
    do: tuple[Demand, ...]
    by_reading: tuple[ByReading, ...] = ()
    notwithstanding: tuple[str, ...] = ()
    silent: bool = False
    absent: bool = False
    says: str = ""  # in our words, for `explain` and for the person who reads the status at 3 a.m.

    def live(self, guards: frozenset[str]) -> bool:
        """Returns True if every condition of the row is met at a table where exactly these guards hold."""
        return all(condition.met(guards) for condition in self.when)


@dataclass(frozen=True, slots=True)
class Choice:
    """`needs`: (reading or house choice, choice) that must be elected beside it."""

    id: str
    says: str
    needs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A recorded choice where the document is silent or contradicts itself.

    `cautious`: hold and ask where that is a choice, else the printed words, else what takes nothing from a player.
    `proposed`: elected on benches and by filters where nobody elects; never in play.
    `why`: of a reading with one choice, why no other is offered. `since`: the day on which the question was added to the
    rulebook; None: it stood there from the beginning.
    `moves`: it moves money, voids hands or decides whether play goes on. `governs`: the trigger whose *happening* it
    decides; a reading that governs, or on which one value of the file rests, offers one choice. `wager`: it is asked only
    where this optional wager is offered; None: everywhere. `bears_on`: what a choice of the maker is about that no value and no
    trigger carries, as the software does so under every document that leaves it open.
    """

    id: str
    clauses: tuple[str, ...]
    problem: str
    choices: tuple[Choice, ...]
    cautious: str
    proposed: str
    moves: bool
    governs: Trigger | None = None
    wager: str | None = None
    since: str | None = None
    why: str = ""
    bears_on: str | None = None

    @property
    def closes(self) -> bool:
        """A table stays closed until it is elected: it moves something, and there is another choice."""
        return self.moves and len(self.choices) > 1


@dataclass(frozen=True, slots=True)
class HouseChoice:
    """What the text itself leaves to the licensee: a version, an order, a number. None of its choices is the cautious one.

    `everywhere`: true where the document wants the same choice at every table of the house. `wager`, `since`: as of a reading.
    """

    id: str
    clauses: tuple[str, ...]
    problem: str
    choices: tuple[Choice, ...]
    everywhere: Cited[bool] | None = None
    wager: str | None = None
    since: str | None = None

    @property
    def cautious(self) -> None:
        """No choice of these is more cautious than another: the text allows each."""
        return None

    @property
    def proposed(self) -> str:
        """The first choice: elected on benches and by filters where nobody elects."""
        return self.choices[0].id


Question: TypeAlias = Reading | HouseChoice
"""What a licensee elects."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One edition. `sha256`: of the file's bytes, stamped on each disposition. `plays`: the game by which rounds go.
    `duty_roles`: by the word of a demand, who confirms it.

    `stub`, `progressive`: None where the document knows no such thing. `positions`: betting positions that one player
    may have; `adjacent`: these must lie side by side. `not_kept`: kinds of table that the document permits and no
    configuration can name, for this daemon is for cards on a layout. `devices`: whether a shuffler or an automated shoe may
    be put into service, where that hangs on an election. `settling`: the steps in which one player's wagers are settled.
    `laid_away`: where the cards of a hand go that is over. `act_order`: by the kind of act, the clauses that give it its
    place. `pay`: pay tables by name; `limits`: of what one hand is paid. `applies`: by clause, what must be so for it to speak
    of a table.
    """

    id: str
    game: str
    plays: str
    regulator: str
    edition: str
    sha256: str
    decks: DeckRule
    opening: OpeningRule
    shuffle: ShuffleRule
    cut: CutRule
    idle: IdleRule
    stub: StubRule | None
    discards: DiscardRule
    hand: HandRule
    ranking: RankingRule
    seats: Cited[int]
    positions: Cited[int]
    adjacent: Cited[bool] | None
    not_kept: Cited[tuple[str, ...]] | None
    dealing: Mapping[Method, Dealing]
    wagers: Mapping[str, WagerRule]
    play: PlayRule
    settlement: Mapping[Settle, Cited[str]]
    pay: Mapping[str, PayTable]
    limits: Mapping[str, PayLimit]
    settling: tuple[SettlingStep, ...]
    laid_away: tuple[LaidAway, ...]
    progressive: ProgressiveRule | None
    devices: Mapping[Method, Cited[bool]]
    deck_change: DeckChangeRule
    duty_roles: Mapping[str, Cited[Role]]
    act_roles: Mapping[str, Cited[Role]]
    act_order: Mapping[str, tuple[str, ...]]
    rows: Mapping[Trigger, tuple[Row, ...]]
    readings: Mapping[str, Reading]
    choices: Mapping[str, HouseChoice]
    clauses: frozenset[str] = field(repr=False, default=frozenset())
    applies: Conditions = field(repr=False, default_factory=dict)

    def conditions_of(self, trigger: Trigger) -> tuple[str, ...]:
        """What bears on this trigger here: `conditions_asked` of its rows."""
        return conditions_asked(trigger, self.rows.get(trigger, ()))

    @property
    def asks_placed(self) -> frozenset[str]:
        """Wagers of which a row asks whether somebody has placed them."""
        named = (asked_about(c) for trigger in ASK_PLACED for c in self.conditions_of(trigger))
        return frozenset(wager for wager in named if wager is not None)

    def row(self, trigger: Trigger, guards: frozenset[str]) -> Row:
        """The one row that governs. Guards that do not belong to the trigger are ignored.

        Raises `AmbiguousLaw` where none or several remain: the loader tries every combination, so never at the table.
        """
        relevant = guards & frozenset(self.conditions_of(trigger))
        remaining = governing(self.rows.get(trigger, ()), relevant)
        if len(remaining) != 1:
            raise AmbiguousLaw(self.id, trigger, relevant, remaining)
        return remaining[0]

    @property
    def questions(self) -> dict[str, Question]:
        """All that is elected for this document, by id."""
        return {**self.readings, **self.choices}

    def cite_of(self, trigger: Trigger) -> tuple[str, ...]:
        """Every clause that a row of this trigger cites, or was looked in, in the order of the rows."""
        return tuple(dict.fromkeys(clause for row in self.rows.get(trigger, ()) for clause in row.cite))

    def absent(self, trigger: Trigger) -> Row | None:
        """The row that says why this cannot happen in this game; None where it can."""
        return next((row for row in self.rows.get(trigger, ()) if row.absent), None)

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
    """The licensee's choice for one reading or house choice (`reading`: its id), `by` a name."""

    reading: str
    choice: str
    by: str


@dataclass(frozen=True, slots=True)
class Law:
    """A rulebook together with the licensee's elections: what the core decides by. Made by `elections.elect`.

    Values of the rulebook that hang on an election are those that were elected.
    """

    rulebook: Rulebook
    elections: Mapping[str, Election]

    def elected(self, reading: str) -> str | None:
        """Returns the choice that the licensee elected for a reading or house choice; None = nobody elected."""
        election = self.elections.get(reading)
        return election.choice if election else None

    def decided(self, rule: Cited[T]) -> T | None:
        """The value that is printed, or that was elected; None where nobody has elected."""
        return rule.value if rule.by_choice is None or rule.by_choice in self.elections else None

    def demands(
        self, trigger: Trigger, guards: frozenset[str], method: Method | None = None
    ) -> tuple[Row, tuple[Demand, ...]]:
        """The governing row and all that it demands here: the clause's own actions, then those of elected readings.

        With `method`, row and demands cite only what speaks of that way of dealing. What cannot happen in this game and
        is reported all the same is held and asked about, under no clause and no reading.
        """
        row = self.rulebook.row(trigger, guards)
        if row.absent:
            return row, (Demand(Action.HOLD_ROUND), Demand(Action.CALL_FLOORPERSON))
        if method is not None:
            cite_for = self.rulebook.cite_for
            do = tuple(replace(demand, cite=cite_for(demand.cite, method)) for demand in row.do)
            row = replace(row, cite=cite_for(row.cite, method), do=do)
        by_reading = tuple(
            demand
            for step in row.by_reading
            if all(self.elected(reading) == choice for reading, choice in step.condition)
            for demand in step.do
        )
        demands: dict[tuple[Action, str | None], Demand] = {}
        for demand in row.do + by_reading:
            # Two readings may both call a floorperson: one call is enough, and the first to ask for it is cited.
            demands.setdefault((demand.action, demand.wager), demand)
        return row, tuple(demands.values())

    @property
    def of_holds(self) -> str | None:
        """The reading by which a person answers a hold that no clause asks for, None where a clause says who does."""
        lifts = self.rulebook.act_roles.get("resolve_hold")
        return lifts.reading if lifts else None

    def may_void(self, reading: str | None) -> bool:
        """True where a person who answers under this reading may void the round: one of its choices does, or leaves it to a
        procedure of the house, or nothing in the document speaks of the matter at all. A clause alone (None) gives no such remedy
        unless it says so itself.
        """
        if reading is None:
            return False
        voids = (Action.VOID_ROUND, Action.VOID_ALL_HANDS, Action.FOLLOW_HOUSE_PROCEDURE)
        return reading == self.of_holds or self._may_do(reading, *voids)

    def may_collect(self, reading: str | None) -> bool:
        """True where a person who answers under this reading may take the wagers of a seat as lost: one of its choices does."""
        return reading is not None and self._may_do(reading, Action.COLLECT_SEAT_WAGERS)

    def _may_do(self, reading: str, *actions: Action) -> bool:
        steps = (step for rows in self.rulebook.rows.values() for row in rows for step in row.by_reading)
        return any(step.reading == reading and any(d.action in actions for d in step.do) for step in steps)

    def unelected(self, offered: Collection[str] | None = None) -> tuple[Question, ...]:
        """What nobody has elected and must be: readings that move money or void hands, and what the text leaves to the
        licensee. The table may not open with one.

        `offered`: optional wagers of the table, so that nothing is asked about those that nobody can place; None: all.
        """
        readings = (r for r in self.rulebook.readings.values() if r.closes)
        asked: tuple[Question, ...] = (*readings, *self.rulebook.choices.values())
        return tuple(
            q
            for q in asked
            if q.id not in self.elections and (q.wager is None or offered is None or q.wager in offered)
        )


def conditions_asked(trigger: Trigger, rows: Iterable[Row]) -> tuple[str, ...]:
    """What bears on this trigger: its guards, then each wager of which one of these rows asks whether it is placed."""
    asked = (condition.guard for row in rows for condition in row.when if asked_about(condition.guard))
    return tuple(dict.fromkeys((*GUARDS_OF[trigger], *asked)))


def governing(rows: Iterable[Row], guards: frozenset[str]) -> list[Row]:
    """The live rows that no other live row stands notwithstanding: exactly one in a sound rulebook."""
    live = [row for row in rows if row.live(guards)]
    overridden = {clause for row in live for clause in row.notwithstanding}
    return [row for row in live if not overridden.intersection(row.cite)]


class AmbiguousLaw(Exception):
    """A trigger has no governing row, or more than one."""

    def __init__(self, rulebook: str, trigger: Trigger, guards: frozenset[str], rows: list[Row]) -> None:
        state = ", ".join(sorted(guards)) or "no condition holds"
        found = " and ".join("/".join(row.cite) or "silent" for row in rows) or "nothing"
        super().__init__(f"{rulebook}: {trigger} ({state}) is answered by {found}; exactly one row must govern")
        self.trigger, self.guards, self.rows = trigger, guards, rows
