"""Orders reports at the host: each is released once, in its place; missing ones are read from the device's log.

No gap is skipped in silence. Its reports come again or from the log; or the device says that they are gone, and a
`Lost` is released in their place; or the link fails and the next link starts at the gap.
"""

from collections import OrderedDict, deque

from drivers.protocol.chain import LogChain, Place
from drivers.protocol.constants import FILL_TIMEOUT_S, FILL_TRIES, RECENT_REPORTS, UNACKED_WINDOW
from drivers.protocol.host.chain import ChainCheck
from drivers.protocol.host.events import HostEvent, Lost, Reported, Reused
from drivers.protocol.host.requests import LOG
from drivers.protocol.link import LinkFault, Outbox, RoundTrip, next_seq
from drivers.protocol.messages import Frame, LogData, LogGone, LogRead, LogSpan, Record, Welcome
from drivers.protocol.payloads import UnknownReport


class Sequencer:
    """Puts reports in order, from `last` (the last durable report) or from the start of this boot.

    `chain`: what a device's key makes of its log, None = there is no key to check it with. `broken`: why nothing more is
    released, once a report did not follow from the one before (it and all behind it are lost then), or numbers came again.
    """

    def __init__(self, last: Place | None, chain: LogChain | None = None) -> None:
        self._last = last
        self._chain = ChainCheck(chain, last)
        self.broken: LinkFault | None = None
        self._plan: deque[LogSpan | Lost] = deque()  # former boots, before anything of this one
        self._boot = 0
        self._expected = 1
        self._reported = 0  # highest counter of this boot that was released as a report, not as lost
        self._head = 0  # highest counter of this boot known to exist
        self._target = 0  # head at the WELCOME
        self._ahead: dict[int, Record] = {}
        self._recent: OrderedDict[tuple[int, int], Record] = OrderedDict()
        self.gap_closed = True
        self.unreadable = 0

    @property
    def boot(self) -> int:
        """The boot whose reports are released; 0 before the WELCOME."""
        return self._boot

    @property
    def released(self) -> int:
        """The counter of this boot's last released report; 0 = none."""
        return self._expected - 1

    def settled(self, durable: int) -> int:
        """Returns the counter up to which every report of this boot is durable or lost, if all up to `durable` are
        durable."""
        return self.released if durable >= self._reported else durable

    @property
    def is_synced(self) -> bool:
        """True once everything is released that the device had at the WELCOME."""
        return not self._plan and self._expected > self._target

    def welcome(self, welcome: Welcome) -> list[HostEvent]:
        """Plans what to read from the log. Raises `LinkFault` for an impossible log."""
        if not 1 <= welcome.log_first <= welcome.log_last + 1:
            raise LinkFault("proto_payload", f"a log from {welcome.log_first} to {welcome.log_last}")
        self._boot, self._head, self._target = welcome.boot, welcome.log_last, welcome.log_last
        self._chain.welcome(welcome)
        if self._last is None:
            self._expected = 1  # logs of former boots are from before this host knew the device
        elif self._last.boot != welcome.boot:
            self._plan_old_boots(self._last.boot, self._last.counter, welcome.old_logs)
        elif self._last.counter > welcome.log_last:
            # Nobody can say how far back it went: its log may have been cut at the end, or have begun anew.
            detail = f"boot {welcome.boot:016x} is at {welcome.log_last}, but {self._last.counter} is on record"
            self.broken = LinkFault("proto_counter_backwards", detail)
            return [Reused(welcome.boot, welcome.log_first, self._last.counter)]
        else:
            self._expected = self._last.counter + 1
        events = self._advance()
        if welcome.log_first > self._expected:
            lost = Lost(self._boot, self._expected, welcome.log_first - 1)
            if self._plan:
                self._plan.append(lost)
            else:
                events.append(self._lose(lost))
            self._expected = welcome.log_first
        return events

    def event(self, record: Record) -> tuple[list[HostEvent], bool]:
        """Takes a report that came by itself; returns what is released, and whether it was a repeat."""
        if record.counter < self._expected or record.counter in self._ahead:
            return self._repeated(record), True
        self._head = max(self._head, record.counter)
        if self._plan or record.counter > self._expected:
            if record.counter < self._expected + UNACKED_WINDOW:
                self._ahead[record.counter] = record
            return [], False
        released = self._release(record, from_log=False)
        return (released + self._release_ahead() if self._ahead else released), False

    def verify_unbroken(self) -> None:
        """Raises `LinkFault` if a report did not follow from the one before, or numbers came again."""
        if self.broken is not None:
            raise self.broken

    def exists(self, last: int) -> None:
        """Notes that the device has reports of this boot up to `last`, so that missing ones are asked for."""
        self._head = max(self._head, last)

    def log_data(self, data: LogData) -> list[HostEvent]:
        """Takes records from the log; ignores those that are not next, and compares repeats."""
        events: list[HostEvent] = []
        for record in data.records:
            if self.broken is not None:
                return events
            span = self._plan[0] if self._plan else None
            if isinstance(span, LogSpan):
                if data.boot == span.boot and record.counter == span.first:
                    events.append(self._report(data.boot, record, from_log=True))
                    self._plan[0] = LogSpan(span.boot, span.first + 1, span.last)
                    events += self._advance()
            elif data.boot == self._boot and record.counter == self._expected:
                events += self._release(record, from_log=True) + self._release_ahead()
            elif data.boot == self._boot and record.counter < self._expected:
                events += self._repeated(record)
        return events + ([] if self._plan else self._release_ahead())

    def log_gone(self, gone: LogGone) -> list[HostEvent]:
        """Releases the next records as lost: the device no longer has them."""
        wanted = self.wanted()
        if wanted is None or gone.boot != wanted.boot or not gone.first <= wanted.first <= gone.last:
            return []
        last = min(gone.last, wanted.last)
        events: list[HostEvent] = [self._lose(Lost(wanted.boot, wanted.first, last))]
        if self._plan:
            self._plan[0] = LogSpan(wanted.boot, last + 1, wanted.last)
            events += self._advance()
        else:
            self._expected = last + 1
        return events + ([] if self._plan else self._release_ahead())

    def wanted(self) -> LogSpan | None:
        """Returns the records to read from the log before anything else can be released; None = no gap."""
        if self._plan:
            span = self._plan[0]
            return span if isinstance(span, LogSpan) else None
        if self._expected > self._head:
            return None
        return LogSpan(self._boot, self._expected, min(self._ahead, default=self._head + 1) - 1)

    def _plan_old_boots(self, boot: int, counter: int, logs: tuple[LogSpan, ...]) -> None:
        """Plans everything between the last durable report and this boot: what logs still hold, and what is lost."""
        named = [span.boot for span in logs]
        if boot not in named:
            self._plan.append(Lost(boot, counter + 1, 0))
            newer = logs
        else:
            newer = logs[named.index(boot) + 1 :]
            self._plan_span(logs[named.index(boot)], counter + 1)
        for span in newer:
            self._plan_span(span, 1)

    def _plan_span(self, span: LogSpan, start: int) -> None:
        if start < span.first:
            self._plan.append(Lost(span.boot, start, span.first - 1))
        if max(start, span.first) <= span.last:
            self._plan.append(LogSpan(span.boot, max(start, span.first), span.last))

    def _advance(self) -> list[HostEvent]:
        """Releases losses at the head of the plan, and drops what is read to its end."""
        events: list[HostEvent] = []
        while self._plan:
            step = self._plan[0]
            if isinstance(step, Lost):
                events.append(self._lose(step))
            elif step.first <= step.last:
                break
            self._plan.popleft()
        return events

    def _release(self, record: Record, from_log: bool) -> list[HostEvent]:
        self._expected = record.counter + 1
        self._head = max(self._head, record.counter)
        return [self._report(self._boot, record, from_log)]

    def _release_ahead(self) -> list[HostEvent]:
        events: list[HostEvent] = []
        while self.broken is None and (record := self._ahead.pop(self._expected, None)) is not None:
            events += self._release(record, from_log=False)
        self._ahead = {n: r for n, r in self._ahead.items() if n >= self._expected} if self._ahead else self._ahead
        return events

    def _report(self, boot: int, record: Record, from_log: bool) -> HostEvent:
        self._recent[boot, record.counter] = record
        if len(self._recent) > RECENT_REPORTS:
            self._recent.popitem(last=False)
        if not self._chain.follows(boot, record):
            return self._break(boot, record.counter)
        if isinstance(record.report, UnknownReport):
            self.unreadable += 1
            return self._lose(Lost(boot, record.counter, record.counter))
        chain = self._chain.value(record)
        if boot == self._boot:
            self._reported = record.counter
        return Reported(boot, record.counter, record.tick_us, record.report, from_log, chain)

    def _break(self, boot: int, counter: int) -> Lost:
        """Stops releasing: nothing from here on can be believed."""
        detail = f"report {counter} of boot {boot:016x} does not follow from the one before: look at the device and its seals"
        self.broken = LinkFault("auth_chain", detail)
        step = self._plan[0] if self._plan else None
        if isinstance(step, LogSpan):
            return self._lose(Lost(boot, counter, step.last))
        self._expected = self._head + 1
        return self._lose(Lost(boot, counter, self._head))

    def _lose(self, lost: Lost) -> Lost:
        self.gap_closed = False
        return lost

    def _repeated(self, record: Record) -> list[HostEvent]:
        """Handles a counter of this boot that came before. If the report differs, one of the two is lost, and so
        are later reports under numbers that are taken.

        So is what a device whose count went back reports until it is past the numbers that are taken here.
        """
        known = self._recent.get((self._boot, record.counter)) or self._ahead.get(record.counter)
        if known is None or known == record:
            return []
        self.broken = LinkFault("proto_counter_reused", f"two different reports have number {record.counter}")
        return [Reused(self._boot, record.counter, max([self.released, *self._ahead]))]


