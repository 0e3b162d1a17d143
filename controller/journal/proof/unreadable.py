"""Finds how far an unreadable stretch of a record reaches, if its pages are damaged."""

from collections.abc import Callable

STRIDE = 1 << 17
"""Numbers that are walked over one by one: many times what a lost page of a table's tree holds."""


def last_unreadable(is_unreadable: Callable[[int], bool], after: int, through: int) -> int:
    """Returns the last number of a long unreadable stretch after `after`; `after` if it is no longer than
    `STRIDE`.

    A damaged page stands for all numbers up to the last one that the page above names. That number may be wrong
    and huge, so the stretch is not walked step by step.
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
