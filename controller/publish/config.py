"""The publisher's settings: where the broker is, who the table is, and the limits of messages."""

from pathlib import Path
from typing import Literal

from controller.publish.envelope import VENDOR
from controller.publish.topics import verify_level
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files of the authority that signed the broker, and of this table's own certificate and key."""

    ca: Path
    cert: Path | None = None
    key: Path | None = None
    minimum: Literal["1.2", "1.3"] = "1.3"


@dataclass(frozen=True, slots=True)
class PublishConfig:
    """Settings of the broker link; names in `_s` are seconds. Raises ValueError for an impossible value.

    `client_id`: fixed and unique in the whole company; a changing one leaves two sessions, and the old one's will
    reports the table as lost. `window`: messages under way at once; 20 fill a line of 50 ms. `rewind_s`: how long
    an acknowledged message may still be lost at the broker; default: mosquitto's save interval. `patience_s`: how
    long a stream waits for a subscriber (MQTT 5). `max_payload`: bytes; a larger event is parked unsent.
    `denied_first_s`, `denied_most_s`: first and longest wait before a refused topic is tried again. `identities`:
    card identities may leave this machine: sealed, with the round's key once the rules open it. `confirm`: whose word
    moves the durable position; `consumers`: who must confirm; `confirm_s`: how long PUBACKs may come without that
    before events are sent again. `api`: SHA-256 of the AsyncAPI document in force, in hex; empty = unknown.
    """

    site: str
    table: str
    host: str
    client_id: str
    port: int = 1883
    protocol: Literal["5", "3.1.1"] = "5"
    username: str | None = None
    password_file: Path | None = None
    tls: Tls | None = None
    vendor: str = VENDOR
    version: str = "0"  # of this software; told in the birth message
    machine: str = ""  # a name of this computer that no copy of its disk has; empty = found out
    keepalive_s: int = 10
    connect_timeout_s: float = 5.0
    backoff_first_s: float = 1.0
    backoff_most_s: float = 30.0
    window: int = 20
    rewind_s: float = 1800.0
    patience_s: float = 60.0
    max_payload: int = 65536
    heartbeat_s: float = 10.0
    will_delay_s: int = 5
    session_expiry_s: int = 30
    identities: Literal["never", "after_round"] = "never"
    confirm: Literal["broker", "consumer"] = "broker"
    consumers: tuple[str, ...] = ()
    confirm_s: float = 5.0
    api: str = ""
    denied_first_s: float = 60.0
    denied_most_s: float = 3600.0

    def __post_init__(self) -> None:
        verify_level(self.site, "site")
        verify_level(self.table, "table")
        for consumer in self.consumers:
            verify_level(consumer, "consumer")
        if (self.confirm == "consumer") != bool(self.consumers):
            raise ValueError('confirm = "consumer" and a list of consumers belong together')
        if self.session_expiry_s <= self.will_delay_s:
            # MQTT 5, 3.1.3.2.2: the will goes out at the delay's end or the session's, whichever comes first.
            raise ValueError("session_expiry_s must exceed will_delay_s, or the will is sent at the session's end")
        for name, least in (
            ("keepalive_s", 1),
            ("window", 1),
            ("rewind_s", 0),
            ("patience_s", 0),
            ("confirm_s", 0),
            ("max_payload", 1024),
        ):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}")
        if not 0 < self.backoff_first_s <= self.backoff_most_s:
            raise ValueError("backoff_first_s must be above 0 and at most backoff_most_s")
