"""A panel before a planted daemon, in a process of its own: it shows the state that a test names.

`Stage` starts it; `show` switches the state; `tab` opens a browser page for a role, a language, a theme and a size.
"""

import asyncio
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from playwright.async_api import Browser, Page, async_playwright

from controller.panel.app import LANGUAGES, Panel
from controller.panel.live import Live
from controller.panel.people import HASHER, PeopleFile, Staff
from controller.panel.sessions import Sessions
from tests.screens.plant import planted

CHROMIUM = "/usr/bin/chromium"
ROLES = ("dealer", "floorperson", "supervisor", "technician")
SIZES = ((800, 480), (1280, 800), (1920, 1080))
THEMES = ("dark", "light")
PAYS = [
    ["royal_flush", "80 to 1"],
    ["straight_flush", "40 to 1"],
    ["four_of_a_kind", "30 to 1"],
    ["full_house", "4 to 1"],
]
SILENT = "silent"
"""Shown instead of a state: the daemon is there and answers nothing."""
BROKER_LOST = "broker_lost"
"""Shown: bets are closed and cards may go out, and the back office is away."""
STALE, FRESH = "stale", "fresh"
CHANGED = "changed since it was shown: seat 3; look again"
"""What an act is answered with while the table is stale."""
HOSTILE = 'jam <img src=x onerror="document.title=1"> \u202e</script><script>document.title=2</script>'
"""A device's text that wants to be markup, in the state of that name."""


class PlantedDaemon:
    """A control socket that answers each status with the state that is shown, and takes every act."""

    def __init__(self) -> None:
        self.states, self.status = planted(), {}
        self.states["hostile"] = _hostile(self.states["held"])
        self.states[BROKER_LOST] = _broker_lost(self.states["to_deal"])
        self._watching: list[tuple[int, asyncio.StreamWriter]] = []
        self.is_stale = False

    def show(self, name: str) -> None:
        """Shows a state, or falls silent, or refuses acts from now; who watches hears of a state at once."""
        if name in (STALE, FRESH):
            self.is_stale = name == STALE
            return
        self.status = {} if name == SILENT else self.states[name]
        for number, writer in self._watching:
            writer.write(json.dumps({"id": number, "ok": True, "event": {"kind": "shown"}}).encode() + b"\n")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one connection, line by line."""
        while line := await reader.readline():
            asked = json.loads(line)
            if asked["do"] == "watch":
                self._watching.append((asked["id"], writer))
                continue
            if not self.status:
                continue
            answer = {"ok": True, "result": self.status if asked["do"] == "status" else {"facts": []}}
            if asked["do"] == "act" and self.is_stale:
                answer = {
                    "ok": False,
                    "error": {"code": "refused", "reason": CHANGED, "cite": [], "refusal": "view_stale"},
                }
            writer.write(json.dumps({"id": asked["id"], **answer}).encode() + b"\n")
        writer.close()


def _broker_lost(state: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(state))
    found["broker"].update(connected=False, reason="no answer")
    found["broker"]["streams"]["main"]["lag"] = 214
    return found


def _hostile(state: dict[str, Any]) -> dict[str, Any]:
    """Returns a state in which everything that a device or a person wrote is hostile."""
    text = json.dumps(state)
    found: dict[str, Any] = json.loads(text)
    for hold in found["held"]:
        hold["reason"] = hold["says"] = HOSTILE
    for device in found["devices"].values():
        device["link"] = {"state": "refused", "reason": HOSTILE}
        device["online"] = False
    found["next"] = found["table"] = HOSTILE
    return found


async def _serve(directory: Path) -> None:
    daemon = PlantedDaemon()
    daemon.show("between")
    path = directory / "control.sock"
    await asyncio.start_unix_server(daemon.serve, path)
    people = PeopleFile(directory / "people.json")
    people.write([Staff("1001", "ada", ("dealer",), HASHER.hash("1234"))])
    panel = Panel(Live(path), people, secure=False)
    panel.sessions = Sessions(lambda: 0.0)
    panel.payouts = {str(hands): PAYS for hands in range(2, 8)}
    panel.tables[0].meters = {"a": {"cents": 1_234_567, "currency": "USD", "at_us": 1_795_000_000_000_000}}
    names = dict(zip(ROLES, ("ada", "flo", "sam", "tom"), strict=True))
    tokens = {
        f"{role} {lang}": panel.sessions.begin(Staff("1", names[role], (role,), ""), lang)
        for role in ROLES
        for lang in LANGUAGES
    }
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = uvicorn.Config(panel.app(frozenset({f"127.0.0.1:{port}"})), log_config=None, access_log=False)
    serving = asyncio.create_task(uvicorn.Server(config).serve([listening]))
    print(json.dumps({"port": port, "tokens": tokens}), flush=True)
    while name := (await asyncio.to_thread(sys.stdin.readline)).strip():
        daemon.show(name)
    serving.cancel()


class Stage:
    """A running stage with a browser before it."""

    def __init__(self, process: subprocess.Popen[str], browser: Browser) -> None:
        assert process.stdout is not None
        self._process, self._browser = process, browser
        told = json.loads(process.stdout.readline())
        self.address, self._tokens = f"http://127.0.0.1:{told['port']}", told["tokens"]

    def show(self, state: str) -> None:
        """Shows a state."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{state}\n")
        self._process.stdin.flush()

    @asynccontextmanager
    async def tab(
        self, path: str, role: str = "", lang: str = "en", theme: str = "dark", size: tuple[int, int] = SIZES[1]
    ) -> AsyncIterator[Page]:
        """Opens a view; `role` "" = nobody is logged in."""
        scheme: Any = theme
        context = await self._browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, has_touch=True, locale=lang,
            timezone_id="UTC", reduced_motion="reduce",
        )  # fmt: skip
        if role:
            value = self._tokens[f"{role} {lang}"]
            await context.add_cookies([{"name": "tablewarden", "value": value, "url": self.address}])
        page = await context.new_page()
        try:
            await page.goto(f"{self.address}{path}{'' if role else f'?lang={lang}'}")
            if path != "/login":
                await page.wait_for_selector("body:not(.waiting)")
            yield page
        finally:
            await context.close()


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """Starts a stage, and ends it with all that belongs to it."""
    with tempfile.TemporaryDirectory(prefix="tw-") as directory:
        command = [sys.executable, "-m", "tests.screens.stage", directory]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            async with async_playwright() as driver:
                browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                try:
                    yield Stage(process, browser)
                finally:
                    await browser.close()
        finally:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
