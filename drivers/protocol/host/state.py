"""Where the link to a device stands. It moves by one table alone.

Theory of operation. A link is opened once, lives once, and is closed for good; the next one is a new object.

1. `connect` says HELLO. A device without a key is believed at its WELCOME; with one it proves the key first, and where an image
   of its firmware is known the firmware is measured before anything it reports is believed.
2. From `SYNC` on the device is believed: its log is read to its head, and its levels. Then the link is `ONLINE`.
3. Whatever comes twice changes nothing: a repeated answer is counted by who takes it, and is no event here.
4. Any fault, and `bye`, end the link from every state; nothing leads out of `CLOSED`.

A pair of state and event without a row is a bug of this software and raises `NoSuchLinkMove`.
"""

from enum import Enum, auto


class LinkState(Enum):
    """Where a link stands."""

    NEW = auto()
    HELLO = auto()  # asked, not yet answered
    AUTH = auto()  # welcomed; the key is being proven
    MEASURE = auto()  # proven; the firmware is being measured
    SYNC = auto()  # the device is believed; log and levels are being read
    ONLINE = auto()
    CLOSED = auto()


class LinkMove(Enum):
    """What moves a link."""

    CONNECTED = auto()
    WELCOMED = auto()  # and no key is asked for
    CHALLENGED = auto()  # welcomed, and asked for the key
    PROVEN = auto()  # the key, and no image of the firmware is known
    PROVEN_FIRST = auto()  # the key; the firmware comes next
    MEASURED = auto()  # also each day anew
    CAUGHT_UP = auto()
    ENDED = auto()  # by a fault, or by `bye`


TRANSITIONS: dict[LinkState, dict[LinkMove, LinkState]] = {
    LinkState.NEW: {LinkMove.CONNECTED: LinkState.HELLO, LinkMove.ENDED: LinkState.CLOSED},
    LinkState.HELLO: {
        LinkMove.WELCOMED: LinkState.SYNC,
        LinkMove.CHALLENGED: LinkState.AUTH,
        LinkMove.ENDED: LinkState.CLOSED,
    },
    LinkState.AUTH: {
        LinkMove.PROVEN: LinkState.SYNC,
        LinkMove.PROVEN_FIRST: LinkState.MEASURE,
        LinkMove.ENDED: LinkState.CLOSED,
    },
    LinkState.MEASURE: {LinkMove.MEASURED: LinkState.SYNC, LinkMove.ENDED: LinkState.CLOSED},
    LinkState.SYNC: {
        LinkMove.CAUGHT_UP: LinkState.ONLINE,
        LinkMove.MEASURED: LinkState.SYNC,
        LinkMove.ENDED: LinkState.CLOSED,
    },
    LinkState.ONLINE: {LinkMove.MEASURED: LinkState.ONLINE, LinkMove.ENDED: LinkState.CLOSED},
    LinkState.CLOSED: {LinkMove.ENDED: LinkState.CLOSED},
}

OPENING = (LinkState.HELLO, LinkState.AUTH, LinkState.MEASURE)
"""The device is not believed yet."""
BELIEVED = (LinkState.SYNC, LinkState.ONLINE)
"""What the device reports is believed."""
HEARS = (LinkState.MEASURE, LinkState.SYNC, LinkState.ONLINE)
"""The device takes what is sent: no key is needed, or it is proven."""


class NoSuchLinkMove(Exception):
    """An event that cannot happen where the link stands."""


class LinkStanding:
    """The state of one link, shared by the link and its opening."""

    def __init__(self) -> None:
        self.state = LinkState.NEW

    def move(self, event: LinkMove) -> None:
        """Goes on by the table. Raises `NoSuchLinkMove`."""
        to = TRANSITIONS[self.state].get(event)
        if to is None:
            raise NoSuchLinkMove(f"{event.name} in {self.state.name}")
        self.state = to
