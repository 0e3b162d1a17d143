"""Rounds of which people tell the cards: the hands of one deck, what is announced of them, and wagers settled one by one."""

from random import Random

from controller.cards.cards import NAMES, parse
from controller.cards.house_ways import is_natural, set_hand
from controller.games.model import AT_ONCE, Answer, Decision, Phase
from controller.games.settling.engine import settler_of
from controller.games.settling.pikit import reaches_minimum
from controller.games.settling.settled import Outcome
from controller.games.settling.side import BOX, SIX_CARD
from controller.rules.ranked import house_ways
from controller.rules.vocabulary import Area
from controller.table.questions.stub_count_and_turns import must_qualify
from controller.table.settlement.offer import PROGRESSIVE, offer
from controller.table.settlement.settle import OUTCOMES
from controller.table.state.table import Fate, Round, Seat, Setup, State
from controller.table.words import acts as a
from tests.soak.build import Builder

P_TELLS = 0.6
"""How often all cards of a round are told."""
P_ONE_BY_ONE = 0.12
"""How often each wager of such a round is settled by itself."""
P_UNREAD, P_WRONG = 0.01, 0.03
"""How often a card of such a round is not read, and how often something else is announced than the cards show."""
P_RICH = 0.15
"""How often one suit comes first in the deck, and how often a few ranks do: so some hands are worth much."""
MOST_CARDS = 52
"""More are not dealt in a round."""
UNREAD = "??"


