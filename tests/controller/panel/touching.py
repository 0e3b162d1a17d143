"""A real browser before a panel that shows a table of the pure core, and a dealer who plays by touch and counts."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import uvicorn
from playwright.async_api import Page, async_playwright

from controller.panel.app import Panel
from controller.panel.live import Live
from controller.panel.people import PeopleFile
from tests.controller.panel.core_table import CoreTable

CHROMIUM = "/usr/bin/chromium"
SMALL = (800, 480)
PATIENCE_MS = 20_000
LATER = "{ const now = performance.now.bind(performance); window.later = 0; performance.now = () => now() + window.later; }"
"""A key that has just come takes no touch for 0.2 s; the page's clock is put on, so that no test waits for that."""
CHANGES, AMOUNT, SITS_OUT = 0.1, 0.6, 0.1
"""How often a seat changes its wagers; of these, how often the amount, or it sits out; else one wager more or less."""
CHIP = 0.5
"""How often a seat has a progressive chip."""
PLAYS = {
    "pre_flop": {"check": 0.62, "play": 0.38},
    "flop": {"check": 0.67, "play": 0.33},
    "last_two": {"play": 0.72, "fold": 0.28},
    "decision": {"play_3": 0.45, "play_5": 0.2, "fold": 0.35, "bet": 0.6, "stay": 0.4, "declare": 0.02},
    "setting": {"set": 0.7, "split": 0.22, "surrender": 0.06, "natural": 0.02},
    "bonus_cards": {"show": 1.0},
}
"""How players answer, by phase."""


@asynccontextmanager
async def screen(
    core: CoreTable, folder: Path, people: PeopleFile, size: tuple[int, int] = SMALL, lang: str = "en"
) -> AsyncIterator[Page]:
    """A dealer who is logged in at this table's panel."""
    listening = socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    live = Live(folder / "c.sock")
    app = Panel(live, people, secure=False).app(frozenset({host}))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none"))
    serving = asyncio.create_task(server.serve([listening]))
    try:
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = await browser.new_page(viewport={"width": size[0], "height": size[1]}, has_touch=True)
            page.set_default_timeout(PATIENCE_MS)
            await page.add_init_script(LATER)
            await page.goto(f"http://{host}/login?lang={lang}")
            await page.fill("#number", "1001")
            await page.fill("#pin", "1234")
            await page.tap("button.main")
            await page.wait_for_selector("body.dealer:not(.waiting)")
            yield page
            await browser.close()
    finally:
        core.close()
        live.stop()
        server.should_exit = True
        await serving


class Fingers:
    """Touches what the screen shows. `touches`, `done`: of the round under way."""

    def __init__(self, page: Page, core: CoreTable) -> None:
        self.page, self.core = page, core
        self.touches, self.done = 0, list[str]()

    async def tap(self, selector: str, nth: int = 0) -> None:
        """One touch."""
        if selector.startswith("#keys"):
            await self.page.evaluate("window.later += 250")
        found = self.page.locator(selector).nth(nth)
        self.done.append(f"{await self.page.inner_text('#do')} | {(await found.inner_text()).strip()}")
        await found.tap()
        self.touches += 1

    async def act(self, selector: str, nth: int = 0) -> None:
        """A touch that is an act; returns when the screen shows what came of it."""
        before = self.core.order
        await self.tap(selector, nth)
        await self.shown(before + 1)

    async def shown(self, order: int) -> None:
        """Returns when the table is so far, and the screen too; fails with what the screen says against it."""
        for _ in range(2000):
            if self.core.order >= order:
                break
            said = await self.page.inner_text("#said")
            assert not said, f"{said}; touched: {self.done[-8:]}"
            await self.page.wait_for_timeout(5)
        so_far = (
            "order => Number(document.body.dataset.order) >= order && !document.querySelector('button[disabled]')"
        )
        await self.page.wait_for_function(so_far, arg=self.core.order)

    async def quiet(self) -> None:
        """Returns once all acts of a touch are done."""
        last = -1
        while last != self.core.order:
            last = self.core.order
            await self.page.wait_for_timeout(60)
            await self.shown(last)

    async def main(self) -> None:
        """The likely key."""
        await self.act("#keys button.main")


