"""The comparison with `settle` sees what it is for: each kind of planted difference breaks a day, and each share has a bound."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from controller.cli.filters.decide import example_setup
from controller.filters.settle import SettleFilter
from controller.games.model import Phase
from controller.games.settling.settled import Line, Outcome
from controller.rules.elections import proposals
from controller.rules.vocabulary import Method, Trigger
from controller.table.state.table import Round, State
from controller.table.words import facts as f
from tests.soak import agree, telling
from tests.soak.agree import Agreement, Compared, less_cuts
from tests.soak.day import Broken, Day, Tally
from tests.soak.plan import ENOUGH, LEAST_COMPARED, MOST_OTHERWISE, MOST_UNTOLD, apart, missing, seed_of, told
from tests.soak.tables import book
from tests.soak.verdicts import APART, PAID_BEFORE, ROUND_HELD, WHOLE_HELD, Verdict, difference

Lines = list[dict[str, Any]]


def more_paid(lines: Lines) -> None:
    next(x for x in lines if x["outcome"] in ("win", "push", "lose"))["paid"] += 1


def other_fate(lines: Lines) -> None:
    line = next(x for x in lines if x["outcome"] in ("win", "lose"))
    line["outcome"] = "push"


def held_instead(lines: Lines) -> None:
    line = next(x for x in lines if x["outcome"] in ("win", "lose"))
    line |= {"outcome": "held", "returned": 0, "paid": 0}


def other_clause(lines: Lines) -> None:
    next(x for x in lines if x.get("cite"))["cite"] = ["99.9"]


def other_reading(lines: Lines) -> None:
    next(x for x in lines if x["outcome"] != "not_placed")["reading"] = "R-999"


def missing_line(lines: Lines) -> None:
    lines.remove(next(x for x in lines if x["outcome"] != "not_placed"))


def one_more_line(lines: Lines) -> None:
    lines.append({**lines[0], "seat": 99, "outcome": "push"})


PLANTED = (more_paid, other_fate, held_instead, other_clause, other_reading, missing_line, one_more_line)


def plant(monkeypatch: pytest.MonkeyPatch, how: Callable[[Lines], None]) -> None:
    """Each settlement is altered that can be; a fault that fits no line of it is planted in a later round."""
    feed = SettleFilter.feed

    def altered(self: SettleFilter, line: bytes) -> bytes:
        answer = json.loads(feed(self, line))
        with contextlib.suppress(StopIteration):
            how(answer["settlement"]["lines"])
        return json.dumps(answer).encode()

    monkeypatch.setattr(SettleFilter, "feed", altered)


@pytest.mark.parametrize("rulebook", ["md-uth", "nj-pikit", "fast-action", "ma-colorado"])
@pytest.mark.parametrize("how", PLANTED)
def test_a_planted_difference_breaks_the_day(monkeypatch, how, rulebook):
    """An amount, a fate, a clause, a reading, a line less and a line more; the message says where, and what was told."""
    plant(monkeypatch, how)
    with pytest.raises(Broken, match=r"(end|next)_round: .*the table .*, settle .*; it was told \{") as broken:
        Day(rulebook, seed_of(rulebook, 5, 1), 40).play()
    assert str(broken.value).startswith("round ")


def test_a_round_that_settle_refuses_breaks_the_day(monkeypatch):
    monkeypatch.setattr(SettleFilter, "feed", lambda self, line: b'{"line": 1, "error": "no such thing"}')
    with pytest.raises(Broken, match=r"settle refuses .*: no such thing; it was told"):
        Day("md-uth", seed_of("md-uth", 5, 1), 40).play()


def test_a_round_that_the_table_settles_otherwise_breaks_the_day(monkeypatch):
    """Planted on the other side: the table offers a cent more."""
    offered = Agreement._offered

    def more(self, round_):
        found = offered(self, round_)
        return {key: agree.replace(verdict, paid=verdict.paid + 1) for key, verdict in found.items()}

    monkeypatch.setattr(Agreement, "_offered", more)
    with pytest.raises(Broken, match="the table"):
        Day("nj-pikit", seed_of("nj-pikit", 5, 1), 40).play()


HELD = Verdict(ROUND_HELD, reading="R-10")


@pytest.mark.parametrize(
    ("there", "here", "on_record", "kind"),
    [
        (HELD, Verdict("held", reading="R-10"), False, WHOLE_HELD),
        (HELD, Verdict("held", reading="R-11"), False, APART),
        (HELD, Verdict("held", ("15(e)",)), False, APART),
        (HELD, Verdict("lost", reading="R-10"), False, APART),
        (Verdict("held", reading="R-131"), Verdict("back", 500, reading="R-22"), True, PAID_BEFORE),
        (Verdict("held", reading="R-131"), Verdict("back", 500, reading="R-22"), False, APART),
        (Verdict("back", 500, cite=("15(a)",)), Verdict("back", 500, cite=("15(a)",)), False, ""),
        (Verdict("back", 500, cite=("15(a)",)), Verdict("back", 501, cite=("15(a)",)), False, APART),
        (Verdict("back", 500, cite=("15(a)",)), Verdict("back", 500, reading="R-22"), False, APART),
    ],
)
def test_only_two_differences_are_none(there, here, on_record, kind):
    """A hold of the whole round under the same reading, and what was paid on record before."""
    assert difference(there, here, on_record=on_record) == kind


def test_a_limit_takes_from_what_is_paid_last():
    """Of one seat, of the wagers that it counts, never of envy; one left to a person takes nothing."""
    lines = [
        Line(seat, wager, 100, Outcome.WIN, 100, 300) for seat in (2, 1) for wager in ("ante", "blind", "trips")
    ]
    lines.append(Line(1, "blind", 0, Outcome.WIN, 0, 300, holder=2))
    cut = {"seat": 1, "cut": 400, "wagers": ["ante", "blind"]}
    assert [x.paid for x in less_cuts(lines, [cut])] == [300, 300, 300, 200, 0, 300, 300]
    assert [x.paid for x in less_cuts(lines, [{**cut, "held": True}])] == [300] * 7


def test_shares_have_bounds():
    """A run in which nothing is told, or nothing compared, is no clean one, whatever else came up."""

    fine = Compared()
    for what in LEAST_COMPARED:
        fine.rounds[what] = ENOUGH
    fine.wagers[agree.SAME] = 10 * ENOUGH
    assert apart(fine) == []
    nothing = Compared(untold=Counter({telling.NO_ROW: ENOUGH}))
    assert set(apart(nothing)) <= set(missing("nj-pikit", Tally(compared=nothing)))
    for what in LEAST_COMPARED:
        assert len(apart(Compared(fine.rounds - Counter({what: ENOUGH}), fine.untold, fine.wagers))) == 1
    assert set(MOST_UNTOLD) == set(telling.REASONS)
    for why in telling.REASONS:
        few = Compared(fine.rounds, fine.untold + Counter({why: 1}), fine.wagers)
        many = Compared(fine.rounds, fine.untold + Counter({why: ENOUGH}), fine.wagers)
        assert apart(few) == []
        assert any(why in fault for fault in apart(many))
        assert f"1 {why}" in told(few)
    for what in MOST_OTHERWISE:
        assert apart(Compared(fine.rounds, fine.untold, fine.wagers + Counter({what: 1}))) == []
        assert any(
            what in x
            for x in apart(Compared(fine.rounds, fine.untold, fine.wagers + Counter({what: 20 * ENOUGH})))
        )


WON = Verdict("win", 500, 500, ("12.A",))
HOLDER = (1, "progressive", False, 3)
CHIPS = (1, "ante", False, 0)


@pytest.mark.parametrize(
    ("key", "there", "here", "kind"),
    [
        (CHIPS, WON, WON, agree.SAME),
        (CHIPS, WON, replace(WON, open=True), APART),
        (CHIPS, WON, replace(WON, paid=501), APART),
        (CHIPS, WON, replace(WON, returned=0), APART),
        (CHIPS, WON, replace(WON, word="push"), APART),
        (CHIPS, WON, replace(WON, cite=("12.B",)), APART),
        (CHIPS, WON, replace(WON, reading="R-22"), APART),
        (CHIPS, WON, None, APART),
        (CHIPS, None, WON, APART),
        (CHIPS, agree.CORRECTED, WON, agree.BY_HAND),
        (CHIPS, agree.CORRECTED, None, APART),
        (HOLDER, agree.HANGS, None, WHOLE_HELD),
        (CHIPS, agree.HANGS, None, APART),
        (HOLDER, WON, None, APART),
        (CHIPS, Verdict("held", open=True), Verdict("held", open=True), agree.UNREAD),
        (CHIPS, agree.NOTHING, Verdict("held", open=True), APART),
    ],
)
def test_one_wager_is_the_same_only_where_all_of_it_is(key, there, here, kind):
    """Amount, fate, clause and reading each tell two wagers apart. A bonus without a line hangs on a wager that is held, and a
    correction by hand excuses a line, not the lack of one."""
    setup = example_setup(law := book("md-uth"), {q: (c, "test") for q, c in proposals(law).items()})
    round_ = Round("r", 1, "red", Method.HAND, phase=Phase.SETTLED)
    assert Agreement(setup)._one(round_, key, there, here) == kind


@pytest.mark.parametrize(
    ("live", "named", "facts", "is_told"),
    [
        (True, "r", (), True),
        (True, "", (), False),
        (False, "r", (), False),
        (False, "r", (f.WagerDecided("r", 1, "trips", 500, "USD", "returned", ("13.I",)),), True),
    ],
)
def test_a_row_in_a_void_round_counts_where_it_reaches_a_wager(live, named, facts, is_told):
    round_ = Round("r", 1, "red", Method.HAND, phase=Phase.SHOWDOWN if live else Phase.STOPPED, void=not live)
    setup = example_setup(law := book("md-uth"), {q: (c, "test") for q, c in proposals(law).items()})
    before = structs.replace(State.initial(setup), round=round_)
    made = f.DispositionMade(Trigger.SHOE_JAM, (), named, 0, (), ("13.I",), False, "md-uth", "1.4", "0", "")
    assert agree._took_effect(before, made, [f.Fact("table", x) for x in facts]) is is_told
