"""Whether the reports of a device follow from each other by its key. The host's side of the chain over the log."""

import hmac

from drivers.protocol.chain import CHAIN_START, LogChain, Place
from drivers.protocol.link import LinkFault
from drivers.protocol.messages import LogSpan, Record, Welcome
from drivers.protocol.reports import Capability

__all__ = ["ChainCheck"]


class ChainCheck:
    """Follows the chain from `last`, the last durable report, on. `chain`: None where there is no key to check it with.

    A value whose one before is not known is taken as it is, and the next ones are held against it: behind reports that are
    lost, and where a host meets a device for the first time.
    """

    def __init__(self, chain: LogChain | None, last: Place | None) -> None:
        self._chain = chain
        self._at = last
        self._boot = 0  # the present one; 0 before the WELCOME
        # Of a boot, the one before it whose log was kept; None = there was none.
        self._before: dict[int, LogSpan | None] = {}

    def welcome(self, welcome: Welcome) -> None:
        """What the device says of its log. Raises `LinkFault` where a boot's log is no longer chained, and was."""
        if Capability.CHAINS_LOG not in welcome.identity.capabilities:
            at = self._at
            if self._chain is not None and at is not None and at.chain and at.boot == welcome.boot:
                raise LinkFault("auth_chain", "the device no longer chains its log, and did before")
            self._chain = None
            return
        self._boot = welcome.boot
        boots = [*(span.boot for span in welcome.old_logs), welcome.boot]
        self._before = dict(zip(boots[1:], welcome.old_logs, strict=True)) or {welcome.boot: None}

    def value(self, record: Record) -> bytes:
        """The value to be kept with a report that was followed; empty where nothing is checked."""
        return record.chain if self._chain is not None else b""

    def follows(self, boot: int, record: Record) -> bool:
        """Takes the next report in order. False where its value is not that of the device's key."""
        if self._chain is None:
            return True
        before = self._value_before(boot, record.counter)
        if before is not None and not hmac.compare_digest(self._chain.value(boot, record, before), record.chain):
            return False
        self._at = Place(boot, record.counter, record.chain)
        return True

    def _value_before(self, boot: int, counter: int) -> bytes | None:
        if counter > 1:
            return self._value_at(boot, counter - 1)
        if boot not in self._before:
            return None
        former = self._before[boot]
        return CHAIN_START if former is None else self._value_at(former.boot, former.last)

    def _value_at(self, boot: int, counter: int) -> bytes | None:
        at = self._at
        if boot != self._boot and at is not None and at.chain == CHAIN_START:
            return None  # a former boot, of firmware that did not chain yet
        return at.chain or None if at is not None and (at.boot, at.counter) == (boot, counter) else None
