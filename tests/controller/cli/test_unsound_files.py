"""Every file that people write, broken in every way, under every command that reads it: a reason in words, and the code."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import REFUSED, cli
from controller.rules.read import library
from controller.rules.read.library import shipped

TABLES = Path(__file__).resolve().parents[3] / "config" / "tables"
Break = Callable[[Path], object]


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _led_nowhere(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


BREAKS: dict[str, Break] = {
    "a folder": _folder,
    "endless": _endless,
    "a link to itself": lambda path: (path.unlink(), path.symlink_to(path.name)),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:-40] + b"[["),
    "no UTF-8": lambda path: path.write_bytes(path.read_bytes() + b"\n# \xff"),
    "a byte order mark": lambda path: path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes()),
    "nested": lambda path: path.write_bytes(b"a = " + b"[" * 5000),
    "a number without end": lambda path: path.write_bytes(b"a = " + b"9" * 5000),
    "a number in hexadecimal": lambda path: path.write_bytes(b"a = 0x" + b"9" * 5000),
    "deep": lambda path: path.write_bytes(b"[table" + b".a" * 5000 + b"]"),
    "empty": lambda path: path.write_bytes(b""),
}
FEW = ("a folder", "no UTF-8", "nested", "empty")
"""For files behind the first one: one reader opens them all."""


def _run(*words: str, given: bytes = b"") -> Result:
    return CliRunner().invoke(cli, words, input=given, catch_exceptions=False)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rulebooks that one may spoil, in the place of those that came with the software."""
    where = Path(shutil.copytree(shipped(), tmp_path / "rulebooks"))
    monkeypatch.setattr(library, "INSTALLED", where)
    return where


def _by_rulebook() -> list[tuple[str, ...]]:
    """Each command that needs one to begin."""
    filters = [(name, "--rulebook", "md-uth") for name in ("decide", "settle", "rank")]
    readers = [("rulebook", name, "md-uth") for name in ("show", "edge", "coverage", "readings")]
    others = [
        ("rulebook", "explain", "md-uth", "13.I"),
        ("rulebook", "diff", "ma-uth", "md-uth"),
        ("rulebook", "list"),
    ]
    return [*filters, *readers, *others, ("bench", "--rulebook", "md-uth", "--rounds", "1")]


@pytest.mark.parametrize("how", [*BREAKS, "a link to nothing"])
def test_an_unsound_rulebook_has_one_code_under_every_command(copy: Path, how: str) -> None:
    """2, and the file is named; from `check`, which is asked what is wrong, it is a fault of the table with code 1."""
    {**BREAKS, "a link to nothing": _led_nowhere}[how](copy / "md-uth.toml")
    for words in _by_rulebook():
        result = _run(*words)
        assert (result.exit_code, result.stdout) == (2, ""), (words, result.output)
        assert "md-uth.toml: refused for" in result.stderr, (words, result.stderr)
    result = _run("check", str(TABLES / "example.toml"))
    assert (result.exit_code, "WRONG  md-uth.toml" in result.stdout) == (1, True), result.output
    assert _run("status", "--config", str(TABLES / "example.toml")).exit_code in (1, 3)
    assert _run("run", "--config", str(TABLES / "example.toml")).exit_code == REFUSED


@pytest.mark.parametrize("how", FEW)
def test_unsound_clause_ids_are_a_fault_of_the_rulebook(copy: Path, how: str) -> None:
    """No citation can be checked without them."""
    BREAKS[how](copy / "clauses" / "md-uth.txt")
    for words in _by_rulebook():
        result = _run(*words)
        assert (result.exit_code, result.stdout) == (2, ""), (words, result.output)
        assert "md-uth.toml: refused for" in result.stderr, words
    assert _run("check", str(TABLES / "example.toml")).exit_code == 1


@pytest.mark.parametrize("how", [*FEW, "a link to nothing"])
def test_an_unsound_coverage_is_named_where_it_is_read(copy: Path, how: str) -> None:
    """`coverage` and `explain` need it, a table's prompts come from it; nothing else asks for it."""
    {**BREAKS, "a link to nothing": _led_nowhere}[how](copy / "clauses" / "md-uth.coverage.toml")
    for words in (("rulebook", "coverage"), ("rulebook", "explain", "md-uth", "13.I")):
        result = _run(*words)
        assert (result.exit_code, "md-uth.coverage.toml: refused for" in result.stderr) == (2, True), result.output
    result = _run("check", str(TABLES / "example.toml"))
    assert (result.exit_code, "md-uth.coverage.toml file: " in result.stdout) == (1, True), result.output
    assert _run("rank", "--rulebook", "md-uth", "As Kd Qh Js 9c").exit_code == 0


def _figure(path: Path, **changed: object) -> None:
    figures = json.loads(path.read_text())
    figures[0] |= changed
    path.write_text(json.dumps(figures))


