"""Meters that the table computes: what a wager adds, what a prize takes, and that nobody types them. Clause: md-uth 12.D."""

import itertools
import json

import msgspec
import pytest

from controller.catalogue.entries import state_name
from controller.catalogue.states import MeterState
from controller.daemon.views.meter_documents import meter_documents
from controller.daemon.views.state_topics import state_topics
from controller.daemon.views.status import table_document
from controller.games.settling.meters import PARTS, Account, Entry, MeterTerms
from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area, Role, Trigger
from controller.table.decide import fold
from controller.table.settlement.offer import all_lines
from controller.table.state.table import Fate, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.structs import replace
from controller.text.status_page import status_page

METER = MeterTerms(1_000_000, 2_000, 500, 1_000_300)
"""10,000.00; of each wager of 5.00 it rises by 1.00, up to 10,003.00, and 0.25 goes to the reserve."""
ROYAL = ((Area.COMMUNITY, "Qh Jh Th 2c 2d", 0), (Area.DEALER, "4c 4d", 0))


@pytest.fixture
def with_meter(make_table):
    """A table that computes its meter itself. Its cards are out, and these seats have a progressive wager."""

    def make(seats=(1, 3), elect=None, meter=METER):
        chosen = {"R-27": "best_of_seven", **(elect or {})}
        table = make_table(elect=chosen, meters={"meter": meter}).ready().begin(seats=seats, trips=())
        for seat in seats:
            table.chip(seat)
        return table.let_out().deal()

    return make


def entries(table):
    return [fact.event for fact in table.all if isinstance(fact.event, f.MeterBooked)]


def ledger(table):
    found = table.state.meters["meter"].ledger
    assert sum(found.accounts.values()) == 0
    return found


def show(table, *hands):
    """These cards are told at the settlement, and each payout is validated."""
    table.to_showdown()
    for area, cards, seat in (*ROYAL, *((Area.PLAYER, cards, seat) for seat, cards in hands)):
        table.act(a.RecordHand(area, cards, seat))
    for seat, _ in hands:
        table.act(a.ValidateProgressive(seat, True), Role.FLOORPERSON)
    return table


def test_accepted_wagers_raise_the_meter_once_the_cards_come(with_meter):
    table = with_meter(seats=(1, 2, 3, 5))
    first, added = entries(table)
    assert (first.entry, first.terms, first.generation, first.cents) == (Entry.START, METER, 1, 1_000_000)
    assert (added.entry, added.wagers) == (Entry.CONTRIBUTION, tuple((seat, 500) for seat in (1, 2, 3, 5)))
    assert added.posts == {
        Account.METER: 300 * PARTS, Account.OVERFLOW: 100 * PARTS, Account.RESERVE: 100 * PARTS, Account.WAGERS: -500 * PARTS,
    }  # fmt: skip
    assert added.cents == table.round.meters["meter"].cents == 1_000_300
    table.to_showdown()
    assert len(entries(table)) == 2
    assert table.refused(a.RecordMeter("meter", 2_000_000, 1_000_000)).code == "meter_told_by_ledger"


def test_a_fraction_of_a_cent_stays_in_the_meter(with_meter):
    table = with_meter(seats=(1,), meter=MeterTerms(1_000_000, 1))
    assert ledger(table).of(Account.METER) == 1_000_000 * PARTS + 500
    assert ledger(table).cents == 1_000_000


