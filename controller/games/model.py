"""What a game is made of: the stages of a round between the first deal and the settlement, as data.

A game says in which order things happen and what a player may answer; amounts, clauses and versions stand in the
rulebook. Betting, dealing and the end of a round are alike in every game and belong to the table.
"""

from collections.abc import Collection
from enum import StrEnum

from controller.rules.model import Rulebook
from controller.rules.parts import WagerRule
from controller.rules.vocabulary import Moment
from drivers.protocol.records import dataclass


class Phase(StrEnum):
    """Where a round stands. `STOPPED`: a disposition has ended its play; only duties and the clean-up are left."""

    BETTING = "betting"
    BETS_CLOSED = "bets_closed"
    DEALING = "dealing"
    PRE_FLOP = "pre_flop"
    FLOP = "flop"
    LAST_TWO = "last_two"
    BONUS_CARDS = "bonus_cards"  # players show the cards of a bonus wager that is settled before the rest
    DECISION = "decision"  # the one decision of a game that has one
    SETTING = "setting"  # players choose the cards that they play
    DEALER_SET = "dealer_set"  # the dealer's cards are seen and chosen; the community cards are still to come
    SHOWDOWN = "showdown"
    SETTLED = "settled"
    STOPPED = "stopped"


class Decision(StrEnum):
    """A player's answer when asked."""

    CHECK = "check"
    PLAY = "play"
    FOLD = "fold"
    SHOW = "show"  # the cards of a bonus wager
    PLAY_3 = "play_3"
    PLAY_5 = "play_5"
    BET = "bet"
    STAY = "stay"  # plays on without the later wager
    DECLARE = "declare"  # a hand that wins at once
    SET = "set"  # the cards that are played
    SPLIT = "split"  # into two hands
    SURRENDER = "surrender"
    NATURAL = "natural"


AT_ONCE = (Decision.DECLARE, Decision.NATURAL)
"""Announce a hand that wins before the others are compared."""


class Street(StrEnum):
    """Community cards that are shown together."""

    FLOP = "flop"
    LAST_TWO = "last_two"
    COMMUNITY = "community"  # all of them at once


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player may answer in a stage.

    `places`: the wager made with it. `final`: the player is asked no more. `settles`: wagers that are paid or collected
    at once. `splits`: the hand goes on as two. `surrenders`: part of the first wager is given up.
    `version`: only where this version of the game is played.
    """

    decision: Decision
    places: str | None = None
    final: bool = True
    folds: bool = False
    splits: bool = False
    surrenders: bool = False
    settles: tuple[str, ...] = ()
    version: str | None = None


@dataclass(frozen=True, slots=True)
class ShowCommunity:
    """The stage ends when `cards` community cards of this street lie face up."""

    street: Street
    cards: int


@dataclass(frozen=True, slots=True)
class ShowDealer:
    """The stage ends when the dealer's hand lies face up."""


@dataclass(frozen=True, slots=True)
class Settle:
    """The stage ends when every wager is settled."""


Ending = ShowCommunity | ShowDealer | Settle
"""The act with which a stage ends."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One phase of a game. `ends` None: it ends with the last answer, and is passed over where nobody is asked.

    `answers`: () where nobody is asked. `of`: only players with this wager are asked. `moment`: when, in the words of
    the rulebook, a wager is placed here. `otherwise`: what a person reads who tries another answer. `next`: the sentence for
    the dealer once nobody is left to be asked; `ask`: what belongs to the answer of a player. `opened`: wagers of the player
    whose turn it is that are settled before the answer, on cards which are turned up for it.
    """

    phase: Phase
    next: str
    ends: Ending | None
    answers: tuple[Answer, ...] = ()
    moment: Moment | None = None
    of: str | None = None
    ask: str = ""
    otherwise: str = ""
    opened: tuple[str, ...] = ()

    def answer(self, decision: Decision, version: str | None) -> Answer | None:
        """The answer that belongs here with that version of the game."""
        found = (a for a in self.answers if a.decision is decision and a.version in (None, version))
        return next(found, None)

    @property
    def wagers(self) -> tuple[str, ...]:
        """What this stage is about: wagers that are placed in it, or the one whose players are asked."""
        placed = tuple(a.places for a in self.answers if a.places)
        return placed or ((self.of,) if self.of else ())


