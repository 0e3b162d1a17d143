"""`tablewarden bench`: rounds on simulated parts, judged by an observer."""

import asyncio
import difflib
import os
import sqlite3
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import click
import msgspec

from controller.cli.arguments import A_PATH, Finite, Place
from controller.cli.crowd import crowd
from controller.cli.main import USAGE, end
from controller.control.endpoint import MAX_PATH
from controller.journal.vault.key_file import KeyUnusable
from controller.rules.elections import ElectionsInvalid
from controller.rules.read.library import RulebookUnknown
from controller.rules.read.loader import RulebookInvalid
from controller.rules.vocabulary import Method
from controller.table.state.table import DISPENSERS
from controller.table.words.facts import FACTS
from simulators.bench.broker import BrokerUnusable, address
from simulators.bench.children import ChildFailed
from simulators.bench.expected import EXPECTED
from simulators.bench.observer.evidence import State
from simulators.bench.options import LINKS, METHODS, Options
from simulators.bench.possible import why_not
from simulators.bench.report import document, page
from simulators.bench.run import Outcome, run
from simulators.crew.scenario import MISHAPS, Mishap, ScenarioError
from simulators.scenario.script import BUS, LINES, ScriptError

BROKEN, CANNOT_RUN = 1, 3
LONGEST_NAME = "/progressive-1.ctl"
"""Of the sockets in the private directory of a run."""

_WHAT_CAN_GO_WRONG = "\b\nMishaps (NAME@ROUND):\n" + "\n".join(
    f"  {name:26}{scene.effect}" for name, scene in MISHAPS.items()
)


