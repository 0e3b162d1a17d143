"""Everything that waits to be told and outlives a connection: outboxes, retained state, suspects, counters."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from controller.publish.board import Board
from controller.publish.config import PublishConfig
from controller.publish.outbox import Outbox
from controller.publish.source import READER, STREAMS, JournalReader, Report
from controller.publish.suspects import STRIKES, Key, Suspects

__all__ = ["Backlog", "Counters"]

NS = 1_000_000_000


@dataclass(slots=True)
class Counters:
    """Since the start of the process, events only. `repeated`: sent although a broker had acknowledged them before."""

    sent: int = 0
    acked: int = 0
    refused: int = 0
    repeated: int = 0
    connects: int = 0


class Backlog:
    """Built once from the journal's positions. `states` gives the bodies of the `state/*` topics."""

    def __init__(
        self,
        config: PublishConfig,
        journal: JournalReader,
        states: Callable[[], Mapping[str, Mapping[str, Any]]],
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
        self.boxes = {s: Outbox(own_names[s], kept.get(s), **times, batch=config.window) for s in STREAMS}
        self.board = Board()
        self.suspects = Suspects()
        self.counters = Counters()
        self.journal, self.report, self._states = journal, report, states
        self.unheard: set[str] = set()  # streams nobody listens to, as far as the broker says
        self._saved = {stream: box.position() for stream, box in self.boxes.items()}
        for box in self.boxes.values():
            if box.unreadable:
                report("outbox_position_unreadable", stream=str(box.stream))

    def refresh_states(self) -> None:
        self.board.refresh(self._states())

    def begin(self) -> dict[str, int]:
        """A connection begins; how many events of each stream are sent once more."""
        oldest = {str(stream): first for stream, first in self.journal.oldest().items()}
        self.board.begin()
        rewound = {stream: box.begin(oldest.get(stream, 0)) for stream, box in self.boxes.items()}
        self.counters.repeated += sum(rewound.values())
        return rewound

    def ended(self, on_way: Collection[Key], now_ns: int, *, accusing: bool) -> None:
        """The connection is over with `on_way` unanswered; convicts the message that broke it, if one did."""
        for box in self.boxes.values():
            box.ended(now_ns)
        culprit = self.suspects.ended(on_way, accusing=accusing)
        if culprit is not None:
            self.set_aside(culprit, f"ended the connection {STRIKES} times", now_ns)
        self.save()

    def set_aside(self, key: Key, reason: str, now_ns: int) -> None:
        """Parks an event, or gives up the present body of a state; tells people once for each new hole."""
        name, sequence = key
        self.suspects.clear(key)
        if sequence == 0:
            self.board.skip(name)
            self.report("publish_refused", topic=name, reason=reason)
        elif self.boxes[name].park(sequence, reason, now_ns):
            self.report("publish_parked", stream=name, sequence=sequence, reason=reason)

    def save(self) -> None:
        """Keeps the positions that moved."""
        for stream, box in self.boxes.items():
            position = box.position()
            if position != self._saved[stream]:
                self.journal.move(READER, self.boxes[stream].stream, *position)
                self._saved[stream] = position

    def heads(self) -> dict[str, int]:
        heads = {str(stream): last for stream, last in self.journal.heads().items()}
        return {stream: heads.get(stream, 0) for stream in self.boxes}

    def oldest(self) -> dict[str, int]:
        oldest = {str(stream): first for stream, first in self.journal.oldest().items()}
        return {stream: oldest.get(stream, 0) for stream in self.boxes}

    def parked(self) -> dict[str, list[tuple[int, int]]]:
        """The declared holes of each stream, as `[first, last]`."""
        return {stream: [(r.first, r.last) for r in box.holes()] for stream, box in self.boxes.items()}
