"""`tablewarden provision`: from one list what every table needs; a mistake writes nothing; a second run changes nothing."""

import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509

from controller.cli.main import cli
from controller.config.load import read_config

HEAD = "table,rulebook,broker,devices,seats,method,offered"
LINES = (
    'uth-001,md-uth,10.20.0.5,"shuffler=FT1 shoe=FT2,S-4711",5,,trips',
    "co-001,ma-colorado,broker.example,shoe=pci-0000:00:14.0-usb-0:3:1.0,,,",
)


@pytest.fixture
def site(tmp_path: Path):
    """A function that provisions these lines; `.out`: the folder."""

    def run(*lines: str, head: str = HEAD, options: tuple[str, ...] = (), encoding: str = "utf-8"):
        (tmp_path / "site.csv").write_bytes("\n".join([head, *lines, ""]).encode(encoding))
        return CliRunner().invoke(
            cli,
            ["provision", str(tmp_path / "site.csv"), "--site", "lv01", "--out", str(tmp_path / "out"), *options],
        )

    run.out = tmp_path / "out"
    return run


def found(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_each_table_has_all_its_files_and_no_secret_is_printed(site) -> None:
    said = site(*LINES)
    assert said.exit_code == 0, said.output
    tables = site.out / "tables"
    config = (tables / "uth-001/table.toml").read_text()
    reading = read_config(tables / "uth-001/table.toml")
    assert reading.law is not None
    assert (reading.law.rulebook.id, reading.offered) == ("md-uth", ("trips",))
    assert 'serial = "S-4711"' in config
    codes = {fault.code for fault in reading.faults}
    assert codes <= {"needed_in_production", "reading_unelected"}, reading.faults
    assert 'ID_SERIAL_SHORT}=="FT2", SYMLINK+="table/shoe-1"' in (tables / "uth-001/61-table.rules").read_text()
    assert 'ENV{ID_PATH}=="pci-' in (tables / "co-001/61-table.rules").read_text()
    assert (tables / "uth-001/broker.conf").read_text() == "[Service]\nIPAddressAllow=10.20.0.5\n"
    assert "broker.example is a name" in said.output
    certificate = x509.load_pem_x509_certificate((tables / "uth-001/table.pem").read_bytes())
    assert certificate.subject.rfc4514_string() == "CN=uth-001"
    assert "<b>uth-001</b>" in (site.out / "labels.html").read_text()
    keys = list(site.out.rglob("*.key"))
    assert len(keys) == 5
    assert {path.stat().st_mode & 0o777 for path in keys} == {0o600}
    assert not [path for path in keys if path.read_text().splitlines()[1][:30] in said.output]
    for row in (site.out / "SHA256SUMS").read_text().splitlines():
        said_sum, _, name = row.partition("  ")
        assert hashlib.sha256((site.out / name).read_bytes()).hexdigest() == said_sum


def test_a_second_run_adds_what_is_new_and_changes_nothing_else(site) -> None:
    """A second run keeps each file that a person edited, and the manifest shows the edit."""
    site(LINES[0])
    config = site.out / "tables/uth-001/table.toml"
    config.write_text("# answered by sam\n")
    before = found(site.out)
    assert site(LINES[0]).exit_code == 0
    assert found(site.out) == before
    assert site(*LINES).exit_code == 0
    after = found(site.out)
    differ = {name for name in before if after[name] != before[name]}
    assert differ == {"SHA256SUMS", "labels.html"}
    assert all(name.startswith("tables/co-001/") for name in after.keys() - before.keys())
    row = next(
        row for row in (site.out / "SHA256SUMS").read_text().splitlines() if row.endswith("uth-001/table.toml")
    )
    assert not row.startswith(hashlib.sha256(config.read_bytes()).hexdigest())


def test_a_certificate_of_a_run_that_was_cut_off_is_renewed(site) -> None:
    """The manifest is written last, so a cut leaves certificates that it does not name."""
    site(LINES[0])
    (site.out / "SHA256SUMS").unlink()
    said = site(LINES[0], options=("--renew", "uth-001"))
    assert said.exit_code == 0, said.output
    assert "tables/uth-001/table.pem" in (site.out / "SHA256SUMS").read_text()


def test_one_socket_for_two_devices_of_a_table_is_a_mistake(site) -> None:
    """Tables with one wiring share the name of a socket; two devices of one table never do."""
    said = site(LINES[1].replace("shoe=", "shuffler=pci-0000:00:14.0-usb-0:3:1.0 shoe="))
    assert "line 2: socket 'pci-0000:00:14.0-usb-0:3:1.0' stands there twice" in said.output
    assert not site.out.exists()


def test_a_line_that_changed_is_named_and_a_certificate_is_renewed_on_request(site) -> None:
    site(LINES[0])
    before = found(site.out)
    said = site(LINES[0].replace(",5,", ",6,").replace("10.20.0.5", "10.20.0.6"), options=("--renew", "uth-001"))
    assert "uth-001: its line, or this software, changed since" in said.output
    assert "does not name 10.20.0.6: --renew broker" in said.output
    after = found(site.out)
    assert {name for name in before if after[name] != before[name]} == {
        "SHA256SUMS",
        "labels.html",
        "tables/uth-001/table.pem",
    }


def test_a_run_that_was_cut_off_is_ended_by_the_next_one(site) -> None:
    """The key of a certificate that was not made yet, and the draft of a file, are made anew."""
    site(LINES[0])
    folder = site.out / "tables/uth-001"
    (folder / "table.pem").unlink()
    (folder / "61-table.rules").rename(folder / "61-table.rules.new")
    assert site(LINES[0]).exit_code == 0
    assert (folder / "table.pem").exists()
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["61-table.rules", "broker-ca.pem", "broker.conf", "table.key", "table.pem", "table.toml"]
    )


