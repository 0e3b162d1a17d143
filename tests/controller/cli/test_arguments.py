"""Every path and every number that a command takes: empty, nameless, without end, or none."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli

COMMAND = [sys.executable, "-c", "from controller.cli.main import main; main()"]
CAPTURE = Path(__file__).resolve().parents[2] / "captures" / "shoe-jam.jsonl"
TABLE = Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml"


def _run(*words: str) -> Result:
    return CliRunner().invoke(cli, words, input="", catch_exceptions=False)


def _leaves(
    command: click.Command, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from _leaves(inner, (*words, name))


def _of(kind: type[click.ParamType]) -> list[tuple[tuple[str, ...], click.Command, click.Parameter]]:
    return [
        (words, command, parameter)
        for words, command in _leaves(cli)
        for parameter in command.params
        if isinstance(parameter.type, kind)
    ]


def _refusal(words: tuple[str, ...], command: click.Command, parameter: click.Parameter, value: str) -> str:
    """What is said of this one value, where everything else may be missing."""
    with click.Context(command, info_name=words[-1]) as context, pytest.raises(click.BadParameter) as refused:
        parameter.type.convert(value, parameter, context)
    return refused.value.message


PATHS, NUMBERS, WHOLE = _of(click.Path), _of(click.FloatRange), _of(click.IntRange)


def test_there_is_something_to_try() -> None:
    """A sweep over nothing proves nothing."""
    assert len(PATHS) > 60
    assert len(NUMBERS) > 6
    assert len(WHOLE) > 20


@pytest.mark.parametrize(
    ("words", "command", "parameter"), PATHS, ids=lambda v: "-".join(v) if isinstance(v, tuple) else ""
)
def test_no_path_is_empty_and_none_is_without_a_name(
    words: tuple[str, ...], command: click.Command, parameter: click.Parameter
) -> None:
    """Files are put beside what was named, and beside nothing there is nothing."""
    assert "empty" in _refusal(words, command, parameter, "")
    assert _refusal(words, command, parameter, "/")


@pytest.mark.parametrize(
    ("words", "command", "parameter"), PATHS, ids=lambda v: "-".join(v) if isinstance(v, tuple) else ""
)
def test_no_file_is_read_that_has_no_end(
    words: tuple[str, ...], command: click.Command, parameter: click.Parameter
) -> None:
    """/dev/zero is a file to whoever only asks whether it is there. What a simulator writes may be a device."""
    if words[0] != "sim":
        assert _refusal(words, command, parameter, "/dev/zero")


@pytest.mark.parametrize(
    ("words", "command", "parameter"), NUMBERS, ids=lambda v: "-".join(v) if isinstance(v, tuple) else ""
)
@pytest.mark.parametrize("value", ["nan", "-nan", "inf", "-inf", "1e999", "9" * 5000, "x", ""])
def test_no_number_is_endless(
    words: tuple[str, ...], command: click.Command, parameter: click.Parameter, value: str
) -> None:
    """A time that is none would never be over."""
    assert _refusal(words, command, parameter, value)


@pytest.mark.parametrize(
    ("words", "command", "parameter"), WHOLE, ids=lambda v: "-".join(v) if isinstance(v, tuple) else ""
)
@pytest.mark.parametrize("value", ["9" * 5000, "-1", "1.5", "", "x"])
def test_no_whole_number_is_something_else(
    words: tuple[str, ...], command: click.Command, parameter: click.Parameter, value: str
) -> None:
    """Nor longer than any number that a machine counts to."""
    assert _refusal(words, command, parameter, value)


def test_what_stands_in_a_file_of_text_is_read_to_a_bound(tmp_path: Path) -> None:
    """A device that was named in the place of a list, a head or an image ends nothing in silence."""
    for words in (
        ("device", "replay", str(CAPTURE), "--golden", "/dev/zero"),
        ("device", "conformance", "nowhere", "--yes", "--image", "/dev/zero", "--key-file", str(CAPTURE)),
    ):
        result = _run(*words)
        assert (result.exit_code, "is a device" in result.output) == (2, True), result.output
    result = _run("journal", "verify", "nowhere", "--against", "/dev/zero")
    assert (result.exit_code, "is a device" in result.output) == (1, True)


def test_a_recording_with_a_line_that_is_nested_without_end_is_damaged(tmp_path: Path) -> None:
    """Named with its line, as every other line that is no entry."""
    file = tmp_path / "r.jsonl"
    first, second, *_ = CAPTURE.read_text().splitlines()
    file.write_text("\n".join((first, "[" * 5000, second, "")))
    for words in (("replay", str(file)), ("export", str(file), "--pcapng", str(tmp_path / "p"))):
        result = _run("device", *words)
        assert (result.exit_code, "line 2 is no entry" in result.output) == (1, True), result.output


def test_a_name_that_is_no_text_is_shown_and_told(tmp_path: Path) -> None:
    """Bytes that no character set has, on a page and in JSON."""
    path = os.fsencode(tmp_path) + b"/\xff.toml"
    Path(os.fsdecode(path)).write_bytes(TABLE.read_bytes())
    for words in ([], ["--json"]):
        done = subprocess.run(check=False, args=[*COMMAND, "check", path, *words], capture_output=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        if words:
            assert json.loads(done.stdout)[0]["path"].endswith("\\udcff.toml")
