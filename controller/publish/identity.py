"""Notices another machine with this table's identity: two with one client id throw each other out for ever.

Each birth on `conn` names journal, session, machine and process. One of another process is foreign, unless this
machine may have sent it before. MQTT 3.1.1 does not report a take-over, so there a will names machine and process
too.
"""

import hashlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller.publish.presence import Lost, Said

NS = 1_000_000_000
SPACING_S = 720.0
"""Least time between two connects of this machine while another one uses its identity: twelve an hour for both."""
SPREAD_S = 60.0
"""Up to so much more, by chance: the two must not come back in step."""
ALONE_S = 3600.0
"""Nothing was heard of another machine for so long, on one connection: it is gone."""
REASON = "another machine uses this identity"


class Identity:
    """Watches for another machine with this table's identity. `report`: takes facts for the journal."""

    def __init__(self, journal: str, machine: str, report: Callable[..., None]) -> None:
        self.machine, self.process = machine, secrets.token_hex(8)
        self._journal, self._report = journal, report
        self._is_known = False  # the broker has had a birth of this process
        self._first: int | None = None  # its first session
        self._heard_ns: int | None = None  # of another machine, last
        self._other: dict[str, Any] = {}
        self._is_answer_due = False  # one quick connect more: by it the other machine learns of us

    def begin(self, session: int) -> bool:
        """Begins a connection; notes whether `conn` may hold this machine's own message from before."""
        self._first = session if self._first is None else self._first
        return not self._is_known

    def will(self, session: int) -> Lost:
        """Returns the will, which names its machine."""
        return Lost(session=session, machine=self.machine, process=self.process)

    def born(self) -> None:
        """Notes that the broker has this process's birth."""
        self._is_known = True

    def hear(self, said: Said, session: int, now_ns: int, *, is_before: bool) -> None:
        """Takes a message on `conn`. `session`: of this connection; `is_before`: it may be from before this
        process."""
        if said.process == self.process:
            return
        is_moved = bool(said.machine) and said.machine != self.machine
        match said.state:
            case "online":
                is_ahead = said.journal == self._journal and said.session >= session
                is_foreign = is_moved or is_ahead or not is_before
            case "lost":
                is_past = not is_moved and said.session < (self._first or session)
                is_foreign = bool(said.process) and not is_before and not is_past
            case _:
                is_foreign = False
        if not is_foreign:
            return
        self._is_shared(now_ns, journal=said.journal, session=said.session, machine=said.machine, bootid=said.boot)

    def taken_over(self, now_ns: int) -> None:
        """Notes that the broker ended our connection for another client with our client id."""
        self._is_shared(now_ns)

    def _is_shared(self, now_ns: int, **other: object) -> None:
        is_news = self._heard_ns is None
        self._heard_ns, self._other = now_ns, {k: v for k, v in other.items() if v} or self._other
        if is_news:
            self._is_answer_due = True
            self._report("identity_shared", reason=REASON, **self._other)

    def wait_s(self, now_ns: int, connected_ns: int | None, spread: float) -> float:
        """Returns the least seconds to wait before the next connect. `spread`: 0 to 1, random."""
        if self._heard_ns is None or connected_ns is None:
            return 0.0
        if self._is_answer_due:
            self._is_answer_due = False
            return 0.0
        return max(0.0, SPACING_S + spread * SPREAD_S - (now_ns - connected_ns) / NS)

    def look(self, now_ns: int, since_ns: int) -> None:
        """Notes that a silent other machine is gone, on a connection that began at `since_ns`."""
        if self._heard_ns is not None and now_ns - max(self._heard_ns, since_ns) >= ALONE_S * NS:
            self._heard_ns, self._other = None, {}
            self._report("identity_alone")

    @property
    def is_shared(self) -> bool:
        """Returns True if another machine uses this identity, as far as known."""
        return self._heard_ns is not None

    def document(self) -> dict[str, Any] | None:
        """Returns JSON values for people; None = nobody else uses this identity."""
        return {"reason": REASON, **self._other} if self.is_shared else None


def this_machine() -> str:
    """Returns 16 hex digits from this computer's name and network cards, which a copied disk elsewhere does not
    share."""
    cards = sorted(card / "address" for card in Path("/sys/class/net").glob("*") if (card / "device").exists())
    found = hashlib.sha256()
    for path in (Path("/etc/machine-id"), *cards):
        try:
            found.update(path.read_bytes())
        except OSError:  # a computer without one is told by the rest
            continue
    return found.hexdigest()[:16]
