"""The commands as people type them, against a real daemon: what they print, and the code they end with."""

import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli, end, show
from controller.rules.elections import proposals
from controller.rules.read.library import find

START_S = 30.0
COMMAND = [sys.executable, "-c", "from controller.cli.main import main; main()"]
EXAMPLE = Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml"


def _config(folder: Path) -> Path:
    elections = "".join(
        f'"{question}" = {{ choice = "{choice}", by = "bench" }}\n'
        for question, choice in proposals(find("md-uth")).items()
    )
    path = folder / "t.toml"
    path.write_text(
        '[table]\nsite = "lv01"\nid = "t1"\nseats = 6\nrulebook = "md-uth"\nmethod = "manual_shoe"\nbacks = ["red"]\n'
        f'[elections]\n{elections}[journal]\npath = "t1.journal"\n[control]\nsocket = "c.sock"\n'
        '[[control.people]]\nname = "flora"\nroles = ["floorperson", "dealer"]\n'
        '[[control.people]]\nname = "tess"\nroles = ["technician"]\n[log]\nformat = "json"\n'
    )
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The configuration of a table whose daemon runs."""
    folder = tmp_path_factory.mktemp("t")
    config = _config(folder)
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen([*COMMAND, "run", "--config", str(config)], stderr=log) as daemon,
    ):
        _wait_until_up(folder / "c.sock", daemon)
        yield config
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(START_S) == 0
    assert not (folder / "c.sock").exists()
    events = [json.loads(line)["event"] for line in (folder / "log").read_text().splitlines()]
    assert {"control_open", "no_broker"} <= set(events)


def _wait_until_up(path: Path, daemon: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + START_S
    while daemon.poll() is None and time.monotonic() < end:
        with socket.socket(socket.AF_UNIX) as knock:
            try:
                knock.connect(str(path))
                knock.sendall(b'{"id": 1, "do": "status"}\n')
                if b'"record":{"ok":true' in knock.recv(1 << 16):
                    return
            except OSError:
                pass
        time.sleep(0.01)
    raise AssertionError(f"the daemon did not come up; it ended with {daemon.poll()}")


def _run(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def _commands(group: click.Group = cli, *names: str) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            found.append((*names, name))
            if isinstance(command, click.Group):
                found += _commands(command, *names, name)
    return found


def test_every_command_has_a_help_with_an_example() -> None:
    """Whoever types --help sees how it is used."""
    commands = _commands()
    assert {
        ("run",),
        ("check",),
        ("status",),
        ("act",),
        ("watch",),
        ("journal", "verify"),
        ("journal", "tail"),
        ("device", "list"),
        ("device", "probe"),
    } <= {*commands}
    assert {("outbox", "status"), ("outbox", "release"), ("bench",), ("sim", "shoe")} <= {*commands}
    for words in commands:
        done = _run(*words, "--help")
        assert done.exit_code == 0
        if words not in (("device",), ("journal",), ("outbox",), ("vault",)):
            assert "Example" in done.output, words


def test_the_version_is_that_of_the_distribution() -> None:
    """The one that stands in the record too."""
    assert _run("--version").output == f"tablewarden {version('tablewarden')}\n"


def test_the_daemon_starts_where_there_are_no_simulators(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table's PC has none: the commands that need them are not there, the others are."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "simulators"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "simulators", None)
    names = {words[0] for words in _commands()}
    assert names.isdisjoint({"bench", "sim"})
    assert {"run", "status", "journal"} <= names
    assert _run("bench").exit_code == 2


def test_status_is_a_page_for_people_and_json_for_programs(table: Path) -> None:
    """By the configuration's socket, or by the socket itself."""
    page = _run("status", "--config", str(table))
    assert page.exit_code == 0
    assert page.output.startswith("t1 at lv01  ")
    assert "prompt    Say whether the set came inspected and shuffled: act bring_set [4.F]" in page.output
    document = json.loads(_run("status", "--socket", str(table.parent / "c.sock"), "--json").output)
    told = {prompt["act"] for prompt in document["prompts"]}
    assert told == {"bring_set", "direct_shuffle", "idle_table", "record_cut", "recut"}, (
        "no progressive is offered here"
    )
    assert (document["table"], document["record"]["ok"]) == ("t1", True)


