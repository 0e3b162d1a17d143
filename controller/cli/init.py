"""`tablewarden init`: writes the first configuration of a table."""

import re
from collections.abc import Sequence
from pathlib import Path

import click

from controller.cli.arguments import A_PATH
from controller.cli.main import UNREACHABLE, WRONG, end
from controller.config.report import examine
from controller.config.starter import Wanted, methods_of, optional_wagers, starter
from controller.rules.read.library import RulebookUnknown, available, find
from controller.rules.vocabulary import Method
from drivers.events import DeviceKind
from drivers.transport.ports import ports

LONGEST_ID = 32
LONGEST_SOCKET = 107
"""Bytes of a Unix socket's path that Linux takes."""


@click.command(name="init")
@click.argument("file", type=A_PATH, default="table.toml")
@click.option("--rulebook", default="md-uth", show_default=True, help="Which document rules the table.")
@click.option(
    "--method",
    type=click.Choice([method.value for method in Method]),
    help="How cards are dealt.  [default: by a device]",
)
@click.option("--site", help="First level of the MQTT topics; needed for real play.  [default: bench]")
@click.option("--table", "name", help="The table's id.  [default: the name of FILE]")
@click.option("--seats", type=click.IntRange(1), help="[default: as many as the document permits]")
@click.option("--offer", multiple=True, metavar="WAGER", help="An optional wager of this house; may be repeated.")
@click.option(
    "--device", "devices", multiple=True, metavar="KIND=PORT[,SERIAL]", help="A device; may be repeated."
)
@click.option("--bench", is_flag=True, help="Simulated devices, proposed elections, every file beside FILE.")
def init(
    file: Path, rulebook: str, method: str | None, site: str | None, name: str | None, seats: int | None,
    offer: Sequence[str], devices: Sequence[str], bench: bool,
) -> None:  # fmt: skip
    """Write the first configuration of a table, with comments; nothing is overwritten.

    Without --bench it is for real play: each question that the document leaves open at this table stands there with its choices,
    for you to answer, and the serial ports of this machine.

    \b
    Example:
      tablewarden init --bench
      tablewarden init uth-017.toml --rulebook md-uth --site lv01 --offer trips --device shoe=/dev/table/shoe-1,S-4711
    """
    if site is None and not bench:
        raise click.UsageError("real play needs --site, the name of the house in the MQTT topics; or say --bench")
    try:
        book = find(rulebook)
    except RulebookUnknown as exc:
        raise click.BadParameter(
            f"there is no {rulebook!r}; there are {', '.join(available())}", param_hint="--rulebook"
        ) from exc
    may = optional_wagers(book)
    if wrong := [wager for wager in offer if wager not in may]:
        raise click.BadParameter(
            f"{book.id} has no optional wager {wrong[0]!r}; it has {', '.join(may) or 'none'}"
        )
    wanted = Wanted(
        book, site or "bench", name or _id_of(file), seats or book.seats.value, Method(method) if method else methods_of(book)[0],
        tuple(offer), dict(map(_device, devices)), bench,
    )  # fmt: skip
    if wanted.method not in book.dealing:
        raise click.BadParameter(f"{book.id} has {', '.join(book.dealing)}", param_hint="--method")
    if bench and len(bytes(file.absolute().with_name("control.sock"))) > LONGEST_SOCKET:
        end(f"{file.absolute().parent}: too long a path for a socket; choose a folder with a shorter one", WRONG)
    found = [f"{port.path}  {port.usb} {port.product}".rstrip() for port in ports()]
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(starter(wanted, found))
    except FileExistsError:
        end(f"{file} is there already; name another file, or move it away", WRONG)
    except OSError as exc:
        end(f"{file}: {exc.strerror}", UNREACHABLE)
    click.echo("\n".join(_next_steps(file, wanted)))


def _id_of(file: Path) -> str:
    """Returns a table's id made of the file's name."""
    return re.sub("[^a-z0-9-]+", "-", file.stem.lower()).strip("-")[:LONGEST_ID] or "table"


def _device(text: str) -> tuple[DeviceKind, tuple[str, str]]:
    kind, sign, rest = text.partition("=")
    if not sign or kind not in [*DeviceKind] or not rest:
        raise click.BadParameter(
            f"{text!r} is not KIND=PORT, with KIND of {', '.join(DeviceKind)}", param_hint="--device"
        )
    path, _, serial = rest.partition(",")
    return DeviceKind(kind), (path, serial)


def _next_steps(file: Path, wanted: Wanted) -> list[str]:
    faults = examine(file).faults
    lines = [f"{file}: written"]
    if not wanted.bench:
        left = f"{len(faults)} things are left to fill in" if len(faults) != 1 else "1 thing is left to fill in"
        return [*lines, f"{left}:", f"  tablewarden check {file}"]
    if faults:
        end("\n".join([*lines, *map(str, faults)]), WRONG)
    return [
        *lines,
        "start each in a terminal of its own:",
        *([f"  tablewarden sim table {file}"] if wanted.kinds else []),
        f"  tablewarden run --config {file}",
        f"  tablewarden status --config {file}",
    ]
