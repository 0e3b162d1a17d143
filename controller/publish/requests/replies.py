"""What goes out because somebody asked: answers on `rsp/{client}`, copies of events on `rpl/{consumer}`, and `api`.

One message of a topic is under way at once, and it is sent again on the next connection until the broker answers.
Copies have a budget of bytes a second and take one place of the window, so that a new event is never behind them.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import msgspec

from controller.publish.broker.link import NO_PROPERTIES, Code, Properties
from controller.publish.envelope import CONTENT_TYPE, Event
from controller.publish.requests.commands import (
    WAITING_MOST,
    WORDS,
    Answer,
    CommandRefusal,
    Request,
    refused,
)
from controller.publish.source import JournalReader

NS = 1_000_000_000
COPY_BYTES_S, COPY_BURST = 524_288, 131_072
"""Bytes of copies a second, and at once."""
ANSWERS_MOST = 64
"""Answers that wait at most; the oldest goes first."""
JSON = "application/json"


@dataclass(slots=True)
class Letter:
    """One message that waits for its turn. `name`: the last levels of its topic; `answered`: takes the reason code."""

    name: str
    payload: bytes
    properties: Properties = NO_PROPERTIES
    retain: bool = False
    answered: Callable[[int], None] = lambda code: None


@dataclass(slots=True)
class Job:
    """One replay. `topic`: of its answers; `at`: the number to send next; `skipped`: numbers over the size limit."""

    verb: str
    request: Request
    stream: str  # the journal's own word
    topic: str
    correlation: bytes
    at: int
    last: int
    sent: int = 0
    skipped: list[int] = field(default_factory=list)


class Replies:
    """The waiting answers and replays of one table. `wrap`: makes an event of a record; `remember`: takes each new
    answer to a request; `left`: takes stream and number of an event that leaves the table as a copy."""

    def __init__(
        self,
        journal: JournalReader,
        wrap: Callable[..., Event],
        source: str,
        remember: Callable[[str, Request, Answer], None],
        left: Callable[[str, int], None],
    ) -> None:
        self._journal, self._wrap, self._source, self._remember = journal, wrap, source, remember
        self._left = left
        self._letters: deque[Letter] = deque()
        self._jobs: deque[Job] = deque()
        self._tokens, self._filled_ns = COPY_BURST, 0
        self._is_letter_out = self._is_copy_out = False
        self.dropped = 0

    # -- what is asked for ------------------------------------------------------------------------------------------

    def post(self, letter: Letter) -> None:
        """Queues a message; above the limit the oldest one is dropped and counted."""
        if len(self._letters) >= ANSWERS_MOST:
            del self._letters[1 if self._is_letter_out else 0]
            self.dropped += 1
        self._letters.append(letter)

    def answer(self, topic: str, answer: Answer, correlation: bytes) -> None:
        """Queues an answer."""
        self.post(Letter(topic, msgspec.json.encode(answer), Properties(JSON, correlation=correlation)))

    def begin(self, job: Job) -> None:
        """Queues a replay. Raises `Refused` if too many wait."""
        if len(self._jobs) >= WAITING_MOST:
            raise refused(CommandRefusal.WAITING)
        self._jobs.append(job)

    @property
    def waiting(self) -> int:
        """How many replays wait or run."""
        return len(self._jobs)

    # -- what is sent -----------------------------------------------------------------------------------------------

    def letter(self) -> Letter | None:
        """Returns the answer to send next, None if there is none or one is under way."""
        return self._letters[0] if self._letters and not self._is_letter_out else None

    def sent(self, letter: Letter) -> None:
        """Notes that an answer or a copy is under way."""
        if self._letters and self._letters[0] is letter:
            self._is_letter_out = True
        else:
            self._is_copy_out = True
            self._tokens -= len(letter.payload)

    def answered(self, letter: Letter, code: int) -> None:
        """Takes the broker's reason code for it; a refused answer is not sent again."""
        if self._letters and self._letters[0] is letter:
            self._is_letter_out = False
            self._letters.popleft()
        else:
            self._is_copy_out = False
            letter.answered(code)

    def ended(self) -> None:
        """Ends a connection: what was under way is sent again."""
        self._is_letter_out = self._is_copy_out = False

    def copy(self, now_ns: int, limit: int) -> Letter | None:
        """Returns the copy to send next; None if there is none, or the budget is used up (`wait_s`). `limit`: bytes
        of a payload."""
        while self._jobs and not self._is_copy_out and self.wait_s(now_ns) <= 0:
            job = self._jobs[0]
            if job.at > job.last:
                self._end(job)
                continue
            found = self._journal.read(job.stream, job.at - 1, 1)
            if not found or found[0].sequence != job.at:
                self._end(job, CommandRefusal.GONE)
                continue
            event = self._wrap(found[0])
            if len(event.payload) > limit:
                job.skipped.append(job.at)
                job.at += 1
                continue
            self._left(str(job.stream), job.at)
            user = (("id", event.id), ("type", event.type), ("source", self._source))
            return Letter(
                f"rpl/{job.request.consumer}",
                event.payload,
                Properties(CONTENT_TYPE, user, job.correlation),
                answered=partial(self._copied, job),
            )
        return None

    def wait_s(self, now_ns: int) -> float:
        """Returns the seconds until the budget allows another copy; 0 = now or nothing waits."""
        if not self._jobs or self._is_copy_out:
            return 0.0
        self._tokens = min(COPY_BURST, self._tokens + (now_ns - self._filled_ns) * COPY_BYTES_S // NS)
        self._filled_ns = now_ns
        return 0.0 if self._tokens > 0 else (1 - self._tokens) / COPY_BYTES_S

    def _copied(self, job: Job, code: int) -> None:
        if not self._jobs or self._jobs[0] is not job:
            return
        if code >= Code.REFUSED:
            reason = f"the broker refused rpl/{job.request.consumer} with 0x{code:02x}"
            self._end(job, CommandRefusal.NOT_TAKEN, reason)
            return
        job.at, job.sent = job.at + 1, job.sent + 1
        if job.at > job.last:
            self._end(job)

    def _end(self, job: Job, code: CommandRefusal | None = None, reason: str = "") -> None:
        self._jobs.popleft()
        if code is None and job.skipped:
            code = CommandRefusal.NOT_TAKEN
            reason = f"{len(job.skipped)} events from {job.skipped[0]} on are larger than the broker takes"
        answer = Answer(job.request.id, job.verb, "failed" if code else "done", sent=job.sent)
        if code is not None:
            answer = msgspec.structs.replace(answer, code=code.value, reason=reason or WORDS[code])
        answer = msgspec.structs.replace(answer, correlation=job.request.correlation)
        self._remember(job.verb, job.request, answer)
        self.answer(job.topic, answer, job.correlation)
