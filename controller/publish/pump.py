"""Keeps the window of one connection full: retained states first, then the events of each stream in order.

A commit (`wake`) or a broker's answer fills the window in that turn of the loop. Nothing here raises into its
caller; a failure ends the connection.
"""

import asyncio
import random
from collections.abc import Callable
from functools import partial
from typing import assert_never

from controller.clock import Clock
from controller.publish.broker.link import NO_PROPERTIES, Code, Limits, Link, LinkDown, Properties
from controller.publish.config import PublishConfig
from controller.publish.envelope import CONTENT_TYPE, Wrapper
from controller.publish.outboxes.backlog import NS, Backlog
from controller.publish.outboxes.outbox import Outbox, Verdict
from controller.publish.outboxes.suspects import Key, OnWay
from controller.publish.requests.post import Post

STATE_S = 0.25
"""Least time between two looks at the table's state; changes in between are sent with the next look. A lone change goes at
once, and no screen is older than this."""
OTHERS_TURN = 4
"""Of so many events one is of the other stream, while both have a backlog."""
LISTENERS_S = 2.0
"""Longest wait between two looks whether a consumer has come back."""
PACKET_ROOM = 512
"""Bytes of a packet beside the payload: topic, properties, header."""
DENIALS = frozenset({Code.NOT_AUTHORIZED, Code.TOPIC_NAME})
"""Refusals that speak of the topic, and not of the message."""
BEAT, CONN = "tele/heartbeat", "conn"
"""Last levels of two topics."""


def full_jitter(rng: random.Random, attempt: int, first_s: float, most_s: float) -> float:
    """Returns the seconds before try `attempt` (from 0): random up to a doubling limit, so that tables do not
    reconnect in step."""
    return rng.uniform(0, min(most_s, first_s * 2 ** min(attempt, 32)))


