"""Finds the one message that makes a broker end the connection, among the many that were on their way when it did.

After such an end every message that was unanswered is a suspect and is sent alone next time. One that three times in
a row was alone on its way when the broker hung up, or stayed unanswered on a living connection, is convicted: it is
set aside and what stands behind it goes on. A dead network or a frozen broker accuses nobody.
"""

from collections.abc import Collection, Iterator

__all__ = ["STRIKES", "Key", "OnWay", "Suspects", "topic_of"]

STRIKES = 3
"""Ends of a connection with the same message alone on its way after which it is set aside."""

Key = tuple[str, int]
"""Which message: stream and sequence, or the last levels of another topic and 0."""


def topic_of(key: Key) -> str:
    """The last levels of the topic that `key` goes to."""
    name, sequence = key
    return f"evt/{name}" if sequence else name


class OnWay:
    """What was sent on one connection, oldest first, and is not known to be harmless yet.

    A broker takes messages in order, so whatever it answers later proves that it has not hung up over this one. Until then an
    answered message counts too: mosquitto acknowledges what its ACL denies, and hangs up after it (`max_queued_messages 0`).
    """

    def __init__(self) -> None:
        self.unanswered: dict[Key, int] = {}
        self._sent = 0
        self._order: dict[Key, int] = {}
        self._unproven: dict[Key, int] = {}
        self._refused: int | None = None  # the place of a refused message behind which nothing was answered

    def __len__(self) -> int:
        return len(self.unanswered)

    def __iter__(self) -> Iterator[Key]:
        return iter(self.unanswered)

    def __contains__(self, key: object) -> bool:
        return key in self.unanswered

    def sent(self, key: Key, now_ns: int, *, is_answered: bool = True) -> None:
        """`key` was sent; `is_answered`: an answer of its own will come (QoS 1)."""
        self._sent += 1
        if is_answered:
            self.unanswered[key], self._order[key] = now_ns, self._sent
        else:
            self._unproven[key] = self._sent

    def answered(self, key: Key, *, is_refused: bool) -> None:
        """The broker answered `key`: what was sent before it is harmless."""
        self.unanswered.pop(key, None)
        place = self._order.pop(key, 0)
        self._unproven = {k: n for k, n in self._unproven.items() if n > place}
        self._refused = place if is_refused else None
        if not is_refused:
            self._unproven[key] = place

    def proven(self) -> None:
        """The broker answered something that was sent behind all of them."""
        self._unproven.clear()
        self._refused = None

    @property
    def unproven(self) -> list[Key]:
        """Those that were answered, or have no answer, with nothing answered behind them."""
        return list(self._unproven)

    def suspected(self) -> list[Key]:
        """Which may have made the broker hang up just now; none where it had refused one right before."""
        return [] if self._refused is not None else [*self.unanswered, *self._unproven]


class Suspects:
    """Who is under suspicion. Messages are `Key`s."""

    def __init__(self) -> None:
        self._suspects: set[Key] = set()
        self._strikes: dict[Key, int] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._suspects

    def __bool__(self) -> bool:
        return bool(self._suspects)

    def accuse(self, key: Key) -> None:
        """`key` travels alone from now on, until it is answered."""
        self._suspects.add(key)

    def may_go(self, key: Key, on_way: Collection[Key], unproven: Collection[Key] = ()) -> bool:
        """Whether `key` may be sent now: a suspect travels alone, with nothing before it that may be to blame."""
        if not self._suspects or not (on_way or unproven):
            return True
        if key in self._suspects:
            return False
        return self._suspects.isdisjoint(on_way) and self._suspects.isdisjoint(unproven)

    def clear(self, key: Key) -> None:
        """The broker answered `key`, or it is set aside."""
        if self._suspects:
            self._suspects.discard(key)
            self._strikes.pop(key, None)

    def forget(self, stream: str) -> None:
        """No event of `stream` is sent any more."""
        self._suspects = {key for key in self._suspects if key[0] != stream or not key[1]}
        self._strikes = {key: n for key, n in self._strikes.items() if key in self._suspects}

    def ended(self, on_way: Collection[Key], *, accusing: bool) -> Key | None:
        """A connection ended with `on_way` unanswered; the message to be set aside, if that convicts one.

        `accusing`: the broker hung up or left a message unanswered, as against a dead network.
        """
        if not accusing:
            return None
        self._suspects.update(on_way)
        if len(on_way) != 1:
            return None
        (key,) = on_way
        self._strikes[key] = self._strikes.get(key, 0) + 1
        if self._strikes[key] < STRIKES:
            return None
        self.clear(key)
        return key
