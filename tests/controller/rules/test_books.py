"""The numbers and roles of the two documents on Ultimate Texas Hold 'Em, as printed, and where they differ."""

import re
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import pytest

from controller.rules.model import Rulebook
from controller.rules.read.library import available, find
from controller.rules.vocabulary import Action, Area, Method, Moment, Role, ShuffleAt, Step


def test_a_set_is_one_deck_of_52_and_two_sets_take_turns_each_round(ma: Rulebook, md: Rulebook) -> None:
    """Clauses: ma-uth 2, 7(f)(1); md-uth 3.A-B, 8.F. Both documents agree."""
    for book in (ma, md):
        assert (book.decks.per_set.value, book.decks.full.value, book.decks.cover_cards.value) == (1, 52, 2)
        assert (book.decks.second_set.value, book.decks.swap_after.value) == ("with_shuffler", "round")
        assert book.decks.sets_in_rack.value == 1
        assert (book.hand.player.value, book.hand.dealer.value, book.hand.community.value) == (2, 2, 5)
        assert book.seats.value == 6
    assert ma.decks.swap_after.cite == ("2(b)(4)",)
    assert md.decks.swap_after.cite == ("3.B(4)",)
    assert (ma.seats.reading, md.seats.reading) == ("R-49", None)


def test_only_maryland_waives_the_stub_count(ma: Rulebook, md: Rulebook) -> None:
    """Both count at least every five rounds; a counting shuffler relieves the dealer in md-uth alone."""
    assert ma.stub.every_rounds.value == md.stub.every_rounds.value == 5
    assert ma.stub.every_rounds.cite == ("7(f)", "8(e)", "9(e)")
    assert md.stub.every_rounds.cite == ("8.E", "9.C", "10.C")
    assert (ma.stub.waived_by.value, ma.stub.waived_by.reading) == ("none", "R-05")
    assert (md.stub.waived_by.value, md.stub.waived_by.reading) == ("shuffler_counts_each_shuffle", "R-34")


def test_only_maryland_limits_how_long_a_deck_stays(ma: Rulebook, md: Rulebook) -> None:
    """Four hours by hand, eight from a shoe, and the shorter one for packets, which the text does not name."""
    assert ma.deck_change.interval_s == {}
    hours = {method: rule.value / 3600 for method, rule in md.deck_change.interval_s.items()}
    assert hours == {Method.HAND: 4, Method.MANUAL_SHOE: 8, Method.DEALING_SHOE: 8, Method.SHUFFLER: 4}
    assert md.deck_change.interval_s[Method.SHUFFLER].reading == "R-06"
    assert md.deck_change.interval_s[Method.HAND].cite == ("3.C(1)",)


def test_massachusetts_deals_the_community_cards_by_hand_and_burns(ma: Rulebook) -> None:
    """Clauses 9(c), 9(d), 10(b), 10(d): packets of two, players first, then the dealer; two burns whatever the method."""
    assert set(ma.dealing) == set(Method)
    for method in (Method.DEALING_SHOE, Method.SHUFFLER):
        stacks = [(stack.to, stack.cards) for stack in ma.dealing[method].stacks]
        assert stacks == [(Area.PLAYER, 2), (Area.DEALER, 2)]
    assert all(dealing.community_after and dealing.burns.value == 2 for dealing in ma.dealing.values())


def test_maryland_deals_community_first_and_burns_only_by_hand(md: Rulebook) -> None:
    """Clauses 10.B, 11.C(1), 11.E(1): box, community, dealer, players; the box only where its wager is offered."""
    assert set(md.dealing) == set(Method)
    for method in (Method.DEALING_SHOE, Method.SHUFFLER):
        dealing = md.dealing[method]
        assert [(s.to, s.cards, s.only_if) for s in dealing.stacks] == [
            (Area.SIX_CARD_BOX, 4, "six_card"),
            (Area.COMMUNITY, 5, None),
            (Area.DEALER, 2, None),
            (Area.PLAYER, 2, None),
        ]
        assert not dealing.community_after
    assert {m: d.burns.value for m, d in md.dealing.items()} == {
        Method.HAND: 2, Method.MANUAL_SHOE: 0, Method.DEALING_SHOE: 0, Method.SHUFFLER: 0,
    }  # fmt: skip


def test_dealing_from_the_hand_needs_a_shuffler_and_one_card_at_a_time(ma: Rulebook, md: Rulebook) -> None:
    """Clauses ma-uth 8(b)(1), 8(c); md-uth 9.A(1), 9.B(2)."""
    for book in (ma, md):
        for method in Method:
            needs = book.dealing[method].needs_shuffler
            assert (needs is not None and needs.value) == (method is Method.HAND)
        stacks = [(stack.to, stack.cards) for stack in book.dealing[Method.HAND].stacks]
        box = [(Area.SIX_CARD_BOX, 4)] if book is md else []  # withheld, unless R-151 has it dealt first
        assert stacks == box + [(Area.PLAYER, 1), (Area.DEALER, 1)] * 2


