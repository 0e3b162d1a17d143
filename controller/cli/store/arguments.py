"""The options by which commands find a store, and what they look at in it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import click

from controller.backoffice.store.reading import Reading, StoreUnreachable, opened
from controller.backoffice.verify import keys_in
from controller.cli.arguments import Place
from controller.cli.main import UNREACHABLE, WRONG, end
from controller.journal.proof.keys import PublicKey
from controller.journal.vault.key_file import KeyUnusable

A_FOLDER = Place(exists=True, file_okay=False)
KEYS_HELP = "A folder with the tables' public keys: SITE_TABLE.pub, a second one SITE_TABLE.2.pub."
FROM = click.option(
    "--from", "address", required=True, envvar="TABLEWARDEN_STORE", metavar="STORE",
    help="The store: sqlite:FILE or postgresql://USER@HOST/DATABASE.",
)  # fmt: skip
TABLES = click.option(
    "--tables",
    multiple=True,
    metavar="SITE/TABLE",
    help="Of these tables only; several apart by commas, or repeated.",
)


class Day(click.ParamType[date]):
    """A date such as 2026-01-31."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """Returns the date; fails for what is none."""
        try:
            return value if isinstance(value, date) else date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no day; write it as 2026-01-31", param, ctx)


def sources(tables: tuple[str, ...]) -> list[str]:
    """Returns the sources of tables as people write them, `lv01/uth-017`."""
    found = [name for given in tables for name in given.split(",") if name]
    if wrong := [name for name in found if name.count("/") != 1]:
        raise click.BadParameter(f"{wrong[0]!r} is no table; write SITE/TABLE", param_hint="--tables")
    return [f"urn:tablewarden:{name.replace('/', ':')}" for name in found]


@contextmanager
def reading(address: str) -> Iterator[Reading]:
    """A store, open for reading; ends the command where it is not there, or goes away."""
    try:
        with closing(opened(address)) as store:
            yield store
    except StoreUnreachable as exc:
        end(str(exc), UNREACHABLE)


def keys_at(folder: Path) -> dict[str, list[PublicKey]]:
    """Reads public keys; ends the command where a file holds none."""
    try:
        return keys_in(folder)
    except KeyUnusable as exc:
        end(str(exc), WRONG)
