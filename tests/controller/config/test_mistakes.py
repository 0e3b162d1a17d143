"""Typical mistakes in a configuration: `check --here` names each with its remedy, and `run` says the same words."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog
from click.testing import CliRunner

from controller.cli.main import REFUSED, UNREACHABLE, cli
from controller.config.starter import Wanted, methods_of, starter
from controller.journal.proof.keys import make_key
from controller.rules.read.library import find

BOOK = find("md-uth")
BENCH = starter(Wanted(BOOK, "bench", "t1", 6, methods_of(BOOK)[0], (), {}, True))


def swapped(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert re.search(old, text, re.MULTILINE), old
        return re.sub(old, new, text, count=1, flags=re.MULTILINE)

    return change


IN_THE_FILE = {
    "a key that is there twice": (swapped("^seats .*", "seats = 6\nseats = 5"), r"seats = 5.*remove one of the two \(line"),
    "text without quotes": (swapped("^seats .*", "seats = six"), r"write text in quotes.*\(line \d+\)"),
    "a header that is there twice": (swapped(r"^\[journal\]", "[table]"), r"this table is there twice; put .*\(line"),
    "a key that is misspelt": (swapped("^seats ", "saets "), r"saets: unknown key \(nearest: seats\) \(line"),
    "a word of another form": (swapped('"dealing_shoe"', '"dealing-shoe"'), r"nearest: dealing_shoe\) \(line"),
    "a rulebook that is not there": (swapped('"md-uth"', '"md-uht"'), r"no rulebook 'md-uht' \(nearest: md-uth\)"),
    "a wager that is not there": (swapped(r"^offered .*", 'offered = ["tripps"]'), r"'tripps' \(nearest: trips\)"),
    "too many seats": (swapped("^seats .*", "seats = 7"), r"at most 6 seats"),
    "a number in quotes": (swapped("^seats .*", 'seats = "6"'), r"seats: must be a whole number, not '6'"),
    "a device that is missing": (swapped('^kind   = "shoe"', 'kind   = "line"'), r"dealing_shoe needs a shoe"),
    "two devices at one port": (swapped('^path   = "shoe-1"', 'path   = "shuffler-1"'), r"stands at 2 devices"),
    "a reading that is misspelt": (swapped('^"R-26"', '"R-2G"'), r"R-2G: md-uth has no such reading"),
    "a choice that is misspelt": (swapped('"void_and_remove"', '"void"'), r"R-01: unknown choice 'void' \(choices: void_and"),
    "a role that is not there": (swapped(r'"dealer"\]', '"deeler"]'), r"nearest: dealer"),
    "a progressive without its worth": (swapped("^offered .*", 'offered = ["progressive"]'), r"say what one chip is worth"),
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t1.toml"
    path.write_text(BENCH)
    (tmp_path / "shuffler-1").symlink_to("/dev/null")  # stand for ports
    (tmp_path / "shoe-1").symlink_to("/dev/zero")
    return path


def said(*words: str) -> tuple[int, str]:
    told = CliRunner().invoke(cli, words)
    return told.exit_code, told.output


def wrong_lines(output: str) -> list[str]:
    return [line.removeprefix("  WRONG  ") for line in output.splitlines() if line.startswith("  WRONG  ")]


def test_the_bench_of_these_tests_is_sound_here(file: Path) -> None:
    assert said("check", "--here", str(file))[0] == 0


@pytest.mark.parametrize("mistake", IN_THE_FILE)
def test_a_mistake_in_the_file_is_named_and_run_says_the_same(file: Path, mistake: str) -> None:
    change, told = IN_THE_FILE[mistake]
    file.write_text(change(BENCH))
    code, output = said("check", "--here", str(file))
    assert code == 1
    assert re.search(told, output), output
    refused, text = said("run", "--config", str(file))
    assert refused == REFUSED
    unelected = [line for line in wrong_lines(output) if "nobody has elected" in line]
    assert {line.strip() for line in text.splitlines()[1:]} == set(wrong_lines(output)) - set(unelected)


def test_a_misspelt_reading_hides_no_missing_one(file: Path) -> None:
    file.write_text(swapped('^"R-26"', '"R-2G"')(BENCH))
    told = said("check", str(file))[1]
    assert "[elections] R-26: nobody has elected it" in told
    assert told.startswith(f"{file}: 2 faults")


def test_faults_of_one_kind_are_told_once_with_their_number(file: Path) -> None:
    file.write_text(re.sub('^"R-.*\n', "", BENCH, flags=re.MULTILINE))
    (line,) = wrong_lines(said("check", str(file))[1])
    assert re.match(r"\[elections\]: nobody has elected \d\d questions, .*R-01, .*rulebook readings --table", line)


def _no_folder(file: Path) -> None:
    file.write_text(swapped("^socket = .*", 'socket = "/nowhere/control.sock"')(BENCH))


def _something_else_there(file: Path) -> None:
    (file.parent / "control.sock").touch()


def _readable_key(file: Path) -> None:
    key = file.parent / "journal-key.pem"
    make_key(key)
    key.chmod(0o644)
    file.write_text(swapped(r'^path = "t1.journal"', 'path = "t1.journal"\nkey = "journal-key.pem"')(BENCH))


def _no_vault(file: Path) -> None:
    file.write_text(swapped(r'^path = "t1.journal"', 'path = "t1.journal"\nvault = "vault-key"')(BENCH))


@pytest.mark.parametrize(
    ("make", "told", "code"),
    [
        (_no_folder, "the folder /nowhere does not exist; make it.*tablewarden init --bench", UNREACHABLE),
        (_something_else_there, "no socket is in the way; remove it", UNREACHABLE),
        (_readable_key, r"others may use it \(mode 644\); chmod 600 it", REFUSED),
        (_no_vault, "No such file or directory; `tablewarden vault key --new", REFUSED),
    ],
)
def test_run_refuses_to_start_with_the_words_of_check(
    file: Path, make: Callable[[Path], None], told: str, code: int
) -> None:
    make(file)
    (line,) = wrong_lines(said("check", "--here", str(file))[1])
    assert re.search(told, line)
    assert said("check", str(file))[0] == 0  # on another machine the file is sound
    refused, text = said("run", "--config", str(file))
    assert (refused, text.splitlines()[1].strip()) == (code, line)


def _no_port(file: Path) -> None:
    (file.parent / "shoe-1").unlink()


def _no_port_but_a_file(file: Path) -> None:
    _no_port(file)
    (file.parent / "shoe-1").touch()


def _no_authority(file: Path) -> None:
    file.write_text(BENCH + '\n[mqtt]\nhost = "broker"\nca = "ca.pem"\n')


def _no_password(file: Path) -> None:
    file.write_text(BENCH + '\n[mqtt]\nhost = "broker"\nusername = "t1"\npassword_file = "mqtt"\n')


def _no_second_place(file: Path) -> None:
    file.write_text(BENCH + '\n[retention]\ncopy = "/nowhere/copies"\n')


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (_no_port, r"shoe-1 path .*plug the device in, or correct `path`"),
        (_no_port_but_a_file, "is no serial port; correct `path`"),
        (_no_authority, "ca.pem"),
        (_no_password, r"password_file: .*mqtt cannot be read: .*let the daemon's login read it"),
        (_no_second_place, "the folder /nowhere/copies does not exist; make it"),
    ],
)
def test_run_starts_and_logs_what_check_names(
    file: Path, make: Callable[[Path], None], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def serve(config: object) -> int:
        return 0

    make(file)
    monkeypatch.setattr("controller.daemon.app.serve", serve)
    monkeypatch.setattr("controller.log.configure", lambda *_, **__: None)
    (line,) = wrong_lines(said("check", "--here", str(file))[1])
    assert re.search(told, line)
    with structlog.testing.capture_logs() as logged:
        assert said("run", "--config", str(file))[0] == 0
    (row,) = [row for row in logged if row["event"] == "not_here"]
    assert (row["event"], row["log_level"]) == ("not_here", "warning")
    assert f"{row['place']}: {row['what']}" == line


def test_a_sick_machine_is_told_by_check_by_doctor_and_by_the_log(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def serve(config: object) -> int:
        return 0

    monkeypatch.setattr("controller.daemon.app.serve", serve)
    monkeypatch.setattr("controller.log.configure", lambda *_, **__: None)
    monkeypatch.setattr("controller.doctor.gather.kernel_discipline", lambda: None)
    (file.parent / "t1.journal").touch()
    (file.parent / "t1.journal").chmod(0o644)
    checked, doctored = said("check", "--here", str(file))[1], said("doctor", "--config", str(file))[1]
    with structlog.testing.capture_logs() as logged:
        said("run", "--config", str(file))
    for code, what, remedy in (
        ("clock_unsynced", "the clock is not synchronised", "set up chrony"),
        ("record_open", "every user may read the record (mode 644)", "chmod 640 the record"),
    ):
        assert what in checked
        assert remedy in checked
        assert code in doctored
        assert remedy in doctored
        (row,) = [row for row in logged if row.get("code") == code]
        assert row["log_level"] == "warning"
        assert what in row["what"]
        assert remedy in row["remedy"]
