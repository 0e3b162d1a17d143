"""`sim table` and `sim do`: all simulators of a configuration at once, and hands and faults at them."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import click

from simulators.cli.shared import Finite, Place

LISTS = ("cards", "plan")
"""Arguments that are lists, written with commas."""


@click.command()
@click.argument("config", type=Place(exists=True, dir_okay=False))
@click.option("--speed", type=Finite(0.01, 10_000), default=1.0, help="Of the mechanics only.")
def table(config: Path, speed: float) -> None:
    """All devices of a table's configuration at once; cards that leave one can be put into another.

    \b
    Example:
      tablewarden init --bench
      tablewarden sim table table.toml
    """

    from simulators.bench.table import TableUnusable, run_table  # noqa: PLC0415  # reads the daemon's configuration; one device needs nothing of it

    async def run() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await run_table(config, speed, stop, click.echo)

    try:
        asyncio.run(run())
    except TableUnusable as exc:
        raise click.ClickException(str(exc)) from exc


@click.command(name="do")
@click.argument("config", type=Place(exists=True, dir_okay=False))
@click.argument("device")
@click.argument("act")
@click.argument("arguments", metavar="[KEY=VALUE]...", nargs=-1)
def do(config: Path, device: str, act: str, arguments: tuple[str, ...]) -> None:
    """Do something at a device of a running `sim table`, as people or bad luck would.

    Acts: load, unload, green, take, remove, open_lid, close_lid, mode, plan, bring_deck, retire, put_chip, lift_chip, collect,
    state, inject, heal, hang, unplug, replug, power_off, power_on, reboot. `load` takes the cards that lie on the table.

    \b
    Example:
      tablewarden sim do table.toml shuffler-1 load back=red
      tablewarden sim do table.toml shoe-1 inject fault=jam@1
      tablewarden sim do table.toml progressive-1 put_chip seat=3
    """
    from simulators.bench.table import TableUnusable, ask, hub_of  # noqa: PLC0415  # reads the daemon's configuration; one device needs nothing of it

    wrong = [argument for argument in arguments if "=" not in argument]
    if wrong:
        raise click.UsageError(f"{wrong[0]!r} is not KEY=VALUE, as in back=red")
    pairs = dict(argument.split("=", 1) for argument in arguments)
    given = {key: _value(key, text) for key, text in pairs.items()}
    try:
        answer = asyncio.run(ask(hub_of(config), {**given, "device": device, "act": act}))
    except TableUnusable as exc:
        raise click.ClickException(str(exc)) from exc
    if not answer.get("ok"):
        raise click.ClickException(str(answer.get("error")))
    told = {key: value for key, value in answer.items() if key != "ok" and value not in ("", [])}
    click.echo(json.dumps(told) if told else "done")
    sys.exit(0)


def _value(key: str, text: str) -> object:
    """Returns the value that a word stands for: a list, a number, true or false, or the word."""
    if key in LISTS:
        return [_value("", word) for word in text.split(",")]
    try:
        return json.loads(text)
    except ValueError:
        return text
