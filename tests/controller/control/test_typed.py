"""Money is typed in one form, 10.00; what could be read in two ways is refused with the form to write."""

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.control.desk import Refused
from controller.control.typed import MONEY, typed_act
from controller.table.words.acts import ACTS, PlaceWager
from controller.text.act_list import SENTENCES, act_lines

WAGER = {"seat": "3", "wager": "ante"}


def test_an_amount_is_dollars_and_cents() -> None:
    act, notices = typed_act("place_wager", {**WAGER, "amount": "10.00", "coupon": "5.05"})
    assert act == PlaceWager(3, "ante", 1000, coupon=505)
    assert notices == []


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("cents", "1000.00"), ("cents", "1e3"), ("cents", "1/2"), ("cents", " 1000"), ("amount", "10"), ("amount", "10.0"),
        ("amount", "$10.00"), ("amount", "-1.00"), ("amount", "1e1"), ("amount", "1,000.00"), ("coupon", "5.5"), ("seat", "3.0"),
    ],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_refused(key: str, text: str) -> None:
    with pytest.raises(Refused, match=r"write (amount|coupon|seat)="):
        typed_act(
            "place_wager", {**WAGER, "amount": "10.00", key: text} if key != "cents" else {**WAGER, key: text}
        )


def test_the_old_form_works_for_this_version_and_says_so() -> None:
    act, notices = typed_act("place_wager", {**WAGER, "cents": "1010"})
    assert act == PlaceWager(3, "ante", 1010)
    assert notices == ["cents=1010 is taken as 10.10 in this version only; write amount=10.10"]


def test_an_amount_and_cents_together_are_refused() -> None:
    with pytest.raises(Refused, match="write amount alone"):
        typed_act("place_wager", {**WAGER, "cents": "1000", "amount": "10.00"})


def test_the_list_has_each_act_with_its_sentence_and_its_role() -> None:
    assert set(SENTENCES) == set(ACTS)
    lines = list(act_lines(MONEY))
    at = lines.index(next(line for line in lines if line.startswith("place_wager ")))
    assert "amount=10.00" in lines[at]
    assert "[coupon=10.00]" in lines[at]
    assert any(line.startswith("settle_wager ") and "[coupon=true|false]" in line for line in lines)
    assert (
        lines[at + 1]
        == "    Place a wager at a seat; amount=0.00 if nobody counted the chips. By a player or above."
    )
    assert all(sentence.endswith(".") and len(sentence) <= 90 for sentence in SENTENCES.values())


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["statsu"], "status"),
        (["journal", "verfy"], "verify"),
        (["act", "begin-round", "--who", "a", "--role", "dealer"], "begin_round"),
    ],
)
def test_a_near_miss_is_told_what_was_meant(words: list[str], near: str) -> None:
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 2
    assert near in told.output
