"""Meters that the table computes: what a wager adds, what a prize takes, and that nobody types them. Clause: md-uth 12.D."""

import itertools

import pytest

from controller.games.settling.meters import PARTS, Account, Entry, MeterTerms
from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area, Role, Trigger
from controller.table.decide import fold
from controller.table.settlement.offer import all_lines
from controller.table.state.table import Fate, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.structs import replace

METER = MeterTerms(1_000_000, 2_000, 500, 1_000_300)
"""10,000.00; of each wager of 5.00 it rises by 1.00, up to 10,003.00, and 0.25 goes to the reserve."""
ROYAL = ((Area.COMMUNITY, "Qh Jh Th 2c 2d", 0), (Area.DEALER, "4c 4d", 0))


@pytest.fixture
def with_meter(make_table):
    """A table whose meter is computed here, cards let out, with progressive wagers at these seats."""

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
