"""What must hold of every settlement, tried on random rounds of each game under elections drawn at random."""

import random

import pytest

from controller.cards.cards import parse
from controller.games.model import Decision
from controller.games.settling.engine import Settler, settler_of
from controller.games.settling.round import UNREADABLE, Hand, Round
from controller.games.settling.settled import Line, Outcome, difference
from controller.rules.elections import cautious, elect, proposals
from controller.rules.model import Law, Rulebook
from controller.rules.read.library import available, find
from controller.rules.vocabulary import Settle
from controller.table.words.structs import replace
from tests.support.dealt import METERS, Dealer, unread

BOOKS = {name: find(name) for name in available()}
LAWS, ROUNDS = 4, 40
"""Elections tried for each document, and rounds under each."""


def _law(book: Rulebook, rng: random.Random) -> Law:
    """Elections drawn at random; what an option needs is elected with it, and no limit whose amount only a house knows."""
    chosen = {q.id: rng.choice(q.choices) for q in book.questions.values()}
    elected = {id_: choice.id for id_, choice in chosen.items()}
    for choice in chosen.values():
        elected |= dict(choice.needs)
    if elected.get("payout_limit") == "higher":
        elected["payout_limit"] = "least"
    return elect(book, {id_: (choice, "test") for id_, choice in elected.items()})


def _rounds(name: str) -> list[tuple[Settler, Round, random.Random]]:
    found = []
    for seed in range(LAWS):
        rng = random.Random(f"{name} {seed}")
        law = _law(BOOKS[name], rng)
        dealer, settler = Dealer(law, rng), Settler(law)
        found += [(settler, dealer.round(rng.randint(1, 6)), rng) for _ in range(ROUNDS)]
    return found


@pytest.mark.parametrize("name", BOOKS)
def test_each_wager_has_one_line_and_the_lines_add_up(name: str) -> None:
    """Nothing is lost and nothing is made: what goes back of a wager is at most the wager, and totals are sums."""
    for settler, round_, _ in _rounds(name):
        settled = settler.settle(round_)
        placed = sorted(
            (hand.seat, wager) for hand in round_.hands for wager, cents in hand.wagers.items() if cents
        )
        of_wagers = [line for line in settled.lines if line.outcome is not Outcome.NOT_PLACED and not line.holder]
        assert sorted((line.seat, line.wager) for line in of_wagers) == placed
        for line in settled.lines:
            _sound(line)
        for total in settled.seats:
            mine = [line for line in settled.lines if line.seat == total.seat]
            cut = sum(cut.cut for cut in settled.cuts if cut.seat == total.seat and not cut.held)
            assert total.back == sum(line.returned + line.paid for line in mine) - cut
            assert total.held == sum(line.stake for line in mine if line.outcome is Outcome.HELD)


def _sound(line: Line) -> None:
    """A line is by clauses or by a reading, and its amounts are those of its outcome."""
    assert line.cite or line.reading or line.outcome is Outcome.HELD
    assert 0 <= line.returned <= line.stake
    assert line.paid >= 0
    match line.outcome:
        case Outcome.WIN:
            assert line.paid > 0
            assert line.pays
        case Outcome.PUSH | Outcome.RETURN:
            assert (line.returned, line.paid) == (line.stake, 0)
        case Outcome.HELD:
            assert (line.returned, line.paid) == (0, 0)
            assert line.note
        case Outcome.LOSE:
            assert line.paid == 0


@pytest.mark.parametrize("name", BOOKS)
def test_the_order_in_which_seats_are_told_changes_nothing(name: str) -> None:
    """The text's order of settlement decides, not that of the input."""
    for settler, round_, _ in _rounds(name):
        turned = replace(round_, hands=tuple(reversed(round_.hands)))
        assert settler.settle(turned).lines == settler.settle(round_).lines


@pytest.mark.parametrize("name", BOOKS)
def test_lines_stand_in_the_order_in_which_the_document_settles(name: str) -> None:
    """From the side that it names, player by player where it says so, each player's wagers step by step."""
    for settler, round_, _ in _rounds(name):
        book = settler.law.rulebook
        side, order = book.settlement.get(Settle.FROM), book.settlement.get(Settle.ORDER)
        if side is None or order is None or order.value != "by_player":
            continue
        at_once = {hand.seat for hand in round_.hands if hand.decisions[-1] in (Decision.FOLD, Decision.DECLARE)}
        steps = {
            wager: (step.after_all, place) for place, step in enumerate(book.settling) for wager in step.wagers
        }
        turns = [
            (steps[line.wager][0], -line.seat if side.value == "right" else line.seat, steps[line.wager][1])
            for line in settler.settle(round_).lines
            if line.wager in steps and (line.seat not in at_once or steps[line.wager][0])
        ]
        assert turns == sorted(turns)


@pytest.mark.parametrize("name", BOOKS)
def test_a_card_that_was_not_read_is_never_guessed(name: str) -> None:
    """Each line is what it would be with the card, or it is held; some line is held where the card counts."""
    held = 0
    for settler, round_, rng in _rounds(name):
        known = {_key(line): line for line in settler.settle(round_).lines}
        for line in settler.settle(unread(round_, rng)).lines:
            held += line.outcome is Outcome.HELD
            if line.outcome is not Outcome.HELD:
                assert replace(line, note="") == replace(known[_key(line)], note="")
    assert held


def _key(line: Line) -> tuple[int, str, int]:
    return line.seat, line.wager, line.holder


def test_a_meter_behind_a_held_progressive_is_not_paid_from() -> None:
    """Seat 5's card was not read; whether it took the meter nobody knows, so seat 2 cannot be paid from it yet."""
    book = BOOKS["md-uth"]
    chosen = proposals(book) | {"progressive_table": "B"}
    settler = Settler(elect(book, {id_: (choice, "test") for id_, choice in chosen.items()}))
    cards, decisions = {2: "5h 6h", 5: "Th ??"}, (Decision.PLAY,)
    wagers = {"ante": 1000, "blind": 1000, "play": 4000, "progressive": 500}
    hands = tuple(Hand(seat, wagers, _cards(text), decisions) for seat, text in cards.items())
    round_ = Round(hands, _cards("Ks 4s"), _cards("7h 8h 9h 2c Kd"), meters=METERS)
    lines = [line for line in settler.settle(round_).lines if line.wager == "progressive"]
    assert [(line.seat, line.outcome, line.hand) for line in lines] == [
        (5, Outcome.HELD, ""), (2, Outcome.HELD, "straight_flush"),
    ]  # fmt: skip
    assert "meter" in lines[1].note


def _cards(text: str) -> tuple[int, ...]:
    return tuple(UNREADABLE if word == "??" else parse(word)[0] for word in text.split())


@pytest.mark.parametrize("name", BOOKS)
def test_a_correction_lists_what_changed_and_leaves_both_as_they_are(name: str) -> None:
    """A card that was not read is found: the sum of what is owed is the difference of what is handed back."""
    for settler, round_, rng in _rounds(name):
        before, now = settler.settle(unread(round_, rng)), settler.settle(round_)
        changes = difference(before, now)
        owed = sum(total.back for total in now.seats) - sum(total.back for total in before.seats)
        assert sum(change.owed for change in changes) == owed
        assert all(change.was != change.became or change.owed for change in changes)
        assert difference(now, now) == ()


def test_a_law_is_made_ready_once():
    """The same law has the same settler; an equal one that was elected anew has its own."""
    book = find("ma-uth")
    law, again = cautious(book, "test"), cautious(book, "test")
    assert settler_of(law) is settler_of(law)
    assert settler_of(again) is not settler_of(law)
    assert settler_of(again).law is again