def test_every_mistake_is_named_with_its_line_at_once_and_nothing_is_written(site) -> None:
    said = site(
        "uth-001,md-uth,10.20.0.5,shoe=FT1,,,",
        "uth-001,md-uth,10.20.0.5,shoe=FT2,,,",
        "Uth 2,md-utx,bad host,shoe=FT1,,,",
        'uth-003,md-uth,b,"shoe=FT\u00fc pump=FT9 shoe=FT7",9,dealer,tripps',
        "recorder,md-uth,b",
    )
    assert said.exit_code == 1
    for text in (
        "line 3: table 'uth-001' stands in line 2 too", "line 4: table 'Uth 2' is no id",
        "line 4: adapter 'FT1' stands in line 2 too", "line 4: rulebook 'md-utx' is unknown; take one of",
        "line 4: broker 'bad host'", "line 5: adapter 'FT\u00fc' of shoe is no serial number", "line 5: device 'pump=FT9'",
        "line 5: kind 'shoe' stands there twice", "line 5: seats '9'", "line 5: method 'dealer'",
        "line 5: wager 'tripps'", "line 6: has more or fewer cells",
    ):  # fmt: skip
        assert text in said.output
    assert not site.out.exists()


@pytest.mark.parametrize(
    ("head", "encoding", "text"),
    [
        ("table,rulebook,devices,owner", "utf-8", ("column 'broker' is missing", "column 'owner' is unknown")),
        (HEAD + ",seats", "utf-8", ("column 'seats' stands there twice",)),
        (HEAD, "utf-16", ("is no UTF-8",)),
        (HEAD, "utf-8", ("line 2: there is no table",)),
    ],
)
def test_a_head_that_does_not_fit_is_named(site, head: str, encoding: str, text: tuple[str, ...]) -> None:
    said = site(head=head, encoding=encoding)
    assert said.exit_code == 1
    assert all(part in said.output for part in text), said.output
    assert not site.out.exists()


def test_an_authority_that_is_not_there_is_named_before_anything_is_written(site, tmp_path: Path) -> None:
    said = site(LINES[0], options=("--authority", str(tmp_path / "none")))
    assert said.exit_code == 3
    assert "authority.key: cannot be read" in said.output
    assert not site.out.exists()
