"""The program without one clause, for clauses that the program itself carries: no value of the rulebook could be taken out.

`OF` names for each such clause the mutation that takes it out. A mutation gives the rulebook of the mutated program, mostly
the same one, and the patches under which a case of the clause must fail.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias
from unittest.mock import patch

from msgspec import structs

from controller.cards import house_ways
from controller.cards.cards import parse
from controller.games.model import Decision
from controller.games.registry import GAMES
from controller.games.settling.cover_all import CoverAll
from controller.games.settling.engine import Settler
from controller.games.settling.progressive import Progressive
from controller.games.settling.settled import Line, Outcome
from controller.readers import table as readers
from controller.rules.model import Rulebook
from controller.rules.ranked import Ranked
from controller.rules.vocabulary import Method
from controller.table.card_sets import cuts
from controller.table.words import facts as f
from drivers import events as e
from tests.clauses import test_ranking
from tests.clauses.conftest import bench

Patches: TypeAlias = list[Any]
Mutation: TypeAlias = Callable[[Rulebook, str], tuple[Rulebook, Patches]]

_RANKED, _SETTLE, _FOLD = test_ranking.ranked, Settler.settle, bench.fold
_DECIDE, _OFFERED = bench.decide, cuts.offered_to
_ENVY, _BY = Progressive._envy, CoverAll._by


def _house_way(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
    """The dealer does not know this way of setting a hand; of the last one, not that the highest cards are meant."""
    *before, last = house_ways._WAYS
    ways = tuple(way for way in house_ways._WAYS if way.cite != clause)
    if clause == last.cite:
        ways = (*before, replace(last, any=True))
    return rulebook, _with_ways(ways)


def _ways_turned(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
    """The lowest way that fits decides."""
    return rulebook, _with_ways(house_ways._WAYS[::-1])


def _with_ways(ways: tuple[Any, ...]) -> Patches:
    unkept = house_ways._set.__wrapped__
    return [patch.object(house_ways, "_WAYS", ways), patch.object(house_ways, "_set", unkept)]


def _ranks(change: Callable[[Sequence[int]], Sequence[int]]) -> Mutation:
    """Cards are ranked as if they were others."""

    def mutation(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
        return rulebook, [patch.object(test_ranking, "ranked", lambda book, cards: _RANKED(book, change(cards)))]

    return mutation


def _kings_high(cards: Sequence[int]) -> list[int]:
    """An ace is a king, and a king an ace."""
    ace, king = parse("As", 1)[0] >> 2, parse("Ks", 1)[0] >> 2
    turned = {ace: king, king: ace}
    return [(turned.get(card >> 2, card >> 2) << 2) | (card & 3) for card in cards]


def _no_low_ace(cards: Sequence[int]) -> Sequence[int]:
    """An ace beside a two is a king."""
    ace, two, king = (parse(name, 1)[0] >> 2 for name in ("As", "2s", "Ks"))
    if not {ace, two} <= {card >> 2 for card in cards}:
        return cards
    return [(king << 2) | (card & 3) if card >> 2 == ace else card for card in cards]


def _values(change: Callable[[Ranked, Sequence[int]], int]) -> Mutation:
    """A hand is worth something else."""

    def found(book: Rulebook, cards: Sequence[int]) -> list[Any]:
        ranked = _RANKED(book, cards)
        return [replace(h, value=change(h, cards)) if isinstance(h, Ranked) else h for h in ranked]

    def mutation(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
        return rulebook, [patch.object(test_ranking, "ranked", found)]

    return mutation


def _events(change: Callable[[Any, list[Any]], Any]) -> Mutation:
    """What follows from facts is another state. `change`: from the state before and the facts, the state after."""

    def mutation(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
        return rulebook, [patch.object(bench, "fold", change)]

    return mutation


def _shuffling_is_nothing(state: Any, facts: list[Any]) -> Any:
    """A set that is being shuffled stays as ready as it was."""
    return _FOLD(state, [fact for fact in facts if not isinstance(fact.event, e.ShuffleStarted | f.SetDisarmed)])


def _each_for_all(state: Any, facts: list[Any]) -> Any:
    """What is done with one set counts for every set."""
    after = _FOLD(state, facts)
    for fact in facts:
        back = getattr(fact.event, "back", None)
        for other in after.sets:
            if isinstance(fact.event, e.ShuffleCompleted) and str(back) in after.sets and other != str(back):
                sets = {**after.sets, other: structs.replace(after.sets[str(back)], back=other)}
                after = structs.replace(after, sets=sets)
    return after


def _no_lock_out(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
    """Nobody tells the progressive system to take no more wagers."""

    def decide(*given: Any) -> list[Any]:
        facts = _DECIDE(*given)
        return [
            fact for fact in facts if not (isinstance(fact.event, f.LevelWanted) and fact.event.value == e.ENGAGED)
        ]

    return rulebook, [patch.object(bench, "decide", decide)]


def _cut_from(seats_of: Callable[[Any, tuple[int, ...]], Sequence[int]]) -> Mutation:
    """The cut is offered in another order. `seats_of`: from the state and the seats in their order."""

    def mutation(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
        def offered(setup: Any, state: Any) -> tuple[int, ...]:
            return tuple(seats_of(state, _OFFERED(setup, state)))

        return rulebook, [patch.object(cuts, "offered_to", offered)]

    return mutation


def _box_forgotten(state: Any, seats: tuple[int, ...]) -> Sequence[int]:
    """The player farthest to the right is asked first, wherever the cutting card showed."""
    order = sorted(seats)
    return order[-1:] + order[:-1]


def _from_the_left(state: Any, seats: tuple[int, ...]) -> Sequence[int]:
    """The player farthest to the left is asked first, unless the cutting card showed at another one's hand."""
    of = state.round if state.round is not None else state
    return seats if of.cutting_card else sorted(seats)