def _mishaps(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    try:
        for text in given:
            Mishap.parse(text)
    except ScenarioError as exc:
        raise click.BadParameter(str(exc)) from None
    return given


def _elections(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    if any(not sign for _, sign, _ in pairs):
        raise click.BadParameter("an election is written READING=CHOICE, as R-22=return")
    if again := [reading for reading, n in Counter(reading for reading, _, _ in pairs).items() if n > 1]:
        raise click.BadParameter(f"{again[0]} is elected twice; a reading has one choice")
    return {reading: choice for reading, _, choice in pairs}


def _broker(context: click.Context, parameter: click.Parameter, given: str) -> str:
    try:
        address(given)
    except BrokerUnusable as exc:
        raise click.BadParameter(str(exc)) from None
    return given


def _whole_path(context: click.Context, parameter: click.Parameter, given: Path | None) -> Path | None:
    """Makes the path absolute: daemon and devices read it in files of another folder."""
    return None if given is None else given.absolute()


def _journal(context: click.Context, parameter: click.Parameter, given: Path | None) -> Path | None:
    if given is not None and not given.absolute().parent.is_dir():
        raise click.BadParameter(f"{given.absolute().parent}: no such folder; make it first")
    return _whole_path(context, parameter, given)


def _keep(context: click.Context, parameter: click.Parameter, given: Path | None) -> Path | None:
    found = _whole_path(context, parameter, given)
    if found is not None and (over := len(os.fsencode(found)) + len(LONGEST_NAME) - MAX_PATH) > 0:
        raise click.BadParameter(
            f"{found} is {over} bytes too long for the sockets of a run; choose a shorter path"
        )
    return found


@click.command(
    epilog=_WHAT_CAN_GO_WRONG + "\n\nA device's own fault: DEVICE.FAULT@ROUND, as shoe.power_loss@3:for=1."
    "\n\nA scenario is a file (docs/scenarios.md) of the device as it is built here; config/scenarios has some."
)
@click.option(
    "--rulebook",
    type=click.Choice(sorted(EXPECTED)),
    default="md-uth",
    show_default=True,
    help="Which document rules the table.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default=None,
    help="How cards are dealt.  [default: by an automated shoe where the table may have one, else from a manual shoe]",
)
@click.option("--rounds", type=click.IntRange(min=0), default=10, show_default=True, help="0 = until stopped.")
@click.option("--speed", type=Finite(0.1, 1000), default=20.0, show_default=True, help="Times real speed.")
@click.option("--fault", "mishaps", multiple=True, metavar="NAME@ROUND", callback=_mishaps, help="See below.")
@click.option("--scenario", type=A_PATH, default=None, help="What happens to a device; see below.")
@click.option(
    "--broker",
    default="auto",
    show_default=True,
    callback=_broker,
    help="auto, iotcore, memory or mqtt://host:port.",
)
@click.option("--journal", type=Place(dir_okay=False), callback=_journal, help="Keep the record here.")
@click.option("--seed", type=int, default=1, show_default=True, help="Cards, wagers and answers.")
@click.option("--seats", type=click.IntRange(1, 6), default=6, show_default=True)
@click.option("--elect", "elections", multiple=True, metavar="READING=CHOICE", callback=_elections)
@click.option(
    "--progressive",
    type=click.Choice(("tdp", "modbus")),
    default="tdp",
    show_default=True,
    help="One device, or remote I/O units on a bus.",
)
@click.option("--offer", multiple=True, metavar="WAGER", help="One more optional wager, as cover_all or six_card.")
@click.option("--reshuffling-shoe", "reshuffles", is_flag=True, help="The shoe shuffles by itself; no shuffler.")
@click.option("--pays", is_flag=True, help="Tell the cards, and settle wager by wager as the table offers it.")
@click.option(
    "--reading-shoe",
    "reader",
    type=click.Choice(("tdp", "bee-tek")),
    default=None,
    help="Hands deal from a shoe that tells each card; with --method manual_shoe.",
)
@click.option("--recognition", is_flag=True, help="What shuffles reads the cards.")
@click.option("--no-count", is_flag=True, help="What shuffles does not count them.")
@click.option(
    "--link", type=click.Choice(LINKS), default="serial", show_default=True, help="How devices are connected."
)
@click.option("--slow-sync", type=click.IntRange(0, 1500), default=0, metavar="MS", help="Added to each sync.")
@click.option("--kill", "kills", type=click.IntRange(min=0), default=0, help="Kill the daemon so many times.")
@click.option("--seconds", type=Finite(min=0), default=0.0, help="Longest run; 0 = no limit.")
@click.option(
    "--recorder", is_flag=True, help="A recorder keeps the events in SQLite; the end says what it holds."
)
@click.option(
    "--panel", is_flag=True, help="Serve the web page too, with a strip of faults; its address is printed."
)
@click.option(
    "--tables", type=click.IntRange(min=0), default=0, help="Instead: traffic of so many tables into --broker."
)
@click.option(
    "--rate", type=Finite(0.01, 1000), default=1.15, show_default=True, help="With --tables: events/s each."
)
@click.option("--storm", "storms", type=Finite(min=0), multiple=True, metavar="S", help="All reconnect then.")
@click.option(
    "--backlog", type=click.IntRange(min=0), default=0, help="Events of the first table before it connects."
)
@click.option("--keys", type=A_PATH, default=None, help="With --tables: their public keys go into this folder.")
@click.option("--watch", is_flag=True, help="Print each record as it comes.")
@click.option("--demo", is_flag=True, help="A jam in round 2, and every payout checked.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of a page.")
@click.option(
    "--keep",
    type=Place(file_okay=False),
    callback=_keep,
    help="Keep logs and configuration here.",
)
def bench(
    watch: bool,
    as_json: bool,
    demo: bool,
    no_count: bool,
    slow_sync: int,
    method: str | None,
    reader: str | None,
    **given: object,
) -> None:
    """Play rounds on simulated devices with simulated people, and check what must always hold.

    Exit code: 0 all that could be checked held, 1 something broke, 2 usage, 3 it could not run to its end.

    \b
    Example: a jam of the shoe in the fourth of ten rounds
      tablewarden bench --rulebook md-uth --rounds 10 --fault shoe_jam@4
      tablewarden bench --tables 200 --rate 5 --seconds 60 --broker mqtt://127.0.0.1:1883 --storm 30
    """
    if crowd(given, as_json=as_json):
        return
    given |= {"method": method or "", "reader": reader or "", "counting": not no_count, "slow_sync_ms": slow_sync}
    options = Options(**given)  # type: ignore[arg-type]
    try:
        options = _with_a_jam(options) if demo else options
        _refuse(options)
    except RulebookInvalid as exc:
        end(str(exc), USAGE)

    def say(line: str) -> None:
        if watch or line.startswith("panel: "):
            click.echo(line, err=as_json)

    try:
        outcome = asyncio.run(run(options, say))
    except (RulebookUnknown, BrokerUnusable) as exc:
        raise click.UsageError(str(exc)) from None
    except sqlite3.DatabaseError as exc:
        end(
            f"the bench cannot run: {options.journal} is there and is no record ({exc}); choose another --journal",
            CANNOT_RUN,
        )
    except (ChildFailed, KeyUnusable, OSError) as exc:
        end(f"the bench cannot run: {exc}", CANNOT_RUN)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(document(outcome)), indent=2).decode())
    else:
        click.echo(page(outcome))
    sys.exit(_code(outcome))