class Dealer(Fingers):
    """Plays rounds with six guests. `counts`: the house counts chips; else nobody does, and no progressive is played."""

    def __init__(self, page: Page, core: CoreTable, rng: Random, *, counts: bool = True) -> None:
        super().__init__(page, core)
        self.rng, self.counts = rng, counts

    async def play(self, *, first: bool = False) -> int:
        """Plays until the next round takes bets; returns the touches. `first`: the wagers lie already."""
        self.touches, self.done = 0, []
        state = self.core.table.state
        number = state.rounds if state.round else state.rounds + 1
        while (round_ := (status := self.core.status())["round"]) is None or round_["number"] <= number:
            stage = round_ and round_["stage"]
            if round_ and round_["phase"] == "betting":
                await self._bets(first, status)
            elif stage and stage["waiting"] and status["next_act"]["act"] == "record_decision":
                await self._answers(stage, round_["phase"])
            elif status["next_act"] and status["next_act"]["act"] == "record_stub_count":
                await self._stub(self.core.table.right_stub())
            else:
                await self.main()
            assert self.touches < 80, self.done
        return self.touches

    async def _stub(self, cards: int) -> None:
        await self.tap("#keys button.main")
        for digit in str(cards):
            await self.tap(f"#dialog-keys button:text-is('{digit}')")
        await self.act("#dialog-keys button.main")

    async def _bets(self, first: bool, status: dict[str, Any]) -> None:
        groups = [w["wager"] for w in status["wagers"] if not w["sensed"] and not w["equals"]]
        changed = [] if first else [seat for seat in range(1, 7) if self.rng.random() < CHANGES]
        if changed:
            words = [
                (await key.inner_text()).split("\n")[0] for key in await self.page.locator("#keys button").all()
            ]
            await self.act("#keys button", words.index("Wagers as last round"))
        for seat in changed:
            await self._changes(seat, groups)
        now = self.core.status()
        needed = next((w["requires"] for w in now["wagers"] if w["sensed"]), None)
        if self.counts and needed is not None:
            lies = {n: x["wagers"] for n, x in now["round"]["seats"].items()} or now["last_round"]["seats"]
            for seat in (int(n) for n, wagers in lies.items() if wagers and set(needed) <= set(wagers)):
                if self.rng.random() < CHIP:
                    self.core.change(lambda table, seat=seat: table.chip(seat))  # type: ignore[misc]  # bound at once
        await self.main()

    async def _changes(self, seat: int, groups: list[str]) -> None:
        lies = self.core.status()["round"]["seats"].get(str(seat), {}).get("wagers", {})
        drawn = self.rng.random()
        await self.tap(f"[data-seat='{seat}']")
        if drawn < SITS_OUT and lies:
            await self._say("#dialog-keys button.warn")
        elif (self.counts and drawn < SITS_OUT + AMOUNT) or not lies or len(groups) == 1:
            await self._say(self._amount(0))
        elif groups[1] in lies:
            await self._say("#dialog-keys button:has-text('Take back')")
        else:
            await self._say(self._amount(1))

    def _amount(self, group: int) -> str:
        """The key of an amount, or of chips that nobody counted, or of the only amount that there is."""
        below = f"#dialog-keys h3:nth-of-type({group + 1}) ~ button"
        return (
            f"{below}:has-text('{self.rng.choice(('$10', '$25'))}')"
            if self.counts and not group
            else f"{below} >> nth=0"
        )

    async def _say(self, selector: str) -> None:
        if not self.counts and ">> nth=0" in selector:
            selector = "#dialog-keys button:has-text('Nobody counted')"
        await self.tap(selector)
        await self.quiet()

    async def _answers(self, stage: dict[str, Any], phase: str) -> None:
        """The answer that leaves the fewest others is told for the rest."""
        options = [(x["decision"], m) for x in stage["answers"] for m in (x["multiples"][::-1] or [0])]
        weights = [PLAYS[phase][decision] for decision, _ in options]
        seen = [decision for decision, _ in options]
        given = {
            n: self.rng.choices(
                options,
                [
                    w if seen.index(d) == i else 0
                    for i, ((d, _), w) in enumerate(zip(options, weights, strict=True))
                ],
            )[0]
            for n in stage["waiting"]
        }
        order, listed = [*options[1:], options[0]], len(options) > 4
        cost = {
            rest: sum(2 if listed else order.index(x) + 1 for x in given.values() if x != rest)
            for rest in options[:4]
        }
        rest = min(cost, key=lambda x: cost[x])
        for seat, answer in given.items():
            for _ in range(0 if answer == rest else 1 if listed else order.index(answer) + 1):
                await self.tap(f"[data-seat='{seat}']")
            if listed and answer != rest:
                await self.tap("#dialog-keys button", options.index(answer))
        await self.act("#keys button", options.index(rest) if rest in given.values() else 0)
