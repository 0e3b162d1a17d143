"""What follows from single reports: a jam that was told before, a deal that ended short, a cycle after a jam, a card face up."""

import pytest

from controller.rules.vocabulary import Action, Guard, Method, Role, Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e


def holds(events):
    return [event for event in events if isinstance(event, f.HoldPlaced)]


def test_a_jam_that_was_told_and_cleared_itself_is_no_second_one(make_table, rulebook):
    """What it demands was said when it jammed; the end of it is a fact alone."""
    table = make_table(rulebook).ready()
    table.put(e.Jammed(e.Back.RED, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 20), "shuffler-1")
    cleared = e.JamCleared(True, 2)
    assert table.put(cleared, "shuffler-1") == [cleared]


def test_a_shuffler_that_ends_short_of_the_plan_has_failed_in_handing_out(make_table, disposed):
    """It deals the hands itself: that is no failure to shuffle. Clause: md-uth 13.H, 13.I."""
    table = make_table("md-uth", Method.SHUFFLER).ready().begin().let_out().deal(2)
    made = disposed(table.put(e.DealCompleted(e.Back.RED, 2, 40), "shuffler-1"))
    assert made.trigger is Trigger.SHUFFLER_JAM
    assert Guard.HANDING_OUT in made.guards


def stopped_cycle(table, back):
    """A cycle that freed itself, told in a document in which that is no jam, and ended."""
    table.put(e.ShuffleStarted(back, e.Mode.SHUFFLE), "shuffler-1")
    table.put(e.JamCleared(True, 2), "shuffler-1")
    table.shuffled(back.value)


def test_a_cycle_counts_while_another_device_is_to_be_cleared(make_table):
    """The shoe has jammed and is to be emptied; what the shuffler did meanwhile is a shuffle. R-30 = not_a_jam."""
    table = make_table("md-uth", elect={"R-30": "not_a_jam"}).ready().begin("red").let_out().deal(1)
    table.put(e.Jammed(e.Back.RED, e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 45), "shoe-1")
    due = {(d.action, d.device) for d in table.state.duties.values()}
    assert (Action.CLEAR_DEVICE, "shoe-1") in due
    stopped_cycle(table, e.Back.BLUE)
    assert table.state.sets["blue"].armed


def test_no_cycle_counts_that_jammed_in_a_shuffler_which_is_to_be_cleared(make_table):
    """Whatever set was named with the jam: what came out of it in the end was not shuffled in a cleared device."""
    table = make_table("md-uth").ready()
    table.put(e.Jammed(e.Back.RED, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 20), "shuffler-1")
    table.shuffled("blue")
    assert not table.state.sets["blue"].armed


def test_a_card_out_of_a_set_that_was_ready_says_from_which_device_it_came(make_table):
    """The set is whole no more, and people are told which one to gather."""
    table = make_table("ma-uth").ready()
    events = table.put(e.CardDrawn(e.Back.RED, e.Recognition.READ, False, False, None), "shoe-1")
    out = "shoe-1 gave out cards while no round was in play"
    assert [x for x in events if isinstance(x, f.SetDisarmed)] == [f.SetDisarmed("red", out)]
    assert [hold.reason for hold in holds(events)] == [f"{out}; gather and shuffle the red set"]


def test_a_card_face_up_that_may_be_the_one_told_is_asked_about_under_its_clause(make_table, rulebook):
    """A person has told of one, and now a device does: one answer, and no void, until somebody says that it is another."""
    table = make_table(rulebook).ready().begin("red").let_out().deal(2)
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP))
    (hold,) = holds(table.put(e.FaceUpCard(e.Back.RED, e.Activity.DEALING), "shoe-1"))
    assert "(card_face_up, cards = 2)" in hold.reason
    cite = table.setup.law.rulebook.row(Trigger.CARD_FACE_UP, frozenset()).cite
    assert (hold.cite, hold.reading, hold.choices) == (cite, None, (a.Resolution.GO_ON,))


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


@pytest.mark.parametrize("by", ["clause", "person"])
def test_no_hand_of_a_void_round_is_completed(make_table, by):
    """A later irregularity voids every hand, or a person does: the duty has nothing left to do, and blocks no other round."""
    table = make_table("ma-uth").ready().begin().let_out().deal(2)
    table.stack(3, cards=1)
    if by == "clause":
        table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=2))
    else:
        (hold,) = holds(table.put(e.SelfTestFailed(1), "shoe-1"))
        table.act(a.ResolveHold(hold.hold, a.Resolution.VOID))
    assert table.round.void
    assert Action.COMPLETE_DEALER_HAND not in {d.action for d in table.state.duties.values()}


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
