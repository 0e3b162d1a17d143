"""A command in a process of its own: its answer, its last words, and that nothing of it stays behind."""

import asyncio
import os
from pathlib import Path

import pytest

from controller.daemon.subprocess_json import NoAnswer, answer_of


async def test_it_answers_in_json_with_the_least_priority() -> None:
    """The table comes first on a PC of two cores."""
    answer = await answer_of("-c", "import os, time; time.sleep(0.2); print('{\"nice\": %d}' % os.nice(0))")
    assert answer == {"nice": 19}


@pytest.mark.parametrize(
    ("code", "ended", "said"),
    [("raise SystemExit('no room')", 1, "no room"), ("print('[1]')", 0, ""), ("print('{')", 0, ""),
     ("raise SystemExit(7)", 7, ""), ("import os; os.kill(os.getpid(), 9)", -9, ""),
     ("import sys; sys.exit('x' * 999 + ' it ends here')", 1, "x" * 487 + " it ends here")],
)  # fmt: skip
async def test_without_an_answer_its_end_is_told(code: str, ended: int, said: str) -> None:
    """With what it complained of, at most its last words."""
    with pytest.raises(NoAnswer) as caught:
        await answer_of("-c", code)
    assert (caught.value.code, caught.value.said) == (ended, said)


async def test_nothing_stays_behind_when_nobody_waits_any_more(tmp_path: Path) -> None:
    """A daemon that stops does not leave a proof of an hour running."""
    mark = tmp_path / "pid"
    code = f"import os, pathlib, time; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); time.sleep(600)"
    asking = asyncio.create_task(answer_of("-c", code))
    async with asyncio.timeout(30):
        while not mark.exists() or not mark.read_text():  # noqa: ASYNC110  # what is waited for tells nobody
            await asyncio.sleep(0.02)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
