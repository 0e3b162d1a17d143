"""What a screen does by itself: it says who is silent, comes back, refuses what is stale, and shows no text as markup."""

import time

import pytest

from tests.screens.stage import CHANGED, FRESH, SILENT, STALE, stage

pytestmark = pytest.mark.timeout(90)
KEY = "#keys button.main"


async def seconds_until(page, selector):
    began = time.monotonic()
    await page.wait_for_selector(selector, timeout=6000)
    return time.monotonic() - began


async def test_a_screen_tells_the_truth():
    async with stage() as at:
        at.show("between")
        async with at.tab("/", "dealer") as page, at.tab("/display") as display:
            at.show(SILENT)
            assert await seconds_until(page, "#cover:not([hidden]):has-text('does not answer')") < 3.5
            assert await display.is_visible("#cover:not([hidden])")
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


async def test_a_badge_reader_types_the_number_and_the_pin_follows():
    """A reader is a keyboard: digits and Enter, faster than a hand."""
    async with stage() as at, at.tab("/login") as page:
        await page.keyboard.type("1001")
        await page.keyboard.press("Enter")
        assert await page.evaluate("document.activeElement.id") == "pin"
        await page.keyboard.type("1234")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("body.dealer:not(.waiting)")


async def test_a_screen_is_worked_by_keyboard_alone():
    async with stage() as at:
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
