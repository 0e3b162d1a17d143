"""Reports that cannot be once the last card of a round is dealt: none can be wanting, and none of the table is seen too early."""

import pytest

from controller.games.model import Phase
from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.words import acts as a
from controller.table.words.facts import DispositionMade
from tests.controller.table.conftest import disposition
from tests.soak.citations import silent_here

INSUFFICIENT = a.ReportIrregularity(Trigger.CARDS_INSUFFICIENT)
BETS = {
    "md-uth": ("ante", "blind"),
    "ma-uth": ("ante", "blind"),
    "nj-pikit": ("ante", "five_card_bonus"),
    "ma-colorado": ("ante",),
    "fast-action": ("original",),
}
BY_HAND = ("manual_shoe", "md-uth"), ("hand", "ma-uth"), ("manual_shoe", "fast-action")
IN_THE_DEAL = (
    ("dealing_shoe", "md-uth"),
    ("dealing_shoe", "ma-colorado"),
    ("dealing_shoe", "nj-pikit"),
    ("manual_shoe", "nj-pikit"),
)
"""Ways of dealing by which every card is on the layout after the deal: nj-pikit has no community cards at all."""


def dealt(make_table, rulebook, method="dealing_shoe", done=True, **elect):
    devices = (
        ("shoe-1", "shuffler-1")
        if method == "dealing_shoe"
        else ("shuffler-1",)
        if rulebook != "fast-action"
        else ()
    )
    backs = ("red",) if rulebook == "fast-action" else ("red", "blue")
    table = make_table(rulebook, Method(method), elect, (), devices=devices, backs=backs)
    if not devices:
        table.open()
        table.shuffled_by_hand("red")
    else:
        table.ready()
    table.bet(*((seat, name, 1000) for seat in (1, 3) for name in BETS[rulebook])).let_out()
    if method == "dealing_shoe":
        return table.deal(None if done else 1)
    if done:
        table.act(a.RecordInitialDeal())
    return table


def to_the_end(table):
    """Each player plays on, and each card is turned up in its turn."""
    while (stage := table.round.game.stage(table.round.phase)) is not table.round.game.stages[-1]:
        if table.round.waiting:
            version = table.setup.law.rulebook.play.version
            may = [x for x in stage.answers if x.version in (None, version.value if version else None)]
            rule = table.setup.law.rulebook.wagers.get(may[0].places or "")
            table.decide_all(may[0].decision, rule.multiples(stage.moment)[0] if rule else 0)
        elif hasattr(stage.ends, "street"):
            table.act(a.RevealCommunity(stage.ends.street))
        else:
            table.act(a.RevealDealer())
    return table


@pytest.mark.parametrize(("method", "rulebook"), [*BY_HAND, *IN_THE_DEAL])
def test_no_card_is_wanting_once_the_hands_are_compared(make_table, method, rulebook):
    """The round goes on, and its wagers lie as they lay. Clause: fast-action (i)(5); R-39."""
    table = to_the_end(dealt(make_table, rulebook, method, **{"R-39": "void"}))
    refused = table.refused(INSUFFICIENT)
    assert ("no card is left to be dealt" in refused.reason, "wrong_count_player" in refused.reason) == (
        True,
        True,
    )
    assert (table.round.void, table.round.phase) == (False, Phase.SHOWDOWN)
    table.act(a.SettleRound())
    assert "no card is left" in table.refused(INSUFFICIENT).reason


@pytest.mark.parametrize(("method", "rulebook"), IN_THE_DEAL)
def test_nor_once_all_of_them_are_dealt(make_table, method, rulebook):
    """Where the community cards come with the hands, or there are none. Clause: R-39."""
    table = dealt(make_table, rulebook, method)
    assert "no card is left" in table.refused(INSUFFICIENT).reason


@pytest.mark.parametrize(("method", "rulebook"), BY_HAND[:2])
def test_nor_once_the_last_community_card_lies_open(make_table, method, rulebook):
    """Players are still asked for their last answer. Clause: ma-uth 10(e), md-uth 11.F, R-39."""
    table = dealt(make_table, rulebook, method)
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.decide_all(a.Decision.CHECK)
        table.act(a.RevealCommunity(street))
    assert table.round.waiting
    assert "no card is left" in table.refused(INSUFFICIENT).reason


@pytest.mark.parametrize(("method", "rulebook"), [*BY_HAND, *IN_THE_DEAL])
def test_in_the_deal_they_may_be(make_table, method, rulebook):
    """Before the last hand has its cards. Clause: fast-action (i)(5); R-39."""
    assert isinstance(
        disposition(dealt(make_table, rulebook, method, done=False).act(INSUFFICIENT)), DispositionMade
    )


