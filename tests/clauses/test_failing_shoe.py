"""A dealing shoe that fails: what it has left to deal of the round decides, in each phase and each document that has a rule.

Fast Action is not among them: its text says nothing of a shoe that fails in any phase (R-18), see `irregularities.toml`.
Clause: ma-uth 15(f), md-uth 13.I, nj-pikit 38.12(f), ma-colorado 14(f); R-128.
"""

from collections.abc import Callable
from typing import Any

import pytest

from controller.games.registry import GAMES
from controller.rules.read.library import find
from controller.rules.vocabulary import Guard, Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e

CLAUSE = {"ma-uth": "15(f)", "md-uth": "13.I", "nj-pikit": "38.12(f)", "ma-colorado": "14(f)"}
INSIDE = {"back": "red", "place": "output", "stack": 0, "cards_inside": 0}
REPORTS: dict[str, dict[str, Any]] = {
    "jammed, idle": {"report": "jammed", "from": "shoe-1", "activity": "idle", **INSIDE},
    "jammed, dealing": {"report": "jammed", "from": "shoe-1", "activity": "dealing", **INSIDE},
    "freed itself": {"report": "jam_cleared", "from": "shoe-1", "by_itself": True, "tries": 2},
    "stopped": {"report": "deal_stopped", "from": "shoe-1", "back": "red", "reason": "stopped", "stack": 1, "cards_inside": 0},
    "a person": {"act": "report_irregularity", "trigger": "shoe_jam"},
}  # fmt: skip
report = pytest.mark.parametrize("report", REPORTS.values(), ids=list(REPORTS))
book = pytest.mark.parametrize("book", CLAUSE)
Staged = Callable[[str, dict[str, Any]], Any]


def stages(book: str) -> list[str]:
    return [stage.phase.value for stage in GAMES[find(book).plays].stages]


OVER = [(book, at) for book in CLAUSE for at in stages(book)]
"""Phases in which every stack of the first deal is out."""
BETS = {"nj-pikit": [[1, "three_card_bonus", 500]]}
"""So that each phase comes about."""


def made(events: list[f.Event]) -> f.DispositionMade:
    (found,) = [event for event in events if isinstance(event, f.DispositionMade)]
    return found


def actions(found: f.DispositionMade) -> dict[str, str]:
    return {demand.word: demand.reading or "+".join(demand.cite) for demand in found.demands}


def untouched(table: Any) -> None:
    assert not table.state.holds
    assert not table.round.void
    assert "returned" not in table.fates().values()
    assert "held" not in table.fates().values()


@report
@pytest.mark.parametrize("at", ["bets_closed", "dealing"])
@book
def test_a_shoe_that_has_cards_to_deal_voids_the_round(
    stage: Staged, book: str, at: str, report: dict[str, Any]
) -> None:
    """Whatever is elected: these are the printed words."""
    for choice in ("cards_to_deal", "printed_words"):
        staged = stage(book, {"at": at, "stacks": 1, "elect": {"R-128": choice}})
        found = made(staged.put(report))
        assert not {Guard.BETS_OPEN, Guard.NONE_LEFT_TO_DEAL} & set(found.guards)
        assert actions(found)["void_round"] == ("R-30" if "by_itself" in report else CLAUSE[book])
        assert staged.table.round.void
        assert set(staged.table.fates().values()) == {"returned"}


@report
@pytest.mark.parametrize(("book", "at"), OVER)
def test_a_shoe_with_no_card_left_leaves_the_round(
    stage: Staged, book: str, at: str, report: dict[str, Any]
) -> None:
    """Its cards are shuffled after the round, which is played to its end."""
    staged = stage(book, {"at": at, "bets": BETS.get(book, [])})
    before = staged.table.round
    found = made(staged.put(report))
    assert Guard.NONE_LEFT_TO_DEAL in found.guards
    assert actions(found) == dict.fromkeys(("clear_device", "reshuffle_after_round", "play_on"), "R-128")
    untouched(staged.table)
    assert staged.table.round == before
    assert staged.table.state.sets["red"].armed
    for later in staged.game.stages[stages(book).index(at) :]:
        staged._play(later)
    staged.table.act(a.CollectCards())
    staged.table.act(a.EndRound())
    assert "duties are open" in staged.table.refused(a.BeginRound("blue")).reason
    staged.table.put(e.CardsRemoved(0), "shoe-1")
    staged.table.shuffled("red")
    assert not staged.table.state.duties


