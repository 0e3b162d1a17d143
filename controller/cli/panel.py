"""`panel`: the web page for dealer and floor, and the people who may log in there."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controller.cli.arguments import A_FILE, A_PATH
from controller.cli.groups import Sentences
from controller.cli.main import UNREACHABLE, WRONG, end

if TYPE_CHECKING:
    from controller.panel.live import Live

PEOPLE = click.option(
    "--people",
    type=A_PATH,
    required=True,
    envvar="TABLEWARDEN_PEOPLE",
    help="The file of people and hashes of PINs.",
)
ROLES = ("dealer", "floorperson", "supervisor", "technician")


@click.group(cls=Sentences)
def panel() -> None:
    """Serve the web page that the dealer presses, and list the people who may log in there.

    \b
    Example:
      tablewarden panel serve --people /var/lib/tablewarden-panel/people.json
    """


@panel.command()
@click.option(
    "--config",
    "configs",
    multiple=True,
    type=A_FILE,
    envvar="TABLEWARDEN_CONFIG",
    help="A table's configuration: its socket, its record, its check. Repeat it for several tables; the first is the dealer's.",
)
@click.option(
    "--socket",
    "sockets",
    multiple=True,
    type=A_PATH,
    envvar="TABLEWARDEN_SOCKET",
    help="Or the control socket alone: then without history.",
)
@PEOPLE
@click.option("--listen", default="127.0.0.1", show_default=True, help="Address; another needs a certificate.")
@click.option("--port", type=click.IntRange(1, 65535), default=8420, show_default=True)
@click.option("--name", "names", multiple=True, help="A further host name under which people reach it.")
@click.option("--cert", type=A_PATH, help="Certificate, PEM; then TLS 1.3 alone is spoken.")
@click.option("--key", type=A_PATH, help="Its key, PEM.")
@click.option("--bench", type=A_PATH, help="The strip of a bench: where its people take faults and pauses.")
def serve(
    configs: tuple[Path, ...],
    sockets: tuple[Path, ...],
    people: Path,
    listen: str,
    port: int,
    names: tuple[str, ...],
    cert: Path | None,
    key: Path | None,
    bench: Path | None,
) -> None:
    """Serve the panel of one table, or of several, until it is stopped by a signal.

    \b
    Example:
      tablewarden panel serve --people /var/lib/tablewarden-panel/people.json
    """
    from controller.log import LogFormat, LogLevel, configure
    from controller.panel.people import PeopleUnreadable
    from controller.panel.serve import Address, MayNotListen
    from controller.panel.serve import serve as run

    if (cert is None) != (key is None):
        raise click.UsageError("--cert and --key belong together")
    configure(LogFormat.AUTO, LogLevel.INFO, cache=True)
    try:
        asyncio.run(run(Address(listen, port, cert, key, names), _tables(configs, sockets), people, bench))
    except (MayNotListen, PeopleUnreadable) as exc:
        end(str(exc), WRONG)
    except ValueError as exc:
        end(f"--listen: {exc}; give an address such as 127.0.0.1", WRONG)


@panel.command()
@click.option("--url", default="http://127.0.0.1:8420/", show_default=True, help="What the screen shows.")
@click.option(
    "--browser", default="chromium", show_default=True, help="Command of a Chromium, with further flags."
)
def kiosk(url: str, browser: str) -> None:
    """Keep a full screen of Chromium at the panel, and bring it back when it shows something else or nothing.

    \b
    Example:
      tablewarden panel kiosk --url http://127.0.0.1:8420/
    """
    from controller.log import LogFormat, LogLevel, configure
    from controller.panel.kiosk import keep

    configure(LogFormat.AUTO, LogLevel.INFO, cache=True)
    asyncio.run(keep(browser, url))


@panel.command()
@PEOPLE
@click.option("--add", "name", help="Name under which the person acts, such as ada.")
@click.option("--remove", help="Staff number of a person who logs in no more.")
@click.option("--number", help="Staff number, 4 to 12 digits.")
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES))
def person(people: Path, name: str | None, remove: str | None, number: str | None, roles: tuple[str, ...]) -> None:
    """List, add or remove people. The PIN is asked for, twice, and only its hash is kept.

    \b
    Example:
      tablewarden panel person --people people.json --add sam --number 4711 --role supervisor
    """
    from controller.control.desk import NAME
    from controller.panel.people import DIGITS, HASHER, PeopleFile, PeopleUnreadable, Staff

    file = PeopleFile(people)
    try:
        known = file.read() if people.exists() else {}
        if name is None and remove is None:
            for staff in known.values():
                click.echo(f"{staff.number}  {staff.name}  {', '.join(staff.roles)}")
            return
        if remove is not None and known.pop(remove, None) is None:
            end(f"nobody has the staff number {remove!r}", WRONG)
        if name is not None:
            if not NAME.fullmatch(name):
                raise click.UsageError("--add takes a name of 1 to 32 of a-z, 0-9, dot, dash, underscore")
            if number is None or not number.isdecimal() or len(number) not in DIGITS or not roles:
                raise click.UsageError("--add needs --number with 4 to 12 digits, and one or more --role")
            pin = click.prompt("PIN, 4 to 12 digits", hide_input=True, confirmation_prompt=sys.stdin.isatty())
            if not pin.isdecimal() or len(pin) not in DIGITS:
                end("a PIN has 4 to 12 digits", WRONG)
            known[number] = Staff(number, name, roles, HASHER.hash(pin))
        file.write(known.values())
    except PeopleUnreadable as exc:
        end(str(exc), WRONG)
    except OSError as exc:
        end(f"{people}: {exc.strerror}", UNREACHABLE)


def _tables(configs: tuple[Path, ...], sockets: tuple[Path, ...]) -> "list[Live]":
    """Returns the tables of these configurations, then those of the sockets; without any the usual socket."""
    from controller.config.load import socket_of
    from controller.config.model import ConfigInvalid
    from controller.control.client import DEFAULT_SOCKET
    from controller.panel.live import Live

    try:
        found = [Live(socket_of(config), config=config) for config in configs]
    except ConfigInvalid as exc:
        end(str(exc), WRONG)
    found += [Live(socket) for socket in sockets]
    return found or [Live(DEFAULT_SOCKET)]
