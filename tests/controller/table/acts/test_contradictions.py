"""Acts that contradict themselves: asked again, and said again in the same way they hold play. Nothing follows from them."""

from dataclasses import dataclass
from typing import get_type_hints

import pytest

from controller.rules.vocabulary import Area, Method, Role, Step, Trigger
from controller.table.acts.contradictions import OF_NO_SEAT, WRONG_COUNTS
from controller.table.acts.irregularities import SEEN_BY_PEOPLE
from controller.table.acts.permissions import verify
from controller.table.state.table import Fate
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.acts import ACTS
from controller.table.words.inputs import Actor
from controller.table.words.structs import names, replace

STUB_BOOKS = ("ma-uth", "md-uth", "nj-pikit", "ma-colorado")
"""Fast Action asks for no stub count; a count of the house's own there is reported without a number (R-61, R-62)."""


@dataclass(frozen=True)
class Fields:
    """What two fields of an act can say of one thing. `why`: why they cannot contradict each other, or where that is refused."""

    fields: str
    why: str = ""


ONE = "each field is about another thing"
ACT_FIELDS: dict[str, Fields] = {
    "open_table": Fields("", ONE),
    "close_table": Fields("", ONE),
    "begin_round": Fields("back", ONE),
    "place_wager": Fields("seat wager cents player coupon", "chips and a coupon lie beside each other: " + ONE),
    "wagers_as_before": Fields("close", ONE),
    "withdraw_wager": Fields("seat wager", ONE),
    "announce_no_more_bets": Fields("", ONE),
    "release_lockout": Fields("", ONE),
    "record_progressive_count": Fields("chips", "what the sensors accepted is another statement (progressive_mismatch)"),
    "count_and_deal": Fields("chips", "another number than was accepted is refused"),
    "start_dealing": Fields("", ONE),
    "record_initial_deal": Fields("", ONE),
    "record_decision": Fields("seat decision multiple"),
    "record_decisions": Fields("line show", "a seat that is said twice is refused, and each answer is looked at as its own act"),
    "reveal_community": Fields("street", ONE),
    "reveal_dealer": Fields("qualifies natural", "no document knows both; cards told later are another statement"),
    "record_hands_found": Fields("hands", "the hands that were dealt are another statement, and hold play"),
    "settle_round": Fields("handed_back"),
    "record_stub_count": Fields("stub misdealt all_cards back"),
    "collect_cards": Fields("", ONE),
    "end_round": Fields("", ONE),
    "next_round": Fields("back", ONE),
    "report_irregularity": Fields("trigger seat cards completable too_many at_dealer back note in_box on_purpose"),
    "confirm_duty": Fields("duty", ONE),
    "resolve_hold": Fields("hold resolution note", ONE),
    "take_device_out": Fields("device how failed", ONE),
    "return_device": Fields("device", ONE),
    "change_method": Fields("method", ONE),
    "record_shuffle": Fields("back", ONE),
    "bring_set": Fields("back preshuffled", ONE),
    "confirm_step": Fields("back step face_up secured prepared"),
    "idle_table": Fields("", ONE),
    "request_spread": Fields("back", ONE),
    "direct_shuffle": Fields("back", ONE),
    "record_cut": Fields("back seat declined cards", "refused each time by law: the cut is offered once to each seat"),
    "recut": Fields("back", ONE),
    "post_notice": Fields("wager", ONE),
    "place_cutting_card": Fields("back behind", ONE),
    "new_dealer": Fields("", ONE),
    "burn_card": Fields("", ONE),
    "take_set_away": Fields("back", ONE),
    "report_set_due": Fields("back", ONE),
    "record_hand": Fields(
        "area cards seat played shown", "refused each time, so that no card stands in a refusal: nothing else is decided by it"
    ),
    "record_meter": Fields("meter cents reset", "what a meter starts with anew may be more than it shows"),
    "settle_wager": Fields("seat wager outcome paid returned coupon holder"),
    "settle_offered": Fields("", ONE),
    "correct_settlement": Fields("seat wager outcome reason paid returned round coupon holder"),
    "validate_progressive": Fields("seat light_on round", "without the light nothing is validated: a refusal by law"),
    "raise_dispute": Fields("reason round seat", ONE),
    "name_bookmark": Fields("dispute reference begins_us ends_us", "refused each time: it says nothing of play"),
    "allow_clearing": Fields("dispute what reason", ONE),
    "close_dispute": Fields("dispute found", ONE),
    "see_alarm": Fields("alarm", ONE),
    "clear_alarm": Fields("alarm found", ONE),
}  # fmt: skip


