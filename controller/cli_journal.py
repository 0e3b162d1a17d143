"""`tablewarden journal`: a record is proved and read without a daemon, also while one writes it."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import json

from controller.cli import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.control.page import event_line
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.record import Stream
from controller.journal.tail import tail as newest
from controller.journal.verify import Report
from controller.journal.verify import verify as prove

__all__ = ["journal"]


def _verdict(report: Report) -> dict[str, Any]:
    return {
        "path": str(report.path),
        "journal": report.journal,
        "sound": report.ok,
        "records": report.records,
        "heads": {s.value: {"sequence": h.sequence, "hash": h.recordhash.hex()} for s, h in report.heads.items()},
        "faults": [str(fault) for fault in report.faults],
    }


def _verdict_page(verdict: dict[str, Any]) -> list[str]:
    """Lines for a person; the heads are what to compare with a head that somebody else holds."""
    state = "sound" if verdict["sound"] else f"NOT AS IT WAS WRITTEN, {len(verdict['faults'])} faults"
    return [
        f"{verdict['path']}: {state}, journal {verdict['journal']}, {verdict['records']} records",
        *(f"  head   {stream} {head['sequence']} {head['hash']}" for stream, head in verdict["heads"].items()),
        *(f"  WRONG  {fault}" for fault in verdict["faults"]),
    ]


@click.group()
def journal() -> None:
    """Look at a record without a daemon: prove it, or read it. Never writes."""


@journal.command()
@click.argument("path", type=click.Path(path_type=Path))
@AS_JSON
def verify(path: Path, as_json: bool) -> None:
    """Prove a record: every hash is computed anew, every fault named. Exit code 1 if it is not as it was written.

    \b
    Example:
      tablewarden journal verify /var/lib/tablewarden/example.journal
    """
    try:
        report = prove(path)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except JournalError as exc:
        end(str(exc), WRONG)
    show(_verdict(report), _verdict_page, as_json)
    sys.exit(0 if report.ok else WRONG)


@journal.command()
@click.argument("path", type=click.Path(path_type=Path))
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
