"""Topics that the broker refuses: parked with their reason, skipped by later sends, and tried again slowly.

A topic is named by its last levels: `evt/main`, `state/shoe-1`, `conn`, `tele/heartbeat`. Times: monotonic
nanoseconds.
"""

from dataclasses import dataclass

from controller.publish.topics import Topics

STATES = "state/#"
"""All state topics: an ACL has one line for them, so where two were denied in a row the others are not asked one by one."""
NS = 1_000_000_000


@dataclass(slots=True)
class Parked:
    """One parked topic. `trial`: the topic of the next try. `wait_ns`: between two tries, doubling; 0 = the next
    message that fits is sent."""

    reason: str
    trial: str
    wait_ns: int = 0
    due_ns: int = 0
    tries: int = 0
    is_tried: bool = False


class Denied:
    """The parked topics of one table. `first_s`, `most_s`: first and longest wait before a new try."""

    def __init__(self, topics: Topics, *, first_s: float, most_s: float) -> None:
        self._topics = topics
        self._first_ns, self._most_ns = round(first_s * NS), round(most_s * NS)
        self._parked: dict[str, Parked] = {}
        self._is_state_taken = False  # since the last one was denied

    def __bool__(self) -> bool:
        return bool(self._parked)

    def park(self, topic: str, reason: str, now_ns: int, *, at_once: bool = False) -> bool:
        """Parks `topic`; returns True if that is new. After a failed try the wait doubles. `at_once`: no wait."""
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
        """Notes a `topic` whose message is above the broker's size limit; returns True if that is new."""
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
        """Returns how `topic` is parked, by itself or with all states."""
        found = self._parked.get(topic)
        return self._parked.get(STATES) if found is None and topic.startswith("state/") else found

    def holds(self, topic: str) -> bool:
        """Returns True if nothing may be sent to `topic` now."""
        found = self.of(topic) if self._parked else None
        return found is not None and bool(found.wait_ns) and not (found.is_tried and found.trial == topic)

    def tries(self, topic: str) -> bool:
        """Returns True if `topic` is parked and being tried."""
        found = self.of(topic) if self._parked else None
        return found is not None and found.is_tried and found.trial == topic

    def due(self, now_ns: int) -> list[Parked]:
        """Returns the topics whose wait is over; they are tried until the broker answers."""
        due = [p for p in self._parked.values() if p.wait_ns and not p.is_tried and now_ns >= p.due_ns]
        for one in due:
            one.is_tried = True
        return due

    def try_now(self, topic: str) -> bool:
        """Lets `topic` be tried at once, as a person asks; returns False if it is not parked."""
        found = self.of(topic)
        if found is None or not found.wait_ns:
            return False
        found.is_tried = True
        return True

    def taken(self, topic: str) -> Parked | None:
        """Notes that the broker took a message of `topic`; returns how it was parked."""
        if not self._parked and not topic.startswith("state/"):
            return None
        self._is_state_taken = self._is_state_taken or topic.startswith("state/")
        found = self._parked.pop(topic, None)
        return self._parked.pop(STATES, None) if found is None and topic.startswith("state/") else found

    def line(self, topic: str) -> str:
        """Returns the broker's ACL line, in mosquitto's words, that lets the table write `topic`."""
        may = "readwrite" if topic == "conn" else "write"
        return f"topic {may} {self._topics.base}/{topic}"

    def name_of(self, topic: str) -> str:
        """Returns the parked topic that holds `topic`: itself, or all states."""
        return topic if topic in self._parked or STATES not in self._parked else STATES

    def documents(self, now_ns: int) -> list[dict[str, object]]:
        """Returns each parked topic as JSON values. `again_s`: seconds to the next try, 0 = now; absent if the
        size is the reason."""
        return [
            {"topic": f"{self._topics.base}/{topic}", "reason": one.reason}
            | ({"acl": self.line(topic), "again_s": max(0, one.due_ns - now_ns) // NS} if one.wait_ns else {})
            for topic, one in self._parked.items()
        ]

    def names(self) -> list[str]:
        """The parked topics, by their last levels."""
        return sorted(self._parked)
