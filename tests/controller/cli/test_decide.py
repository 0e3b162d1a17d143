"""`tablewarden decide` as people type it, and docs/decide.md run as it stands."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli.filters.decide import example_setup
from controller.cli.main import cli
from controller.config.model import law_of
from controller.config.table import TableConfig
from controller.games.registry import unplayable
from controller.readers.json import MAX_LINE
from controller.rules.elections import proposals
from controller.rules.read.library import available, find

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = (ROOT / "docs" / "examples" / "shoe-jam.jsonl").read_text()
PAGE = (ROOT / "docs" / "decide.md").read_text()
TABLES = ROOT / "config" / "tables"


def _decide(given: str, *words: str) -> Result:
    return CliRunner().invoke(cli, ["decide", *words], input=given)


def _block(label: str) -> list[dict[str, Any]]:
    found = re.search(rf"^```json {label}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found, label
    return [json.loads(line) for line in found[1].splitlines()]


def _shows(page: Any, real: Any) -> bool:
    """True where the page says nothing that is not so; keys may be left out on it, items of a list may not."""
    match page, real:
        case dict(), dict():
            return all(key in real and _shows(value, real[key]) for key, value in page.items())
        case list(), list():
            return len(page) == len(real) and all(map(_shows, page, real))
        case _:
            return bool(page == real)


@pytest.mark.parametrize("rulebook", ["md-uth", "ma-uth"])
def test_the_worked_example_of_the_page_is_what_comes_out(rulebook: str) -> None:
    """From the jam on, line for line and none missing."""
    result = _decide(EXAMPLE, "--rulebook", rulebook)
    assert result.exit_code == 0, result.output
    facts = [json.loads(line) for line in result.stdout.splitlines()]
    page, real = _block(f"lines example {rulebook}"), [fact for fact in facts if fact["line"] >= 17]
    assert [(fact["line"], fact["kind"]) for fact in page] == [(fact["line"], fact["kind"]) for fact in real]
    for shown, fact in zip(page, real, strict=True):
        assert _shows(shown, fact), f"{shown}\nis not\n{fact}"
    assert not [fact for fact in facts if fact["line"] < 17 and fact["kind"] == "input_refused"]


def test_the_lines_that_the_page_shows_of_the_example_are_its_last() -> None:
    """The page and the file are one example."""
    lines = [json.loads(line) for line in EXAMPLE.splitlines()]
    assert (_block("lines of the example"), len(lines)) == (lines[16:], 18)
    assert f"{MAX_LINE:,} bytes" in PAGE


def test_the_bad_lines_of_the_page_are_answered_as_it_says() -> None:
    """A bad line is answered in its place, and the exit code tells of it."""
    blocks = re.findall(r"^```json lines in\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    result = _decide(blocks[1], "--rulebook", "md-uth")
    assert [json.loads(line) for line in result.stdout.splitlines()] == _block("lines out md-uth")
    assert result.exit_code == 1
    assert _decide(blocks[0], "--rulebook", "md-uth").exit_code == 0


def test_a_table_file_gives_devices_seats_and_elections() -> None:
    """Nothing is said of cautious readings where the table's own are taken; a device that it lacks is not known."""
    mine = _decide(EXAMPLE, "--rulebook", "ma-uth", "--table", str(TABLES / "example-ma.toml"))
    facts = [json.loads(line) for line in mine.stdout.splitlines()]
    assert (mine.exit_code, mine.stderr) == (0, "")
    (refused,) = [fact["data"] for fact in facts if fact["line"] == 2]
    assert "no device shoe-1 belongs to this table" in refused["reason"]
    assert [fact["data"]["method"] for fact in facts if fact["kind"] == "round_begun"] == ["shuffler"]
    other = _decide(EXAMPLE, "--rulebook", "ma-uth", "--table", str(TABLES / "example.toml"))
    assert "every reading as proposed for benches" in other.stderr
    assert "15(f)" in other.stdout


