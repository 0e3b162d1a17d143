"""Where a stretch of a record ends that cannot be read, however far false numbers make it reach."""

from hypothesis import given
from hypothesis import strategies as st

from controller.journal.proof.unreadable import STRIDE, last_unreadable


@given(
    after=st.integers(0, 1 << 40),
    more=st.integers(1, 1 << 62),
    unreadable=st.integers(0, 4 * STRIDE) | st.integers(0, 1 << 62),
)
def test_the_end_of_a_stretch_is_found_in_few_looks(after: int, more: int, unreadable: int) -> None:
    """A long one to its last number, be it the last of all; a short one is left to be walked over."""
    through, end = after + more, after + unreadable
    looks: list[int] = []

    def is_unreadable(sequence: int) -> bool:
        looks.append(sequence)
        assert after < sequence <= through
        return sequence <= end

    is_long = min(after + STRIDE, through) <= end
    assert last_unreadable(is_unreadable, after, through) == (min(end, through) if is_long else after)
    assert len(looks) < 200


def test_nothing_is_looked_at_behind_the_end() -> None:
    """Where the walk has come to its end there is nothing left to look for."""
    assert last_unreadable(lambda _: 1 // 0 == 0, 7, 7) == 7
