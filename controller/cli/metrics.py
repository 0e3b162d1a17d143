"""`tablewarden metrics`: the figures of a table for Prometheus."""

from pathlib import Path

import click

from controller.cli.main import ask, client, reaching
from controller.text.prometheus import daemon_families, exposition


@click.command()
@reaching
def metrics(socket: Path | None, config: Path | None) -> None:
    """Print the table's figures in Prometheus's text format, for the textfile collector of its node exporter.

    \b
    Example:
      tablewarden metrics
    """
    click.echo("\n".join(exposition(daemon_families(ask(client(socket, config), "status")))))
