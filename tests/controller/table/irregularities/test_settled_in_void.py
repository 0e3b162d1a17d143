"""R-131 in five books: a void after wagers were paid or collected. And a folded hand of Colorado, whose wagers share R-71."""

import pytest

from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE = a.Outcome.WIN, a.Outcome.LOSE
CODE = "settled_before_void"
BOOKS = ("md-uth", "ma-uth", "nj-pikit", "ma-colorado", "fast-action")


@pytest.fixture
def paid(make_table):
    """A round in which one wager was won and paid, and that is void by the act which is returned beside the table."""

    def make(book, choice, **elect):
        elect = {"R-131": choice, "R-22": "return", **elect}
        if book.endswith("uth"):
            del elect["R-22" if book == "md-uth" else "R-131"]
            elect["R-131"] = choice
            table = (
                make_table(book, elect=elect, offered=()).ready().begin(trips=()).let_out().deal().to_showdown()
            )
            table.act(a.SettleWager(3, "ante", WIN, 1000))
            trigger = Trigger.WRONG_COUNT_COMMUNITY if book == "md-uth" else Trigger.WRONG_COUNT_DEALER
            return table, a.ReportIrregularity(trigger), (3, "ante")
        if book == "nj-pikit":
            table = make_table(book, elect=elect, offered=()).ready()
            table.bet(*((seat, w, 1000) for seat in (1, 2) for w in ("ante", "five_card_bonus"))).let_out().deal()
            table.answer(2, "play_5", 1)
            table.act(a.SettleWager(2, "five_card_bonus", WIN, 4000))
            return table, a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER), (2, "five_card_bonus")
        if book == "ma-colorado":
            table = make_table(book, elect=elect | {"version": "required_bet"}, offered=()).ready()
            table.bet((1, "ante", 1000), (2, "ante", 1000)).let_out().deal()
            table.answer(1, "declare")
            table.act(a.SettleWager(1, "ante", WIN, 5000))
            return table, a.ReportIrregularity(Trigger.WRONG_COUNT_COMMUNITY), (1, "ante")
        table = make_table(book, Method.MANUAL_SHOE, elect=elect, offered=()).ready()
        table.bet((1, "original", 1000), (2, "original", 1000)).let_out().act(a.RecordInitialDeal())
        table.answer(1, "natural")
        table.act(a.SettleWager(1, "original", WIN, 5000))
        return table, a.ReportIrregularity(Trigger.CARDS_INSUFFICIENT), (1, "original")

    return make


def asked(table):
    return [hold for hold in table.state.holds.values() if hold.code == CODE]


@pytest.mark.parametrize("book", BOOKS)
def test_what_was_paid_goes_back_where_that_is_elected(paid, book):
    """The floor takes back what was paid at the seat, and the wager is returned under the reading."""
    table, void, (seat, wager) = paid(book, "return")
    events = table.act(void)
    (decided,) = [x for x in events if isinstance(x, f.WagerDecided) and (x.seat, x.wager) == (seat, wager)]
    assert (decided.fate, decided.cite, decided.reading) == ("returned", (), "R-131")
    (duty,) = [x for x in events if isinstance(x, f.DutyOpened) and x.action is Action.TAKE_BACK_PAID]
    assert (duty.seat, duty.reading, duty.least_role) == (seat, "R-131", "floorperson")
    assert not asked(table)


def test_nothing_is_taken_back_of_a_wager_that_was_lost(make_table):
    """It goes back to its player all the same."""
    table = make_table("nj-pikit", elect={"R-131": "return", "R-22": "return"}, offered=()).ready()
    table.bet(*((seat, w, 1000) for seat in (1, 2) for w in ("ante", "five_card_bonus"))).let_out().deal()
    table.answer(2, "play_5", 1)
    table.act(a.SettleWager(2, "five_card_bonus", LOSE))
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER))
    assert table.fates()[2, "five_card_bonus"] == "returned"
    assert Action.TAKE_BACK_PAID not in {duty.action for duty in table.state.duties.values()}


@pytest.mark.parametrize("rest", ["return", "hold"])
@pytest.mark.parametrize(("choice", "fate"), [("return", ["returned"] * 2), ("collected", ["collected", "lost"])])
def test_the_bonus_of_a_folded_hand_shares_the_answer_to_its_ante(make_table, rest, choice, fate):
    """Whatever becomes of the others. Clause: ma-colorado 10(b)(2), 6a(d); R-71."""
    table, events = _folded_then_void(make_table, choice, rest)
    assert [table.fates()[1, wager] for wager in ("ante", "bonus")] == fate
    assert table.fates()[2, "bonus"] == ("returned" if rest == "return" else "held")
    mine = [x for x in events if isinstance(x, f.WagerDecided) and x.seat == 1]
    assert {(x.wager, x.reading) for x in mine} == {("ante", "R-71"), ("bonus", "R-71")}
    collects = {(d.seat, d.reading) for d in table.state.duties.values() if d.action is Action.COLLECT_SEAT_WAGERS}
    assert collects == ({(1, "R-71")} if choice == "collected" else set())


@pytest.mark.parametrize(
    ("answer", "fate"), [("return_wager", ["returned"] * 2), ("stays_collected", ["collected", "lost"])]
)
def test_one_answer_decides_ante_and_bonus_of_a_folded_hand(make_table, answer, fate):
    """Clause: ma-colorado 10(b)(2), 6a(d); R-71 = hold."""
    table, _ = _folded_then_void(make_table, "hold", "return")
    assert [table.fates()[1, wager] for wager in ("ante", "bonus")] == ["collected", "held"]
    (hold,) = [hold for hold in table.state.holds.values() if hold.reading == "R-71"]
    table.act(a.ResolveHold(hold.id, a.Resolution(answer)))
    assert [table.fates()[1, wager] for wager in ("ante", "bonus")] == fate


def _folded_then_void(make_table, choice, rest):
    elect = {"version": "required_bet", "R-71": choice, "R-22": rest}
    table = make_table("ma-colorado", elect=elect, offered=("bonus",)).ready()
    table.bet(
        *((seat, w, cents) for seat in (1, 2) for w, cents in (("ante", 1000), ("bonus", 100)))
    ).let_out().deal()
    table.answer(1, "fold")
    return table, table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_COMMUNITY))
