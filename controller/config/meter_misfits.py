"""Parameters of progressive meters that the elected pay table does not allow, each with the clause and a remedy."""

from collections.abc import Iterator
from itertools import pairwise

from controller.config.table import TableConfig
from controller.games.settling.money import Money
from controller.readers.fault import Fault
from controller.readers.nearest import nearest
from controller.rules.model import Law

PROGRESSIVE = "progressive"


def meter_misfits(table: TableConfig, law: Law) -> list[Fault]:
    """Each meter that is paid from is there, starts with no less than the document wants, and the better hand has the higher."""
    if not table.computes_meters:
        return []
    resets = Money(law).resets
    if PROGRESSIVE not in table.offered or not resets:
        why = "offers no progressive wager" if resets else f"pays from no meter under {law.rulebook.id} as elected"
        told = f'is "local", and this table {why}; take it and [meters] out'
        return [Fault("[table] meter_source", told, "meters_unfit")]
    return [*_unknown(table, resets), *_too_low(table, resets), *_out_of_order(table, list(resets))]


Resets = dict[str, tuple[int, tuple[str, ...]]]


def _unknown(table: TableConfig, resets: Resets) -> Iterator[Fault]:
    for name in table.meters:
        if name not in resets:
            told = f"no wager is paid from such a meter as elected {nearest(name, resets)}"
            yield Fault(f"[meters] {name}", told, "meters_unfit")


def _too_low(table: TableConfig, resets: Resets) -> Iterator[Fault]:
    for name, (least, cite) in resets.items():
        cited = ", ".join(cite)
        terms = table.meters.get(name)
        if terms is None:
            told = f"is missing; say with what it starts ({least} cents or more) and how it rises ({cited})"
            yield Fault(f"[meters] {name}", told, "key_missing")
        elif terms.base < least:
            told = f"starts with {terms.base} cents; set base to {least} or more ({cited})"
            yield Fault(f"[meters] {name}", told, "meters_unfit")


def _out_of_order(table: TableConfig, names: list[str]) -> Iterator[Fault]:
    """The document prints its meters from the best hand down."""
    for better, worse in pairwise(names):
        high, low = table.meters.get(better), table.meters.get(worse)
        if high and low and low.base >= high.base:
            told = f"starts with {low.base} cents, not below the {high.base} of {better}, which a better hand wins"
            yield Fault(f"[meters] {worse}", f"{told}; lower one or raise the other", "meters_unfit")
