"""`tablewarden journal lookback`: which rounds are touched when a set of cards turns out to be wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from controller.cli import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.control.money_page import money
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.store import opened
from controller.lookback import Evidence, Lookback, Touched, lookback, wager_document
from controller.progress import progress
from controller.publish.envelope import rfc3339
from controller.replay import NotReplayable
from controller.table.codec import UnknownKind

__all__ = ["lookback_command"]


@click.command("lookback")
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("back", metavar="SET")
@click.option(
    "--by",
    type=click.Choice([e.value for e in Evidence]),
    default="count",
    show_default=True,
    help="Which verdict on the set counts as good: its cards were counted, or each of them was read.",
)
@AS_JSON
def lookback_command(path: Path, back: str, by: str, as_json: bool) -> None:
    """List what was dealt from a set since it was last found to be right: rounds, seats, wagers and results.

    SET is the colour of its backs. Works on the live record too.

    \b
    Example:
      tablewarden journal lookback example.journal red
    """
    try:
        with progress("records") as told, opened(path, told) as view:
            found = lookback(view, back, Evidence(by))
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
        "rounds": [_round(touched) for touched in found.rounds],
    }


def _round(touched: Touched) -> dict[str, Any]:
    round_ = touched.round
    return {
        "round": round_.id,
        "number": round_.number,
        "began": rfc3339(touched.began_us),
        "ended": rfc3339(touched.ended_us) if touched.ended_us is not None else None,
        "void": round_.void,
        "seats": {
            str(number): {
                "folded": seat.folded,
                "void": seat.void,
                "wagers": {name: wager_document(wager) for name, wager in seat.wagers.items()},
            }
            for number, seat in round_.in_play.items()
        },
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
            wagers = ", ".join(_wager(name, wager) for name, wager in seat["wagers"].items())
            marks = "".join(f" {mark}" for mark in ("folded", "void") if seat[mark])
            yield f"  seat {number}{marks}: {wagers}"


def _wager(name: str, wager: dict[str, Any]) -> str:
    paid = (
        f" {wager['outcome']}, handed back {money(wager['returned'] + wager['paid'])}"
        if "outcome" in wager
        else ""
    )
    return f"{name} {money(wager['cents'])} {wager['fate']}{paid}"
