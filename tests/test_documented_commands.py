"""Each command that README and docs tell people to type is one that the program takes; those that need no table are run."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from tests.support.documented import ROOT, TYPED, Documented, Refused, documented, typed_in, verify

ALONE = ("rank", "rulebook", "decide", "settle", "check")
"""Commands that need neither daemon, nor device, nor record."""


def _runs_here(found: Documented) -> bool:
    words = found.arguments
    if not words or any(word in ("...", "[ID]") or word.isupper() or word.endswith(".toml") for word in words):
        return bool(words) and "--help" in words and "KIND" not in words
    if words[0] in ("decide", "settle"):
        return bool(found.stdin) and (ROOT / found.stdin).is_file()
    return (words[0] in ALONE and len(words) > 2) or words[-1] in ("--help", "--list", "--show-config")


@pytest.mark.parametrize("found", documented(), ids=lambda found: found.where[:70])
def test_a_documented_command_is_taken(found: Documented) -> None:
    """Its command, its options, their values and, of one that is to be copied, all that must be there."""
    try:
        verify(found)
    except click.UsageError as exc:
        pytest.fail(f"{found.where}: {exc.format_message()}")
    except Refused as exc:
        pytest.fail(f"{found.where}: {exc.reason}")


RUN = {found.arguments: found for found in documented() if _runs_here(found)}


@pytest.mark.parametrize("found", RUN.values(), ids=lambda found: found.where[:70])
def test_a_documented_command_that_needs_no_table_runs(found: Documented, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the folder of the project, with the input that the page names."""
    monkeypatch.chdir(ROOT)
    stdin = (ROOT / found.stdin).read_text() if found.stdin else None
    result = CliRunner().invoke(cli, list(found.arguments), input=stdin)
    assert result.exit_code == 0, result.output
    assert result.output.strip()


def test_the_pages_are_looked_through() -> None:
    """A change of how pages are written must not empty these tests."""
    found = documented()
    assert sum(each.whole for each in found) >= 30
    assert len(found) >= 110
    assert len(RUN) >= 10
    typed = {each.arguments[:2] for each in found}
    assert {("outbox", "release"), ("journal", "verify"), ("act", "settle_wager"), ("device", "probe")} <= typed


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("outbox", "release", "main", "4711"), "Missing option '--who'"),
        (("outbox", "release", "main", "9", "--till", "12", "--who", "t", "--role", "r"), "No such option"),
        (("act", "settle_wagr", "seat=3", "--who", "t", "--role", "r"), "no act 'settle_wagr'"),
        (("act", "settle_wager", "seat=3", "--who", "t", "--role", "r"), "wager"),
        (("journal", "verfy", "X"), "no command 'verfy'"),
    ],
)
def test_a_command_that_nobody_can_type_is_found(arguments: tuple[str, ...], why: str) -> None:
    """The check itself can fail."""
    found = Documented(ROOT / "README.md", 1, arguments, True)
    with pytest.raises((click.UsageError, Refused, AssertionError)) as caught:
        verify(found)
    error = caught.value
    assert why in (error.format_message() if isinstance(error, click.UsageError) else str(error))


def _in_help(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[Documented]:
    """Each command line of each help page, as it is printed."""
    for line in (command.help or "").replace("\\\n", " ").splitlines():
        if TYPED.match(typed := line.strip()) and line.startswith("  "):
            for arguments, stdin in typed_in(typed):
                yield Documented(ROOT / f"tablewarden {' '.join(words)} --help", 0, arguments, True, {}, stdin)
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            assert inner is not None
            yield from _in_help(inner, (*words, name))


HELP = list(_in_help(cli))


@pytest.mark.parametrize("found", HELP, ids=lambda found: found.where[:70])
def test_an_example_of_a_help_page_is_taken_as_it_is_printed(found: Documented) -> None:
    try:
        verify(found)
    except click.UsageError as exc:
        pytest.fail(f"{found.where}: {exc.format_message()}")
    except Refused as exc:
        pytest.fail(f"{found.where}: {exc.reason}")


@pytest.mark.parametrize("found", [one for one in HELP if _runs_here(one)], ids=lambda found: found.where[:70])
def test_an_example_of_a_help_page_that_needs_no_table_runs(
    found: Documented, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    stdin = (ROOT / found.stdin).read_text() if found.stdin else None
    result = CliRunner().invoke(cli, list(found.arguments), input=stdin)
    assert result.exit_code == 0, result.output


def test_each_command_has_an_example() -> None:
    have = {one.page.name for one in HELP}
    lack = [
        name
        for name in cli.list_commands(click.Context(cli))
        if not any(f"tablewarden {name} " in h for h in have)
    ]
    assert lack == []
