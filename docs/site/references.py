"""Reference pages made from the code at each build of the site, so that none can be old."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "debian"))

from pages import NAME, below  # noqa: E402  # a script of debian/, in no package

from controller.cli.main import cli  # noqa: E402
from controller.control.typed import MONEY  # noqa: E402
from controller.text.act_list import act_lines  # noqa: E402


def references() -> dict[str, str]:
    """Returns file name -> Markdown."""
    return {
        "commands.md": "\n".join(_commands()),
        "configuration.md": "\n".join(_configuration()),
        "acts.md": "\n".join(_acts()),
    }


def _commands() -> Iterator[str]:
    top = click.Context(cli, info_name=NAME, max_content_width=100, terminal_width=100)
    yield "# The command line\n\nEach command's `--help`. Exit codes and a first tour: [README](../README.md).\n"
    for command, context in [(cli, top), *below(cli, top)]:
        depth = len(context.command_path.split())
        title = f"{'#' * depth} {context.command_path}\n\n" if depth > 1 else ""
        yield f"{title}```\n{command.get_help(context)}\n```\n"


def _configuration() -> Iterator[str]:
    """The commented example, which a test holds to show every key, a heading for each table of it."""
    yield "# Configuration of a table\n\nEvery key of `config/tables/example.toml`, with its default where it has one."
    yield "`tablewarden init` writes a file for your table; `tablewarden check` says what is wrong with it.\n"
    text = (ROOT / "config/tables/example.toml").read_text("utf-8")
    head, *tables = re.split(r"\n\n(?=(?:# [^\n]*\n)*\[)", text)
    yield f"```\n{head}\n```\n"
    for table in tables:
        name = re.search(r"^\[+([\w.]+)", table, re.M)
        yield f"## {name[1] if name else 'More'}\n\n```toml\n{table.strip()}\n```\n"


def _acts() -> Iterator[str]:
    yield "# Acts\n\nWhat a person does at the table: `tablewarden act NAME KEY=VALUE... --who NAME --role ROLE`, or the panel."
    yield "The codes of refusals are in [codes.md](codes.md).\n"
    for line in act_lines(MONEY):
        if line.startswith(" "):
            yield f"{line.strip()}\n"
        else:
            name, _, arguments = line.partition(" ")
            yield f"## {name}\n\n" + (f"`{name} {arguments}`\n" if arguments else "")