class LogReader:
    """Asks for the range that a sequencer wants: one LOG_READ at a time, three tries, two seconds without
    progress."""

    def __init__(self, outbox: Outbox, round_trip: RoundTrip) -> None:
        self._outbox = outbox
        self._round_trip = round_trip
        self._wanted: LogSpan | None = None
        self._asked: LogSpan | None = None
        self._is_answered = False
        self._seq = 0
        self._tries = 0
        self._deadline = 0.0
        self._gives_up_at = 0.0
        self.session = 0

    def is_answer(self, seq: int) -> bool:
        """Returns True if `seq` is that of the last request; older answers are ignored."""
        if self._asked is None or seq != self._seq:
            return False
        self._is_answered = True
        return True

    def follow(self, wanted: LogSpan | None, ack: int, now: float) -> None:
        """Asks for what is wanted now. Progress resets the tries; a closed gap ends them."""
        before, self._wanted = self._wanted, wanted
        if wanted is None:
            self._asked = None
            return
        if before is None or (wanted.boot, wanted.first) != (before.boot, before.first):
            self._tries = 0
            self._gives_up_at = now + FILL_TIMEOUT_S
        elif self._asked is not None:
            return  # no progress: an answer that brought none must not be asked for again at once
        if self._asked is None or self._is_answered or not self._is_under_way(wanted):
            self._ask(wanted, ack, now)

    def tick(self, ack: int, now: float) -> None:
        """Repeats an unanswered request. Raises `LinkFault` (timeout_fill) after the last try."""
        if self._wanted is None:
            return
        if now >= self._gives_up_at:
            first, last = self._wanted.first, self._wanted.last
            raise LinkFault("timeout_fill", f"reports {first} to {last} could not be read again")
        if now >= self._deadline:
            self._ask(self._wanted, ack, now)

    def next_deadline(self) -> float | None:
        """Returns when the open request is overdue."""
        return min(self._deadline, self._gives_up_at) if self._wanted else None

    def extend(self, lag_s: float) -> None:
        """Gives the open request more time."""
        self._deadline += lag_s
        self._gives_up_at += lag_s

    def _is_under_way(self, wanted: LogSpan) -> bool:
        asked = self._asked
        return asked is not None and asked.boot == wanted.boot and asked.first <= wanted.first <= asked.last

    def _ask(self, wanted: LogSpan, ack: int, now: float) -> None:
        is_repeat = wanted == self._asked
        if not is_repeat:
            self._seq = next_seq(self._seq)
        self._asked, self._is_answered = wanted, False
        self._tries += 1
        waits = self._tries < FILL_TRIES
        self._deadline = now + self._round_trip.backed_off(self._tries) if waits else self._gives_up_at
        message = LogRead(wanted.boot, wanted.first, wanted.last)
        self._outbox.add(LOG, Frame(message, self.session, self._seq, ack, retransmit=is_repeat))