def test_elections_change_what_follows(tmp_path: Path) -> None:
    """R-22 decides about the wagers of a void round in Massachusetts: elected otherwise, they do not go back."""
    file = tmp_path / "e.toml"
    chosen = {**proposals(find("ma-uth")), "R-22": "hold"}
    file.write_text(
        "[elections]\n" + "".join(f'"{k}" = {{choice = "{v}", by = "x"}}\n' for k, v in chosen.items())
    )
    result = _decide(EXAMPLE, "--rulebook", "ma-uth", "--elections", str(file))
    fates = {
        fact["data"]["fate"]
        for fact in map(json.loads, result.stdout.splitlines())
        if fact["kind"] == "wager_decided"
    }
    assert (fates, result.exit_code) == ({"held"}, 0)


@pytest.mark.parametrize("command", ["decide", "settle"])
def test_questions_of_an_update_are_proposed_to_files_from_before_it(tmp_path: Path, command: str) -> None:
    """Recorded inputs and old elections still work after an update, and each question that nobody elected is named."""
    rulebook = find("ma-uth")
    new = {q.id for q in rulebook.questions.values() if q.since is not None and len(q.choices) > 1}
    file = tmp_path / "e.toml"
    kept = {k: v for k, v in proposals(rulebook).items() if k not in new}
    file.write_text("[elections]\n" + "".join(f'"{k}" = {{choice = "{v}", by = "x"}}\n' for k, v in kept.items()))
    result = CliRunner().invoke(cli, [command, "--rulebook", "ma-uth", "--elections", str(file)], input="")
    assert result.exit_code == 0
    assert "not for play" in result.stderr
    assert new
    assert set(re.findall(r"R-\d+", result.stderr)) == new
    whole = _decide(EXAMPLE, "--rulebook", "ma-uth", "--elections", str(file))
    assert '"round_begun"' in whole.stdout


def test_a_question_that_was_always_there_is_never_proposed(tmp_path: Path) -> None:
    """A reading that these elections left out on purpose keeps the table closed."""
    file = tmp_path / "e.toml"
    kept = {k: v for k, v in proposals(find("ma-uth")).items() if k != "R-22"}
    file.write_text("[elections]\n" + "".join(f'"{k}" = {{choice = "{v}", by = "x"}}\n' for k, v in kept.items()))
    facts = [
        json.loads(line)
        for line in _decide(EXAMPLE, "--rulebook", "ma-uth", "--elections", str(file)).stdout.splitlines()
    ]
    assert any(fact["kind"] == "input_refused" and "R-22" in fact["data"]["reason"] for fact in facts)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[elections]\n'R-22' = {choice = 'hold'}\n", "R-22 by: is missing"),
        ("[elections]\n'R-22' = {choice = 'keep', by = 'x'}\n", "unknown choice 'keep' (choices:"),
        ("[elections]\n'R-222' = {choice = 'hold', by = 'x'}\n", "no such reading (nearest: R-22)"),
        ("[election]\n", "[elections]: is missing"),
        ("[elections\n", "no TOML"),
    ],
)
def test_elections_that_cannot_be_used_are_refused_before_the_first_line(
    tmp_path: Path, text: str, fault: str
) -> None:
    """Exit code 2 is not that of a bad line, and nothing is written."""
    file = tmp_path / "e.toml"
    file.write_text(text)
    result = _decide(EXAMPLE, "--rulebook", "ma-uth", "--elections", str(file))
    assert (result.exit_code, result.stdout) == (2, "")
    assert fault in result.stderr


def test_an_unknown_rulebook_is_refused_with_the_nearest() -> None:
    """As everywhere."""
    result = _decide("", "--rulebook", "md-ut")
    assert result.exit_code == 2
    assert "nearest: md-uth" in result.stderr


def test_a_line_too_long_costs_one_answer_and_no_memory() -> None:
    """Its rest is not taken for lines of its own."""
    good = EXAMPLE.splitlines()[0]
    result = _decide("x" * (5 * MAX_LINE) + "\n" + good + "\n" + "y" * (MAX_LINE + 1), "--rulebook", "md-uth")
    assert [json.loads(line).get("kind", "error") for line in result.stdout.splitlines()] == [
        "error", "device_online", "error",
    ]  # fmt: skip


