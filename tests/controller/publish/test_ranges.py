"""Ranges of numbers with reasons, against a plain dictionary."""

from hypothesis import given
from hypothesis import strategies as st

from controller.publish.outboxes.ranges import Range, Ranges

STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "take"]), st.integers(1, 40), st.integers(0, 6), st.sampled_from("ab")),
    max_size=40,
)


@given(STEPS)
def test_ranges_hold_what_a_dictionary_would(steps: list[tuple[str, int, int, str]]) -> None:
    """Whatever is added and taken, each number has its last reason, and equal neighbours are one range."""
    ranges, model = Ranges(), dict[int, str]()
    for step, first, length, reason in steps:
        span = range(first, first + length + 1)
        if step == "add":
            alone = ranges.add(Range(first, span[-1], reason))
            touching = model.get(first - 1) == reason or model.get(span[-1] + 1) == reason
            assert alone is not touching
            model.update(dict.fromkeys(span, reason))
        else:
            taken = ranges.take(first, span[-1])
            assert [n for r in taken for n in range(r.first, r.last + 1)] == sorted(model.keys() & set(span))
            model = {n: why for n, why in model.items() if n not in span}
    assert {n: r.reason for r in ranges for n in range(r.first, r.last + 1)} == model
    assert all(
        a.last + 1 < b.first or a.reason != b.reason for a, b in zip([*ranges], [*ranges][1:], strict=False)
    )
    for number in range(50):
        found = ranges.holding(number)
        assert (found.reason if found else None) == model.get(number)
    assert (len(ranges), bool(ranges)) == (len(model), bool(model))
