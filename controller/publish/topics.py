"""Names of the MQTT topics of one table: `tablewarden/v1/{site}/{table}/...`.

One topic for each numbered stream, never one for each event type: MQTT keeps order within a topic only, and who
subscribes to a part of a numbered series would see gaps that are none. Nothing secret stands in a topic.
"""

import re

from drivers.protocol.records import dataclass

ROOT = "tablewarden/v1"
LEVEL = re.compile(r"[a-z0-9-]{1,32}", re.ASCII)
"""What a level may hold: it must pass every broker's ACL pattern, file name and metric label unchanged."""


def verify_level(level: str, what: str) -> str:
    """Returns `level` if it can stand in a topic; otherwise raises ValueError that names `what`."""
    if not LEVEL.fullmatch(level):
        raise ValueError(f"{what} {level!r} cannot stand in a topic: 1 to 32 of a-z, 0-9 and '-'")
    return level


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics that one table writes. Raises ValueError for a site or table that cannot stand in a topic."""

    site: str
    table: str

    def __post_init__(self) -> None:
        verify_level(self.site, "site")
        verify_level(self.table, "table")

    @property
    def base(self) -> str:
        """The first levels of all topics of the table: root, site and table."""
        return f"{ROOT}/{self.site}/{self.table}"

    @property
    def source(self) -> str:
        """The CloudEvents `source` of all events of this table; with the event's `id` it identifies repeats."""
        return f"urn:tablewarden:{self.site}:{self.table}"

    @property
    def conn(self) -> str:
        """The topic of birth and death; QoS 1, retained; also written by the broker (last will)."""
        return f"{self.base}/conn"

    @property
    def heartbeat(self) -> str:
        """The topic of stream heads and parked ranges, every few seconds; QoS 0, not retained."""
        return f"{self.base}/tele/heartbeat"

    def events(self, stream: str) -> str:
        """Returns the topic of `stream`'s ordered events; QoS 1, never retained."""
        return f"{self.base}/evt/{verify_level(stream, 'stream')}"

    def state(self, thing: str) -> str:
        """Returns the topic of the latest value of `thing`, e.g. `shuffler-1`; QoS 1, retained."""
        return f"{self.base}/state/{verify_level(thing, 'thing')}"
