"""`tablewarden journal next-key`: lets the key that signs a record name the one that follows it."""

from pathlib import Path

import click

from controller.cli.arguments import A_FILE
from controller.cli.main import WRONG, acting, ask, client, end, reaching
from controller.journal.proof.keys import PublicKey
from controller.journal.vault.key_file import KeyUnusable


@click.command("next-key")
@click.argument("public", type=A_FILE)
@click.option("--reason", required=True, help="Why; it goes on record.")
@acting
@reaching
def next_key(public: Path, reason: str, who: str, role: str, socket: Path | None, config: Path | None) -> None:
    """Name the key that signs the record from the next start on; for a supervisor, while the old key is in use.

    PUBLIC is the public half of the new key (`tablewarden journal key --new`). The old key signs both, and that goes on record.
    Then change `key` in [journal] and restart the daemon. A start with a key that nobody named holds the table.

    \b
    Example:
      tablewarden journal next-key new.key.pub --reason "a key a year" --who sam --role supervisor
    """
    try:
        key = PublicKey.load(public)
    except KeyUnusable as exc:
        end(str(exc), WRONG)
    digits = key.raw.hex()
    told = ask(client(socket, config), "next_key", public=digits, reason=reason, who=who, role=role)
    click.echo(
        f"key {key.id} follows, on record as {told['stream']} {told['sequence']}; restart the daemon with it"
    )
