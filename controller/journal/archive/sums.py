"""Keeps the hash of a copy in a file beside it: it finds any change of the copy."""

from dataclasses import replace
from hashlib import file_digest
from pathlib import Path

from controller.journal.proof.findings import Cause, Fault, Report

SUM = ".sha256"
"""Beside a copy: its hash, as `sha256sum` writes it."""


def sum_of(path: Path) -> str:
    """Returns the SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def with_sum(report: Report) -> Report:
    """Adds to a report whether a copy still has the hash that lies beside it."""
    beside = report.path.with_name(report.path.name + SUM)
    if not beside.exists() or beside.read_text(errors="replace").partition(" ")[0] == sum_of(report.path):
        return report
    fault = Fault(Cause.FILE, None, None, None, f"these are not the bytes whose hash lies in {beside.name}")
    return replace(report, faults=(*report.faults, fault))
