"""What a configuration says of money: posted limits, payouts, and the progressive meters that the table computes."""

from controller.games.settling.meters import MOST_METER, MeterTerms
from controller.games.settling.round import MOST
from controller.readers.table import Table

MAX_CENTS = 10_000_000
MAX_WAGER = 10_000_000_000
WHOLE = 10_000
"""Hundredths of a per cent: a wager adds no more than itself."""
PERSON, LOCAL = "person", "local"


def payouts_in(table: Table) -> tuple[int | None, int]:
    """The payout limit of the house, None where it has set none, and the least amount that is paid, both in cents."""
    return table.maybe_whole("payout_limit_cents", 1, MOST), table.whole("unit_cents", 1, MAX_CENTS, 1)


def limits_in(root: Table) -> dict[str, tuple[int, int]]:
    """The posted least and most of each wager of the section [limits], in cents; {} where there is none."""
    limits: dict[str, tuple[int, int]] = {}
    for wager, entry in root.table("limits").entries("{ least = 1000, most = 50000 }"):
        least, most = entry.whole("least", 1, MAX_WAGER, 1), entry.whole("most", 1, MAX_WAGER, MAX_WAGER)
        if least > most:
            entry.fault("least", f"is {least}, and more than the most of {most}", "limits_unfit")
        limits[wager] = (least, most)
        entry.close()
    return limits


def meters_in(root: Table, table: Table) -> tuple[bool, dict[str, MeterTerms]]:
    """Whether this table computes its progressive meters (`meter_source`), and the section [meters]: their parameters."""
    local = table.one_of("meter_source", (PERSON, LOCAL), PERSON) == LOCAL
    meters: dict[str, MeterTerms] = {}
    for name, entry in root.table("meters").entries("{ base = 1000000, rise = 2000 }"):
        terms = MeterTerms(
            entry.whole("base", 1, MOST_METER),
            entry.whole("rise", 1, WHOLE),
            entry.whole("reserve", 0, WHOLE, 0),
            entry.whole("limit", 0, MOST_METER, 0),
        )
        if terms.rise + terms.reserve > WHOLE:
            told = f"is {terms.reserve}, and with the rise of {terms.rise} more than all of a wager ({WHOLE})"
            entry.fault("reserve", f"{told}; lower one of the two", "meters_unfit")
        if 0 < terms.limit < terms.base:
            entry.fault(
                "limit", f"is {terms.limit}, below the base of {terms.base}; raise it, or set 0", "meters_unfit"
            )
        meters[name] = terms
        entry.close()
    if meters and not local:
        told = f'are set, and a person types each meter; write meter_source = "{LOCAL}", or take [meters] out'
        table.fault("meter_source", told, "meters_unfit")
    return local, meters