@dataclass(frozen=True, slots=True)
class Game:
    """`base`: the wager that puts a seat into play. `stages`: in order, the last one ends with the settlement.

    `returned_unqualified`: what goes back where the dealer must hold a minimum and does not. `keeps_set`: a set is dealt
    on from round to round, and shuffled when its cutting card has come.
    """

    name: str
    base: str
    stages: tuple[Stage, ...]
    returned_unqualified: tuple[str, ...] = ()
    keeps_set: bool = False

    def stage(self, phase: Phase) -> Stage | None:
        """The stage of this phase; None in a phase that is alike in every game."""
        return next((stage for stage in self.stages if stage.phase is phase), None)

    def settled_with(self, decisions: Collection[Decision]) -> frozenset[str]:
        """Wagers that these answers of a player have settled at once: paid, collected or divided before the round's end."""
        given = [answer for stage in self.stages for answer in stage.answers if answer.decision in decisions]
        names = {wager for answer in given for wager in answer.settles}
        return frozenset(names | {self.base for answer in given if answer.surrenders})

    def settling(self, wager: str, decisions: Collection[Decision]) -> tuple[Stage, tuple[Decision, ...]] | None:
        """The stage of which an answer settles this wager at once, and those answers; None where none is to be given any more.

        `decisions`: answers of the player so far.
        """
        if any(x.final and x.decision in decisions for stage in self.stages for x in stage.answers):
            return None
        found = ((s, tuple(x.decision for x in s.answers if wager in x.settles)) for s in self.stages)
        return next(((stage, answers) for stage, answers in found if answers), None)

    def after(self, phase: Phase) -> Phase:
        """The phase that follows a stage."""
        phases = [stage.phase for stage in self.stages]
        return (*phases, Phase.SETTLED)[phases.index(phase) + 1]

    @property
    def dealer_up(self) -> tuple[Stage, ...]:
        """Stages after the act by which the dealer's hand is turned up; () where the dealer has none."""
        shown = next(
            (n for n, stage in enumerate(self.stages) if isinstance(stage.ends, ShowDealer)), len(self.stages)
        )
        return self.stages[shown + 1 :]

    def dealer_is_up(self, phase: Phase) -> bool:
        """True in a phase that comes after the act by which the dealer's hand is turned up."""
        after = [stage.phase for stage in self.dealer_up]
        return bool(after) and phase in (*after, Phase.SETTLED)

    @property
    def streets(self) -> tuple[ShowCommunity, ...]:
        """Community cards in the order in which they are shown."""
        return tuple(stage.ends for stage in self.stages if isinstance(stage.ends, ShowCommunity))

    def misfits(self, rulebook: Rulebook) -> list[str]:
        """Where this game and a rulebook that plays it do not fit; [] for a rulebook of which rounds can be played."""
        hand, wagers = rulebook.hand, rulebook.wagers
        named = {self.base, *self.returned_unqualified, *(w for stage in self.stages for w in stage.wagers)}
        named |= {w for stage in self.stages for answer in stage.answers for w in answer.settles}
        faults = [f"it knows no wager {name}" for name in sorted(named - set(wagers))]
        given = {answer.decision.value for stage in self.stages for answer in stage.answers}
        for name, rule in wagers.items():
            strange = set(rule.not_with.value) - given if rule.not_with else set()
            faults += [f"{name} may not be placed with {word}, which nobody answers" for word in sorted(strange)]
        shown = sum(street.cards for street in self.streets)
        if shown != hand.community_cards:
            faults.append(f"{shown} community cards are shown, and it has {hand.community_cards}")
        if any(isinstance(stage.ends, ShowDealer) for stage in self.stages) is not bool(hand.dealer_cards):
            faults.append(f"the dealer's hand has {hand.dealer_cards} cards")
        for stage in self.stages:
            faults += [fault for w in stage.wagers if w in wagers and (fault := _unpriced(stage, wagers[w]))]
        return faults


def _unpriced(stage: Stage, rule: WagerRule) -> str | None:
    """A wager that is placed in a stage needs its multiples for that moment."""
    if stage.of == rule.name or rule.multiples(stage.moment):
        return None
    return f"it does not say what a {rule.name} amounts to in phase {stage.phase}"