@pytest.mark.parametrize(
    ("wager", "after", "folded", "stake"),
    list(
        itertools.product(
            ("kept", "given_back"), ("lower", "unchanged"), ("counts", "does_not_count"), ("none", "in_proportion")
        )
    ),
)
def test_a_royal_and_a_straight_flush_come_to_what_settle_makes_of_them(with_meter, wager, after, folded, stake):
    elect = {"R-100": wager, "R-106": after, "R-109": folded, "R-102": stake}
    table = with_meter(seats=(1, 3), elect=elect, meter=MeterTerms(1_000_000, 2_000))
    show(table, (1, "9h 8h"), (3, "Ah Kh"))
    lines = {
        line.seat: line
        for line in all_lines(table.setup, table.round)
        if line.wager == "progressive" and not line.holder
    }
    table.act(a.SettleOffered(), Role.FLOORPERSON)
    claims = [(x.seat, x.prize, x.cents) for x in entries(table) if x.entry is Entry.CLAIM]
    assert claims == [(3, 1_000_200, 0), (1, lines[1].paid, 900_000 if after == "lower" else 1_000_000)]
    assert {seat: prize for seat, prize, _ in claims} == {seat: line.paid for seat, line in lines.items()}
    assert lines[1].paid == 100_000
    assert (ledger(table).generation, ledger(table).claims) == (2, 2)
    assert ledger(table).of(Account.PAID) == 1_100_200 * PARTS
    assert ledger(table).of(Account.CLAIM) == 0
    house = -2_000_000 - (0 if after == "lower" else 100_000)
    assert ledger(table).of(Account.BASE) == house * PARTS


def test_of_two_royals_on_the_board_the_second_is_paid_from_the_new_start(with_meter):
    table = with_meter(seats=(1, 3), meter=MeterTerms(1_000_000, 2_000)).to_showdown()
    told = (a.RecordHand(Area.COMMUNITY, "Ah Kh Qh Jh Th"), a.RecordHand(Area.DEALER, "4c 4d"))
    for act in (*told, a.RecordHand(Area.PLAYER, "9h 8h", 1), a.RecordHand(Area.PLAYER, "2c 3c", 3)):
        table.act(act)
    for seat in (1, 3):
        table.act(a.ValidateProgressive(seat, True), Role.FLOORPERSON)
    table.act(a.SettleOffered(), Role.FLOORPERSON)
    assert [(x.seat, x.prize, x.claim) for x in entries(table) if x.entry is Entry.CLAIM] == [
        (3, 1_000_200, 1),
        (1, 1_000_000, 2),
    ]
    assert (ledger(table).generation, ledger(table).cents) == (3, 1_000_000)


def test_the_reserve_starts_the_next_generation_with_the_terms_of_then(with_meter):
    table = show(with_meter(seats=(3,)), (3, "Ah Kh"))
    later = MeterTerms(1_500_000, 1_000)
    table.setup = replace(table.setup, meters={"meter": later})
    table.act(a.SettleOffered(), Role.FLOORPERSON)
    seeded = entries(table)[-1]
    assert (seeded.entry, seeded.terms, seeded.generation, seeded.cents) == (Entry.RESEED, later, 2, 1_500_000)
    assert seeded.posts[Account.RESERVE] == -25 * PARTS


def test_a_prize_needs_cards(with_meter):
    table = with_meter(seats=(3,)).to_showdown()
    win = a.SettleWager(3, "progressive", Outcome.WIN, 1_000_100)
    table.act(a.ValidateProgressive(3, True), Role.FLOORPERSON)
    for wager in ("ante", "play", "blind"):
        table.act(a.SettleWager(3, wager, Outcome.PUSH))
    assert table.refused(win).code == "meter_needs_cards"


def test_a_wager_of_a_void_round_has_added_and_the_house_bears_it(with_meter):
    table = with_meter(seats=(1, 3))
    meter = ledger(table).of(Account.METER)
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER), Role.FLOORPERSON)
    fates = {wager.fate for _, name, wager in table.round.wagers(*Fate) if name == "progressive"}
    assert fates == {Fate.RETURNED}
    assert ledger(table).of(Account.METER) == meter
    assert ledger(table).of(Account.VOIDED) == -250 * PARTS
    assert ledger(table).of(Account.WAGERS) == 0
    assert [x.wagers for x in entries(table) if x.entry is Entry.VOID] == [((1, 500),), ((3, 500),)]


