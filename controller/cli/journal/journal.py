"""`tablewarden journal`: a record is proved and read without a daemon, also while one writes it."""

import errno
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import json

from controller.cli.arguments import A_PATH, LARGEST
from controller.cli.groups import Sentences
from controller.cli.journal.alarms import alarms
from controller.cli.journal.backup import backup, restore
from controller.cli.journal.drill import drill
from controller.cli.journal.evidence import evidence_command
from controller.cli.journal.keep import keep
from controller.cli.journal.lookback import lookback_command
from controller.cli.journal.meters import meters
from controller.cli.journal.next_key import next_key
from controller.cli.journal.prove import prove
from controller.cli.journal.replay import replay
from controller.cli.journal.verify import verify
from controller.cli.main import UNREACHABLE, WRONG, end
from controller.cli.progress import progress
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.proof.export import export_lines
from controller.journal.proof.keys import add_check, make_key
from controller.journal.record import Stream
from controller.journal.store import opened
from controller.journal.tail import tail as newest
from controller.journal.vault.key_file import KeyUnusable
from controller.text.status_page import event_line

INTERRUPTED = 130
"""What a shell says of whatever Ctrl-C ended: 1 would be a verdict on the record."""


class _Reading(Sentences):
    """What every command on a record says alike where it may not read or write, or is interrupted."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            end("interrupted before it was done; nothing is known of the record by it", INTERRUPTED)
        except OSError as exc:
            if exc.errno == errno.EPIPE:  # the reader has seen enough; click ends in silence
                raise
            where = exc.filename or "what it writes to"
            end(f"{where}: {exc.strerror or exc}", UNREACHABLE)


@click.group(cls=_Reading)
def journal() -> None:
    """Look at a record without a daemon: prove it, or read it. Never writes to it."""


@journal.command()
@click.option("--new", type=A_PATH, help="Where; the public half goes to FILE.pub.")
@click.option("--check", "old", type=A_PATH, help="Write the check to this file, which an earlier release made.")
def key(new: Path | None, old: Path | None) -> None:
    """Make the key that signs a table's record, and print its id. Nothing is ever overwritten.

    The daemon reads FILE (`key` in [journal]); a person who checks the record gets FILE.pub.

    \b
    Example:
      tablewarden journal key --new /etc/tablewarden/journal.key
      tablewarden journal key --check /etc/tablewarden/journal.key
    """
    if (new is None) is (old is None):
        raise click.UsageError("say either --new FILE or --check FILE")
    try:
        if new is not None:
            made = make_key(new)
            click.echo(f"{new}: key {made.id}; give {new}.pub to the people who check the record")
        elif old is not None:
            click.echo(f"{old}: key {add_check(old).id}, whole; a damaged file is found by its check from now on")
    except KeyUnusable as exc:
        end(str(exc), WRONG)


@journal.command()
@click.argument("path", type=A_PATH)
@click.option("-n", "last", type=click.IntRange(0, LARGEST), default=10, show_default=True, help="How many.")
@click.option("--all", "is_all", is_flag=True, help="All of them.")
@click.option("-f", "follow", is_flag=True, help="Go on with each new record.")
@click.option(
    "--stream", "streams", multiple=True, type=click.Choice(["main", "diag", "input"]), help="[default: all]"
)
@click.option("--json", "as_json", is_flag=True, help="For a program: one JSON object a line.")
def tail(path: Path, last: int, is_all: bool, follow: bool, streams: Sequence[str], as_json: bool) -> None:
    """Print the newest records, also of a record that a daemon writes just now.

    \b
    Example:
      tablewarden journal tail -f /var/lib/tablewarden/example.journal
    """
    wanted = [Stream(stream) for stream in streams] or list(Stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell started us with it ignored
    try:
        for record in newest(path, last=None if is_all else last, streams=wanted, follow=follow):
            click.echo(json.encode(record) if as_json else event_line(record))
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except JournalError as exc:
        end(str(exc), WRONG)
    except KeyboardInterrupt:
        sys.exit(0)


@journal.command()
@click.argument("path", type=A_PATH)
def export(path: Path) -> None:
    """Write the whole record as text that anybody can prove with sha256sum and openssl (docs/record.md).

    \b
    Example:
      tablewarden journal export example.journal > example.tsv
    """
    try:
        with progress("records") as told, opened(path, told) as view:
            for line in export_lines(view):
                click.echo(line, nl=False)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except JournalError as exc:
        end(str(exc), WRONG)


for command in (
    alarms,
    backup,
    drill,
    evidence_command,
    keep,
    lookback_command,
    meters,
    next_key,
    prove,
    replay,
    restore,
    verify,
):
    journal.add_command(command)
