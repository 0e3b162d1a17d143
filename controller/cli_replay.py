"""`tablewarden journal replay`: the table as it was, and every recorded input decided anew."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from controller.cli import A_FILE, AS_JSON, UNREACHABLE, WRONG, end, show
from controller.config import ConfigInvalid
from controller.config_file import load_config
from controller.control.page import status_page
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.store import opened
from controller.journal.view import JournalView
from controller.progress import progress
from controller.publish.envelope import rfc3339
from controller.replay import Difference, NotReplayable, Seen, differences, table_at
from controller.status import device_document, table_document
from controller.table.codec import UnknownKind
from controller.table.state import Setup

__all__ = ["replay"]

A_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("path", type=A_PATH)
@click.option(
    "--at", help="Show the table at this time (RFC 3339), or as this round was (its id or number) before it ended."
)
@click.option(
    "--verify", "is_verify", is_flag=True, help="Decide every recorded input anew and list what differs."
)
@click.option(
    "--config", type=A_FILE, help="Decide by this table instead of the one that each start put on record."
)
@AS_JSON
def replay(path: Path, at: str | None, is_verify: bool, config: Path | None, as_json: bool) -> None:
    """Play a record again: show the table as it was, or find where today's rules would decide otherwise.

    \b
    Example:
      tablewarden journal replay example.journal --at 2026-01-01T21:15:00Z
      tablewarden journal replay example.journal --at 417
      tablewarden journal replay example.journal --verify
    """
    if (at is None) is not is_verify:
        raise click.UsageError("say either --at TIME or ROUND, or --verify")
    try:
        given = load_config(config).setup() if config else None
        with opened(path) as view:
            if at is not None:
                _show(view, at, given, as_json)
            else:
                _verify(view, given, as_json)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, NotReplayable, ConfigInvalid, UnknownKind) as exc:
        end(str(exc), WRONG)


def _show(view: JournalView, at: str, given: Setup | None, as_json: bool) -> None:
    time_us = _time_us(at)
    seen = table_at(view, time_us=time_us, round_id="" if time_us is not None else at, given=given)
    document = _document(seen, view.description.id)
    show(
        document,
        lambda d: [f"as of {d['as_of']['time']}, order {d['as_of']['order']}", "", *status_page(d)],
        as_json,
    )


def _document(seen: Seen, journal: str) -> dict[str, Any]:
    """The status as it would have been, without links and broker."""
    state, last = seen.state, seen.record
    document = table_document(seen.setup, state)
    document["devices"] = {name: device_document(name, device) for name, device in state.devices.items()}
    document["as_of"] = {"time": rfc3339(last.time_us), "order": last.order, "id": last.id(journal)}
    return document


def _verify(view: JournalView, given: Setup | None, as_json: bool) -> None:
    found: list[Difference] = []
    count, of = 0, view.last()[1] - view.description.order_before
    with progress("records") as told:
        for said, difference in differences(view, given):
            count += 1
            told(said.order - view.description.order_before, of)
            found += [difference] if difference else []
    document = {
        "journal": view.description.id,
        "inputs": count,
        "differences": [
            {"input": d.input.sequence, "kind": d.input.kind, "was": d.was, "now": d.now} for d in found
        ],
    }
    page = [
        f"{count} inputs decided anew: {len(found) or 'no'} differences",
        *(line for d in found for line in d.lines()),
    ]
    show(document, lambda _: page, as_json)
    sys.exit(WRONG if found else 0)


def _time_us(at: str) -> int | None:
    """None for what is no time, which then names a round."""
    try:
        when = datetime.fromisoformat(at)
    except ValueError:
        return None
    if at.isdigit():
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return round(when.timestamp() * 1_000_000)
