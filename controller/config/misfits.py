"""What a configuration says and its rulebook does not allow at this table, each with the clause."""

from collections.abc import Collection

from controller.config.meter_misfits import meter_misfits
from controller.config.table import DISPENSERS, TableConfig
from controller.games.settling.money import HOUSE, Money
from controller.games.settling.round import RoundRefused, Terms
from controller.readers.fault import Fault
from controller.readers.nearest import nearest
from controller.rules.amounts import chip_misfits, has_limits, limits_apart
from controller.rules.model import Law, Rulebook
from controller.rules.vocabulary import Moment, Settle
from controller.table.acts.betting import MOST_CENTS
from controller.table.words import structs
from drivers.events import DeviceKind


def misfits(table: TableConfig, kinds: Collection[DeviceKind], rulebook: Rulebook) -> list[Fault]:
    """What the rulebook does not allow at this table, with the clause."""
    return [
        *_method_misfits(table, kinds, rulebook),
        *_card_misfits(table, kinds, rulebook),
        *_wager_misfits(table, kinds, rulebook),
        *_limit_misfits(table, rulebook),
    ]


def of_elections(table: TableConfig, kinds: Collection[DeviceKind], law: Law) -> list[Fault]:
    """What does not fit what was elected: payouts, wagers without cards, devices that may not serve."""
    return [
        *_payout_misfits(table, law),
        *_withheld(table, law.rulebook),
        *_not_enabled(kinds, law.rulebook),
        *meter_misfits(table, law),
    ]


def _method_misfits(table: TableConfig, kinds: Collection[DeviceKind], rulebook: Rulebook) -> list[Fault]:
    dealing = rulebook.dealing.get(table.method)
    if dealing is None:
        hint = nearest(table.method, [method.value for method in rulebook.dealing])
        return [Fault("[table] method", f"{rulebook.id} has no dealing by {table.method} {hint}", "method_unfit")]
    faults = []
    dispenser = DISPENSERS.get(table.method)
    if dispenser is not None and dispenser not in kinds:
        faults.append(
            Fault(
                "[table] method", f"{table.method} needs a {dispenser}, and no [[device]] is one", "device_missing"
            )
        )
    needs = dealing.needs_shuffler
    if needs is not None and needs.value and DeviceKind.SHUFFLER not in kinds:
        faults.append(
            Fault(
                "[table] method",
                f"dealing by {table.method} needs a shuffler{_cited(needs.cite)}",
                "device_missing",
            )
        )
    return faults


def _not_enabled(kinds: Collection[DeviceKind], elected: Rulebook) -> list[Fault]:
    """Devices of this table that may not be put into service under what was elected."""
    return [
        Fault(
            "[[device]] kind",
            f"no {kind} may be in service at this table by {rule.by_choice}{_cited(rule.cite)}",
            "device_not_elected",
        )
        for method, kind in DISPENSERS.items()
        if kind in kinds and (rule := elected.devices.get(method)) is not None and not rule.value
    ]


def _card_misfits(table: TableConfig, kinds: Collection[DeviceKind], rulebook: Rulebook) -> list[Fault]:
    faults = []
    if table.seats > rulebook.seats.value:
        most = f"at most {rulebook.seats.value} seats{_cited(rulebook.seats.cite)}"
        faults.append(
            Fault("[table] seats", f"{rulebook.id} has {most}, and {table.seats} are set", "too_many_seats")
        )
    second = rulebook.decks.second_set
    has_shuffler = DeviceKind.SHUFFLER in kinds
    if len(table.backs) > 1 and not (second.value != "no" and has_shuffler):
        allowed = "not at all" if second.value == "no" else "only with a shuffler"
        faults.append(
            Fault("[table] backs", f"a second set is allowed {allowed}{_cited(second.cite)}", "sets_unfit")
        )
    if len(table.backs) < 2 and second.value == "required_with_shuffler" and has_shuffler:
        faults.append(
            Fault("[table] backs", f"with a shuffler two sets are required{_cited(second.cite)}", "sets_unfit")
        )
    return faults


def _wager_misfits(table: TableConfig, kinds: Collection[DeviceKind], rulebook: Rulebook) -> list[Fault]:
    faults = []
    optional = [
        name for name, wager in rulebook.wagers.items() if wager.optional and wager.placed == "before_deal"
    ]
    for name in table.offered:
        if name not in optional:
            faults.append(
                Fault(
                    "[table] offered",
                    f"{rulebook.id} has no optional wager {name!r} {nearest(name, optional)}",
                    "wager_unknown",
                )
            )
        elif rulebook.wagers[name].sensed:
            if DeviceKind.PROGRESSIVE not in kinds:
                faults.append(
                    Fault(
                        "[table] offered",
                        f"{name} needs a progressive device, and no [[device]] is one",
                        "device_missing",
                    )
                )
            if table.progressive_cents == 0:
                faults.append(
                    Fault(
                        "[table] progressive_cents",
                        f"{name} is offered, so say what one chip is worth",
                        "key_missing",
                    )
                )
    for rule, exact in chip_misfits(rulebook, table.progressive_cents):
        cited = _cited(rule.exact_cents.cite if rule.exact_cents else ())
        faults.append(
            Fault(
                "[table] progressive_cents",
                f"a {rule.name} wager is exactly {exact} cents{cited}, and {table.progressive_cents} is "
                f"set; set {exact}",
                "chip_unfit",
            )
        )
    return faults


