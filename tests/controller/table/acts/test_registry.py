"""Each act has one row, and `verify_x` stands beside `x` on one screen."""

import inspect
import re

import pytest

from controller.table.acts.registry import REGISTRY, ROWS, by_kind
from controller.table.words import acts as a

SCREEN = 110
"""Lines of a high screen."""


def test_each_act_has_one_row():
    assert list(a.ACTS.values()) == a.Act.__subclasses__()
    assert {kind: row.act for kind, row in REGISTRY.items()} == a.ACTS


def test_an_act_without_a_row_or_with_two_is_named():
    with pytest.raises(LookupError, match=ROWS[0].act.kind):
        by_kind(ROWS[1:])
    with pytest.raises(LookupError, match="end_round"):
        by_kind((*ROWS, REGISTRY["end_round"]))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.act.kind)
def test_verify_stands_beside_record(row):
    """Both bear the name of the act; in their file nothing stands between them."""
    kind, does = row.act.kind, row.record or row.parts
    assert (row.record is None) is not (row.parts is None)
    assert does.__name__ == kind
    if row.verify is None:
        return
    assert row.verify.__name__ == f"verify_{kind}"
    assert row.verify.__module__ == does.__module__
    (asked, first), (done, then) = inspect.getsourcelines(row.verify), inspect.getsourcelines(does)
    assert then == first + len(asked) + 2
    assert len(asked) + len(done) + 2 <= SCREEN


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.act.kind)
def test_an_act_is_typed_where_it_is_handled(row):
    """Nobody has to ask an act which one it is."""
    for function in (row.verify, row.record, row.parts):
        if function is not None:
            assert function.__annotations__["act"] is row.act
            assert not re.search(r"isinstance\(act\b", inspect.getsource(function))
