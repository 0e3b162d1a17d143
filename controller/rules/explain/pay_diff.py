"""Pairs the pay tables of two rulebooks by what they pay, whatever their names."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

from controller.rules.explain.explain import values_of
from controller.rules.model import Rulebook
from drivers.protocol.records import dataclass

Lines: TypeAlias = Mapping[str, tuple[str, tuple[str, ...]]]
"""By hand or meter: what is paid, as shown to a person, and the clauses."""

LEAST_ALIKE = Fraction(1, 2)
"""Tables of one wager that share fewer lines than this are two tables, and are not compared line by line."""


@dataclass(frozen=True, slots=True)
class PayLine:
    """One hand that two paired tables do not pay alike; None where that table does not pay it."""

    hand: str
    left: str | None
    right: str | None


@dataclass(frozen=True, slots=True)
class PayDiffers:
    """Two paired tables that differ in some lines, or one table that has no pair (None on the other side).

    `alike`: the number of hands that both pay alike. `size`: the number of lines of a table without a pair.
    """

    left: str | None
    right: str | None
    cite: tuple[str, ...]
    alike: int = 0
    size: int = 0
    lines: tuple[PayLine, ...] = ()


def pay_differences(left: Rulebook, right: Rulebook) -> Iterator[PayDiffers]:
    """Returns the pay tables that differ. Tables with the same content differ in nothing, under whatever name."""
    here, there = _tables(left), _tables(right)
    pairs = _pairs(here, there, left, right)
    for name, lines in here.items():
        other = pairs.get(name)
        if other is None:
            yield PayDiffers(name, None, left.pay[name].cite, size=len(lines))
        elif _paid(lines) != _paid(there[other]):
            yield _compared(name, other, lines, there[other])
    paired = set(pairs.values())
    for name, lines in there.items():
        if name not in paired:
            yield PayDiffers(None, name, right.pay[name].cite, size=len(lines))


def _tables(rulebook: Rulebook) -> dict[str, Lines]:
    values = values_of(rulebook)
    starts = {name: f"pay.{name}." for name in rulebook.pay}
    return {
        name: {key.removeprefix(start): value for key, value in values.items() if key.startswith(start)}
        for name, start in starts.items()
    }


def _pairs(
    here: Mapping[str, Lines], there: Mapping[str, Lines], left: Rulebook, right: Rulebook
) -> dict[str, str]:
    """The pairs, the most alike first. Tables of two wagers pair only where they pay the same."""
    found = []
    for name, lines in here.items():
        for other, others in there.items():
            likeness = _likeness(lines, others)
            is_one_wager = left.pay[name].wager == right.pay[other].wager
            if likeness == 1 or (is_one_wager and likeness >= LEAST_ALIKE):
                found.append((likeness, is_one_wager, name == other, name, other))
    pairs: dict[str, str] = {}
    for *_, name, other in sorted(found, key=lambda pair: pair[:3], reverse=True):
        if name not in pairs and other not in pairs.values():
            pairs[name] = other
    return pairs


def _likeness(lines: Lines, others: Lines) -> Fraction:
    return Fraction(2 * len(_paid(lines).items() & _paid(others).items()), max(1, len(lines) + len(others)))


def _paid(lines: Lines) -> dict[str, str]:
    return {hand: shown for hand, (shown, _) in lines.items()}


def _compared(name: str, other: str, lines: Lines, others: Lines) -> PayDiffers:
    paid, paid_there = _paid(lines), _paid(others)
    hands = [hand for hand in dict.fromkeys((*paid, *paid_there)) if paid.get(hand) != paid_there.get(hand)]
    cites = [lines.get(hand, ("", ()))[1] for hand in hands]
    return PayDiffers(
        name,
        other,
        tuple(dict.fromkeys(clause for cite in cites for clause in cite)),
        alike=len(paid.items() & paid_there.items()),
        lines=tuple(PayLine(hand, paid.get(hand), paid_there.get(hand)) for hand in hands),
    )