def _with_a_jam(options: Options) -> Options:
    """Returns the options with payouts checked, and the first of these mishaps that can happen at this table."""
    options = replace(options, pays=True)
    texts = (f"{name}@2" for name in ("shoe_jam", "shuffler_jam", "dealer_stack_short"))
    fitting = (text for text in texts if text.partition("@")[0] in MISHAPS)
    jam = next((text for text in fitting if why_not(Mishap.parse(text), options) is None), None)
    return replace(options, mishaps=(*options.mishaps, jam)) if jam else options


def _refuse(options: Options) -> None:
    """What cannot be elected, dealt or gone wrong at this table ends the command before anything is started."""
    try:
        options.law.dealing[options.dealt_by]
    except ElectionsInvalid as exc:
        raise click.BadParameter(str(exc), param_hint="--elect") from None
    except KeyError:
        known = ", ".join(options.law.dealing)
        raise click.BadParameter(
            f"{options.rulebook} has no dealing by {options.dealt_by}; there are: {known}", param_hint="--method"
        ) from None
    _refuse_reshuffling(options)
    if options.dealt_by in DISPENSERS and DISPENSERS[options.dealt_by] not in options.kinds:
        rule = options.law.devices[options.dealt_by]
        raise click.BadParameter(
            f"{options.rulebook} has no {options.dealt_by} in service by {rule.by_choice} [{', '.join(rule.cite)}]",
            param_hint="--method",
        )
    _refuse_scenario(options)
    optional = [name for name, rule in options.law.wagers.items() if rule.optional]
    for name in set(options.offer) - set(optional):
        raise click.BadParameter(
            f"{options.rulebook} has no optional wager {name!r}; there are: {', '.join(optional) or 'none'}",
            param_hint="--offer",
        )
    for text in options.mishaps:
        if (why := why_not(Mishap.parse(text), options)) is not None:
            raise click.BadParameter(f"{text} cannot happen here: {why}", param_hint="--fault")


def _refuse_scenario(options: Options) -> None:
    """A scenario needs its device at this table, and names facts that there are."""
    try:
        script = options.script
    except ScriptError as exc:
        raise click.BadParameter(str(exc), param_hint="--scenario") from None
    if script is None:
        return
    if not any(options.scripted(kind) for kind in options.kinds):
        how = {BUS: "; add --progressive modbus", LINES: "; add --method manual_shoe --reading-shoe bee-tek"}
        raise click.BadParameter(
            f"no {script.device} stands here{how.get(script.device, '')}", param_hint="--scenario"
        )
    if unknown := [kind for kind in script.record if kind not in FACTS]:
        near = difflib.get_close_matches(unknown[0], FACTS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise click.BadParameter(f"record: no fact is called {unknown[0]!r}{hint}", param_hint="--scenario")


def _refuse_reshuffling(options: Options) -> None:
    """A shoe that reshuffles deals only where the document knows one, and one that hands deal from only where hands deal."""
    if options.reader and options.dealt_by is not Method.MANUAL_SHOE:
        raise click.BadParameter(
            f"cards are dealt by {options.dealt_by}; add --method manual_shoe", param_hint="--reading-shoe"
        )
    knows = options.law.dealing[options.dealt_by].reshuffles
    if options.reshuffles and (options.dealt_by is not Method.DEALING_SHOE or knows is None or not knows.value):
        by = options.law.dealing.get(Method.DEALING_SHOE)
        cite = f" [{', '.join(by.cite)}]" if by else ""
        raise click.BadParameter(
            f"{options.rulebook} knows no shoe that reshuffles, dealt by {options.dealt_by}{cite}",
            param_hint="--reshuffling-shoe",
        )


def _code(outcome: Outcome) -> int:
    if any(verdict.state == State.BROKEN for verdict in outcome.verdicts):
        return BROKEN
    return CANNOT_RUN if outcome.failed else 0
