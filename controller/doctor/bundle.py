"""Packs what support needs into one file: no card, no secret, no record. Every text passes the log's redaction."""

import io
import platform
import re
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import msgspec

from controller.daemon.story import CARD
from controller.doctor.checks import Sickness
from controller.doctor.machine import Machine
from controller.log import WITHHELD, redact

OF_STATUS = (
    "version",
    "site",
    "table",
    "rulebook",
    "open",
    "method",
    "rounds",
    "held",
    "alarms",
    "devices",
    "record",
    "broker",
)
"""Parts of the status that a bundle holds. Round, offer and announcement may name cards, so they stay away."""
SECRET_KEY = re.compile(r"(?im)^(\s*(?:\w*(?:password|secret|token|pin)\w*)\s*=\s*).*$")
LONG_HEX = re.compile(r"\b[0-9a-fA-F]{48,}\b")
PEM = re.compile(r"-----BEGIN [^-]*PRIVATE[^-]*-----.*?-----END [^-]*-----", re.DOTALL)
LINES = 2000


def bundle(
    out: Path, machine: Machine, found: Sequence[Sickness], status: Mapping[str, Any] | None, config: Path
) -> list[str]:
    """Writes the file; returns the names in it. Raises `OSError`, also where the file is there already."""
    parts = {
        "sicknesses.txt": "\n".join(f"{'NOTE' if s.is_note else 'SICK'} {s.code}: {s}" for s in found),
        "machine.json": _json(machine),
        "status.json": _json({key: (status or {}).get(key) for key in OF_STATUS}),
        "configuration.toml": _text(config),
        "packages.txt": "\n".join(sorted(f"{d.name} {d.version}" for d in distributions())),
        "system.txt": "\n".join((platform.platform(), platform.python_version(), _text(Path("/etc/os-release")))),
        "unit.txt": _said("systemctl", "cat", "tablewarden*", "--no-pager"),
        "log.txt": _said("journalctl", "-t", "tablewarden", "-n", str(LINES), "--no-pager", "-o", "short-iso"),
    }
    with out.open("xb") as file, tarfile.open(fileobj=file, mode="w:gz") as tar:
        for name, text in parts.items():
            data = clean(text).encode("utf-8", "backslashreplace")
            entry = tarfile.TarInfo(f"tablewarden-support/{name}")
            entry.size, entry.mode = len(data), 0o600
            tar.addfile(entry, io.BytesIO(data))
    out.chmod(0o600)
    return list(parts)


def clean(text: str) -> str:
    """Withholds secrets and card names in a text."""
    text = PEM.sub(WITHHELD, SECRET_KEY.sub(rf"\1{WITHHELD}", text))
    said = redact(None, "", {"text": LONG_HEX.sub(WITHHELD, text)})["text"]
    return CARD.sub(WITHHELD, str(said))


def _json(value: object) -> str:
    whole = redact(None, "", {"all": msgspec.to_builtins(value, enc_hook=str, str_keys=True)})["all"]
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode()


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError as exc:
        return f"{path}: {exc.strerror}"


def _said(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as exc:
        return f"{command[0]}: {exc}"
    return done.stdout or done.stderr
