"""Reads the file of a table for `settle`: elections, currency, payouts and limits.

A module of its own, because a configuration imports devices, broker and record, which `settle` alone does not need.
"""

from pathlib import Path

import click

from controller.cli.filters.decide import elections_in, with_added
from controller.config.amounts import limits_in, payouts_in
from controller.config.load import toml_of
from controller.config.model import ConfigInvalid
from controller.filters.settle import SettleFilter
from controller.games.settling.round import Terms
from controller.readers.fault import Fault
from controller.readers.nearest import nearest
from controller.readers.table import Scope, Table
from controller.rules.amounts import CURRENCY, has_limits
from controller.rules.elections import elect
from controller.rules.model import Law, Rulebook


def by_table(rulebook: Rulebook, rulebook_id: str, path: Path) -> SettleFilter:
    """By the elections, currency, payouts and limits of the file. `rulebook_id`: as it was asked for.

    Raises `ElectionsInvalid`, `RoundRefused`, and `click.UsageError` with every fault of the file.
    """
    try:
        law = elect(rulebook, with_added(rulebook, elections_in(path, rulebook_id, rulebook)))
        return SettleFilter(law, _terms(path, law))
    except ConfigInvalid as exc:
        raise click.UsageError(str(exc)) from exc


def _terms(path: Path, law: Law) -> Terms:
    """Those of the file's table: its currency, USD where it names none, payouts, and the posted limits of its wagers.

    `elections_in` has found the file to be sound TOML. Raises `ConfigInvalid`.
    """
    raw, data = toml_of(path)
    scope = Scope(data)
    root = Table(raw, "", scope)
    table, limits = root.table("table"), limits_in(root)
    currency, payouts = table.text("currency", "USD", CURRENCY), payouts_in(table)
    for name in limits:
        rule = law.rulebook.wagers.get(name)
        if rule is None:
            what = f"{law.rulebook.id} has no such wager {nearest(name, law.rulebook.wagers)}"
            scope.add([Fault(f"[limits] {name}", what, "wager_unknown")])
        elif not has_limits(rule):
            what = f"its amount is not the player's choice; it has no limits ({', '.join(rule.cite)})"
            scope.add([Fault(f"[limits] {name}", what, "limits_unfit")])
    if scope.faults:
        raise ConfigInvalid(path, scope.faults)
    return Terms.posted(currency, limits, *payouts)
