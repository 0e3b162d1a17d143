"""How far a stretch of a record reaches that cannot be read, where its pages say so and nobody can count on them."""

from collections.abc import Callable

__all__ = ["STRIDE", "last_unreadable"]

STRIDE = 1 << 17
"""Numbers that are walked over one by one: many times what a lost page of a table's tree holds."""


def last_unreadable(is_unreadable: Callable[[int], bool], after: int, through: int) -> int:
    """Where a long stretch ends of which nothing after `after` can be read; `after` where it is no longer than `STRIDE`.

    A page that cannot be read stands for all numbers up to the last one that the page above it names, and that may be a false one
    without bound: whoever walked there would never come back.
    """
    step, last = STRIDE, after
    while last < through and is_unreadable(min(last + step, through)):
        last, step = min(last + step, through), 2 * step
    if last == after:
        return after
    end = min(last + step, through + 1)
    while end - last > 1:
        middle = (last + end) // 2
        if is_unreadable(middle):
            last = middle
        else:
            end = middle
    return last
