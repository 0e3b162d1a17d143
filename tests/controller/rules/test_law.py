"""The choice of a row, and what the licensee's elections make of it, under every state and every election."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.rules.elections import cautious, elect
from controller.rules.model import AmbiguousLaw, Demand, Law, Rulebook, governing
from controller.rules.named_wagers import placed
from controller.rules.read.library import available, find
from controller.rules.vocabulary import GUARDS_OF, Action, Guard, Method, Trigger

BOOKS = {name: find(name) for name in available()}
guards = st.frozensets(st.sampled_from([*Guard, placed("trips")]))
triggers = st.sampled_from(sorted(GUARDS_OF))
books = st.sampled_from(sorted(BOOKS))
unhurried = settings(deadline=None)  # a busy machine is no failure of the law


@st.composite
def laws(draw: st.DrawFn) -> Law:
    """A rulebook with some choice elected for every reading."""
    book = BOOKS[draw(books)]
    chosen = {r.id: (draw(st.sampled_from([c.id for c in r.choices])), "x") for r in book.readings.values()}
    return elect(book, chosen)


@unhurried
@given(book=books, trigger=triggers, state=guards)
def test_every_state_of_the_table_has_exactly_one_row(
    book: str, trigger: Trigger, state: frozenset[Guard]
) -> None:
    """Guards that do not belong to the trigger change nothing; of the others no combination is ambiguous or open."""
    row = BOOKS[book].row(trigger, state)
    assert row.trigger is trigger
    assert row is BOOKS[book].row(trigger, state & frozenset(GUARDS_OF[trigger]))


def test_a_value_is_decided_where_it_is_printed_or_elected() -> None:
    """Before anybody elects, the value is that of the first choice, which nobody has decided."""
    book = BOOKS["fast-action"]
    by_choice, printed = book.play.surrender_cent, book.play.surrender
    assert by_choice is not None
    assert printed is not None
    nobody, house = elect(book, {}), elect(book, {"R-81": ("house", "x")})
    assert (nobody.decided(by_choice), nobody.decided(printed)) == (None, "1/2")
    assert house.rulebook.play.surrender_cent is not None
    assert house.decided(house.rulebook.play.surrender_cent) == "house"


@unhurried
@given(law=laws(), trigger=triggers, state=guards)
def test_whatever_is_elected_something_is_demanded_and_each_demand_says_why(
    law: Law, trigger: Trigger, state: frozenset[Guard]
) -> None:
    """No election leaves an irregularity without an answer; a demand stands on clauses or on a reading, never on both."""
    row, demands = law.demands(trigger, state)
    assert demands
    if row.absent:
        assert {d.action for d in demands} == {Action.HOLD_ROUND, Action.CALL_FLOORPERSON}
        return
    assert all(bool(d.cite) is not bool(d.reading) for d in demands)
    assert all(d.reading for d in demands) or not row.silent
    assert len({d.word for d in demands}) == len(demands)


@unhurried
@given(law=laws(), trigger=triggers, state=guards)
def test_no_election_demands_what_contradicts_itself(law: Law, trigger: Trigger, state: frozenset[Guard]) -> None:
    """Wagers are not both returned and held, a void round is not played on, Trips that is settled is not returned."""
    demands = law.demands(trigger, state)[1]
    actions = {d.action for d in demands}
    returned = {
        Action.RETURN_ALL_WAGERS,
        Action.RETURN_OTHERS,
        Action.RETURN_SEAT_WAGERS,
        Action.RETURN_LATE_WAGER,
    }
    held = {Action.HOLD_ALL_WAGERS, Action.HOLD_OTHERS, Action.HOLD_SEAT_WAGERS, Action.HOLD_LATE_WAGER}
    assert not (actions & returned and actions & held)
    if actions & {Action.VOID_ROUND, Action.VOID_ALL_HANDS, Action.HOLD_ROUND}:
        assert Action.PLAY_ON not in actions
    if Action.SETTLE in actions:
        assert Action.DEAL_COMMUNITY in actions
    of_trips = {d.action for d in demands if d.wager == "trips"}
    assert not of_trips or not actions & {Action.RETURN_ALL_WAGERS, Action.HOLD_ALL_WAGERS}
    assert len(of_trips) <= 1
    if actions & held or actions & {Action.HOLD_ROUND, Action.HOLD}:
        assert Action.CALL_FLOORPERSON in actions


@unhurried
@given(law=laws(), trigger=triggers, state=guards, method=st.sampled_from(Method))
def test_citations_of_one_dealing_method_are_part_of_all(
    law: Law, trigger: Trigger, state: frozenset[Guard], method: Method
) -> None:
    """Naming the method narrows what is cited; it adds nothing, empties nothing, and changes no action."""
    row, demands = law.demands(trigger, state)
    own_row, own = law.demands(trigger, state, method)
    assert [d.action for d in own] == [d.action for d in demands]
    for narrow, wide in [(own_row.cite, row.cite), *((o.cite, d.cite) for o, d in zip(own, demands, strict=True))]:
        assert set(narrow) <= set(wide)
        assert bool(narrow) is bool(wide)


@pytest.mark.parametrize(
    ("book", "method", "cite"),
    [
        ("md-uth", Method.MANUAL_SHOE, ("8.G(2)",)),
        ("md-uth", Method.HAND, ("9.E(2)",)),
        ("md-uth", Method.DEALING_SHOE, ("10.E(2)",)),
        ("md-uth", Method.SHUFFLER, ("10.E(2)",)),
        ("ma-uth", Method.DEALING_SHOE, ("7(f)(2)",)),
    ],
)
def test_a_wrong_stub_cites_the_chapter_of_the_dealing_method(
    book: str, method: Method, cite: tuple[str, ...]
) -> None:
    """md-uth repeats the rule in each method's chapter; ma-uth points all of them at 7(f)."""
    row, demands = cautious(BOOKS[book], "test").demands(Trigger.STUB_WRONG, frozenset(), method)
    assert row.cite == cite
    assert demands[0] == Demand(Action.VOID_ALL_HANDS, cite)


