"""A shoe that tells of each card that hands draw from it: its word against what people record, and no card by name."""

import pytest

from controller.daemon.views.status import next_step, table_document
from controller.rules.vocabulary import Method, Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a
from drivers import events as e

TELLS = (e.Capability.TELLS_DRAWS, e.Capability.READS_CARDS)
BETS = ((1, "original", 1000), (2, "original", 700))
IN_DEAL = 12


def card(*, burned=False, recognition=e.Recognition.READ, again=False):
    return e.CardDrawn(e.Back.UNKNOWN, recognition, burned, again, None)


@pytest.fixture
def table(make_table):
    """Fast Action from a manual shoe that tells; no shuffler."""
    made = make_table("fast-action", Method.MANUAL_SHOE, offered=(), backs=("red",), devices=("shoe-1",))
    made.online("shoe-1", capabilities=TELLS, levels=e.Levels(), gap_closed=True)
    made.open()
    made.shuffled_by_hand("red")
    return made


def draw(table, cards, **how):
    for _ in range(cards):
        table.put(card(**how), "shoe-1")


def let_out(table):
    """Bets closed, the first card of a new shoe burned, cards let out."""
    table.bet(*BETS)
    table.act(a.AnnounceNoMoreBets())
    draw(table, 1)
    table.act(a.BurnCard())
    table.act(a.StartDealing())
    assert not table.state.held
    return table


def dealt(table, cards=IN_DEAL):
    draw(let_out(table), cards)
    return table.act(a.RecordInitialDeal())


def holds(table):
    return [hold.code for hold in table.state.holds.values()]


def test_a_deal_of_which_the_shoe_told_each_card_goes_on(table):
    """The number is known, so this check was made; how many were told stands in the status."""
    dealt(table)
    assert not table.state.held
    document = table_document(table.setup, table.state)["round"]
    assert document["drawn"] == IN_DEAL
    assert "cards_dealt" not in document["unchecked"]


@pytest.mark.parametrize("told", [IN_DEAL - 1, IN_DEAL + 1, 0])
def test_one_card_more_or_less_than_the_deal_is_held(table, told):
    """A card missed, two drawn as one, a line lost: the shoe does not say which, so people count."""
    dealt(table, told)
    (hold,) = table.state.holds.values()
    assert f"{told} cards in the deal, and {IN_DEAL} make it up" in hold.reason


@pytest.mark.parametrize("found", [1, 3])
def test_cards_face_up_that_others_replaced_are_so_many_more(table, found):
    """Clause: fast-action (i)(1), which takes them out of the game however many there are."""
    let_out(table)
    draw(table, IN_DEAL + found)
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=found))
    table.act(a.RecordInitialDeal())
    assert not any("has told of" in reason for reason in holds(table))


def test_a_card_face_up_before_the_deal_is_none_of_it(table):
    """The first card of a new shoe lay face up: another one is burned, and the deal has its cards. Clause: (g)(1), (i)(1)."""
    table.bet(*BETS)
    table.act(a.AnnounceNoMoreBets())
    draw(table, 1)
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP))
    draw(table, 1)
    table.act(a.BurnCard())
    table.act(a.StartDealing())
    draw(table, IN_DEAL)
    table.act(a.RecordInitialDeal())
    assert holds(table) == []


def test_a_deal_that_goes_on_after_a_stop_has_the_cards_of_before(table):
    """Letting them out again begins no new deal. Clause: fast-action (g)(3)."""
    let_out(table)
    draw(table, 5)
    table.put(e.SelfTestFailed(1), "shoe-1")
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.GO_ON))
    assert table.act(a.StartDealing())[0].resumed
    draw(table, IN_DEAL - 5)
    table.act(a.RecordInitialDeal())
    assert (holds(table), table.round.drawn) == ([], IN_DEAL)


@pytest.mark.parametrize("told", ["before", "after"])
def test_a_card_that_a_new_dealer_burns_in_the_deal_is_none_of_it(table, told):
    """Whether the shoe tells of it before or after it is said to be burned. Clause: fast-action (g)(1)."""
    let_out(table)
    draw(table, 4)
    table.act(a.NewDealer())
    draw(table, told == "before")
    table.act(a.BurnCard())
    draw(table, told == "after")
    draw(table, IN_DEAL - 4)
    table.act(a.RecordInitialDeal())
    assert holds(table) == []


def test_cards_for_the_board_are_no_cards_of_the_deal(table):
    """Burn and board come from the same shoe afterwards."""
    dealt(table)
    draw(table, 6)
    assert table.round.drawn == IN_DEAL
    assert not table.state.held


def test_unreadable_cards_and_lines_told_twice_are_counted_and_kept(table):
    """Whether the shoe could read a card does not matter where hands deal; a repeat may be a card."""
    let_out(table)
    draw(table, 1, recognition=e.Recognition.UNREADABLE)
    draw(table, 1, again=True)
    draw(table, IN_DEAL - 2)
    table.act(a.RecordInitialDeal())
    assert not table.state.held


def test_a_key_turned_to_burning_in_the_deal_is_held(table):
    """Cards that the shoe takes for burned ones are none of its game: somebody has turned its key."""
    let_out(table)
    draw(table, 3)
    draw(table, 1, burned=True)
    assert holds(table) == ["shoe_key_turned"]


def test_its_cutting_card_must_be_told_before_the_round_is_settled(table):
    """The shoe cannot say at whose hand it showed, and the next cut hangs on that. Clause: fast-action (e)(7), (g)(4)."""
    let_out(table)
    draw(table, 4)
    table.put(e.CuttingCardSensed(e.Back.UNKNOWN), "shoe-1")
    draw(table, IN_DEAL - 4)
    table.act(a.RecordInitialDeal())
    for seat, _, _ in BETS:
        table.answer(seat, "set")
    table.act(a.RevealDealer())
    table.act(a.RevealCommunity(a.Street.COMMUNITY))
    assert table.round.phase is Phase.SHOWDOWN
    refused = table.refused(a.SettleRound())
    assert refused.code == "cutting_card_first"
    assert refused.cite == ("(g)(4)", "(e)(7)")
    assert (
        next_step(table.setup, table.state) == "Say at whose hand the cutting card showed (report_irregularity)."
    )
    table.act(a.ReportIrregularity(Trigger.CUTTING_CARD_REACHED, 2))
    table.act(a.SettleRound())


def test_such_a_shoe_gives_out_no_stacks(make_table):
    """A table that deals by a dealing shoe is told so before its first card."""
    made = make_table("md-uth", offered=("trips",), devices=("shuffler-1", "shoe-1"))
    made.online("shuffler-1")
    made.online("shoe-1", capabilities=TELLS, levels=e.Levels())
    made.open()
    made.shuffled("red")
    made.begin().close_bets()
    assert "shoe-1 gives out no stacks" in made.refused(a.StartDealing()).reason


@pytest.mark.parametrize(
    "wrong",
    [
        a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1, too_many=True),  # keeps the cards of one hand
        a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1),  # is void, as its player says
    ],
)
def test_where_a_hand_was_found_wrong_the_plan_says_nothing_of_the_number(table, wrong):
    """It was dealt more or fewer than planned, and people have counted it. Clause: fast-action (i)(3), (i)(4)."""
    draw(let_out(table), IN_DEAL + 1)
    table.act(wrong)
    if not wrong.too_many:
        table.act(a.ReportIrregularity(Trigger.HAND_DECLARED_VOID, seat=1))
    table.act(a.RecordInitialDeal())
    assert not any("has told of" in reason for reason in holds(table))