@pytest.mark.parametrize("kind", ACTS)
def test_each_field_of_an_act_was_looked_at(kind):
    """A new act, or a new field of one, is put into this list by whoever adds it."""
    assert tuple(ACT_FIELDS[kind].fields.split()) == names(ACTS[kind])
    assert get_type_hints(ACTS[kind])


def asked_again_then_held(table, act, code, role=Role.SUPERVISOR):
    """Refused with this code; the same act again holds play, and neither moves a wager, a set or the round."""
    before = table.state
    refused = table.refused(act, role)
    assert refused.code == code
    assert table.state.doubted == refused.said
    events = table.act(act, role)
    (hold,) = (event for event in events if isinstance(event, f.HoldPlaced))
    assert (hold.code, hold.seat) == (code, getattr(act, "seat", 0))
    others = [event for event in events if not isinstance(event, f.HoldPlaced | f.StubCounted | f.LevelWanted)]
    assert others == []
    assert table.state.doubted == ""
    assert _uncounted(table.state.sets) == _uncounted(before.sets)
    assert table.state.duties == before.duties
    now, then = table.state.round, before.round
    assert (now and (now.phase, now.seats, now.void)) == (then and (then.phase, then.seats, then.void))
    table.act(a.ResolveHold(hold.hold, a.Resolution.GO_ON))
    assert table.refused(act, role).code == code, "after the hold it is asked again"


def _uncounted(sets):
    """The sets without the rounds since their last count, which a count that was made begins anew."""
    return {back: replace(card_set, since_count=0, since_any_count=0) for back, card_set in sets.items()}


@pytest.fixture
def at_showdown(make_table):
    """A table of this document, dealt by this method, of which every wager waits for its settlement."""

    def make(rulebook, method=Method.DEALING_SHOE):
        table = make_table(rulebook, method=method).ready()
        table.begin() if rulebook.endswith("uth") else table.bet(*BETS[rulebook])
        table.let_out()
        if method is Method.DEALING_SHOE:
            table.deal()
        else:
            table.act(a.RecordInitialDeal())
        PLAYS[rulebook](table)
        return table

    return make


BETS = {
    "fast-action": ((1, "original", 1000),),
    "nj-pikit": ((1, "ante", 1000), (1, "five_card_bonus", 1000)),
    "ma-colorado": ((1, "ante", 1000),),
}
PLAYS = {
    "ma-uth": lambda table: table.to_showdown(),
    "md-uth": lambda table: table.to_showdown(),
    "nj-pikit": lambda table: table.decide_all(a.Decision.PLAY_3, 1).act(a.RevealDealer()),
    "ma-colorado": lambda table: (
        table.decide_all(a.Decision.BET, 1),
        table.act(a.RevealCommunity(table.round.game.streets[0].street)),
    ),
}


@pytest.mark.parametrize("rulebook", STUB_BOOKS)
def test_a_stub_that_lacks_a_card_beside_a_whole_set_is_asked_again(at_showdown, rulebook):
    """No hand was misdealt, a card is missing, and all are there. Clauses: ma-uth 7(f)(2), md-uth 10.E, nj-pikit 39.7(e)2,
    ma-colorado 7(e)(2)."""
    table = at_showdown(rulebook)
    right, full = table.right_stub(), table.setup.law.rulebook.decks.full.value
    asked_again_then_held(table, a.RecordStubCount(right - 1, False, full), "stub_count_contradicts")


@pytest.mark.parametrize("rulebook", STUB_BOOKS)
@pytest.mark.parametrize(
    ("stub", "misdealt", "all_cards"),
    [(0, False, -1), (0, False, 1), (-1, False, 0), (1, False, 0), (-1, False, 1), (0, True, None)],
)
def test_stub_and_all_cards_are_one_sum(at_showdown, rulebook, stub, misdealt, all_cards):
    """`stub`: more than a right one; `all_cards`: more than a whole set, None = fewer than the stub."""
    table = at_showdown(rulebook)
    right, full = table.right_stub() + stub, table.setup.law.rulebook.decks.full.value
    act = a.RecordStubCount(right, misdealt, right - 1 if all_cards is None else full + all_cards)
    asked_again_then_held(table, act, "stub_count_contradicts")


