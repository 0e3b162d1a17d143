"""Each refusal, hold, alarm and fault has a code, and docs/codes.md explains each."""

import re
from collections.abc import Callable

import pytest

from controller.backoffice.proof import Code
from controller.control.desk import ErrorCode
from controller.publish.requests.commands import CommandRefusal
from controller.publish.requests.confirmations import AckRefusal
from controller.text.codes.devices import DEVICES
from controller.text.codes.faults import FAULTS
from controller.text.codes.findings import FINDINGS
from controller.text.codes.holds import HOLDS
from controller.text.codes.office import COMMANDS, CONFIRMATIONS
from controller.text.codes.refusals import REFUSALS
from controller.text.codes.requests import LINES, REQUESTS
from drivers.errors import Fault
from tests.codes import raised
from tests.codes.page import SECTIONS, page

WORDS = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
CONTRADICTS = {"irregularity_contradicts", "settlement_contradicts", "stub_count_contradicts"}


@pytest.mark.parametrize(
    ("listed", "raises"),
    [
        (set(REFUSALS), raised.refusals),
        (set(HOLDS), lambda: raised.holds() | CONTRADICTS),
        (set(FAULTS), raised.faults),
        (set(LINES), lambda: raised.lines() | {"round_unfit", "card_unfit"}),
        (set(REQUESTS), lambda: {code.value for code in ErrorCode}),
        (set(FINDINGS), lambda: {code.value for code in Code}),
        (set(COMMANDS), lambda: {code.value for code in CommandRefusal}),
        (set(CONFIRMATIONS), lambda: {code.value for code in AckRefusal}),
        (set(DEVICES), lambda: {fault.value for fault in Fault}),
    ],
    ids=["refusals", "holds", "faults", "lines", "requests", "findings", "commands", "confirmations", "devices"],
)
def test_every_code_is_listed_and_every_listed_code_is_raised(
    listed: set[str], raises: Callable[[], set[str]]
) -> None:
    """A code without a meaning helps nobody, and one that nothing raises misleads."""
    found = raises()
    assert (found - listed, listed - found) == (set(), set())


def test_no_refusal_and_no_hold_is_raised_without_a_code() -> None:
    """The calls themselves are looked at."""
    assert raised.without_code() == []


def test_the_page_is_the_one_in_the_docs() -> None:
    """docs/codes.md is made by `python -m tests.codes.page` and by nobody's hand."""
    assert (raised.ROOT / "docs/codes.md").read_text() == page()


def test_codes_are_short_words_and_texts_are_sentences() -> None:
    """A person reads what it means and what to do."""
    for _, _, codes in SECTIONS:
        for code, texts in codes.items():
            assert WORDS.fullmatch(code), code
            assert all(text.endswith(".") and text[0].isupper() for text in texts), code
