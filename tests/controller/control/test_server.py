"""The control socket as its peers meet it: right answers, bad requests, slow and vanished peers, nothing left behind."""

import asyncio
import contextlib
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from controller.control.desk import ControlConfig, ErrorCode, Refused
from controller.control.endpoint import ControlUnavailable, Endpoint
from controller.control.server import MAX_WATCHES, ControlServer
from controller.control.wire import MAX_REQUEST
from controller.limits.limited_log import BURST
from controller.log import LogFormat, configure
from controller.rules.vocabulary import Role
from controller.table.words.acts import BeginRound
from controller.table.words.inputs import Actor

BEGIN = {"id": 2, "do": "act", "act": "begin_round", "args": {"back": "red"}, "who": "ada", "role": "dealer"}


def _is_there(path: Path) -> bool:
    return path.exists()


async def test_status_is_the_document_of_the_desk(connect: Any) -> None:
    """The server adds nothing to it and takes nothing away."""
    peer = await connect()
    assert await peer.ask({"id": 1, "do": "status"}) == {
        "id": 1,
        "ok": True,
        "result": {"table": "t1", "open": True},
    }


async def test_an_act_reaches_the_desk_with_its_person_and_answers_with_its_facts(connect: Any, desk: Any) -> None:
    """The core gets the typed act and the actor; the peer gets the records that are now durable."""
    peer = await connect()
    told = await peer.ask(BEGIN)
    assert desk.acts == [(BeginRound("red"), Actor("ada", Role.DEALER))]
    assert told == {"id": 2, "ok": True, "result": {"facts": [desk.records[0]]}}


async def test_an_act_is_not_answered_before_it_is_durable(connect: Any, desk: Any, until: Any) -> None:
    """What a person is told has happened is on record: nothing comes while the desk still writes."""
    desk.gate.clear()
    peer, other = await connect(), await connect()
    peer.send(BEGIN)
    await until(lambda: desk.acts)
    assert (await other.ask({"id": 1, "do": "status"}))["ok"]  # the server is alive, and answers others meanwhile
    assert not peer.reader._buffer  # type: ignore[attr-defined]
    desk.gate.set()
    assert (await peer.line())["ok"]


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"who": "adda"}, "unknown_person", "nearest: ada"),
        ({"role": "supervisor"}, "unknown_person", "ada does not act as 'supervisor'; listed: dealer"),
        ({"role": "king"}, "unknown_person", "does not act as 'king'"),
        ({"who": "far"}, "unknown_person", "another login"),
        ({"act": "begin_rounds"}, "unknown_act", "nearest: begin_round"),
        ({"args": {"back": 7}}, "bad_request", "'back': expected str"),
        ({"args": {}}, "bad_request", "begin_round needs 'back'"),
        ({"args": ["red"]}, "bad_request", "'args': expected object"),
    ],
)
async def test_an_act_that_may_not_be_asked_for_never_reaches_the_desk(
    connect: Any, desk: Any, change: dict[str, Any], code: str, says: str
) -> None:
    """Unknown people, roles they do not have, other logins, unknown acts and unfit arguments are refused at the socket."""
    peer = await connect()
    told = await peer.ask({**BEGIN, **change})
    assert (told["id"], told["ok"], told["error"]["code"]) == (2, False, code)
    assert says in told["error"]["reason"]
    assert desk.acts == []


async def test_a_person_bound_to_a_login_may_act_from_it(connect: Any, desk: Any) -> None:
    """The kernel says who is at the other end; the name is taken only from the right login."""
    assert (await (await connect()).ask({**BEGIN, "who": "own"}))["ok"]
    assert desk.acts[0][1].who == "own"


async def test_a_refusal_by_law_carries_its_clause(connect: Any, desk: Any) -> None:
    """The person who is refused reads why, and where it stands."""
    desk.refuse = Refused(ErrorCode.REFUSED, "the stub must be counted first", ("8.E",))
    told = await (await connect()).ask(BEGIN)
    assert told["error"] == {"code": "refused", "reason": "the stub must be counted first", "cite": ["8.E"]}


