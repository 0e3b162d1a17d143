"""Reads the values of a rulebook, section by section. None where a section could not be read; its faults stand in the scope."""

from controller.rules.citation import Cited
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
    ProcedureStep,
    ProgressiveRule,
    SettlingStep,
    ShuffleRule,
    Stack,
    StubRule,
    WagerRule,
)
from controller.rules.read.reader import Read, Table
from controller.rules.vocabulary import Area, BurnAt, Method, Moment, Role, Settle, ShuffleAt, Step

SECOND_SET = ("no", "with_shuffler", "required_with_shuffler")
SWAP_AFTER = ("round", "shoe")
WAIVED_BY = ("shuffler_counts_each_shuffle", "any_shuffler", "none")
COUNTED_BY = ("table", "deck", "both")
SETTLING = "settling"
COUNTED_BEFORE = (SETTLING, "collecting")
LOCK_AT = ("no_more_bets",)
NOT_KEPT = ("electronic",)
PLACED = ("before_deal", "decision")
CUT_AFTER = ("manual", "preshuffled")
NOT_CUT_AFTER = ("device",)
CUT_BY = ("dealer", "players")
CUTTER = ("first_player", "player_at_cutting_card", "rightmost_player", "next_clockwise", "dealer")
CUTTING_CARD_AT = ("1/4",)
BURNS_AT, APPROVAL = tuple(BurnAt), ("device", "place", "procedures")
DELIVERED, DEVICE_MODE = ("with_players", "after_decisions"), ("cover_all",)
FIRST_CARD_TO, VERSION = ("player_left", "marker"), ("required_bet", "permissible_bet")
BONUS_CARDS = ("before_look", "after_look")
SURRENDER, SURRENDER_CENT = ("1/2",), ("player", "house", "hold")
LAID_TO = ("rack", "rack_spread", "rack_counted", "under_wager")
FOLDED_OTHERS, OTHERS_CARDS = ("cover_all", "progressive"), ("rack_recorded", "rack")
FOLDED_CARDS, ASKED_FROM = ("rack_recorded", "under_wager"), ("left", "right")
COLLECTED_IN_VOID, LOST_IN_VOID = ("return", "collected", "hold"), ("return", "lost", "hold")
SPARED_IN_VOID = ("reached", "hold")
SETTLED_IN_VOID, SHORT_GIVEN_UP = ("return", "stands", "hold"), ("stands", "hold")
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


def one_of(words: tuple[str, ...]) -> Read[str]:
    """A reader of one of these words."""
    return lambda table, key: table.one_of(key, words)


def some_of(words: tuple[str, ...]) -> Read[tuple[str, ...]]:
    """A reader of a list of these words."""
    return lambda table, key: table.some_of(key, words)


def decks(root: Table) -> DeckRule | None:
    if (table := root.table("decks")) is None:
        return None
    per_set, full = table.cited("per_set", Table.positive), table.cited("full", Table.positive)
    cover_cards = table.cited("cover_cards", Table.positive, optional=True)
    cutting_cards = table.cited("cutting_cards", Table.positive, optional=True)
    least = table.cited("least_decks_with_shuffler", Table.positive, optional=True)
    second_set = table.cited("second_set", one_of(SECOND_SET))
    swap_after = table.cited("swap_after", one_of(SWAP_AFTER))
    sets_in_rack = table.cited("sets_in_rack", Table.positive)
    void_turn = table.cited("void_takes_turn", Table.flag, optional=True)
    stored = table.cited("stored", Table.flag, optional=True)
    earlier = table.cited("earlier_rounds", one_of(("stand", "ask")), optional=True)
    table.close()
    if per_set is None or full is None or second_set is None or swap_after is None or sets_in_rack is None:
        return None
    return DeckRule(
        per_set, full, second_set, swap_after, sets_in_rack, cover_cards, cutting_cards, least, void_turn, stored, earlier,
    )  # fmt: skip


def deck_change(root: Table) -> DeckChangeRule:
    """Empty where the document has no interval: the table itself must still stand in the file."""
    if (table := root.table("deck_change")) is None:
        return DeckChangeRule({})
    each_gaming_day = table.cited("each_gaming_day", Table.flag, optional=True)
    runs_from = table.cited("runs_from", one_of(("at_table",)), optional=True)
    interval_s: dict[Method, Cited[int]] = {}
    for key in table:
        if key in table.known:
            continue
        method, interval = table.to_word(key, Method, "method"), table.cited(key, Table.seconds)
        if method is not None and interval is not None:
            interval_s[method] = interval
    return DeckChangeRule(interval_s, each_gaming_day, runs_from)


