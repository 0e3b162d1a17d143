"""`settle` checks amounts and answers in every round: an irregularity under which play goes on excuses none of them.

The kind can occur in every book, since each has an irregularity that leaves the wagers to the cards: a card that was drawn and
not seen, or one that lay face up and was set aside.
"""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.games.model import Decision
from controller.games.registry import GAMES
from controller.games.settling.engine import Settler
from controller.games.settling.round import Irregularity, Round, RoundRefused
from controller.games.settling.settled import Outcome
from controller.rules.elections import elect, proposals
from controller.rules.read.library import available, find
from controller.rules.vocabulary import GUARDS_OF, Settle, Trigger
from controller.table.words.structs import replace
from tests.controller.games.test_hands_not_whole import seat, settle
from tests.support.dealt import METERS, Dealer

DRAWN, FACE_UP = {"trigger": "card_drawn_unexposed"}, {"trigger": "card_face_up"}
NUTS = {"community": "Qh Jh Th 2h 3d", "dealer": "2d 2c", "irregularity": DRAWN}
FIRST = {"ante": 1000, "blind": 1000}
PIKIT = {"ante": 1000, "five_card_bonus": 1000}
FLAT = {"dealer": "As Ks 2c 3d", "community": "4c 5c 8d 9h Jd", "irregularity": FACE_UP}
POOR = {"dealer": "As Ks 2c 3d 5d", "irregularity": DRAWN}
NINES = {"community": "4c 5c 8d", "irregularity": FACE_UP}

REFUSED: list[tuple[str, dict[str, Any], tuple[int, str, str]]] = [
    ("md-uth", {**NUTS, "seats": [seat("Ah Kh", "play", FIRST | {"play": 7000})]}, (1, "play", "11.B(1)")),
    ("md-uth", {**NUTS, "seats": [seat("Ah Kh", "check play", FIRST | {"play": 3000})]}, (1, "play", "11.D(1)")),
    ("md-uth", {**NUTS, "seats": [seat("Ah Kh", "", FIRST)]}, (1, "", "11.B")),
    ("md-uth", {**NUTS, "seats": [seat("Ah Kh", "check check", FIRST)]}, (1, "", "11.F")),
    ("md-uth", {**NUTS, "seats": [seat("Ah Kh", "check check fold", FIRST | {"play": 4000})]}, (1, "play", "11.F(1)")),
    ("ma-uth", {**NUTS, "seats": [seat("Ah Kh", "play", FIRST | {"play": 7000})]}, (1, "play", "10(a)")),
    ("ma-uth", {**NUTS, "seats": [seat("Ah Kh", "", FIRST)]}, (1, "", "10(a)")),
    ("ma-uth", {**NUTS, "seats": [seat("Ah Kh", "check check fold", FIRST | {"play": 1000})]}, (1, "play", "10(e)")),
    ("fast-action", {**FLAT, "seats": [seat("Ah Ad 9c 8c", "split", {"original": 1000, "second_hand": 900000}, played="Ah Ad")]},
     (1, "second_hand", "(h)(3)")),
    ("fast-action", {**FLAT, "seats": [seat("Ah Ad Ac Ac", "natural", {"original": 1000, "second_hand": 1000})]},
     (1, "second_hand", "(h)(3)")),
    ("fast-action", {**FLAT, "seats": [seat("Ah Ad 9c 8c", "", {"original": 1000}, played="Ah Ad")]}, (1, "", "(h)(3)")),
    ("ma-colorado", {**NINES, "seats": [seat("9h 9d 9c", "declare", {"ante": 1000, "bet": 1000})]}, (1, "bet", "10(b)(3)(i)")),
    ("ma-colorado", {**NINES, "seats": [seat("9h 9d 8c", "bet", {"ante": 1000, "bet": 5000}, played="9h 9d")]},
     (1, "bet", "10(b)(1)")),
    ("ma-colorado", {**NINES, "seats": [seat("9h 9d 8c", "declare", {"ante": 1000})]}, (1, "", "14(d)")),
    ("ma-colorado", {**NINES, "seats": [seat("9h 9d 8c", "", {"ante": 1000})]}, (1, "", "10(b)")),
    ("nj-pikit", {**POOR, "seats": [seat("9h 9d 4c 6c 7c", "fold", PIKIT | {"play_5": 1000})]}, (1, "play_5", "39.3(b)")),
    ("nj-pikit", {**POOR, "seats": [seat("9h 9d 4c 6c 7c", "play_5", PIKIT | {"play_5": 9000})]}, (1, "play_5", "39.3(b)")),
    ("nj-pikit", {**POOR, "seats": [seat("9h 9d 4c 6c 7c", "", PIKIT)]}, (1, "", "39.10(c)")),
]  # fmt: skip


