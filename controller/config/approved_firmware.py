"""The list of approved firmware, read strictly from its own TOML file: which model with which firmware may serve a table."""

import re
from hashlib import sha256
from pathlib import Path

from controller.readers.fault import Fault
from controller.readers.table import Scope, Table
from controller.readers.toml import TomlInvalid, parse_toml
from controller.rules.read.loader import whole
from drivers.catalog import TEST_VENDORS, Approval, Firmware
from drivers.events import DeviceKind

SHA256 = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"[^\x00-\x1f\x7f]{1,48}")
MAX_IMAGE_BYTES = 64 << 20
"""An image is held in memory while the daemon runs."""


def read_approved(path: Path) -> tuple[tuple[Firmware, ...], tuple[Fault, ...]]:
    """Its rows, and every fault of the file and of the images it names; with a fault no row is to be used."""
    try:
        data = whole(path)
        raw = parse_toml(data)
    except OSError as exc:
        return (), (
            Fault(
                str(path), f"cannot be read ({exc.strerror}); it is the list of approved firmware", "not_readable"
            ),
        )
    except TomlInvalid as exc:
        return (), (Fault(str(path), f"no TOML: {exc}", "not_toml", exc.line),)
    scope = Scope(data)
    root = Table(raw, "", scope)
    rows: dict[tuple[str, str, DeviceKind, bytes], Firmware] = {}
    for section in root.tables("firmware", "model"):
        row = _row(section, path.absolute().parent)
        if not section.is_sound:
            continue
        key = (row.vendor, row.model, row.kind, row.sha256)
        if key in rows:
            section.fault(
                "sha256", "this firmware of this model is listed already; one row says what holds", "named_twice"
            )
        rows[key] = row
    root.close()
    return tuple(rows.values()), tuple(fault.within(path.name) for fault in scope.faults)


def _row(section: Table, base: Path) -> Firmware:
    vendor, model = section.text("vendor", None, NAME), section.text("model", None, NAME)
    kind, status = section.word("kind", DeviceKind), section.word("status", Approval)
    digest = section.text("sha256", None, SHA256)
    config = section.maybe_text("config_sha256", SHA256)
    section.maybe_text("note")
    image_path = section.maybe_path("image", base)
    section.close()
    if vendor in TEST_VENDORS and status is Approval.APPROVED:
        section.fault(
            "status", f"{vendor!r} is for tests only, and no list changes that; write test_only", "test_vendor"
        )
    image = None
    if image_path is not None and section.is_sound:
        image = _image(section, image_path, digest)
    if not section.is_sound:
        return Firmware(vendor, model, kind, bytes(32), status)
    approved_config = None if config is None else bytes.fromhex(config)
    return Firmware(vendor, model, kind, bytes.fromhex(digest), status, image, approved_config)


def _image(section: Table, path: Path, digest: str) -> bytes | None:
    """The bytes that the row's hash is of."""
    try:
        size = path.stat().st_size
        if not 0 < size <= MAX_IMAGE_BYTES:
            section.fault(
                "image", f"{path} has {size} bytes, and an image has 1 to {MAX_IMAGE_BYTES}", "image_unfit"
            )
            return None
        image = path.read_bytes()
    except OSError as exc:
        section.fault("image", f"{path} cannot be read ({exc.strerror})", "image_unfit")
        return None
    if sha256(image).hexdigest() != digest:
        section.fault(
            "image",
            f"{path} has the hash {sha256(image).hexdigest()[:16]}, and the row says {digest[:16]}",
            "image_unfit",
        )
    return image
