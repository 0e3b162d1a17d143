"""What was noticed once is not tried again on another machine, unless its function has changed or nobody noticed."""

import json
from pathlib import Path

import pytest

from tests.mutants.tried import recall, remember

PAY, TAKE = "controller.table.money.x_pay", "controller.table.money.x_take"


def made(folder: Path, codes: dict[str, int | None], **hashes: str) -> Path:
    meta = folder / "controller" / "table" / "money.py.meta"
    meta.parent.mkdir(parents=True)
    meta.write_text(json.dumps({"exit_code_by_key": codes, "hash_by_function_name": hashes}))
    return meta


@pytest.fixture
def kept(tmp_path: Path):
    codes = {f"{PAY}__mutmut_{n}": code for n, code in enumerate((1, 0, 33, -24), 1)} | {f"{TAKE}__mutmut_1": 1}
    made(tmp_path / "here", codes, x_pay="aa", x_take="bb")
    return remember(tmp_path / "here")


def test_what_was_noticed_is_recalled_where_the_function_is_the_same(tmp_path, kept):
    """Survivors are tried again, and all of a function that has another hash."""
    keys = [f"{PAY}__mutmut_{n}" for n in range(1, 6)] + [f"{TAKE}__mutmut_1"]
    meta = made(tmp_path / "there", dict.fromkeys(keys), x_pay="aa", x_take="other")
    assert recall(kept, tmp_path / "there") == 2
    codes = json.loads(meta.read_text())["exit_code_by_key"]
    assert codes == {**dict.fromkeys(keys), f"{PAY}__mutmut_1": 1, f"{PAY}__mutmut_4": 1}


def test_what_was_tried_here_since_is_not_overwritten(tmp_path, kept):
    """A test that was taken away may have let a change survive now."""
    meta = made(tmp_path / "there", {f"{PAY}__mutmut_1": 0}, x_pay="aa")
    assert recall(kept, tmp_path / "there") == 0
    assert json.loads(meta.read_text())["exit_code_by_key"] == {f"{PAY}__mutmut_1": 0}
