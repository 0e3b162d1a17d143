"""The host's side of the chain over the log: does each report follow from the one before, by the device's key?"""

import hmac

from drivers.protocol.chain import CHAIN_START, LogChain, Place
from drivers.protocol.link import LinkFault
from drivers.protocol.messages import LogSpan, Record, Welcome
from drivers.protocol.reports import Capability


class ChainCheck:
    """Follows the chain from `last`, the last durable report. `chain`: None = no key, nothing is checked.

    After lost reports, or at the first meeting with a device, the first value is taken unchecked; each later value
    is compared.
    """

    def __init__(self, chain: LogChain | None, last: Place | None) -> None:
        self._chain = chain
        self._at = last
        self._boot = 0  # the present one; 0 before the WELCOME
        # Of a boot, the one before it whose log was kept; None = there was none.
        self._before: dict[int, LogSpan | None] = {}

    def welcome(self, welcome: Welcome) -> None:
        """Takes what the device says of its log. Raises `LinkFault` if a boot's log is no longer chained."""
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
        """Returns the value to keep with a checked report; empty if nothing is checked."""
        return record.chain if self._chain is not None else b""

    def follows(self, boot: int, record: Record) -> bool:
        """Takes the next report in order; returns False if its value is not that of the device's key."""
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
