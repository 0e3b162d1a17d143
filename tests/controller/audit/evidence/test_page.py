"""The page says what happened in words and pictures, shows no card that was not let out, and runs nothing that somebody wrote."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from controller.audit.evidence.build import evidence
from controller.audit.evidence.hands_svg import Laid, escape, picture
from controller.audit.evidence.page import NOT_CHECKED
from controller.journal.opening import opened
from controller.journal.vault.vault_keys import VaultKeys
from controller.rules.vocabulary import Area, Role
from controller.table.settlement.unchecked import Check
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from tests.support.recorded import FLUSH, Recorded
from tests.support.unzipped import part

HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"


def page_of(table: Recorded, name: str) -> str:
    table.journal.close()
    with opened(table.path) as view:
        return part(evidence(view, name).data, "page.html").decode()


class Tags(HTMLParser):
    """Every element with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_it_says_who_what_when_by_which_clause_and_what_nobody_could_check(tmp_path: Path) -> None:
    """For a disputed royal flush."""
    table = Recorded(tmp_path)
    table.ready()
    name = table.round_of("red", FLUSH)
    dispute = table.dispute(name)
    page = page_of(table, name)
    text = re.sub(r"<[^>]+>", " ", page)
    for said in (
        f"Round {name} at table lv01/uth-017", "clock synced", table.setup.law.rulebook.sha256, "camera 7, 4711",
        "seat 1 says royal flush, was paid a straight", f"closed {dispute}", "a royal flush it was",
        NOT_CHECKED[Check.SET_CARDS], "SIM-shoe-1", "bash verify.sh table.pub", "synced",
    ):  # fmt: skip
        assert said in text, said
    row = next(r for r in page.split("<tr>") if "<td>blind</td>" in r and "<td>1</td>" in r)
    assert [c in row for c in ("<td>10.00</td>", "<td>win</td>", "<td>5000.00</td>", "11.H(3)")] == [True] * 4
    for card in ("A♠", "K♠", "Q♠", "J♠", "10♠"):
        rank, suit = card[:-1], card[-1]
        assert re.search(f'class="rank"[^>]*>{rank}</text><text[^>]*class="suit"[^>]*>{suit}</text>', page), card
    assert "seat 2: not in play" in text


def test_cards_that_were_not_let_out_lie_face_down(tmp_path: Path) -> None:
    """How many lie where is known; which they are is nowhere in the file, also where it is made with nothing but the record."""
    table = Recorded(tmp_path)
    table.ready()
    name = table.round_of("red", FLUSH, is_open=False)
    table.journal.close()
    with opened(table.path) as view:
        made = evidence(view, name)
    page = part(made.data, "page.html").decode()
    assert page.count('class="back"') == 11
    assert "seat 1: sealed" in page
    assert 'class="face"' not in page
    assert made.cards == 0
    assert len(made.sealed) == 4
    assert part(made.data, "cards.tsv") == b""
    assert VaultKeys.load(tmp_path / "vault"), "the vault lies beside it, and was not asked"
    for card in " ".join(FLUSH.values()).split():
        assert not re.search(rf"\b{card}\b", page), card


ONE_LOSES = FLUSH | {(Area.PLAYER, 3): "7h 3c"}
"""Seat 1 holds a royal flush against a pair of nines, seat 3 nothing."""


def by_the_cards(page: str) -> list[list[str]]:
    """The cells of each line of that part."""
    found = page.partition("What the cards make of it")[2].partition("<h2>")[0]
    return [re.findall(r"<td>(.*?)</td>", row) for row in found.split("<tr>")[2:]]


def test_wagers_that_were_settled_as_a_whole_still_say_what_they_came_to_by_the_cards(tmp_path: Path) -> None:
    """Ante 1 to 1, blind 500 to 1 on 10.00."""
    table = Recorded(tmp_path)
    table.ready()
    name = table.round_of("red", ONE_LOSES, whole=True)
    lines = {(line[0], line[1]): line[2:] for line in by_the_cards(page_of(table, name))}
    assert lines["1", "blind"][:5] == ["10.00", "win", "10.00", "5000.00", ""]
    assert "royal flush" in lines["1", "blind"][5]
    assert "500 to 1" in lines["1", "blind"][5]
    assert lines["1", "ante"][1:4] == ["win", "10.00", "10.00"]
    assert lines["3", "ante"][1:4] == ["lose", "0.00", "0.00"]


def test_what_was_paid_otherwise_than_the_cards_say_stands_out(tmp_path: Path) -> None:
    """A cent less on each wager that won."""
    table = Recorded(tmp_path)
    table.ready()
    right, short = table.round_of("red", ONE_LOSES), table.round_of("blue", ONE_LOSES, less=1)
    assert {line[6] for line in by_the_cards(page_of(table, right))} == {"the same"}
    with opened(table.path) as view:
        told = by_the_cards(part(evidence(view, short).data, "page.html").decode())
    assert {line[6] for line in told if line[3] == "win"} == {"NOT the same"}
    assert {line[6] for line in told if line[3] == "lose"} == {"the same"}


