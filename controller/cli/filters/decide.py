"""`tablewarden decide`: the core as a filter between two streams. No daemon, no device, no journal, no clock."""

import sys
from dataclasses import replace
from pathlib import Path

import click
from msgspec import json

from controller.cli.arguments import A_FILE
from controller.cli.filters.stdin import lines_of
from controller.cli.main import USAGE, WRONG, end
from controller.config.load import SHA256, load_config, toml_of
from controller.config.model import ConfigInvalid, Elections, changed_since
from controller.config.table import DISPENSERS, TableConfig
from controller.filters.decide import DecideFilter
from controller.filters.decide_schema import input_schema, output_schema
from controller.readers.table import Scope, Table
from controller.rules.elections import BENCH, ElectionsInvalid, added, elect, proposals
from controller.rules.model import Rulebook
from controller.rules.read.library import RulebookUnknown, find
from controller.rules.read.loader import RulebookInvalid
from controller.rules.vocabulary import Method
from controller.table.state.table import DeviceSetup, Setup
from drivers.events import DeviceKind

CHIP_CENTS = 500
"""Worth of a progressive chip at the table that is taken where no --table is given."""


def _print_schema(ctx: click.Context, parameter: click.Parameter, which: str | None) -> None:
    if which is not None:
        made = input_schema() if which == "input" else output_schema()
        click.echo(json.format(json.encode(made), indent=2))
        ctx.exit()


@click.command()
@click.option("--rulebook", "rulebook_id", metavar="ID", required=True, help="By which rule document to decide.")
@click.option(
    "--elections",
    "elections_file",
    type=A_FILE,
    help="A TOML file with a section [elections], such as a table's.  [default: those of --table if it is under the "
    "same rulebook, else the proposed choice of every reading and the first of every house choice]",
)
@click.option(
    "--table",
    "table_file",
    type=A_FILE,
    help="The configuration of a table.  [default: all seats of the rulebook, shuffler-1, shoe-1 and progressive-1 "
    "where it has use for one, sets red and blue, cards from the dealing shoe, every optional wager offered, "
    "5.00 a progressive chip]",
)
@click.option(
    "--schema",
    type=click.Choice(["input", "output"]),
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of a line and end.",
)
def decide(rulebook_id: str, elections_file: Path | None, table_file: Path | None) -> None:
    """Decide inputs: JSON lines of inputs on standard input, JSON lines of facts on standard output.

    This is the core of the daemon and nothing else: no clock but the inputs' own `at`, nothing kept, nothing sent. It
    begins with a table that is closed and has heard no device. docs/decide.md has the lines and a worked example.

    A line that cannot be decided is answered with its number and the cause, and the next one is read; the exit code is
    then 1.

    \b
    Example:
      tablewarden decide --rulebook md-uth < docs/examples/shoe-jam.jsonl
      tablewarden journal tail --all --json --stream input example.journal | tablewarden decide \\
        --rulebook md-uth --table config/tables/example.toml
    """
    lines = DecideFilter(_setup(rulebook_id, elections_file, table_file))
    out = sys.stdout.buffer
    for line in lines_of(sys.stdin.buffer):
        out.write(lines.feed(line))
        out.flush()  # whoever pipes a live journal through sees each fact when it is decided
    sys.exit(WRONG if lines.bad else 0)


def _setup(rulebook_id: str, elections_file: Path | None, table_file: Path | None) -> Setup:
    """What to decide by. Raises `click.UsageError` with every fault of what was given."""
    try:
        rulebook = find(rulebook_id)
        config = load_config(table_file, alone=True) if table_file else None
        elections = elections_in(elections_file, rulebook_id, rulebook) if elections_file else None
        if elections is None and config is not None and config.table.rulebook == rulebook_id:
            elections = config.elections
        if elections is None:
            elections = {question: (choice, BENCH) for question, choice in proposals(rulebook).items()}
            click.echo(
                f"{rulebook_id}: every reading as proposed for benches, elected by nobody; not for play", err=True
            )
        if config is None:
            return example_setup(rulebook, with_added(rulebook, elections))
        elections = with_added(rulebook, elections)
        return replace(config, table=_under(config.table, rulebook_id), elections=elections).setup()
    except RulebookInvalid as exc:
        end(str(exc), USAGE)
    except (RulebookUnknown, ElectionsInvalid, ConfigInvalid) as exc:
        raise click.UsageError(str(exc)) from exc