@pytest.mark.parametrize("rulebook", STUB_BOOKS)
@pytest.mark.parametrize(
    ("stub", "misdealt", "all_cards", "right"),
    [
        (0, False, None, True),
        (0, False, 0, True),
        (-1, False, None, False),
        (-1, False, -1, False),
        (-1, True, 0, False),
    ],
)
def test_a_stub_count_that_can_be_is_decided(at_showdown, rulebook, stub, misdealt, all_cards, right):
    """A count that says one thing only has its effect at once."""
    table = at_showdown(rulebook)
    whole = None if all_cards is None else table.setup.law.rulebook.decks.full.value + all_cards
    events = table.act(a.RecordStubCount(table.right_stub() + stub, misdealt, whole))
    (counted,) = (event for event in events if isinstance(event, f.StubCounted))
    assert counted.right is right
    assert any(isinstance(event, f.DispositionMade) for event in events) is not right


def test_of_a_deal_by_hand_that_is_not_done_only_the_whole_is_known(make_table):
    """Nothing counts its cards, so that a stub beside all cards proves nothing. Clause: ma-uth 7(f)."""
    table = make_table("ma-uth", method=Method.MANUAL_SHOE).ready().begin(trips=()).let_out()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    assert not table.round.live
    table.act(a.RecordStubCount(47, False, 52))


@pytest.mark.parametrize("rulebook", ["ma-uth", "md-uth", "nj-pikit", "ma-colorado"])
def test_between_rounds_the_stub_is_all_cards(make_table, rulebook):
    """The set of the last round lies gathered."""
    table = make_table(rulebook).ready()
    table.begin() if rulebook.endswith("uth") else table.bet(*BETS[rulebook])
    table.let_out().deal()
    PLAYS[rulebook](table)
    table.end()
    asked_again_then_held(table, a.RecordStubCount(52, False, 51), "stub_count_contradicts")


WORDS: dict[str, tuple[Trigger, ...]] = {
    "too_many": WRONG_COUNTS,
    "completable": (Trigger.WRONG_COUNT_DEALER,),
    "at_dealer": (Trigger.CUTTING_CARD_REACHED,),
    "seat": tuple(trigger for trigger in Trigger if trigger not in OF_NO_SEAT),
}
"""Words of a report, and the irregularities of which each can be true."""
BOOKS = ("ma-uth", "md-uth", "nj-pikit", "fast-action", "ma-colorado")
FLOOR = Actor("a supervisor", Role.SUPERVISOR)


@pytest.fixture
def dealt(make_table):
    """A table of this document in the first stage of its game."""

    def make(rulebook):
        table = make_table(
            rulebook, method=Method.DEALING_SHOE if rulebook != "fast-action" else Method.MANUAL_SHOE
        ).ready()
        table.begin() if rulebook.endswith("uth") else table.bet(*BETS[rulebook])
        table.let_out()
        table.deal() if rulebook != "fast-action" else table.act(a.RecordInitialDeal())
        return table

    return make


@pytest.mark.parametrize("rulebook", BOOKS)
@pytest.mark.parametrize("word", WORDS)
def test_a_word_about_cards_is_said_of_cards_of_which_it_can_be_true(dealt, rulebook, word):
    """Each word of a report with each irregularity that people report here: where it cannot be true it is asked again."""
    table = dealt(rulebook)
    doubted = 0
    for trigger in sorted(SEEN_BY_PEOPLE):
        plain = a.ReportIrregularity(trigger, 1 if trigger not in OF_NO_SEAT and word != "at_dealer" else 0)
        if verify(table.setup, table.state, plain, FLOOR) is not None:
            continue  # no such thing is reported in this document, or not now
        said = replace(plain, **{word: 1 if word == "seat" else True})
        refused = verify(table.setup, table.state, said, FLOOR)
        if trigger in WORDS[word]:
            assert refused is None or refused.code is None
        else:
            doubted += 1
            assert refused is not None, said
            assert refused.code == "irregularity_contradicts"
    assert doubted


