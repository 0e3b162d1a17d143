"""What a screen does by itself: it says who is silent, comes back, refuses what is stale, and shows no text as markup."""

import time
import tomllib

import pytest

from tests.controller.panel.test_words import RULEBOOKS
from tests.screens.stage import CHANGED, FRESH, SILENT, STALE, stage

pytestmark = pytest.mark.timeout(90)
KEY = "#keys button.main"


async def seconds_until(page, selector):
    began = time.monotonic()
    await page.wait_for_selector(selector, timeout=6000)
    return time.monotonic() - began


async def test_screens():
    """All of them before one stage, because a browser is dear."""
    async with stage() as at:
        for tried in (truth, in_spanish, badge_reader, keyboard):
            await tried(at)


async def truth(at):
    """It says who is silent, comes back, refuses what is stale, and shows no text as markup."""
    at.show("between")
    async with at.tab("/", "dealer") as page, at.tab("/display") as display:
        at.show(SILENT)
        assert await seconds_until(page, "#cover:not([hidden]):has-text('does not answer')") < 3.5
        await display.wait_for_selector("#cover:not([hidden])", timeout=3000)
        assert "NOT LIVE" in await page.inner_text("#live")
        at.show("asking")
        await page.wait_for_selector("#cover[hidden]", state="attached")
        assert "seat" in await page.inner_text("#do")

        at.show("closed")  # its back office is not connected: that is said, and covers nothing
        await page.wait_for_selector("#foot:has-text('NOT CONNECTED')")
        assert await page.is_hidden("#cover")

        at.show("between")
        at.show(STALE)
        await page.wait_for_selector(f"{KEY}:enabled")
        await page.wait_for_timeout(300)
        await page.tap(KEY)
        await page.wait_for_selector("#said:not(:empty)")
        assert CHANGED.split(";")[0].split(": ")[1] in await page.inner_text("#said")
        at.show(FRESH)

        at.show("hostile")
        await page.wait_for_selector("#table:has-text('onerror')")
        assert await page.title() not in ("1", "2")
        assert await page.locator("img, main script").count() == 0
        assert "\u202e" not in await page.content()


async def in_spanish(at):
    """A sentence of the core is looked up: why an act was refused, why play is held, what goes back, what the rulebook says."""
    at.show("between")
    async with at.tab("/", "dealer", "es") as page:
        at.show(STALE)
        await page.wait_for_selector(f"{KEY}:enabled")
        await page.wait_for_timeout(300)
        await page.tap(KEY)
        await page.wait_for_selector("#said:has-text('Cambió desde que se mostró: el puesto 3')")
        at.show(FRESH)
        at.show("void")
        await page.wait_for_selector("#do:has-text('Devuelva Ante, Blind'):has-text('puestos')")
        say = "async text => (await import('/static/words.js')).law_says(text)"
        assert [text for text in sentences() if await page.evaluate(say, text) == text] == []


def sentences():
    """What rulebooks say of irregularities."""
    books = [tomllib.loads(path.read_text()) for path in RULEBOOKS.glob("*.toml")]
    return {row["says"] for book in books for row in book["outcome"]}


async def badge_reader(at):
    """A reader is a keyboard: digits and Enter, faster than a hand; the PIN follows."""
    async with at.tab("/login") as page:
        await page.wait_for_selector("#number:focus")
        await page.keyboard.type("1001")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("#pin:focus")
        await page.keyboard.type("1234")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("body.dealer:not(.waiting)")


async def keyboard(at):
    """Every key is reached, opened and left without a finger."""
    at.show("asking")
    async with at.tab("/", "dealer") as page:
        seen = []
        for _ in range(16):
            await page.keyboard.press("Tab")
            seen.append(await page.evaluate("document.activeElement.id || document.activeElement.innerText"))
        assert {"irregular", "more", "logout"} <= set(seen)
        await page.focus("#irregular")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("dialog[open]")
        await page.keyboard.press("Escape")
        await page.wait_for_selector("dialog:not([open])", state="attached")
