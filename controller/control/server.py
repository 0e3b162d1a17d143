"""The control socket's server: any number of people and programs, each at its own speed."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, assert_never

from controller.control.desk import ControlConfig, Desk, ErrorCode, Refused, identify, vouched
from controller.control.endpoint import ControlUnavailable, Endpoint, peer_of
from controller.control.shares import Shares
from controller.control.wire import (
    MAX_REQUEST,
    ActRequest,
    Asked,
    EraseCardsRequest,
    NextKeyRequest,
    OpenRoundRequest,
    OutboxReleaseRequest,
    OutboxStatusRequest,
    Request,
    RequestId,
    StatusRequest,
    Supervised,
    TryRequest,
    WatchRequest,
    act_from,
    answer,
    failure,
    request_from,
)
from controller.limits.descriptors import OUT_OF_MEANS, Spare, in_words
from controller.limits.limited_log import QuietLog
from controller.log import get_logger
from controller.rules.vocabulary import Role
from controller.table.words.inputs import Actor

BATCH = 100
"""Records read at once for a watcher: under a millisecond of the event loop, and all that waits for a slow one."""

MAX_CONNECTIONS = 64
"""A table has a handful of people; a program that forgets to close must not take the descriptors of the devices."""

MAX_OF_A_LOGIN = 32
"""Connections of one login: a program that forgets to close must not keep the others out."""

MAX_WATCHES = 8
"""Watches of one connection."""

LOOK_S = 2.0
"""How often the server looks whether its socket is still at its path."""

IDLE_S = 900.0
"""A connection without a watch ends when nothing was asked for so long."""

CLOSE_S = 1.0
"""How long a peer may take to read what is left for it when the server closes."""

MAY_RELEASE = frozenset({Role.TECHNICIAN, Role.SUPERVISOR})
"""Who may send an event again that the broker would not have: it concerns the link, not the play."""

MAX_REASON = 500
"""Characters of a reason."""

AS_TYPED = frozenset({ErrorCode.BAD_REQUEST, ErrorCode.UNKNOWN_ACT})
"""Refusals that repeat typed words, possibly a card in the wrong place: only the person who typed sees them."""

log = get_logger("control")
LoopHandler = Callable[[asyncio.AbstractEventLoop, dict[str, Any]], object]


class ControlServer:
    """Serves a desk at a Unix socket, within `async with`."""

    def __init__(self, desk: Desk, config: ControlConfig) -> None:
        self.path, self._config, self._desk = config.socket, config, desk
        self._endpoint: Endpoint | None = None
        self._server: asyncio.Server | None = None
        self._looking: asyncio.Task[None] | None = None
        self._connections: dict[asyncio.Task[None], int] = {}
        self._shares = Shares()
        self._spare = Spare(1)
        self._is_full = False  # no descriptor is left, which was said
        self._handler: LoopHandler | None = None
        # The log's call is looked up at each line: the log may be configured after the server is made.
        self._refused = QuietLog(lambda event, **about: log.info(event, **about), time.monotonic)  # noqa: PLW0108

    async def __aenter__(self) -> Self:
        """Offers the socket. Raises `ControlUnavailable`."""
        loop = asyncio.get_running_loop()
        self._handler = loop.get_exception_handler()
        await self._offer()
        loop.set_exception_handler(self._failed)
        self._spare.keep()
        self._looking = asyncio.create_task(self._look(), name="control-socket")
        log.info("control_open", path=str(self.path))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Removes the socket and closes every connection."""
        assert self._looking is not None
        self._looking.cancel()
        await asyncio.gather(self._looking, return_exceptions=True)
        await self._withdraw()
        asyncio.get_running_loop().set_exception_handler(self._handler)
        self._spare.free()
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections)

    async def _offer(self) -> None:
        endpoint = Endpoint.open(self.path)
        try:
            self._server = await asyncio.start_unix_server(
                self._connected, sock=endpoint.socket, limit=MAX_REQUEST - 1
            )
        except BaseException:
            endpoint.close()
            raise
        self._endpoint = endpoint

    async def _withdraw(self) -> None:
        """Takes no more connections; present ones go on."""
        if self._endpoint is None or self._server is None:
            return
        # A connection that asyncio has just taken is lost open if its server closes before it is set up (CPython 3.11):
        # so first take no more, then let that one through, then close.
        asyncio.get_running_loop().remove_reader(self._endpoint.socket)
        await asyncio.sleep(0)
        self._server.close()
        self._endpoint.close()
        self._server = self._endpoint = None

    async def _look(self) -> None:
        """Offers the socket again if somebody removed it."""
        while True:
            await asyncio.sleep(LOOK_S)
            if self._endpoint is not None and self._endpoint.is_there:
                continue
            await self._withdraw()
            try:
                await self._offer()
            except (ControlUnavailable, OSError) as away:  # OSError: no descriptor is left, for a while
                self._refused("control_socket_away", reason=str(away))
            else:
                log.warning("control_socket_was_removed", path=str(self.path), remedy="find out who removed it")

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handles a loop error outside of tasks: no descriptor is left for a new connection."""
        failed = context.get("exception")
        if isinstance(failed, OSError) and failed.errno in OUT_OF_MEANS and self._endpoint is not None:
            reason = in_words(failed)
            if not self._is_full:
                log.error("control_connection_not_taken", reason=reason)
            self._is_full = True
            self._refuse_one(self._endpoint.socket, reason)
        elif isinstance(failed, ValueError) and "Invalid file descriptor" in str(failed):
            return  # asyncio wanted to take connections again, of a socket that was withdrawn meanwhile
        elif self._handler is not None:
            self._handler(loop, context)
        else:
            loop.default_exception_handler(context)

    def _refuse_one(self, listening: socket.socket, reason: str) -> None:
        """Tells a new client why it is refused, with the descriptor kept for this."""
        self._spare.free()
        try:
            with listening.accept()[0] as knocking:
                knocking.setblocking(False)
                knocking.send(failure(None, Refused(ErrorCode.REFUSED, reason)))
        except OSError:
            return  # nobody waits any more, or the machine itself has none left
        finally:
            self._spare.keep()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None:  # it was being accepted when the server closed
            writer.transport.abort()
            return
        self._is_full = False
        pid, uid = peer_of(writer.get_extra_info("socket"))
        if (reason := self._no_room(uid)) is not None:
            self._refused("control_too_many_connections", pid=pid, uid=uid, reason=reason)
            writer.write(failure(None, Refused(ErrorCode.REFUSED, reason)))
            writer.close()
            return
        connection = _Connection(self._desk, self._config, reader, writer, uid, self._shares, self._refused)
        task = asyncio.create_task(connection.run(), name=f"control-{pid}")
        self._connections[task] = uid
        task.add_done_callback(lambda ended: self._ended(ended, writer))

    def _no_room(self, uid: int) -> str | None:
        """Returns why this login may not have one more connection; None = it may."""
        if len(self._connections) >= MAX_CONNECTIONS:
            return f"{MAX_CONNECTIONS} connections are open already; close one that is not needed"
        if list(self._connections.values()).count(uid) >= MAX_OF_A_LOGIN:
            return f"this login has {MAX_OF_A_LOGIN} connections open already; close one that is not needed"
        return None

    def _ended(self, connection: asyncio.Task[None], writer: asyncio.StreamWriter) -> None:
        self._connections.pop(connection, None)
        writer.transport.abort()  # closed already, unless the task was cancelled before its first step


class _Connection:
    """One client: its requests in turn, its watches beside them."""

    def __init__(
        self,
        desk: Desk,
        config: ControlConfig,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        uid: int,
        shares: Shares,
        refused: QuietLog,
    ) -> None:
        self._desk, self._config, self._uid = desk, config, uid
        self._shares, self._refused = shares, refused
        self._reader, self._writer = reader, writer
        self._watches: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serves the client until it goes, or until cancelled; then ends its watches and closes."""
        try:
            while (line := await self._line_in_time()) != b"":
                await self._serve(line)
                await self._shares.rest(self._uid)  # lines that wait already are read without any waiting
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the peer has gone, perhaps before its answer; an act that was accepted stands in the record
        finally:
            for watch in self._watches:
                watch.cancel()
            await self._part()

    async def _part(self) -> None:
        """Closes after giving the client a moment to read; drops one that reads nothing."""
        self._writer.close()
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._writer.wait_closed()
        except (ConnectionError, TimeoutError):
            pass  # it has gone, or does not read
        finally:
            self._writer.transport.abort()

    async def _line_in_time(self) -> bytes | None:
        """Returns the next line; b"" also after long idleness without a watch."""
        while True:
            try:
                async with asyncio.timeout(IDLE_S):
                    return await self._line()
            except TimeoutError:
                if not self._watches:
                    return b""

    async def _line(self) -> bytes | None:
        """Returns the next line; b"" at the end, None for a skipped line that was too long."""
        too_long = False
        while True:
            try:
                line = await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError as exc:
                too_long = True
                await self._reader.readexactly(exc.consumed)
            except asyncio.IncompleteReadError:
                return b""  # half a line is no request
            else:
                return None if too_long else line

    async def _serve(self, line: bytes | None) -> None:
        if line is None:
            reason = f"a request has at most {MAX_REQUEST} bytes"
            return await self._send(failure(None, Refused(ErrorCode.TOO_LARGE, reason)))
        async with self._shares.act(self._uid):
            request_id, request = request_from(line)
        if isinstance(request, Refused):
            return await self._send(failure(request_id, request))
        try:
            reply = await self._reply(request_id, request)
        except Refused as refused:
            if isinstance(request, Asked):
                reason = "" if refused.code in AS_TYPED else refused.reason
                self._refused("control_refused", who=request.who, code=refused.code.value, reason=reason)
            reply = failure(request_id, refused)
        except OSError as exc:  # the machine's, and no fault of ours
            log.error("control_request_failed", request=type(request).__name__, reason=in_words(exc))
            reply = failure(request_id, Refused(ErrorCode.FAILED, in_words(exc)))
        except Exception as exc:  # a fault of ours in one answer must not end the play of the table
            log.exception("control_request_failed", request=type(request).__name__)
            reply = failure(
                request_id, Refused(ErrorCode.FAILED, f"{type(exc).__name__}: {exc}; see the daemon's log")
            )
        return await self._send(reply)

    async def _reply(self, request_id: RequestId, request: Request) -> bytes:
        """Returns the answer's line. A watch sends its lines itself."""
        match request:
            case StatusRequest():
                async with self._shares.look(self._uid):
                    return answer(request_id, "result", self._desk.status())
            case ActRequest():
                async with self._shares.act(self._uid):
                    act = act_from(request.act, request.args)
                    actor = self._actor(request)
                return answer(request_id, "result", {"facts": await self._desk.act(act, actor, request.seen)})
            case TryRequest():
                async with self._shares.look(self._uid):
                    facts = self._desk.try_act(act_from(request.act, request.args), self._actor(request))
                return answer(request_id, "result", {"facts": facts})
            case WatchRequest():
                self._watch(request_id, request)
                return b""
            case OutboxStatusRequest():
                async with self._shares.look(self._uid):
                    return answer(request_id, "result", self._desk.outbox_status())
            case OutboxReleaseRequest():
                actor = identify(self._config.people, request.who, request.role, self._uid)
                if actor.role not in MAY_RELEASE:
                    able = " or ".join(sorted(MAY_RELEASE))
                    raise Refused(ErrorCode.REFUSED, f"a {able} releases what was set aside, not a {actor.role}")
                last = request.sequence if request.last is None else request.last
                released = await self._desk.outbox_release(request.stream, request.sequence, last, request.who)
                return answer(request_id, "result", released)
            case OpenRoundRequest() | EraseCardsRequest() | NextKeyRequest():
                return answer(request_id, "result", await self._supervised(request))
            case _:
                assert_never(request)

    def _actor(self, request: ActRequest | TryRequest) -> Actor:
        """Returns who acts: a listed person, or one for whom this login answers. Raises `Refused`."""
        if request.session is None:
            return identify(self._config.people, request.who, request.role, self._uid)
        return vouched(self._config.vouchers, request.who, request.role, request.session, self._uid)

    async def _supervised(self, request: Supervised) -> Mapping[str, Any]:
        """Runs a request that needs a supervisor and a reason."""
        actor = identify(self._config.people, request.who, request.role, self._uid)
        if actor.role is not Role.SUPERVISOR:
            raise Refused(ErrorCode.REFUSED, f"a supervisor does that, not a {actor.role}")
        if not 1 <= len(request.reason.strip()) <= MAX_REASON:
            raise Refused(ErrorCode.REFUSED, f"say why, in 1 to {MAX_REASON} characters (`reason`)")
        if isinstance(request, OpenRoundRequest):
            return await self._desk.open_round(request.round, request.reason, actor)
        if isinstance(request, NextKeyRequest):
            return await self._desk.next_key(request.public, request.reason, actor)
        return await self._desk.erase_cards(request.before_us, request.reason, actor)

    def _watch(self, request_id: RequestId, request: WatchRequest) -> None:
        head = self._desk.head()
        after = head if request.after is None else request.after
        if after > head:
            raise Refused(ErrorCode.BAD_REQUEST, f"'after' {after} lies beyond the newest record, {head}")
        if len(self._watches) >= MAX_WATCHES:
            raise Refused(ErrorCode.REFUSED, f"one connection has at most {MAX_WATCHES} watches")
        task = asyncio.create_task(self._tell(request_id, after, request.streams), name=f"watch-{request_id}")
        self._watches.add(task)
        task.add_done_callback(self._watches.discard)

    async def _tell(self, request_id: RequestId, position: int, streams: tuple[str, ...]) -> None:
        """Sends every record after `position`, at the client's speed."""
        caught_up = False
        try:
            while True:
                async with self._shares.backlog(self._uid):
                    head = (
                        self._desk.head()
                    )  # before reading: all up to it is in what is read, or is of other streams
                    records = self._desk.read(position, BATCH, streams)
                    lines = b"".join(answer(request_id, "event", record) for record in records)
                await self._send(lines)
                if len(records) == BATCH:
                    position = records[-1]["order"]
                    await self._shares.rest(self._uid)
                    continue
                position = max(position, head, records[-1]["order"] if records else 0)
                if not caught_up:
                    caught_up = True
                    await self._send(answer(request_id, "caught_up", position))
                await self._desk.wait_news(position)
        except ConnectionError:
            return  # the connection sees it too, and ends
        except Exception as exc:
            log.exception("control_watch_failed", after=position)
            refused = Refused(ErrorCode.FAILED, f"{type(exc).__name__}: {exc}; the watch ended after {position}")
            with contextlib.suppress(ConnectionError):
                await self._send(failure(request_id, refused))

    async def _send(self, line: bytes) -> None:
        if line:
            self._writer.write(line)
            await self._writer.drain()
