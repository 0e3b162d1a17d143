"""A finished round of the table, told to the pure `settle`: the line that it reads, or the reason why there is none.

Each reason is narrow: it says what of this round no line of `settle` has a word for, or nobody knows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controller.cards.cards import NAMES
from controller.cards.house_ways import is_natural, set_hand
from controller.games.fates import CONCERNS_A_SEAT, FATES, VOIDS_ALL, holds_round
from controller.games.model import AT_ONCE, Decision
from controller.games.settling.engine import settler_of
from controller.games.settling.pikit import reaches_minimum
from controller.games.settling.round import UNREAD, UNREADABLE
from controller.games.settling.side import BOX, SIX_CARD
from controller.rules.parts import WagerRule
from controller.rules.ranked import house_ways
from controller.rules.vocabulary import GUARDS_OF, Action, Area, Guard, Trigger
from controller.table.acts.betting import fits
from controller.table.settlement.offer import PROGRESSIVE
from controller.table.state.table import Fate, Round, SeenHand, Setup
from controller.table.words import facts as f
from tests.soak.verdicts import BY_CARDS, ROUND_HELD, Happened

TOUCHES = (*FATES, *VOIDS_ALL, *CONCERNS_A_SEAT, Action.HOLD_ROUND, Action.DISCARD_EXCESS)
"""Demands by which wagers, or the hands that settle them, fare otherwise than by the cards."""
CHANGES_HANDS = (Trigger.PLAYER_LEFT, Trigger.FALSE_DECLARATION)
"""What changes what a hand earns or how it is settled, even where no wager is decided by it."""

NO_WAGER = "no wager lay in it"
BETS_OPEN = "play stopped before the bets lay there as they must"
UNCOUNTED = "nobody counted some of its chips"
WORTHLESS = "a chip of a worth that nobody knows lay on a sensor"
SEVERAL = "more than one thing happened that touches wagers"
BY_A_PERSON = "a person made it void"
METER = "nobody read a meter from which a wager is paid"
PLACED_SINCE = "more was wagered after something happened that touches wagers"
NO_ROW = "what happened has no row in this document"
WRONGLY_SAID = "what was said of a hand is not what its cards show"
REASONS = (
    NO_WAGER,
    BETS_OPEN,
    UNCOUNTED,
    WORTHLESS,
    SEVERAL,
    BY_A_PERSON,
    METER,
    PLACED_SINCE,
    NO_ROW,
    WRONGLY_SAID,
)


@dataclass(slots=True)
class Story:
    """What is to be known of a round beside its last state. `answers`: of each seat, those too that were taken back; `placed`:
    wagers, so without chips that came too late; `said`: of the dealer's hand, each time; `since`: more wagers
    were placed after something that touches wagers.
    """

    answers: dict[int, list[Decision]] = field(default_factory=dict)
    happened: list[Happened] = field(default_factory=list)
    by_a_person: bool = False
    placed: set[tuple[int, str]] = field(default_factory=set)
    said: list[f.DealerRevealed] = field(default_factory=list)
    since: bool = False

    def wagered(self, seat: int, wager: str) -> None:
        self.placed.add((seat, wager))
        self.since |= bool(self.touching)

    def answered(self, round_: Round, given: f.DecisionRecorded) -> None:
        """The answer, and the wager that was placed with it."""
        self.answers.setdefault(given.seat, []).append(given.decision)
        stage = round_.game.stage(round_.phase)
        answers = stage.answers if stage else ()
        self.placed |= {(given.seat, x.places) for x in answers if x.decision is given.decision and x.places}

    @property
    def touching(self) -> list[Happened]:
        return [x for x in self.happened if _touches(x.made)]

    @property
    def told(self) -> Happened | None:
        """The one thing that is told: what touches wagers, else what happened last without touching any."""
        return (self.touching or self.happened or [None])[-1]

    def sets_one_hand(self, seat: int) -> tuple[str, ...] | None:
        """By which clause this hand of too many cards sets one hand; None for any other."""
        found = (x.made for x in self.happened if x.made.seat == seat)
        excess = (made for made in found if any(d.action is Action.DISCARD_EXCESS for d in made.demands))
        return next((made.cite for made in excess), None)

    def wagers(self, round_: Round, seat: int) -> dict[str, int]:
        """Cents of each wager of this seat."""
        lies = round_.seats[seat].wagers.items()
        return {name: wager.cents for name, wager in lies if (seat, name) in self.placed}

    def as_then(self, seat: int) -> Round | None:
        """The round as it was when something happened that decided all wagers of this seat, but those that it has settled on
        their own cards and those that were settled before; None where none did, or not all.

        What its player answered after that, where a person let a wager stand, `settle` would take for an answer before it.
        """
        told = self.told
        before = told.before.round if told else None
        if told is None or before is None or not self.touching or seat not in before.seats:
            return None
        lies = before.seats[seat].wagers
        asked = [
            w for w in self.wagers(before, seat) if lies[w].fate is not Fate.SETTLED and not told.spares(seat, w)
        ]
        gone = [told.at_once(seat, w) for w in asked]
        return None if not gone or any(verdict.word in (BY_CARDS.word, ROUND_HELD) for verdict in gone) else before


def _touches(made: f.DispositionMade) -> bool:
    return made.trigger in CHANGES_HANDS or any(demand.action in TOUCHES for demand in made.demands)


def untold(setup: Setup, round_: Round, story: Story) -> str | None:
    """Why no line can tell this round; None where one can."""
    wagers = {n: story.wagers(round_, n) for n in round_.in_play}
    rules = setup.law.rulebook.wagers
    least = {name for name, rule in rules.items() if rule.placed == "before_deal" and not rule.optional}
    if not round_.seats:
        return NO_WAGER
    held = story.told is not None and holds_round(story.told.made.demands) is not None
    if story.by_a_person and not held:
        return BY_A_PERSON
    if story.since:
        return PLACED_SINCE
    if len(story.touching) > 1:
        return SEVERAL
    needed = {n: least.union(*(rules[name].requires.value for name in placed)) for n, placed in wagers.items()}
    lacking = any(not needed[n] <= placed.keys() for n, placed in wagers.items())
    if lacking or set(wagers) != set(round_.seats) or not all(_fit(rules, placed) for placed in wagers.values()):
        return BETS_OPEN
    if round_.uncounted():
        return UNCOUNTED
    if any(placed.get(PROGRESSIVE) == 0 for placed in wagers.values()):
        return WORTHLESS
    told = story.told
    if told is not None and setup.law.rulebook.absent(told.made.trigger) is not None:
        return NO_ROW
    resets = settler_of(setup.law).resets
    if any(PROGRESSIVE in placed for placed in wagers.values()) and set(resets) - set(round_.meters):
        return METER
    return WRONGLY_SAID if _said_otherwise(setup, round_, story) else None


def _fit(rules: Mapping[str, WagerRule], placed: Mapping[str, int]) -> bool:
    """Whether each wager that goes by another one is as many times that as it must be before the deal."""
    of = [(rules[name], cents, placed[rules[name].of or name]) for name, cents in placed.items()]
    return all(fits(rule, cents, base) for rule, cents, base in of if rule.placed == "before_deal" and rule.of)


def _said_otherwise(setup: Setup, round_: Round, story: Story) -> bool:
    """Whether something was said of a hand that moves wagers, and its cards do not bear it out: they show another one, or nobody
    told them."""
    seen = round_.seen.get((Area.DEALER, 0))
    told = seen is not None and UNREADABLE not in seen.cards
    for said in story.said:
        moves = said.qualifies is False or said.natural is True
        if not told and moves:
            return True
        if seen is not None and told:
            unqualified = said.qualifies is not None and reaches_minimum(seen.cards) is not said.qualifies
            if unqualified or (said.natural is not None and is_natural(seen.cards) is not said.natural):
                return True
    if _set_otherwise(setup, seen):
        return True
    return any(_declared_wrongly(setup, round_, story, number) for number in round_.in_play)


def _set_otherwise(setup: Setup, seen: SeenHand | None) -> bool:
    """Whether the dealer's cards were told to be set otherwise than by the house ways."""
    ways = setup.law.rulebook.ranking.house_ways
    if ways is None or seen is None or not seen.played or UNREADABLE in seen.cards or is_natural(seen.cards):
        return False
    plays = set_hand(seen.cards, house_ways(setup.law.rulebook)).plays
    return sorted(seen.played) not in [sorted(pair) for pair in plays]


