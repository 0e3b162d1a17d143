"""The interface behind the control socket, and who may use it. The server knows no rule: it asks the desk."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from controller.readers.nearest import nearest
from controller.rules.vocabulary import Role
from controller.table.words.acts import Act
from controller.table.words.inputs import Actor, Seen
from drivers.protocol.records import dataclass

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
"""Names of people and of sessions."""


class ErrorCode(StrEnum):
    """Why a request was refused. Codes are stable; the reason beside them is for people."""

    BAD_REQUEST = "bad_request"
    TOO_LARGE = "too_large"
    UNKNOWN_ACT = "unknown_act"
    UNKNOWN_PERSON = "unknown_person"  # not listed, not in this role, or not this login
    REFUSED = "refused"  # the law or the phase of play does not allow it
    HELD = "held"  # play is held
    RECORD_FAILED = "record_failed"  # it could not be made durable, so it did not happen
    FAILED = "failed"  # a fault of ours, told in the daemon's log


class Refused(Exception):
    """A refused request. `reason`: for the person who asked; `cite`: the clauses, if law says so.

    `refusal`: the stable word of the core for a refused act, None where it has none.
    """

    def __init__(
        self, code: ErrorCode, reason: str, cite: tuple[str, ...] = (), refusal: str | None = None
    ) -> None:
        super().__init__(reason)
        self.code, self.reason, self.cite, self.refusal = code, reason, cite, refusal


@dataclass(frozen=True, slots=True)
class Person:
    """A person who may act at this table. `uid`: the only login for this name; None = any login that reaches the
    socket."""

    name: str
    roles: frozenset[Role]
    uid: int | None = None


@dataclass(frozen=True, slots=True)
class Voucher:
    """A program, known by its login, that answers for who its people are. `roles`: the roles it may answer for."""

    name: str
    uid: int
    roles: frozenset[Role]


@dataclass(frozen=True, slots=True)
class ControlConfig:
    """Where the socket is, and who may act through it."""

    socket: Path
    people: Mapping[str, Person] = field(default_factory=dict)
    vouchers: tuple[Voucher, ...] = ()


class Desk(Protocol):
    """The table as the control socket needs it. All calls come from the server's event loop."""

    def status(self) -> Mapping[str, Any]:
        """Returns the whole table as one document of JSON values."""
        ...

    async def act(self, act: Act, actor: Actor, seen: Seen | None = None) -> list[dict[str, Any]]:
        """Does an act; returns its facts once they are durable. Raises `Refused`."""
        ...

    def try_act(self, act: Act, actor: Actor) -> list[dict[str, Any]]:
        """Returns the facts that would follow from an act; nothing happens. Raises `Refused`."""
        ...

    def head(self) -> int:
        """Returns the order of the newest durable record, 0 = none."""
        ...

    def read(self, after: int, limit: int, streams: tuple[str, ...]) -> list[dict[str, Any]]:
        """Returns at most `limit` durable records of these streams with an order above `after`."""
        ...

    async def wait_news(self, after: int) -> None:
        """Waits until a record with an order above `after` is durable."""
        ...

    def outbox_status(self) -> Mapping[str, Any]:
        """Returns what has reached the broker, what waits, and what was parked."""
        ...

    async def open_round(self, round_id: str, reason: str, actor: Actor) -> Mapping[str, Any]:
        """Opens a round's sealed cards, once that is on record. Raises `Refused`."""
        ...

    async def erase_cards(self, before_us: int, reason: str, actor: Actor) -> Mapping[str, Any]:
        """Erases sealed cards of rounds before a time (Unix, microseconds). Raises `Refused`."""
        ...

    async def next_key(self, public: str, reason: str, actor: Actor) -> Mapping[str, Any]:
        """Makes the signing key name its successor, by its public half in hex. Raises `Refused`."""
        ...

    async def outbox_release(self, stream: str, first: int, last: int, who: str) -> Mapping[str, Any]:
        """Sends the parked events among `first`..`last` again. Raises `Refused`."""
        ...


def identify(people: Mapping[str, Person], who: str, role: str, uid: int) -> Actor:
    """Returns the actor, if this person is listed, has the role, and may act from the login `uid`. Raises
    `Refused`."""
    person = people.get(who)
    if person is None:
        raise Refused(ErrorCode.UNKNOWN_PERSON, f"nobody called {who!r} is listed here {nearest(who, people)}")
    if role not in person.roles:
        roles = ", ".join(sorted(person.roles))
        raise Refused(ErrorCode.UNKNOWN_PERSON, f"{who} does not act as {role!r}; listed: {roles}")
    if person.uid is not None and person.uid != uid:
        raise Refused(ErrorCode.UNKNOWN_PERSON, f"{who} acts from another login than uid {uid}")
    return Actor(who, Role(role))


def vouched(vouchers: Sequence[Voucher], who: str, role: str, session: str, uid: int) -> Actor:
    """Returns the actor for whom the voucher of the login `uid` answers. Raises `Refused`."""
    voucher = next((v for v in vouchers if v.uid == uid), None)
    if voucher is None:
        raise Refused(ErrorCode.UNKNOWN_PERSON, f"no [[control.voucher]] has uid {uid}; leave `session` out")
    if not NAME.fullmatch(who) or not NAME.fullmatch(session):
        raise Refused(
            ErrorCode.UNKNOWN_PERSON, "`who` and `session` are 1 to 32 of a-z, 0-9, dot, dash, underscore"
        )
    if role not in voucher.roles:
        roles = ", ".join(sorted(voucher.roles))
        raise Refused(ErrorCode.UNKNOWN_PERSON, f"{voucher.name} answers for no {role!r}; listed: {roles}")
    return Actor(who, Role(role), voucher.name, session)