def test_the_progressive_costs_five_dollars_and_trips_in_massachusetts(ma: Rulebook, md: Rulebook) -> None:
    """Clauses ma-uth 14(a)-(b); md-uth 7.F(3)(a): Maryland names no amount and asks for Ante and Blind only."""
    ma_rule, md_rule = ma.wagers["progressive"], md.wagers["progressive"]
    assert ma_rule.exact_cents is not None
    assert (ma_rule.exact_cents.value, ma_rule.exact_cents.cite) == (500, ("14(a)",))
    assert md_rule.exact_cents is None
    assert ma_rule.requires.value == ("ante", "blind", "trips")
    assert md_rule.requires.value == ("ante", "blind")
    assert ma_rule.sensed
    assert md_rule.sensed


def test_wagers_of_each_document(ma: Rulebook, md: Rulebook) -> None:
    """What may be placed, what must be, and when; only progressive chips lie on sensors."""
    common = {"ante", "blind", "play", "trips", "progressive"}
    assert set(ma.wagers) == common | {"cover_all"}
    assert set(md.wagers) == common | {"six_card", "ultimate_pairs", "bad_beat", "play_the_board"}
    for book in (ma, md):
        assert {w.name for w in book.wagers.values() if not w.optional} == {"ante", "blind"}
        assert {w.name for w in book.wagers.values() if w.placed == "decision"} == {"play"}
        assert {w.name for w in book.wagers.values() if w.sensed} == {"progressive"}
    assert md.wagers["six_card"].requires.value == ("ante", "blind", "trips")


def test_a_play_wager_is_an_exact_multiple_of_the_ante(ma: Rulebook, md: Rulebook) -> None:
    """Clauses ma-uth 1, 10(a), 10(c), 10(e); md-uth 7.F(1), 11.B(1), 11.D(1), 11.F."""
    for book in (ma, md):
        play, blind = book.wagers["play"], book.wagers["blind"]
        assert (play.of, blind.of) == ("ante", "ante")
        moments = (Moment.PRE_FLOP, Moment.FLOP, Moment.LAST_TWO, Moment.BEFORE_DEAL)
        assert [play.multiples(moment) for moment in moments] == [(3, 4), (2,), (1,), ()]
        assert blind.multiples(Moment.BEFORE_DEAL) == (1,)
        assert play.or_fold is not None
        assert play.or_fold.value
    assert ma.wagers["play"].times[0][1].cite == ("10(a)",)


def test_cover_all_needs_a_mode_of_the_shuffler(ma: Rulebook, md: Rulebook) -> None:
    """Clauses ma-uth 13(d), 13(e): the only wager of these documents that asks something of a device."""
    mode = ma.wagers["cover_all"].device_mode
    assert mode is not None
    assert (mode.value, mode.cite) == ("cover_all", ("13(d)", "13(e)"))
    assert [w.name for book in (ma, md) for w in book.wagers.values() if w.device_mode] == ["cover_all"]


def test_opening_shuffling_cutting_and_idle_tables(ma: Rulebook, md: Rulebook) -> None:
    """Clauses ma-uth 3, 4; md-uth 4, 5: preshuffled cards are cut in md-uth alone, idle cards lie face down there."""
    for book in (ma, md):
        opening = [step.step for step in book.opening.steps]
        assert opening[:2] == [Step.INSPECT, Step.VERIFY_INSPECTION]
        assert opening[-3:] == [Step.WASH, Step.STACK, Step.SHUFFLE]
        assert book.opening.steps[1].by is Role.FLOORPERSON
        assert book.opening.each_set_apart.value
        assert (book.cut.by.value, book.cut.least_cards.value) == ("dealer", 10)
        assert book.discards.reconstructable is not None
        assert book.positions.value == 1
    assert ma.idle.steps[0].step is Step.SPREAD
    assert md.idle.steps[0].step is Step.SPREAD_FACE_DOWN
    assert set(ma.shuffle.at) == {ShuffleAt.BEFORE_PLAY, ShuffleAt.AFTER_ROUND}
    assert set(md.shuffle.at) == {ShuffleAt.BEFORE_PLAY, ShuffleAt.AFTER_ROUND, ShuffleAt.ON_DIRECTION}
    assert {rule.reading for rule in md.shuffle.at.values()} == {"R-23"}
    assert (ma.cut.after.value, md.cut.after.value) == (("manual",), ("manual", "preshuffled"))


def test_lock_and_count_of_the_progressive_are_law_in_maryland_and_a_reading_in_massachusetts(
    ma: Rulebook, md: Rulebook
) -> None:
    """Clauses md-uth 2.C(2), 10.A(2)(b)(i)-(ii); ma-uth 14 knows neither lock nor count."""
    assert ma.progressive is not None
    assert md.progressive is not None
    for book in (ma, md):
        assert book.progressive is not None
        assert (book.progressive.lock_at.value, book.progressive.verify_count.value) == ("no_more_bets", True)
    assert (ma.progressive.lock_at.reading, ma.progressive.verify_count.reading) == ("R-43", "R-44")
    assert (md.progressive.lock_at.reading, md.progressive.verify_count.reading) == (None, None)