def _withheld(table: TableConfig, elected: Rulebook) -> list[Fault]:
    """Wagers that are offered and not dealt for by the method of this table, as far as is elected."""
    dealing = elected.dealing.get(table.method)
    if dealing is None or dealing.withholds is None:
        return []
    rule = dealing.withholds
    return [
        Fault(
            "[table] offered",
            f"{name} needs cards that no clause deals by {table.method}; take it off, or elect {rule.by_choice} "
            f"otherwise{_cited(rule.cite)}",
            "wager_withheld",
        )
        for name in table.offered
        if name in rule.value
    ]


def _limit_misfits(table: TableConfig, rulebook: Rulebook) -> list[Fault]:
    """Limits that would bound nothing, and in production those that players must be able to read and that nobody has set."""
    faults = []
    for name in table.limits:
        rule = rulebook.wagers.get(name)
        if rule is None:
            faults.append(
                Fault(
                    f"[limits] {name}",
                    f"{rulebook.id} has no such wager {nearest(name, rulebook.wagers)}",
                    "wager_unknown",
                )
            )
        elif not has_limits(rule):
            faults.append(
                Fault(
                    f"[limits] {name}",
                    f"its amount is not the player's choice; it has no limits{_cited(rule.cite)}",
                    "limits_unfit",
                )
            )
    for apart, of in limits_apart(rulebook, table.limits):
        cited = _cited(dict(apart.times)[Moment.BEFORE_DEAL].cite)
        faults.append(
            Fault(
                f"[limits] {apart.name}",
                f"no amount within its limits fits those of {of}{cited}; set both alike",
                "limits_unfit",
            )
        )
    if table.production:
        faults += [
            Fault("[limits]", f"{missing}; in production it must be there", "needed_in_production")
            for missing in unposted(table, rulebook)
        ]
    return faults


def _payout_misfits(table: TableConfig, law: Law) -> list[Fault]:
    """What is said of payouts and can not be honoured, as nobody elected it or the document does not allow it."""
    book, faults = law.rulebook, []
    of_house = [limit.applies for limit in book.limits.values() if HOUSE in dict(limit.applies.options).values()]
    elected = any(applies.value == HOUSE for applies in of_house)
    if table.payout_limit_cents is not None and not elected:
        by = "; ".join(f"{applies.by_choice} leaves none of the house's own" for applies in of_house)
        faults.append(
            Fault(
                "[table] payout_limit_cents",
                f"{by or f'{book.id} has no limit that the house may set'}",
                "payout_unfit",
            )
        )
    if table.payout_limit_cents is None and elected:
        cited = "; ".join(f"by {applies.by_choice}{_cited(applies.cite)}" for applies in of_house)
        return [
            Fault(
                "[table] payout_limit_cents",
                f"is missing; the house has a limit of its own {cited}",
                "key_missing",
            )
        ]
    if table.unit_cents > 1 and Settle.BREAKAGE not in book.settlement:
        faults.append(
            Fault("[table] unit_cents", f"{book.id} has no rule of breakage, so each cent is paid", "payout_unfit")
        )
    terms = Terms.posted(table.currency, {}, table.payout_limit_cents, table.unit_cents)
    least = {name: low for name, (low, _) in table.limits.items() if name in book.wagers}
    try:
        Money(law).check_terms(structs.replace(terms, least=least))
    except RoundRefused as refused:
        faults.append(Fault("[table] payout_limit_cents", f"{refused}", "payout_unfit"))
    return faults


def unposted(table: TableConfig, rulebook: Rulebook) -> list[str]:
    """Wagers at this table whose limits the document has posted, and that have none here, each with its clause.

    What must equal another wager is bound by the limits of that one.
    """
    missing = []
    for name, rule in rulebook.wagers.items():
        if rule.posted is None or not rule.posted.value or rule.of is not None:
            continue
        if rule.optional and name not in table.offered:
            continue
        least, most = table.limits.get(name, (1, MOST_CENTS))
        lacks = [*(["least"] if least == 1 else []), *(["most"] if most == MOST_CENTS else [])]
        if lacks:
            missing.append(f"{name} has no {' and no '.join(lacks)}{_cited(rule.posted.cite)}")
    return missing


def _cited(cite: tuple[str, ...]) -> str:
    return f" ({', '.join(cite)})" if cite else ""
