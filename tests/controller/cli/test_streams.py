"""Every command where a standard stream is closed, full or broken: one line that says so, the documented code, no traceback."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from controller.cli.main import cli

ROOT = Path(__file__).resolve().parents[3]
TABLE = str(ROOT / "config" / "tables" / "example.toml")
COMMAND = [sys.executable, "-c", "from controller.cli.main import main; main()"]

FORKS = """
import json, os, sys
from importlib import import_module
from controller.cli.main import ELSEWHERE, main
for modules in ELSEWHERE.values():
    import_module(modules[0])
from pathlib import Path
from controller.readers import toml
from tests.conftest import ReadOnce
toml.tomllib = ReadOnce
for path in Path("config/rulebooks").rglob("*.toml"):
    ReadOnce.loads(path.read_text("utf-8"))
import gc; gc.freeze()
stream, words = json.loads(sys.argv[1])
for number, given in enumerate(words):
    if not (child := os.fork()):
        try:
            os.dup2(os.open(f"{sys.argv[2]}/{number}", os.O_WRONLY | os.O_CREAT), 2)
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            where = {"closed": None, "full": "/dev/full"}.get(stream, os.devnull)
            os.close(1) if where is None else os.dup2(os.open(where, os.O_WRONLY), 1)
            if stream == "unheard":
                os.dup2(os.open("/dev/full", os.O_WRONLY), 2)
            elif stream == "mute":
                os.close(2)
            elif stream == "deaf":
                os.close(0)
            sys.argv = ["tablewarden", *given]
            main()
        except SystemExit as ended:
            os._exit(ended.code)
        except BaseException:
            import traceback
            traceback.print_exc()
        os._exit(70)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""One interpreter for all: each command is a fork of it, with the stream as its shell would have given it. The forks read the
rulebooks, and what stands in them was parsed before."""


def _leaves(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        yield words
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from _leaves(inner, (*words, name))


ALL_LEAVES = [*_leaves(cli)]
LEAVES = [
    next(leaf for leaf in ALL_LEAVES if leaf[0] == name) for name in dict.fromkeys(leaf[0] for leaf in ALL_LEAVES)
]
"""One command of each group: all of them come through the same door."""
AT_WORK = [
    ("act", "--list"),
    ("check", TABLE),
    ("check", TABLE, "--json"),
    ("decide", "--rulebook", "md-uth", "--schema", "input"),
    ("settle", "--rulebook", "md-uth", "--schema", "input"),
    ("rank", "--rulebook", "md-uth", "As Kd Kh Ks 9c"),
    *(("rulebook", name) for name in ("list", "coverage", "readings")),
    *(("rulebook", name, "md-uth") for name in ("show", "edge")),
    ("rulebook", "diff", "md-uth", "ma-uth"),
    ("rulebook", "explain", "md-uth", "13.I"),
    ("--version",),
]


def _run(stream: str, words: list[tuple[str, ...]], folder: Path) -> list[tuple[tuple[str, ...], int, str]]:
    """Each command with its exit code and what it said to standard error."""
    asked = json.dumps([stream, words])
    done = subprocess.run(
        check=False,
        args=[sys.executable, "-c", FORKS, asked, str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    codes = [int(line) for line in done.stdout.split()]
    said = [(folder / str(number)).read_text() for number in range(len(words))]
    return [*zip(words, codes, said, strict=True)]


@pytest.mark.parametrize(("stream", "why"), [("closed", "is closed"), ("full", "No space left on device")])
def test_each_command_says_that_its_answer_could_not_be_written(stream: str, why: str, tmp_path: Path) -> None:
    """Never code 0, never a traceback: help of every command, and the answers of those that need no daemon."""
    asked = [*((*leaf, "--help") for leaf in LEAVES), *AT_WORK]
    for words, code, said in _run(stream, asked, tmp_path):
        assert (code, said.count("\n")) == (3, 1), (words, said)
        assert said.startswith("standard output "), (words, said)
        assert why in said, (words, said)


@pytest.mark.parametrize("stream", ["mute", "unheard"])
def test_a_complaint_that_cannot_be_made_changes_no_code(stream: str, tmp_path: Path) -> None:
    """Standard error closed or full: what is done is done, what is wrong has its code."""
    asked = [*AT_WORK, *((*leaf, "--nonsense") for leaf in LEAVES), ("journal", "verify", "nowhere")]
    for words, code, said in _run(stream, asked, tmp_path):
        wanted = 2 if "--nonsense" in words else 3 if words[0] == "journal" else 0
        assert (code, said) == (wanted, ""), words


def test_filters_say_that_they_are_given_nothing_to_read(tmp_path: Path) -> None:
    """A closed standard input is no empty one: nothing was decided, and a script should not think so."""
    asked = [(name, "--rulebook", "md-uth") for name in ("decide", "settle", "rank")]
    asked.append(("device", "conformance", "/dev/nothing"))
    for words, code, said in _run("deaf", asked, tmp_path):
        assert (code, "Traceback" in said) == (3, False), (words, said)
        assert "standard input is closed: give it lines" in said, (words, said)
    for words, code, said in _run("deaf", AT_WORK, tmp_path):
        assert code == 0, (words, said)


@pytest.mark.parametrize("name", ["decide", "settle", "rank"])
@pytest.mark.parametrize(("where", "code"), [("/dev/full", 3), (None, 1)])
def test_a_filter_ends_at_the_line_that_it_cannot_write(name: str, where: str | None, code: int) -> None:
    """A full disk is told; whoever stops reading has seen enough, and is told nothing."""
    out, end = (-1, os.open(where, os.O_WRONLY)) if where else os.pipe()
    if where is None:
        os.close(out)
    done = subprocess.run(
        check=False, args=[*COMMAND, name, "--rulebook", "md-uth"], input=b"{}\n" * 9, stdout=end,
        stderr=subprocess.PIPE, timeout=60,
    )  # fmt: skip
    os.close(end)
    said = done.stderr.decode()
    assert (done.returncode, "Traceback" in said, "Exception" in said) == (code, False, False), said
    assert ("standard output cannot be written" in said) is (where is not None)


def test_what_is_said_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    """JSON is nothing else, and a byte that is no text is an answer, not the end."""
    for locale in ("C", "C.UTF-8", "POSIX"):
        environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run(
            check=False, args=[*COMMAND, "rank", "--rulebook", "md-uth"],
            input="As Kö\nAs K\n".encode() + b"\xff\xfe Ks\n", capture_output=True, env=environment, timeout=60,
        )  # fmt: skip
        lines = done.stdout.decode().splitlines()
        assert (done.returncode, len(lines)) == (1, 3), done.stderr
        assert lines[0].startswith("line 1: ")
        assert "Kö" in lines[0]
        assert lines[2].startswith("line 3: ")
        assert b"Traceback" not in done.stderr


def test_no_file_takes_the_number_of_a_closed_stream() -> None:
    """A record that was opened as descriptor 1 would have written into it whatever is said to standard output."""
    look = "import sys, os; from controller.cli.streams import prepare; prepare(); "
    look += "print(os.open('/dev/null', 0), file=sys.stderr)"
    done = subprocess.run(
        check=False,
        args=["sh", "-c", f'exec "{sys.executable}" -c "{look}" <&- >&-'],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert int(done.stderr) > 2
