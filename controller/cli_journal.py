"""`tablewarden journal`: a record is proved and read without a daemon, also while one writes it."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import json

from controller.cli import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli_backup import backup, restore
from controller.cli_lookback import lookback_command
from controller.cli_replay import replay
from controller.control.page import event_line
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.export import export_lines
from controller.journal.findings import Report
from controller.journal.keys import KeyUnusable, PublicKey, make_key
from controller.journal.record import Stream
from controller.journal.store import opened
from controller.journal.tail import tail as newest
from controller.journal.verify import verify as prove
from controller.journal.witness import HeadKept, HeadUnreadable, heads_in
from controller.progress import progress

__all__ = ["journal"]

A_PATH = click.Path(path_type=Path)


def _verdict(report: Report, keys: Sequence[PublicKey]) -> dict[str, Any]:
    seals = report.seals
    return {
        "path": str(report.path),
        "journal": report.journal,
        "sound": report.ok,
        "records": report.records,
        "heads": {s.value: {"sequence": h.sequence, "hash": h.recordhash.hex()} for s, h in report.heads.items()},
        "checkpoints": {
            "found": seals.found,
            "proved": seals.proved,
            "through": seals.through,
            "after": report.order - seals.through,
            "keys": [key.id for key in keys],
            "strange_keys": dict(seals.strange),
        },
        "faults": [str(fault) for fault in report.faults],
    }


def _verdict_page(verdict: dict[str, Any]) -> list[str]:
    """Lines for a person; the heads are what to compare with a head that somebody else holds."""
    state = "sound" if verdict["sound"] else f"NOT AS IT WAS WRITTEN, {len(verdict['faults'])} faults"
    return [
        f"{verdict['path']}: {state}, journal {verdict['journal']}, {verdict['records']} records",
        *(f"  head   {stream} {head['sequence']} {head['hash']}" for stream, head in verdict["heads"].items()),
        *_seal_lines(verdict["checkpoints"]),
        *(f"  WRONG  {fault}" for fault in verdict["faults"]),
    ]


def _seal_lines(seals: dict[str, Any]) -> list[str]:
    if not seals["found"]:
        return ["  signed nothing: this record has no checkpoint"]
    lines = [
        f"  WRONG KEY  {count} checkpoints are signed by {key}, given is {', '.join(seals['keys'])}"
        for key, count in seals["strange_keys"].items()
    ]
    if not seals["keys"]:
        lines.append(f"  signed {seals['found']} checkpoints; nobody checked them: give --key PUBLIC")
    elif seals["proved"]:
        lines.append(
            f"  signed {seals['proved']} of {seals['found']} checkpoints by {', '.join(seals['keys'])}, through order "
            f"{seals['through']}; {seals['after']} records came after"
        )
    return lines


@click.group()
def journal() -> None:
    """Look at a record without a daemon: prove it, or read it. Never writes to it."""


@journal.command()
@click.argument("path", type=A_PATH)
@click.option(
    "--key", "key_files", multiple=True, type=A_PATH, help="A public key of the table, PEM; may be repeated."
)
@click.option(
    "--against",
    multiple=True,
    help="A head that somebody else holds: STREAM:SEQUENCE:HASH, or a file of events, of a checkpoint, or of an earlier "
    "verdict (--json); may be repeated.",
)
@AS_JSON
def verify(path: Path, key_files: Sequence[Path], against: Sequence[str], as_json: bool) -> None:
    """Prove a record: every hash is computed anew, every fault named. Exit code 1 if it is not as it was written.

    Works on a copy, and on any machine. --key finds a record that was written anew, --against one whose end was cut off.

    \b
    Example:
      tablewarden journal verify example.journal --key table.pub --against main:4711:0f3a...
    """
    try:
        keys = [PublicKey.load(file) for file in key_files]
        heads = [head for given in against for head in _heads(given)]
        with progress("records") as told:
            report = prove(path, keys=keys, against=heads, progress=told)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, KeyUnusable, HeadUnreadable) as exc:
        end(str(exc), WRONG)
    show(_verdict(report, keys), _verdict_page, as_json)
    sys.exit(0 if report.ok and not (keys and report.seals.strange) else WRONG)


def _heads(given: str) -> list[HeadKept]:
    """From a file where there is one of that name, else from the text itself."""
    file = Path(given)
    if ":" in given and not file.exists():
        return heads_in(given)
    try:
        return heads_in(file.read_text())
    except (OSError, UnicodeDecodeError) as exc:
        raise HeadUnreadable(f"--against {given}: cannot be read: {exc}") from exc
    except HeadUnreadable as exc:
        raise HeadUnreadable(f"--against {given}: {exc}") from exc


@journal.command()
@click.option("--new", "file", required=True, type=A_PATH, help="Where; the public half goes to FILE.pub.")
def key(file: Path) -> None:
    """Make the key that signs a table's record, and print its id. Nothing is ever overwritten.

    The daemon reads FILE (`key` in [journal]); whoever shall check the record gets FILE.pub.

    \b
    Example:
      tablewarden journal key --new /etc/tablewarden/journal.key
    """
    try:
        made = make_key(file)
    except KeyUnusable as exc:
        end(str(exc), WRONG)
    click.echo(f"{file}: key {made.id}; give {file}.pub to whoever shall check the record")


@journal.command()
@click.argument("path", type=A_PATH)
@click.option("-n", "last", type=click.IntRange(min=0), default=10, show_default=True, help="How many.")
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
        with opened(path) as view, progress("records") as told:
            of = view.last()[1] - view.description.order_before
            for done, line in enumerate(export_lines(view)):
                click.echo(line, nl=False)
                told(done, of)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except JournalError as exc:
        end(str(exc), WRONG)


for command in (backup, lookback_command, replay, restore):
    journal.add_command(command)
