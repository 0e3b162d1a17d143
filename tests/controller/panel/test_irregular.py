"""Each irregularity of each document by two touches, what follows read on the screen before it is confirmed."""

import pytest

from controller.rules.vocabulary import Trigger
from controller.table.acts.irregularities import reportable
from controller.table.words import facts as f
from tests.controller.panel.core_table import CoreTable
from tests.controller.panel.touching import Fingers, screen
from tests.controller.table.conftest import table_of

BASE = {"md-uth": "ante", "ma-uth": "ante", "nj-pikit": "ante", "ma-colorado": "ante", "fast-action": "original"}
AFTER_SOMETHING = {"false_declaration": "nobody has declared a hand", "wager_late": "bets are still open"}


def dealt(book):
    """A table whose players hold their cards; nothing has gone wrong."""
    table = table_of(book, offered=("trips",)).ready()
    table.begin(trips=()) if book.endswith("uth") else table.bet(
        (1, BASE[book], 1000), *([(1, "five_card_bonus", 1000)] * (book == "nj-pikit"))
    )
    return table.let_out().deal()


async def rows(page):
    """The rows of the open list: the words of each, and its keys."""
    await page.wait_for_selector("#dialog[open] .row")
    return await page.eval_on_selector_all(
        ".row", "rows => rows.map(r => [...r.querySelectorAll('button')].length)"
    )


async def reported(book, folder, people, wanted=lambda trigger: True):
    """Plays each key of the list at a table of its own state; returns what was on screen and what came of it."""
    core = CoreTable(folder / "c.sock", dealt(book))
    start, found = core.table.state, []
    async with screen(core, folder, people, (1280, 800)) as page:
        hands = Fingers(page, core)
        await hands.tap("#irregular")
        keys = await rows(page)
        order = await page.eval_on_selector_all(".row button", "keys => keys.map(k => k.dataset.trigger)")
        assert len(order) == sum(keys)
        assert set(order) == {str(trigger) for trigger in reportable(core.table.setup)}
        for n, trigger in enumerate(order):
            if not wanted(trigger):
                continue
            core.change(lambda table: setattr(table, "state", start))
            await page.evaluate("document.querySelector('#dialog').close()")
            await hands.shown(core.order)
            hands.touches, hands.done = 0, []
            await hands.tap("#irregular")
            await hands.tap(".row button", n)
            await page.wait_for_function(
                "() => document.querySelector('#follows, #dialog-text:not(:empty)') && !document.querySelector('.row')"
            )
            assert hands.touches == 2
            follows = await page.locator("#follows li").all_inner_texts()
            before = len(core.facts)
            if not follows:
                found.append((trigger, [], await page.inner_text("#dialog-text"), []))
                continue
            await hands.act("#dialog-keys button.main")
            found.append((trigger, follows, "", core.facts[before:]))
    return found


def fits(trigger, follows, refused, facts):
    """What was shown is what came: each duty, each void and each hold, with its clauses."""
    if refused:
        assert trigger in AFTER_SOMETHING or "now" in refused, refused
        return
    text = "\n".join(follows)
    events = [fact.event for fact in facts]
    assert any(
        isinstance(x, f.DispositionMade | f.SomethingElseReported | f.HoldPlaced | f.DutyOpened) for x in events
    ), (trigger, events)
    for event in events:
        if isinstance(event, f.RoundVoided | f.HandVoided | f.DutyOpened | f.DispositionMade):
            assert all(clause in text for clause in event.cite), (trigger, event, follows)
    if trigger == Trigger.SOMETHING_ELSE:
        assert any(isinstance(x, f.HoldPlaced) and not x.cite for x in events)
        assert "[" not in text, "it cites nothing"
        assert "floorperson" in text


@pytest.mark.timeout(120)
async def test_what_follows_is_read_before_it_is_confirmed(tmp_path, people):
    few = ("something_else", "dealer_card_exposed")
    found = await reported("md-uth", tmp_path, people, lambda trigger: trigger in few)
    assert {trigger for trigger, *_ in found} == set(few)
    for one in found:
        fits(*one)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("book", BASE)
async def test_each_irregularity_of_each_document(book, tmp_path, people):
    found = await reported(book, tmp_path, people)
    for one in found:
        fits(*one)
    true = sum(not refused for _, _, refused, _ in found)
    print(f"{book}: {len(found)} keys for {len({x[0] for x in found})} irregularities, {true} true in this state")
