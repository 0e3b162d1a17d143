"""Topics that the broker does not take: parked with their reason, left out of every later send, and tried again slowly.

A topic is named by its last levels, as behind the table's own: `evt/main`, `state/shoe-1`, `conn`, `tele/heartbeat`.
Time is monotonic nanoseconds.
"""

from dataclasses import dataclass

from controller.publish.topics import Topics

__all__ = ["Denied", "Parked"]

STATES = "state/#"
"""All state topics: an ACL has one line for them, so where two were denied in a row the others are not asked one by one."""
NS = 1_000_000_000


@dataclass(slots=True)
class Parked:
    """One parked topic. `trial`: the topic by which it is tried again. `wait_ns`: between two tries, doubling; 0 = no
    clock decides, the next message that fits is sent."""

    reason: str
    trial: str
    wait_ns: int = 0
    due_ns: int = 0
    tries: int = 0
    is_tried: bool = False


class Denied:
    """The parked topics of one table. `first_s` and `most_s`: the first and the longest wait before a topic is tried again."""

    def __init__(self, topics: Topics, *, first_s: float, most_s: float) -> None:
        self._topics = topics
        self._first_ns, self._most_ns = round(first_s * NS), round(most_s * NS)
        self._parked: dict[str, Parked] = {}
        self._is_state_taken = False  # since the last one was denied

    def __bool__(self) -> bool:
        return bool(self._parked)

    def park(self, topic: str, reason: str, now_ns: int, *, at_once: bool = False) -> bool:
        """Parks `topic`; True where that is news. One that was tried in vain waits twice as long. `at_once`: it does not wait."""
        found = self.of(topic)
        if found is not None and found.wait_ns:
            if self.tries(topic):
                found.is_tried, found.tries = False, found.tries + 1
                found.wait_ns = min(2 * found.wait_ns, self._most_ns)
                found.due_ns = now_ns + found.wait_ns
            return False
        wait_ns = self._first_ns
        self._parked[topic] = Parked(reason, topic, wait_ns, now_ns if at_once else now_ns + wait_ns)
        self._gather_states(topic)
        return True

    def too_large(self, topic: str, reason: str) -> bool:
        """Names `topic`, whose present message is over the broker's limit; True where that is news."""
        if self.of(topic) is not None:
            return False
        self._parked[topic] = Parked(reason, topic)
        return True

    def _gather_states(self, topic: str) -> None:
        if not topic.startswith("state/"):
            return
        others = [t for t, p in self._parked.items() if t.startswith("state/") and p.wait_ns and t != topic]
        if others and not self._is_state_taken:
            self._parked[STATES] = self._parked[topic]
            for name in (topic, *others):
                del self._parked[name]
        self._is_state_taken = False

    def of(self, topic: str) -> Parked | None:
        """How `topic` is parked, by itself or with all states."""
        found = self._parked.get(topic)
        return self._parked.get(STATES) if found is None and topic.startswith("state/") else found

    def holds(self, topic: str) -> bool:
        """Whether nothing may be sent to `topic` now."""
        found = self.of(topic) if self._parked else None
        return found is not None and bool(found.wait_ns) and not (found.is_tried and found.trial == topic)

    def tries(self, topic: str) -> bool:
        """Whether `topic` is parked and tried again just now."""
        found = self.of(topic) if self._parked else None
        return found is not None and found.is_tried and found.trial == topic

    def due(self, now_ns: int) -> list[Parked]:
        """Those whose wait is over; they are tried from now on, until the broker takes or refuses them."""
        due = [p for p in self._parked.values() if p.wait_ns and not p.is_tried and now_ns >= p.due_ns]
        for one in due:
            one.is_tried = True
        return due

    def try_now(self, topic: str) -> bool:
        """Lets `topic` be tried without waiting, as a person asks; False where it is not parked."""
        found = self.of(topic)
        if found is None or not found.wait_ns:
            return False
        found.is_tried = True
        return True

    def taken(self, topic: str) -> Parked | None:
        """The broker took a message of `topic`; how it was parked, where it was."""
        if not self._parked and not topic.startswith("state/"):
            return None
        self._is_state_taken = self._is_state_taken or topic.startswith("state/")
        found = self._parked.pop(topic, None)
        return self._parked.pop(STATES, None) if found is None and topic.startswith("state/") else found

    def line(self, topic: str) -> str:
        """The line of the broker's ACL, in mosquitto's words, that lets the table write `topic`."""
        may = "readwrite" if topic == "conn" else "write"
        return f"topic {may} {self._topics.base}/{topic}"

    def name_of(self, topic: str) -> str:
        """The parked topic that holds `topic`: itself, or all states."""
        return topic if topic in self._parked or STATES not in self._parked else STATES

    def documents(self, now_ns: int) -> list[dict[str, object]]:
        """Each parked topic in JSON types. `again_s`: seconds to the next try, 0 = now; absent where the size is the reason."""
        return [
            {"topic": f"{self._topics.base}/{topic}", "reason": one.reason}
            | ({"acl": self.line(topic), "again_s": max(0, one.due_ns - now_ns) // NS} if one.wait_ns else {})
            for topic, one in self._parked.items()
        ]

    def names(self) -> list[str]:
        """The parked topics, by their last levels."""
        return sorted(self._parked)