def test_a_reading_that_nobody_elected_demands_nothing_and_is_listed(ma: Rulebook) -> None:
    """Without an election the clause alone speaks, and the table may not open."""
    law = elect(ma, {})
    _, demands = law.demands(Trigger.SHOE_JAM, frozenset({Guard.ROUND_LIVE}))
    assert Action.RETURN_ALL_WAGERS not in {d.action for d in demands}
    asked = {r.id for r in ma.readings.values() if r.closes} | set(ma.choices)
    assert {q.id for q in law.unelected()} == asked
    assert asked - {q.id for q in law.unelected(())} == {
        q.id for q in ma.questions.values() if q.wager and q.id in asked
    }
    assert cautious(ma, "test").unelected() == ()


def test_what_two_readings_ask_for_is_demanded_once_and_cites_the_first(ma: Rulebook) -> None:
    """A floorperson is called once, whether one open question or two need one."""
    chosen = {r.id: (r.proposed, "x") for r in ma.readings.values()} | {
        "R-22": ("hold", "x"),
        "R-25": ("hold", "x"),
    }
    _, demands = elect(ma, chosen).demands(Trigger.WRONG_COUNT_DEALER, frozenset())
    assert [d.reading for d in demands if d.action is Action.CALL_FLOORPERSON] == ["R-22"]


def test_a_rulebook_with_a_hole_says_so_at_the_table_rather_than_guess(md: Rulebook) -> None:
    """Should a hole ever pass the loader, the choice of a row fails by name instead of taking a neighbour."""
    rows = {**md.rows, Trigger.STUB_WRONG: md.rows[Trigger.STUB_WRONG][:1]}
    with pytest.raises(
        AmbiguousLaw, match=r"md-uth: stub_wrong .* answered by nothing; exactly one row must govern"
    ):
        replace(md, rows=rows).row(Trigger.STUB_WRONG, frozenset())


def test_an_exception_takes_the_place_of_its_base_rule(md: Rulebook) -> None:
    """With Trips on the layout both 13.F and 13.G are live, and the one that says notwithstanding governs."""
    rows = md.rows[Trigger.DEALER_CARD_EXPOSED]
    state = frozenset({placed("trips")})
    assert [row.cite for row in rows if row.live(state)] == [("13.F",), ("13.G",)]
    assert [row.cite for row in governing(rows, state)] == [("13.G",)]
