"""Where the link to a device stands. It moves by one table alone.

Theory of operation. A link is opened once, lives once, and is closed for good; the next one is a new object.

1. `connect` says HELLO. A device without a key is believed at its WELCOME; with one it proves the key first, and where an image
   of its firmware is known the firmware is measured before anything it reports is believed.
2. From `SYNC` on the device is believed: its log is read to its head, and its levels. Then the link is `ONLINE`.
3. Whatever comes twice changes nothing: a repeated answer is counted by who takes it, and is no event here.
4. Any fault, and `bye`, end the link from every state; nothing leads out of `CLOSED`.

A pair of state and event without a row is a bug of this software and raises `NoSuchTransition`.
"""

from enum import Enum, auto

__all__ = ["BELIEVED", "HEARS", "OPENING", "TRANSITIONS", "Event", "NoSuchTransition", "Standing", "State"]


class State(Enum):
    """Where a link stands."""

    NEW = auto()
    HELLO = auto()  # asked, not yet answered
    AUTH = auto()  # welcomed; the key is being proven
    MEASURE = auto()  # proven; the firmware is being measured
    SYNC = auto()  # the device is believed; log and levels are being read
    ONLINE = auto()
    CLOSED = auto()


class Event(Enum):
    """What moves a link."""

    CONNECTED = auto()
    WELCOMED = auto()  # and no key is asked for
    CHALLENGED = auto()  # welcomed, and asked for the key
    PROVEN = auto()  # the key, and no image of the firmware is known
    PROVEN_FIRST = auto()  # the key; the firmware comes next
    MEASURED = auto()  # also each day anew
    CAUGHT_UP = auto()
    ENDED = auto()  # by a fault, or by `bye`


TRANSITIONS: dict[State, dict[Event, State]] = {
    State.NEW: {Event.CONNECTED: State.HELLO, Event.ENDED: State.CLOSED},
    State.HELLO: {Event.WELCOMED: State.SYNC, Event.CHALLENGED: State.AUTH, Event.ENDED: State.CLOSED},
    State.AUTH: {Event.PROVEN: State.SYNC, Event.PROVEN_FIRST: State.MEASURE, Event.ENDED: State.CLOSED},
    State.MEASURE: {Event.MEASURED: State.SYNC, Event.ENDED: State.CLOSED},
    State.SYNC: {Event.CAUGHT_UP: State.ONLINE, Event.MEASURED: State.SYNC, Event.ENDED: State.CLOSED},
    State.ONLINE: {Event.MEASURED: State.ONLINE, Event.ENDED: State.CLOSED},
    State.CLOSED: {Event.ENDED: State.CLOSED},
}

OPENING = (State.HELLO, State.AUTH, State.MEASURE)
"""The device is not believed yet."""
BELIEVED = (State.SYNC, State.ONLINE)
"""What the device reports is believed."""
HEARS = (State.MEASURE, State.SYNC, State.ONLINE)
"""The device takes what is sent: no key is needed, or it is proven."""


class NoSuchTransition(Exception):
    """An event that cannot happen where the link stands."""


class Standing:
    """The state of one link, shared by the link and its opening."""

    def __init__(self) -> None:
        self.state = State.NEW

    def move(self, event: Event) -> None:
        """Goes on by the table. Raises `NoSuchTransition`."""
        to = TRANSITIONS[self.state].get(event)
        if to is None:
            raise NoSuchTransition(f"{event.name} in {self.state.name}")
        self.state = to
