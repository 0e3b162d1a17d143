"""The command line: `tablewarden run`, and how people look at, work and check a table.

Each command imports what it needs when it runs, so that `tablewarden act` at a table answers at once.
Exit codes: 0 done, 1 found something wrong, 2 usage, or a rulebook that is not sound, 3 cannot reach.
"""

import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from controller.cli.arguments import A_FILE, A_PATH, LARGEST
from controller.cli.groups import Sentences, write_commands
from controller.cli.streams import StreamLost, prepare
from drivers.protocol.texts import plain, plain_json

if TYPE_CHECKING:
    from controller.control.client import ControlClient

WRONG, USAGE, UNREACHABLE = 1, 2, 3
REFUSED = 78
"""EX_CONFIG of <sysexits.h>: `run` cannot start before a person mends something, so systemd must not try again."""

ELSEWHERE = {
    "act": ("controller.cli.act",),
    "backoffice": ("controller.cli.backoffice",),
    "bench": ("controller.cli.bench", "simulators.cli.main"),
    "certificate": ("controller.cli.certificate",),
    "check": ("controller.cli.check",),
    "decide": ("controller.cli.filters.decide",),
    "device": ("controller.cli.device.device",),
    "doctor": ("controller.cli.doctor",),
    "init": ("controller.cli.init",),
    "journal": ("controller.cli.journal.journal",),
    "metrics": ("controller.cli.metrics",),
    "outbox": ("controller.cli.outbox",),
    "panel": ("controller.cli.panel", "uvicorn", "starlette", "jinja2", "argon2"),
    "provision": ("controller.cli.provision",),
    "rank": ("controller.cli.filters.rank",),
    "rulebook": ("controller.cli.rulebook.rulebook",),
    "schema": ("controller.cli.schema",),
    "settle": ("controller.cli.filters.settle",),
    "sim": ("simulators.cli.main",),
    "vault": ("controller.cli.vault",),
}
"""Commands that live in files of their own, and what must be there for them: a table's PC has no simulators."""

AS_JSON = click.option("--json", "as_json", is_flag=True, help="For a program: JSON instead of a page.")

SECTIONS: dict[str, dict[str, str]] = {
    "At the table": {
        "run": "Run the daemon of one table until it is stopped by a signal.",
        "status": "Show the table: what is next, holds, duties, round, sets, devices, record and broker.",
        "act": "Do something at the table, as a person in a role.",
        "watch": "Print each record as it comes: time, subject, kind, essentials, what it rests on.",
        "outbox": "Show how far events are at the broker, and send parked ones again.",
        "panel": "Serve the web page that the dealer presses, and list the people who may log in there.",
        "metrics": "Print the table's figures in Prometheus's text format, for the textfile collector of its node exporter.",
    },
    "Setting up": {
        "init": "Write the first configuration of a table, with comments; nothing is overwritten.",
        "check": "Say what is wrong with a configuration, its rulebook and its elections, and what it means.",
        "doctor": "Say what is wrong with this installation, and what to do; changes nothing.",
        "device": "Look at devices, their ports and their wires.",
        "certificate": "Make certificates by which broker, tables and consumers know each other (docs/mqtt.md 12).",
        "vault": "Seal card identities in the record, each round under a key of its own (docs/vault.md).",
        "provision": "Write what the tables of a site need, from one CSV: certificates, ACL, configurations, udev lines, labels.",
    },
    "The record": {"journal": "Look at a record without a daemon: prove it, or read it."},
    "The back office": {
        "backoffice": "Keep what the tables publish, prove it, report it, and tell what is missing.",
        "schema": "List what a table publishes, or print the schema of one TYPE of it.",
    },
    "The rules": {
        "rulebook": "Read the rule documents as this software reads them: what it makes of each clause.",
        "rank": "Say what cards are by a rule document: the hand, its clause, the cards that make it, and its value.",
        "settle": "Settle rounds: a round as a JSON line on standard input, its settlement as a JSON line on standard output.",
        "decide": "Decide inputs: JSON lines of inputs on standard input, JSON lines of facts on standard output.",
    },
    "On the bench": {
        "bench": "Play rounds on simulated devices with simulated people, and check what must always hold.",
        "sim": "Simulate a device on a pseudo-terminal: real cards or chips, real faults, TDP/1 on the wire.",
    },
}
"""The help page: every command with its first sentence, so that the page needs none of them. A test compares the two."""


