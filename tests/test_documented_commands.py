"""Each command that README and docs tell people to type is one that the program takes; those that need no table are run."""

import click
import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from tests.support.documented import ROOT, Documented, Refused, documented, verify

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
