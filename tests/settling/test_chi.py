"""The statistic by which simulated rounds are judged, against values that are known from elsewhere."""

import math
from fractions import Fraction

import pytest

from tests.settling.chi import fit, survival

HALF = {"heads": Fraction(1, 2), "tails": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("chi", "freedom", "chance"),
    [
        (3.841458820694124, 1, 0.05),
        (11.070497693516351, 5, 0.05),
        (18.307038053275146, 10, 0.05),
        (23.209251158954356, 10, 0.01),
        (10.827566170662733, 1, 0.001),
        (3.940299136124622, 10, 0.95),
        (124.34211340400407, 100, 0.05),
    ],
)
def test_printed_quantiles_come_out(chi: float, freedom: int, chance: float) -> None:
    """As they stand in every table of the distribution."""
    assert survival(chi, freedom) == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize("chi", [0.01, 0.5, 1.9, 2.1, 4.0, 7.5, 30.0, 90.0, 200.0])
def test_the_far_tail_is_that_of_the_closed_forms(chi: float) -> None:
    """One degree of freedom is the error function, two the exponential, four follow from two: far below one in a million."""
    assert survival(chi, 1) == pytest.approx(math.erfc(math.sqrt(chi / 2)), rel=1e-9)
    assert survival(chi, 2) == pytest.approx(math.exp(-chi / 2), rel=1e-9)
    assert survival(chi, 4) == pytest.approx(math.exp(-chi / 2) * (1 + chi / 2), rel=1e-9)


def test_counts_as_expected_are_no_surprise_and_others_are() -> None:
    """Sixty heads of a hundred: (10^2 + 10^2) / 50 = 4, about one in twenty-two."""
    assert fit({"heads": 50, "tails": 50}, HALF).chance == 1.0
    found = fit({"heads": 60, "tails": 40}, HALF)
    assert (found.counted, found.chi, found.freedom) == (100, 4.0, 1)
    assert found.chance == pytest.approx(0.04550026389635842)


def test_rare_cells_are_pooled_until_they_expect_five() -> None:
    """Of a hundred: 90, and three cells of 4, 4 and 2, which are one of 10."""
    exact = {"a": Fraction(90, 100), "b": Fraction(4, 100), "c": Fraction(4, 100), "d": Fraction(2, 100)}
    found = fit({"a": 80, "b": 0, "c": 20}, exact)
    assert found.freedom == 1
    assert found.chi == pytest.approx(100 / 90 + 100 / 10)


def test_what_is_still_rare_when_pooled_goes_to_the_next_cell() -> None:
    """Nothing is left out: 98 and 2 are one cell in the end, and one cell says nothing."""
    found = fit({"a": 90, "b": 10}, {"a": Fraction(98, 100), "b": Fraction(2, 100)})
    assert (found.freedom, found.chance) == (0, 1.0)


def test_what_cannot_come_up_and_did_has_no_chance() -> None:
    """Once is enough, whether the cell has probability zero or is not among the known ones."""
    assert fit({"heads": 10**6, "edge": 1}, HALF).chance == 0.0
    assert fit({"heads": 1, "edge": 1}, HALF | {"edge": Fraction(0)}).chance == 0.0


def test_probabilities_that_do_not_add_up_are_refused() -> None:
    """A row forgotten would else be found only by chance."""
    with pytest.raises(ValueError, match="add up to 1/2"):
        fit({"heads": 1}, {"heads": Fraction(1, 2)})