async def test_a_fault_of_ours_is_told_and_the_socket_serves_on(connect: Any, desk: Any) -> None:
    """An exception in one answer ends neither the connection nor the daemon, and does not pass in silence."""
    peer = await connect()
    desk.refuse = KeyError("stub")
    told = await peer.ask({"id": 1, "do": "status"})
    assert told["error"]["code"] == "failed"
    assert "KeyError" in told["error"]["reason"]
    desk.refuse = None
    assert (await peer.ask({"id": 2, "do": "status"}))["ok"]


@pytest.mark.parametrize("line", [b"hello\n", b"\n", b"\x00\xff\n", b'{"id": 1, "do": "status"\n', b"[]\n"])
async def test_garbage_is_answered_and_the_connection_serves_on(connect: Any, line: bytes) -> None:
    """One bad line costs only itself."""
    peer = await connect()
    told = await peer.ask(line)
    assert (told["id"], told["error"]["code"]) == (None, "bad_request")
    assert (await peer.ask({"id": 2, "do": "status"}))["ok"]


@pytest.mark.parametrize("size", [MAX_REQUEST, 5 * MAX_REQUEST, 40 * MAX_REQUEST])
async def test_a_request_that_is_too_large_is_skipped_and_the_next_is_served(connect: Any, size: int) -> None:
    """However long the line, it is dropped as it comes and never kept in memory; what follows it is read."""
    peer = await connect()
    peer.send(b"x" * size + b"\n")
    peer.send({"id": 2, "do": "status"})
    told = await peer.line()
    assert (told["id"], told["error"]["code"]) == (None, "too_large")
    assert (await peer.line())["id"] == 2


async def test_the_largest_request_is_served(connect: Any) -> None:
    """The limit is the one that is stated, line end included."""
    text = json.dumps({"id": 1, "do": "status"})
    peer = await connect()
    assert (await peer.ask(text.encode().ljust(MAX_REQUEST - 1) + b"\n"))["ok"]


async def test_requests_of_one_peer_are_answered_in_turn(connect: Any) -> None:
    """Many lines in one write come back in their order."""
    peer = await connect()
    peer.send(b"".join(json.dumps({"id": n, "do": "status"}).encode() + b"\n" for n in range(50)))
    assert [(await peer.line())["id"] for _ in range(50)] == list(range(50))


async def test_a_request_in_single_bytes_is_one_request(connect: Any) -> None:
    """The framing is the line, not the write."""
    peer = await connect()
    for byte in b'{"id": 9, "do": "status"}\n':
        peer.send(bytes([byte]))
        await peer.writer.drain()
    assert (await peer.line())["id"] == 9


async def test_a_watch_gives_the_backlog_then_says_so_then_what_is_new(connect: Any, desk: Any) -> None:
    """From any order on, each record once, in order, with a mark where the past ends."""
    for kind in ("a", "b", "c"):
        desk.record(kind)
    peer = await connect()
    peer.send({"id": 3, "do": "watch", "after": 1})
    told = [await peer.line() for _ in range(3)]
    assert [t["event"]["kind"] for t in told[:2]] == ["b", "c"]
    assert told[2] == {"id": 3, "ok": True, "caught_up": 3}
    desk.record("d")
    assert (await peer.line())["event"] == desk.records[3]


async def test_a_watch_without_a_place_begins_now(connect: Any, desk: Any) -> None:
    """A person who looks in does not get yesterday."""
    desk.record("old")
    peer = await connect()
    assert await peer.ask({"id": 3, "do": "watch"}) == {"id": 3, "ok": True, "caught_up": 1}
    desk.record("new")
    assert (await peer.line())["event"]["kind"] == "new"