class Pump:
    """The messages under way on `link`, and what goes next. Starts shut; `open` starts it."""

    def __init__(
        self,
        config: PublishConfig,
        wrapper: Wrapper,
        backlog: Backlog,
        clock: Clock,
        rng: random.Random,
        link: Link,
        limits: Limits,
    ) -> None:
        self._config, self._wrapper, self._backlog = config, wrapper, backlog
        self._clock, self._rng, self._link = clock, rng, link
        self._topics = wrapper.topics
        self._window = max(1, min(config.window, limits.receive_maximum))
        packet = limits.packet if limits.packet is not None else config.max_payload + PACKET_ROOM
        self._limit = max(0, min(config.max_payload, packet - PACKET_ROOM))
        self._running = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._waits: dict[str, int] = {}
        self._states_from_ns = self._turn = 0
        self._urgent: list[tuple[str, bytes, Callable[[int], None]]] = []
        self._beat: bytes | None = None  # a heartbeat that waits to travel alone
        self._kept: dict[
            Key, Callable[[], None]
        ] = {}  # answers of suspects that something answered later must confirm
        self._asking: asyncio.Task[None] | None = None
        self.on_way = OnWay()
        self._post = Post(backlog, clock, self._limit, self._may_go, self._hand, self._when_copies_may_go)
        self.idle = asyncio.Event()
        self.fault: Exception | None = None

    def open(self) -> None:
        """Begins to send states and events."""
        self._running = True
        self.wake()

    def shut(self) -> None:
        """Stops sending states and events. Answers still count."""
        self._running = False
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        if self._asking is not None:
            self._asking.cancel()

    def wake(self) -> None:
        """Sends new records and changed states."""
        heads = self._backlog.heads()
        for box in self._backlog.boxes.values():
            box.more = box.more or heads[box.stream] > box.cursor
        if self._running:
            self._look_at_states()
            self._fill()

    def finish(self) -> None:
        """Sends the rest and the present states, before a goodbye."""
        if (timer := self._timers.pop("states", None)) is not None:
            timer.cancel()
        self._states_from_ns = 0
        self.wake()

    def publish(self, topic: str, payload: bytes, answered: Callable[[int], None]) -> None:
        """Sends a retained message before everything else, also on a shut pump: birth and goodbye."""
        self._urgent.append((topic, payload, answered))
        self._fill()

    def oldest_ns(self) -> int | None:
        """Returns when the longest unanswered message was sent."""
        return next(iter(self.on_way.unanswered.values()), None)

    def beat(self, payload: bytes) -> None:
        """Sends a heartbeat (QoS 0), and tries parked topics that are due."""
        if self._backlog.try_denied(self._clock.mono_ns()):
            self._fill()
        if not self._backlog.denied.holds(BEAT):
            self._beat = payload
            self._fill()

    # -- sending ----------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        try:
            while len(self.on_way) < self._window and self._send_next():
                pass
        except LinkDown:
            self._running = False  # whoever runs the connection is waiting for its end
        except Exception as exc:
            self._fail(exc)
        if not self.on_way and self.on_way.unproven and self._backlog.suspects:
            self._ask()
        if self.on_way or self._kept:
            self.idle.clear()
        else:
            self.idle.set()

    def _may_go(self, key: Key) -> bool:
        return self._backlog.suspects.may_go(key, self.on_way, self.on_way.unproven)

    def _send_next(self) -> bool:
        if self._urgent:
            return self._send_urgent()
        if self._beat is not None:
            return self._send_beat(self._beat)
        if not self._running:
            return False
        first = self._send_state() or self._post.send_answer() or self._post.send_copy(self._turn)
        return first or self._send_event() or self._post.send_copy()

    def _hand(
        self,
        key: Key,
        topic: str,
        payload: bytes,
        step: Callable[[int], None],
        *,
        retain: bool = False,
        properties: Properties = NO_PROPERTIES,
    ) -> None:
        """Hands a QoS 1 message to the link; `step` takes its answer."""
        answered = partial(self._answered, key, step)
        self._link.send(topic, payload, qos=1, retain=retain, properties=properties, answered=answered)
        self.on_way.sent(key, self._clock.mono_ns())

    def _send_urgent(self) -> bool:
        topic, payload, answered = self._urgent[0]
        key = (CONN, 0)
        if key in self.on_way or key in self._kept or not self._may_go(key):
            return False

        def done(code: int) -> None:
            if code >= Code.REFUSED:
                self._backlog.deny(key, f"refused with 0x{code:02x}", self._clock.mono_ns())
            answered(code)

        self._hand(key, topic, payload, done, retain=True)
        self._urgent.pop(0)
        return True

    def _send_beat(self, payload: bytes) -> bool:
        key = (BEAT, 0)
        if not self._may_go(key):
            return False
        self._beat = None
        self._link.send(self._topics.heartbeat, payload, qos=0)
        self.on_way.sent(key, 0, is_answered=False)
        if key in self._backlog.suspects:
            self._kept[key] = _nothing
            self._ask()
        return True

    def _fail(self, exc: Exception) -> None:
        """Ends the connection for a fault of ours, instead of raising into the caller."""
        self.fault = exc
        self.shut()
        self._link.abort(f"fault while publishing: {exc!r}")

    def _send_event(self) -> bool:
        """Sends the next event of the first stream that has one; the order of streams changes now and then."""
        boxes = list(self._backlog.boxes.values())
        self._turn += 1
        if self._turn % OTHERS_TURN == 0:
            boxes.reverse()
        return any(self._send_from(box) for box in boxes)

    def _send_from(self, box: Outbox) -> bool:
        topic = f"evt/{box.stream}"
        if box.denied is not None:
            if box.more:
                box.park_rest(self._backlog.heads()[box.stream], box.denied, self._clock.mono_ns())
            if not self._backlog.denied.tries(topic):
                return False
        record = box.peek(self._backlog.journal.read)
        if record is None:
            return False
        key = (str(box.stream), record.sequence)
        if not self._may_go(key):
            return False
        event = self._wrapper.wrap(record)
        if self._too_large(key, event.payload):
            return True
        user = (("id", event.id), ("type", event.type), ("source", self._topics.source))
        answered = partial(self._event_answered, box, record.sequence)
        properties = Properties(CONTENT_TYPE, user)
        self._hand(key, self._topics.events(box.stream), event.payload, answered, properties=properties)
        box.sent(record)
        self._backlog.counters.sent += 1
        return True

    def _send_state(self) -> bool:
        denied = self._backlog.denied
        due = self._backlog.board.peek((lambda thing: denied.holds(f"state/{thing}")) if denied else _never)
        if due is None:
            return False
        thing, body = due
        key = (f"state/{thing}", 0)
        if not self._may_go(key):
            return False
        if self._too_large(key, body):
            return True
        self._hand(key, self._topics.state(thing), body, partial(self._state_answered, thing), retain=True)
        self._backlog.board.sent(thing)
        return True

    def _too_large(self, key: Key, payload: bytes) -> bool:
        """Parks a message that exceeds the broker's size limit."""
        if len(payload) <= self._limit:
            return False
        reason = f"{len(payload)} bytes, over the limit of {self._limit}"
        self._backlog.set_aside(key, reason, self._clock.mono_ns())
        return True

    # -- answers ----------------------------------------------------------------------------------------------------

    def _guarded(self, step: Callable[..., None], *arguments: object) -> None:
        """Runs a step for the socket's reader; a fault ends the connection."""
        try:
            step(*arguments)
        except Exception as exc:
            self._fail(exc)

    def _answered(self, key: Key, step: Callable[[int], None], code: int) -> None:
        """Handles an answer. A suspect's answer counts once the broker has answered something after it."""
        self._guarded(self._take_answer, key, step, code)

    def _take_answer(self, key: Key, step: Callable[[int], None], code: int) -> None:
        is_refused = code >= Code.REFUSED
        self.on_way.answered(key, is_refused=is_refused)
        if key in self._backlog.suspects and not is_refused:
            self._kept[key] = partial(step, code)
            self._ask()
            return
        self._settle(key, partial(step, code), is_taken=not is_refused)
        self._fill()

    def _settle(self, key: Key, step: Callable[[], None], *, is_taken: bool) -> None:
        self._backlog.suspects.clear(key)
        if is_taken and self._backlog.denied:
            self._backlog.taken(key)
        step()

    def _ask(self) -> None:
        """Asks the broker for an answer that proves earlier messages: a subscription, which changes nothing."""
        if self._asking is None:
            self._asking = asyncio.get_running_loop().create_task(self._confirmed())

    async def _confirmed(self) -> None:
        try:
            await self._link.subscribe(self._topics.conn)
        except LinkDown:
            return  # whoever runs the connection is waiting for its end
        self._asking = None
        self._guarded(self._proven)

    def _proven(self) -> None:
        self.on_way.proven()
        kept, self._kept = self._kept, {}
        for key, step in kept.items():
            self._settle(key, step, is_taken=True)
        self._fill()

    def _event_answered(self, box: Outbox, sequence: int, code: int) -> None:
        key, now, backlog = (str(box.stream), sequence), self._clock.mono_ns(), self._backlog
        verdict = box.answered(sequence, code, now)
        if code >= Code.REFUSED:
            backlog.counters.refused += 1
            if code in DENIALS and self._is_topic_denied(box, sequence, verdict):
                backlog.deny(key, f"refused with 0x{code:02x}", now)
                return
        match verdict:
            case Verdict.TAKEN | Verdict.UNHEARD:
                backlog.counters.acked += 1
                self._waits.pop(box.stream, None)
                if verdict is Verdict.TAKEN:
                    backlog.unheard.discard(box.stream)
            case Verdict.LISTENERS:
                self._hold(box, LISTENERS_S)
            case Verdict.WAIT:
                if box.stream not in self._waits:
                    reason = f"refused for now with 0x{code:02x}"
                    backlog.report("publish_delayed", stream=str(box.stream), sequence=sequence, reason=reason)
                self._hold(box, self._config.backoff_most_s)
            case Verdict.PARKED:
                backlog.set_aside(key, f"refused with 0x{code:02x}", now)
            case Verdict.AGAIN:
                pass  # it is the first that the box gives out
            case _:
                assert_never(verdict)
        if code == Code.NO_SUBSCRIBERS and box.stream not in backlog.unheard:
            backlog.unheard.add(box.stream)
            backlog.report("nobody_listening", stream=str(box.stream), sequence=sequence)

    @staticmethod
    def _is_topic_denied(box: Outbox, sequence: int, verdict: Verdict) -> bool:
        """Returns True if a refusal is of the topic: the broker took nothing later on this connection."""
        is_first = box.newest == 0 or verdict is Verdict.PARKED
        return box.denied is not None or (is_first and box.newest < sequence)

    def _hold(self, box: Outbox, most_s: float) -> None:
        """Pauses the stream, longer each time up to `most_s`; its order is kept."""
        box.held = True
        if box.stream in self._timers:
            return
        attempt = self._waits.get(box.stream, 0)
        self._waits[box.stream] = attempt + 1

        def resume() -> None:
            box.held = False
            self._fill()

        self._later(box.stream, full_jitter(self._rng, attempt, self._config.backoff_first_s, most_s), resume)

    def _state_answered(self, thing: str, code: int) -> None:
        self._backlog.board.answered(thing)
        if code >= Code.REFUSED:
            self._backlog.deny((f"state/{thing}", 0), f"refused with 0x{code:02x}", self._clock.mono_ns())

    # -- retained state ---------------------------------------------------------------------------------------------

    def _look_at_states(self) -> None:
        """Reads the states at most every `STATE_S`."""
        if "states" in self._timers:
            return
        now = self._clock.mono_ns()
        if now < self._states_from_ns:
            self._later("states", (self._states_from_ns - now) / NS, self._look_again)
            return
        self._states_from_ns = now + round(STATE_S * NS)
        try:
            self._backlog.refresh_states()
        except Exception as exc:
            self._fail(exc)

    def _look_again(self) -> None:
        self._states_from_ns = 0
        self._look_at_states()
        self._fill()

    def _when_copies_may_go(self, seconds: float) -> None:
        if "copy" not in self._timers:
            self._later("copy", seconds, self._fill)

    def _later(self, name: str, seconds: float, step: Callable[[], None]) -> None:
        def run() -> None:
            self._timers.pop(name, None)
            step()

        self._timers[name] = asyncio.get_running_loop().call_later(seconds, run)


def _never(thing: str) -> bool:
    return False


def _nothing() -> None:
    return
