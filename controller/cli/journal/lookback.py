"""`tablewarden journal lookback`: which rounds are touched when a set of cards turns out to be wrong."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import click

from controller.audit.day_rounds import known_days
from controller.audit.lookback import Evidence, Lookback, lookback
from controller.audit.replay import NotReplayable
from controller.audit.rounds_of_set import Touched, WagerTold
from controller.cli.arguments import A_PATH
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.progress import progress
from controller.clock import rfc3339
from controller.journal.archive.shelf import beside
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.store import opened
from controller.table.words.codec import UnknownKind
from controller.text.money import money, stake


@click.command("lookback")
@click.argument("path", type=A_PATH)
@click.argument("back", metavar="SET")
@click.option(
    "--by",
    type=click.Choice([e.value for e in Evidence]),
    default="count",
    show_default=True,
    help="Which verdict on the set counts as good: its cards were counted, or each of them was read.",
)
@click.option(
    "--anew", is_flag=True, help="From the record alone, without what was worked out of closed days before."
)
@AS_JSON
def lookback_command(path: Path, back: str, by: str, anew: bool, as_json: bool) -> None:
    """List what was dealt from a set since it was last found to be right: rounds, seats, wagers and results.

    SET is the colour of its backs. Works on the live record too. Of each day it takes what the daemon has worked out beside
    the segments, so that a month takes a moment; --anew reads the record instead.

    \b
    Example:
      tablewarden journal lookback example.journal red
    """
    try:
        with progress("records") as told, opened(path, told) as view:
            days = (
                ()
                if anew
                else known_days(view, path if path.is_dir() else beside(path.resolve(), view.description.id))
            )
            found = lookback(view, back, Evidence(by), days)
            document = _document(found, view.description.id)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, NotReplayable, UnknownKind) as exc:
        end(str(exc), WRONG)
    show(document, _page, as_json)


def _document(found: Lookback, journal: str) -> dict[str, Any]:
    since = found.since
    return {
        "set": found.back,
        "since": since
        and {"id": f"{journal}-main-{since.sequence}", "kind": since.kind, "time": rfc3339(since.time_us)},
        "days_worked_out": found.days,
        "rounds": [_round(touched) for touched in found.rounds],
    }


def _round(touched: Touched) -> dict[str, Any]:
    return {
        "round": touched.id,
        "number": touched.number,
        "began": rfc3339(touched.began_us),
        "ended": rfc3339(touched.ended_us) if touched.ended_us is not None else None,
        "void": touched.void,
        "seats": touched.seats,
    }


def _page(document: dict[str, Any]) -> Iterator[str]:
    since, rounds = document["since"], document["rounds"]
    when = (
        f"since {since['kind']} at {since['time']} ({since['id']})"
        if since
        else "never found right in this record"
    )
    yield f"{document['set']} set: {len(rounds)} rounds dealt, {when}"
    for told in rounds:
        state = " VOID" if told["void"] else ""
        yield f"{told['began']}  {told['round']}, number {told['number']}{state}{'' if told['ended'] else ', in play'}"
        for number, seat in told["seats"].items():
            wagers = ", ".join([_wager(name, wager) for name, wager in seat.wagers.items()])
            marks = " folded" * seat.folded + " void" * seat.void
            yield f"  seat {number}{marks}: {wagers}"


@lru_cache(maxsize=4096)  # in a month of play there are few that no other is like
def _wager(name: str, wager: WagerTold) -> str:
    paid = ""
    if wager.outcome is not None:
        back = f", handed back {money((wager.returned or 0) + (wager.paid or 0))}" if wager.cents else ""
        paid = f" {wager.outcome}{back}"
    return f"{name} {stake(wager.cents)} {wager.fate}{paid}"