@report
@pytest.mark.parametrize(("book", "at"), OVER)
def test_the_printed_words_void_a_round_with_no_card_left(
    stage: Staged, book: str, at: str, report: dict[str, Any]
) -> None:
    """Only because that was elected, and it says so."""
    staged = stage(book, {"at": at, "bets": BETS.get(book, []), "elect": {"R-128": "printed_words"}})
    events = staged.put(report)
    found = actions(made(events))
    assert set(found.values()) == {"R-128"}
    assert {"void_round", "return_all_wagers", "clear_device", "reshuffle_with_dealt"} <= set(found)
    (voided,) = [event for event in events if isinstance(event, f.RoundVoided)]
    assert (voided.cite, voided.reading) == ((), "R-128")


@report
@book
def test_before_no_more_bets_the_deal_waits_and_bets_stay_free(
    stage: Staged, book: str, report: dict[str, Any]
) -> None:
    """Nothing is void, and no bet is held: it may be taken back, or stay for the deal from a shoe that was emptied."""
    elect = {"R-22": "hold"} if book != "md-uth" else {}
    staged = stage(book, {"at": "betting", "elect": elect})
    table = staged.table
    found = made(staged.put(report))
    assert Guard.BETS_OPEN in found.guards
    assert actions(found) == {"clear_device": "R-128", "reshuffle": "R-128"}
    untouched(table)
    table.act(a.WithdrawWager(3, "ante"))
    table.act(a.PlaceWager(3, "ante", 1000))
    table.close_bets()
    assert "the red set is not armed" in table.refused(a.StartDealing()).reason
    table.put(e.CardsRemoved(0), "shoe-1")
    if table.state.devices["shoe-1"].jammed:
        table.put(e.JamCleared(False, 0), "shoe-1")
    table.shuffled("red")
    table.act(a.StartDealing())
    untouched(table)


@pytest.mark.parametrize("book", [name for name in CLAUSE if find(name).progressive is not None])
def test_a_bet_on_a_sensor_is_no_wager_before_the_announcement(stage: Staged, book: str) -> None:
    """A shoe that jams does not close the bets: the chip may be taken back. The other documents have no wager on a sensor."""
    table = (staged := stage(book, {"at": "betting", "chips": [1]})).table
    staged.put(REPORTS["jammed, idle"])
    assert (1, "progressive") not in table.fates()
    table.put(e.WagerRemoved(1, 1, False), "progressive-1")
    assert not table.round.accepted


@report
@book
def test_the_printed_words_void_a_round_before_its_bets_are_closed(
    stage: Staged, book: str, report: dict[str, Any]
) -> None:
    """And with R-22 = hold the bets wait for the floor, as that was elected, too."""
    hold = {} if book == "md-uth" else {"R-22": "hold"}
    staged = stage(book, {"at": "betting", "elect": {"R-128": "printed_words", **hold}})
    found = actions(made(staged.put(report)))
    assert set(found.values()) == {"R-128"}
    assert staged.table.round.void
    assert set(staged.table.fates().values()) == {"held" if hold else "returned"}


@pytest.mark.parametrize("at", ["betting", "settle"])
@book
def test_a_shoe_that_frees_itself_is_recorded_where_that_is_no_jam(stage: Staged, book: str, at: str) -> None:
    """R-30 comes first: what did not jam has nothing to be asked about."""
    at = stages(book)[-1] if at == "settle" else at
    for choice in ("cards_to_deal", "printed_words"):
        staged = stage(book, {"at": at, "elect": {"R-30": "not_a_jam", "R-128": choice}})
        found = made(staged.put(REPORTS["freed itself"]))
        assert actions(found) == {"record_only": "R-30", "play_on": "R-30"}
        assert not staged.table.state.duties


