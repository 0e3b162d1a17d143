"""The screen of a table: a Chromium that shows one address, and is brought back when it does not.

Chromium alone stays on its error page when the panel was not up yet, and on a dead page when its renderer died. So this
process holds it by its debugging pipe, which nobody else can reach, asks it every two seconds what it shows, and loads the
address again or starts it anew.
"""

import asyncio
import itertools
import json
import os
import shlex
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from controller.log import get_logger

LOOK_S = 2.0
"""Between two looks at the page."""
ANSWER_S = 4.0
"""A page that takes longer to say its address hangs: within 10 s it is back."""
AGAIN_S = 1.0
START_S = 20.0
"""Chromium's own start on a slow PC."""
FLAGS = (
    "--kiosk", "--no-first-run", "--noerrdialogs", "--disable-translate", "--disable-pinch", "--incognito",
    "--disable-session-crashed-bubble", "--overscroll-history-navigation=0", "--remote-debugging-pipe",
)  # fmt: skip
HOLDS = 'exec "$@" 3<&"$TO" 4>&"$FROM"'
"""Chromium reads what it is asked from descriptor 3, and answers at 4."""

log = get_logger("kiosk")


class Lost(Exception):
    """The browser must be started anew; the text says why."""


class Screen:
    """One run of the browser."""

    def __init__(self, browser: Sequence[str], url: str, profile: str) -> None:
        self._command = [*browser, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._url = url
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._lost = asyncio.Event()
        self._why = ""

    async def show(self) -> None:
        """Shows the address until the browser is lost. Raises `Lost`."""
        their_in, ours_out = os.pipe()
        ours_in, their_out = os.pipe()
        environment = {**os.environ, "TO": str(their_in), "FROM": str(their_out)}
        process = await asyncio.create_subprocess_exec(
            "/bin/bash", "-c", HOLDS, "kiosk", *self._command, pass_fds=(their_in, their_out), env=environment,
            start_new_session=True, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        os.close(their_in)
        os.close(their_out)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=1 << 22)
        heard, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours_in, "rb")
        )
        hearing = asyncio.create_task(self._hear(reader))
        try:
            await self._watch(ours_out)
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
            heard.close()
            os.close(ours_out)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()

    async def _watch(self, out: int) -> None:
        await self._ask(out, "Target.setDiscoverTargets", START_S, discover=True)
        targets = (await self._ask(out, "Target.getTargets"))["targetInfos"]
        page = next((target["targetId"] for target in targets if target["type"] == "page"), None)
        if page is None:
            raise Lost("there is no page")
        session = (await self._ask(out, "Target.attachToTarget", targetId=page, flatten=True))["sessionId"]
        while True:
            told = await self._ask(out, "Runtime.evaluate", session=session, expression="location.href")
            shows = str(told.get("result", {}).get("value", ""))
            if not shows.startswith(_origin(self._url)):
                log.info("kiosk_loads", shows=shows[:80], url=self._url)
                await self._ask(out, "Page.navigate", START_S, session=session, url=self._url)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._lost.wait(), LOOK_S)

    async def _ask(
        self, out: int, method: str, within: float = ANSWER_S, session: str = "", **params: object
    ) -> dict[str, Any]:
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        asked = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        try:
            if self._lost.is_set():
                raise Lost(self._why)
            os.write(out, json.dumps(asked).encode() + b"\0")
            async with asyncio.timeout(within):
                told: dict[str, Any] = await answer
                return told
        except TimeoutError as exc:
            raise Lost(self._why or f"the page hangs: no answer to {method}") from exc
        except OSError as exc:
            raise Lost("the browser ended") from exc
        finally:
            del self._answers[number]

    async def _hear(self, reader: asyncio.StreamReader) -> None:
        """Reads answers and events until the browser hangs up."""
        with suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while True:
                told = json.loads((await reader.readuntil(b"\0"))[:-1])
                answer = self._answers.get(told.get("id", 0))
                if answer is not None and not answer.done():
                    answer.set_result(told.get("result", {}))
                if told.get("method") in ("Target.targetCrashed", "Inspector.targetCrashed"):
                    self._lose("the renderer died")
        self._lose("the browser ended")

    def _lose(self, why: str) -> None:
        self._why = self._why or why
        self._lost.set()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(Lost(self._why))


def _origin(url: str) -> str:
    return "/".join(url.split("/")[:3])


async def keep(browser: str, url: str) -> None:
    """Keeps a browser at the address, for ever."""
    while True:
        with tempfile.TemporaryDirectory(prefix="kiosk-", ignore_cleanup_errors=True) as profile:
            try:
                await Screen(shlex.split(browser), url, profile).show()
            except Lost as exc:
                log.warning("kiosk_starts_browser_anew", reason=str(exc))
        await asyncio.sleep(AGAIN_S)