def test_of_chips_that_nobody_counted_no_sum_is_shown(tmp_path: Path) -> None:
    """Seat 1 holds the royal flush; what the other seat comes to is worked out all the same."""
    table = Recorded(tmp_path)
    table.ready()
    table.begin("red", seats=(3,), trips=())
    for wager in ("ante", "blind"):
        table.act(a.PlaceWager(1, wager, 0))
    table.let_out().deal().to_showdown()
    name = table.round.id
    table.tell(ONE_LOSES)
    table.act(a.SettleRound())
    table.act(a.CorrectSettlement(1, "blind", a.Outcome.PUSH, reason="misread"))
    table.act(a.CollectCards())
    table.open_cards()
    table.act(a.EndRound())
    table.checkpoint()
    page = page_of(table, name)
    assert "<td>blind</td><td>not counted</td><td>corrected</td><td>push</td><td></td><td></td>" in page
    assert {line[0] for line in by_the_cards(page)} == {"3"}
    assert "Seat 1: chips that nobody counted" in page
    assert "<td>1</td><td>ante</td><td>not counted</td>" in page
    assert NOT_CHECKED[Check.AMOUNTS] in page


def test_what_rests_on_sealed_cards_is_held_and_not_guessed(tmp_path: Path) -> None:
    table = Recorded(tmp_path)
    table.ready()
    name = table.round_of("red", FLUSH, is_open=False)
    lines = by_the_cards(page_of(table, name))
    assert {line[3] for line in lines} == {"held"}
    assert all("not provable" in line[7] for line in lines)


def test_what_people_and_devices_wrote_is_shown_and_never_run(tmp_path: Path) -> None:
    """Names, reasons and the words of a maker's alarm; no element is there but our own, and none of them loads anything."""
    table = Recorded(tmp_path)
    table.ready()
    table.begin("red").let_out().deal().to_showdown()
    table.put(a.RaiseDispute(HOSTILE, seat=1), actor=Actor(HOSTILE, Role.FLOORPERSON))
    name = table.round.id
    page = page_of(table, name)
    assert "&lt;script&gt;alert(" in page
    tags = Tags(page).seen
    assert {tag for tag, _ in tags} <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "table", "tr", "th", "td", "p", "pre", "ul", "li",
        "svg", "path", "rect", "text",
    }  # fmt: skip
    assert not [
        key for _, attributes in tags for key in attributes if key.startswith("on") or key in ("src", "href")
    ]
    assert "default-src 'none'" in page


def test_each_check_that_could_not_be_made_has_words_of_its_own() -> None:
    """A new check in the core needs a sentence here."""
    assert set(NOT_CHECKED) == set(Check)


@pytest.mark.parametrize("seats", [1, 6, 7])
def test_no_two_hands_lie_on_each_other(seats: int) -> None:
    """With two cards each, and with five."""
    for count in (2, 5):
        hand = Laid(tuple("2c" for _ in range(count)))
        there = {("player", seat): hand for seat in range(1, seats + 1)} | {
            ("dealer", 0): hand,
            ("community", 0): hand,
        }
        drawn = picture(there, seats, range(1, seats + 1))
        boxes = [
            (float(x), float(y)) for x, y in re.findall(r'<rect x="([\d.-]+)" y="([\d.-]+)" width="44"', drawn)
        ]
        assert len(boxes) == count * (seats + 2)
        hands = [boxes[at : at + count] for at in range(0, len(boxes), count)]
        areas = [(h[0][0], h[0][1], h[-1][0] + 44, h[0][1] + 62 + 18) for h in hands]
        for number, (x0, y0, x1, y1) in enumerate(areas):
            assert x0 >= 0
            assert x1 <= 1000
            assert y1 <= 620
            for u0, v0, u1, v1 in areas[number + 1 :]:
                assert x1 <= u0 or u1 <= x0 or y1 <= v0 or v1 <= y0, f"{seats} seats, {count} cards"


def test_a_word_that_is_no_card_is_drawn_as_one_that_nobody_knows() -> None:
    """`??` was told for a card that could not be read; markup in its place is text."""
    drawn = picture({("dealer", 0): Laid(("??", "<b>"))}, 1, ())
    assert drawn.count(">?</text>") == 2
    assert "<b>" not in drawn


def test_what_somebody_typed_turns_no_direction_and_moves_no_cursor() -> None:
    """A page is also read in a terminal, and a reversed line reads as another sum."""
    assert escape("<b>\u202e01$\x1b[2J\x9b\n&") == "&lt;b&gt;\ufffd01$\ufffd[2J\ufffd\ufffd&amp;"
    drawn = picture({(Area.PLAYER.value, 1): Laid(sealed="x"), ("\u202e<x>", 0): Laid()}, 1, (1,))
    assert "\u202e" not in drawn
    assert "<x>" not in drawn