@pytest.mark.parametrize("happened", [True, False], ids=["irregularity", "whole"])
@pytest.mark.parametrize(("name", "round_", "where"), REFUSED)
def test_an_amount_or_answer_that_cannot_be_is_refused(name, round_, where, happened):
    """Seat, wager and clause are named, whether or not something happened under which play goes on."""
    given_ = round_ if happened else {key: value for key, value in round_.items() if key != "irregularity"}
    with pytest.raises(RoundRefused) as refused:
        settle(name, given_)
    assert (refused.value.seat, refused.value.wager) == where[:2]
    assert where[2] in refused.value.cite


@pytest.mark.parametrize(
    ("play", "error"), [(3000, False), (4000, False), (2000, False), (1000, False), (7000, True)]
)
def test_a_void_hand_need_not_have_answered_but_its_wager_is_one_that_can_be(play, error):
    """Clause: md-uth 11.B(1), 11.D(1), 11.F(1): one to four times the ante, whatever made the hand void."""
    void = {"trigger": "card_face_up", "state": ["several"]}
    given_ = {"seats": [seat("Ah Kh", "", FIRST | {"play": play})], "irregularity": void}
    if error:
        with pytest.raises(RoundRefused, match="must be 3 or 4 or 2 or 1 times the ante of 1000"):
            settle("md-uth", given_)
    else:
        assert {line.outcome for line in settle("md-uth", given_).lines} == {Outcome.VOID}


BOOKS = {name: find(name) for name in available()}
SETTLERS = {
    name: Settler(elect(book, {q: (choice, "test") for q, choice in proposals(book).items()}))
    for name, book in BOOKS.items()
}
DECISIONS = {
    name: [a.decision for s in GAMES[book.plays].stages for a in s.answers] for name, book in BOOKS.items()
}


@st.composite
def odd_rounds(draw: st.DrawFn, name: str) -> Round:
    """A round as it could be, then with something that happened, an amount or the answers of one seat changed."""
    settler, rng = SETTLERS[name], Random(draw(st.integers(0, 10_000)))
    round_ = Dealer(settler.law, rng).round(rng.randint(1, 4))
    hands, at = list(round_.hands), draw(st.integers(0, len(round_.hands) - 1))
    hand = hands[at]
    if draw(st.booleans()):
        hand = replace(hand, decisions=tuple(draw(st.lists(st.sampled_from(DECISIONS[name]), max_size=3))))
    if draw(st.booleans()):
        wager = draw(st.sampled_from(sorted(BOOKS[name].wagers)))
        hand = replace(hand, wagers={**hand.wagers, wager: draw(st.sampled_from((0, 100, 500, 1000, 2000, 9000)))})
    hands[at] = hand
    happened = None
    if draw(st.booleans()):
        trigger = draw(st.sampled_from(list(Trigger)))
        guards = draw(st.sets(st.sampled_from(GUARDS_OF[trigger]))) if GUARDS_OF[trigger] else set()
        happened = Irregularity(trigger, tuple(guards), draw(st.sampled_from((0, hand.seat))))
    meters = METERS if "progressive" in BOOKS[name].wagers else {}
    return replace(round_, hands=tuple(hands), irregularity=happened, meters=meters)


