"""`tablewarden check`: what is wrong with configurations, before a daemon reads them."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import click

from controller.cli.arguments import A_FILE
from controller.cli.main import AS_JSON, WRONG, show
from controller.config.house import of_one_house
from controller.config.report import Finding, document, examine, page
from controller.doctor.checks import of_this_machine
from controller.doctor.gather import gather
from drivers.protocol.texts import plain


def _with_this_machine(finding: Finding) -> Finding:
    """Returns the finding with what `doctor` finds wrong with the machine, as warnings."""
    machine = gather(finding.config, (), None, "", version("tablewarden"))
    sick = tuple(str(found) for found in of_this_machine(machine) if not found.is_note)
    return replace(finding, warnings=finding.warnings + sick)


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=A_FILE)
@click.option("--here", is_flag=True, help="This machine and user too: keys, folders, ports, broker files.")
@AS_JSON
def check(files: Sequence[Path], here: bool, as_json: bool) -> None:
    """Say what is wrong with a configuration, its rulebook and its elections, and what it means.

    All faults are shown at once; exit code 1 if there is one. Several files are taken for the tables of one house: what a
    document wants alike at every table, as the version of Colorado Hold 'Em, is compared, and so is what only one table can
    have, as its MQTT client id or its record. With --here, everything that keeps `run` from starting is a fault; run it as the
    user of the daemon.

    \b
    Example:
      tablewarden check config/tables/*.toml
      sudo -u tablewarden tablewarden check --here /etc/tablewarden/table.toml
    """
    findings = of_one_house(
        [_with_this_machine(examine(path, here=True)) if here else examine(path) for path in files]
    )
    if as_json:
        show([document(finding) for finding in findings], iter, True)
    else:
        click.echo("\n\n".join("\n".join(map(plain, page(finding))) for finding in findings))
    sys.exit(WRONG if any(finding.faults for finding in findings) else 0)
