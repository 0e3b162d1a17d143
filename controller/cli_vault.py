"""`tablewarden vault`: the keys that seal which cards were told, and letting them out before the rules do."""

from pathlib import Path

import click

from controller.cli import WRONG, end
from controller.journal.key_file import KeyUnusable
from controller.journal.vault_keys import make_vault, renew_vault

__all__ = ["vault"]

A_PATH = click.Path(path_type=Path)


@click.group()
def vault() -> None:
    """The vault seals in the record which cards were told at the table, each round under a key of its own (docs/vault.md)."""


@vault.command()
@click.option("--new", "new", type=A_PATH, help="Make a vault here; nothing is ever overwritten.")
@click.option(
    "--renew", "old", type=A_PATH, help="Put a new key before those of this vault, which stay for old rounds."
)
def key(new: Path | None, old: Path | None) -> None:
    """Make the file of the keys that seal cards, or put a new key into it, and print the id of the key that seals now.

    The daemon reads it at its start (`vault` in [journal]). Who has it can read every sealed card; who has lost it, none that
    was not let out. Keep a copy where the record's copies are not.

    \b
    Example:
      tablewarden vault key --new /etc/tablewarden/vault.key
      tablewarden vault key --renew /etc/tablewarden/vault.key
    """
    if (new is None) is (old is None):
        raise click.UsageError("say either --new FILE or --renew FILE")
    try:
        if new is not None:
            click.echo(f"{new}: vault key {make_vault(new).id}; keep a copy where the record's copies are not")
        elif old is not None:
            made = renew_vault(old)
            click.echo(
                f"{old}: vault key {made.id} seals from the daemon's next start on; the others open what they sealed"
            )
    except KeyUnusable as exc:
        end(str(exc), WRONG)
