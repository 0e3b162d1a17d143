"""The back office's side of the table: takes confirmations and requests, and gives out what answers them.

It outlives connections, as the backlog does. It can send copies and states again, and nothing else: no act, no level, no
round is within its reach.
"""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from msgspec import UnsetType

from controller.clock import Clock
from controller.publish.broker.link import Incoming, Properties
from controller.publish.config import PublishConfig
from controller.publish.envelope import Wrapper
from controller.publish.outboxes.confirmed_outbox import ConfirmedOutbox
from controller.publish.outboxes.outbox import Outbox
from controller.publish.requests.commands import (
    VERBS,
    Answer,
    CommandRefusal,
    Commands,
    Refused,
    Request,
    refused,
    response_topic,
)
from controller.publish.requests.confirmations import Confirmations, Lateness
from controller.publish.requests.replies import JSON, Job, Letter, Replies
from controller.publish.source import JournalReader, Report
from controller.publish.tally import Tally

COMMANDS = "commands"
"""The name under which the journal keeps remembered requests."""


def confirmations_of(config: PublishConfig, journal: JournalReader, streams: Collection[str]) -> Confirmations:
    """Returns the confirmations of the configured consumers, from their durable positions on."""
    known = {}
    for consumer in config.consumers:
        for stream, position in journal.position(f"ack/{consumer}").items():
            known[consumer, str(stream)] = position.through
    return Confirmations(journal.id, config.consumers, streams, known)