class Teller:
    """The cards of the round in play at one table, and who tells of them. `tells`: whether all of this round are told."""

    def __init__(self, rng: Random, setup: Setup, builder: Builder) -> None:
        self.rng, self.setup, self.builder = rng, setup, builder
        self._cards = NAMES * setup.law.rulebook.decks.per_set.value
        self.new_round()

    def new_round(self) -> None:
        rng = self.rng
        self.tells, self.one_by_one = rng.random() < P_TELLS, rng.random() < P_ONE_BY_ONE
        self._lying: dict[tuple[Area, int], list[str]] = {}
        self._deck = rng.sample(self._cards, MOST_CARDS)
        drawn = rng.random()
        if drawn < P_RICH:
            first = rng.choice("cdhs")
            self._deck.sort(key=lambda name: name[1] == first)
        elif drawn < 2 * P_RICH:
            few = rng.sample("23456789TJQKA", 4)
            self._deck.sort(key=lambda name: name[0] in few)

    def _of(self, area: Area, seat: int, count: int) -> list[str]:
        """The cards that lie there, the same each time; they are taken from the end of the deck."""
        lie = self._lying.setdefault((area, seat), [])
        while len(lie) < count:
            lie.append(self._deck.pop() if self._deck else UNREAD)
        return lie[:count]

    def untold(self, state: State) -> tuple[Area, int] | None:
        """What is to be told next of this round; None where all is told that lies open."""
        round_ = state.round
        if not self.tells or round_ is None:
            return None
        settles = round_.phase in (round_.game.stages[-1].phase, Phase.SETTLED)
        for number, seat in round_.in_play.items():
            open_ = settles or any(wager.fate is Fate.SETTLED for wager in seat.wagers.values())
            if open_ and (Area.PLAYER, number) not in round_.seen:
                return Area.PLAYER, number
        for area, count in self._of_table(round_, settles=settles):
            seen = round_.seen.get((area, 0))
            if count and (seen is None or len(seen.cards) < count):
                return area, 0
        return None

    def _of_table(self, round_: Round, *, settles: bool) -> list[tuple[Area, int]]:
        hand, boxed = (
            self.setup.law.rulebook.hand,
            any(SIX_CARD in seat.wagers for seat in round_.in_play.values()),
        )
        return [
            (Area.DEALER, hand.dealer_cards if round_.game.dealer_is_up(round_.phase) else 0),
            (Area.COMMUNITY, _shown(round_) if settles else 0),
            (Area.SIX_CARD_BOX, BOX if boxed and settles else 0),
        ]

    def meter_untold(self, state: State) -> str | None:
        """The meter that is to be told next."""
        round_, resets = state.round, settler_of(self.setup.law).resets
        if not resets or not self.tells or round_ is None:
            return None
        if not any(PROGRESSIVE in seat.wagers for seat in round_.in_play.values()):
            return None
        return next((meter for meter in resets if meter not in round_.meters), None)

    def hand(self, state: State) -> a.Act:
        """As the cards lie in a round of which they are told; else any cards, as they never fit each other."""
        assert state.round is not None
        if not self.tells:
            return self._any_hand(state.round)
        told = self.untold(state) or self.rng.choice(list(state.round.seen) or [(Area.PLAYER, 1)])
        return self._told(state.round, *told)

    def _told(self, round_: Round, area: Area, number: int) -> a.RecordHand:
        hand, settler, seat = (
            self.setup.law.rulebook.hand,
            settler_of(self.setup.law),
            round_.seats.get(number, Seat()),
        )
        count = {
            Area.PLAYER: hand.player.value + (seat.one_hand and self.rng.random() < 0.5),
            Area.DEALER: hand.dealer_cards,
            Area.COMMUNITY: _shown(round_),
            Area.SIX_CARD_BOX: BOX,
        }[area]
        lie = self._of(area, number, count)
        cards = [UNREAD if self.rng.random() < P_UNREAD else name for name in lie]
        played: list[str] = []
        shown: list[str] = []
        if area is Area.PLAYER:
            chooses = seat.answers[-1:] and seat.answers[-1] not in (*AT_ONCE, Decision.FOLD, Decision.SURRENDER)
            played = cards[: settler.played] if chooses else []
            shown = cards[: settler.shown]
        elif area is Area.DEALER and settler.played and UNREAD not in cards:
            numbers = tuple(parse(name)[0] for name in cards)
            ways = () if is_natural(numbers) else set_hand(numbers, house_ways(self.setup.law.rulebook)).plays
            played = [NAMES[card] for card in self.rng.choice(ways)] if ways else []
        told = ["" if UNREAD in chosen else " ".join(chosen) for chosen in (played, shown)]
        return a.RecordHand(area, " ".join(cards), number, *told)

    def _any_hand(self, round_: Round) -> a.RecordHand:
        """Cards as they may lie there, now and then one that was not read."""
        hand = self.setup.law.rulebook.hand
        counts = {
            Area.PLAYER: hand.player.value,
            Area.DEALER: hand.dealer_cards,
            Area.COMMUNITY: _shown(round_),
            Area.SIX_CARD_BOX: BOX,
        }
        area = self.rng.choice(tuple(counts))
        seat = self.rng.choice(list(round_.in_play) or [1]) if area is Area.PLAYER else 0
        deck = NAMES if self.rng.random() > P_RICH else [name for name in NAMES if name.endswith("h")]
        cards = [self.rng.choice((name, name, name, UNREAD)) for name in self.rng.sample(deck, counts[area])]
        settler = settler_of(self.setup.law)
        plays = settler.played if area in (Area.PLAYER, Area.DEALER) else 0
        shows = settler.shown if area is Area.PLAYER else 0
        return a.RecordHand(area, " ".join(cards), seat, " ".join(cards[:plays]), " ".join(cards[:shows]))

    def meter(self, state: State) -> a.Act:
        least = settler_of(self.setup.law).resets
        if not least:
            return self.builder.record(a.RecordMeter, state)  # type: ignore[no-any-return]
        meter = self.meter_untold(state) or self.rng.choice(list(least))
        return a.RecordMeter(meter, least[meter][0] + 1000, least[meter][0])

    def answers(self, seat: int, fits: list[Answer]) -> list[Answer]:
        """Those that the cards of this seat allow: a hand that wins at once is announced by who holds one, nearly always."""
        if not self.tells or self.rng.random() < P_WRONG or not any(x.decision in AT_ONCE for x in fits):
            return fits
        cards = self._of(Area.PLAYER, seat, self.setup.law.rulebook.hand.player.value)
        wins = settler_of(self.setup.law).wins_at_once(tuple(parse(name)[0] for name in cards))
        if wins and self.rng.random() < 0.8:
            return [x for x in fits if x.decision in AT_ONCE]
        return [x for x in fits if x.decision not in AT_ONCE]

    def dealer(self, state: State) -> a.RevealDealer:
        """What is said of the dealer's hand: by its cards where they are told."""
        assert state.round is not None
        matters = must_qualify(self.setup, state.round.game)
        if not self.tells or self.rng.random() < P_WRONG:
            matters = matters or self.rng.random() < 0.1
            return a.RevealDealer(not matters or self.rng.random() < 0.7, self.rng.random() < 0.1)
        cards = self._of(Area.DEALER, 0, self.setup.law.rulebook.hand.dealer_cards)
        numbers = tuple(parse(name)[0] for name in cards)
        natural = self.setup.law.rulebook.play.dealer_natural is not None and is_natural(numbers)
        return a.RevealDealer(not matters or reaches_minimum(numbers), natural)

    def settles(self, state: State) -> a.Act | None:
        """The round is settled as a whole once its cards are told, and nobody settles it wager by wager."""
        early = self.untold(state) is not None or self.meter_untold(state) is not None
        late = self.tells and self.one_by_one and self._open(state) is not None
        return None if (early or late) and self.rng.random() < 0.98 else a.SettleRound()

    def one_wager(self, state: State) -> a.Act | None:
        """The next wager as the cards have it, now and then otherwise."""
        if not self.tells or not self.one_by_one or self.untold(state) is not None:
            return self.builder.record(a.SettleWager, state)  # type: ignore[no-any-return]
        line = self._open(state)
        if line is None:
            return None
        outcome, paid, returned = line.outcome, line.paid, line.returned
        if outcome not in OUTCOMES or self.rng.random() < P_WRONG:
            outcome = self.rng.choice((Outcome.LOSE, Outcome.WIN))
            paid, returned = (500, 0) if outcome is Outcome.WIN else (0, 0)
        given = returned if outcome in (Outcome.WIN, Outcome.LOSE) else None
        return a.SettleWager(line.seat, line.wager, outcome, paid, given, bool(line.coupon), line.holder)

    def _open(self, state: State):  # type: ignore[no-untyped-def]
        """A wager that waits to be settled."""
        assert state.round is not None
        found = offer(self.setup, state.round)
        return self.rng.choice(found.lines) if found and found.lines else None


def _shown(round_: Round) -> int:
    """Community cards that lie open."""
    return sum(street.cards for street in round_.game.streets[: round_.streets])
