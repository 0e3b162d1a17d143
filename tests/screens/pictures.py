"""Makes the pictures of the guides again: each view in a few planted states.

make screenshots    or: python -m tests.screens.pictures [--only dealer] [--into FOLDER]
With --twelve: the dealer's view in twelve states on the smallest screen, for a reader who says whether to deal and what is next.
"""

import argparse
import asyncio
from pathlib import Path

from controller.panel.views import VIEWS
from tests.screens.stage import BROKER_LOST, ROLES, SILENT, SIZES, stage

INTO = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SIZE = (1024, 640)
STATES = {
    "dealer": ("closed", "betting", "asking", "settling", "void", "held", SILENT),
    "display": ("betting", "asking", "void", "cover_all"),
    "login": ("between",),
}
"""What each view is shown in; a view that is not named here is shown in OTHERS."""
OTHERS = ("asking", "void", "held")
MORE = (
    ("dealer-small-es", "/", "dealer", "es", "light", (800, 480), "asking"),
    ("dealer-wall", "/", "dealer", "en", "dark", (1920, 1080), "settling"),
)

TWELVE = (
    *("between", "betting", "locked", "shuffling", "to_deal", "void", "miscount", "asking"),
    *("settling", "held", "stub", SILENT, BROKER_LOST),
)
"""States in which one glance at the dealer's view says whether to deal, and what is next."""


def twelve(lang: str) -> list[tuple[str, str, str, str, str, tuple[int, int], str]]:
    """Returns the pictures of these states."""
    return [
        (f"{number:02d}-{state}", "/", "dealer", lang, "dark", SIZES[0], state)
        for number, state in enumerate(TWELVE, 1)
    ]


def pictures(only: str) -> list[tuple[str, str, str, str, str, tuple[int, int], str]]:
    """Returns name, address, role, language, theme, size and state of each picture."""
    places = [(view.name, view.path, next(r for r in ROLES if r in view.roles)) for view in VIEWS]
    found = [
        (f"{name}-{state}", path, role, "en", "dark", SIZE, state)
        for name, path, role in (*places, ("display", "/display", ""), ("login", "/login", ""))
        for state in STATES.get(name, OTHERS)
    ]
    return [picture for picture in (*found, *MORE) if picture[0].startswith(only)]


async def make(wanted: list[tuple[str, str, str, str, str, tuple[int, int], str]], into: Path) -> None:
    """Makes them. One state after another, so that a screen has settled before its picture."""
    async with stage() as at:
        for name, path, role, lang, theme, size, state in wanted:
            at.show("between" if state == SILENT else state)
            async with at.tab(path, role, lang, theme, size) as page:
                if state == SILENT:
                    at.show(SILENT)
                    await page.wait_for_selector("#cover:not([hidden])")
                await page.wait_for_timeout(300)
                await page.screenshot(path=into / f"{name}.png")
            print(f"{name}.png {(into / f'{name}.png').stat().st_size // 1024} kB")


def main() -> None:
    """Makes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="begin of the names")
    parser.add_argument("--into", type=Path, default=INTO)
    parser.add_argument("--twelve", metavar="LANG", help="the twelve states instead, in this language")
    given = parser.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    asyncio.run(make(twelve(given.twelve) if given.twelve else pictures(given.only), given.into))


if __name__ == "__main__":
    main()