class _Commands(Sentences):
    """The commands of this file, and those that live elsewhere, imported only when a user asks for one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *(name for name in ELSEWHERE if _is_installed(name))])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in ELSEWHERE and _is_installed(cmd_name):
            command: click.Command = getattr(import_module(ELSEWHERE[cmd_name][0]), cmd_name)
            return command
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        here = self.list_commands(ctx)
        for title, sentences in SECTIONS.items():
            write_commands(formatter, title, {name: said for name, said in sentences.items() if name in here})


def _is_installed(name: str) -> bool:
    try:
        return all(find_spec(module) is not None for module in ELSEWHERE[name])
    except ModuleNotFoundError:
        return False


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="tablewarden", message="tablewarden %(version)s")
def cli() -> None:
    """The daemon under a casino card table, and how people look at it, work it and check it.

    \b
    Exit codes: 0 done, 1 found something wrong, 2 usage, or a rulebook that is not sound, 3 cannot reach: a daemon, a device,
    a record, or a file or stream to read or write.
    """


def main() -> NoReturn:
    """The entry point of the command: ends it with what it found, or says in one line what could not be read or written."""
    prepare()
    code: int | str | None = 0
    try:
        cli(prog_name="tablewarden")
    except SystemExit as ended:
        code = ended.code
    except StreamLost as lost:
        end(str(lost), UNREACHABLE)
    except OSError as exc:  # a command says better what it knows better; this is for what none foresaw
        end(f"{exc.filename or 'a file or a connection'}: {exc.strerror or exc}", UNREACHABLE)
    try:
        sys.stdout.flush()
    except StreamLost as lost:
        end(str(lost), code if isinstance(code, int) and code else UNREACHABLE)
    sys.exit(code)


def reaching(command: Callable[..., None]) -> Callable[..., None]:
    """The options by which a command finds its daemon."""
    command = click.option(
        "--config", type=A_FILE, envvar="TABLEWARDEN_CONFIG", help="Or the socket that this configuration names."
    )(command)
    return click.option("--socket", type=A_PATH, envvar="TABLEWARDEN_SOCKET", help="The daemon's control socket.")(
        command
    )


def acting(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say who acts."""
    command = click.option("--role", required=True, envvar="TABLEWARDEN_ROLE", help="In which role of theirs.")(
        command
    )
    return click.option("--who", required=True, envvar="TABLEWARDEN_WHO", help="Who does it, by name.")(command)


def client(socket: Path | None, config: Path | None) -> "ControlClient":
    """A connection to the daemon; ends the command where there is none."""
    from controller.control.client import DEFAULT_SOCKET, ControlClient, ControlUnreachable

    path = socket or (_socket_of(config) if config else DEFAULT_SOCKET)
    try:
        return ControlClient(path)
    except ControlUnreachable as exc:
        end(str(exc), UNREACHABLE)


def _socket_of(config: Path) -> Path:
    from controller.config.load import socket_of
    from controller.config.model import ConfigInvalid

    try:
        return socket_of(config)
    except ConfigInvalid as exc:
        end(str(exc), WRONG)


def ask(daemon: "ControlClient", do: str, **rest: object) -> dict[str, Any]:
    """One answer; ends the command with the daemon's reason where it did not do it."""
    from controller.control.client import ControlFailed, ControlUnreachable

    with daemon:
        try:
            return daemon.ask(do, **rest)
        except ControlFailed as exc:
            cite = f" [{', '.join(exc.cite)}]" if exc.cite else ""
            end(f"{exc.code.replace('_', ' ')}: {exc.reason}{cite}", WRONG)
        except ControlUnreachable as exc:
            end(str(exc), UNREACHABLE)
        except UnicodeEncodeError as exc:
            raise click.UsageError(f"{exc.object!r} holds bytes that are no UTF-8; say it in plain words") from exc


def show(value: object, page: Callable[[Any], Iterable[str]], as_json: bool) -> None:
    """Prints a value: as JSON if `as_json`, otherwise as the lines that `page` makes of it."""
    from msgspec import json, to_builtins

    if as_json:
        try:
            encoded = json.encode(value)
        except UnicodeEncodeError:  # the name of a file may hold bytes that are no text
            encoded = json.encode(_as_text(to_builtins(value)))
        click.echo(plain_json(json.format(encoded, indent=2).decode()))
    else:
        click.echo("\n".join(map(plain, page(value))))


