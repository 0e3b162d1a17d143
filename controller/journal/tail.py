"""Shows a journal from outside: its newest records as JSON values, then each new one."""

import time
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from controller.journal.bodies import BodyUnreadable, body_of
from controller.journal.opening import opened
from controller.journal.record import Record, Stream

POLL_S = 0.2
"""How soon a followed journal's new records show; each look costs well under a millisecond."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def tail(
    path: Path,
    *,
    last: int | None = 10,
    streams: Collection[Stream] = tuple(Stream),
    follow: bool = False,
    pause: Callable[[], object] = lambda: time.sleep(POLL_S),
) -> Iterator[dict[str, Any]]:
    """The newest `last` records of these streams together (None = all), in order; with `follow`, then each new one.

    Any record, live or at rest, a segment or a folder of them. `pause` is called whenever a followed journal has nothing new.
    Raises what `opened` raises, and `JournalDamaged` at a record that cannot be read.
    """
    with opened(path) as view:
        done = view.before_last(streams, last)
        while True:
            is_new = False
            for record in view.merged(streams, done):
                is_new, done[record.stream] = True, record.sequence
                yield as_json(record, view.description.id)
            if not follow:
                return
            if not is_new:
                pause()


def as_json(record: Record, journal_id: str) -> dict[str, Any]:
    """Returns a record with its decoded body, times in RFC 3339 (UTC, microseconds) and hashes in hex.

    A body that is no JSON object comes as hex under `data_hex`.
    """
    out: dict[str, Any] = {
        "id": record.id(journal_id),
        "stream": record.stream.value,
        "sequence": record.sequence,
        "order": record.order,
        "kind": record.kind,
        "version": record.version,
        "subject": record.subject,
        "time": _rfc3339(record.time_us),
        "recorded": _rfc3339(record.recorded_us),
        "mono_ns": record.mono_ns,
        "boot": record.boot,
        "clock": record.clock,
        "prevhash": record.prevhash.hex(),
        "recordhash": record.recordhash.hex(),
    }
    if record.round_id is not None:
        out["round"] = record.round_id
    if record.cause is not None:
        out["cause"] = record.cause
    if record.origin is not None:
        out["origin"] = dict(zip(("serial", "boot", "counter"), record.origin, strict=True))
    try:
        out["data"] = body_of(record.stream, record, dict[str, Any])
    except BodyUnreadable:
        out["data_hex"] = record.data.hex()
    return out


def _rfc3339(time_us: int) -> str:
    return (_EPOCH + timedelta(microseconds=time_us)).isoformat(timespec="microseconds").replace("+00:00", "Z")