def opening(root: Table) -> OpeningRule | None:
    if (table := root.table("opening")) is None:
        return None
    steps, apart = _steps(table, "steps"), table.cited("each_set_apart", Table.flag)
    new_set = table.cited("new_set", Table.flag)
    preshuffled = table.cited("preshuffled", Table.flag, optional=True)
    table.close()
    return None if apart is None or new_set is None else OpeningRule(steps, apart, new_set, preshuffled)


def idle(root: Table) -> IdleRule | None:
    if (table := root.table("idle")) is None:
        return None
    steps, with_shuffler = _steps(table, "steps"), _steps(table, "with_shuffler", optional=True)
    each_set, stored_set = (
        table.cited("each_set", Table.flag),
        table.cited("stored_set", Table.flag, optional=True),
    )
    inspect_again = table.cited("inspect_again", Table.flag, optional=True)
    table.close()
    return None if each_set is None else IdleRule(steps, each_set, with_shuffler, stored_set, inspect_again)


def _steps(table: Table, key: str, *, optional: bool = False) -> tuple[ProcedureStep, ...]:
    steps = []
    for inner in table.tables(key, optional=optional):
        step, by, cite = inner.word("step", Step), inner.word("by", Role), inner.cite()
        inner.close()
        if step is not None and by is not None:
            steps.append(ProcedureStep(step, by, cite))
    return tuple(steps)


def shuffle(root: Table) -> ShuffleRule | None:
    if (table := root.table("shuffle")) is None:
        return None
    into_shoe = table.cited("into_shoe", Table.flag)
    at = {when: found for when in ShuffleAt if (found := table.cited(when, Table.flag, optional=True))}
    unless_preshuffled = table.cited("unless_preshuffled", Table.flag, optional=True)
    table.close()
    return None if into_shoe is None else ShuffleRule(at, into_shoe, unless_preshuffled)


def cut(root: Table) -> CutRule | None:
    if (table := root.table("cut")) is None:
        return None
    after, by = table.cited("after", some_of(CUT_AFTER)), table.cited("by", one_of(CUT_BY))
    not_after = table.cited("not_after", some_of(NOT_CUT_AFTER))
    least_cards = table.cited("least_cards", Table.positive)
    offered_to = table.cited("offered_to", some_of(CUTTER), optional=True)
    at = table.cited("cutting_card_at", one_of(CUTTING_CARD_AT), optional=True)
    either_end = table.cited("either_end", Table.flag, optional=True)
    table.close()
    if after is None or not_after is None or by is None or least_cards is None:
        return None
    return CutRule(after, not_after, by, least_cards, offered_to, at, either_end)


def stub(root: Table) -> StubRule | None:
    """None too where the document asks for no stub count."""
    if (table := root.table("stub_count", optional=True)) is None:
        return None
    every_rounds = table.cited("every_rounds", Table.positive)
    waived_by = table.cited("waived_by", one_of(WAIVED_BY))
    counted_by = table.cited("counted_by", one_of(COUNTED_BY), optional=True)
    void_rounds = table.cited("void_rounds", Table.flag, optional=True)
    over_change = table.cited("over_change", Table.flag, optional=True)
    before = table.cited("before", one_of(COUNTED_BEFORE), optional=True)
    table.close()
    if every_rounds is None or waived_by is None:
        return None
    return StubRule(every_rounds, waived_by, counted_by, void_rounds, over_change, before)


def discards(root: Table) -> DiscardRule | None:
    if (table := root.table("discards")) is None:
        return None
    reconstructable = table.cited("reconstructable", Table.flag, optional=True)
    from_player = table.cited("from_player", Table.positive, optional=True)
    from_surrender = table.cited("from_surrender", Table.positive, optional=True)
    table.close()
    return DiscardRule(reconstructable, from_player, from_surrender)


def hand(root: Table) -> HandRule | None:
    if (table := root.table("hand")) is None:
        return None
    player = table.cited("player", Table.positive)
    dealer = table.cited("dealer", Table.positive, optional=True)
    community = table.cited("community", Table.positive, optional=True)
    table.close()
    return None if player is None else HandRule(player, dealer, community)