@report
@pytest.mark.parametrize("at", ["pre_flop", "flop", "last_two", "let out", "delivered"])
def test_a_dealers_stack_that_waits_in_the_shoe_is_of_the_round(
    stage: Staged, at: str, report: dict[str, Any]
) -> None:
    """Clause: md-uth 10.B(4), 13.I. Until it has come out the round cannot be completed without the shoe."""
    elect = {"dealer_stack": "after_decisions", "R-128": "printed_words"}
    staged = stage("md-uth", {"at": "pre_flop", "elect": elect})
    table, asked = staged.table, stages("md-uth")[:3]
    for answered in staged.game.stages[: asked.index(at) if at in asked else 2]:
        staged._play(answered)
    if at not in asked:
        for seat in table.round.waiting:
            staged._answer(staged.game.stages[2], seat)
        table.act(a.StartDealing())
    if at == "delivered":
        table.stack(4)
    found = made(staged.put(report))
    assert (Guard.NONE_LEFT_TO_DEAL in found.guards) is (at == "delivered")
    assert ("R-128" in actions(found).values()) is (at == "delivered")
    assert table.round.void


@book
def test_half_way_through_settling_what_is_lost_stays_lost(stage: Staged, book: str) -> None:
    """A shoe that is empty gives no wager back that the cards have taken."""
    last = stages(book)[-1]
    staged = stage(book, {"at": last})
    table = staged.table
    seat = 1 if book == "nj-pikit" else 3  # who is settled first
    table.act(a.SettleWager(seat, "ante", a.Outcome.LOSE, 0))
    found = made(staged.put(REPORTS["a person"]))
    assert "void_round" not in actions(found)
    assert table.fates()[seat, "ante"] == "settled"
    untouched(table)


@report
@pytest.mark.parametrize("at", ["settled", "collected"])
@book
def test_once_all_is_settled_no_round_is_in_play(
    stage: Staged, book: str, at: str, report: dict[str, Any]
) -> None:
    """Clause: R-33. The text speaks of failures in a round."""
    staged = stage(book, {"at": at, "elect": {"R-128": "printed_words"}})
    found = made(staged.put(report))
    assert not {Guard.ROUND_LIVE, Guard.NONE_LEFT_TO_DEAL} & set(found.guards)
    assert found.silent
    assert not staged.table.round.void


@book
def test_a_deal_that_ends_short_voids_and_one_that_is_whole_does_not(stage: Staged, book: str) -> None:
    """Each number of stacks that came out before the device says that it has dealt."""
    whole = len(stage(book, {"at": stages(book)[-1]}).table.round.stacks)
    for stacks in range(whole):
        staged = stage(book, {"at": "dealing", "stacks": stacks})
        found = made(
            staged.put(
                {"report": "deal_completed", "from": "shoe-1", "back": "red", "stacks": stacks, "cards_left": 9}
            )
        )
        assert actions(found)["void_round"] == CLAUSE[book]
    staged = stage(book, {"at": stages(book)[-1]})
    events = staged.put(
        {"report": "deal_completed", "from": "shoe-1", "back": "red", "stacks": whole, "cards_left": 9}
    )
    assert [event.kind for event in events] == ["deal_completed"]
    untouched(staged.table)


@pytest.mark.parametrize("method", ["hand", "manual_shoe", "shuffler"])
@book
def test_a_shoe_that_is_not_used_has_no_part_in_the_round(stage: Staged, book: str, method: str) -> None:
    """Cards are dealt another way; a person who reports it is told so."""
    for at in ("betting", "dealing", stages(book)[-1]):
        staged = stage(book, {"at": at, "method": method})
        for kind in ("jammed, idle", "freed itself", "stopped"):
            assert not any(isinstance(event, f.DispositionMade) for event in staged.put(REPORTS[kind]))
        untouched(staged.table)
        refused = staged.table.refused(a.ReportIrregularity(Trigger.SHOE_JAM))
        assert "not from a dealing shoe" in refused.reason
