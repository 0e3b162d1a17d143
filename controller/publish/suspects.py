"""Finds the one message that makes a broker end the connection, among the many that were on their way when it did.

After such an end every message that was unanswered is a suspect and is sent alone next time. One that three times in
a row was alone on its way when the broker hung up, or stayed unanswered on a living connection, is convicted: it is
set aside and what stands behind it goes on. A dead network or a frozen broker accuses nobody.
"""

from collections.abc import Collection

__all__ = ["STRIKES", "Key", "Suspects"]

STRIKES = 3
"""Ends of a connection with the same message alone on its way after which it is set aside."""

Key = tuple[str, int]
"""Which message: stream and sequence, or the topic of a retained one and 0."""


class Suspects:
    """Who is under suspicion. Messages are `Key`s."""

    def __init__(self) -> None:
        self._suspects: set[Key] = set()
        self._strikes: dict[Key, int] = {}

    def may_go(self, key: Key, on_way: Collection[Key]) -> bool:
        """Whether `key` may be sent now: a suspect travels alone."""
        if not self._suspects or not on_way:
            return True
        return key not in self._suspects and self._suspects.isdisjoint(on_way)

    def clear(self, key: Key) -> None:
        """The broker answered `key`, or it is set aside."""
        if self._suspects:
            self._suspects.discard(key)
            self._strikes.pop(key, None)

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
