"""Which survivors need no judgement: only those that change words for people, or a `zip` that says what holds anyway."""

import pytest

from tests.mutants.survivor import Survivor

SAID = 'return Refusal(f"{who} is not at {place}", cite)'
ZIP = "for a, b in zip(left, right, strict=True):"


@pytest.mark.parametrize(
    ("was", "now", "is_words"),
    [
        (SAID, 'return Refusal(f"XX{who} is not at {place}XX", cite)', True),
        (SAID, "return Refusal(None, cite)", False),
        (SAID, 'return Refusal(f"{who} is not at {place}", None)', False),
        ('state["kind"]', 'state["XXkindXX"]', False),
        ('say("a b", "c")', 'say("a b", "C")', False),
        ("count + 1", "count - 1", False),
    ],
)
def test_words_are_texts_with_a_space_in_them(was: str, now: str, is_words: bool) -> None:
    assert Survivor("f", was, now).words_only is is_words


@pytest.mark.parametrize(
    ("was", "now", "is_strict"),
    [
        (ZIP, "for a, b in zip(left, right, strict=False):", True),
        (ZIP, "for a, b in zip(left, right, strict=None):", True),
        (ZIP, "for a, b in zip(left, right, ):", True),
        (ZIP, "for a, b in zip(left, strict=True):", False),
        (ZIP, "for a, b in zip(left, None, strict=True):", False),
        (ZIP, "for a, b in None:", False),
        (ZIP, ZIP, False),
    ],
)
def test_a_strict_zip_is_a_word_too(was: str, now: str, is_strict: bool) -> None:
    assert Survivor("f", was, now).strict_only is is_strict