def test_a_recut_belongs_to_a_supervisor_or_to_a_floorperson(ma: Rulebook, md: Rulebook) -> None:
    """Clauses ma-uth 4(d); md-uth 5.G. Shuffling on direction exists in md-uth 5.A(3) alone."""
    assert (ma.act_roles["recut"].value, ma.act_roles["recut"].cite) == (Role.SUPERVISOR, ("4(d)",))
    assert (md.act_roles["recut"].value, md.act_roles["recut"].cite) == (Role.FLOORPERSON, ("5.G",))
    assert "direct_shuffle" not in ma.act_roles
    assert md.act_roles["direct_shuffle"].value is Role.FLOORPERSON


def test_holds_are_lifted_by_a_floorperson(ma: Rulebook, md: Rulebook) -> None:
    """No hold is the dealer's to lift, whatever it holds."""
    for book in (ma, md):
        holds = {action: role for action, role in book.duty_roles.items() if action.startswith("hold")}
        assert holds.keys() >= {Action.HOLD_ROUND, Action.HOLD_ALL_WAGERS, Action.HOLD_LATE_WAGER}
        assert {role.value for role in holds.values()} == {Role.FLOORPERSON}
        assert book.act_roles["resolve_hold"].value is Role.FLOORPERSON


def test_the_same_reading_asks_the_same_question_in_every_document() -> None:
    """Ids are unique across rulebooks: where two have one, its cautious and its proposed choice and its weight are the same."""
    books = [find(name) for name in available()]
    shared = 0
    for one, other in combinations(books, 2):
        for reading in one.readings.keys() & other.readings.keys():
            first, second = one.readings[reading], other.readings[reading]
            shared_by_both = ("cautious", "proposed", "moves")
            for key in shared_by_both:
                assert getattr(first, key) == getattr(second, key), (reading, key)
            shared += 1
    assert shared > 50


def _meets(clause: str, others: Iterable[str]) -> bool:
    """True where the clause, one that it stands in or one that stands in it is among the others."""
    return any(f"{clause}(".startswith((f"{o}(", f"{o}.")) or f"{o}(".startswith(f"{clause}(") for o in others)


@pytest.mark.parametrize("book", available())
def test_who_carries_a_demand_out_is_cited_with_each_clause_that_makes_it(book: str) -> None:
    """A role cites the clause that names the person, and those that demand the same and name nobody."""
    law = find(book)
    rows = [row for rows in law.rows.values() for row in rows]
    made = {(demand.word, clause) for row in rows for demand in row.do for clause in demand.cite}
    roles = law.duty_roles
    assert [(a, c) for a, c in sorted(made) if a in roles and not _meets(c, roles[a].cite)] == []


@pytest.mark.parametrize("book", available())
def test_a_reading_names_a_clause_of_each_row_that_it_answers_and_each_role_that_rests_on_it(book: str) -> None:
    """Who elects is sent to the place in the text where the question is. A silent row looked elsewhere, and found nothing."""
    law = find(book)
    rows = [row for rows in law.rows.values() for row in rows if not row.silent]
    asked = {(step.reading, row.cite) for row in rows for step in row.by_reading}
    asked |= {(role.reading, role.cite) for role in law.duty_roles.values() if role.reading}
    named = {reading.id: reading.clauses for reading in law.readings.values()}
    assert [(r, c) for r, c in sorted(asked) if not any(_meets(clause, named[r]) for clause in c)] == []


@pytest.mark.parametrize("book", available())
def test_the_question_of_what_was_collected_at_a_fold_names_each_void_that_may_follow(book: str) -> None:
    """R-71, in the games in which a fold gives wagers up."""
    law = find(book)
    if law.play.collected_in_void is None:
        return
    voids = (Action.VOID_ROUND, Action.VOID_ALL_HANDS, Action.RETURN_ALL_WAGERS)
    rows = [row for rows in law.rows.values() for row in rows]
    cited = {clause for row in rows for demand in row.do if demand.action in voids for clause in demand.cite}
    named = law.readings[law.play.collected_in_void.by_choice or ""].clauses
    assert sorted(clause for clause in cited if not _meets(clause, named)) == []


def test_the_page_on_rulebooks_has_each_reading_and_the_documents_that_it_stands_in() -> None:
    """docs/rulebooks.md, where whoever elects looks an id up."""
    page = (Path(__file__).parents[3] / "docs" / "rulebooks.md").read_text()
    rows = re.findall(r"^\| (R-\d[^|]*?) \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)
    written: list[tuple[str, list[str]]] = []
    for ids, documents in rows:
        each = ids.split(", ")
        for reading, where in zip(
            each, documents.split("; ") if ";" in documents else [documents] * len(each), strict=True
        ):
            named = where.removesuffix(", which has a rule").removeprefix("all").removeprefix(" but ")
            books = {book for book in named.split(", ") if book}
            written.append((reading, sorted(set(available()) - books if where.startswith("all") else books)))
    stands = {book: find(book).readings for book in available()}
    known = {reading for readings in stands.values() for reading in readings}
    assert sorted(written) == sorted(
        (reading, [b for b in sorted(stands) if reading in stands[b]]) for reading in known
    )
