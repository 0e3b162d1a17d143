"""The list of approved firmware, read strictly from its own TOML file: which model with which firmware may serve a table."""

import re
from hashlib import sha256
from pathlib import Path

from controller.config.section import Section
from controller.rules.read.loader import whole
from controller.rules.read.toml import TomlInvalid, parse_toml
from drivers.catalog import TEST_VENDORS, Approval, Firmware
from drivers.events import DeviceKind

SHA256 = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"[^\x00-\x1f\x7f]{1,48}")
MAX_IMAGE_BYTES = 64 << 20
"""An image is held in memory while the daemon runs."""


def read_approved(path: Path) -> tuple[tuple[Firmware, ...], tuple[str, ...]]:
    """Its rows, and every fault of the file and of the images it names; with a fault no row is to be used."""
    try:
        raw = parse_toml(whole(path))
    except OSError as exc:
        return (), (f"{path}: cannot be read ({exc.strerror}); it is the list of approved firmware",)
    except TomlInvalid as exc:
        return (), (f"{path}: no TOML: {exc}",)
    faults: list[str] = []
    root = Section(raw, "", faults)
    rows: dict[tuple[str, str, DeviceKind, bytes], Firmware] = {}
    for section in root.sections("firmware", "model"):
        row = _row(section, path.absolute().parent)
        if not section.is_sound:
            continue
        key = (row.vendor, row.model, row.kind, row.sha256)
        if key in rows:
            section.fault("sha256", "this firmware of this model is listed already; one row says what holds")
        rows[key] = row
    root.close()
    return tuple(rows.values()), tuple(f"{path.name} {fault}" for fault in faults)


def _row(section: Section, base: Path) -> Firmware:
    vendor, model = section.text("vendor", None, NAME), section.text("model", None, NAME)
    kind, status = section.word("kind", DeviceKind), section.word("status", Approval)
    digest = section.text("sha256", None, SHA256)
    config = section.maybe_text("config_sha256", SHA256)
    section.maybe_text("note")
    image_path = section.maybe_path("image", base)
    section.close()
    if vendor in TEST_VENDORS and status is Approval.APPROVED:
        section.fault("status", f"{vendor!r} is for tests only, and no list changes that; write test_only")
    image = None
    if image_path is not None and section.is_sound:
        image = _image(section, image_path, digest)
    if not section.is_sound:
        return Firmware(vendor, model, kind, bytes(32), status)
    approved_config = None if config is None else bytes.fromhex(config)
    return Firmware(vendor, model, kind, bytes.fromhex(digest), status, image, approved_config)


def _image(section: Section, path: Path, digest: str) -> bytes | None:
    """The bytes that the row's hash is of."""
    try:
        size = path.stat().st_size
        if not 0 < size <= MAX_IMAGE_BYTES:
            section.fault("image", f"{path} has {size} bytes, and an image has 1 to {MAX_IMAGE_BYTES}")
            return None
        image = path.read_bytes()
    except OSError as exc:
        section.fault("image", f"{path} cannot be read ({exc.strerror})")
        return None
    if sha256(image).hexdigest() != digest:
        section.fault(
            "image", f"{path} has the hash {sha256(image).hexdigest()[:16]}, and the row says {digest[:16]}"
        )
    return image