def test_a_correction_is_booked_by_name_in_this_round_and_the_last(with_meter):
    table = show(with_meter(seats=(3,)), (3, "Ah Kh"))
    table.act(a.SettleOffered(), Role.FLOORPERSON)
    shown = ledger(table).cents
    table.act(a.CorrectSettlement(3, "progressive", Outcome.WIN, "it stood lower", 1_000_000), Role.SUPERVISOR)
    assert (entries(table)[-1].entry, entries(table)[-1].prize) == (Entry.CORRECTION, 1_000_000)
    assert (ledger(table).of(Account.CORRECTION), ledger(table).cents) == (100 * PARTS, shown)


def test_a_replay_of_the_facts_comes_to_the_same_ledger(with_meter):
    table = show(with_meter(seats=(1, 3)), (1, "9h 8h"), (3, "Ah Kh"))
    table.act(a.SettleOffered(), Role.FLOORPERSON)
    assert fold(State.initial(table.setup), table.all).meters == table.state.meters


def stages(table):
    (meter,) = meter_documents(table.setup, table.state).values()
    return [(claim["seat"], claim["cents"], claim["stage"]) for claim in meter["claims"]]


def test_a_claim_is_shown_from_the_cards_to_the_payment(with_meter):
    """The amount at each player's turn; the reserve is in nothing that players may see."""
    table = with_meter(seats=(1, 3), meter=MeterTerms(1_000_000, 2_000, 500)).to_showdown()
    for act in (*(a.RecordHand(*hand) for hand in ROYAL), a.RecordHand(Area.PLAYER, "Ah Kh", 3)):
        table.act(act)
    assert stages(table) == [(3, 1_000_200, "seen")]
    table.act(a.RecordHand(Area.PLAYER, "9h 8h", 1))
    assert stages(table) == [(1, 100_000, "seen"), (3, 1_000_200, "seen")]
    table.act(a.ValidateProgressive(3, True), Role.FLOORPERSON)
    assert stages(table) == [(1, 100_000, "seen"), (3, 1_000_200, "validated")]
    assert fold(State.initial(table.setup), table.all).meters == table.state.meters
    table.act(a.ValidateProgressive(1, True), Role.FLOORPERSON)
    table.act(a.SettleOffered(), Role.FLOORPERSON)
    assert stages(table) == [(1, 100_000, "paid"), (3, 1_000_200, "paid")]
    topic = state_topics(table.setup, table.state)["meter-meter"]
    assert topic == table_document(table.setup, table.state)["meters"]["meter"]
    assert (topic["cents"], topic["hits"], topic["paid"], topic["base"]) == (900_000, 2, 1_100_200, 1_000_000)
    assert "reserve" not in json.dumps(topic)
    assert not [x.posts for x in entries(table) if x.entry is Entry.SEEN and x.posts]


def test_cards_told_anew_take_a_claim_back(with_meter):
    table = show(with_meter(seats=(3,)), (3, "Ah Kh"))
    assert stages(table) == [(3, 1_000_100, "validated")]
    table.act(a.RecordHand(Area.PLAYER, "Ah 2s", 3), Role.FLOORPERSON)
    assert stages(table) == []


def test_a_claim_of_a_void_or_older_round_is_not_shown(with_meter):
    """People are told to validate no claim whose wager went back, and see none of rounds before the last."""
    table = with_meter(seats=(1, 3)).to_showdown()
    for act in (*(a.RecordHand(*hand) for hand in ROYAL), a.RecordHand(Area.PLAYER, "Ah Kh", 3)):
        table.act(act)
    assert stages(table) == [(3, 1_000_200, "seen")]
    older = msgspec.structs.replace(table.state, round=None, last_round=None)
    assert [meter["claims"] for meter in meter_documents(table.setup, older).values()] == [[]]
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER), Role.FLOORPERSON)
    assert stages(table) == []


