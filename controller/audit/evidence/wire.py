"""What passed on the wires in a round: cut out of recordings, and of what the daemon keeps of a link that failed.

Both are JSON lines with the monotonic clock of the PC, and their first line says what time it was then.
"""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from controller.audit.evidence.errors import EvidenceError
from drivers.catalog import Codec
from drivers.recording.format import RecordingInvalid, read_recording

__all__ = ["frames"]

AROUND_US = 10_000_000
"""Before the round began and after it ended: how a device came to be as it was."""
TELL_NO_CARD = (Codec.TDP, Codec.MODBUS)
"""What these devices speak has no word for a card."""


def frames(paths: Sequence[Path], begin_us: int, end_us: int) -> dict[str, bytes]:
    """Name in the evidence -> lines of that time; nothing of a file that has none. `paths`: files, or folders of them.

    Times: Unix, microseconds. Raises `EvidenceError` on what is no recording, or may name cards.
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
    """The first line, the first entry, which ties the clock to the time, and what lies between; None where nothing does."""
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
    """What the clock of a recording lags behind Unix time, in microseconds."""
    recording = read_recording((path,))
    speaks = recording.header.speaks
    if speaks not in TELL_NO_CARD:
        raise EvidenceError(
            f"{path}: {recording.header.device} writes lines that may name cards, which nobody has let out; "
            "leave it out"
        )
    began = datetime.fromisoformat(recording.header.wall)
    return round(began.timestamp() * 1_000_000) - (recording.entries[0].us if recording.entries else 0)
