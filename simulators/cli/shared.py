"""Shared by the commands of all simulators, beside the options: the log's file, and repeatable chance."""

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any, TextIO

import click

from drivers.protocol.reports import DeviceKind
from simulators.firmware.runtime import Simulator
from simulators.scenario.faults import FAULTS, SHOE_ALIASES, FaultError, known_to
from simulators.scenario.run import run_scripted
from simulators.scenario.script import Script, ScriptError, load, verify_needs


class Finite(click.FloatRange):
    """A number of a range; refuses "nan", which Python's comparisons would let pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number; fails for infinity and NaN."""
        found = super().convert(value, param, ctx)
        if not isfinite(found):
            self.fail(f"{value!r} is no finite number", param, ctx)
        return found


@contextlib.contextmanager
def record(path: Path | None) -> Iterator[TextIO]:
    """Opens the file for the log; None = standard output."""
    if path is None:
        if sys.stdout is None:  # as Python has it where a shell gave none
            raise click.ClickException("standard output is closed; name a file with --log")
        yield sys.stdout
        return
    try:
        out = path.open("a", encoding="utf-8")
    except OSError as exc:
        raise click.ClickException(f"{path}: {exc.strerror}") from exc
    with out:
        yield out


@contextlib.contextmanager
def told(link: Path, scenario: Path | None) -> Iterator[None]:
    """Turns the exceptions that end a simulator into messages. Raises `ClickException`."""
    try:
        yield
    except ScriptError as exc:
        raise click.ClickException(f"{scenario}: {exc}") from exc
    except FaultError as exc:
        raise click.BadParameter(str(exc), param_hint="--fault") from None
    except BrokenPipeError:  # of the record: whoever read it has seen enough
        raise
    except OSError as exc:
        raise click.ClickException(f"{link}: {exc}") from exc


def scenario_in(path: Path | None, device: str, settings: Mapping[str, object]) -> Script | None:
    """Returns the scenario of a file, fit for this simulator. Raises `BadParameter`."""
    if path is None:
        return None
    try:
        script = load(path)
        verify_needs(script, device, settings)
    except ScriptError as exc:
        raise click.BadParameter(str(exc), param_hint="--scenario") from None
    return script


async def run(simulator: Simulator, script: Script | None) -> None:
    """Runs the simulator, with its scenario if it has one. Raises `ScriptError` if the scenario fails."""
    await (simulator.run() if script is None else run_scripted(simulator, script))


def seeded(seed: int, serial: str, purpose: str) -> Random:
    """Returns repeatable chance, separate for each device and purpose. No secret is drawn from it."""
    return Random(f"{seed}/{serial}/{purpose}")  # noqa: S311


def faults_listed(device: str) -> str:
    """Returns a device's possible faults, for its help text."""
    short = {full: name for name, full in SHOE_ALIASES.items()} if device == DeviceKind.SHOE else {}
    lines = ["\b", "Faults: NAME, on occasion N with @N, with particulars :key=value"]
    for name in known_to(device):
        parameters = "".join(f":{key}={value}" for key, value in FAULTS[name].parameters.items())
        lines += [f"  {short.get(name, name)}{parameters}", f"      {FAULTS[name].effect}"]
    return "\n".join(lines)


def folders_exist(*paths: Path | None) -> None:
    """Raises `ClickException` for a name in a missing folder."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise click.ClickException(f"{path.parent}: no such directory")


class Place(click.Path):
    """A path that has a file name."""

    def __init__(self, **given: Any) -> None:
        super().__init__(path_type=Path, **given)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the path with a file name in it; fails for an empty path."""
        if not str(value):
            self.fail("a path is wanted, and this one is empty", param, ctx)
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.absolute().name:
            self.fail(f"{path} has no name; name a file in it", param, ctx)
        return path if path.name else path.absolute()


class Whole(click.Group):
    """A group whose help shows the whole first sentence of each command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands, each with its sentence."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl([(name, _sentence(command)) for name, command in commands.items() if command])


def _sentence(command: click.Command) -> str:
    paragraph = " ".join((command.help or "").split("\n\n")[0].split())
    sentence, dot, _ = paragraph.partition(". ")
    return sentence + dot.strip()
