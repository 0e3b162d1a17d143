"""`tablewarden backoffice verify`: the proof of what is stored, from the store and public keys alone."""

import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import click
from msgspec import json, to_builtins

from controller.backoffice.proving import side_by_side
from controller.backoffice.report.fact import table_of
from controller.backoffice.verify import FIRST_DAY, LAST_DAY, Grade, Proof
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG
from controller.cli.progress import progress
from controller.cli.store.arguments import A_FOLDER, FROM, KEYS_HELP, TABLES, Day, keys_at, reading, sources
from drivers.protocol.texts import plain, plain_json

_MARKS = {Grade.WRONG: "WRONG", Grade.PARTIAL: "NOT PROVEN", Grade.NOTE: "note"}


@click.command()
@FROM
@click.option("--keys", "folder", type=A_FOLDER, required=True, help=KEYS_HELP)
@TABLES
@click.option(
    "--since", type=Day(), help="The first day, by the date of recording in UTC.  [default: the first stored]"
)
@click.option("--until", type=Day(), help="The last day, itself included.  [default: now]")
@click.option(
    "--processes", type=click.IntRange(0, 256), default=0, help="Tables side by side.  [default: processors]"
)
@AS_JSON
def verify(
    address: str,
    folder: Path,
    tables: tuple[str, ...],
    since: date | None,
    until: date | None,
    processes: int,
    as_json: bool,
) -> None:
    """Prove what is stored: every hash, every number, every signature; name each hole.

    Exit code 0: complete and as published. 1: something is missing, changed or wrongly signed. 3: as published, but a part
    is not here (a hole that a table declares) or has no key to prove it; also where the store could not be reached.

    With --json each table is one line, so that a program needs no more memory for a thousand tables than for one.

    \b
    Example:
      tablewarden backoffice verify --from sqlite:backoffice.db --keys keys
      tablewarden backoffice verify --from postgresql://auditor@db/backoffice --keys keys --since 2026-01-01 --until 2026-01-31
    """
    wanted = sources(tables)
    keys_at(folder)
    wrong = partial = count = events = 0
    with reading(address), progress("events") as told:
        done = 0

        def more(step: int) -> None:
            nonlocal done
            done += step
            told(done, done)

        span = str(since or FIRST_DAY), str(until or LAST_DAY)
        for proof in side_by_side(address, folder, wanted, *span, processes, more):
            click.echo(
                plain_json(json.encode(document(proof)).decode())
                if as_json
                else "\n".join(map(plain, lines(proof)))
            )
            wrong, partial = wrong + proof.wrong, partial + proof.partial
            count, events = count + 1, events + proof.events
    if not as_json:
        state = (
            "NOT AS PUBLISHED"
            if wrong
            else "as published, but not all is proven"
            if partial
            else "complete and as published"
        )
        click.echo(f"{count} journals, {events} events: {state if count else 'nothing is stored'}")
    sys.exit(WRONG if wrong else UNREACHABLE if partial or not count else 0)


def document(proof: Proof) -> dict[str, Any]:
    """Returns a proof for a program."""
    made: dict[str, Any] = {"table": table_of(proof.source), "sound": not proof.wrong, **to_builtins(proof)}
    return made


def lines(proof: Proof) -> Iterator[str]:
    """Yields a proof for a person."""
    state = f"NOT AS PUBLISHED, {proof.wrong} faults" if proof.wrong else "sound"
    span = f", {proof.events} events from {proof.first} to {proof.last}" if proof.events else ""
    yield f"{table_of(proof.source)}: {state}{f', journal {proof.journal}' if proof.journal else ''}{span}"
    if proof.checkpoints:
        yield f"  signed by {proof.checkpoints} checkpoints"
    for hole in proof.holes:
        yield f"  {_MARKS[hole.grade]}  {hole.text} [{hole.code}]"
    if proof.unnamed:
        yield f"  and {proof.unnamed} more"