def test_the_socket_may_come_from_the_environment(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set once for a shift."""
    monkeypatch.setenv("TABLEWARDEN_SOCKET", str(table.parent / "c.sock"))
    assert _run("status").exit_code == 0


def test_an_act_prints_what_followed_and_a_refusal_ends_with_one(table: Path) -> None:
    """Done is 0; not done is 1, with the reason."""
    where = ("--config", str(table))
    flora = ("--who", "flora", "--role", "floorperson", *where)
    assert _run("act", "bring_set", "back=red", "preshuffled=true", *flora).exit_code == 0
    opened = _run("act", "open_table", *flora)
    assert (opened.exit_code, "table_opened" in opened.output) == (0, True)
    again = _run("act", "open_table", *flora)
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr == "refused: the table is open already\n"
    dealer = ("--who", "flora", "--role", "dealer", *where, "--json")
    begun = _run("act", "begin_round", "back=red", *dealer)
    assert json.loads(begun.output)[0]["kind"] == "round_begun"
    assert _run("act", "place_wager", "seat=1", "wager=ante", "cents=500", *dealer).exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("begin_rond", "back=red"), 2, "no act 'begin_rond' (nearest: begin_round)"),
        (("begin_round", "bakc=red"), 2, "begin_round has no 'bakc' (nearest: back)"),
        (("begin_round",), 2, "begin_round needs 'back'"),
        (("begin_round", "red"), 2, "'red' is not KEY=VALUE"),
        (("begin_round", "back=red", "back=blue"), 2, "'back' is given twice"),
        (("place_wager", "seat=one", "wager=ante", "cents=5"), 2, "seat=one is no whole number; write seat=3"),
        (("record_decision", "seat=1", "decision=paly"), 2, "'paly' (nearest: play)"),
        (("raise_dispute", "reason=\x1b[2J"), 2, "raise_dispute: 'reason' holds the control character U+001B"),
    ],
)
def test_an_act_that_cannot_be_is_a_usage_error(words: tuple[str, ...], code: int, says: str) -> None:
    """Found before anything is sent: no daemon is needed to hear it."""
    done = _run("act", *words, "--who", "a", "--role", "dealer", "--socket", "/none")
    assert done.exit_code == code
    assert says in done.stderr


def test_a_name_that_is_no_text_is_not_sent(table: Path) -> None:
    """Bytes that the terminal sent and no character set has."""
    done = _run("act", "end_round", "--who", "fl\udcff", "--role", "dealer", "--config", str(table))
    assert (done.exit_code, "holds bytes that are no UTF-8" in done.stderr) == (2, True), done.output


def test_a_bench_on_the_record_of_a_daemon_leaves_nothing_beside_it(table: Path) -> None:
    """It cannot run, and the keys that it made were nobody's."""
    before = {path.name for path in table.parent.iterdir()}
    done = _run("bench", "--rounds", "1", "--broker", "memory", "--journal", str(table.parent / "t1.journal"))
    # The page or the error says so: a busy machine decides whether the daemon ends before or after it is asked.
    assert (done.exit_code, "a journal has one writer" in done.output) == (3, True), done.output
    assert {path.name for path in table.parent.iterdir()} == before


def test_an_unknown_person_is_told_by_the_daemon(table: Path) -> None:
    """The command does not know who is listed; the daemon does."""
    done = _run("act", "end_round", "--who", "flra", "--role", "dealer", "--config", str(table))
    assert done.exit_code == 1
    assert "unknown person: nobody called 'flra' is listed here (nearest: flora)" in done.stderr


def test_no_page_and_no_error_moves_the_cursor_of_who_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Line by line, whatever a file or a daemon has put into it; lines of an error stay lines."""
    show(["a\x1b]0;own\x07b\nc"], iter, False)
    with pytest.raises(SystemExit):
        end("first\nsecond \x1b[2J", 1)
    told = capsys.readouterr()
    assert (told.out, told.err) == ("a\ufffd]0;own\ufffdb\ufffdc\n", "first\nsecond \ufffd[2J\n")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_check_escapes_what_somebody_typed(form: tuple[str, ...], tmp_path: Path) -> None:
    """In each place where the file holds text, and in the names of keys; JSON still says what was meant."""
    typed = "\\u001b[2J\\u202e\\u009b31m\\u007f"
    text = re.sub(r'^([\w-]+ *= *")', lambda found: found[1] + typed, EXAMPLE.read_text(), flags=re.MULTILINE)
    path = tmp_path / "t.toml"
    path.write_text(text + f'\n["{typed}"]\n"{typed}" = 1\n')
    result = _run("check", str(path), *form)
    assert result.exit_code == 1
    assert {c for c in result.output if not c.isprintable()} == {"\n"}
    if form:
        (found,) = json.loads(result.output)
        assert any("\x9b31m" in fault or "\\x9b31m" in fault for fault in found["faults"])


def test_the_acts_are_listed_with_their_arguments() -> None:
    """What may stand behind `act`, without a daemon and without saying who."""
    lines = _run("act", "--list").output.splitlines()
    assert "place_wager seat=N wager=TEXT amount=10.00 [player=TEXT] [coupon=10.00]" in lines
    assert "record_decision seat=N decision=DECISION [multiple=N]" in lines
    assert any(line.startswith("    DECISION: check, play, fold") for line in lines)
    assert "record_stub_count stub=N [misdealt=true|false] [all_cards=N] [back=TEXT]" in lines
    assert any(line.startswith("    TRIGGER: shuffler_jam, shoe_jam") for line in lines)


@pytest.mark.parametrize("words", [("status",), ("watch",), ("outbox", "status")])
def test_no_daemon_ends_with_three(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A script tells "not there" from "found something wrong"."""
    done = _run(*words, "--socket", str(tmp_path / "none"))
    assert (done.exit_code, done.stdout) == (3, "")
    assert "no daemon runs here" in done.stderr


def test_watch_prints_each_record_until_it_is_stopped(table: Path) -> None:
    """As lines, or as one object a line; an interrupt is the ordinary end."""
    command = [*COMMAND, "watch", "--after", "0", "--json", "--config", str(table)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        first = json.loads(watching.stdout.readline())
        watching.send_signal(signal.SIGINT)
        watching.stdout.read()
        assert watching.wait(START_S) == 0
    assert (first["kind"], first["order"] > 0) == ("service_started", True)


def test_a_watch_that_cannot_be_is_refused(table: Path) -> None:
    """From beyond the record, with the reason."""
    done = _run("watch", "--after", "1000000", "--config", str(table))
    assert done.exit_code == 1
    assert "beyond the newest record" in done.stderr


def test_the_outbox_is_shown_and_what_was_not_set_aside_is_not_released(table: Path) -> None:
    """By a technician; a sequence that is not there is a refusal."""
    where = ("--config", str(table))
    assert "main: " in _run("outbox", "status", *where).output
    assert "streams" in json.loads(_run("outbox", "status", "--json", *where).output)
    done = _run("outbox", "release", "main", "999", "--who", "tess", "--role", "technician", *where)
    assert (done.exit_code, done.stderr) == (
        1,
        "refused: main: 999 is not parked; look at `tablewarden outbox status`\n",
    )


def test_a_live_journal_is_proved_and_read(table: Path) -> None:
    """While its daemon writes: sound, with heads to compare; the newest records as lines or objects."""
    path = str(table.parent / "t1.journal")
    proved = _run("journal", "verify", path)
    assert proved.exit_code == 0
    assert proved.output.startswith(f"{path}: sound, journal ")
    verdict = json.loads(_run("journal", "verify", path, "--json").output)
    assert (verdict["sound"], verdict["faults"]) == (True, [])
    assert len(verdict["heads"]["main"]["hash"]) == 64
    assert "service_started" in _run("journal", "tail", path, "--all", "--stream", "main").output.splitlines()[0]
    assert len(_run("journal", "tail", path, "-n", "2").output.splitlines()) == 2
    records: list[dict[str, Any]] = [
        json.loads(line) for line in _run("journal", "tail", path, "--all", "--json").output.splitlines()
    ]
    assert [record["order"] for record in records] == list(range(1, len(records) + 1))


def test_a_journal_that_was_changed_ends_with_one_and_names_the_record(tmp_path: Path, table: Path) -> None:
    """On a copy: one byte of one record is enough."""
    copy, source = tmp_path / "copy.journal", f"file:{table.parent}/t1.journal?mode=ro"
    with closing(sqlite3.connect(source, uri=True)) as live, closing(sqlite3.connect(copy)) as db:
        live.backup(db)
        for (trigger,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {trigger}")
        changed = db.execute(
            "UPDATE body SET data = CAST(replace(data, 'md-uth', 'ma-uth') AS BLOB) WHERE ord = 2"
        )
        assert changed.rowcount == 1
        db.commit()
    done = _run("journal", "verify", str(copy))
    assert done.exit_code == 1
    assert "NOT AS IT WAS WRITTEN" in done.output
    assert "  WRONG  main/1: body changed" in done.output.splitlines()


def test_a_journal_that_is_not_there_ends_with_three(tmp_path: Path) -> None:
    """For `verify` as for `tail`."""
    for words in (("verify",), ("tail",)):
        done = _run("journal", *words, str(tmp_path / "none"))
        assert done.exit_code == 3
        assert "no journal here" in done.stderr


RECORD_COMMANDS = (
    ("verify",), ("tail",), ("export",), ("alarms",), ("lookback", "red"), ("replay", "--verify"), ("prove", "1"),
    ("evidence", "1"), ("backup", "copy"), ("restore", "lost"), ("keep",),
)  # fmt: skip


@pytest.mark.parametrize("words", RECORD_COMMANDS, ids=lambda words: words[0])
def test_a_record_that_may_not_be_read_ends_with_three_and_says_why(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no damage: a verdict would be of the permissions and not of the record."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.journal"
    path.write_bytes(b"SQLite format 3")
    opens = Path.open

    def refuse(self: Path, *args: Any, **more: Any) -> Any:
        if self.name == path.name:
            raise PermissionError(13, "Permission denied", str(self))
        return opens(self, *args, **more)

    monkeypatch.setattr(Path, "open", refuse)
    done = _run("journal", words[0], str(path), *words[1:])
    assert (done.exit_code, done.stderr) == (3, f"{path}: Permission denied\n")
    assert [p.name for p in tmp_path.iterdir()] == ["x.journal"]


def test_what_is_interrupted_gives_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """1 would say that the record is not as it was written."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("controller.cli.journal.verify.proved_parts", interrupt)
    done = _run("journal", "verify", str(tmp_path / "x"))
    assert (done.exit_code, done.stdout) == (130, "")
    assert "nothing is known of the record" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_disk_that_is_full_ends_an_export_with_words(table: Path) -> None:
    """And not with 0, nor with a traceback."""
    with Path("/dev/full").open("w") as full:
        command = [*COMMAND, "journal", "export", str(table.parent / "t1.journal")]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=START_S, check=False
        )
    assert done.returncode == 3
    assert done.stderr.startswith("standard output cannot be written (No space left on device): ")
    assert "Traceback" not in done.stderr


def test_a_second_daemon_at_one_table_is_refused(table: Path) -> None:
    """It says which process is there, and ends; the first goes on."""
    done = subprocess.run(
        [*COMMAND, "run", "--config", str(table)], capture_output=True, text=True, timeout=START_S, check=False
    )
    assert done.returncode == 3
    assert "two daemons cannot share a table" in done.stderr
    assert _run("status", "--config", str(table)).exit_code == 0


def test_check_says_what_is_wrong_and_ends_with_one(tmp_path: Path) -> None:
    """All files are checked, also behind a wrong one."""
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(EXAMPLE.read_text().replace("seats = 6", "seats = 60"))
    done = _run("check", str(wrong), str(EXAMPLE))
    assert done.exit_code == 1
    assert "WRONG  [table] seats: must be from 1 to 12, not 60" in done.output
    assert f"{EXAMPLE}: sound" in done.output
    assert _run("check", str(EXAMPLE)).exit_code == 0
    told = json.loads(_run("check", "--json", str(wrong), str(EXAMPLE)).output)
    assert [finding["sound"] for finding in told] == [False, True]
    assert _run("check", str(tmp_path / "none.toml")).exit_code == 2


def test_run_refuses_a_wrong_configuration_with_all_its_faults(tmp_path: Path) -> None:
    """Before anything is opened."""
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(EXAMPLE.read_text().replace("seats = 6", "seats = 60").replace("baud ", "buad "))
    done = _run("run", "--config", str(wrong))
    assert done.exit_code == 78  # systemd must not try again
    assert "refused for 2 faults" in done.stderr
    assert "seats" in done.stderr
    assert "buad" in done.stderr


def test_looking_starts_quickly_and_without_the_daemons_parts() -> None:
    """An act at the table must not wait for MQTT, SQLite or serial ports to be imported."""
    code = (
        "import sys; import controller.cli.main, controller.control.client, controller.text.status_page, controller.control.wire;"
        "print([m for m in ('aiomqtt', 'paho', 'sqlite3', 'serial', 'asyncio', 'structlog') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=START_S, check=True
    )
    assert done.stdout == "[]\n"
