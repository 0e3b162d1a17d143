"""The chain over a device's log by another key, for a recording that is written anew: what followed from what still does.

A value that did not follow from any known one, because the recording begins behind it or because somebody had a hand in it, stays
what it was: the host took it as it was, or refused it, and will do so again.
"""

from collections.abc import Callable, Iterable, Mapping

from drivers.protocol import messages as m
from drivers.protocol.chain import CHAIN_START, LogChain, Place

Told = tuple[int, m.Record]
"""A boot and a record of it."""


def records_in(messages: Iterable[m.Message]) -> list[Told]:
    """Every record that was sent, each form of it once."""
    found: dict[tuple[int, int, bytes, bytes], Told] = {}
    for message in messages:
        match message:
            case m.Event(boot, record):
                records: tuple[m.Record, ...] = (record,)
            case m.LogData(boot, records):
                pass
            case _:
                continue
        for record in records:
            found.setdefault((boot, record.counter, record.chain, record.raw), (boot, record))
    return list(found.values())


def rechained(
    told: Iterable[Told],
    durable: Iterable[Place],
    was: LogChain,
    anew: LogChain,
    rewritten: Callable[[m.Record], m.Record],
) -> Mapping[bytes, bytes]:
    """The new value for each one that was chained by `was`. `durable`: the host's own; `rewritten`: a record as it will stand."""
    chained = [(boot, record) for boot, record in told if record.chain != CHAIN_START]
    values: dict[bytes, bytes] = {CHAIN_START: CHAIN_START}
    values |= {place.chain: place.chain for place in durable if place.chain and not _is_told(place, chained)}
    waiting = chained
    while waiting:
        left = []
        for boot, record in waiting:
            before = _before(boot, record, values, was)
            if before is None:
                left.append((boot, record))
            else:
                values[record.chain] = anew.value(boot, rewritten(record), values[before])
        if len(left) == len(waiting):
            _, taken = left.pop(0)
            values[taken.chain] = taken.chain
        waiting = left
    return values


def _before(boot: int, record: m.Record, values: dict[bytes, bytes], was: LogChain) -> bytes | None:
    """The value that this record was chained to, among those whose new one is known."""
    return next((before for before in reversed(values) if was.value(boot, record, before) == record.chain), None)


def _is_told(place: Place, told: Iterable[Told]) -> bool:
    return any(place.chain == record.chain for _, record in told)