def _declared_wrongly(setup: Setup, round_: Round, story: Story, number: int) -> bool:
    """Whether a player has announced a hand that the cards are not, and nobody reported it; or somebody reported one that they
    are."""
    seen, answers = round_.seen.get((Area.PLAYER, number)), story.answers.get(number, [])
    if seen is None or UNREADABLE in seen.cards:
        return False
    reported = any((x.made.trigger, x.made.seat) == (Trigger.FALSE_DECLARATION, number) for x in story.happened)
    wins = settler_of(setup.law).wins_at_once(seen.cards)
    return reported is wins and (reported or bool(set(answers) & set(AT_ONCE)))


def line_of(setup: Setup, round_: Round, story: Story) -> dict[str, Any]:
    """The round as a line of `settle`."""
    hand, boxed = setup.law.rulebook.hand, any(SIX_CARD in seat.wagers for seat in round_.in_play.values())
    dealer = round_.seen.get((Area.DEALER, 0), SeenHand(()))
    natural = bool(hand.dealer_cards) and hand.dealer_cards == len(dealer.cards) and round_.natural is True
    told, settler = story.told, settler_of(setup.law)
    line: dict[str, Any] = {
        "id": round_.id,
        "seats": [_hand(setup, round_, number, story) for number in round_.in_play],
        "meters": {name: {"cents": m.cents, "reset": m.reset} for name, m in round_.meters.items()},
        "terms": {
            "currency": setup.currency, "unit": setup.unit,
            "least": {name: low for name, (low, _) in setup.limits.items()},
            "most": {name: high for name, (_, high) in setup.limits.items()},
        },
    }  # fmt: skip
    if setup.payout_limit is not None:
        line["terms"]["payout_limit"] = setup.payout_limit
    if hand.dealer_cards:
        line["dealer"] = _text(_filled(dealer.cards, hand.dealer_cards))
        if settler.played and dealer.played:
            line["dealer_played"] = _text(dealer.played)
    if hand.community_cards and not natural:
        seen = round_.seen.get((Area.COMMUNITY, 0), SeenHand(()))
        line["community"] = _text(_filled(seen.cards, hand.community_cards))
    if boxed:
        line["box"] = _text(_filled(round_.seen.get((Area.SIX_CARD_BOX, 0), SeenHand(())).cards, BOX))
    if told is not None:
        line["irregularity"] = _irregularity(told.made)
    if not round_.meters:
        del line["meters"]
    return line