def _no_method(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
    """The document does not permit the way of dealing of this clause."""
    gone = next(method for method, clauses in _PERMITS.items() if clause in clauses)
    return replace(rulebook, dealing={m: d for m, d in rulebook.dealing.items() if m is not gone}), []


_PERMITS = {
    Method.HAND: ("8(a)", "39.8(a)", "9.B"),
    Method.DEALING_SHOE: ("39.9(a)",),
    Method.MANUAL_SHOE: ("8.D",),
}


def _one_colour(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
    """Two sets may have one colour."""
    texts = readers.Table.texts

    def taken(section: Any, key: str, *args: Any, **kwargs: Any) -> tuple[str, ...]:
        if key == "backs":
            section._raw[key] = list(dict.fromkeys(section._raw[key]))
        return texts(section, key, *args, **kwargs)

    return rulebook, [patch.object(readers.Table, "texts", taken)]


def _game(name: str, change: Callable[[Any], Any]) -> Mutation:
    """The game goes another way."""

    def mutation(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
        return rulebook, [patch.dict(GAMES, {name: change(GAMES[name])})]

    return mutation


def _check_ends(game: Any) -> Any:
    """Who checks is asked no more."""
    stages = tuple(
        replace(
            stage,
            answers=tuple(replace(x, final=True) if x.decision is Decision.CHECK else x for x in stage.answers),
        )
        for stage in game.stages
    )
    return replace(game, stages=stages)


def _nobody_shows(game: Any) -> Any:
    """Nobody is asked for three cards."""
    return replace(game, stages=game.stages[1:])


def _bonus_stays(game: Any) -> Any:
    """The five card bonus is not settled with the answer."""
    stages = tuple(
        replace(stage, opened=(), answers=tuple(replace(x, settles=()) for x in stage.answers))
        for stage in game.stages
    )
    return replace(game, stages=stages)


def _lines(change: Callable[[list[Line]], list[Line]]) -> Mutation:
    """A round is settled in other lines."""

    def settle(settler: Settler, round_: Any) -> Any:
        found = _SETTLE(settler, round_)
        return structs.replace(found, lines=tuple(change(list(found.lines))))

    def mutation(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
        return rulebook, [patch.object(Settler, "settle", settle)]

    return mutation


def _follows_ante(wager: str) -> Mutation:
    """A wager is won and lost with the ante."""

    def change(lines: list[Line]) -> list[Line]:
        ante = {line.seat: line.outcome for line in lines if line.wager == "ante"}
        decided = (Outcome.WIN, Outcome.LOSE)
        return [
            structs.replace(line, outcome=ante[line.seat])
            if line.wager == wager and line.outcome in decided and ante[line.seat] in decided
            else line
            for line in lines
        ]

    return _lines(change)


def _one_envy(lines: list[Line]) -> list[Line]:
    """A player gets the envy bonus of one hand alone."""
    first = {line.seat: line for line in reversed(lines) if line.wager == "envy"}
    return [line for line in lines if line.wager != "envy" or line is first[line.seat]]


def _table_wagers_first(lines: list[Line]) -> list[Line]:
    """Cover All is settled before the other wagers."""
    return sorted(lines, key=lambda line: line.wager != "cover_all")


def _own_envy(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
    """A player is paid for the player's own hand, too."""

    def envy(self: Progressive, hand: Any, *args: Any) -> list[Line]:
        return [
            structs.replace(line, seat=hand.seat) for line in _ENVY(self, structs.replace(hand, seat=0), *args)
        ]

    return rulebook, [patch.object(Progressive, "_envy", envy)]


def _every_row_pays(lines: list[Line]) -> list[Line]:
    """A progressive hand is paid for a lower hand that it holds, too."""
    return [
        each for line in lines for each in (line, *([line] if line.wager == "progressive" and line.paid else []))
    ]


def _dealer_covers(rulebook: Rulebook, clause: str) -> tuple[Rulebook, Patches]:
    """Cover All looks at the dealer's hand alone."""

    def by(self: CoverAll, hand: Any, round_: Any, counted: Any, void: Any, how: str) -> Any:
        return _BY(self, hand, round_, list(counted)[:1], void, how)

    return rulebook, [patch.object(CoverAll, "_by", by)]


MUTATIONS: dict[str, Mutation] = {
    "house_way": _house_way,
    "ways_turned": _ways_turned,
    "kings_high": _ranks(_kings_high),
    "no_low_ace": _ranks(_no_low_ace),
    "suits_rank": _values(lambda hand, cards: hand.value * 4 + (cards[0] & 3)),
    "no_kickers": _values(lambda hand, cards: hand.value >> 20),
    "shuffling_is_nothing": _events(_shuffling_is_nothing),
    "each_for_all": _events(_each_for_all),
    "no_lock_out": _no_lock_out,
    "box_forgotten": _cut_from(_box_forgotten),
    "from_the_left": _cut_from(_from_the_left),
    "no_method": _no_method,
    "one_colour": _one_colour,
    "check_ends": _game("ultimate", _check_ends),
    "nobody_shows": _game("pikit", _nobody_shows),
    "bonus_stays": _game("pikit", _bonus_stays),
    "bonus_follows_ante": _follows_ante("bonus"),
    "trips_follow_ante": _follows_ante("trips"),
    "six_card_follows_ante": _follows_ante("six_card"),
    "progressive_follows_ante": _follows_ante("progressive"),
    "one_envy": _lines(_one_envy),
    "own_envy": _own_envy,
    "every_row_pays": _lines(_every_row_pays),
    "dealer_covers": _dealer_covers,
    "cover_all_first": _lines(_table_wagers_first),
}

_WAYS = {
    f"(h)(9)({n})"
    for n in ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv")
}
OF: dict[str, dict[str, str]] = {
    "ma-colorado": {
        "2(b)(2)": "one_colour", "2(b)(3)": "shuffling_is_nothing", "3(a)": "kings_high", "4(d)": "each_for_all",
        "6a(d)": "bonus_follows_ante", "8(a)": "no_method",
    },
    "fast-action": {
        **dict.fromkeys(_WAYS, "house_way"), "(h)(9)": "ways_turned",
        "(b)(4)(iii)": "one_colour", "(c)(1)": "kings_high", "(c)(3)": "no_kickers", "(d)(4)": "each_for_all",
        "(e)(3)(ii)": "box_forgotten", "(e)(3)(iii)": "from_the_left", "(e)(3)(iv)": "from_the_left",
    },
    "nj-pikit": {
        "39.2(b)2": "one_colour", "39.2(b)3": "shuffling_is_nothing", "39.4(a)": "kings_high", "39.4(d)": "no_kickers",
        "39.5(d)": "each_for_all",
        "39.8(a)": "no_method", "39.9(a)": "no_method", "39.10(a)": "nobody_shows", "39.10(c)2": "bonus_stays",
    },
    "ma-uth": {
        "2(b)(2)": "one_colour", "2(b)(3)": "shuffling_is_nothing", "3(d)": "each_for_all", "5(a)": "kings_high",
        "5(c)": "no_kickers",
        "8(a)": "no_method", "10(a)(2)": "check_ends", "10(c)(2)": "check_ends", "13(g)": "dealer_covers",
        "13(j)": "cover_all_first",
    },
    "md-uth": {
        "3.B(2)": "one_colour", "4.E": "each_for_all", "6.A": "kings_high", "6.B": "no_low_ace", "6.C": "suits_rank",
        "2.C(2)": "no_lock_out", "8.C(2)": "no_lock_out", "9.A(3)(a)": "no_lock_out", "10.A(2)(b)(i)": "no_lock_out",
        "6.E(1)": "no_kickers", "6.E(2)": "suits_rank",
        "8.D": "no_method", "9.B": "no_method", "11.B(2)(b)": "check_ends", "11.D(2)(b)": "check_ends",
        "11.I(2)": "trips_follow_ante", "11.I(4)": "six_card_follows_ante", "11.J(1)": "progressive_follows_ante",
        "11.J(2)(e)(iii)": "one_envy", "11.J(2)(e)(iv)": "own_envy", "12.D(2)": "every_row_pays",
    },
}  # fmt: skip
