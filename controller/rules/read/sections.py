"""Reads the sections of a rulebook whose keys are not plainly the fields of one dataclass; `record` reads all others.

None where a section could not be read; its faults stand in the scope.
"""

from typing import Any

from controller.rules.citation import Cited
from controller.rules.parts import (
    Dealing,
    DeckChangeRule,
    LaidAway,
    PlayRule,
    SettlingStep,
    ShuffleRule,
    WagerRule,
)
from controller.rules.read.reader import RuleTable, from_nothing, one_of, record
from controller.rules.vocabulary import Method, Moment, Settle, ShuffleAt

ASKED_FROM = ("left", "right")
LAID_TO = ("rack", "rack_spread", "rack_counted", "under_wager")
SETTLED = {
    Settle.FROM: ("right",),
    Settle.ORDER: ("by_step", "by_player"),
    Settle.TIE: ("push", "collect", "ask"),
    Settle.ANTE_HAND: ("played_hand", "five_cards", "ask"),
    Settle.HAND_WITHOUT_BET: ("settled", "ask"),
    Settle.UNDECLARED_WINNER: ("not_paid", "paid", "ask"),
    Settle.LOW_ACE_OF_THREE: ("counts", "does_not_count", "ask"),
    Settle.FOLDED: ("collected",),
    Settle.LOSING: ("collected",),
    Settle.UNQUALIFIED: ("ante", "play_5"),
    Settle.UNQUALIFIED_ANTE: ("lost", "push", "ask"),
    Settle.UNPRINTED: ("ask",),
    Settle.FOLDED_HAND: ("counts", "does_not_count", "ask"),
    Settle.FOLDED_COVER: ("settled", "lost", "ask"),
    Settle.LEFT_HAND: ("counts", "does_not_count", "ask"),
    Settle.VOID_HAND: ("counts", "number_alone", "does_not_count", "ask"),
    Settle.FOLDED_TURN: ("in_turn", "after_others"),
    Settle.ENVY_LEFT: ("counts", "does_not_count", "ask"),
    Settle.FOLDED_REST: ("settled", "lost", "ask"),
    Settle.BREAKAGE: ("up", "down"),
    Settle.COUPON: ("even_money", "at_odds", "ask"),
    Settle.METER_HAND: ("flop", "best_of_seven"),
    Settle.METER_WAGER: ("given_back", "kept"),
    Settle.METER_AFTER: ("lower", "unchanged"),
    Settle.SUM_WAGER: ("given_back", "kept"),
    Settle.ENVY_STAKE: ("in_proportion", "none", "ask"),
    Settle.ENVY_HOLDER: ("any", "with_progressive"),
    Settle.ENVY_FOLDED: ("counts", "does_not_count", "ask"),
    Settle.BAD_BEAT: ("either_hand", "players_hand", "ask"),
    Settle.BAD_BEAT_TIE: ("lost", "push", "ask"),
    Settle.SUITED_PAIRS: ("highest", "any"),
    Settle.EQUAL_CARDS: ("any", "ask"),
    Settle.OR_BETTER: ("each", "highest"),
}
"""What may stand for each point. "ask": a person decides each time, the product settles nothing there."""


def deck_change(root: RuleTable) -> DeckChangeRule:
    """Empty where the document has no interval: the table itself must still stand in the file."""
    if (table := root.part("deck_change")) is None:
        return DeckChangeRule({})
    for name in ("each_gaming_day", "runs_from"):
        table.has(name)  # read by `record` below
    intervals = table.by_word(Method, RuleTable.seconds)
    return record(table, DeckChangeRule, interval_s=intervals) or DeckChangeRule(intervals)


def shuffle(root: RuleTable) -> ShuffleRule | None:
    """When cards are shuffled, each moment under a key of its own."""
    if (table := root.part("shuffle")) is None:
        return None
    at = {when: found for when in ShuffleAt if (found := table.cited(when, RuleTable.flag, optional=True))}
    return record(table, ShuffleRule, at=at)


def play(root: RuleTable) -> PlayRule | None:
    """How a round is played, and which of its rules must stand together."""
    if (table := root.part("play")) is None:
        return None
    inner = table.part("asked_from", optional=True)
    asked_from = {} if inner is None else inner.by_word(Moment, one_of(ASKED_FROM))
    rule = record(table, PlayRule, asked_from=asked_from)
    for one, other in (
        ("folded_decides", "folded_cards"),
        ("folded_others", "folded_others_cards"),
        ("fold_collects", "collected_in_void"),
    ):
        if (one in table) is not (other in table):
            table.fault(one if one in table else other, f"{one!r} and {other!r} belong together", "keys_together")
    return rule


def act_order(root: RuleTable) -> dict[str, tuple[str, ...]]:
    """Clauses by the kind of act; an act without an entry has its place in every game alike."""
    table = root.part("act_order", optional=True)
    return {} if table is None else {key: table.cite(key) for key in table}


def settlement(root: RuleTable) -> tuple[dict[Settle, Cited[str]], tuple[SettlingStep, ...]]:
    """Only the points on which this document says something of its own, or leaves something open; and the steps in order."""
    if (table := root.part("settlement", optional=True)) is None:
        return {}, ()
    read = [record(inner, SettlingStep, named=inner.names("wagers")) for inner in table.tables("steps", "")]
    points = {p: found for p, words in SETTLED.items() if (found := table.cited(p, one_of(words), optional=True))}
    table.close()
    return points, tuple(step for step in read if step is not None)


def laid_away(table: RuleTable) -> LaidAway | None:
    """Where the cards of a hand go that is over."""
    to = table.one_of("to", LAID_TO)
    rule = record(table, LaidAway, to=to)
    if (to == "under_wager") is not ("beside" in table):
        table.fault("beside", "belongs to cards that go under a wager, and to none else", "keys_together")
    return rule if table.is_sound else None


def devices(root: RuleTable) -> dict[Method, Cited[bool]]:
    """Shuffler and dealing shoe, where it hangs on an election whether they may be put into service."""
    table = root.part("devices", optional=True)
    return {} if table is None else table.by_word(Method, RuleTable.flag)


def dealing(table: RuleTable) -> Dealing | None:
    """One dealing method."""
    burns, after = table.cited("burns", from_nothing), table.cited("community_after", RuleTable.flag)
    rule = record(table, Dealing, burns=burns, community_after=after is not None and after.value)
    return None if burns is None or after is None else rule


def wager(table: RuleTable) -> WagerRule | None:
    """One wager."""
    optional, sensed = (
        table.cited("optional", RuleTable.flag),
        table.cited("sensed", RuleTable.flag, optional=True),
    )
    inner = table.part("times", optional=True)
    times = () if inner is None else tuple(inner.by_word(Moment, RuleTable.multiples).items())
    flags: dict[str, Any] = {"optional": optional is not None and optional.value}
    rule = record(table, WagerRule, times=times, sensed=sensed is not None and sensed.value, **flags)
    if ("times" in table) is not ("of" in table):
        table.fault("of", "'of' and 'times' belong together: a multiple is one of another wager", "keys_together")
    return None if optional is None else rule