def test_a_claim_without_ground_is_refused_with_the_clause(with_meter):
    """A second one, one without an accepted wager, one of a void round."""
    table = show(with_meter(seats=(1, 3)), (1, "9h 8h"), (3, "Ah Kh"))
    table.act(a.SettleOffered(), Role.FLOORPERSON)
    win = a.SettleWager(3, "progressive", Outcome.WIN, 1_000_200)
    none = with_meter(seats=(1, 3)).to_showdown()
    void = with_meter(seats=(1, 3)).to_showdown()
    void.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER), Role.FLOORPERSON)
    found = (
        table.refused(win),
        none.refused(msgspec.structs.replace(win, seat=5)),
        none.refused(a.ValidateProgressive(5, True), Role.FLOORPERSON),
        void.refused(a.ValidateProgressive(3, True), Role.FLOORPERSON),
    )
    codes = ["settled_already", "no_such_wager", "no_such_wager", "claim_of_void"]
    assert [refusal.code for refusal in found] == codes
    assert {refusal.cite for refusal in found} == {("11.J(2)(a)", "11.J(2)(b)", "11.J(2)(c)")}


def test_a_claim_of_a_void_round_is_refused_after_its_end_too(with_meter):
    table = with_meter(seats=(1, 3)).to_showdown()
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER), Role.FLOORPERSON)
    for duty in [*table.state.duties]:
        table.act(a.ConfirmDuty(duty), Role.FLOORPERSON)
    if not table.round.collected:
        table.act(a.CollectCards())
    table.act(a.EndRound())
    assert table.refused(a.ValidateProgressive(3, True), Role.FLOORPERSON).code == "claim_of_void"


def test_a_claim_that_is_cut_off_at_any_place_and_told_again_is_one(with_meter):
    """All facts of an act are on record or none. People who do not know do the act again."""
    start = with_meter(seats=(1, 3), meter=MeterTerms(1_000_000, 2_000, 500)).to_showdown()
    steps = [a.RecordHand(*hand) for hand in ROYAL]
    steps += [a.RecordHand(Area.PLAYER, "9h 8h", 1), a.RecordHand(Area.PLAYER, "Ah Kh", 3)]
    steps += [a.ValidateProgressive(3, True), a.ValidateProgressive(1, True), a.SettleOffered()]
    whole = start.copy()
    for step in steps:
        whole.act(step, Role.FLOORPERSON)
    for cut in range(len(steps) + 1):
        table = start.copy()
        for number, step in enumerate(steps):
            if number == cut:
                table.state = fold(State.initial(table.setup), table.all)  # what a start makes of the record
                for again in steps[max(0, cut - 1) : cut]:
                    table.put(again, actor=Actor("a floorperson", Role.FLOORPERSON))
            table.act(step, Role.FLOORPERSON)
        table.put(steps[-1], actor=Actor("a floorperson", Role.FLOORPERSON))
        assert table.state.meters == whole.state.meters, cut
        assert [x.entry for x in entries(table)].count(Entry.CLAIM) == 2, cut
    assert ledger(whole).of(Account.PAID) == 1_100_200 * PARTS


def test_a_claim_that_was_settled_as_lost_is_put_right_by_name(with_meter):
    table = show(with_meter(seats=(3,)), (3, "Ah Kh"))
    for wager, won in (("ante", 1_000), ("play", 1_000), ("blind", 500_000)):
        table.act(a.SettleWager(3, wager, Outcome.WIN, won))
    table.act(a.SettleWager(3, "progressive", Outcome.LOSE))
    right = a.CorrectSettlement(3, "progressive", Outcome.WIN, "a royal", 1_000_100)
    later = table.copy()
    table.act(right, Role.SUPERVISOR)
    assert [(x.entry, x.prize) for x in entries(table)[-3:]] == [
        (Entry.CLAIM, 1_000_100), (Entry.PAID, 1_000_100), (Entry.RESEED, None),
    ]  # fmt: skip
    (hold,) = later.state.holds
    later.act(a.ResolveHold(hold, a.Resolution.GO_ON), Role.FLOORPERSON)
    later.act(a.SettleRound())
    later.act(a.CollectCards())
    later.act(a.EndRound())
    shown = ledger(later).cents
    later.act(right, Role.SUPERVISOR)
    last = entries(later)[-1]
    assert (last.entry, last.prize, ledger(later).cents) == (Entry.CORRECTION, 1_000_100, shown)
    assert ledger(later).of(Account.PAID) == 1_000_100 * PARTS


