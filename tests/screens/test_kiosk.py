"""The kiosk brings its page back: after a first load that failed, a renderer that died, a page that hangs."""

import asyncio
import os
import shlex
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from tests.screens.stage import CHROMIUM

pytestmark = [pytest.mark.full, pytest.mark.timeout(150)]
PATIENCE_S = 40.0
"""On a machine that is busy with other tests; the wait in the log is what counts."""


def renderers(profile):
    """Renderers of the browser with this profile: those of its session."""
    lines = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines[int(path.parent.name)] = (path.read_bytes(), os.getsid(int(path.parent.name)))
    sessions = {session for line, session in lines.values() if profile in line}
    return [pid for pid, (line, session) in lines.items() if session in sessions and b"--type=renderer" in line]


@pytest.fixture
def place():
    """A folder with a short name: Chromium puts a socket into it."""
    with tempfile.TemporaryDirectory(prefix="tw-", ignore_cleanup_errors=True) as place:
        yield Path(place)


async def test_a_page_that_is_not_there_comes_back(place):
    up = asyncio.Event()

    async def serve(reader, writer):
        asked = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>table</h1>")
        await writer.drain()
        writer.close()
        if asked.startswith(b"GET / "):
            up.set()

    async def loaded():
        up.clear()
        async with asyncio.timeout(PATIENCE_S):
            await up.wait()

    reserved = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = reserved.sockets[0].getsockname()[1]
    reserved.close()
    flags = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu"]
    command = [sys.executable, "-m", "controller.cli", "panel", "kiosk", "--url", f"http://127.0.0.1:{port}/"]
    log = (place / "log").open("wb")
    environment = {**os.environ, "TMPDIR": str(place)}
    kiosk = await asyncio.create_subprocess_exec(
        *command, "--browser", shlex.join(flags), stderr=log, env=environment
    )
    server = None
    try:
        async with asyncio.timeout(PATIENCE_S):
            while b"chrome-error" not in (place / "log").read_bytes():  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        server = await asyncio.start_server(serve, "127.0.0.1", port)
        await loaded()
        for sign in (signal.SIGKILL, signal.SIGSTOP):
            for pid in renderers(str(place).encode()):
                os.kill(pid, sign)
            await loaded()
    finally:
        kiosk.terminate()
        await kiosk.wait()
        log.close()
        if server is not None:
            server.close()
    told = (place / "log").read_text()
    assert "the renderer died" in told
    assert "hangs" in told
