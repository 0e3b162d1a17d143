"""What the bench is asked for and cannot do is refused in words before anything is started or written."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from simulators.bench.broker import BrokerUnusable, address

LONG = "9" * 5000


def _bench(*words: str) -> Result:
    return CliRunner().invoke(
        cli, ["bench", "--rulebook", "ma-uth", "--rounds", "1", *words], catch_exceptions=False
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        *((("--broker", f"mqtt://h:{port}"), "names no port") for port in ("0", "-1", "65536", "x", LONG)),
        *(
            (("--broker", url), "is auto, iotcore, memory or")
            for url in ("mqtt://", "mqtt://[h", "http://h:1", "")
        ),
        (("--speed", "nan"), "no finite number"),
        (("--speed", "inf"), "not in the range"),
        (("--seconds", "nan"), "no finite number"),
        (("--seconds", "inf"), "no finite number"),
        (("--elect", "R-22=return", "--elect", "R-22=hold"), "R-22 is elected twice"),
        (("--elect", "R-22=return", "--elect", "R-22=return"), "R-22 is elected twice"),
        (("--elect", "R-22"), "READING=CHOICE"),
        (("--journal", "."), "is a directory"),
        (("--journal", "nowhere/j"), "no such folder; make it first"),
        (("--keep", "file"), "is a file"),
        (("--keep", "x" * 99), "too long for the sockets"),
        (("--fault", f"shoe_jam@{LONG}"), "say in which round"),
        (("--fault", "shoe_jam@0"), "say in which round"),
        (("--fault", "shoe.power_loss@3:for=nan"), "is a number, not 'nan'"),
        (("--fault", "shoe.power_loss@3:for=inf"), "is a number, not 'inf'"),
        (("--fault", f"shoe.power_loss@3:for={LONG}"), "is a number"),
        (("--scenario", "."), "Is a directory"),
    ],
)
def test_what_cannot_be_is_refused(
    words: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code 2, and no key, no folder and no process is left."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    result = _bench(*words)
    assert (result.exit_code, why in result.output) == (2, True), result.output[-500:]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_file_that_is_no_record_is_left_as_it_is(tmp_path: Path) -> None:
    """Code 3, as it could not run; 1 would say that something broke."""
    file = tmp_path / "notes.txt"
    file.write_text("not a record\n" * 100)
    result = _bench("--journal", str(file))
    assert (result.exit_code, "is there and is no record" in result.stderr) == (3, True), result.output
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_relative_places_are_meant_from_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon is told them in a file of another folder."""
    monkeypatch.chdir(tmp_path)
    result = _bench("--journal", "j", "--keep", "kept", "--broker", "memory", "--speed", "200")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "j").is_file()
    assert (tmp_path / "kept" / "daemon.log").is_file()


def test_a_broker_has_the_usual_port_where_none_is_named() -> None:
    """Port 0 is none, and not the usual one."""
    assert address("auto") is address("memory") is None
    assert address("mqtt://h") == ("h", 1883)
    assert address("mqtt://[::1]:65535") == ("::1", 65535)
    with pytest.raises(BrokerUnusable):
        address("mqtt://h:0")
