"""Finds the message that makes a broker end the connection, among those that were under way.

After such an end every unanswered message is a suspect and is sent alone next time. A message that three times in
a row was alone when the broker hung up, or stayed unanswered, is parked, and the rest goes on. A dead network or a
frozen broker accuses nobody.
"""

from collections.abc import Collection, Iterator

STRIKES = 3
"""Ends of a connection with the same message alone on its way after which it is set aside."""

Key = tuple[str, int]
"""Which message: stream and sequence, or the last levels of another topic and 0."""


def topic_of(key: Key) -> str:
    """Returns the last levels of the topic of `key`."""
    name, sequence = key
    return f"evt/{name}" if sequence else name


class OnWay:
    """The messages sent on one connection, oldest first, that may still prove harmful.

    A broker takes messages in order, so a later answer proves that it did not hang up over this one. Until then an
    answered message is suspect too: mosquitto acknowledges what its ACL denies, and hangs up afterwards
    (`max_queued_messages 0`).
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
        """Notes that `key` was sent; `is_answered`: an answer of its own will come (QoS 1)."""
        self._sent += 1
        if is_answered:
            self.unanswered[key], self._order[key] = now_ns, self._sent
        else:
            self._unproven[key] = self._sent

    def answered(self, key: Key, *, is_refused: bool) -> None:
        """Notes an answer to `key`: everything sent before it is harmless."""
        self.unanswered.pop(key, None)
        place = self._order.pop(key, 0)
        self._unproven = {k: n for k, n in self._unproven.items() if n > place}
        self._refused = place if is_refused else None
        if not is_refused:
            self._unproven[key] = place

    def proven(self) -> None:
        """Notes that the broker answered something sent after all of them."""
        self._unproven.clear()
        self._refused = None

    @property
    def unproven(self) -> list[Key]:
        """Returns messages answered or not, with nothing answered after them."""
        return list(self._unproven)

    def suspected(self) -> list[Key]:
        """Returns the messages that may have made the broker hang up; none if it had just refused one."""
        return [] if self._refused is not None else [*self.unanswered, *self._unproven]


class Suspects:
    """The suspected messages, by `Key`."""

    def __init__(self) -> None:
        self._suspects: set[Key] = set()
        self._strikes: dict[Key, int] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._suspects

    def __bool__(self) -> bool:
        return bool(self._suspects)

    def accuse(self, key: Key) -> None:
        """Makes `key` travel alone until it is answered."""
        self._suspects.add(key)

    def may_go(self, key: Key, on_way: Collection[Key], unproven: Collection[Key] = ()) -> bool:
        """Returns True if `key` may be sent now: a suspect travels alone."""
        if not self._suspects or not (on_way or unproven):
            return True
        if key in self._suspects:
            return False
        return self._suspects.isdisjoint(on_way) and self._suspects.isdisjoint(unproven)

    def clear(self, key: Key) -> None:
        """Removes `key`: the broker answered it, or it is parked."""
        if self._suspects:
            self._suspects.discard(key)
            self._strikes.pop(key, None)

    def forget(self, stream: str) -> None:
        """Removes the suspects of `stream`."""
        self._suspects = {key for key in self._suspects if key[0] != stream or not key[1]}
        self._strikes = {key: n for key, n in self._strikes.items() if key in self._suspects}

    def ended(self, on_way: Collection[Key], *, accusing: bool) -> Key | None:
        """Ends a connection with `on_way` unanswered; returns the message to park, if one is convicted.
        `accusing`: the broker hung up, or did not answer.

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