@pytest.mark.parametrize(("method", "rulebook"), BY_HAND)
def test_and_as_long_as_community_cards_are_to_come(make_table, method, rulebook):
    """They are dealt by hand from what is left. Clause: fast-action (h)(10), (i)(5); R-39."""
    table = dealt(make_table, rulebook, method)
    assert disposition(table.act(INSUFFICIENT)).trigger is Trigger.CARDS_INSUFFICIENT


def test_the_next_card_in_the_place_of_one_that_lay_face_up_may_be(make_table):
    """Until the dealer has said that it is replaced. Clause: nj-pikit 38.12(a), R-39."""
    table = dealt(make_table, "nj-pikit", "manual_shoe", done=False)
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP))
    table.act(a.RecordInitialDeal())
    (duty,) = table.state.duties
    assert disposition(table.act(INSUFFICIENT)).trigger is Trigger.CARDS_INSUFFICIENT
    table.act(a.ConfirmDuty(duty))
    assert "no card is left" in table.refused(INSUFFICIENT).reason


def test_community_cards_for_spared_wagers_alone_may_be_wanting(make_table):
    """The round is void, and Trips is settled on cards that are still to be dealt. Clause: ma-uth 15(b)."""
    table = make_table("ma-uth", Method.HAND, {"R-14": "spare_trips"}, ("trips",)).ready()
    table.begin(trips=(1,)).let_out().act(a.RecordInitialDeal())
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=2))
    assert any(duty.action is Action.DEAL_COMMUNITY for duty in table.state.duties.values())
    assert disposition(table.act(INSUFFICIENT)).trigger is Trigger.CARDS_INSUFFICIENT


def test_after_a_void_no_card_is_wanting_any_more(make_table):
    """Nothing is dealt in a round whose play has stopped. Clause: nj-pikit 38.12(c)."""
    table = dealt(make_table, "nj-pikit", done=False)
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1))
    assert "no card is left" in table.refused(INSUFFICIENT).reason


@pytest.mark.parametrize(("method", "rulebook"), [*BY_HAND, *IN_THE_DEAL[:2]])
def test_no_community_card_is_seen_too_early_once_all_lie_open(make_table, method, rulebook):
    """As none of the dealer's is once the hand is up. Clause: R-52."""
    table = to_the_end(dealt(make_table, rulebook, method, **{"R-52": "void"}))
    refused = table.refused(a.ReportIrregularity(Trigger.COMMUNITY_CARD_EXPOSED))
    assert "lie face up already" in refused.reason
    row = table.setup.law.rulebook.row(Trigger.COMMUNITY_CARD_EXPOSED, frozenset())
    used = frozenset({table.state.method})
    assert refused.cite == tuple(c for c in row.cite if not silent_here(table.setup, used, c)) != ()


class TestAfterADealersNatural:
    """No community card is dealt any more. Clause: fast-action (h)(8)."""

    @pytest.fixture
    def table(self, make_table):
        def make(**elect):
            table = dealt(make_table, "fast-action", "manual_shoe", **elect)
            table.decide_all(a.Decision.SET)
            table.act(a.RevealDealer(natural=True))
            return table

        return make

    def test_no_card_is_wanting(self, table):
        """Every losing wager would go back on the dealer's word. Clause: (h)(8), (i)(5)."""
        assert "no card is left" in table().refused(INSUFFICIENT).reason

    @pytest.mark.parametrize("trigger", [Trigger.WRONG_COUNT_COMMUNITY, Trigger.COMMUNITY_CARD_EXPOSED])
    def test_nothing_is_wrong_with_the_community_cards(self, table, trigger):
        """If the hand was no natural, that is said first, and then there are some. Clause: (h)(8), (h)(10)."""
        made = table(**{"R-37": "void"})
        refused = made.refused(a.ReportIrregularity(trigger))
        assert ("no community card is dealt" in refused.reason, "natural=false" in refused.reason) == (True, True)
        made.act(a.RevealDealer(natural=False))
        assert disposition(made.act(a.ReportIrregularity(trigger))).trigger is trigger

    def test_a_short_hand_has_no_choice_any_more(self, table):
        """The time of that choice is over, and the wager is lost: a floorperson decides. Clause: (h)(8), (i)(3), R-94."""
        made = table()
        found = disposition(made.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1)))
        assert [(d.action, d.reading) for d in found.demands][:1] == [(Action.HOLD_SEAT_WAGERS, "R-94")]
        assert made.fates()[1, "original"] == "held"
        assert (
            "not known to have too few"
            in made.refused(a.ReportIrregularity(Trigger.HAND_DECLARED_VOID, seat=1)).reason
        )

    def test_where_it_was_no_natural_it_has_the_choice_again(self, table):
        """The community cards are still to come. Clause: (i)(3)."""
        made = table()
        made.act(a.RevealDealer(natural=False))
        found = disposition(made.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1)))
        assert Action.ASK_VOID_OR_COMPLETE in {d.action for d in found.demands}
