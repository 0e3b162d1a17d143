"""News of what the back office asks and confirms, and of the certificates between; docs/mqtt.md 7, 8 and 12."""

from typing import ClassVar

from msgspec import Struct


class CommandsTaken(Struct, frozen=True):
    """Requests on `cmd/...` were taken. `code`: the verb; `count`: how many since the fact before of this code; `consumer`,
    `id`: of the newest one."""

    kind: ClassVar[str] = "commands_taken"
    code: str
    count: int
    consumer: str
    id: str


class CommandsRefused(Struct, frozen=True):
    """Requests on `cmd/...` were refused. `code`: why; `count`: how many since the fact before of this code; the rest is of the
    newest one, as far as it could be read."""

    kind: ClassVar[str] = "commands_refused"
    code: str
    count: int
    reason: str
    verb: str | None = None
    consumer: str | None = None
    id: str | None = None


class ConfirmationsRefused(Struct, frozen=True):
    """Confirmations on `ack/{consumer}` were refused, and nothing moved. `code`: why; `count`: how many since the fact before
    of this code; `consumer`: of the newest one."""

    kind: ClassVar[str] = "confirmations_refused"
    code: str
    count: int
    consumer: str


class ConsumerLate(Struct, frozen=True):
    """A consumer that must confirm has confirmed nothing for a while, though something waits for it. `through`: the last
    number that it confirmed in `stream`; `head`: the last one there is."""

    kind: ClassVar[str] = "consumer_late"
    consumer: str
    stream: str
    through: int
    head: int


class ConsumerBack(Struct, frozen=True):
    """A consumer that was late confirms again."""

    kind: ClassVar[str] = "consumer_back"
    consumer: str


class CertificateExpiring(Struct, frozen=True):
    """A certificate of the broker link ends soon. `certificate`: table | authority | broker; `until`: when, UTC; `days`: whole
    days left, 0 = today or over. Recorded 30, 14, 7, 3 and 1 days before the end, and on the last day."""

    kind: ClassVar[str] = "certificate_expiring"
    certificate: str
    until: str
    days: int


BackOfficeNews = (
    CommandsTaken | CommandsRefused | ConfirmationsRefused | ConsumerLate | ConsumerBack | CertificateExpiring
)
BACK_OFFICE_NEWS: dict[str, type[BackOfficeNews]] = {cls.kind: cls for cls in BackOfficeNews.__args__}
