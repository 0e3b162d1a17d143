"""A recording that may leave the house lives the same life, and names neither the device nor a card."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.catalog import Codec
from drivers.protocol import messages as m
from drivers.protocol.codec import decode, encode
from drivers.protocol.framing import decode_piece, encode_frame
from drivers.protocol.reports import Level, LineUnparsed
from drivers.recording.anonymise import PUBLIC_KEY, anonymise
from drivers.recording.format import Entry, Recording, RecordingInvalid, read_recording
from drivers.recording.replay import replay
from drivers.recording.words import event_words
from tests.captures.scenes import SEALED, Scene

CAPTURES = Path(__file__).parents[2] / "captures"
CORPUS = [path for path in sorted(CAPTURES.glob("*.jsonl")) if path.stem not in SEALED]
HEADER = read_recording([CAPTURES / "shoe-jam.jsonl"]).header


def words(recording, key_file=None):
    return [event_words(event) for _, event in replay(recording, key_file).events]


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_same_life_without_the_name_of_the_device(path):
    """Every write of the driver, every event; only the serial number is another."""
    before = read_recording([path])
    after = anonymise(before, random.Random(1))
    assert replay(after).differences == []
    assert [re.sub("serial='[^']*'", "", line) for line in words(after)] == [
        re.sub("serial='[^']*'", "", line) for line in words(before)
    ]
    assert "SIM-" in str(words(before))
    assert "SIM-" not in str(words(after)) + str(after.header) + str([e.given for e in after.entries])
    assert not any(b"SIM-" in entry.data for entry in after.entries), "nor in a damaged frame"
    assert [e.us for e in after.entries] == [e.us for e in before.entries]


def shoe_lines(*reads):
    entries = tuple(Entry(n, "in", "", data) for n, data in enumerate(reads, 1))
    return Recording(replace(HEADER, speaks=Codec.BEETEK), entries)


def text_of(recording):
    return b"".join(entry.data for entry in recording.entries).decode()


def test_cards_in_lines_become_other_cards_and_repeats_stay_repeats():
    """Also where a card lies across two reads; what is no card stays as it is, and nothing changes its length."""
    lines = "[Game]<Card:4S>\r\n[Game]<Card:S4>\r\n[Game]<Card:10H>\r\n[Game]<Alarm:E3 Card Not Read>\r\n[Game]<W0x01>\r\n"
    raw = lines.encode()
    before = shoe_lines(raw[:13], raw[13:14], raw[14:40], raw[40:])
    after = anonymise(before, random.Random(2))
    assert [len(e.data) for e in after.entries] == [len(e.data) for e in before.entries]
    found = re.findall(r"Card:(\w+)>", text_of(after))
    assert found[0] == found[1][::-1] != "4S", "the same card in either order"
    assert found[2][:2] == "10"
    behind = lines.index("[Game]<Alarm")
    assert text_of(after)[behind:] == lines[behind:]
    others = {text_of(anonymise(before, random.Random(seed))) for seed in range(20)}
    assert len(others) > 10


def test_no_two_cards_become_one():
    """The map is one to one, so that a deck stays a deck."""
    deck = [rank + suit for rank in ("A", "10", *"23456789JQK") for suit in "CDHS"]
    after = text_of(anonymise(shoe_lines(" ".join(deck).encode()), random.Random(3))).split()
    assert sorted(after) == sorted(deck)
    assert after != deck


def test_texts_in_frames_are_changed_and_their_checks_are_right():
    """A display's words, and a line that a device put into a report."""
    session = 7
    shown = m.Frame(m.Request(m.SetLevel(Level.DISPLAY, "seat 3 folds", 1)), session, 1)
    told = m.Frame(m.Event(1, m.Record(1, 2, LineUnparsed("next QS"))), session, 1)
    out, came = (encode_frame(encode(frame)) for frame in (shown, told))
    entries = (
        Entry(1, "host", "set_level", given={"level": "display", "value": "seat 3 folds", "operation": 1}),
        Entry(2, "out", "", out),
        Entry(3, "in", "", came[:9]),
        Entry(4, "in", "", came[9:]),
    )
    after = anonymise(Recording(HEADER, entries), random.Random(4))
    (wish,) = [decode(decode_piece(p)) for p in after.entries[1].data.split(b"\0") if p]
    assert wish == replace(shown, message=m.Request(m.SetLevel(Level.DISPLAY, "x" * 12, 1)))
    assert after.entries[0].given["value"] == "x" * 12
    whole = after.entries[2].data + after.entries[3].data
    (event,) = [decode(decode_piece(p)).message for p in whole.split(b"\0") if p]
    assert re.fullmatch(r"next [2-9JQKA][CDHS]", event.record.report.text)
    assert event.record.report.text != "next QS"


def test_a_sealed_session_is_sealed_anew_with_a_key_that_everybody_knows(virtual, tmp_path):
    """The device's key is needed once and stands in nothing; another one is refused, and so is none."""
    tmp_path.chmod(0o700)
    own, public, texts = tmp_path / "own", tmp_path / "public", []
    for path, key in ((own, bytes(range(9, 41))), (public, PUBLIC_KEY)):
        path.touch(0o600)
        path.write_bytes(key)

    async def life():
        async with Scene("progressive", key_file=own) as scene:
            await scene.want(Level.LOCKOUT, "released")
            await scene.hands("put_chip", seat=1, sensor=1)
        texts.append(scene.text)

    virtual(life())
    path = tmp_path / "now.jsonl"
    path.write_text(texts[0])
    before = read_recording([path])
    with pytest.raises(RecordingInvalid, match="--key-file"):
        anonymise(before, random.Random(5))
    with pytest.raises(RecordingInvalid, match="not the one"):
        anonymise(before, random.Random(5), PUBLIC_KEY)
    after = anonymise(before, random.Random(5), own.read_bytes())
    assert replay(after, public).differences == []
    assert len(words(after, public)) == len(words(before, own)) > 5
    assert replay(after, own).differences