def seats(
    root: Table,
) -> tuple[Cited[int], Cited[int], Cited[bool] | None, Cited[tuple[str, ...]] | None] | None:
    """Seats, positions that one player may have, whether these must be adjacent, and kinds of table that are not kept."""
    if (table := root.table("table")) is None:
        return None
    count, positions = table.cited("seats", Table.positive), table.cited("positions", Table.positive)
    adjacent = table.cited("adjacent", Table.flag, optional=True)
    not_kept = table.cited("not_kept", some_of(NOT_KEPT), optional=True)
    table.close()
    return None if count is None or positions is None else (count, positions, adjacent, not_kept)


def play(root: Table) -> PlayRule | None:
    if (table := root.table("play")) is None:
        return None
    first_card_to = table.cited("first_card_to", one_of(FIRST_CARD_TO))
    version = table.cited("version", one_of(VERSION), optional=True)
    dealer_qualifies = table.cited("dealer_qualifies", Table.flag, optional=True)
    bonus_cards = table.cited("bonus_cards", one_of(BONUS_CARDS), optional=True)
    surrender = table.cited("surrender", one_of(SURRENDER), optional=True)
    cent = table.cited("surrender_cent", one_of(SURRENDER_CENT), optional=True)
    fold_collects = table.cited("fold_collects", Table.texts, optional=True)
    settled = table.cited("settled_in_void", one_of(SETTLED_IN_VOID))
    in_void = table.cited("collected_in_void", one_of(COLLECTED_IN_VOID), optional=True)
    natural = table.cited("dealer_natural", Table.texts, optional=True)
    asked_from = _asked_from(table)
    fold_keeps = table.cited("fold_keeps", Table.texts, optional=True)
    announced = table.cited("dealer_announced", Table.flag, optional=True)
    decides = table.cited("folded_decides", Table.texts, optional=True)
    folded_cards = table.cited("folded_cards", one_of(FOLDED_CARDS), optional=True)
    others = table.cited("folded_others", some_of(FOLDED_OTHERS), optional=True)
    others_cards = table.cited("folded_others_cards", one_of(OTHERS_CARDS), optional=True)
    shares = table.cited("fold_shares", Table.texts, optional=True)
    lost = table.cited("lost_in_void", one_of(LOST_IN_VOID), optional=True)
    short = table.cited("short_given_up", one_of(SHORT_GIVEN_UP), optional=True)
    spared = table.cited("spared_in_void", one_of(SPARED_IN_VOID), optional=True)
    table.close()
    if (decides is None) is not (folded_cards is None) or (others is None) is not (others_cards is None):
        table.fault(
            "`folded_decides` and `folded_cards`, and those of others, stand together: cards are read for these wagers"
        )
    if (fold_collects is None) is not (in_void is None):
        table.fault("`fold_collects` and `collected_in_void` stand together: a void asks what was collected")
    if first_card_to is None or settled is None:
        return None
    return PlayRule(
        first_card_to, settled, version, dealer_qualifies, bonus_cards, surrender, cent, fold_collects, in_void, natural,
        asked_from, fold_keeps, announced, decides, folded_cards, others, others_cards, shares, lost, short, spared,
    )  # fmt: skip


def _asked_from(table: Table) -> dict[Moment, Cited[str]]:
    """Empty where the document asks the players in no order of its own."""
    if (inner := table.table("asked_from", optional=True)) is None:
        return {}
    read = [(inner.to_word(key, Moment, "moment"), inner.cited(key, one_of(ASKED_FROM))) for key in inner]
    return {moment: side for moment, side in read if moment is not None and side is not None}


def act_order(root: Table) -> dict[str, tuple[str, ...]]:
    """Clauses by the kind of act; an act without an entry has its place in every game alike."""
    if (table := root.table("act_order", optional=True)) is None:
        return {}
    return {key: table.cite(key) for key in table}


def settlement(root: Table) -> tuple[dict[Settle, Cited[str]], tuple[SettlingStep, ...]]:
    """Only the points on which this document says something of its own, or leaves something open; and the steps in order."""
    if (table := root.table("settlement", optional=True)) is None:
        return {}, ()
    steps = tuple(_settling_step(inner) for inner in table.tables("steps", optional=True))
    points = {p: found for p, words in SETTLED.items() if (found := table.cited(p, one_of(words), optional=True))}
    table.close()
    return points, steps


def _settling_step(table: Table) -> SettlingStep:
    wagers, cite, after_all = table.texts("wagers"), table.cite(), "after_all" in table and table.flag("after_all")
    in_order = table.cited("in_order", Table.flag, optional=True)
    table.close()
    return SettlingStep(wagers, cite, bool(after_all), in_order)


