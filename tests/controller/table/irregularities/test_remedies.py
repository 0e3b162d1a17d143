"""What people report, confirm and decide: whose set and device a duty is, and what is put on record of the person."""

from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.structs import replace
from tests.controller.table.conftest import MakeTable


def test_a_hand_with_too_few_cards_is_not_settled_before_its_player_has_chosen(make_table: MakeTable) -> None:
    """Asked before the dealer's hand was said to be a natural: the choice is not lost with it. Clause: fast-action (i)(3)."""
    bets = ((1, "original", 1000), (2, "original", 1000))
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready().bet(*bets).let_out()
    table.act(a.RecordInitialDeal())
    for seat in (1, 2):
        table.answer(seat, "set")
    table.act(a.RevealDealer())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=2))
    table.act(a.RevealDealer(natural=True))
    (duty,) = (d for d in table.state.duties.values() if d.action is Action.ASK_VOID_OR_COMPLETE)
    lost = a.SettleWager(2, "original", a.Outcome.LOSE)
    for act in (a.SettleRound(), lost):
        refused = table.refused(act)
        assert (refused.reason, refused.cite) == (f"first {duty.id}: ask_void_or_complete (seat 2)", duty.cite)
    table.act(a.SettleWager(1, "original", a.Outcome.LOSE))
    table.act(a.ConfirmDuty(duty.id))
    table.act(lost)
    table.act(a.SettleRound())


def test_who_may_answer_a_hold_and_how_is_refused_by_its_clause(make_table: MakeTable) -> None:
    """A note has its length, both sides."""
    table = make_table("md-uth").ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=3))
    (hold,) = table.state.holds.values()
    cited = replace(hold, cite=("13.A",), least_role=Role.SUPERVISOR)
    table.state = replace(table.state, holds={hold.id: cited})
    choices = " or ".join(hold.choices)
    for act, role, reason in (
        (
            a.ResolveHold(hold.id, hold.choices[0]),
            Role.FLOORPERSON,
            "this hold is lifted by a supervisor or above",
        ),
        (a.ResolveHold(hold.id, a.Resolution.VOID), Role.SUPERVISOR, f"hold {hold.id} is resolved by {choices}"),
    ):
        refused = table.refused(act, role)
        assert (refused.reason, refused.cite) == (reason, ("13.A",))
    assert "500" in table.refused(a.ResolveHold(hold.id, hold.choices[0], "x" * 501)).reason
    table.act(a.ResolveHold(hold.id, hold.choices[0], "x" * 500))


def test_whoever_decides_about_the_odd_cent_settles_the_wager(make_table: MakeTable) -> None:
    """Clause: fast-action (h)(6), R-81."""
    bets = ((1, "original", 1001), (2, "original", 1000))
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=(), elect={"R-81": "hold"})
    table.ready().bet(*bets).let_out().act(a.RecordInitialDeal())
    table.answer(1, "surrender")
    (hold,) = table.state.holds
    events = table.act(a.ResolveHold(hold, a.Resolution.CENT_TO_PLAYER))
    (settled,) = [event for event in events if isinstance(event, f.WagerSettled)]
    assert (settled.returned, settled.by, settled.reading) == (501, "a supervisor", "R-81")


def test_a_void_by_a_person_gives_back_what_a_person_let_stand_as_well(make_table: MakeTable) -> None:
    """The wagers of who left were let stand before. Clause: ma-uth 15; R-52, R-53."""
    table = make_table("ma-uth", elect={"R-52": "hold", "R-53": "hold"}).ready().begin().let_out().deal()
    for trigger, seat, answer in (
        (Trigger.PLAYER_LEFT, 1, a.Resolution.WAGER_STANDS),
        (Trigger.COMMUNITY_CARD_EXPOSED, 0, a.Resolution.VOID),
    ):
        table.act(a.ReportIrregularity(trigger, seat=seat))
        (hold,) = table.state.holds
        table.act(a.ResolveHold(hold, answer))
    assert set(table.fates().values()) == {"returned"}
