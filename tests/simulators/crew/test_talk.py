"""The people's line to a daemon that dies in the middle of a word."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from simulators.crew.talk import Gone, Talk


@asynccontextmanager
async def _line(path: Path) -> AsyncIterator[tuple[Talk, socket.socket, socket.socket]]:
    """A line that is up, the socket that listens, and the far end's."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        listening.setblocking(False)
        talk = Talk(path, numbered=True)
        running = asyncio.create_task(talk.run())
        far = await _accepted(listening)
        await talk.up()
        try:
            yield talk, listening, far
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            far.close()


async def _accepted(listening: socket.socket) -> socket.socket:
    return (await asyncio.get_running_loop().sock_accept(listening))[0]


@pytest.mark.parametrize("turns", range(5))
async def test_who_dies_before_the_request_is_written_is_gone_and_the_line_comes_up_again(
    tmp_path: Path, turns: int
) -> None:
    """`turns`: of the event loop between the death and the request, so that each half of the line hears of it first once."""
    async with _line(tmp_path / "s") as (talk, listening, far):
        far.close()
        for _ in range(turns):
            await asyncio.sleep(0)
        with pytest.raises(Gone):
            await talk.ask({"do": "status"})
        with await _accepted(listening) as again:
            await talk.up()
            answer = asyncio.create_task(talk.ask({"do": "status"}))
            request = json.loads(await asyncio.get_running_loop().sock_recv(again, 1000))
            again.sendall(json.dumps({"id": request["id"], "ok": True, "result": {"a": 1}}).encode() + b"\n")
            assert await answer == {"a": 1}


async def test_who_dies_before_the_answer_is_gone(tmp_path: Path) -> None:
    async with _line(tmp_path / "s") as (talk, _, far):
        asking = asyncio.create_task(talk.ask({"do": "status"}))
        await asyncio.sleep(0)
        far.close()
        with pytest.raises(Gone):
            await asking
