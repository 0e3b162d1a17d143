"""The table as a start puts it on record: everything by which it is decided, and the same table again from it."""

import pytest

from controller.rules.elections import ElectionsInvalid
from controller.rules.vocabulary import Method
from controller.table.state.recorded_setup import setup_from, setup_told
from controller.table.state.table import Setup
from controller.table.words.codec import decode_input, encode_input
from controller.table.words.inputs import Input, Moment, ServiceStarted, TableSetup
from controller.table.words.structs import replace
from tests.controller.table.conftest import MakeTable


@pytest.fixture
def setup(make_table: MakeTable) -> Setup:
    """A table of which nothing is as it is by itself."""
    table = make_table(
        "ma-uth", Method.HAND, elect={"R-71": "hold"}, offered=("trips", "progressive", "cover_all"),
        backs=("blue", "green"), devices=("shuffler-1", "line-1"), limits={"ante": (500, 20_000)},
        payout_limit=5_000_000, unit=25,
    )  # fmt: skip
    return replace(table.setup, seats=5, currency="CAD", progressive_cents=100)


def test_everything_of_the_table_is_told_but_its_rulebook(setup: Setup) -> None:
    """In plain words and whole cents, the optional wagers by their names, each election with who made it."""
    told = setup_told(setup)
    assert told.elections["R-71"] == ("hold", "bench")
    assert told.elections.keys() == setup.law.elections.keys()
    assert replace(told, elections={}) == TableSetup(
        seats=5, backs=("blue", "green"), method="hand", devices={"shuffler-1": "shuffler", "line-1": "line"},
        elections={}, offered=("cover_all", "progressive", "trips"), currency="CAD", progressive_cents=100,
        limits={"ante": (500, 20_000)}, payout_limit=5_000_000, unit=25,
    )  # fmt: skip


def test_what_was_told_makes_the_same_table_again_from_a_record(setup: Setup, make_table: MakeTable) -> None:
    """Through the bytes of the record, with the rulebook that it names."""
    given = Input(
        Moment(0, 0, ""), "table", ServiceStarted("1", "ma-uth", "1", "0" * 64, setup_told(setup)), None, None
    )
    body = decode_input(given.body.kind, given.subject, given.at, encode_input(given)).body
    assert body == given.body
    assert isinstance(body, ServiceStarted)
    assert body.setup is not None
    book = make_table("ma-uth", unelected=True).setup.law.rulebook
    assert setup_from(body.setup, "bench", "t1", book) == setup


def test_another_rulebook_does_not_have_what_was_elected(setup: Setup, make_table: MakeTable) -> None:
    """It makes no table, and names what it does not know."""
    with pytest.raises(ElectionsInvalid, match="elections for fast-action"):
        setup_from(setup_told(setup), "bench", "t1", make_table("fast-action").setup.law.rulebook)
