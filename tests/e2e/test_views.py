"""Floor, technician and history in a real browser, before a whole table that has played: what each shows, and what it does."""

import json
import os
import socket
import zipfile
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

from controller.journal.record import Stream
from controller.panel.people import HASHER, PeopleFile, Staff
from simulators.bench.rig import RUN_CLI
from tests.e2e.test_panel import CHROMIUM, PATIENCE_MS, _listens, small_targets

PEOPLE = {"flora": "floorperson", "sue": "supervisor", "tec": "technician"}
PIN = HASHER.hash("1234")
SHOTS = os.environ.get("VIEW_SHOTS", "")
pytestmark = pytest.mark.timeout(180)


async def panel_of(table):
    """A panel that follows this table by its configuration, and another one that is away; returns its address."""
    people = PeopleFile(table.directory / "people.json")
    people.write(Staff(f"100{n}", name, (role,), PIN) for n, (name, role) in enumerate(PEOPLE.items(), 1))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    tables = ["--config", str(table.names.config), "--socket", str(table.directory / "away.sock")]
    serve = ["panel", "serve", "--people", str(people.path), *tables, "--port", str(port)]
    await table._start("panel", [*table.names.daemon_command()[:2], RUN_CLI, *serve])
    await table.until(lambda: _listens(port), "the panel listens")
    return f"http://127.0.0.1:{port}"


@asynccontextmanager
async def screen(browser, address, view, number, size=(1024, 768), lang="en", dark=False):
    """A person who is logged in at a view on a tablet."""
    look = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": "dark" if dark else "light"}
    context = await browser.new_context(has_touch=True, accept_downloads=True, **look)
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    wrong = []
    page.on("pageerror", lambda exc: wrong.append(str(exc)))
    page.on("console", lambda said: wrong.append(said.text) if "Refused to" in said.text else None)
    await page.goto(f"{address}/login?lang={lang}&next=/{view}")
    await page.fill("#number", number)
    await page.fill("#pin", "1234")
    await page.tap("button.main")
    await page.wait_for_selector("body:not(.waiting)")
    try:
        yield page
        assert wrong == []
    finally:
        await context.close()


async def press(page, *texts):
    """Presses keys one after another, each in the dialog once one is open."""
    for text in texts:
        inside = "#dialog[open] " if await page.query_selector("#dialog[open]") else ""
        await page.tap(f"{inside}:is(button, a.key):has-text({json.dumps(text)})")


async def shot(page, name):
    """A picture for the eye, where VIEW_SHOTS names a folder."""
    if SHOTS:
        (Path(SHOTS) / f"{name}.png").write_bytes(await page.screenshot())


async def gone(page, text):
    await page.wait_for_function("text => !document.querySelector('#waits').innerText.includes(text)", arg=text)


async def test_floor_technician_and_history(rig):
    table = await rig(speed=100.0, rulebook="md-uth", rounds=2, pays=True)
    await table.up(people=True)
    await table.until(lambda: not table.child("people").is_running, "two rounds are played")
    address = await panel_of(table)
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        async with screen(browser, address, "floor", "1001") as page:
            await a_dispute(page, table)
            await shot(page, "floor-dispute")
        async with screen(browser, address, "technician", "1003") as page:
            await a_test(page, table)
        async with screen(browser, address, "history", "1001") as page:
            await the_past(page)
        await browser.close()
    acts = [json.loads(r.data)["actor"] for r in table.records(Stream.INPUT) if b'"via":"panel"' in r.data]
    assert {(act["who"], act["role"]) for act in acts} >= {("flora", "floorperson"), ("sue", "supervisor")}


async def a_dispute(page, table):
    """A floorperson raises it, names the pictures, takes the evidence, and a supervisor lifts the hold at her screen."""
    await shot(page, "floor-quiet")
    await press(page, "Raise a dispute", "Seat 2", "The player doubts the payment")
    await shot(page, "floor-confirm")
    await press(page, "Confirm")
    await page.wait_for_selector("#waits :text('Play is held')")
    await shot(page, "floor-held")
    await press(page, "Name the bookmark", "Camera of this table", "Confirm")
    await page.wait_for_selector("#waits :text('Camera of this table')")
    async with page.expect_download() as saving:
        await press(page, "Evidence file", "Save the file of")
    saved = await (await saving.value).path()
    assert any(name.endswith("/page.html") for name in zipfile.ZipFile(saved).namelist())
    await page.tap("#dialog-close")
    await press(page, "Go on")
    await shot(page, "floor-second")
    await page.fill("#second-number", "1002")
    await page.fill("#second-pin", "1234")
    await press(page, "I am here")
    await gone(page, "Play is held")
    assert await small_targets(page) == []
    await page.wait_for_selector("#tables :text('NOT LIVE')")
    (lifted,) = table.facts("hold_lifted")
    assert (lifted["by"], lifted["role"]) == ("sue", "supervisor")


async def a_test(page, table):
    """A device is tested out of service, and comes back by name; the play of the table is as it was."""
    before = (await table.status())["marks"]
    await shot(page, "technician")
    await press(page, "Check the configuration")
    await page.wait_for_selector("#dialog-text:has-text('The configuration is sound')")
    await shot(page, "technician-check")
    await page.tap("#dialog-close")
    await page.tap(".card:has-text('progressive-1') button:has-text('Test mode')")
    await press(page, "with a sign on it", "Confirm")
    await page.wait_for_selector(".card:has-text('progressive-1'):has-text('◆ TEST')")
    await shot(page, "technician-test")
    await page.tap(".card:has-text('progressive-1') button:has-text('Return')")
    await press(page, "Confirm")
    await page.wait_for_selector(".card:has-text('progressive-1'):has-text('✓ ready')")
    assert (await table.status())["marks"] == before


async def the_past(page):
    """The last round lies there with its cards once the vault opens them."""
    await page.wait_for_selector("#laid .face")
    await shot(page, "history")


BY_FLOOR = ("open_table", "bring_set", "confirm_step")


@pytest.mark.full
@pytest.mark.parametrize("rulebook", ["md-uth", "ma-uth", "nj-pikit", "fast-action", "ma-colorado"])
async def test_a_floorperson_opens_the_table_step_by_step(rig, rulebook):
    """Each step that a book wants before the first round: the floor's by touch, the dealer's by his own voice."""
    table = await rig(speed=100.0, rulebook=rulebook)
    await table.up()
    await table._start("people", [*table.names.people_command(), "--hands"])
    address, done = await panel_of(table), []
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        async with screen(browser, address, "floor", "1001") as page:
            while (wanted := (await table.status()).get("next_act") or {}).get("act") != "begin_round":
                order = await table.order()
                if wanted.get("act") in BY_FLOOR and wanted.get("role") == "floorperson":
                    await page.wait_for_selector("#waits .card:last-child button")
                    await page.tap("#waits .card:last-child button")
                    await press(page, "Confirm")
                    done.append(wanted["act"])
                elif wanted:
                    who = "player-1" if wanted["role"] == "player" else wanted["role"]
                    await table.act(wanted["act"], who, **wanted["args"])
                await table.until(lambda order=order: _moved(table, order), "the table goes on")
        await browser.close()
    assert "open_table" in done


async def _moved(table, order):
    return await table.order() > order
