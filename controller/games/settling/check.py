"""Whether a round can be what it says: cards, wagers and answers against the document, before anything is settled."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from controller.cards.cards import NAMES
from controller.games.model import AT_ONCE, Decision, Game, Stage
from controller.games.settling.money import Money
from controller.games.settling.round import MOST, UNREADABLE, Hand, Round, RoundRefused, Terms
from controller.readers.nearest import nearest
from controller.rules.citation import Cited
from controller.rules.model import Law
from controller.rules.parts import WagerRule
from controller.rules.vocabulary import Moment, Settle, Trigger
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class _Rule:
    """One wager's conditions, laid out for a fast look."""

    rule: WagerRule
    requires: tuple[str, ...]
    excludes: tuple[str, ...]
    before: tuple[int, ...]  # multiples of `of` where it is placed before the deal
    exact: int | None


_Placed = dict[str, tuple[WagerRule, Moment, tuple[int, ...]]]
"""Wagers that a player's answers place: each with the moment, and the multiples that are allowed then."""


@dataclass(frozen=True, slots=True)
class _Path:
    """What the answers of a player place. `left`: stages in which the player has not answered, though the hand plays on."""

    placed: _Placed
    left: tuple[Stage, ...] = ()


class Checks:
    """The checks of one law and its game."""

    def __init__(self, law: Law, game: Game, money: Money) -> None:
        self._law, self._game, self._money = law, game, money
        book = law.rulebook
        self._decks = book.decks.per_set.value
        self._rules = {name: _rule(rule) for name, rule in book.wagers.items()}
        self._base = [
            name for name, rule in book.wagers.items() if not rule.optional and rule.placed == "before_deal"
        ]
        self._version = book.play.version.value if book.play.version else None
        self._stages = [stage for stage in game.stages if stage.answers]
        self._of = [stage.of for stage in self._stages if stage.of is not None]
        self._later_wagers = [name for name, rule in book.wagers.items() if rule.placed == "decision"]
        self._paths: dict[tuple[tuple[Decision, ...], tuple[bool, ...], bool], _Path] = {}
        self.payable = self._payable()

    def check(self, round_: Round, *, whole: bool) -> None:
        """Raises `RoundRefused` for the first thing that cannot be. `whole`: no irregularity, so that every hand is there."""
        terms = round_.terms
        if not round_.hands:
            raise RoundRefused("no seat is in this round")
        seats = [hand.seat for hand in round_.hands]
        if len(set(seats)) < len(seats):
            raise RoundRefused("stands twice in this round", next(seat for seat in seats if seats.count(seat) > 1))
        for name, meter in round_.meters.items():
            if not 0 <= meter.reset <= MOST or not 0 <= meter.cents <= MOST:
                raise RoundRefused(f"meter {name!r} and its start are from 0 to {MOST} cents")
        self._deck(round_)
        for hand in round_.hands:
            self._seat(hand)
            self._wagers(hand, terms)
            if whole:
                self._count(f"seat {hand.seat}", hand.cards, self._law.rulebook.hand.player)
            self._answers(_as_answered(hand, round_), may_end=round_.under_way or not whole)

    def _seat(self, hand: Hand) -> None:
        seats = self._law.rulebook.seats
        if not 1 <= hand.seat <= seats.value:
            raise RoundRefused(f"there are seats 1 to {seats.value}", hand.seat, cite=seats.cite)

    def _deck(self, round_: Round) -> None:
        cards = [*round_.dealer, *round_.community, *round_.box]
        for hand in round_.hands:
            cards += hand.cards
        if len(set(cards)) == len(cards) and UNREADABLE not in cards:
            return
        for card, times in Counter(cards).items():
            if card != UNREADABLE and times > self._decks:
                held = (
                    "one deck holds it once"
                    if self._decks == 1
                    else f"{self._decks} decks hold it {self._decks} times"
                )
                where = [f"seat {hand.seat}" for hand in round_.hands if card in hand.cards]
                places = (("dealer", round_.dealer), ("community", round_.community), ("six card box", round_.box))
                where += [name for name, held_there in places if card in held_there]
                cite = self._law.rulebook.decks.per_set.cite
                raise RoundRefused(f"{NAMES[card]} is there {times} times ({', '.join(where)}): {held}", cite=cite)

    def _wagers(self, hand: Hand, terms: Terms) -> None:
        placed = hand.wagers
        for name in self._base:
            if not placed.get(name):
                cite = self._rules[name].rule.cite
                raise RoundRefused("is not placed, and nobody is dealt in without it", hand.seat, name, cite)
        for name, cents in placed.items():
            rule = self._rules.get(name)
            if rule is None:
                raise RoundRefused(
                    f"the document knows no such wager {nearest(name, self._rules)}", hand.seat, name
                )
            if not 0 <= cents <= MOST:
                raise RoundRefused(f"is {cents} cents; a wager is from 0 to {MOST}", hand.seat, name)
            if cents:
                self._wager(hand, name, cents, rule, terms)
        for name, face in hand.coupons.items():
            self._coupon(hand, name, face)

    def _wager(self, hand: Hand, name: str, cents: int, rule: _Rule, terms: Terms) -> None:
        placed = hand.wagers
        for needed in rule.requires:
            if not placed.get(needed):
                raise RoundRefused(
                    f"needs {needed}, which is not placed", hand.seat, name, rule.rule.requires.cite
                )
        for other in rule.excludes:
            if placed.get(other):
                cite = rule.rule.excludes.cite if rule.rule.excludes else ()
                raise RoundRefused(f"excludes {other}, which is placed too", hand.seat, name, cite)
        if rule.exact is not None and cents != rule.exact:
            cite = rule.rule.exact_cents.cite if rule.rule.exact_cents else ()
            raise RoundRefused(f"is {cents} cents, and can only be {rule.exact}", hand.seat, name, cite)
        if rule.before and cents not in [n * placed.get(rule.rule.of or "", 0) for n in rule.before]:
            _amount(hand, name, cents, rule.rule, Moment.BEFORE_DEAL)
        least, most = terms.least.get(name, 0), terms.most.get(name)
        if cents < least:
            raise RoundRefused(
                f"is {cents} cents, below the least wager of {least}", hand.seat, name, rule.rule.cite
            )
        if most is not None and cents > most:
            raise RoundRefused(
                f"is {cents} cents, above the most wager of {most}", hand.seat, name, rule.rule.cite
            )
        if (missing := self.payable[name]) is not None:
            raise RoundRefused(missing[0], hand.seat, name, missing[1])

    def _payable(self) -> dict[str, tuple[str, tuple[str, ...]] | None]:
        """Why a wager cannot be settled under these elections, with clauses; None where it can be."""
        found: dict[str, tuple[str, tuple[str, ...]] | None] = dict.fromkeys(self._rules)
        book = self._law.rulebook
        for table in book.pay.values():
            open_ = [question for question, _ in table.when if self._law.elected(question) is None]
            if open_:
                question = book.questions[open_[0]]
                options = ", ".join(choice.id for choice in question.choices)
                found[table.wager] = (
                    f"no pay table is elected: {question.id} is one of {options}",
                    question.clauses,
                )
        for question in self._law.unelected():
            if question.wager in found:
                told = f"{question.id} is not elected, and this wager may not be offered without it"
                found[question.wager] = found[question.wager] or (told, question.clauses)
        return found

    def _coupon(self, hand: Hand, name: str, face: int) -> None:
        if self._money.settlement.get(Settle.COUPON) is None:
            raise RoundRefused("the document knows no match play coupon", hand.seat, name)
        if not hand.wagers.get(name):
            raise RoundRefused(
                "a coupon lies beside no chips", hand.seat, name, self._money.settlement[Settle.COUPON].cite
            )
        exact = self._rules[name].rule.exact_cents
        if exact is not None:
            told = f"is one chip of {exact.value} cents, and no coupon lies beside it"
            raise RoundRefused(told, hand.seat, name, exact.cite)
        if not 1 <= face <= MOST:
            raise RoundRefused(
                f"the face of a coupon is {face} cents, and must be from 1 to {MOST}", hand.seat, name
            )

    def _count(self, whose: str, cards: Sequence[int], wanted: Cited[int] | None) -> None:
        count = wanted.value if wanted else 0
        if len(cards) != count:
            cite = wanted.cite if wanted else ()
            raise RoundRefused(
                f"{whose} has {len(cards)} cards, and a hand has {count}; report the irregularity", cite=cite
            )

    def table_cards(self, round_: Round, *, dealer: bool, community: bool) -> None:
        """Raises where the dealer's or the community cards are not as many as they must be at the end of a round."""
        hand = self._law.rulebook.hand
        self._count("the dealer", round_.dealer, hand.dealer if dealer else None)
        self._count("the community", round_.community, hand.community if community else None)

    def answered(self, hand: Hand, round_: Round) -> None:
        """Raises where an answer is missing of a hand whose wagers the cards settle: nobody knows whether it folded."""
        self._answers(_as_answered(hand, round_), may_end=False)

    def _answers(self, hand: Hand, *, may_end: bool) -> None:
        """Each answer belongs to the stage in which it was asked, with the wager that it places.

        `may_end`: answers behind the last given one may be missing.
        """
        wagers = hand.wagers
        asked = tuple(bool(wagers.get(name)) for name in self._of)
        path = self._paths.get((hand.decisions, asked, may_end))
        if path is None:
            path = self._paths[hand.decisions, asked, may_end] = self._path(hand, may_end)
        for name in self._later_wagers:
            if wagers.get(name) and name not in path.placed:
                self._unanswered(hand, name, path.left)
        for name, (rule, moment, multiples) in path.placed.items():
            of, cents = wagers.get(rule.of or "", 0), wagers.get(name, 0)
            if not cents:
                told = "the player placed it, and its amount is missing"
                raise RoundRefused(told, hand.seat, name, dict(rule.times)[moment].cite)
            if cents not in [times * of for times in multiples]:
                _amount(hand, name, cents, rule, moment)

    def _unanswered(self, hand: Hand, name: str, left: tuple[Stage, ...]) -> None:
        """Raises for a later wager that no answer places, unless an answer that was not told could have placed this amount."""
        rule = self._rules[name].rule
        stages = [s for s in left if s.moment and any(x.places == name for x in s.answers)]
        of, cents = hand.wagers.get(rule.of or "", 0), hand.wagers[name]
        if any(cents == times * of for s in stages for times in rule.multiples(s.moment)):
            return
        if stages and stages[0].moment:
            _amount(hand, name, cents, rule, *(s.moment for s in stages if s.moment))
        barred = rule.not_with is not None and set(rule.not_with.value) & set(hand.decisions)
        if rule.not_with is not None and barred:
            told = f"is there, and may not be placed with {' or '.join(sorted(barred))}"
            raise RoundRefused(told, hand.seat, name, rule.not_with.cite)
        raise RoundRefused("is there, and no answer of the player places it", hand.seat, name, rule.cite)

    def _path(self, hand: Hand, may_end: bool) -> _Path:
        """Which wagers these answers place, each with its moment and multiples. Raises for answers that cannot be."""
        answers, placed = iter(hand.decisions), _Placed()
        for place, stage in enumerate(self._stages):
            if stage.of is not None and not hand.wagers.get(stage.of):
                continue
            given = next(answers, None)
            if given is None and may_end:
                return _Path(placed, tuple(self._stages[place:]))
            if given is None:
                known = [a.decision for a in stage.answers if a.version in (None, self._version)]
                told = f"has not answered in {stage.phase} (one of {', '.join(known)})"
                raise RoundRefused(told, hand.seat, cite=self._asked_by(stage))
            answer = stage.answer(given, self._version)
            if answer is None:
                told = f"{given} does not belong in {stage.phase}: {stage.otherwise}"
                raise RoundRefused(told, hand.seat, cite=self._asks(stage))
            if answer.places is not None and stage.moment is not None:
                rule = self._rules[answer.places].rule
                placed[answer.places] = (rule, stage.moment, rule.multiples(stage.moment))
            if answer.final:
                break
        if (extra := next(answers, None)) is not None:
            raise RoundRefused(f"{extra} comes after the player's last answer", hand.seat)
        return _Path(placed)

    def _asked_by(self, stage: Stage) -> tuple[str, ...]:
        """Clauses by which the players are asked in a stage; those of its wagers where the text names no order of asking."""
        asked = self._law.rulebook.play.asked_from.get(stage.moment) if stage.moment else None
        return asked.cite if asked else self._asks(stage)

    def _asks(self, stage: Stage) -> tuple[str, ...]:
        """Clauses of the wagers that are placed in a stage, at its moment where they are printed by moment."""
        names = [name for name in stage.wagers if name in self._rules]
        cites = [cited.cite for name in names for at, cited in self._rules[name].rule.times if at is stage.moment]
        return tuple(dict.fromkeys(clause for cite in cites for clause in cite))


