"""Who is logged in, for how long, and who guesses too often. Kept in memory: a restart of the panel logs everybody out."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from controller.panel.people import Staff

LONGEST_S = 8 * 3600.0
"""A session ends after a shift, whatever its person does."""
IDLE_S = {"dealer": LONGEST_S, "floorperson": 600.0, "technician": 600.0, "supervisor": 60.0}
"""Seconds without a touch after which a session ends."""
RANK = ("supervisor", "floorperson", "technician", "dealer")
"""A person with several roles acts in the first of these; a supervisor may do all that a dealer may."""
MOST = 64
"""Sessions at once; a further one ends the oldest."""
KEPT_TOUCHES = 32
"""Answers that are kept, so that a touch that is sent twice acts once."""
OF_A_PERSON, OF_AN_ADDRESS = 5, 20
"""Wrong PINs after which a staff number, or an address, waits."""
LOCKED_S = 600.0

Clock = Callable[[], float]


@dataclass(slots=True)
class Session:
    """One person at one browser. `id`: goes on record; `csrf`: proves that a request comes from our page."""

    staff: Staff
    id: str
    csrf: str
    began: float
    touched: float
    lang: str
    answers: dict[str, Any] = field(default_factory=dict)

    @property
    def role(self) -> str:
        """The role in which the person acts."""
        return role_of(self.staff)


class Sessions:
    """All sessions, by the hash of their token."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[bytes, Session] = {}

    def begin(self, staff: Staff, lang: str) -> str:
        """Opens a session; returns its token, which only the browser keeps."""
        token, now = secrets.token_urlsafe(32), self._clock()
        while len(self._open) >= MOST:
            self._open.pop(next(iter(self._open)))
        self._open[_key(token)] = Session(staff, secrets.token_hex(8), secrets.token_urlsafe(32), now, now, lang)
        return token

    def find(self, token: str, *, touch: bool) -> Session | None:
        """Returns the session of a token; None once it is over. `touch`: a person did something."""
        session, now = self._open.get(_key(token)), self._clock()
        if session is None:
            return None
        if now - session.touched > IDLE_S[session.role] or now - session.began > LONGEST_S:
            self.end(token)
            return None
        if touch:
            session.touched = now
        return session

    def end(self, token: str) -> None:
        """Ends the session of a token."""
        self._open.pop(_key(token), None)


class Guesses:
    """Wrong PINs by staff number and by address."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._misses: dict[tuple[str, str], list[float]] = {}

    def locked(self, number: str, address: str) -> bool:
        """Returns True while one of both has guessed too often."""
        return len(self._recent("person", number)) >= OF_A_PERSON or (
            len(self._recent("address", address)) >= OF_AN_ADDRESS
        )

    def missed(self, number: str, address: str) -> None:
        """Notes a wrong PIN."""
        for key in (("person", number), ("address", address)):
            self._misses[key] = [*self._recent(*key), self._clock()]
        while len(self._misses) > 4096:
            self._misses.pop(next(iter(self._misses)))

    def cleared(self, number: str) -> None:
        """Forgets the misses of a person who has logged in; those of the address stay."""
        self._misses.pop(("person", number), None)

    def _recent(self, *key: str) -> list[float]:
        return [at for at in self._misses.get((key[0], key[1]), []) if self._clock() - at < LOCKED_S]


def role_of(staff: Staff) -> str:
    """Returns the role in which a person acts."""
    return next(role for role in RANK if role in staff.roles)


def _key(token: str) -> bytes:
    return sha256(token.encode()).digest()
