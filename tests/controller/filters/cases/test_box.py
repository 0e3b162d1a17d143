"""Cases on the box of the Six Card Bonus in Maryland: who deals it, and a wrong number of cards in it."""

import pytest

from controller.config.model import ConfigInvalid
from tests.controller.filters.cases.running import Case


def test_the_bonus_of_a_box_that_no_chapter_deals_is_not_offered():
    """MD 8.D: from a manual shoe nothing is dealt to the box; the file is refused while R-151 is not elected."""
    with pytest.raises(ConfigInvalid, match=r"offered: six_card .* \(8\.D, 10\.B\(1\), 7\.F\(4\)\)"):
        Case("md_six_card_manual_shoe")


def test_a_stub_count_knows_the_four_cards_of_the_box():
    """Where R-151 has them dealt first, 39 cards of the stub make up 52 with 13 dealt: no deck leaves the table by 8.G(2)."""
    case = Case("md_six_card_manual_shoe", R_151="dealt_first")
    assert case.accepted_before(33)
    (counted,) = case.of(33, "stub_counted")
    assert (counted["stub"], counted["total"], counted["right"]) == (39, 52, True)
    assert not case.of(33, "disposition_made")


def test_a_box_of_three_holds_and_voids_nothing():
    """MD 13.E names the area of the five community cards (2.B(3)); the box is R-152, and a floorperson decides."""
    case = Case("md_box_of_three_13E")
    assert case.accepted_before(26)
    (hold,) = case.of(26, "hold_placed")
    assert (hold["reading"], hold["cite"], hold["choices"]) == ("R-152", [], ["go_on", "void"])
    assert not case.of(26, "round_voided")
    assert not case.of(26, "wager_decided")
