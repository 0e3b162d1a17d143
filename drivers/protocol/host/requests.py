"""The host's requests: a queue by urgency, one open at a time, repeated under its number, then unknown.

A safe level waits at most one time-out behind another request. A newer command for a level replaces an unanswered
older one.
"""

from dataclasses import dataclass

from drivers.protocol.constants import RTO_FIRST_S, TRANSMISSIONS
from drivers.protocol.host.events import HostEvent, LevelRefused, LevelSet, LevelUnknown
from drivers.protocol.link import LinkFault, Outbox, RoundTrip, is_newer, next_seq
from drivers.protocol.messages import Auth, AuthOk, Error, Frame, GetLevels, Request, Response, SetLevel
from drivers.protocol.reports import SAFE_VALUE

FIRST, URGENT, LIVENESS, ACK, LOG, RELEASE, QUERY, BULK, LAST = range(9)
"""What goes first: the proof of the key, without which nothing is taken; then the safe side of a level, the link's own
needs, releases, questions, lamps and texts."""

Wish = SetLevel | GetLevels | Auth


def urgency(wish: Wish) -> int:
    """Returns a request's place among all waiting frames; lower goes first."""
    match wish:
        case Auth():
            return FIRST
        case GetLevels():
            return QUERY
        case SetLevel(level, value, _):
            if level not in SAFE_VALUE:
                return BULK
            return URGENT if SAFE_VALUE[level] == value else RELEASE


@dataclass(slots=True)
class _Outstanding:
    wish: Wish
    seq: int
    sent_at: float
    deadline: float
    transmissions: int
    superseded: bool = False


class Requests:
    """The request window of one session. Frames go to `outbox`; `frame` adds the session's number and ack."""

    def __init__(self, outbox: Outbox, round_trip: RoundTrip) -> None:
        self._outbox = outbox
        self._round_trip = round_trip
        self._queue: list[tuple[Wish, int]] = []  # with the transmissions it already had
        self._outstanding: _Outstanding | None = None
        self.session = 0
        self.last_sent = 0
        self.last_answered = 0

    @property
    def is_reading(self) -> bool:
        """True while a read of the levels is queued or open."""
        reading = self._outstanding is not None and isinstance(self._outstanding.wish, GetLevels)
        return reading or any(isinstance(wish, GetLevels) for wish, _ in self._queue)

    def add(self, wish: Wish, now: float) -> list[HostEvent]:
        """Queues a request; returns the older commands for the level, which get no answer of their own."""
        events: list[HostEvent] = []
        if isinstance(wish, SetLevel):
            events = self._supersede(wish)
        elif isinstance(wish, GetLevels) and any(isinstance(queued, GetLevels) for queued, _ in self._queue):
            return []
        self._queue.append((wish, 0))
        waiting = self._outstanding
        if waiting is not None and urgency(wish) == URGENT and urgency(waiting.wish) > URGENT:
            waiting.deadline = min(waiting.deadline, now + RTO_FIRST_S)
        return events

    def start_next(self, now: float) -> None:
        """Sends the most urgent request if none is open."""
        if self._outstanding is not None or not self._queue:
            return
        index = min(range(len(self._queue)), key=lambda i: urgency(self._queue[i][0]))
        wish, transmissions = self._queue.pop(index)
        self.last_sent = next_seq(self.last_sent)
        self._outstanding = _Outstanding(wish, self.last_sent, now, 0.0, transmissions)
        self._send(self._outstanding, now, retransmit=False)

    def answered(
        self, seq: int, answer: Response | Error | AuthOk, now: float
    ) -> tuple[Wish, list[HostEvent]] | None:
        """Returns the request that `seq` answers, and its event; None if no open request has this number."""
        done = self._outstanding
        if done is None or seq != done.seq:
            return None
        self._outstanding = None
        self.last_answered = seq
        if done.transmissions == 1:
            self._round_trip.sample(now - done.sent_at)
        wish = done.wish
        if not isinstance(wish, SetLevel):
            return wish, []
        if isinstance(answer, Error):
            return wish, [LevelRefused(wish.level, wish.value, wish.operation, answer.code, answer.text)]
        return wish, [LevelSet(wish.level, wish.value, wish.operation)]

    def tick(self, now: float) -> list[HostEvent]:
        """Repeats or replaces an overdue request. Raises `LinkFault` after the last repeat."""
        late = self._outstanding
        if late is None or now < late.deadline:
            return []
        if late.superseded and isinstance(late.wish, SetLevel):
            self._outstanding = None
            return [_unknown(late.wish, "superseded")]
        if late.transmissions >= TRANSMISSIONS:
            raise LinkFault("timeout_request", f"no answer to {late.transmissions} transmissions")
        if urgency(late.wish) > URGENT and any(urgency(wish) == URGENT for wish, _ in self._queue):
            self._outstanding = None
            self._queue.insert(0, (late.wish, late.transmissions))
        else:
            self._send(late, now, retransmit=True)
        return []

    def next_deadline(self) -> float | None:
        """Returns when the open request is overdue."""
        return self._outstanding.deadline if self._outstanding else None

    def extend(self, lag_s: float) -> None:
        """Gives the open request more time."""
        if self._outstanding:
            self._outstanding.deadline += lag_s

    def give_up(self, reason: str) -> list[HostEvent]:
        """Ends all requests with an unknown outcome."""
        wishes = [self._outstanding.wish] if self._outstanding else []
        wishes += [wish for wish, _ in self._queue]
        self._outstanding = None
        self._queue.clear()
        return [_unknown(wish, reason) for wish in wishes if isinstance(wish, SetLevel)]

    def withdraw_releases(self, reason: str) -> list[HostEvent]:
        """Ends every command for an open side of a level, sent or not, with an unknown outcome."""
        if (sent := self._outstanding) is not None and urgency(sent.wish) == RELEASE and not sent.superseded:
            self._queue.insert(0, (sent.wish, sent.transmissions))
            self._outstanding = None
        withdrawn = [wish for wish, _ in self._queue if urgency(wish) == RELEASE]
        self._queue = [entry for entry in self._queue if urgency(entry[0]) != RELEASE]
        return [_unknown(wish, reason) for wish in withdrawn if isinstance(wish, SetLevel)]

    def is_unsent(self, ack: int) -> bool:
        """Returns True if a device claims to have seen a request that was never sent."""
        return is_newer(ack, self.last_sent)

    def _send(self, request: _Outstanding, now: float, retransmit: bool) -> None:
        request.transmissions += 1
        request.sent_at = now
        request.deadline = now + self._round_trip.backed_off(request.transmissions)
        message = request.wish if isinstance(request.wish, Auth) else Request(request.wish)
        frame = Frame(message, self.session, request.seq, self.last_answered, retransmit)
        self._outbox.add(urgency(request.wish), frame)

    def _supersede(self, wish: SetLevel) -> list[HostEvent]:
        older = [queued for queued, _ in self._queue if _same_level(queued, wish)]
        self._queue = [entry for entry in self._queue if not _same_level(entry[0], wish)]
        if self._outstanding is not None and _same_level(self._outstanding.wish, wish):
            self._outstanding.superseded = True
        return [_unknown(queued, "superseded") for queued in older if isinstance(queued, SetLevel)]


def _same_level(wish: Wish, other: SetLevel) -> bool:
    return isinstance(wish, SetLevel) and wish.level is other.level


def _unknown(wish: SetLevel, reason: str) -> LevelUnknown:
    return LevelUnknown(wish.level, wish.value, wish.operation, reason)
