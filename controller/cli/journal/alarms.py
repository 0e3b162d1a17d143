"""`tablewarden journal alarms`: what was raised or held, who saw it when, and what was done about it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from controller.audit.alarm_history import alarms_told
from controller.audit.replay import NotReplayable
from controller.cli.arguments import A_PATH
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.progress import progress
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.opening import opened
from controller.table.words.codec import UnknownKind


@click.command()
@click.argument("path", type=A_PATH)
@AS_JSON
def alarms(path: Path, as_json: bool) -> None:
    """List every alarm and hold: when it was raised, who saw it when, and who ended it with what. Works on the live record too.

    \b
    Example:
      tablewarden journal alarms example.journal
    """
    try:
        with progress("records") as told, opened(path, told) as view:
            document = {"journal": view.description.id, "alarms": alarms_told(view)}
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, NotReplayable, UnknownKind) as exc:
        end(str(exc), WRONG)
    show(document, _page, as_json)


def _page(document: dict[str, Any]) -> Iterator[str]:
    if not document["alarms"]:
        yield "no alarm and no hold is on record"
    for told in document["alarms"]:
        round_ = f" in round {told['round']}" if told["round"] else ""
        yield f"{told['raised']}  {told['id']}{round_}: {told['what']}"
        yield from (f"  {time}  it came again" for time in told["again"])
        yield from (f"  {seen['time']}  seen by {seen['by']} ({seen['role']})" for seen in told["seen"])
        ended = told["ended"]
        if ended is None:
            yield "  STILL OPEN"
        else:
            found = f": {ended['found']}" if ended["found"] else ""
            yield f"  {ended['time']}  ended by {ended['by']} ({ended['role']}){found}"
