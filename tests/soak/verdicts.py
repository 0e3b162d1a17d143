"""What becomes of a wager, in one form for the table and for `settle`; and in what they may differ.

Two differences are none: a hold of the whole round, which `settle` says wager by wager, and what was paid on record before a
void, of which `settle` is not told (D-68).
"""

from dataclasses import dataclass

from controller.games.fates import holds_round, reaches
from controller.games.settling.money import NOT_PROVABLE
from controller.games.settling.progressive import METER_OPEN
from controller.games.settling.settled import Line, Outcome
from controller.rules.model import Law
from controller.rules.vocabulary import Method, Trigger
from controller.table.irregularities.settled_wagers import SETTLED_BEFORE
from controller.table.state.table import ALL_COLLECTED, Fate, State
from controller.table.words import facts as f

WHOLE_HELD = "a hold of the whole round"
PAID_BEFORE = "paid on record before a void"
APART = "apart"
ROUND_HELD = "round held"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word`: back | lost | held | win | push; `ROUND_HELD` where one hold keeps the whole round. `open`: it is held because a
    card, or what hangs on one, is not known."""

    word: str
    returned: int = 0
    paid: int = 0
    cite: tuple[str, ...] = ()
    reading: str | None = None
    open: bool = False


BY_CARDS = Verdict("by cards")
WORDS = {"returned": "back", "held": "held", "lost": "lost", "collected": "lost"}
"""Words of the fates that decide a wager without the cards."""
OF_OUTCOME = {
    Outcome.VOID: "back", Outcome.RETURN: "back", Outcome.LOSE: "lost", Outcome.HELD: "held",
    Outcome.WIN: "win", Outcome.PUSH: "push",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Happened:
    """A row that took effect in a live round, with the state that it met and all that followed at once."""

    before: State
    facts: tuple[f.Fact, ...]
    made: f.DispositionMade

    def spares(self, seat: int, wager: str) -> bool:
        """Whether the row has the wager settled on its own cards, whatever else it makes of the hand."""
        events = [fact.event for fact in self.facts]
        decided = [x for x in events if isinstance(x, f.WagerDecided) and (x.seat, x.wager) == (seat, wager)]
        return bool(decided) and decided[-1].fate == Fate.TO_SETTLE

    def at_once(self, seat: int, wager: str) -> Verdict:
        """The fate that the row gave a wager of the round as it was before."""
        before, made = self.before.round, self.made
        assert before is not None
        lies = before.seats[seat].wagers[wager]
        events = [fact.event for fact in self.facts]
        decided = [x for x in events if isinstance(x, f.WagerDecided) and (x.seat, x.wager) == (seat, wager)]
        whole = holds_round(made.demands)
        if (
            whole is not None and made.trigger is Trigger.FALSE_DECLARATION
        ):  # its wager waits for its own answer, too
            return Verdict(ROUND_HELD, cite=whole.cite, reading=whole.reading)
        if decided and decided[-1].fate in WORDS:
            return of_fate(decided[-1])
        for hold in (x for x in events if isinstance(x, f.HoldPlaced)):
            collected = hold.wager == ALL_COLLECTED and hold.seat in (0, seat) and lies.fate is Fate.COLLECTED
            settled = hold.code == SETTLED_BEFORE and f"seat {seat} {wager}: " in hold.reason
            if collected or settled or (hold.seat, hold.wager) == (seat, wager):
                return Verdict("held", cite=hold.cite, reading=hold.reading)
        stands = lies.fate in (Fate.COLLECTED, Fate.SETTLED) and reaches(made.demands, seat, made.seat)
        if whole is not None and not decided and not stands:
            return Verdict(ROUND_HELD, cite=whole.cite, reading=whole.reading)
        return BY_CARDS


def of_fate(decided: f.WagerDecided) -> Verdict:
    """A fate that needs no cards."""
    word = WORDS[decided.fate]
    return Verdict(word, decided.cents if word == "back" else 0, 0, decided.cite, decided.reading)


def of_line(law: Law, line: Line, method: Method) -> Verdict:
    """A line of `settle`, or one that the table offers. Neither is told how cards were dealt, and cites each way of dealing.

    A coupon waits with its wager.
    """
    cite = law.rulebook.cite_for(tuple(line.cite), method)
    unread = line.note in (NOT_PROVABLE, METER_OPEN) or (line.coupon and not line.cite and not line.reading)
    open_ = line.outcome == Outcome.HELD and bool(unread)
    return Verdict(OF_OUTCOME[Outcome(line.outcome)], line.returned, line.paid, cite, line.reading, open_)


def difference(there: Verdict, here: Verdict, *, on_record: bool) -> str:
    """ "" where the table (`there`) and `settle` (`here`) say the same, else the kind of the difference.

    `on_record`: the wager was paid before, on record.
    """
    if there == here:
        return ""
    if there.word == ROUND_HELD and here == Verdict("held", cite=there.cite, reading=there.reading):
        return WHOLE_HELD
    return PAID_BEFORE if on_record else APART