def with_added(rulebook: Rulebook, elections: Elections) -> Elections:
    """These elections, with the proposed choice of each question that an update added since. Names them on standard error."""
    proposed = added(rulebook, elections)
    if not proposed:
        return elections
    named = ", ".join(f"{question} = {choice}" for question, choice in proposed.items())
    click.echo(
        f"{rulebook.id}: not elected, and new in this version; decided as proposed for benches, not for play: {named}",
        err=True,
    )
    return {**elections, **{question: (choice, BENCH) for question, choice in proposed.items()}}


def _under(table: TableConfig, rulebook_id: str) -> TableConfig:
    """The same table under this rulebook. The hash that was signed is its own rulebook's, and says nothing of another."""
    if table.rulebook == rulebook_id:
        return table
    if table.rulebook_sha256 is not None:
        click.echo(
            f"{rulebook_id}: not compared with a signed hash; the table's rulebook_sha256 is that of {table.rulebook}",
            err=True,
        )
    return replace(table, rulebook=rulebook_id, rulebook_sha256=None)


def example_setup(rulebook: Rulebook, elections: Elections) -> Setup:
    """The table that is taken where none is given: with everything that the rulebook, as elected, has a use for.

    Raises `ElectionsInvalid`.
    """
    law = elect(rulebook, elections)
    kinds = {DeviceKind.SHUFFLER, DeviceKind.SHOE, DeviceKind.PROGRESSIVE}
    for method, kind in DISPENSERS.items():
        if (allowed := law.rulebook.devices.get(method)) is not None and not allowed.value:
            kinds.discard(kind)
    wagers = law.rulebook.wagers
    if not any(wager.sensed for wager in wagers.values()):
        kinds.discard(DeviceKind.PROGRESSIVE)
    methods = [m for m in law.rulebook.dealing if DISPENSERS.get(m) is None or DISPENSERS[m] in kinds]
    return Setup(
        site=BENCH,
        table="example",
        seats=law.rulebook.seats.value,
        backs=("red", "blue") if DeviceKind.SHUFFLER in kinds else ("red",),
        method=Method.DEALING_SHOE if Method.DEALING_SHOE in methods else methods[0],
        devices={f"{kind}-1": DeviceSetup(f"{kind}-1", kind) for kind in sorted(kinds)},
        law=law,
        offered=frozenset(n for n, w in wagers.items() if w.optional and w.placed == "before_deal"),
        currency="USD",
        progressive_cents=_chip_cents(law.rulebook) if DeviceKind.PROGRESSIVE in kinds else 0,
    )


def _chip_cents(rulebook: Rulebook) -> int:
    """Worth of a progressive chip: what the document prints, else what is usual."""
    sensed = (rule.exact_cents for rule in rulebook.wagers.values() if rule.sensed)
    return next((exact.value for exact in sensed if exact is not None), CHIP_CENTS)


def elections_in(path: Path, rulebook_id: str, rulebook: Rulebook) -> Elections:
    """The section [elections] of a file; where it is a table's, it must be under this rulebook, as it was signed there.

    `rulebook_id`: as it was asked for, with its edition where one was named. Raises `ConfigInvalid`.
    """
    raw, data = toml_of(path)
    scope = Scope(data)
    root = Table(raw, "", scope)
    if "elections" not in root:
        root.fault(
            "[elections]",
            'is missing; a line of it is like "R-01" = { choice = "...", by = "..." }',
            "key_missing",
        )
    elections: dict[str, tuple[str, str]] = {}
    elected = root.table("elections")
    elected.maybe_day("questions_as_of")
    for question, section in elected.entries():
        elections[question] = (section.text("choice"), section.text("by"))
        section.close()
    table = root.table("table")
    named, signed = table.maybe_text("rulebook"), table.maybe_text("rulebook_sha256", SHA256)
    if named is not None and named != rulebook_id:
        table.fault(
            "rulebook",
            f"is {named}, and its elections are no answers to {rulebook_id}; give --rulebook {named}",
            "rulebook_other",
        )
    elif not scope.faults:
        scope.add(changed_since(signed, rulebook))
    if scope.faults:
        raise ConfigInvalid(path, scope.faults)
    return elections
