"""The master of one bus: one request at a time, its answer or its failure, and silence in between. No clock, no
port.

RTU frames have no number, so a late answer looks like the answer to the next request. So after every failure the
bus stays silent until a late answer has passed.
"""

from collections import Counter

from drivers.modbus.frame import MAX_ADU, AnswerWrong, Request, Wrong, decode, encode
from drivers.modbus.timing import DIE_S, GAP_LIMIT_S, RESPONSE_S, quiet
from drivers.protocol.records import dataclass


class NotIdentified(Exception):
    """A write was refused: the unit has not identified itself on this connection."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a request. `values`: as of `decode`; None = it failed as `wrong` says, `code` of an exception."""

    request: Request
    values: tuple[int, ...] | None
    wrong: Wrong | None = None
    code: int = 0


class Master:
    """Runs one bus. Times: monotonic seconds. `byte_time_s`: seconds a character. `response_s`: longest wait for
    an answer.

    Ask only while `is_free`. `receive` and `tick` return the outcome when there is one.
    """

    def __init__(self, *, byte_time_s: float, response_s: float = RESPONSE_S) -> None:
        self.counters: Counter[str] = Counter()
        self._byte_time_s, self._response_s = byte_time_s, response_s
        self._quiet_s = quiet(byte_time_s)
        self._identified: set[int] = set()
        self._outstanding: Request | None = None
        self._held = bytearray()
        self._out = bytearray()
        self._deadline = 0.0  # of the outstanding answer: its beginning, then its end
        self._free_at = 0.0
        self._dying = False  # a late answer may still come; what comes is not ours

    def start(self, now: float) -> None:
        """Begins on a newly opened port: no unit is identified, and the bus stays silent first."""
        self._identified.clear()
        self._outstanding = None
        self._out.clear()
        self._let_die(now)

    def identified(self, unit: int) -> None:
        """Allows writes to this unit: it has identified itself as expected."""
        self._identified.add(unit)

    def forget(self, unit: int) -> None:
        """Forbids writes to this unit until it is identified again."""
        self._identified.discard(unit)

    def is_free(self, now: float) -> bool:
        """True if a request may be sent."""
        return self._outstanding is None and now >= self._free_at

    def ask(self, request: Request, now: float) -> None:
        """Sends a request. Raises `NotIdentified` for a write to an unknown unit, ValueError while not free."""
        if not self.is_free(now):
            raise ValueError("one question at a time")
        if request.function.writes and request.unit not in self._identified:
            raise NotIdentified(f"unit {request.unit}: {request.function.name} before its identity was read")
        data = encode(request)
        self._out += data
        self._outstanding, self._dying = request, False
        self._held.clear()
        self._deadline = now + len(data) * self._byte_time_s + self._response_s
        self.counters["requests"] += 1

    def data_to_send(self) -> bytes:
        """Takes the bytes that the port must send now."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def receive(self, data: bytes, now: float) -> Outcome | None:
        """Takes bytes from the bus. Silence ends an answer, so `tick` returns the outcome."""
        request = self._outstanding
        if request is None:
            self.counters["stray_bytes"] += len(data)
            rest_s = GAP_LIMIT_S if self._dying else self._quiet_s
            self._free_at = max(self._free_at, now + rest_s)
            return None
        self._held += data
        if len(self._held) > MAX_ADU:
            return self._failed(request, Wrong.OVERLONG, now)
        self._deadline = now + (self._quiet_s if _is_whole(request, bytes(self._held)) else GAP_LIMIT_S)
        return None

    def tick(self, now: float) -> Outcome | None:
        """Returns the outcome, once the answer has ended or is overdue."""
        request = self._outstanding
        if request is None or now < self._deadline:
            return None
        if not self._held:
            return self._failed(request, Wrong.SILENT, now)
        try:
            values = decode(request, bytes(self._held))
        except AnswerWrong as wrong:
            if wrong.kind is Wrong.EXCEPTION:  # a right answer, and it says no: nothing more will come
                return self._over(request, Outcome(request, None, wrong.kind, wrong.code), now)
            return self._failed(request, wrong.kind, now)
        return self._over(request, Outcome(request, values), now)

    def next_deadline(self) -> float:
        """Returns when the open answer ends or is overdue; otherwise when the next request may be sent."""
        return self._free_at if self._outstanding is None else self._deadline

    def extend(self, lag_s: float) -> None:
        """Moves the deadlines: the loop stood still, and an answer may wait in the kernel."""
        self._deadline += lag_s
        self._free_at += lag_s

    def _over(self, request: Request, outcome: Outcome, now: float) -> Outcome:
        self._outstanding = None
        self._held.clear()
        self._free_at = now
        self.counters[outcome.wrong.value if outcome.wrong else "answers"] += 1
        return outcome

    def _failed(self, request: Request, wrong: Wrong, now: float) -> Outcome:
        outcome = self._over(request, Outcome(request, None, wrong), now)
        self._let_die(now)
        return outcome

    def _let_die(self, now: float) -> None:
        self._held.clear()
        self._dying = True
        self._free_at = now + self._response_s + DIE_S


def _is_whole(request: Request, held: bytes) -> bool:
    """Returns True if the bytes are a complete answer or exception, so that silence may end it."""
    try:
        decode(request, held)
    except AnswerWrong as wrong:
        return wrong.kind is Wrong.EXCEPTION
    return True