async def test_a_watch_of_one_stream_waits_while_only_others_grow(connect: Any, desk: Any, until: Any) -> None:
    """Records that are not watched neither show nor keep the server busy."""
    peer = await connect()
    await peer.ask({"id": 3, "do": "watch", "streams": ["diag"]})
    desk.record("play", stream="main")
    await until(lambda: len(desk.reads) == 2 and desk.waiting)
    desk.record("link", stream="diag")
    assert (await peer.line())["event"]["kind"] == "link"
    await until(lambda: desk.waiting)
    assert desk.reads == [0, 0, 1]


async def test_a_backlog_longer_than_a_batch_comes_whole(connect: Any, desk: Any) -> None:
    """Batches are the server's business; the peer sees one series without a gap or a repeat."""
    for _ in range(350):
        desk.record("r")
    peer = await connect()
    peer.send({"id": 3, "do": "watch", "after": 0})
    told = [await peer.line() for _ in range(351)]
    assert [t["event"]["order"] for t in told[:350]] == list(range(1, 351))
    assert told[350]["caught_up"] == 350


async def test_a_peer_acts_while_it_watches(connect: Any) -> None:
    """Answers and events share a connection; the id says which is which."""
    peer = await connect()
    await peer.ask({"id": 1, "do": "watch"})
    peer.send(BEGIN)
    told = [await peer.line(), await peer.line()]
    assert sorted(t["id"] for t in told) == [1, 2]


async def test_a_watch_from_beyond_the_record_is_refused(connect: Any, desk: Any) -> None:
    """Who remembers more than the record holds looks at another journal, and must hear it."""
    desk.record("r")
    told = await (await connect()).ask({"id": 3, "do": "watch", "after": 2})
    assert told["error"] == {
        "code": "bad_request", "reason": "'after' 2 lies beyond the newest record, 1", "cite": []
    }  # fmt: skip


async def test_a_watch_that_fails_says_where_it_ended(connect: Any, desk: Any) -> None:
    """A record that cannot be read is not skipped: the watch ends, and says so."""
    peer = await connect()
    await peer.ask({"id": 3, "do": "watch"})
    desk.refuse = OSError("bad block")
    desk.record("r")
    told = await peer.line()
    assert (told["id"], told["error"]["code"]) == (3, "failed")
    assert "OSError: bad block; the watch ended after 0" in told["error"]["reason"]


async def test_the_watches_of_a_connection_are_limited(connect: Any) -> None:
    """A program that asks again and again does not grow the server."""
    peer = await connect()
    for n in range(MAX_WATCHES):
        assert "caught_up" in await peer.ask({"id": n, "do": "watch"})
    assert (await peer.ask({"id": 99, "do": "watch"}))["error"]["code"] == "refused"


async def test_a_watcher_that_does_not_read_holds_nobody_up_and_loses_nothing(connect: Any, desk: Any) -> None:
    """Its records stay in the journal, not in memory: only a few batches are read ahead; all come once it reads."""
    total, note = 3000, "x" * 1000
    slow, quick = await connect(), await connect()
    slow.writer.transport.pause_reading()
    slow.send({"id": 1, "do": "watch", "after": 0})
    for n in range(total):
        desk.record("r", note=note)
        if n % 100 == 0:
            assert (await quick.ask({"id": n, "do": "status"}))["ok"]
    assert max(desk.reads) < 1500
    slow.writer.transport.resume_reading()
    told = [await slow.line() for _ in range(total + 1)]  # one of them says where the past ended
    orders = [t["event"]["order"] for t in told if "event" in t]
    assert orders == list(range(1, total + 1))


async def test_a_peer_that_goes_before_its_answer_leaves_the_act_done(
    connect: Any, desk: Any, server: ControlServer, until: Any
) -> None:
    """An accepted act stands in the record although nobody is left to be told, and the connection is gone."""
    desk.gate.clear()
    peer = await connect()
    peer.send(BEGIN)
    await until(lambda: desk.acts)
    await peer.close()
    desk.gate.set()
    await until(lambda: not server._connections)
    assert [r["kind"] for r in desk.records] == ["begin_round_done"]
    assert (await (await connect()).ask({"id": 1, "do": "status"}))["ok"]