@pytest.mark.parametrize("name", BOOKS)
def test_each_wager_has_one_line_whatever_happened(name):
    """Stakes in are stakes out: a round is refused, or each wager stands in one line with its stake, and totals are sums."""
    settled = 0

    @settings(deadline=None)
    @given(odd_rounds(name))
    def holds(round_: Round) -> None:
        nonlocal settled
        try:
            found = SETTLERS[name].settle(round_)
        except RoundRefused:
            return
        settled += 1
        placed = sorted((h.seat, w, cents) for h in round_.hands for w, cents in h.wagers.items() if cents)
        lines = [x for x in found.lines if x.outcome is not Outcome.NOT_PLACED and not x.holder]
        assert sorted((x.seat, x.wager, x.stake) for x in lines) == placed
        assert {x.seat: x.stake for x in found.seats} == {h.seat: sum(h.wagers.values()) for h in round_.hands}
        for line in lines:
            assert 0 <= line.returned <= line.stake
            assert line.outcome is Outcome.WIN or line.paid == 0
        for hand in round_.hands:
            unanswered = not hand.decisions or hand.decisions[-1] is Decision.CHECK
            won = [
                x
                for x in lines
                if x.seat == hand.seat and x.outcome is Outcome.WIN and x.wager in ("blind", "original")
            ]
            assert not (unanswered and won)

    holds()
    assert settled > 10


LEFT = {"trigger": "player_left", "seat": 1}


def test_a_hand_of_which_all_is_decided_but_what_its_answer_settled_need_not_answer_again():
    """Its player showed the cards of the bonus and left: the bonus is settled on them, the rest by the reading.

    The others answer. Clause: nj-pikit 39.10(b). Readings: R-53.
    """
    mine = seat("Ad Ah Ac 2h 4s", "show", PIKIT | {"three_card_bonus": 500}, shown="Ad Ah Ac")
    lines = settle("nj-pikit", {"seats": [mine], "irregularity": LEFT}, **{"R-53": "abandoned"}).lines
    found = {line.wager: (line.outcome, line.reading) for line in lines}
    assert found == {
        "ante": (Outcome.LOSE, "R-53"), "five_card_bonus": (Outcome.LOSE, "R-53"), "three_card_bonus": (Outcome.WIN, None),
    }  # fmt: skip
    other = {**seat("9h 9d 4c 6c 7c", "", PIKIT), "seat": 2}
    for seats in ([mine, other], [other]):
        with pytest.raises(RoundRefused, match="seat 2: has not answered in decision"):
            settle(
                "nj-pikit",
                {"seats": seats, "irregularity": LEFT if len(seats) > 1 else DRAWN},
                **{"R-53": "abandoned"},
            )


@pytest.mark.parametrize("name", ["ma-uth", "md-uth"])
def test_a_trips_that_is_settled_all_the_same_waits_for_no_answer(name):
    """The rest is held by a reading, and the hands are not void by it. Clause: ma-uth 15(b), md-uth 13.C. Readings: R-14."""
    found = {"trigger": "card_face_up", "state": ["several", "initial_deal_done"]}
    mine = seat("Ah Kh", "", FIRST | {"trips": 500})
    round_ = {"seats": [mine], "community": "Qh Jh Th 2h 3d", "irregularity": found}
    lines = settle(name, round_, **{"R-14": "hold"}).lines
    assert {x.wager: x.outcome for x in lines} == {
        "ante": Outcome.HELD, "blind": Outcome.HELD, "trips": Outcome.WIN,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["nj-pikit", "ma-colorado"])
def test_a_fold_is_settled_by_the_clauses_by_which_it_is_collected(name):
    """The table collects it by the one, `settle` says it by the other. The two Ultimates have one place for both, and Fast Action
    has no fold."""
    book = find(name)
    assert book.play.fold_collects is not None
    assert book.play.fold_collects.cite == book.settlement[Settle.FOLDED].cite
