"""`tablewarden journal backup` and `restore`: a proved copy of a record, and what to do with it after a loss."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from controller.cli.arguments import A_PATH
from controller.cli.main import UNREACHABLE, WRONG, end
from controller.cli.progress import progress
from controller.journal.archive.backup import back_up
from controller.journal.archive.backup import restore as lay_beside
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.proof.keys import PublicKey
from controller.journal.vault.key_file import KeyUnusable

KEYS = click.option(
    "--key", "key_files", multiple=True, type=A_PATH, help="A public key of the table, to check it with."
)


def _done(
    work: Callable[[Sequence[PublicKey], Callable[[int, int], None]], Any], key_files: Sequence[Path]
) -> Any:
    try:
        keys = [PublicKey.load(file) for file in key_files]
        with progress("records") as told:
            return work(keys, told)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, KeyUnusable) as exc:
        end(str(exc), WRONG)


@click.command()
@click.argument("path", type=A_PATH)
@click.argument("copy", type=A_PATH)
@KEYS
def backup(path: Path, copy: Path, key_files: Sequence[Path]) -> None:
    """Copy a record, also while it is written, prove the copy, and lay its hash beside it (COPY.sha256).

    \b
    Example:
      tablewarden journal backup example.journal /media/usb/example-20260101.journal
    """
    made = _done(lambda keys, told: back_up(path, copy, keys=keys, progress=told), key_files)
    click.echo(f"{copy}: {made.report.records} records, proved; sha256 {made.sha256}")


@click.command()
@click.argument("copy", type=A_PATH)
@click.argument("path", type=A_PATH)
@KEYS
def restore(copy: Path, path: Path, key_files: Sequence[Path]) -> None:
    """After a loss: prove a copy and lay it beside the place of the record, for a new one to begin after it.

    The next start of the daemon begins a new record with an id of its own, whose first record names the copy, and is held until
    a supervisor has looked at the table. All commands that read a record read the copy too. Nothing is overwritten.

    \b
    Example:
      tablewarden journal restore /media/usb/example-20260101.journal /var/lib/tablewarden/example.journal
    """
    where, report = _done(lambda keys, told: lay_beside(copy, path, keys=keys, progress=told), key_files)
    click.echo(
        f"{where}: {report.records} records of journal {report.journal}, proved; start the daemon to go on after it"
    )
