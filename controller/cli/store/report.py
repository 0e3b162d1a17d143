"""`tablewarden backoffice report`: what a day was, for people and for programs."""

from datetime import date
from pathlib import Path

import click
from msgspec import json

from controller.backoffice.report.build import report as made
from controller.backoffice.report.pages import csv_text, page
from controller.cli.store.arguments import A_FOLDER, FROM, KEYS_HELP, TABLES, Day, keys_at, reading, sources
from drivers.protocol.texts import plain_json


@click.command()
@FROM
@click.option("--day", type=Day(), required=True, help="The gaming day of each table, else the date in UTC.")
@TABLES
@click.option("--keys", "folder", type=A_FOLDER, help=KEYS_HELP)
@click.option("--format", "form", type=click.Choice(["page", "csv", "json"]), default="page", show_default=True)
def report(address: str, day: date, tables: tuple[str, ...], folder: Path | None, form: str) -> None:
    """Write the report of a day: completeness, voids and what had been paid by then, miscounts, progressive, alarms and how
    long until a person answered, dispositions by clause, readings in force, rounds.

    Without --keys the chain is checked and no signature; the report says so. Faults do not change the exit code: ask `verify`.

    \b
    Example:
      tablewarden backoffice report --from sqlite:backoffice.db --day 2026-01-31 --keys keys > 2026-01-31.html
      tablewarden backoffice report --from sqlite:backoffice.db --day 2026-01-31 --format csv
    """
    wanted, keys = sources(tables), keys_at(folder) if folder else None
    with reading(address) as store:
        document = made(store, day, wanted, keys)
    match form:
        case "page":
            click.echo(page(document), nl=False)
        case "csv":
            click.echo(csv_text(document), nl=False)
        case _:
            click.echo(plain_json(json.format(json.encode(document), indent=2).decode()))