async def test_a_watcher_that_goes_takes_its_watch_along(
    connect: Any, desk: Any, server: ControlServer, until: Any
) -> None:
    """Nothing waits for news on behalf of somebody who left."""
    peer = await connect()
    await peer.ask({"id": 1, "do": "watch"})
    await until(lambda: desk.waiting == 1)
    await peer.close()
    await until(lambda: not server._connections)
    assert desk.waiting == 0


async def test_a_watcher_that_dies_in_the_middle_of_its_backlog_is_forgotten(
    connect: Any, desk: Any, server: ControlServer, until: Any
) -> None:
    """What was on its way to it is dropped; others are served as before."""
    for _ in range(2000):
        desk.record("r", note="x" * 1000)
    peer = await connect()
    peer.send({"id": 1, "do": "watch", "after": 0})
    await peer.line()
    peer.writer.transport.abort()
    await until(lambda: not server._connections)
    assert desk.waiting == 0
    assert (await (await connect()).ask({"id": 1, "do": "status"}))["ok"]


async def test_half_a_request_at_the_end_is_no_request(
    connect: Any, desk: Any, server: ControlServer, until: Any
) -> None:
    """A peer that dies in the middle of an act has not acted."""
    peer = await connect()
    peer.send(json.dumps(BEGIN).encode())
    await peer.writer.drain()
    await peer.close()
    await until(lambda: not server._connections)
    assert desk.acts == []


