"""`tablewarden settle`: rounds of play in, what each wager comes to out. No table, no device, no journal, no clock."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import DecodeError, json

from controller.cli.arguments import A_FILE
from controller.cli.filters.stdin import lines_of
from controller.cli.main import WRONG
from controller.filters.settle import SettleFilter
from controller.games.settling.round import RoundRefused, Terms
from controller.readers.json import MAX_LINE
from controller.rules.elections import BENCH, ElectionsInvalid, elect, proposals
from controller.rules.read.library import RulebookUnknown, find
from controller.rules.read.loader import RulebookInvalid


def _print_schema(ctx: click.Context, parameter: click.Parameter, which: str | None) -> None:
    if which is not None:
        from controller.filters.settle_schema import input_schema, output_schema  # the words of all facts

        made = input_schema() if which == "input" else output_schema()
        click.echo(json.format(json.encode(made), indent=2))
        ctx.exit()


@click.command()
@click.option("--rulebook", "rulebook_id", metavar="ID", required=True, help="By which rule document to settle.")
@click.option(
    "--elections",
    "elections_file",
    type=A_FILE,
    help="A TOML file with a section [elections], such as a table's; currency and payouts of its [table] and its [limits] are "
    "taken too.  [default: the proposed choice of every reading and the first of every house choice; USD]",
)
@click.option(
    "--schema",
    type=click.Choice(["input", "output"]),
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of a line and end.",
)
def settle(rulebook_id: str, elections_file: Path | None) -> None:
    """Settle rounds: a round as a JSON line on standard input, its settlement as a JSON line on standard output.

    Each wager gets its outcome, what is returned of it and what is paid, in cents, with the clause or the reading that says
    so. What the document leaves open and nobody elected is held, never guessed; so is a hand with a card that was not read.
    docs/settle.md has the lines, and a worked round of every game.

    One round alone may be laid out over several lines. A line that cannot be settled is answered with its number and the
    cause, and the next one is read; the exit code is then 1.

    \b
    Example:
      tablewarden settle --rulebook ma-uth < docs/examples/settle-ma-uth.jsonl
      tablewarden settle --rulebook md-uth --elections config/tables/example.toml < rounds.jsonl
    """
    rounds = _filter(rulebook_id, elections_file)
    out = sys.stdout.buffer
    for given in _rounds_in(lines_of(sys.stdin.buffer)):
        out.write(rounds.feed(given))
        out.flush()
    sys.exit(WRONG if rounds.bad else 0)


def _rounds_in(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Line by line; or all of it, where it is one object that somebody laid out over several lines."""
    first: list[bytes] = []
    for line in lines:
        first.append(line)
        if len(first) == 1 and (not line.lstrip().startswith(b"{") or _is_json(line)):
            break
        if sum(map(len, first)) > MAX_LINE:
            break
    whole = b"".join(first)
    yield from [whole] if len(first) > 1 and _is_json(whole) else first
    yield from lines


def _is_json(text: bytes) -> bool:
    try:
        json.decode(text)
    except (DecodeError, RecursionError):
        return False
    return True


def _filter(rulebook_id: str, elections_file: Path | None) -> SettleFilter:
    """What to settle by. Raises `click.UsageError` with every fault of what was given."""
    try:
        rulebook = find(rulebook_id)
        if elections_file is None:
            elections = {question: (choice, BENCH) for question, choice in proposals(rulebook).items()}
            click.echo(
                f"{rulebook_id}: every reading as proposed for benches, elected by nobody; not for play", err=True
            )
            return SettleFilter(elect(rulebook, elections), Terms("USD"))
        from controller.cli.filters.by_table import by_table  # the configuration brings devices and links along

        return by_table(rulebook, rulebook_id, elections_file)
    except (RulebookUnknown, RulebookInvalid, ElectionsInvalid, RoundRefused) as exc:
        raise click.UsageError(str(exc)) from exc
