"""JSON lines over a Unix socket, to the daemon and to simulated devices.

One object a line. The daemon's answers carry the request's `id`; a device answers requests in order. A lost
connection is dialled again for ever, because the other end may restart.
"""

import asyncio
import itertools
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LINE_LIMIT = 4 * 1024 * 1024
"""Longest answer that is read: the status of a table with everything in it is a few KiB, a backlog line likewise."""
REDIAL_S = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Waits before the next attempt to connect; the last one for ever."""
ANSWER_S = 20.0
"""How long an answer may take: a commit fails after two seconds, so this is the other end hanging."""

Message = dict[str, object]


class Gone(Exception):
    """The other end is away, or went away before it answered: the outcome is unknown."""


class Refused(Exception):
    """The other end refused. `code` and `reason` are its own words."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code, self.reason = code, reason


class Talk:
    """A connection to one socket. `numbered`: answers are matched by `id`, otherwise by order.

    `on_up`: called after each connect. `on_event`: called with each unrequested message.
    """

    def __init__(
        self,
        path: Path,
        *,
        numbered: bool = False,
        on_up: Callable[[], None] = lambda: None,
        on_event: Callable[[Message], None] = lambda _: None,
    ) -> None:
        self.path = path
        self._numbered = numbered
        self._on_up, self._on_event = on_up, on_event
        self._writer: asyncio.StreamWriter | None = None
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._ids = itertools.count(1)
        self._up = asyncio.Event()

    async def run(self) -> None:
        """Keeps the connection up until cancelled."""
        waits = iter(REDIAL_S)
        while True:
            try:
                reader, self._writer = await asyncio.open_unix_connection(str(self.path), limit=LINE_LIMIT)
            except OSError:
                await asyncio.sleep(next(waits, REDIAL_S[-1]))
                continue
            waits = iter(REDIAL_S)
            try:
                self._up.set()
                self._on_up()
                await self._read(reader)
            finally:
                await self._hang_up()

    async def up(self) -> None:
        """Waits until the connection is up."""
        await self._up.wait()

    async def ask(self, request: Message) -> Message:
        """Returns the answer to a request. Raises `Gone`, or `Refused`."""
        writer = self._writer  # before this ends the line may have gone down, or be another one
        if writer is None:
            raise Gone(f"{self.path.name} is not there")
        number = next(self._ids)
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            writer.write(self._line(number, request))
            async with asyncio.timeout(ANSWER_S):
                await writer.drain()
                return _content(await answer)
        except (OSError, TimeoutError) as exc:
            writer.close()  # an answer that comes later would be taken for that of the next request
            raise Gone(f"{self.path.name} did not answer") from exc
        finally:
            self._waiting.pop(number, None)
            answer.cancel()

    def send(self, request: Message) -> None:
        """Sends a request whose answers are events, such as a watch; drops it while the connection is down."""
        if self._writer is not None:
            self._writer.write(self._line(next(self._ids), request))

    def _line(self, number: int, request: Message) -> bytes:
        message = {"id": number, **request} if self._numbered else request
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"

    async def _read(self, reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            while line := await reader.readline():
                message: Message = json.loads(line)
                number = message.get("id") if self._numbered else next(iter(self._waiting), None)
                answer = self._waiting.pop(number, None) if isinstance(number, int) else None
                if answer is None:
                    self._on_event(message)
                elif not answer.done():
                    answer.set_result(message)

    async def _hang_up(self) -> None:
        self._up.clear()
        writer, self._writer = self._writer, None
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(Gone(f"{self.path.name} went away"))
        self._waiting.clear()
        if writer is not None:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


def _content(message: Message) -> Message:
    """Returns an answer's content. Raises `Refused`."""
    if message.get("ok") is not False:
        result = message.get("result", message)
        return result if isinstance(result, dict) else {"result": result}
    error = message.get("error")
    if isinstance(error, dict):
        raise Refused(str(error.get("code", "refused")), str(error.get("reason", error)))
    raise Refused("impossible", str(error))