@pytest.mark.parametrize("most", ["MAX_CONNECTIONS", "MAX_OF_A_LOGIN"])
async def test_too_many_connections_are_told_so_and_closed(
    most: str, connect: Any, server: ControlServer, until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The descriptors of the devices are not for a program that forgets to close, and no login keeps the others out."""
    monkeypatch.setattr(f"controller.control.server.{most}", 5)
    for _ in range(5):
        await connect()
    await until(lambda: len(server._connections) == 5)
    one_more = await connect()
    assert (await one_more.line())["error"]["code"] == "refused"
    assert await one_more.reader.read() == b""


async def test_a_connection_that_asks_nothing_ends_and_a_watch_stays(
    connect: Any, desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody uses is closed; a watcher may wait for hours."""
    monkeypatch.setattr("controller.control.server.IDLE_S", 0.1)
    idle, watching = await connect(), await connect()
    assert "caught_up" in await watching.ask({"id": 1, "do": "watch"})
    async with asyncio.timeout(10):
        assert await idle.reader.read() == b""
    desk.record("a")
    assert (await watching.line())["event"]["kind"] == "a"


async def test_refusals_without_end_are_counted_and_not_written_each(connect: Any, capfd: Any) -> None:
    """The log is for the table, however often somebody types a wrong name."""
    configure(LogFormat.JSON)
    peer = await connect()
    for _ in range(5 * BURST):
        await peer.ask({**BEGIN, "who": "adda"})
    assert BURST <= capfd.readouterr().err.count("control_refused") < 2 * BURST


async def test_the_outbox_is_seen_by_all_and_released_by_few(connect: Any, desk: Any) -> None:
    """What was set aside is sent again by a technician or a supervisor, by name."""
    peer = await connect()
    assert (await peer.ask({"id": 4, "do": "outbox_status"}))["result"] == {"parked": [17]}
    release = {"id": 5, "do": "outbox_release", "stream": "main", "sequence": 17}
    refused = await peer.ask({**release, "who": "ada", "role": "dealer"})
    assert "not a dealer" in refused["error"]["reason"]
    assert desk.released == []
    assert (await peer.ask({**release, "who": "tek", "role": "technician"}))["result"] == {"released": 1}
    through = await peer.ask({**release, "who": "tek", "role": "technician", "last": 20})
    assert through["result"] == {"released": 4}
    assert desk.released == [("main", 17, 17, "tek"), ("main", 17, 20, "tek")]
    again = await peer.ask({**release, "who": "tek", "role": "technician", "sequence": 18})
    assert again["error"] == {"code": "refused", "reason": "main 18 is not set aside", "cite": []}


async def test_cards_are_let_out_and_erased_by_a_supervisor_with_a_reason(connect: Any, desk: Any) -> None:
    """Nobody else, and nobody without saying why."""
    peer = await connect()
    opening = {
        "id": 6,
        "do": "open_round",
        "round": "t1-7",
        "reason": "dispute",
        "who": "sam",
        "role": "supervisor",
    }
    erasing = {"id": 7, "do": "erase_cards", "before_us": 5, "reason": "old", "who": "sam", "role": "supervisor"}
    naming = {"id": 8, "do": "next_key", "public": "PEM", "reason": "old", "who": "sam", "role": "supervisor"}
    for request in (opening, erasing, naming):
        for other in ({"who": "ada", "role": "dealer"}, {"who": "tek", "role": "technician"}):
            assert "a supervisor does that" in (await peer.ask({**request, **other}))["error"]["reason"]
        for silent in ("", "  ", "x" * 501):
            assert "say why" in (await peer.ask({**request, "reason": silent}))["error"]["reason"]
    assert desk.vault == []
    assert (await peer.ask(opening))["result"] == {"round": "t1-7"}
    assert (await peer.ask(erasing))["result"] == {"through": 7}
    sam = Actor("sam", Role.SUPERVISOR)
    assert (await peer.ask(naming))["result"] == {"key": "0" * 16}
    assert desk.vault == [
        ("open", "t1-7", "dispute", sam),
        ("erase", 5, "old", sam),
        ("next key", "PEM", "old", sam),
    ]


async def test_what_was_mistyped_stays_with_who_typed_it(connect: Any, capfd: Any) -> None:
    """A card in the place of another word is told back to the person, and is in no log."""
    configure(LogFormat.JSON)
    peer = await connect()
    act = {"id": 2, "do": "act", "act": "record_hand", "who": "ada", "role": "dealer"}
    for args in (
        {"area": "As Kd", "cards": "2c"},
        {"area": "dealer", "As Kd": 1},
        {"area": "player", "cards": ["As Kd"]},
    ):
        assert (await peer.ask({**act, "args": args}))["error"]["code"] == "bad_request"
    assert (await peer.ask({**act, "act": "As Kd"}))["error"]["code"] == "unknown_act"
    logged = capfd.readouterr().err
    assert logged.count("control_refused") == 4
    assert "As" not in logged
    assert "Kd" not in logged


async def test_the_socket_is_for_its_user_and_group(server: ControlServer) -> None:
    """Nobody else on the machine can act at the table."""
    assert stat.S_IMODE(server.path.stat().st_mode) == 0o660
    assert os.listdir(server.path.parent) == [server.path.name]


async def test_a_watcher_keeps_its_place_while_the_record_is_away(connect: Any, desk: Any, until: Any) -> None:
    """A journal that is closed in the middle of a backlog, and opened again, does not make the past come twice."""
    total = 3000
    for _ in range(total):
        desk.record("r", note="x" * 1000)
    peer = await connect()
    peer.writer.transport.pause_reading()
    peer.send({"id": 3, "do": "watch", "after": 0})
    await until(lambda: len(desk.reads) > 1)
    kept = list(desk.records)
    desk.records.clear()
    peer.writer.transport.resume_reading()
    told = [await peer.line()]
    while "event" in told[-1]:
        told.append(await peer.line())
    assert told[-1]["caught_up"] == len(told) - 1 < total
    await until(lambda: desk.waiting)
    desk.records.extend(kept)
    desk.wake()
    told += [await peer.line() for _ in range(total - (len(told) - 1))]
    assert [t["event"]["order"] for t in told if "event" in t] == list(range(1, total + 1))


async def test_a_socket_left_by_a_killed_daemon_is_replaced(desk: Any, config: ControlConfig) -> None:
    """A start after a kill needs no hand."""
    killed = Endpoint.open(config.socket)
    killed.socket.close()
    assert _is_there(config.socket)
    async with ControlServer(desk, config):
        _, writer = await asyncio.open_unix_connection(str(config.socket))
        writer.close()
        await writer.wait_closed()
    assert not _is_there(config.socket)


async def test_a_socket_that_a_living_daemon_serves_is_refused(
    server: ControlServer, desk: Any, config: Any
) -> None:
    """Two daemons at one table would tell two truths; the second hears which process is there."""
    with pytest.raises(ControlUnavailable, match=f"process {os.getpid()} serves it"):
        await ControlServer(desk, config).__aenter__()
    assert _is_there(server.path)


def test_a_file_in_the_way_is_not_removed(socket_path: Path) -> None:
    """A path misspelt in the configuration must not cost somebody a file."""
    socket_path.write_text("precious")
    with pytest.raises(ControlUnavailable, match="no socket"):
        Endpoint.open(socket_path)
    assert socket_path.read_text() == "precious"


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    """The reason names the path, and nothing is left open."""
    with pytest.raises(ControlUnavailable, match="No such file or directory"):
        Endpoint.open(tmp_path / "none" / "c.sock")


@pytest.mark.parametrize("is_another", [False, True])
async def test_a_socket_that_was_removed_comes_back(
    is_another: bool, connect: Any, server: ControlServer, until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who was connected stays so; whoever comes later finds it again, also where something else lay there for a while."""
    monkeypatch.setattr("controller.control.server.LOOK_S", 0.02)
    await asyncio.sleep(0)
    before = await connect()
    server.path.unlink()
    if is_another:
        server.path.write_text("in the way")
        await asyncio.sleep(0.1)
        server.path.unlink()
    await until(lambda: _is_there(server.path))
    for peer in (before, await connect()):
        assert (await peer.ask({"id": 1, "do": "status"}))["ok"]


async def test_a_stopped_server_leaves_nothing(desk: Any, config: ControlConfig, until: Any) -> None:
    """With a watcher, an act under way, an idle peer and one that has only just come: all are closed."""
    async with ControlServer(desk, config):
        peers = [await asyncio.open_unix_connection(str(config.socket)) for _ in range(3)]
        desk.gate.clear()
        peers[0][1].write(json.dumps(BEGIN).encode() + b"\n")
        peers[1][1].write(b'{"id": 1, "do": "watch"}\n')
        await until(lambda: desk.acts and desk.waiting)
        peers.append(await asyncio.open_unix_connection(str(config.socket)))
    assert not _is_there(config.socket)
    assert desk.waiting == 0
    for reader, writer in peers:
        with contextlib.suppress(ConnectionResetError):
            await reader.read()
        writer.close()
        with contextlib.suppress(ConnectionResetError):
            await writer.wait_closed()


async def test_a_slow_watcher_does_not_delay_the_stop_for_long(
    desk: Any, config: ControlConfig, until: Any
) -> None:
    """A peer that takes nothing is dropped: what it has not read is in the journal."""
    for _ in range(3000):
        desk.record("r", note="x" * 1000)
    async with asyncio.timeout(8):
        async with ControlServer(desk, config):
            _, writer = await asyncio.open_unix_connection(str(config.socket))
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(b'{"id": 1, "do": "watch", "after": 0}\n')
            await until(lambda: len(desk.reads) > 1)
    writer.transport.abort()


def test_an_endpoint_leaves_the_socket_of_its_successor(socket_path: Path) -> None:
    """A late clean-up must not take away what another daemon put there; closing twice is no fault."""
    first = Endpoint.open(socket_path)
    socket_path.unlink()
    second = Endpoint.open(socket_path)
    first.close()
    assert socket_path.exists()
    second.close()
    second.close()
    assert not socket_path.exists()
