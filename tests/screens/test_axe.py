"""Every view by axe-core and by our own measure: no violation, each target 48 px, nothing beyond the screen.

axe-core 4.14.1 by Deque Systems, MPL-2.0, from the package of that name at the npm registry; `axe.min.js` is kept as it came.
"""

from hashlib import sha256
from pathlib import Path

import pytest

from controller.panel.app import LANGUAGES
from controller.panel.views import VIEWS
from tests.screens.plant import planted
from tests.screens.stage import ROLES, SIZES, THEMES, stage

AXE = Path(__file__).parent / "axe.min.js"
AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"color-contrast-enhanced": {"enabled": True}, "target-size": {"enabled": True}},
}
FOUND = """async (rules) => (await axe.run(document, rules)).violations.map(
  (v) => `${v.id}: ${v.nodes.map((n) => n.target + " " + n.failureSummary.replaceAll("\\n", " ")).slice(0, 3).join(" | ")}`)"""
SMALL = """() => [...document.querySelectorAll("button, a[href], input:not([type=hidden]), select, summary")]
  .map((e) => [e, e.getBoundingClientRect()])
  .filter(([e, r]) => r.width && (r.width < 48 || r.height < 48)).map(([e]) => `under 48 px: ${e.outerHTML.slice(0, 120)}`)"""
WIDE = "() => document.documentElement.scrollWidth > innerWidth ? ['wider than the screen'] : []"
PUBLIC = {"/login": "", "/display": ""}
PLACES = {view.path: next(role for role in ROLES if role in view.roles) for view in VIEWS} | PUBLIC
STATES = tuple(planted())


async def wrong(at, place, lang, theme, size, state):
    """What is wrong with one view in one state."""
    at.show(state)
    async with at.tab(place, PLACES[place], lang, theme, size) as page:
        await page.wait_for_timeout(120)  # what was shown before the state came is drawn anew
        await page.evaluate(AXE.read_text())
        found = [*await page.evaluate(FOUND, RULES), *await page.evaluate(SMALL), *await page.evaluate(WIDE)]
    return [f"{place} {state} {lang} {theme} {size[0]}x{size[1]}: {what}" for what in found]


def test_the_kept_file_is_the_one_that_its_maker_published():
    assert sha256(AXE.read_bytes()).hexdigest() == AXE_SHA256


@pytest.mark.timeout(120)
async def test_no_view_violates_a_rule_in_short():
    """Each view once, at a corner of its own of sizes, themes, languages and states."""
    found = []
    async with stage() as at:
        for n, place in enumerate(PLACES):
            found += await wrong(at, place, LANGUAGES[n % 2], THEMES[n // 2 % 2], SIZES[n % 2], STATES[-1 - n % 3])
    assert not found, "\n".join(found)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("place", PLACES)
async def test_no_view_violates_a_rule(place):
    found = []
    async with stage() as at:
        for state in STATES if PLACES[place] or place == "/display" else STATES[:1]:
            for lang in LANGUAGES:
                for theme in THEMES:
                    for size in SIZES:
                        found += await wrong(at, place, lang, theme, size, state)
    assert not found, "\n".join(found[:40])
