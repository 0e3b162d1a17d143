"""The commands that README and docs tell people to type, taken out of the pages and held against the real command tree.

A command in a fenced block is whole: a person copies it. One in running text may leave options out (`...`, or no option at
all), but whatever it names must exist. Words in capitals stand for something that the reader puts there.
"""

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import Any
from unittest import mock

import click

from controller.cli.main import cli
from controller.control.desk import Refused
from controller.control.typed import typed_act

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
FENCED = re.compile(r"^ *```[^\n]*\n(.*?)^ *```", re.M | re.S)
TYPED = re.compile(r"(?:\$ )?(?:[^#\"]*\| *)?(?:[\w./-]*/)?tablewarden (?!segment |keys )")
"""A line of a block that is a command; two file formats begin with the name of the program, too."""
SPAN = re.compile(r"`([^`]+)`")
STANDS_FOR = {
    "FIRST": "1", "LAST": "9", "N": "3", "ID": "md-uth", "KIND": "shoe", "DATE": "2026-01-01", "DEVICE": "shoe",
    "STREAM": "main", "ROLE": "technician",
}  # fmt: skip
"""What a word in capitals may be; any other one is its own value."""
AT_WORK = ("TABLEWARDEN_WHO", "TABLEWARDEN_ROLE", "TABLEWARDEN_SOCKET", "TABLEWARDEN_CONFIG")


@dataclass(frozen=True, slots=True)
class Documented:
    """One command. `whole`: as somebody copies it. `stdin`: the file that it reads, "" = none is named."""

    page: Path
    line: int
    arguments: tuple[str, ...]
    whole: bool
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""

    @property
    def where(self) -> str:
        return f"{self.page.name}:{self.line}: tablewarden {' '.join(self.arguments)}"


@cache
def documented() -> list[Documented]:
    """Every command of every page."""
    return [found for page in PAGES for found in (*_blocks(page), *_spans(page))]


def _blocks(page: Path) -> Iterator[Documented]:
    text = page.read_text()
    environment: dict[str, str] = {}
    for block in FENCED.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        line = first
        for command in re.split(r"(?<![\\|])\n", dedent(block[1])):  # in a list a block stands under its item
            here, line = line, line + command.count("\n") + 1
            if command.startswith("export "):
                environment |= dict(pair.split("=", 1) for pair in shlex.split(command)[1:])
            elif TYPED.match(command):
                joined = command.replace("\\\n", " ").replace("\n", " ").removeprefix("$ ")
                for arguments, stdin in typed_in(joined):
                    yield Documented(page, here, arguments, True, dict(environment), stdin)


def _spans(page: Path) -> Iterator[Documented]:
    text = FENCED.sub(lambda block: "\n" * block[0].count("\n"), page.read_text())
    for span in SPAN.finditer(text):
        line = text.count("\n", 0, span.start()) + 1
        command = re.sub(r"\| +", "|", " ".join(span[1].split()))
        if TYPED.match(command):
            for arguments, stdin in typed_in(command):
                yield Documented(page, line, arguments, False, {}, stdin)
        elif len(words := _split(command)) > 1 and _is_path(words):
            yield Documented(page, line, tuple(words), False)


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # no command: a piece of text with one quotation mark
        return []


def _is_path(words: list[str]) -> bool:
    """Whether words without the name of the program are a command with a subcommand or an option."""
    first = cli.get_command(click.Context(cli), words[0])
    if isinstance(first, click.Group):
        return any(name in first.commands for name in words[1].split("|"))
    return first is not None and words[1].startswith("--")