CONTRADICTIONS = {
    "a hand of too many is not completed": a.ReportIrregularity(
        Trigger.WRONG_COUNT_DEALER, completable=True, too_many=True
    ),
    "the community cards are of no seat": a.ReportIrregularity(Trigger.WRONG_COUNT_COMMUNITY, 1),
    "the dealer's card is of no seat": a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED, 3),
    "a check has no amount": a.RecordDecision(1, a.Decision.CHECK, 4),
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_a_contradiction_is_asked_again_and_then_holds_play(make_table, rulebook, what):
    """Clauses: ma-uth 10(a), 15(a), 15(d), md-uth 11.B(1), 13.E, 13.G."""
    table = make_table(rulebook).ready().begin().let_out().deal()
    act = CONTRADICTIONS[what]
    asked_again_then_held(
        table, act, "decision_contradicts" if act.kind == "record_decision" else "irregularity_contradicts"
    )


@pytest.mark.parametrize("rulebook", ["nj-pikit", "fast-action", "ma-colorado"])
def test_a_fold_with_an_amount_is_asked_again(dealt, rulebook):
    """It places nothing, and a number stands beside it. Clauses: nj-pikit 39.3(b), fast-action (h)(6), ma-colorado 10(b)(2)."""
    table = dealt(rulebook)
    answer = a.Decision.SURRENDER if rulebook == "fast-action" else a.Decision.FOLD
    asked_again_then_held(table, a.RecordDecision(1, answer, 2), "decision_contradicts")


SETTLED = {
    "lost and paid": (a.Outcome.LOSE, 500, None),
    "pushed and paid": (a.Outcome.PUSH, 500, None),
    "pushed, a part goes back": (a.Outcome.PUSH, 0, 500),
    "given back in part": (a.Outcome.RETURN, 0, 500),
}


@pytest.mark.parametrize("what", SETTLED)
@pytest.mark.parametrize("rulebook", STUB_BOOKS)
def test_an_outcome_and_its_cents_say_the_same(at_showdown, rulebook, what):
    """The word and the number are about one wager, settled or put right."""
    table = at_showdown(rulebook)
    wager = next(name for seat, name, w in table.round.wagers(Fate.LIVE) if seat == 1)
    outcome, paid, returned = SETTLED[what]
    if rulebook == "nj-pikit":
        wager = "ante"
    seat = max(table.round.in_play)
    asked_again_then_held(table, a.SettleWager(seat, wager, outcome, paid, returned), "settlement_contradicts")
    table.act(a.SettleRound())
    again = a.CorrectSettlement(seat, wager, outcome, "looked at again", paid, returned)
    asked_again_then_held(table, again, "settlement_contradicts")


def test_a_coupon_earns_no_envy(at_showdown):
    """Two things beside a wager are named, and one can be meant. Clauses: ma-uth 6(a), md-uth 11.J(2)(e)."""
    table = at_showdown("md-uth")
    refused = verify(
        table.setup, table.state, a.SettleWager(1, "envy", a.Outcome.WIN, 5, coupon=True, holder=3), FLOOR
    )
    assert refused is not None  # no progressive wager lies there either


def test_a_step_in_which_no_card_is_turned_up_is_asked_again(make_table, rulebook):
    """Clauses: ma-uth 3(a), md-uth 4.A."""
    table = make_table(rulebook)
    table.act(a.OpenTable())
    asked_again_then_held(table, a.ConfirmStep("red", Step.INSPECT, face_up=True), "step_contradicts")


def test_another_contradiction_in_between_is_asked_about_anew(at_showdown):
    """Only the same numbers and words hold play."""
    table = at_showdown("ma-uth")
    one, other = a.RecordStubCount(30, False, 52), a.RecordStubCount(31, False, 52)
    for act in (one, other, one, other):
        assert table.refused(act).code == "stub_count_contradicts"
    assert not table.state.held


def test_what_is_said_of_a_contradiction_names_no_card(at_showdown):
    """It is published. A hand that cannot be is refused each time, and no card stands in the refusal."""
    table = at_showdown("md-uth")
    for _ in range(2):
        refused = table.refused(a.RecordHand(Area.PLAYER, "As Kd", 1, "Qh Jh"))
        assert refused.said is None
        assert not {"As", "Kd", "Qh", "Jh"} & set(refused.reason.replace(",", " ").split())
