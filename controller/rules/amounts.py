"""Compares amounts of wagers that a document prints with those of a table file and of the terms of a round. Pure."""

import re
from collections.abc import Iterator, Mapping

from controller.rules.model import Rulebook
from controller.rules.parts import WagerRule
from controller.rules.vocabulary import Moment

CURRENCY = re.compile(r"[A-Z]{3}")
"""The form of a currency by ISO 4217."""


def has_limits(rule: WagerRule) -> bool:
    """True where the player chooses the amount before the deal, so that a house may set its least and its most."""
    return rule.placed == "before_deal" and not rule.sensed and rule.exact_cents is None


def chip_misfits(rulebook: Rulebook, cents: int) -> Iterator[tuple[WagerRule, int]]:
    """Wagers on a sensor whose one printed amount is not what a chip is said to be worth, each with that amount.

    `cents`: of one progressive chip, 0 = nobody has said.
    """
    for rule in rulebook.wagers.values():
        if rule.sensed and rule.exact_cents is not None and cents not in (0, rule.exact_cents.value):
            yield rule, rule.exact_cents.value


def limits_apart(rulebook: Rulebook, limits: Mapping[str, tuple[int, int]]) -> Iterator[tuple[WagerRule, str]]:
    """Wagers with limits that leave no printed multiple of the wager they are measured by, each with the name of that wager.

    `limits`: by wager, least and most in cents.
    """
    for name, (least, most) in limits.items():
        rule = rulebook.wagers.get(name)
        if rule is None or rule.of is None or rule.of not in limits:
            continue
        low, high = limits[rule.of]
        times = rule.multiples(Moment.BEFORE_DEAL)
        if times and not any(n * low <= most and least <= n * high for n in times):
            yield rule, rule.of
