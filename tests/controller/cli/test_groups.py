"""The help page: every command once, with the sentence of the command itself, and without importing any."""

import json
import subprocess
import sys

import click
from click.testing import CliRunner

from controller.cli.groups import first_sentence
from controller.cli.main import SECTIONS, cli


def test_the_help_page_has_every_command_once_with_its_own_first_sentence() -> None:
    """The page is written without the commands, so the two are compared here."""
    ctx = click.Context(cli)
    commands = {name: cli.get_command(ctx, name) for name in cli.list_commands(ctx)}
    said = [(name, sentence) for section in SECTIONS.values() for name, sentence in section.items()]
    assert sorted(said) == sorted((name, first_sentence(command)) for name, command in commands.items() if command)


def test_help_cuts_no_sentence() -> None:
    for words in (["--help"], ["journal", "--help"], ["rulebook", "--help"]):
        page = CliRunner().invoke(cli, words).output
        assert "Commands:" in page or "The rules:" in page
        assert "..." not in page.partition("\n")[2]


def test_the_help_page_imports_no_command() -> None:
    """At a table it is there at once."""
    asked = "import json, sys; from controller.cli.main import cli; cli(['--help'], standalone_mode=False)"
    loaded = "print(json.dumps(list(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", f"{asked}; {loaded}"], capture_output=True, text=True, check=True)
    assert "controller.cli.main" in told.stdout
    names = set(json.loads(told.stdout.splitlines()[-1]))
    assert not names & {"controller.rules", "controller.journal", "simulators.cli.main"}
