"""A round by touch in a real browser, before a whole table; and a screen that says so when it is not live."""

import asyncio
import json
import signal
import socket
import time
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from playwright.async_api import async_playwright

from controller.journal.record import Stream
from controller.panel.people import HASHER, PeopleFile, Staff
from simulators.bench.rig import RUN_CLI

CHROMIUM = "/usr/bin/chromium"
PREPARES = ("open_table", "confirm_step", "record_cut", "place_cutting_card", "bring_set")
BY_FLOOR = ("open_table", "bring_set")
PATIENCE_MS = 30_000
pytestmark = pytest.mark.timeout(150)


async def panel_of(table):
    """Hands without words at the devices, a table that is ready for a round, and a panel; returns its address."""
    await table._start("people", [*table.names.people_command(), "--hands"])

    async def ready():
        wanted = (await table.status()).get("next_act")
        if wanted and wanted["act"] in PREPARES:
            verifies = wanted["args"].get("step") == "verify_inspection"
            who = "floorperson" if verifies or wanted["act"] in BY_FLOOR else "dealer"
            await table.act(wanted["act"], who, **wanted["args"])
        return wanted and wanted["act"] == "begin_round" and (await table.status())["sets"]["red"]["armed"]

    await table.until(ready, "a set is ready for a round")
    people = PeopleFile(table.directory / "people.json")
    people.write([Staff("1001", "ada", ("dealer",), HASHER.hash("1234"))])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    await start_panel(table, port)
    return f"http://127.0.0.1:{port}"


async def start_panel(table, port):
    people = table.directory / "people.json"
    arguments = ["--people", str(people), "--socket", str(table.names.control), "--port", str(port)]
    await table._start("panel", [*table.names.daemon_command()[:2], RUN_CLI, "panel", "serve", *arguments])
    await table.until(lambda: _listens(port), "the panel listens")


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@asynccontextmanager
async def dealer_at(address):
    """A logged-in dealer before a small touch screen."""
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": 800, "height": 480}, has_touch=True)
        page.set_default_timeout(PATIENCE_MS)
        await page.goto(address)
        await log_in(page)
        try:
            yield page
        finally:
            await browser.close()


async def log_in(page):
    await page.fill("#number", "1001")
    await page.fill("#pin", "1234")
    await page.tap("button.main")
    await page.wait_for_selector("body.dealer:not(.waiting)")


class Touches:
    """Presses keys as a dealer would, and counts."""

    def __init__(self, page):
        self.page, self.count, self.done = page, 0, []

    async def tap(self, selector):
        await self.page.wait_for_selector(selector)
        await asyncio.sleep(0.25)  # a key that has just come takes no touch
        await self.page.tap(selector)
        self.count += 1

    async def main(self):
        """The likely key; returns when the table has moved on."""
        await self.page.wait_for_selector("#keys button.main:enabled")
        await asyncio.sleep(0.25)  # the table may still be moving by itself
        before = await self.page.inner_text("#now")
        self.done.append(await self.page.inner_text("#do"))
        await self.page.tap("#keys button.main")
        self.count += 1
        moved = "before => document.querySelector('#now').innerText !== before"
        await self.page.wait_for_function(moved, arg=before)

    async def bet(self, seat, amount):
        await self.tap(f"[data-seat='{seat}']")
        await self.tap(f"#dialog-keys button:text-is('{amount}')")
        await self.page.wait_for_selector(f"[data-seat='{seat}']:has-text('Blind')")


async def small_targets(page):
    """Buttons that a finger misses, and what does not fit the screen."""
    small = "[...document.querySelectorAll('button')].filter(b => b.offsetParent && Math.min(b.offsetHeight, b.offsetWidth) < 48)"
    found = await page.evaluate(f"() => {small}.map(b => b.innerText)")
    large = "document.documentElement.scrollWidth > innerWidth || document.body.scrollHeight > innerHeight + 1"
    return found + ["the page is too large"] * await page.evaluate(f"() => {large}")


async def covered(page, words):
    """Seconds until the screen says these words."""
    began = time.monotonic()
    await page.wait_for_selector(f"#cover:not([hidden]):has-text('{words}')", timeout=5000)
    return time.monotonic() - began


async def killed_under_an_open_page(table, page):
    """Daemon, then panel, is killed and started again: the page says so in time, comes back, and the table is as it was."""
    before = at_the_table(await table.status())
    shown = await page.inner_text("#round")
    await table.kill_daemon()
    assert await covered(page, "is not running") < 3.5
    await table.start_daemon()
    await table.all_online()
    await page.wait_for_selector("#cover[hidden]", state="attached")
    assert at_the_table(await table.status()) == before
    assert await page.inner_text("#round") == shown

    acts = len(acts_of(table))
    await table.child("panel").stop(signal.SIGKILL)
    assert await covered(page, "lost its own server") < 3.5
    await start_panel(table, urlsplit(page.url).port)
    await page.wait_for_url("**/login*")  # a panel that starts anew knows nobody
    await log_in(page)
    assert await page.inner_text("#round") == shown
    assert at_the_table(await table.status()) == before
    assert len(acts_of(table)) == acts


async def locked(table):
    """Bets are closed, and a dealer may go on."""
    status = await table.status()
    return status["round"]["phase"] == "bets_closed" and status["next_act"]


def acts_of(table):
    """Who did each act that came from the panel."""
    return [json.loads(r.data)["actor"] for r in table.records(Stream.INPUT) if b'"via":"panel"' in r.data]


def at_the_table(status):
    """What people see of the table, without the other set: the shuffler goes on with it meanwhile."""
    kept = ("open", "method", "round", "rounds", "last_round", "held", "duties", "next_act")
    return {key: status.get(key) for key in kept}


async def test_a_round_by_touch_and_a_screen_that_is_not_live(rig):
    table = await rig(speed=100.0, rulebook="md-uth")
    await table.up()
    async with dealer_at(await panel_of(table)) as page:
        touches = Touches(page)
        await touches.main()
        await touches.bet(1, "$25")
        await touches.bet(3, "$10")
        assert await small_targets(page) == []
        while "Pay and collect" not in touches.done[-1]:
            await touches.main()
        assert touches.count <= 14, touches.done
        await page.wait_for_selector("#round:has-text('Round 2')")

        table.daemon.process.send_signal(signal.SIGSTOP)
        assert await covered(page, "does not answer") < 3.5
        table.daemon.process.send_signal(signal.SIGCONT)
        await page.wait_for_selector("#cover[hidden]", state="attached")
        table.child("panel").process.send_signal(signal.SIGSTOP)
        assert await covered(page, "lost its own server") < 3.5
        table.child("panel").process.send_signal(signal.SIGCONT)
        await page.wait_for_selector("#cover[hidden]", state="attached")
        await touches.main()  # wagers as before, and no more bets
        await table.until(lambda: locked(table), "the progressive has confirmed its lock-out")
        await killed_under_an_open_page(table, page)
    acts = acts_of(table)
    assert {(act["who"], act["role"]) for act in acts} == {("ada", "dealer")}
    assert len(acts) >= touches.count - 2
