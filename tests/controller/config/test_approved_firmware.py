"""The list of approved firmware is read strictly: a row that is half right approves nothing."""

import tomllib
from hashlib import sha256
from pathlib import Path

import pytest

from controller.config.approved_firmware import read_approved
from drivers.catalog import Approval
from drivers.events import DeviceKind
from drivers.protocol.reports import SIMULATED_VENDOR
from simulators.cli.main import made_up_image

SHIPPED = Path(__file__).resolve().parents[3] / "config" / "devices" / "approved.toml"
IMAGE = b"firmware 2.1" * 100
ROW = f"""
[[firmware]]
vendor = "Maker"
model = "Shoe 9"
kind = "shoe"
sha256 = "{sha256(IMAGE).hexdigest()}"
status = "approved"
note = "certificate 17"
image = "shoe.bin"
"""


@pytest.fixture
def read(tmp_path: Path):
    (tmp_path / "shoe.bin").write_bytes(IMAGE)

    def reading(text: str):
        path = tmp_path / "list.toml"
        path.write_text(text)
        return read_approved(path)

    return reading


def test_a_row_arrives_with_its_image(read):
    """The image lies beside the list."""
    ((row,), faults) = read(ROW)
    assert faults == ()
    assert (row.vendor, row.model, row.kind, row.approval) == (
        "Maker",
        "Shoe 9",
        DeviceKind.SHOE,
        Approval.APPROVED,
    )
    assert row.sha256 == sha256(IMAGE).digest()
    assert row.image == IMAGE
    assert row.config is None
    ((row,), faults) = read(ROW + f'config_sha256 = "{"5a" * 32}"\n')
    assert (row.config, faults) == (bytes([0x5A]) * 32, ())


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"approved"', '"aproved"', "[[firmware]] 1 (Shoe 9) status: word_unknown"),
        ("vendor", "vendour", "[[firmware]] 1 (Shoe 9) vendor: key_missing"),
        ('kind = "shoe"', 'kind = "roulette"', "[[firmware]] 1 (Shoe 9) kind: word_unknown"),
        ('sha256 = "', 'sha256 = "0', "[[firmware]] 1 (Shoe 9) sha256: text_unfit"),
        (
            '"Maker"',
            f'"{SIMULATED_VENDOR}"',
            "[[firmware]] 1 (Shoe 9) status: test_vendor",
        ),
        ('"shoe.bin"', '"no.bin"', "[[firmware]] 1 (Shoe 9) image: image_unfit"),
        ('"shoe.bin"', '"list.toml"', "[[firmware]] 1 (Shoe 9) image: image_unfit"),
        ('note = "certificate 17"', 'config_sha256 = "5a"', "[[firmware]] 1 (Shoe 9) config_sha256: text_unfit"),
        ("[[firmware]]", "[[firmwares]]", "firmwares: key_unknown"),
        ('model = "Shoe 9"', 'model = "Shoe\\u001b[31m"', "[[firmware]] 1 (Shoe\u001b[31m) model: text_unfit"),
    ],
)
def test_what_is_wrong_is_named_with_its_row(read, old, new, fault):
    """Nothing is taken of a list with a fault that its reader would not see at once."""
    assert old in ROW
    _, faults = read(ROW.replace(old, new, 1))
    assert fault in [f"{found.place.removeprefix('list.toml ')}: {found.code}" for found in faults]
    assert all(found.startswith("list.toml ") for found in faults)


def test_the_same_firmware_twice_is_a_fault(read):
    """Else it would hang on the order whether it is approved or withdrawn."""
    _, (fault,) = read(ROW + ROW.replace('"approved"', '"revoked"'))
    assert "2 (Shoe 9) sha256: this firmware of this model is listed already" in fault


def test_a_list_that_cannot_be_read_is_one_fault(tmp_path: Path):
    """Missing, no TOML, no text."""
    for content, words in ((None, "cannot be read"), (b"[[firmware", "no TOML"), (b"\xff\xfe", "no TOML")):
        path = tmp_path / "list.toml"
        if content is not None:
            path.write_bytes(content)
        rows, (fault,) = read_approved(path)
        assert rows == ()
        assert words in fault


def test_the_shipped_list_approves_nothing_and_names_the_simulators_as_they_are():
    """Their hashes are those of the images that they are measured by."""
    rows, faults = read_approved(SHIPPED)
    assert faults == ()
    assert {row.approval for row in rows} == {Approval.TEST_ONLY}
    assert {row.kind: row.sha256 for row in rows} == {
        kind: sha256(made_up_image(kind)).digest()
        for kind in (DeviceKind.SHUFFLER, DeviceKind.SHOE, DeviceKind.PROGRESSIVE)
    }
    assert set(tomllib.loads(SHIPPED.read_text())) == {"firmware"}
