"""Which cards were told cannot be found from what a table publishes, by trying every hand."""

from collections.abc import Iterable
from hashlib import sha256
from itertools import permutations
from pathlib import Path

import msgspec
import pytest

from controller.backoffice.envelope import Event, read
from controller.journal.chain import SALT_BYTES
from controller.journal.record import Record, Stream
from tests.controller.backoffice.conftest import Captured, capture

DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
HANDS = [" ".join(pair).encode() for pair in permutations(DECK, 2)]
TWO_CARDS = 5
"""Characters of a hand of two cards, such as `As Kd`."""


def guessed(clear: bytes, cards: str, datahash: bytes, salts: Iterable[bytes]) -> set[str]:
    """The hands that fit the commitment. The guesser knows all of the body but its cards, and has these salts to try."""
    before, after = clear.split(cards.encode())
    found = set()
    for salt in salts:
        begun = sha256(len(salt).to_bytes(8, "big") + salt + len(clear).to_bytes(8, "big") + before)
        for hand in HANDS:
            (whole := begun.copy()).update(hand + after)
            if whole.digest() == datahash:
                found.add(hand.decode())
    return found


def hands_of(table: Captured) -> list[tuple[Record, Record, str]]:
    """Each hand of two cards on record: as recorded, in clear, and its cards."""
    journal, found = table.journal.journal, []
    for record in journal.read(Stream.MAIN, 0, 10_000):
        if record.kind == "hand_recorded":
            clear = journal.clear(record)
            cards = msgspec.json.decode(clear.data, type=dict[str, object])["cards"]
            if isinstance(cards, str) and len(cards) == TWO_CARDS:
                found.append((record, clear, cards))
    return found


@pytest.mark.parametrize("opens", [False, True], ids=["never", "after_round"])
@pytest.mark.parametrize("seals", [False, True], ids=["no vault", "vault"])
def test_no_two_cards_fit_what_is_published_of_them(tmp_path: Path, opens: bool, seals: bool) -> None:
    """Every hand is tried with the salts that went out about it, one of them with all salts of the day; with its own salt it
    would be found."""
    table = capture(tmp_path, "uth-017", opens=opens, seals=seals)
    events = [read(text) for kind, text in table.messages if kind == "evt"]
    by_number = {event.sequence: event for event in events if event.envelope.stream == "main"}
    salts = {event.salt for event in events if event.salt} | {bytes(SALT_BYTES), b""}
    hands = hands_of(table)
    assert len(hands) == 3
    for record, clear, cards in hands:
        event: Event = by_number[record.sequence]
        assert bool(event.data) == (opens and seals)
        near = {e.salt for n, e in by_number.items() if abs(n - record.sequence) < 9} | {bytes(SALT_BYTES), b""}
        assert guessed(clear.data, cards, record.datahash, salts if record is hands[0][0] else near) == set()
        assert (record.salt in salts) == (opens and seals)
        if not seals:
            assert guessed(clear.data, cards, record.datahash, [record.salt]) == {cards}, "the guesser works"
        if event.data:
            sealed = msgspec.json.decode(event.data, type=dict[str, object])["cards"]
            assert isinstance(sealed, str | list)
            tries = {sha256(salt + card.encode()).hexdigest() for salt in salts for card in DECK}
            assert not tries & {*(sealed.split() if isinstance(sealed, str) else sealed)}
    table.journal.journal.close()
