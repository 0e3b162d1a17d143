"""Each command that a page gives to be copied is run: here, with a record, a store and keys, or by a test that is named."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.backoffice.store.sqlite import connect
from controller.cli.main import cli
from tests.controller.backoffice.conftest import capture
from tests.controller.backoffice.reading.stores import fill
from tests.support.documented import ROOT, Documented, documented
from tests.test_documented_commands import RUN

ELSEWHERE = {
    # A table, a daemon, a broker or a device is at the other end.
    ("act",): ("tests/controller/cli/test_arguments.py", "act"),
    ("bench", "--rulebook", "md-uth"): ("tests/e2e/test_one_jam.py", "shoe_jam@"),
    ("bench", "--rulebook", "ma-uth"): ("tests/simulators/bench/test_every_rulebook.py", "ma-uth"),
    ("bench", "--progressive"): ("tests/simulators/bench/test_scenario.py", "scenarios"),
    ("backoffice", "record"): ("tests/controller/backoffice/recording/test_torture.py", "record"),
    ("backoffice", "verify", "--from", "postgresql://auditor@db/house"): (
        "tests/controller/backoffice/reading/test_verify.py",
        "postgres",
    ),
    ("device", "conformance"): ("tests/controller/devices/test_commands.py", "conformance"),
    ("doctor",): ("tests/controller/doctor/test_doctor.py", "doctor"),
    ("metrics",): ("tests/controller/backoffice/reading/test_integrations.py", "metrics"),
    ("outbox",): ("tests/controller/cli/test_cli.py", "outbox"),
    ("panel", "serve"): ("tests/e2e/test_panel.py", "serve"),
    ("sim",): ("tests/simulators/cli/test_cli.py", "--plan"),
    # It names a wager that is not shipped.
    ("bench", "--rulebook", "ma-uth", "--rounds", "20"): (
        "tests/controller/games/test_adding_a_wager.py",
        "lucky_two",
    ),
    # It names copies on another medium.
    ("journal", "drill"): ("tests/controller/cli/test_odd_bodies.py", "drill"),
    ("journal", "replay"): ("tests/controller/audit/test_replay.py", "replay"),
    ("journal", "prove"): ("tests/controller/audit/test_lookback.py", "prove"),
}
"""First words of commands that are not run here -> the test that plays them, and a word of it."""
ENDS = {("backoffice", "alarms", "--to", "sqlite:house.db"): 1}
"""Exit codes that are not 0: an alarm is open."""
TYPED = {("panel", "person"): "1234\n1234\n"}
"""What a person answers."""


def _is_a_form(found: Documented) -> bool:
    """Whether a word stands for something that the reader puts there."""
    return any(word.isupper() or word.startswith("[") for word in found.arguments)


def _is_elsewhere(found: Documented) -> bool:
    return any(found.arguments[: len(words)] == words for words in ELSEWHERE)


WHOLE = {found.arguments: found for found in documented() if found.whole and not _is_a_form(found)}
HERE = [found for words, found in WHOLE.items() if words not in RUN and not _is_elsewhere(found)]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the pages name: a signed record, the table's public key, a store of its events, a list of tables."""
    folder = tmp_path_factory.mktemp("desk")
    table = capture(folder / "table", "uth-017", seals=False)
    table.journal.journal.close()
    for name in ("keys", "etc/tablewarden", "etc/credstore"):
        (folder / name).mkdir(parents=True)
    shutil.copy(folder / "table/j", folder / "example.journal")
    for name in ("table.pub", "keys/lv01_uth-017.pub"):
        shutil.copy(table.journal.public, folder / name)
    (folder / "config").symlink_to(ROOT / "config")
    listed = (ROOT / "docs/install.md").read_text().partition("```\ntable,")[2].partition("```")[0]
    (folder / "site.csv").write_text(f"table,{listed}")
    with closing(connect(folder / "house.db")) as store:
        fill(store, "sqlite", [text for kind, text in table.messages if kind == "evt"])
        store.execute(
            "INSERT INTO alarm (id, source, code, detail, opened) VALUES (17, ?, 'silent', '', '')", [table.source]
        )
        store.commit()
    return folder


def test_each_command_of_a_page_runs(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the pages, each with exit code 0; a path of the machine is one of the desk."""
    monkeypatch.chdir(desk)
    failed, last = [], ""
    (desk / "heads.json").write_text(
        CliRunner().invoke(cli, ["journal", "verify", "example.journal", "--json"]).output
    )
    for found in HERE:
        words = [f"{desk}{word}" if word.startswith("/") else word for word in found.arguments]
        stdin = last if found.arguments[0] in ("decide", "settle") else TYPED.get(found.arguments[:2])
        result = CliRunner().invoke(cli, words, input=stdin)
        last = result.stdout
        if result.exit_code != ENDS.get(found.arguments, 0):
            failed.append(f"{found.where}: {result.exit_code}: {result.output} {result.exception!r}")
    assert len(HERE) > 20
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("words", ELSEWHERE, ids=" ".join)
def test_a_command_that_is_not_run_here_is_run_by_the_test_that_is_named(words: tuple[str, ...]) -> None:
    """The test names the command, and a page still has it."""
    place, word = ELSEWHERE[words]
    assert word in (ROOT / place).read_text()
    assert any(found.arguments[: len(words)] == words for found in WHOLE.values())
