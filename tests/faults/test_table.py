"""The table of faults itself: whole, strict, printed as a page, and without a gap that is not named."""

from pathlib import Path

import pytest

from tests.faults.catalogue import ALL_IDS, load
from tests.faults.gaps import gaps
from tests.faults.page import page

ROOT = Path(__file__).resolve().parents[2]
ROW = """[[fault]]
id = "B01"
scope = "byte"
does = "Something."
inject = ["hang"]
[fault.verdict]
because = "So."
"""


def test_every_fault_has_an_injector_a_test_and_a_verdict():
    """None is open."""
    assert gaps(load()) == []


def test_the_page_is_the_table():
    """docs/faults.md is made by `python -m tests.faults.page` and by nobody's hand."""
    assert (ROOT / "docs" / "faults.md").read_text() == page()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('id = "B01"', 'id = "B99"'), "not in the catalogue"),
        (("inject", "injekt"), "unknown injekt"),
        (("because", "becauze"), "unknown becauze"),
        (('inject = ["hang"]', ""), "exactly one of"),
        (('scope = "byte"', 'scope = "bite"'), "a scope of"),
    ],
)
def test_a_row_that_is_not_whole_is_refused(tmp_path, change, says):
    """A slip of the pen must not pass as a fault that is shown."""
    path = tmp_path / "catalogue.toml"
    path.write_text(ROW)
    assert load(path).row("B01").verdict.because == "So."
    other = tmp_path / "other.toml"
    other.write_text(ROW.replace(*change))
    with pytest.raises(ValueError, match=says):
        load(other)


def test_a_missing_row_is_a_gap(tmp_path):
    """The script names it."""
    path = tmp_path / "catalogue.toml"
    path.write_text(ROW)
    missing = gaps(load(path))
    assert "B02: no row" in missing
    assert len(missing) == len(ALL_IDS) - 1
