"""Which rulebooks a command is about, and how it ends where one is unknown or not sound."""

from pathlib import Path
from typing import NoReturn

import click

from controller.cli.arguments import Place
from controller.cli.main import USAGE, end
from controller.rules.model import Rulebook
from controller.rules.read import library
from controller.rules.read.loader import RulebookInvalid

EVERYWHERE = click.option(
    "--directory",
    type=Place(exists=True, file_okay=False),
    help="Rulebooks that lie elsewhere.  [default: those that came with this software]",
)


def find_book(name: str, directory: Path | None) -> Rulebook:
    """One rulebook; ends the command where there is none of this name, or where its file is not sound."""
    try:
        return library.find(name, directory)
    except library.RulebookUnknown as exc:
        usage(exc)
    except RulebookInvalid as exc:
        end(str(exc), USAGE)  # 1 would be a verdict on what the command was asked about


def books(name: str | None, directory: Path | None) -> list[Rulebook]:
    """The one that was named, or the newest edition of each document."""
    names = [n for n in listed(directory) if "@" not in n] if name is None else [name]
    return [find_book(each, directory) for each in names]


def listed(directory: Path | None) -> tuple[str, ...]:
    """Names of all rulebooks; ends the command where there is none."""
    names = library.available(directory)
    if not names:
        end(
            f"{directory or library.shipped()}: no rulebook lies here, which would be a file such as md-uth.toml",
            USAGE,
        )
    return names


def usage(exc: Exception) -> NoReturn:
    """Ends the command with a usage error (exit code 2) that shows the exception's text."""
    raise click.UsageError(str(exc)) from exc
