"""`tablewarden init`: a bench that runs as it is, and a file for real play that names what is left to a person."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.config.load import read_config
from controller.config.report import examine
from controller.config.starter import methods_of
from controller.rules.elections import elect
from controller.rules.explain.questions import open_at
from controller.rules.read.library import available, find


def init(*words: str):
    return CliRunner().invoke(cli, ["init", *words])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "T 17.toml"


@pytest.mark.parametrize("rulebook", available())
def test_a_bench_is_sound_for_every_way_of_dealing_and_lies_in_one_folder(tmp_path: Path, rulebook: str) -> None:
    for method in methods_of(find(rulebook)):
        path = tmp_path / f"{method}.toml"
        told = init(str(path), "--bench", "--rulebook", rulebook, "--method", method.value)
        assert told.exit_code == 0, told.output
        config = examine(path).config
        assert config is not None
        assert {config.journal.parent, config.control.socket.parent} == {tmp_path}
        assert all(str(tmp_path) in told.output for _ in config.devices)


@pytest.mark.parametrize("rulebook", available())
def test_a_file_for_real_play_asks_every_question_that_is_open_there_and_no_other(
    file: Path, rulebook: str
) -> None:
    """With each line uncommented and signed, no question is open any more."""
    assert init(str(file), "--site", "lv01", "--rulebook", rulebook).exit_code == 0
    text = file.read_text()
    asked = re.findall(r'^# "([\w-]+)" = {', text, re.MULTILINE)
    assert asked == [question.id for question in open_at(elect(find(rulebook), {}), ())]
    file.write_text(re.sub(r'^# ("[\w-]+" = {.*)by = ""', r'\1by = "sam"', text, flags=re.MULTILINE))
    law = read_config(file).law
    assert law is not None
    assert not open_at(law, ())


def test_the_id_of_a_table_is_made_of_the_name_of_its_file(file: Path) -> None:
    init(str(file), "--bench")
    config = examine(file).config
    assert config is not None
    assert config.table.id == "t-17"


def test_devices_that_were_named_stand_in_the_file_whatever_their_port_is_called(file: Path) -> None:
    assert init(str(file), "--site", "lv01", "--device", 'shoe=/dev/table/"shoe",S-4711').exit_code == 0
    text = file.read_text()
    assert 'path   = "/dev/table/\\"shoe\\""' in text
    assert 'serial = "S-4711"' in text


def test_nothing_is_overwritten(file: Path) -> None:
    file.write_text("mine")
    assert init(str(file), "--bench").exit_code == 1
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    "words",
    [
        ("--rulebook", "md-utx"), ("--offer", "tripps"), ("--method", "shuffler", "--rulebook", "fast-action"),
        ("--device", "shoe"), ("--device", "pump=/dev/ttyUSB0"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_and_no_file_is_written(file: Path, words: tuple[str, ...]) -> None:
    assert init(str(file), "--site", "lv01", *words).exit_code == 2
    assert not file.exists()


def test_real_play_needs_the_name_of_the_house(file: Path) -> None:
    assert init(str(file)).exit_code == 2


def test_a_bench_that_the_proposed_elections_forbid_says_so(file: Path) -> None:
    """R-18 as proposed closes the automated shoe under Fast Action."""
    told = init(str(file), "--bench", "--rulebook", "fast-action", "--method", "dealing_shoe")
    assert (told.exit_code, "R-18" in told.output) == (1, True)


def test_a_folder_whose_name_is_too_long_for_a_socket_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    assert init(str(folder / "t.toml"), "--bench").exit_code == 1
    assert not list(folder.iterdir())