def _as_text(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_as_text(key): _as_text(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_as_text(inner) for inner in value]
        case _:
            return value


def end(message: str, code: int) -> NoReturn:
    """Prints a message on standard error and ends the process with the exit code."""
    click.echo("\n".join(map(plain, message.split("\n"))), err=True)
    sys.exit(code)


@cli.command()
@click.option(
    "--config", type=A_FILE, required=True, envvar="TABLEWARDEN_CONFIG", help="The table's configuration."
)
def run(config: Path) -> None:
    """Run the daemon of one table until it is stopped by a signal.

    Exit code 78 if the configuration or a key is refused; `check --here FILE` shows the same faults beforehand.

    \b
    Example:
      tablewarden run --config config/tables/example.toml
    """
    import asyncio
    from importlib.metadata import version

    from controller.cli.own_packages import ForeignPackage, verify_own_packages
    from controller.config.here import keeps_from_serving, keeps_from_starting
    from controller.config.load import load_config
    from controller.config.model import ConfigInvalid
    from controller.control.endpoint import ControlUnavailable
    from controller.doctor.checks import of_this_machine
    from controller.doctor.gather import gather
    from controller.journal.errors import JournalLocked
    from controller.journal.vault.key_file import KeyUnusable
    from controller.log import configure, get_logger

    try:
        verify_own_packages()
        loaded = load_config(config)
        if faults := keeps_from_starting(loaded):
            is_table_closed = all(fault.place == "[control] socket" for fault in faults)
            end(str(ConfigInvalid(config, faults)), UNREACHABLE if is_table_closed else REFUSED)
        configure(loaded.log.format, loaded.log.level, cache=True)
        for fault in keeps_from_serving(loaded):
            get_logger("run").warning("not_here", place=fault.place, what=fault.what, code=fault.code)
        machine = gather(loaded, (), None, "", version("tablewarden"), tries_broker=False)
        for sick in of_this_machine(machine):
            level = "info" if sick.is_note else "warning"
            getattr(get_logger("run"), level)("sick", code=sick.code, what=sick.what, remedy=sick.remedy)
        from controller.daemon.app import serve

        sys.exit(asyncio.run(serve(loaded)))
    except (ConfigInvalid, ForeignPackage, KeyUnusable) as exc:
        end(str(exc), REFUSED)
    except (ControlUnavailable, JournalLocked) as exc:
        end(str(exc), UNREACHABLE)


@cli.command()
@reaching
@AS_JSON
def status(socket: Path | None, config: Path | None, as_json: bool) -> None:
    """Show the table: what is next, holds, duties, round, sets, devices, record and broker.

    \b
    Example:
      tablewarden status
      tablewarden status --json | jq .held
    """
    from controller.text.status_page import status_page

    show(ask(client(socket, config), "status"), status_page, as_json)


@cli.command()
@click.option(
    "--after",
    type=click.IntRange(0, LARGEST),
    help="Begin behind this order; 0 = from the beginning.  [default: now]",
)
@click.option(
    "--stream",
    "streams",
    multiple=True,
    type=click.Choice(["main", "diag", "input"]),
    help="[default: main, diag]",
)
@reaching
@click.option("--json", "as_json", is_flag=True, help="For a program: one JSON object a line.")
def watch(
    after: int | None, streams: Sequence[str], socket: Path | None, config: Path | None, as_json: bool
) -> None:
    """Print each record as it comes: time, subject, kind, essentials, what it rests on. Until stopped.

    \b
    Example:
      tablewarden watch --after 0 --stream main
    """
    from msgspec import json

    from controller.control.client import ControlFailed, ControlUnreachable
    from controller.text.status_page import event_line

    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell started us with it ignored
    with client(socket, config) as daemon:
        try:
            for event in daemon.watch(after, tuple(streams) or None):
                if "caught_up" not in event:
                    click.echo(json.encode(event) if as_json else event_line(event))
        except ControlFailed as exc:
            end(f"{exc.code.replace('_', ' ')}: {exc.reason}", WRONG)
        except ControlUnreachable as exc:
            end(str(exc), UNREACHABLE)
        except KeyboardInterrupt:
            sys.exit(0)
    end("the daemon has ended", UNREACHABLE)
