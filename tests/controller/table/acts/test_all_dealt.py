"""Reports that cannot be once the last card of a round is dealt: none can be wanting, and none of the table is seen too early."""

import pytest

from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.words import acts as a
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


def test_community_cards_for_spared_wagers_alone_may_be_wanting(make_table):
    """The round is void, and Trips is settled on cards that are still to be dealt. Clause: ma-uth 15(b)."""
    table = make_table("ma-uth", Method.HAND, {"R-14": "spare_trips"}, ("trips",)).ready()
    table.begin(trips=(1,)).let_out().act(a.RecordInitialDeal())
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=2))
    assert any(duty.action is Action.DEAL_COMMUNITY for duty in table.state.duties.values())
    assert disposition(table.act(INSUFFICIENT)).trigger is Trigger.CARDS_INSUFFICIENT


@pytest.mark.parametrize(("method", "rulebook"), [*BY_HAND, *IN_THE_DEAL[:2]])
def test_no_community_card_is_seen_too_early_once_all_lie_open(make_table, method, rulebook):
    """As none of the dealer's is once the hand is up. Clause: R-52."""
    table = to_the_end(dealt(make_table, rulebook, method, **{"R-52": "void"}))
    refused = table.refused(a.ReportIrregularity(Trigger.COMMUNITY_CARD_EXPOSED))
    assert "lie face up already" in refused.reason
    row = table.setup.law.rulebook.row(Trigger.COMMUNITY_CARD_EXPOSED, frozenset())
    used = frozenset({table.state.method})
    assert refused.cite == tuple(c for c in row.cite if not silent_here(table.setup, used, c)) != ()
