"""Cases on the course of a round: what is demanded too late, at the wrong time, or of nobody who could do it."""

from tests.controller.filters.cases.running import Case


def test_a_due_stub_is_counted_before_it_is_collected():
    """MA 7(f): the stub is counted on the layout, so the fifth round's cards stay there until it is."""
    case = Case("ma_stub_counted_after_collect")
    assert case.accepted_before(121)
    assert case.refused(121) == ("stub_count_due", ["7(f)"])
    (counted,) = case.of(123, "stub_counted")
    assert (counted["total"], counted["right"]) == (52, True)


def test_no_round_begins_by_hand_without_a_shuffler():
    """MA 8(b)(1): betting does not open, and nobody is told to report a jam of a device that is not there."""
    case = Case("ma_hand_without_shuffler")
    assert case.accepted_before(14)
    assert case.refused(14) == ("no_shuffler", ["8(b)(1)"])
    (refused,) = case.of(14, "input_refused")
    assert "report_irregularity" not in refused["reason"]
    assert "return_device" in refused["reason"]


def test_a_stub_that_is_out_is_counted_before_the_flop():
    """MD 10.B(5): the shoe has given out everything, so what is left of the deck is its stub."""
    case = Case("md_stub_dealing_shoe")
    (counted,) = case.of(31, "stub_counted")
    assert (counted["total"], counted["right"]) == (52, True)


def test_cards_are_spread_face_up_where_a_player_asked():
    """MD 5.H(1): face down, unless a player asks for it."""
    case = Case("md_idle_face_up_unasked")
    assert case.accepted_before(12)
    assert case.refused(12) == ("face_up_unasked", ["5.H(1)"])


def test_a_cut_passes_over_no_player():
    """Fast Action (e)(4): from seat 3 on clockwise come seats 4, 5 and 1, before seat 2."""
    case = Case("fa_cut_skips_4_5_1")
    assert case.accepted_before(33)
    code, cite = case.refused(33)
    assert code == "cut_out_of_order"
    assert "(e)(4)" in cite
    assert case.state.sets["red"].cut_due


def test_a_stored_set_whose_door_was_open_is_not_dealt():
    """Fast Action (e)(8)(ii)(A): it was not stored in a secure manner, so it is spread and shuffled first."""
    case = Case("fa_stored_set_door_open")
    assert case.accepted_before(41)
    code, cite = case.refused(41)
    assert code == "stored_set_first"
    assert "(e)(8)(ii)(A)" in cite
    assert case.state.sets["blue"].waits is not None
    assert not case.state.sets["blue"].armed
