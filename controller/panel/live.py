"""What the panel knows of the table: the newest status, how old it is, and whether the daemon still answers."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from controller.control.client import ControlClient, ControlFailed, ControlUnreachable
from controller.panel.threads import beside
from drivers.protocol.texts import plain_json

BEAT_S = 1.0
"""Between two looks at the daemon, and between two beats of a stream."""
ANSWER_S = 1.2
"""An answer that takes longer counts as silence: with a look each second the page knows within 3 s."""
REDIAL_S = 0.5
AGAIN = 5000
"""Records that are read again when the watch begins."""

Document = dict[str, Any]


class Live:
    """Follows one daemon. `daemon`: ok, silent (it does not answer) or away (nobody is there). `config`: the file of its table,
    None = not known here. `links`: what the status says of each device's link, which changes all the time."""

    def __init__(
        self, socket: Path, clock: Callable[[], float] = time.monotonic, *, config: Path | None = None
    ) -> None:
        self.socket, self.daemon, self.reason = socket, "away", "not asked yet"
        self.config = config
        self.status: Document = {}
        self.links: Document = {}
        self.meters: Document = {}
        """Progressive meters as people last recorded them: cents, currency, and when."""
        self.hands: dict[str, int] = {}
        """Hands that the shuffler found, by round."""
        self.body = "{}"
        self.stopping = asyncio.Event()
        self._ended = threading.Event()
        self._watching: ControlClient | None = None
        self._clock, self._heard = clock, clock()
        self._news, self._dirty = asyncio.Event(), asyncio.Event()

    async def run(self) -> None:
        """Looks at the daemon on each news and each second, until `stop`."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._watch, args=(loop,), daemon=True).start()
        while not self.stopping.is_set():
            self._dirty.clear()
            try:
                self._take(await beside(self._ask))
            except (ControlUnreachable, ControlFailed) as exc:
                self.daemon = "silent" if isinstance(exc.__cause__, TimeoutError) else "away"
                self.reason = str(exc)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._dirty.wait(), BEAT_S)

    def stop(self) -> None:
        """Ends the loop and every stream."""
        self.stopping.set()
        self._ended.set()
        if self._watching is not None:
            self._watching.cut()
        self._dirty.set()
        self._wake()

    @property
    def id(self) -> str:
        """Names the newest record: journal and order."""
        record = self.status.get("record", {})
        return f"{record.get('journal', '')}:{record.get('order', 0)}"

    @property
    def name(self) -> str:
        """Names the table; "" before the daemon has answered."""
        return str(self.status.get("table", ""))

    @property
    def age_ms(self) -> int:
        """Milliseconds since the daemon last answered."""
        return round(1000 * (self._clock() - self._heard))

    async def events(
        self,
        last: str,
        is_open: Callable[[], bool],
        more: Callable[[], Document] = dict,
        public: Callable[[], Document] | None = None,
    ) -> AsyncIterator[bytes]:
        """Yields the bytes of one stream: the whole table whenever it changed, and a beat each second.

        `last`: id of the last event that the browser saw; `is_open`: False once the session is over; `more`: what the beat
        says beside the age of this table; `public`: makes what is shown instead of the whole table.
        """
        if last:
            yield _event("since", msgspec.json.encode(self._since(last)).decode())
        shown = ""
        while not self.stopping.is_set():
            news = self._news
            if not is_open():
                yield _event("over", "{}")
                return
            body = self.body if public is None else plain_json(msgspec.json.encode(public()).decode())
            if self.status and body != shown:
                shown = body
                yield _event("table", shown, self.id)
            beat = {"daemon": self.daemon, "age_ms": self.age_ms, **more()}
            yield _event("beat", plain_json(msgspec.json.encode(beat).decode()))
            with suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), BEAT_S)

    def _since(self, last: str) -> Document:
        """Returns how many records the browser missed; null where they are of another journal."""
        journal, _, order = last.partition(":")
        mine, _, now = self.id.partition(":")
        return {"missed": int(now) - int(order) if journal == mine and order.isdecimal() else None}

    def _ask(self) -> Document:
        with ControlClient(self.socket, ANSWER_S) as client:
            return client.ask("status")

    def _take(self, status: Document) -> None:
        self.daemon, self.reason, self._heard = "ok", "", self._clock()
        self.links = {name: device.get("link") or {} for name, device in status.get("devices", {}).items()}
        for device in status.get("devices", {}).values():
            link = device.get("link") or {}
            device["link"] = {"state": link.get("state"), "reason": link.get("reason")}
        self.status = status
        body = plain_json(msgspec.json.encode(status).decode())
        if body != self.body:
            self.body = body
            self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Runs in a thread of its own: says that something is new, nothing else."""
        while not self._ended.is_set():
            with suppress(ControlUnreachable, ControlFailed, RuntimeError), ControlClient(self.socket) as client:
                self._watching = client
                if self._ended.is_set():
                    return
                for event in client.watch(self._from(), ("main", "diag")):
                    self._note(event)
                    loop.call_soon_threadsafe(self._dirty.set)
                    if self._ended.is_set():
                        return
            self._ended.wait(REDIAL_S)

    def _from(self) -> int | None:
        """Returns the order after which to watch, so that meters recorded before the panel began are read again."""
        order = self.status.get("record", {}).get("order")
        return max(0, order - AGAIN) if isinstance(order, int) else None

    def _note(self, event: Document) -> None:
        data = event.get("data", {})
        match event.get("kind"):
            case "meter_recorded":
                shows = {key: data.get(key) for key in ("cents", "currency")}
                self.meters[str(data.get("meter"))] = {**shows, "at_us": event.get("time_us")}
            case "hands_found":
                self.hands = {str(data.get("round")): int(data.get("hands", 0))}


def _event(name: str, data: str, number: str = "") -> bytes:
    return f"{f'id: {number}' + chr(10) if number else ''}event: {name}\ndata: {data}\n\n".encode()


def in_short(live: Live) -> Document:
    """Returns a table in one line, for a person who looks after several."""
    status, round_ = live.status, live.status.get("round") or {}
    return {
        "table": live.name,
        "place": (live.config or live.socket).stem,
        "daemon": live.daemon,
        "age_ms": live.age_ms,
        "open": status.get("open", False),
        "round": round_.get("number"),
        "phase": round_.get("phase"),
        **{what: len(status.get(what, ())) for what in ("held", "duties", "alarms", "disputes")},
    }