def test_each_answer_is_written_before_the_next_line_is_read() -> None:
    """A live journal can be followed through the filter."""
    command = [
        sys.executable,
        "-c",
        "from controller.cli.main import main; main()",
        "decide",
        "--rulebook",
        "md-uth",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        for number in (1, 2):
            run.stdin.write(b"{}\n")
            run.stdin.flush()
            assert json.loads(run.stdout.readline())["line"] == number
        run.stdin.close()
        assert run.wait(30) == 1


@pytest.mark.parametrize("rulebook", available())
def test_the_table_that_is_taken_by_default_fits_its_rulebook(rulebook: str) -> None:
    """`check` would find no fault in it, save that a game may not be played yet."""
    book = find(rulebook)
    elections = {question: (choice, "bench") for question, choice in proposals(book).items()}
    setup = example_setup(book, elections)
    table = TableConfig(
        setup.site, setup.table, setup.seats, rulebook, setup.method, setup.backs, tuple(setup.offered),
        setup.currency, setup.progressive_cents,
    )  # fmt: skip
    faults = law_of(table, elections, {device.kind for device in setup.devices.values()})[1]
    not_played = unplayable(book)
    assert faults == ([f"[table] rulebook: {not_played}"] if not_played else [])


def test_the_schemas_are_printed() -> None:
    """Without a rulebook: they are the same for all."""
    for which in ("input", "output"):
        result = _decide("", "--schema", which)
        assert result.exit_code == 0
        assert result.stdout == (ROOT / "docs" / "schema" / f"decide-{which}.json").read_text()


def _in_production(folder: Path, pin: str) -> Path:
    """The example as a table in play: its keys and its list of firmware lie on another machine."""
    text = (TABLES / "example.toml").read_text()
    for was, now in (
        ("[table]\n", f'[table]\nrulebook_sha256 = "{pin}"\napproved_devices = "/nowhere/approved.toml"\n'),
        ("production = false", "production = true"),
        ('by = "bench"', 'by = "M. Ortiz"'),
        ("SIM-", "SN-"),
        ("[[device]]\n", '[[device]]\nkey_file = "/nowhere/device.key"\n'),
        ("[journal]\n", '[journal]\nkey = "/nowhere/journal.key"\nvault = "/nowhere/vault"\n'),
    ):
        assert was in text, was
        text = text.replace(was, now)
    path = folder / "t.toml"
    path.write_text(text)
    return path


def test_a_table_in_production_is_decided_on_a_machine_without_its_keys(tmp_path: Path) -> None:
    """Nothing is served by it here: the core needs no key. `check` still wants them, for the table's own machine."""
    table = _in_production(tmp_path, find("md-uth").sha256)
    result = _decide(EXAMPLE, "--rulebook", "md-uth", "--table", str(table))
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    checked = CliRunner().invoke(cli, ["check", str(table)])
    assert (checked.exit_code, "/nowhere/device.key" in checked.stdout) == (1, True)
    assert "/nowhere/approved.toml: cannot be read" in checked.stdout


def test_a_signed_hash_is_compared_with_the_rulebook_that_was_signed_and_with_no_other(tmp_path: Path) -> None:
    """Under another document it says nothing, and that is said; of its own it must be the hash."""
    table = _in_production(tmp_path, find("md-uth").sha256[:16])
    result = _decide(EXAMPLE, "--rulebook", "ma-uth", "--table", str(table))
    assert result.exit_code == 0, result.output
    assert (
        "ma-uth: not compared with a signed hash; the table's rulebook_sha256 is that of md-uth" in result.stderr
    )
    assert "15(f)" in result.stdout
    changed = _in_production(tmp_path, "0" * 16)
    result = _decide(EXAMPLE, "--rulebook", "md-uth", "--table", str(changed))
    assert (result.exit_code, "was changed after it was signed" in result.stderr) == (2, True)