def _amount(hand: Hand, name: str, cents: int, rule: WagerRule, *moments: Moment) -> None:
    """Raises with what the wager may amount to at these moments."""
    cited = [dict(rule.times)[moment] for moment in moments]
    times = " or ".join(str(n) for each in cited for n in each.value)
    cite = tuple(dict.fromkeys(clause for each in cited for clause in each.cite))
    of = hand.wagers.get(rule.of or "", 0)
    raise RoundRefused(f"is {cents} cents, and must be {times} times the {rule.of} of {of}", hand.seat, name, cite)


def _as_answered(hand: Hand, round_: Round) -> Hand:
    """The hand without an announcement that was false, where it was played on with another answer."""
    happened = round_.irregularity
    if happened is None or (happened.trigger, happened.seat) != (Trigger.FALSE_DECLARATION, hand.seat):
        return hand
    first, *others = hand.decisions or (None,)
    return replace(hand, decisions=tuple(others)) if first in AT_ONCE and others else hand


def _rule(rule: WagerRule) -> _Rule:
    exact = rule.exact_cents.value if rule.exact_cents else None
    excludes = rule.excludes.value if rule.excludes else ()
    return _Rule(rule, rule.requires.value, excludes, rule.multiples(Moment.BEFORE_DEAL), exact)
