"""`tablewarden vault`: the keys that seal card identities, and opening them before the rules do."""

from datetime import UTC, datetime
from pathlib import Path

import click

from controller.cli.arguments import A_PATH
from controller.cli.groups import Sentences
from controller.cli.main import WRONG, acting, ask, client, end, reaching
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.vault.vault_keys import check_vault, make_vault, renew_vault


@click.group(cls=Sentences)
def vault() -> None:
    """Seal card identities in the record, each round under a key of its own (docs/vault.md)."""


@vault.command()
@click.option("--new", "new", type=A_PATH, help="Make a vault here; nothing is ever overwritten.")
@click.option(
    "--renew", "old", type=A_PATH, help="Put a new key before those of this vault, which stay for old rounds."
)
@click.option(
    "--check", "unchecked", type=A_PATH, help="Write the check into this file, which an earlier release made."
)
def key(new: Path | None, old: Path | None, unchecked: Path | None) -> None:
    """Make the file of the keys that seal cards, or put a new key into it, and print the id of the key that seals now.

    The daemon reads it at its start (`vault` in [journal]). Who has it can read every sealed card; who has lost it, none that
    is not open yet. Keep a copy where the record's copies are not.

    \b
    Example:
      tablewarden vault key --new /etc/tablewarden/vault.key
      tablewarden vault key --renew /etc/tablewarden/vault.key
      tablewarden vault key --check /etc/tablewarden/vault.key
    """
    if sum(path is not None for path in (new, old, unchecked)) != 1:
        raise click.UsageError("say one of --new FILE, --renew FILE and --check FILE")
    try:
        if new is not None:
            click.echo(f"{new}: vault key {make_vault(new).id}; keep a copy where the record's copies are not")
        elif old is not None:
            made = renew_vault(old)
            click.echo(
                f"{old}: vault key {made.id} seals from the daemon's next start on; the others open what they sealed"
            )
        elif unchecked is not None:
            ids = ", ".join(check_vault(unchecked))
            click.echo(
                f"{unchecked}: vault keys {ids}, each with its check; a damaged line is found by it from now on"
            )
    except KeyUnusable as exc:
        end(str(exc), WRONG)


REASON = click.option("--reason", required=True, help="Why; it goes on record.")


@vault.command(name="open")
@click.argument("round_id", metavar="ROUND")
@REASON
@acting
@reaching
def open_round(round_id: str, reason: str, who: str, role: str, socket: Path | None, config: Path | None) -> None:
    """Open a round's sealed cards before the rules do, or refused ones; for a supervisor.

    From then on everybody who has the record can read them (`tablewarden journal prove`). ROUND is its id, or - for cards
    recorded outside of rounds.

    \b
    Example:
      tablewarden vault open uth-017-412 --reason "dispute at seat 3" --who sam --role supervisor
    """
    round_id = "" if round_id == "-" else round_id
    told = ask(client(socket, config), "open_round", round=round_id, reason=reason, who=who, role=role)
    click.echo(f"opened, on record as {told['stream']} {told['sequence']}")


@vault.command()
@click.option(
    "--before", required=True, help="Time (RFC 3339) or date, UTC where it does not say; at least 7 days ago."
)
@REASON
@acting
@reaching
def erase(before: str, reason: str, who: str, role: str, socket: Path | None, config: Path | None) -> None:
    """Erase the keys of all rounds before a time, so that nobody can read their cards any more; for a supervisor.

    The records stay and still prove. The second place follows within an hour; other copies of the record that were taken before
    still hold the keys.

    \b
    Example:
      tablewarden vault erase --before 2026-01-01 --reason "retention of 90 days" --who sam --role supervisor
    """
    try:
        when = datetime.fromisoformat(before)
    except ValueError as exc:
        raise click.UsageError(
            f"--before {before!r} is no time such as 2026-01-01 or 2026-01-01T06:00:00Z"
        ) from exc
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    before_us = round(when.timestamp() * 1_000_000)
    is_more = True
    while is_more:
        told = ask(client(socket, config), "erase_cards", before_us=before_us, reason=reason, who=who, role=role)
        is_more = told["more"]
        click.echo(
            f"erased through order {told['data']['through']}, on record as {told['stream']} {told['sequence']}"
        )
