"""The pages of a rulebook say what they said before: whoever changes a value, a clause or a word sees it here."""

from difflib import unified_diff

import pytest

from tests.kept.pages import kept, today
from tests.soak.tables import RULEBOOKS

MOST_TOLD = 40
REMEDY = "where it is meant: python -m tests.kept.pages"


@pytest.mark.parametrize("name", RULEBOOKS)
def test_a_page_reads_as_before(name: str) -> None:
    """A compliance officer has read these pages; what they say changes only on purpose."""
    was, now = kept(name), today(name)
    if was != now:
        told = list(unified_diff(was, now, "kept", "now", n=0, lineterm=""))
        pytest.fail("\n".join([*told[:MOST_TOLD], f"{len(told)} lines; {REMEDY}"]), pytrace=False)
