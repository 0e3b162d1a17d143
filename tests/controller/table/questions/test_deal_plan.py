"""The stacks of a round: under which clause each comes, where the deal begins, and when all have their cards."""

from controller.rules.vocabulary import Area, Method
from controller.table.questions.deal_plan import deal_plan, hands_dealt
from controller.table.state.table import Phase
from controller.table.words.structs import replace


def test_each_stack_is_dealt_under_the_clause_that_prints_it(make_table):
    """Clause: md-uth 10.B, by area and number of cards."""
    table = make_table("md-uth").ready().begin(seats=(1, 3)).close_bets()
    printed = {x.to: (x.cards, x.cite) for x in table.setup.law.rulebook.dealing[Method.DEALING_SHOE].stacks}
    plan = deal_plan(table.setup, table.round)
    assert sorted((stack.area, stack.seat) for stack in plan) == [
        (Area.COMMUNITY, 0), (Area.DEALER, 0), (Area.PLAYER, 1), (Area.PLAYER, 3),
    ]  # fmt: skip
    for stack in plan:
        assert (stack.cards, stack.cite) == printed[stack.area]
        assert stack.cite


def test_a_marker_that_was_not_moved_to_the_dealer_lies_at_the_last_seat(make_table):
    """The place before the dealer's is that of the last player. Clause: fast-action (i)(6)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready()
    table.bet((1, "original", 1000), (6, "original", 1000))
    for marker, stayed, seats in (
        (0, False, [0, 1, 6]),
        (0, True, [6, 0, 1]),
        (1, True, [0, 1, 6]),
        (6, False, [6, 0, 1]),
    ):
        round_ = replace(table.round, marker=marker, marker_stayed=stayed)
        assert [stack.seat for stack in deal_plan(table.setup, round_)[:3]] == seats


def test_all_have_their_cards_once_the_dealer_has_or_has_turned_them_up(make_table):
    """Whoever dealt what is turned up: a shoe that is back in service gave out none of it. Clause: nj-pikit 39.9(c)2."""
    table = make_table("nj-pikit", elect={"dealer_stack": "after_decisions"}, offered=()).ready()
    table.bet(*((seat, name, 500) for seat in (2, 4) for name in ("ante", "five_card_bonus"))).let_out()
    assert not hands_dealt(table.setup, table.round)
    table.deal(2)
    assert not hands_dealt(table.setup, table.round), "the dealer's are in the shoe"
    assert hands_dealt(table.setup, replace(table.round, phase=Phase.SHOWDOWN))
    for seat in (4, 2):
        table.answer(seat, "fold")
    assert not hands_dealt(table.setup, table.round)
