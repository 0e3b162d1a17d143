"""Everything unsent that outlives a connection: outboxes, retained state, suspects, counters."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from controller.publish.board import Board
from controller.publish.config import PublishConfig
from controller.publish.outboxes.confirmed_outbox import ConfirmedOutbox
from controller.publish.outboxes.denied import Denied
from controller.publish.outboxes.outbox import Outbox
from controller.publish.outboxes.suspects import STRIKES, Key, Suspects, topic_of
from controller.publish.requests.office import Office, confirmations_of
from controller.publish.source import READER, STREAMS, JournalReader, Report
from controller.publish.topics import Topics

NS = 1_000_000_000
ASKED = ("rsp", "rpl", "api")
"""Topics with messages of their own time, which wait in the office."""


@dataclass(slots=True)
class Counters:
    """Counts of events since the process started. `repeated`: sent again although a broker had acknowledged them."""

    sent: int = 0
    acked: int = 0
    refused: int = 0
    repeated: int = 0
    connects: int = 0


class Backlog:
    """The publisher's backlog, made from the journal's positions. `states` returns the bodies of the `state/*`
    topics."""

    def __init__(
        self,
        config: PublishConfig,
        journal: JournalReader,
        states: Callable[[], Mapping[str, Mapping[str, Any] | None]],
        report: Report,
    ) -> None:
        # What was acknowledged just before a silent death was not yet old enough: the silence is not counted.
        silence_s = 2 * config.keepalive_s if config.rewind_s else 0
        rewind_ns = round((config.rewind_s + silence_s) * NS)
        kept = {str(stream): position for stream, position in journal.position(READER).items()}
        times = {"rewind_ns": rewind_ns, "patience_ns": round(config.patience_s * NS)}
        own_names = {
            str(stream): stream for stream in journal.heads()
        }  # the journal takes only its own words back
        self.confirmations = confirmations_of(config, journal, STREAMS) if config.consumers else None
        heads = {str(stream): last for stream, last in journal.heads().items()}

        def made(stream: str) -> Outbox:
            position, batch = kept.get(stream), config.window
            if self.confirmations is None:
                return Outbox(own_names[stream], position, **times, batch=batch)
            shares = (-(-3 * batch // 4), max(1, batch // 4))  # of one window, as the streams share the way
            waits = {"wait_ns": round(config.confirm_s * NS), "patience_ns": times["patience_ns"]}
            waits["ahead"] = shares[STREAMS.index(stream)]
            return ConfirmedOutbox(
                own_names[stream], position, self.confirmations, heads[stream], **waits, batch=batch
            )

        self.boxes = {stream: made(stream) for stream in STREAMS}
        self.office: Office  # set by the publisher
        self.board = Board()
        self.suspects = Suspects()
        self.counters = Counters()
        self.journal, self.report, self._states = journal, report, states
        self.unheard: set[str] = set()  # streams nobody listens to, as far as the broker says
        self.topics = Topics(config.site, config.table)
        self.denied = Denied(self.topics, first_s=config.denied_first_s, most_s=config.denied_most_s)
        self._saved = {stream: box.position() for stream, box in self.boxes.items()}
        for box in self.boxes.values():
            if box.unreadable:
                report("outbox_position_unreadable", stream=str(box.stream))
            if box.denied is not None:
                self.denied.park(f"evt/{box.stream}", box.denied, 0, at_once=True)

    def refresh_states(self) -> None:
        """Puts the present retained states on the board, so that changed ones are sent."""
        self.board.refresh(self._states())

    def begin(self) -> dict[str, int]:
        """Begins a connection; returns how many events of each stream are sent again."""
        oldest = {str(stream): first for stream, first in self.journal.oldest().items()}
        self.board.begin()
        rewound = {stream: box.begin(oldest.get(stream, 0)) for stream, box in self.boxes.items()}
        self.counters.repeated += sum(rewound.values())
        return rewound

    def ended(
        self, on_way: Collection[Key], now_ns: int, *, accusing: bool, unproven: Collection[Key] = ()
    ) -> None:
        """Ends a connection with `on_way` unanswered; convicts the message that broke it, if one did.

        `unproven`: messages after which the broker had answered nothing when it hung up.
        """
        for box in self.boxes.values():
            box.ended(now_ns)
        for name, sequence in unproven:
            if sequence:
                self.boxes[name].undo(sequence)
        keys = {*on_way, *unproven}
        culprit = self.suspects.ended(keys, accusing=accusing)
        if accusing and len(keys) == 1 and self.denied.tries(topic_of(next(iter(keys)))):
            (culprit,) = keys
        if culprit is not None:
            self._convict(culprit, now_ns, is_answered=culprit in unproven)
        self.save()

    def _convict(self, key: Key, now_ns: int, *, is_answered: bool) -> None:
        """Parks the topic; a first event without an answer is parked alone, because it may be too large."""
        name, sequence = key
        reason = f"ended the connection {STRIKES} times"
        if sequence and not is_answered and not self.denied.tries(topic_of(key)):
            self.boxes[name].convicted += 1
            if self.boxes[name].convicted == 1:
                self.set_aside(key, reason, now_ns)
                return
        self.deny(key, reason, now_ns)

    def deny(self, key: Key, reason: str, now_ns: int) -> None:
        """Parks the topic of `key` and sets aside what waits for it; reports that once."""
        (name, sequence), topic = key, topic_of(key)
        self.suspects.clear(key)
        is_news = self.denied.park(topic, reason, now_ns)
        parked = self.denied.of(topic)
        assert parked is not None
        name_of = self.denied.name_of(topic)
        told = {"topic": f"{self.topics.base}/{name_of}", "reason": reason, "acl": self.denied.line(name_of)}
        if not sequence:
            if topic.startswith("state/"):
                self.board.due(topic.removeprefix("state/"))
            if is_news:
                self.report("publish_refused", **told)
            return
        box = self.boxes[name]
        box.denied = parked.reason
        self.suspects.forget(name)
        box.park(sequence, parked.reason, now_ns)
        box.withdraw(parked.reason)
        box.park_rest(self.heads()[name], parked.reason, now_ns)
        if is_news:
            self.report("publish_parked", stream=name, sequence=sequence, **told)

    def taken(self, key: Key) -> None:
        """Notes that the broker took a message: its topic is no longer parked, and what was set aside is sent."""
        topic, (name, sequence) = topic_of(key), key
        if self.denied.taken(topic) is None:
            return
        if sequence:
            self.lift(name)
        elif topic.startswith("state/"):
            self.board.all_due()

    def lift(self, stream: str) -> None:
        """Sends what was set aside because the topic of `stream` was denied."""
        box = self.boxes[stream]
        holes = [r for r in box.parked if r.reason == box.denied]
        box.denied = None
        count = sum(box.release(r.first, r.last) for r in holes)
        if count:
            self.report("publish_released", stream=stream, first=holes[0].first, last=holes[-1].last, count=count)

    def try_denied(self, now_ns: int) -> bool:
        """Sends one message of each parked topic whose wait is over; returns True if there was one."""
        due = self.denied.due(now_ns)
        for parked in due:
            topic = parked.trial
            kind, _, name = topic.partition("/")
            if kind in ASKED:
                self.denied.taken(topic)  # tried with the next message, if one comes
                continue
            if kind != "evt":
                self.suspects.accuse((topic, 0))
                if kind == "state":
                    self.board.due(name)
                continue
            box = self.boxes[name]
            holes = [r for r in box.parked if r.reason == box.denied]
            if not holes:
                self.denied.taken(topic)
                box.denied = None
                continue
            # By turns the oldest and the newest: it may be the one event alone that the broker does not want.
            sequence = holes[-1].last if parked.tries % 2 else holes[0].first
            box.release(sequence, sequence)
            self.suspects.accuse((name, sequence))
        return bool(due)

    def set_aside(self, key: Key, reason: str, now_ns: int) -> None:
        """Parks an event or state above the broker's size limit; reports each new hole once."""
        name, sequence = key
        self.suspects.clear(key)
        if sequence == 0:
            self.board.skip(name.removeprefix("state/"))
            if self.denied.too_large(name, reason):
                self.report("publish_refused", topic=f"{self.topics.base}/{name}", reason=reason)
        elif self.boxes[name].park(sequence, reason, now_ns):
            self.report("publish_parked", stream=name, sequence=sequence, reason=reason)

    def save(self) -> None:
        """Stores the positions that moved."""
        for stream, box in self.boxes.items():
            position = box.position()
            if position != self._saved[stream]:
                self.journal.move(READER, self.boxes[stream].stream, *position)
                self._saved[stream] = position

    def heads(self) -> dict[str, int]:
        """Returns the number of each published stream's last record; 0 for an empty stream."""
        heads = {str(stream): last for stream, last in self.journal.heads().items()}
        return {stream: heads.get(stream, 0) for stream in self.boxes}

    def oldest(self) -> dict[str, int]:
        """Returns the number of each published stream's oldest record; 0 for an empty stream."""
        oldest = {str(stream): first for stream, first in self.journal.oldest().items()}
        return {stream: oldest.get(stream, 0) for stream in self.boxes}

    def parked(self) -> dict[str, list[tuple[int, int]]]:
        """The parked events of each stream, as `[first, last]`."""
        return {stream: [(r.first, r.last) for r in box.holes()] for stream, box in self.boxes.items()}