def typed_in(command: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The arguments of each `tablewarden` in a line of a shell, and the file behind its `<`."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, "|"]:
        if word not in ("|", "&&", ";", "||"):
            words.append(word)
            continue
        stdin = next((words[at + 1] for at, w in enumerate(words[:-1]) if w == "<"), "")
        at = next((at for at, w in enumerate(words) if w in (">", "<", ">>")), len(words))
        words, kept = [], words[:at]
        names = [n for n, w in enumerate(kept) if w.rpartition("/")[2] == "tablewarden"]
        if names:
            yield tuple(kept[names[0] + 1 :]), stdin


def verify(found: Documented) -> None:
    """Raises `click.UsageError`, `Refused` or `AssertionError` for a command that the program would not take."""
    words = [word.strip("[]") for word in found.arguments if word.strip("[]")]
    left_out = "..." in words or not found.whole
    command: click.Command = cli
    context = click.Context(cli, info_name="tablewarden")
    while isinstance(command, click.Group):
        if not words or words[0].startswith("-"):
            return  # the name of a group, or its help
        name = STANDS_FOR.get(words[0], words[0]) if words[0].isupper() else words[0]
        if "|" in name:
            missing = [one for one in name.split("|") if command.get_command(context, one) is None]
            assert not missing, f"{found.where}: no {missing}"
            return
        inner = command.get_command(context, name)
        assert inner is not None, f"{found.where}: no command {name!r}"
        command, words, context = inner, words[1:], click.Context(inner, context, info_name=name)
    words = [STANDS_FOR.get(word, word) for word in words if word != "..."]
    if left_out:
        words = _completed(command, words)
    with _any_file(), redirect_stdout(StringIO()), mock.patch.dict(os.environ, found.environment):
        for name in set(AT_WORK) - set(found.environment):
            os.environ.pop(name, None)
        try:
            made = command.make_context(context.info_name, list(words), context.parent)
        except click.exceptions.Exit:
            return  # --help, --list
        if command.name == "act":
            pairs = dict(pair.partition("=")[::2] for pair in made.params["arguments"])
            notices = typed_act(made.params["name"], pairs)[1]
            assert not notices, f"{found.where}: {notices}"


def _completed(command: click.Command, words: list[str]) -> list[str]:
    """The words with what a mention leaves out: options that must be there, and arguments; a last one without its value goes."""
    without = {name for p in command.params if isinstance(p, click.Option) and not p.is_flag for name in p.opts}
    words = words[:-1] if words and words[-1] in without else words
    named = {word.partition("=")[0] for word in words if word.startswith("-")}
    for parameter in command.params:
        if not parameter.required or named & set(parameter.opts):
            continue
        if isinstance(parameter, click.Option):
            words = [*words, parameter.opts[0], _some(parameter)]
    taken = _arguments(command, words)
    needed = [p for p in command.params if isinstance(p, click.Argument) and p.required]
    return [*words, *(_some(p) for p in needed[len(taken) :])]


def _arguments(command: click.Command, words: list[str]) -> list[str]:
    """The words that are no options and no values of options."""
    takes = {o: p for p in command.params if isinstance(p, click.Option) for o in (*p.opts, *p.secondary_opts)}
    rest, skip = [], 0
    for word in words:
        if skip:
            skip -= 1
        elif word.startswith("-"):
            option = takes.get(word)
            skip = 0 if option is None or option.is_flag else option.nargs
        else:
            rest.append(word)
    return rest


def _some(parameter: click.Parameter) -> str:
    match parameter.type:
        case click.Choice() as choice:
            return str(choice.choices[0])
        case click.IntRange() | click.types.IntParamType():
            return "1"
        case _:
            return "md-uth" if parameter.name in ("book", "rulebook", "rulebook_id") else "x"


@contextmanager
def _any_file() -> Iterator[None]:
    """A page may name files that are at a table and not here."""

    def convert(self: Any, value: Any, param: Any, ctx: Any) -> Any:
        return Path(value) if not isinstance(value, Path) else value

    with mock.patch.object(click.Path, "convert", convert), mock.patch.object(click.File, "convert", convert):
        yield


__all__ = ["ROOT", "TYPED", "Documented", "Refused", "documented", "typed_in", "verify"]
