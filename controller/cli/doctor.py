"""`tablewarden doctor`: what is wrong with an installation, and what to do."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins

from controller.cli.arguments import A_FILE, Place
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.own_packages import ForeignPackage, verify_own_packages
from controller.config.load import socket_of
from controller.config.model import ConfigInvalid
from controller.config.report import examine
from controller.control.client import ControlClient, ControlFailed, ControlUnreachable
from controller.doctor.bundle import bundle
from controller.doctor.checks import Sickness, sicknesses
from controller.doctor.gather import gather


@click.command(name="doctor")
@click.option(
    "--config", type=A_FILE, required=True, envvar="TABLEWARDEN_CONFIG", help="The table's configuration."
)
@click.option("--bundle", "out", type=Place(), help="Pack what support needs into this new file.")
@AS_JSON
def doctor(config: Path, out: Path | None, as_json: bool) -> None:
    """Say what is wrong with this installation, and what to do; changes nothing.

    Run it as root or as the user of the daemon: others do not see every program that holds a port. Exit code 1 if something is
    wrong. The bundle holds no card, no key, no password and nothing of the record.

    \b
    Example:
      tablewarden doctor --config /etc/tablewarden/table.toml
      tablewarden doctor --config /etc/tablewarden/table.toml --bundle support.tar.gz
    """
    foreign = ""
    try:
        verify_own_packages()
    except ForeignPackage as exc:
        foreign = str(exc)
    status, why_not = _status(config)
    finding = examine(config, here=True)
    machine = gather(finding.config, finding.faults, status, why_not, version("tablewarden"), foreign)
    found = sicknesses(machine)
    show(to_builtins(found) if as_json else found, _page, as_json)
    if out is not None:
        try:
            names = bundle(out, machine, found, status, config)
        except OSError as exc:
            end(f"{out}: {exc.strerror}", UNREACHABLE)
        click.echo(f"{out}: written, with {', '.join(names)}", err=True)
    sys.exit(WRONG if any(not one.is_note for one in found) else 0)


def _status(config: Path) -> tuple[dict[str, Any] | None, str]:
    try:
        with ControlClient(socket_of(config)) as daemon:
            return daemon.ask("status"), ""
    except (ControlUnreachable, ControlFailed, ConfigInvalid) as exc:
        return None, str(exc)


def _page(found: list[Sickness]) -> list[str]:
    lines = [f"{'NOTE' if one.is_note else 'SICK'}  {one.code:22} {one.what}" for one in found]
    remedies = [[f"      do: {one.remedy}"] if one.remedy else [] for one in found]
    both = [text for line, remedy in zip(lines, remedies, strict=True) for text in (line, *remedy)]
    sick = sum(not one.is_note for one in found)
    return [*both, f"{sick} sick, {len(found) - sick} notes" if found else "nothing is wrong"]