class Office:
    """Takes what consumers say. `boxes`: the outboxes; `confirmations`: None with `confirm = "broker"`."""

    def __init__(
        self,
        config: PublishConfig,
        wrapper: Wrapper,
        journal: JournalReader,
        boxes: Mapping[str, Outbox],
        confirmations: Confirmations | None,
        clock: Clock,
        report: Report,
    ) -> None:
        self._config, self._topics, self._journal = config, wrapper.topics, journal
        self._boxes, self.confirmations, self._clock, self._report = boxes, confirmations, clock, report
        self._stream = next(iter(boxes.values())).stream
        kept = journal.position(COMMANDS).get(self._stream)
        self._commands = Commands(kept.extra if kept else b"")
        self.replies = Replies(journal, wrapper.wrap, wrapper.topics.source, self._remember, self._left)
        self._taken, self._refused = Tally("commands_taken", report), Tally("commands_refused", report)
        self._acks = Tally("confirmations_refused", report)
        self._lateness = Lateness()
        self.is_refresh_due = False

    def subscriptions(self) -> list[str]:
        """Returns the topics to subscribe on each connection."""
        acks = [f"{self._topics.base}/ack/{consumer}" for consumer in self._config.consumers]
        return [*acks, f"{self._topics.base}/cmd/+"]

    def connected(self) -> None:
        """Queues `api`, if the document is known."""
        if self._config.api:
            body = {"name": "tablewarden", "version": self._config.version, "sha256": self._config.api}
            self.replies.post(Letter("api", msgspec.json.encode(body), Properties(JSON), retain=True))

    def take(self, message: Incoming) -> None:
        """Takes one message of these topics. Never raises for what stands in it."""
        kind, _, name = message.topic.removeprefix(f"{self._topics.base}/").partition("/")
        if kind == "ack" and self.confirmations is not None and name in self.confirmations.of:
            self._confirm(self.confirmations, name, message.payload)
        elif kind == "cmd":
            self._command(name, message)

    # -- confirmations ----------------------------------------------------------------------------------------------

    def _confirm(self, confirmations: Confirmations, consumer: str, payload: bytes) -> None:
        now = self._clock.mono_ns()
        boxes = {name: box for name, box in self._boxes.items() if isinstance(box, ConfirmedOutbox)}
        before = {name: kept.through for name, kept in confirmations.of[consumer].items()}
        refusal = confirmations.take(consumer, payload, {name: box.sent_most for name, box in boxes.items()})
        if refusal is not None:
            self._acks.add(refusal.value, now, consumer=consumer)
            return
        for name, box in boxes.items():
            box.confirmed(now)
            if (through := confirmations.of[consumer][name].through) != before[name]:
                self._journal.move(f"ack/{consumer}", box.stream, through)

    def look(self) -> bool:
        """Tells what was gathered and which consumer is late; returns True if a stream goes back to what was
        confirmed."""
        now = self._clock.mono_ns()
        for tally in (self._taken, self._refused, self._acks):
            tally.look(now)
        if self.confirmations is None:
            return False
        boxes = [box for box in self._boxes.values() if isinstance(box, ConfirmedOutbox)]
        for consumer, streams in self.confirmations.of.items():
            at = sum(kept.through for kept in streams.values())
            waits = [b for b in boxes if b.waits and not streams[str(b.stream)].holds(b.settled + 1)]
            news = self._lateness.look(consumer, at, is_waiting=bool(waits), now_ns=now)
            if news == "consumer_late":
                name = str(waits[0].stream)
                head, through = self._journal.heads()[waits[0].stream], streams[name].through
                self._report(news, consumer=consumer, stream=name, through=through, head=head)
            elif news is not None:
                self._report(news, consumer=consumer)
        return any([box.go_back(now) for box in boxes])

    # -- commands ---------------------------------------------------------------------------------------------------

    def _command(self, verb: str, message: Incoming) -> None:
        now_ns, now_us = self._clock.mono_ns(), self._clock.stamp().wall_us
        known = verb if verb in VERBS else None
        request: Request | None = None
        topic = ""
        try:
            self._commands.admit(message.payload, retained=message.retained, now_ns=now_ns)
            request = self._commands.read(message.payload)
            topic = f"rsp/{request.consumer}"
            asked = "" if isinstance(request.response, UnsetType) else request.response
            topic = response_topic(self._topics.base, message.response or asked, request.consumer)
            if known is None:
                raise refused(CommandRefusal.UNKNOWN)
            answer = self._commands.judge(verb, request, now_us)
            if answer is None:
                answer = self._begin(verb, request, topic, message.correlation)
                self._taken.add(verb, now_ns, consumer=request.consumer, id=request.id)
        except Refused as no:
            consumer, name = (request.consumer, request.id) if request else (None, None)
            self._refused.add(no.code.value, now_ns, verb=known, consumer=consumer, id=name, reason=no.reason)
            if request is None:
                return
            answer = Answer(request.id, verb, "failed", no.code.value, no.reason, correlation=request.correlation)
        self.replies.answer(topic, answer, message.correlation)

    def _begin(self, verb: str, request: Request, topic: str, correlation: bytes) -> Answer:
        """Starts what is asked for; returns `accepted`, or `done` for what is done in this turn. Raises `Refused`."""
        answer = Answer(request.id, verb, "accepted", correlation=request.correlation)
        if verb == "refresh":
            self.is_refresh_due = True
            answer = msgspec.structs.replace(answer, state="done")
        else:
            self.replies.begin(self._job(request, topic, correlation))
        self._remember(verb, request, answer)
        return answer

    def _job(self, request: Request, topic: str, correlation: bytes) -> Job:
        if request.journal != self._journal.id:
            raise refused(CommandRefusal.OTHER_JOURNAL)
        first, last = request.first, request.last
        assert isinstance(first, int)  # `judge` has seen to it
        assert isinstance(last, int)
        stream = self._boxes[str(request.stream)].stream
        head, oldest = self._journal.heads()[stream], self._journal.oldest()[stream]
        if last > head:
            raise refused(CommandRefusal.RANGE, f"the last number of {stream} is {head}")
        if first < oldest:
            raise refused(CommandRefusal.GONE, f"events before {oldest} are in segments only")
        return Job("replay", request, stream, topic, correlation, first, last)

    def _left(self, stream: str, sequence: int) -> None:
        if isinstance(box := self._boxes[stream], ConfirmedOutbox):
            box.sent_most = max(box.sent_most, sequence)  # who has the copy may confirm it

    def _remember(self, verb: str, request: Request, answer: Answer) -> None:
        self._commands.answered(verb, request, answer)
        self._journal.move(COMMANDS, self._stream, 0, self._commands.keep())

    # -- for people and consumers -----------------------------------------------------------------------------------

    def beat(self) -> dict[str, Any]:
        """Returns what a heartbeat says of confirmations; {} with `confirm = "broker"`."""
        if self.confirmations is None:
            return {}
        of = self.confirmations.of
        said: dict[str, Any] = {
            "confirmed": {c: {s: kept.through for s, kept in streams.items()} for c, streams in of.items()}
        }
        if late := self._lateness.late():
            said["late"] = late
        return said

    def document(self) -> dict[str, Any]:
        """Returns JSON values for `status`."""
        boxes = [box for box in self._boxes.values() if isinstance(box, ConfirmedOutbox)]
        return {
            "confirm": self._config.confirm,
            **self.beat(),
            "rewinds": sum(box.rewinds for box in boxes),
            "confirmations_refused": dict(self._acks.total),
            "commands": {"taken": dict(self._taken.total), "refused": dict(self._refused.total)},
            "replays": self.replies.waiting,
        }
