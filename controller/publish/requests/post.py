"""Sends what the office has for those who asked, in its turn among the events of one connection."""

from collections.abc import Callable

from controller.clock import Clock
from controller.publish.broker.link import Code
from controller.publish.outboxes.backlog import Backlog
from controller.publish.outboxes.suspects import Key
from controller.publish.requests.replies import Letter

COPYS_TURN = 8
"""One of so many messages is a copy that was asked for, while a backlog waits."""


class Post:
    """`limit`: bytes of a payload; `hand`: gives a message to the link; `later`: tries again after so many seconds."""

    def __init__(
        self,
        backlog: Backlog,
        clock: Clock,
        limit: int,
        may_go: Callable[[Key], bool],
        hand: Callable[..., None],
        later: Callable[[float], None],
    ) -> None:
        self._backlog, self._clock, self._limit = backlog, clock, limit
        self._replies, self._may_go, self._hand, self._later = backlog.office.replies, may_go, hand, later

    def send_answer(self) -> bool:
        """Sends the next answer; returns False if there is none, or it may not go now."""
        letter = self._replies.letter()
        return letter is not None and self._send(letter)

    def send_copy(self, turn: int = 0) -> bool:
        """Sends the next copy; returns False if there is none, or it may not go now. `turn`: counts messages."""
        if turn % COPYS_TURN:
            return False
        now = self._clock.mono_ns()
        if (letter := self._replies.copy(now, self._limit)) is not None:
            return self._send(letter)
        if (wait_s := self._replies.wait_s(now)) > 0:
            self._later(wait_s)
        return False

    def _send(self, letter: Letter) -> bool:
        key = (letter.name, 0)
        if self._backlog.denied.holds(letter.name):  # nothing waits behind a topic that the broker refuses
            self._replies.sent(letter)
            self._replies.answered(letter, Code.NOT_AUTHORIZED)
            return True
        if not self._may_go(key):
            return False

        def answered(code: int) -> None:
            self._replies.answered(letter, code)
            if code >= Code.REFUSED:
                self._backlog.deny(key, f"refused with 0x{code:02x}", self._clock.mono_ns())

        topic, properties = f"{self._backlog.topics.base}/{letter.name}", letter.properties
        self._hand(key, topic, letter.payload, answered, retain=letter.retain, properties=properties)
        self._replies.sent(letter)
        return True
