"""Checks section 6.10 of docs/protocol.md: the chain over the device's log."""

from collections.abc import AsyncIterator
from itertools import pairwise

from drivers.conformance.reports import read_log
from drivers.conformance.trial import Check, Fails, NotTried, Trial, check
from drivers.protocol import messages as m
from drivers.protocol.chain import CHAIN_START, LogChain
from drivers.protocol.reports import Capability

AGAIN = 50
"""Records at the beginning of each boot's log that are read a second time."""


async def _chaining(t: Trial) -> tuple[m.Welcome, LogChain]:
    """Opens a session with a device that chains its log, and returns the chain of its key."""
    welcome = await t.fresh()
    if Capability.CHAINS_LOG not in welcome.identity.capabilities:
        raise NotTried("the device does not say that it chains its log")
    if t.host.key is None:
        raise NotTried("no --key-file was given")
    return welcome, LogChain(t.host.key)


async def _records(t: Trial, span: m.LogSpan) -> AsyncIterator[m.Record]:
    """Returns the records of a span; asks until all have come."""
    first = span.first
    while first <= span.last:
        answer = await read_log(t, span.boot, first, span.last)
        if not isinstance(answer, m.LogData) or answer.records[0].counter != first:
            raise Fails(
                f"record {first} of boot {span.boot:016x} stands in the WELCOME, and reading it brings {answer}"[
                    :200
                ]
            )
        for record in answer.records:
            yield record
        first = answer.records[-1].counter + 1


@check("6.10", "each record of the log follows from the one before by the device's key")
async def chained(t: Trial) -> None:
    welcome, chain = await _chaining(t)
    await t.reports(4)
    answer = await read_log(t, welcome.boot, max(1, welcome.log_last), (await t.ping()).log_last)
    if not isinstance(answer, m.LogData):
        raise Fails(f"the log gives {type(answer).__name__}")
    for before, record in pairwise(answer.records):
        if chain.value(welcome.boot, record, before.chain) != record.chain:
            raise Fails(f"record {record.counter} does not follow from record {before.counter}")
    first = answer.records[0]
    if (
        first.counter == 1
        and not welcome.old_logs
        and chain.value(welcome.boot, first, CHAIN_START) != first.chain
    ):
        raise Fails("the first record of a log that began empty does not follow from zeros")


@check(
    "6.10",
    "what was in the log before the trial follows from record to record and boot to boot, and stays as it is",
)
async def chained_before(t: Trial) -> None:
    welcome, chain = await _chaining(t)
    end = None if welcome.old_logs else CHAIN_START
    for span in welcome.old_logs:
        end = await _followed(t, chain, span, end, is_former=True)
    await _followed(t, chain, m.LogSpan(welcome.boot, welcome.log_first, welcome.log_last), end, is_former=False)


async def _followed(
    t: Trial, chain: LogChain, span: m.LogSpan, before: bytes | None, *, is_former: bool
) -> bytes | None:
    """Returns the chain value at the end of a boot's log, starting from `before` (None = unknown: the next record
    is taken as it is)."""
    value = before if span.first == 1 else None
    beginning: list[m.Record] = []
    async for record in _records(t, span):
        if value is not None and chain.value(span.boot, record, value) != record.chain:
            raise Fails(f"record {record.counter} of boot {span.boot:016x} does not follow from the one before it")
        # In a former boot zeros mean that its firmware did not chain yet.
        value = None if is_former and record.chain == CHAIN_START else record.chain
        beginning += [record] if len(beginning) < AGAIN else []
    same = m.LogSpan(span.boot, span.first, span.first + len(beginning) - 1)
    if [record async for record in _records(t, same)] != beginning:
        raise Fails(f"the log of boot {span.boot:016x} does not read the same a second time")
    return value


@check("6.10", "a device without chains_log, or without a key, sends zeros")
async def unchained(t: Trial) -> None:
    welcome = await t.fresh()
    if t.host.key is not None and Capability.CHAINS_LOG in welcome.identity.capabilities:
        raise NotTried("the device chains its log")
    await t.reports(1)
    last = (await t.ping()).log_last
    answer = await read_log(t, welcome.boot, last, last)
    if not isinstance(answer, m.LogData) or any(record.chain != CHAIN_START for record in answer.records):
        raise Fails("a record of the log has a value in the place of the chain")


CHECKS: tuple[Check, ...] = (chained, chained_before, unchained)