def test_entries_of_a_void_round_say_by_what_the_wager_went_back(with_meter):
    table = with_meter(seats=(1, 3))
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER), Role.FLOORPERSON)
    decided = {
        (fact.event.seat, fact.event.cite, fact.event.reading)
        for fact in table.all
        if isinstance(fact.event, f.WagerDecided) and fact.event.wager == "progressive"
    }
    voids = [x for x in entries(table) if x.entry is Entry.VOID]
    assert {(x.wagers[0][0], x.cite, x.reading) for x in voids} == decided
    assert all(x.cite or x.reading for x in voids)


BOARDS = {
    "a royal, and the straight flush of who folded, and one more": (
        "Qh Jh Th 2c 2d",
        {1: "3s 4s", 3: "Ah Kh", 5: "9h 8h"},
    ),
    "three royals on the board, one of them folded": ("Ah Kh Qh Jh Th", {1: "3s 4s", 3: "9h 8h", 5: "2c 3c"}),
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    ("wager", "after", "folded", "stake"),
    list(
        itertools.product(
            ("kept", "given_back"), ("lower", "unchanged"), ("counts", "does_not_count"), ("none", "in_proportion")
        )
    ),
)
def test_with_a_folded_hand_settle_and_ledger_agree(with_meter, board, wager, after, folded, stake):
    """By hand: three wagers of 5.00 add 3.00; each royal takes all and starts anew, in the order 5, 3, 1."""
    elect = {
        "R-100": wager,
        "R-106": after,
        "R-109": folded,
        "R-102": stake,
        "R-215": "in_turn",
        "R-103": "settled",
    }
    table = with_meter(seats=(1, 3, 5), elect=elect, meter=MeterTerms(1_000_000, 2_000))
    table.decide_all(a.Decision.CHECK)
    table.act(a.RevealCommunity(a.Street.FLOP))
    table.decide_all(a.Decision.CHECK)
    table.act(a.RevealCommunity(a.Street.LAST_TWO))
    for seat in (1, 3, 5):
        table.answer(seat, "fold") if seat == 5 else table.answer(seat, "play", 1)
    table.act(a.RevealDealer())
    cards, hands = BOARDS[board]
    table.act(a.RecordHand(Area.COMMUNITY, cards))
    table.act(a.RecordHand(Area.DEALER, "4c 4d"))
    for seat, held in hands.items():
        table.act(a.RecordHand(Area.PLAYER, held, seat), Role.FLOORPERSON)
    for seat in hands:
        table.act(a.ValidateProgressive(seat, True), Role.FLOORPERSON)
    lines = {x.seat: x.paid for x in all_lines(table.setup, table.round) if x.wager == "progressive" and x.paid}
    table.act(a.SettleOffered(), Role.FLOORPERSON)
    claims = {x.seat: x.prize for x in entries(table) if x.entry is Entry.CLAIM}
    assert claims == lines
    if board.startswith("three"):
        assert (claims, ledger(table).generation) == ({5: 1_000_300, 3: 1_000_000, 1: 1_000_000}, 4)
    else:
        tenth = 100_030
        assert claims == {5: tenth, 3: 1_000_300 - (tenth if after == "lower" else 0)}
    assert ledger(table).cents == 1_000_000


def test_what_is_published_of_a_meter_has_the_shape_of_the_catalogue(with_meter):
    table = show(with_meter(seats=(3,)), (3, "Ah Kh"))
    bodies = dict(state_topics(table.setup, table.state))
    assert state_name("meter-meter") == "state_meter"
    stated = {**bodies["meter-meter"], "sequence": 1, "time": "2026-01-01T00:00:00Z"}
    assert msgspec.convert(stated, MeterState) == stated
    page = "\n".join(status_page(table_document(table.setup, table.state)))
    assert "METER     meter: 10001.00 USD, generation 1, 0 hits, 0.00 paid" in page
    assert "CLAIM     seat 3" in page