def _irregularity(made: f.DispositionMade) -> dict[str, Any]:
    state: Sequence[Guard] = [guard for guard in made.guards if guard in GUARDS_OF[made.trigger]]
    return {"trigger": made.trigger, "state": list(state), "seat": made.seat}


def _hand(setup: Setup, round_: Round, number: int, story: Story) -> dict[str, Any]:
    settler, count = settler_of(setup.law), setup.law.rulebook.hand.player.value
    seat, seen = round_.seats[number], round_.seen.get((Area.PLAYER, number), SeenHand(()))
    then = story.as_then(number)
    answers = story.answers.get(number, ()) if then is None else then.seats[number].answers
    told: dict[str, Any] = {
        "seat": number,
        "wagers": story.wagers(then or round_, number),
        "cards": _text(_filled(seen.cards, count)),
        "decisions": list(answers),
    }
    if settler.played:
        told["played"] = _text(_filled(seen.played, settler.played))
    if settler.shown:
        told["shown"] = _text(_filled(seen.shown, settler.shown))
    if seat.coupons:
        told["coupons"] = {name: coupon.cents for name, coupon in seat.coupons.items()}
    return told


def _filled(cards: tuple[int, ...], count: int) -> tuple[int, ...]:
    return cards + (UNREADABLE,) * (count - len(cards))


def _text(cards: tuple[int, ...]) -> str:
    return " ".join(UNREAD if card == UNREADABLE else NAMES[card] for card in cards)
