"""Figures of the back office for Prometheus, read from the store: the same ones whichever recorder wrote, and how many."""

from collections.abc import Iterator

import msgspec

from controller.backoffice.store.reading import Reading
from controller.clock import microseconds
from controller.text.prometheus import Family, Sample

US_IN_S = 1_000_000
_PRESENT = "JOIN table_seen t ON t.source = p.source AND t.journal = p.journal"


def families(store: Reading, now_us: int) -> Iterator[Family]:
    """Yields the figures at `now_us` (Unix time). Raises `StoreUnreachable`."""
    yield _family("up", "1 if the store answers.", [({}, 1)])
    tables = list(store.rows("SELECT source, state, heard FROM table_seen ORDER BY source"))
    states: dict[str, int] = {}
    for _, state, _ in tables:
        states[state or "unknown"] = states.get(state or "unknown", 0) + 1
    yield _family(
        "tables", "Tables by what they said of themselves.", [({"state": s}, n) for s, n in sorted(states.items())]
    )
    yield _family(
        "heard_seconds", "Seconds since anything was heard of a table.",
        [(_at(source), (now_us - microseconds(heard)) // US_IN_S) for source, _, heard in tables if heard],
    )  # fmt: skip
    yield from _streams(store)
    opened = store.rows("SELECT code, COUNT(*) FROM alarm WHERE closed IS NULL GROUP BY code ORDER BY code")
    yield _family(
        "alarms_open", "Alarms that are not closed.", [({"code": code}, count) for code, count in opened]
    )
    refused = store.rows("SELECT COUNT(*) FROM refused")
    yield _family(
        "refused_total", "Messages that were no events.", [({}, count) for (count,) in refused], "counter"
    )


def _streams(store: Reading) -> Iterator[Family]:
    """Yields how far each stream of each table's present journal is stored."""
    parked: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for source, stream, first, last in store.rows(
        f"SELECT p.source, p.stream, p.first, p.last FROM parked p {_PRESENT} WHERE p.withdrawn IS NULL"  # noqa: S608
    ):
        parked.setdefault((source, stream), []).append((first, last))
    heads: list[Sample] = []
    missing: list[Sample] = []
    aside: list[Sample] = []
    for source, stream, through, held, head in store.rows(
        f"SELECT p.source, p.stream, p.through, p.held, p.head FROM stream_position p {_PRESENT} "  # noqa: S608
        "ORDER BY p.source, p.stream"
    ):
        at = {**_at(source), "stream": stream}
        behind = sum(last - first + 1 for first, last, *_ in msgspec.json.decode(held))
        holes = parked.get((source, stream), [])
        declared = sum(max(0, last - max(first, through + 1) + 1) for first, last in holes)
        heads.append((at, head))
        missing.append((at, max(0, head - through - behind - declared)))
        aside.append((at, sum(last - first + 1 for first, last in holes)))
    yield _family("head_total", "Events that a table has named, by its own numbers.", heads, "counter")
    yield _family("missing_events", "Events that a table has named and that are not stored.", missing)
    yield _family("parked_events", "Events that a table declares as holes.", aside)


def _family(name: str, about: str, samples: list[Sample], kind: str = "gauge") -> Family:
    return Family(f"tablewarden_backoffice_{name}", kind, about, samples)


def _at(source: str) -> dict[str, str]:
    _, _, site, table = source.split(":")
    return {"site": site, "table": table}
