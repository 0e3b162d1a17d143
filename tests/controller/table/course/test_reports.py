"""What follows from single reports: a jam that was told before, a deal that ended short, a cycle after a jam, a card face up."""

import pytest

from controller.rules.vocabulary import Action, Role, Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e


def holds(events):
    return [event for event in events if isinstance(event, f.HoldPlaced)]


@pytest.fixture
def short_hand(make_table):
    """Every stack is out, and the dealer's is a card short: a duty asks to complete it. Clause: ma-uth 15(d)."""
    table = make_table("ma-uth").ready().begin().let_out()
    table.deal(2)
    table.stack(3, cards=1)
    (duty,) = table.state.duties.values()
    assert (duty.action, table.round.phase) == (Action.COMPLETE_DEALER_HAND, Phase.DEALING)
    return table, duty.id


def test_a_hand_completed_where_no_device_deals_any_more_leaves_the_deal_to_people(short_hand):
    """The shoe was taken out: nobody but the dealer can say that the deal is done."""
    table, duty = short_hand
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED))
    table.act(a.ConfirmDuty(duty), Role.DEALER)
    assert not table.round.initial_deal_done


@pytest.mark.parametrize(
    ("count", "read", "held"),
    [
        (52, e.Identities.NOT_READ, False),
        (None, e.Identities.COMPLETE, False),
        (None, e.Identities.NOT_READ, True),
    ],
)
def test_a_short_hand_is_completed_from_a_deck_that_was_counted(make_table, count, read, held):
    """Clause: ma-uth 15(d), which asks for the right number of cards in the deck: what nothing counted is counted first."""
    table = make_table("ma-uth").ready()
    table.shuffled("red", count, identities=read)
    table.begin().let_out().deal(2)
    found = holds(table.stack(3, cards=1))
    assert bool(found) is held
    if not held:
        return
    (hold,) = found
    assert (hold.cite, hold.reading, hold.choices) == (("15(d)",), None, (a.Resolution.GO_ON,))
    assert "1 short, and nothing has counted the red set" in hold.reason
    assert not table.round.void
    table.act(a.ResolveHold(hold.hold, a.Resolution.GO_ON), Role.FLOORPERSON)
    (duty,) = table.state.duties
    table.act(a.ConfirmDuty(duty), Role.DEALER)
    assert table.round.initial_deal_done


def test_a_stack_beyond_the_deal_is_named_while_the_dealers_hand_is_completed(make_table):
    """The missing card is dealt by hand, from the stub; what the shoe gives out then is nobody's. Clause: ma-uth 15(d)."""
    table = make_table("ma-uth").ready()
    table.shuffled("red", 52)
    table.begin().let_out().deal(2).stack(3, cards=1)
    (hold,) = holds(table.put(e.StackDispensed(e.Back.RED, 4, 1), "shoe-1"))
    assert hold.reason == "shoe-1 gave out stack 4; the deal has 3"


@pytest.mark.parametrize(
    ("count", "read", "found"),
    [
        (51, e.Identities.NOT_READ, "the red set was counted and is not whole"),
        (51, e.Identities.INCOMPLETE, "the red set was counted and is not whole"),
        (None, e.Identities.INCOMPLETE, "the red set was read and is not whole"),
        (52, e.Identities.INCOMPLETE, ""),
    ],
)
def test_what_is_said_of_a_deck_that_is_not_whole_is_what_was_found(make_table, count, read, found):
    """Clause: ma-uth 15(d), which asks for their number alone. It was found in the deal, and a person let that go on."""
    table = make_table("ma-uth").ready().begin().let_out().deal(2)
    table.shuffled("red", count, identities=read)
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    assert table.round.vouched
    told = holds(table.stack(3, cards=1))
    assert [hold.reason.startswith(f"the dealer's hand is 1 short, and {found}: ") for hold in told] == [
        True
    ] * bool(found)
    report = a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER, completable=True)
    if found:
        refused = table.refused(report)
        assert (refused.reason, refused.cite) == (
            f"{found}, so the dealer's hand is not completed; report it without completable",
            ("15(d)",),
        )
    else:
        table.act(report)


def test_a_short_hand_from_a_deck_that_is_not_whole_voids_all_hands(make_table):
    """Clause: ma-uth 15(d). The floor has counted, and says so by reporting the hand as it is."""
    table = make_table("ma-uth").ready()
    table.shuffled("red", None)
    table.begin().let_out().deal(2)
    table.stack(3, cards=1)
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER))
    assert table.round.void
    assert set(table.fates().values()) == {"returned"}
