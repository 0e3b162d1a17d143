"""News of the link to the back office, one kind each; what each means and asks for stands in docs/mqtt.md 7, 8 and 10."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct


class BrokerConnected(Struct, frozen=True):
    """A connection is up. `session`: its number; `repeats`: by stream, how many
    events are sent again because the broker may not have kept them."""

    kind: ClassVar[str] = "broker_connected"
    session: int
    repeats: Mapping[str, int]


class BrokerLost(Struct, frozen=True):
    """The connection ended, or none came about; recorded once for each outage."""

    kind: ClassVar[str] = "broker_lost"
    reason: str


class PublishParked(Struct, frozen=True):
    """An event is set aside as a declared hole. `topic`, `acl`: where the broker takes no event of this stream, and the line
    that its ACL lacks."""

    kind: ClassVar[str] = "publish_parked"
    stream: str
    sequence: int
    reason: str
    topic: str | None = None
    acl: str | None = None


class PublishRefused(Struct, frozen=True):
    """The broker does not take a topic that carries no events. `acl`: the line that its ACL lacks, absent for a size limit."""

    kind: ClassVar[str] = "publish_refused"
    topic: str
    reason: str
    acl: str | None = None


class PublishDelayed(Struct, frozen=True):
    """The broker is out of quota; the stream waits and keeps its order."""

    kind: ClassVar[str] = "publish_delayed"
    stream: str
    sequence: int
    reason: str


class PublishReleased(Struct, frozen=True):
    """Parked events are sent again. `count`: how many of `first` to `last`."""

    kind: ClassVar[str] = "publish_released"
    stream: str
    first: int
    last: int
    count: int


class SubscribeRefused(Struct, frozen=True):
    """The broker does not let the table read this topic."""

    kind: ClassVar[str] = "subscribe_refused"
    topic: str
    reason: str


class NobodyListening(Struct, frozen=True):
    """The broker has no subscriber for this stream; `sequence` is the first event that nobody got."""

    kind: ClassVar[str] = "nobody_listening"
    stream: str
    sequence: int


class ConnOverwritten(Struct, frozen=True):
    """Something else than the birth of session `ours` stood on `conn`. `state`: what it said, or `unreadable`, or `deleted`;
    `session`, `journal`: whose it said it was."""

    kind: ClassVar[str] = "conn_overwritten"
    state: str
    ours: int
    session: int | None = None
    journal: str | None = None


class ConnHeadDiffers(Struct, frozen=True):
    """The broker keeps something about this record that does not fit it, and that this table's key has not signed."""

    kind: ClassVar[str] = "conn_head_differs"
    found: str


class IdentityShared(Struct, frozen=True):
    """Another machine uses this table's identity. `journal`, `session`, `machine`, `bootid`: what is known of the other."""

    kind: ClassVar[str] = "identity_shared"
    reason: str
    journal: str | None = None
    session: int | None = None
    machine: str | None = None
    bootid: str | None = None


class IdentityAlone(Struct, frozen=True):
    """For an hour nothing was heard of the other machine."""

    kind: ClassVar[str] = "identity_alone"


class PublisherFailed(Struct, frozen=True):
    """The publisher failed by a fault of ours or of the journal, and connects again."""

    kind: ClassVar[str] = "publisher_failed"
    reason: str


class OutboxPositionUnreadable(Struct, frozen=True):
    """The table cannot read how far this stream was delivered: it sends the stream from the beginning."""

    kind: ClassVar[str] = "outbox_position_unreadable"
    stream: str


class BrokerChanged(Struct, frozen=True):
    """News of the link in records of earlier versions: all of it in words. None is made any more."""

    kind: ClassVar[str] = "broker_changed"
    state: str
    detail: str = ""


LinkNews = (
    BrokerConnected
    | BrokerLost
    | PublishParked
    | PublishRefused
    | PublishDelayed
    | PublishReleased
    | SubscribeRefused
    | NobodyListening
    | ConnOverwritten
    | ConnHeadDiffers
    | IdentityShared
    | IdentityAlone
    | PublisherFailed
    | OutboxPositionUnreadable
    | BrokerChanged
)
LINK_NEWS: dict[str, type[LinkNews]] = {cls.kind: cls for cls in LinkNews.__args__}