BAD_FIGURES: dict[str, Break] = {
    "no list": lambda path: path.write_text("{}"),
    "no figures": lambda path: path.write_text("[1]"),
    "a part of nothing": lambda path: _figure(path, edge="1/0"),
    "no fraction": lambda path: _figure(path, edge="1e999999999"),
    "no text": lambda path: _figure(path, wager=1),
    "tables that are none": lambda path: _figure(path, tables=5),
    "one key more": lambda path: _figure(path, more=5),
    "nested json": lambda path: path.write_text("[" * 5000),
    **{how: BREAKS[how] for how in FEW},
}


@pytest.mark.parametrize("how", BAD_FIGURES)
def test_unsound_figures_end_only_the_command_that_tells_them(copy: Path, how: str) -> None:
    """They decide nothing at a table: `check` says that they are not known, and has no fault for it."""
    BAD_FIGURES[how](copy / "edges" / "md-uth.json")
    result = _run("rulebook", "edge", "md-uth")
    assert (result.exit_code, "edges/md-uth.json: no list of figures: " in result.stderr) == (2, True), (
        result.output
    )
    result = _run("check", str(TABLES / "example.toml"))
    assert (result.exit_code, "what each wager brings the house is not known: " in result.stdout) == (0, True)


@pytest.mark.parametrize("how", BREAKS)
def test_an_unsound_configuration_is_named_by_every_command_that_takes_one(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a table, as elections, as the place of a socket."""
    monkeypatch.delenv("TABLEWARDEN_SOCKET", raising=False)
    path = Path(shutil.copy(TABLES / "example.toml", tmp_path / "t.toml"))
    BREAKS[how](path)
    for words, code in (
        (("check", str(path)), 1),
        (("run", "--config", str(path)), REFUSED),
        (("device", "list", "--config", str(path)), 1),
        (("decide", "--rulebook", "md-uth", "--table", str(path)), 2),
        (("decide", "--rulebook", "md-uth", "--elections", str(path)), 2),
        (("settle", "--rulebook", "md-uth", "--elections", str(path)), 2),
        (("status", "--config", str(path)), 3 if how == "empty" else 1),
    ):
        result = _run(*words)
        if how not in ("a folder", "a link to itself", "endless"):  # which the option refuses before
            assert result.exit_code == code, (words, result.output)
        assert result.exit_code in (1, 2, 3, REFUSED), (words, result.output)
        assert "t.toml" in result.output or how == "empty", (words, result.output)


@pytest.mark.parametrize("how", [*FEW, "a link to nothing"])
def test_an_unsound_list_of_firmware_is_a_fault_of_the_table(tmp_path: Path, how: str) -> None:
    """Named with its file; an empty one lists nothing."""
    path = tmp_path / "approved.toml"
    path.write_text('[[firmware]]\nvendor = "x"\n')
    {**BREAKS, "a link to nothing": _led_nowhere}[how](path)
    table = tmp_path / "t.toml"
    text = (TABLES / "example.toml").read_text()
    table.write_text(text.replace("[table]\n", f'[table]\napproved_devices = "{path}"\n'))
    result = _run("check", str(table))
    assert (result.exit_code, "approved.toml" in result.stdout) == ((0, False) if how == "empty" else (1, True))


@pytest.mark.parametrize("key", ["socket", "path", "approved_devices", "site"])
def test_a_text_with_a_nul_is_a_fault(tmp_path: Path, key: str) -> None:
    """The system takes no such name, and Python raises where one reaches it."""
    table = tmp_path / "t.toml"
    lines = (
        (TABLES / "example.toml")
        .read_text()
        .replace("[table]\n", '[table]\napproved_devices = "a"\n')
        .splitlines()
    )
    table.write_text("\n".join(f'{key} = "a\\u0000b"' if line.split()[:1] == [key] else line for line in lines))
    result = _run("check", str(table))
    assert (result.exit_code, f"{key}: must not hold the character NUL" in result.stdout) == (1, True), (
        result.output
    )


def test_a_folder_without_rulebooks_is_not_a_sound_one(tmp_path: Path) -> None:
    """Nothing found is no answer to what is there."""
    for words in (("list",), ("coverage",), ("readings",)):
        result = _run("rulebook", *words, "--directory", str(tmp_path))
        assert (result.exit_code, f"{tmp_path}: no rulebook lies here" in result.stderr) == (2, True)
    for words in (("show", "md-uth"), ("diff", "md-uth", "ma-uth"), ("edge", "md-uth")):
        result = _run("rulebook", *words, "--directory", str(tmp_path))
        assert (result.exit_code, "none is known here" in result.stderr) == (2, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_says_so(copy: Path) -> None:
    """The file and that it is a matter of rights."""
    (copy / "md-uth.toml").chmod(0)
    result = _run("rulebook", "show", "md-uth")
    assert (result.exit_code, "cannot be read: Permission denied" in result.stderr) == (2, True)
