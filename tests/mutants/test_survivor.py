"""Which survivors need no judgement: only those that change words for people, or a `zip` that says what holds anyway."""

import pytest

from tests.mutants.survivor import Survivor, changes

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


MADE = """
class Table:
    def xǁTableǁsay__mutmut_orig(self, who):
        if who:
            return f"{who} is not here"
        return "nobody"

    def xǁTableǁsay__mutmut_1(self, who):
        if who:
            return f"XX{who} is not hereXX"
        return "nobody"

    def xǁTableǁsay__mutmut_2(self, who):
        if who:
            return f"{who} is not here"
        return "NOBODY"

def x_count__mutmut_orig(cards):
    return len(cards)

def x_count__mutmut_1(cards):
    return None
"""


def test_what_each_change_is_stands_in_the_file_that_was_made() -> None:
    """Each function beside its own original, methods too; so words are known before any test is asked."""
    keys = ["table.xǁTableǁsay__mutmut_1", "table.xǁTableǁsay__mutmut_2", "table.x_count__mutmut_1"]
    found = dict(changes(MADE, keys))
    assert list(found) == keys
    assert [change.words_only for change in found.values()] == [True, False, False]
    assert (found[keys[2]].was, found[keys[2]].now) == ("return len(cards)", "return None")