def laid_away(table: Table) -> LaidAway | None:
    after, to, cite = table.text("after"), table.one_of("to", LAID_TO), table.cite()
    beside, reading = table.text("beside", optional=True), table.reading()
    table.close()
    if (to == "under_wager") is not (beside is not None):
        table.fault("cards lie under the wager that stands `beside` them, and only then")
    return None if after is None or to is None else LaidAway(after, to, cite, beside, reading)


def progressive(root: Table) -> ProgressiveRule | None:
    """None too where the document has no progressive wager."""
    if (table := root.table("progressive", optional=True)) is None:
        return None
    lock_at, verify_count = table.cited("lock_at", one_of(LOCK_AT)), table.cited("verify_count", Table.flag)
    validated = table.cited("payout_validated", Table.flag, optional=True)
    table.close()
    return None if lock_at is None or verify_count is None else ProgressiveRule(lock_at, verify_count, validated)


def devices(root: Table) -> dict[Method, Cited[bool]]:
    """Shuffler and dealing shoe, where it hangs on an election whether they may be put into service."""
    if (table := root.table("devices", optional=True)) is None:
        return {}
    found = [(table.to_word(key, Method, "device"), table.cited(key, Table.flag)) for key in table]
    return {device: rule for device, rule in found if device is not None and rule is not None}


def dealing(table: Table) -> Dealing | None:
    method, cite = table.word("method", Method), table.cite()
    burns, after = table.cited("burns", Table.whole), table.cited("community_after", Table.flag)
    needs_shuffler = table.cited("needs_shuffler", Table.flag, optional=True)
    burns_at = table.cited("burns_at", some_of(BURNS_AT), optional=True)
    approval = table.cited("approval", some_of(APPROVAL), optional=True)
    delivered = table.cited("dealer_delivered", one_of(DELIVERED), optional=True)
    covered = table.cited("dealer_covered", Table.flag, optional=True)
    reshuffles = table.cited("reshuffles", Table.flag, optional=True)
    all_from_device = table.cited("all_from_device", Table.flag, optional=True)
    withholds = table.cited("withholds", Table.texts, optional=True)
    stacks = tuple(stack for inner in table.tables("stacks") if (stack := _stack(inner)))
    table.close()
    if method is None or burns is None or after is None:
        return None
    return Dealing(
        method, cite, stacks, burns, after.value, needs_shuffler, burns_at, approval, delivered, reshuffles, all_from_device,
        covered, withholds,
    )  # fmt: skip


def _stack(table: Table) -> Stack | None:
    to, cards, cite = table.word("to", Area), table.positive("cards"), table.cite()
    only_if, reading = table.text("only_if", optional=True), table.reading()
    table.close()
    return None if to is None or cards is None else Stack(to, cards, cite, only_if, reading)


def wager(table: Table) -> WagerRule | None:
    name, placed, cite = table.text("name"), table.one_of("placed", PLACED), table.cite()
    optional, requires = table.cited("optional", Table.flag), table.cited("requires", Table.texts)
    sensed = table.cited("sensed", Table.flag, optional=True)
    exact_cents = table.cited("exact_cents", Table.positive, optional=True)
    of, times = table.text("of", optional=True), _times(table)
    excludes = table.cited("excludes", Table.texts, optional=True)
    or_fold = table.cited("or_fold", Table.flag, optional=True)
    device_mode = table.cited("device_mode", one_of(DEVICE_MODE), optional=True)
    posted = table.cited("posted", Table.flag, optional=True)
    not_with = table.cited("not_with", Table.texts, optional=True)
    notice = table.cited("notice", Table.flag, optional=True)
    table.close()
    if bool(times) is not (of is not None):
        table.fault("`of` and `times` stand together: a multiple is one of another wager")
    if name is None or placed is None or optional is None or requires is None:
        return None
    is_sensed = sensed is not None and sensed.value
    return WagerRule(
        name, placed, requires, cite, optional.value, is_sensed, exact_cents, of, times, excludes, or_fold,
        device_mode, posted, not_with, notice,
    )  # fmt: skip


def _times(table: Table) -> tuple[tuple[Moment, Cited[tuple[int, ...]]], ...]:
    if "times" not in table:
        return ()
    inner = table.table("times")
    if inner is None:
        return ()
    read = [(inner.to_word(key, Moment, "moment"), inner.cited(key, Table.multiples)) for key in inner]
    return tuple((moment, times) for moment, times in read if moment is not None and times is not None)
