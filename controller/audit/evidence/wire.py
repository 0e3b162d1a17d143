"""Cuts a round's wire traffic out of recordings and of the daemon's files about failed links.

Both are JSON lines with the PC's monotonic clock, and their first line gives the wall time.
"""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from controller.audit.evidence.errors import EvidenceError
from drivers.catalog import Codec
from drivers.recording.format import RecordingInvalid, read_recording

AROUND_US = 10_000_000
"""Before the round began and after it ended: how a device came to be as it was."""
TELL_NO_CARD = (Codec.TDP, Codec.MODBUS)
"""What these devices speak has no word for a card."""


def frames(paths: Sequence[Path], begin_us: int, end_us: int) -> dict[str, bytes]:
    """Returns name in the evidence -> lines of that time. `paths`: files, or folders of them; files without lines
    are left out.

    Times: Unix, microseconds. Raises `EvidenceError` for an invalid recording, or one that may name cards.
    """
    found: dict[str, bytes] = {}
    for path in _files(paths):
        lines = _cut(path, begin_us - AROUND_US, end_us + AROUND_US)
        if lines is None:
            continue
        name = f"frames/{re.sub(r'[^A-Za-z0-9._-]', '_', path.name)}"
        if name in found:
            raise EvidenceError(f"{path}: another file of frames is called so too; rename one of them")
        found[name] = "\n".join([*lines, ""]).encode()
    return found


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.glob("*.jsonl")) if path.is_dir() else [path]


def _cut(path: Path, begin_us: int, end_us: int) -> list[str] | None:
    """Returns the first line, the first entry (it ties clock to time), and the lines between; None = none."""
    try:
        head, *lines = path.read_text(encoding="ascii").splitlines()
        about = json.loads(head)
        entries = [
            (json.loads(line)["us"], line) for line in lines if line.endswith("}")
        ]  # a power cut tears the last one
        is_kept_by_daemon = "fault" in about
        offset = about["wall_us"] - about["us"] if is_kept_by_daemon else _offset(path)
    except OSError as exc:
        raise EvidenceError(f"{path}: cannot be read: {exc.strerror}") from exc
    except (ValueError, KeyError, TypeError, RecursionError, RecordingInvalid) as exc:
        raise EvidenceError(f"{path}: is no recording of a wire, or a damaged one ({exc}); leave it out") from exc
    inside = [line for us, line in entries[0 if is_kept_by_daemon else 1 :] if begin_us <= us + offset <= end_us]
    if not inside:
        return None
    return [head, *inside] if is_kept_by_daemon else [head, entries[0][1], *inside]


def _offset(path: Path) -> int:
    """Returns how far a recording's clock lags Unix time, in microseconds."""
    recording = read_recording((path,))
    speaks = recording.header.speaks
    if speaks not in TELL_NO_CARD:
        raise EvidenceError(
            f"{path}: {recording.header.device} writes lines that may name cards, which are not open yet; "
            "leave it out"
        )
    began = datetime.fromisoformat(recording.header.wall)
    return round(began.timestamp() * 1_000_000) - (recording.entries[0].us if recording.entries else 0)
