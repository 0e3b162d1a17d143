"""The lines of a card-reading shoe: what each means, what is only kept, and that no card gets past the grammar."""

import asyncio
import random
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drivers import events
from drivers.catalog import Codec, judge
from drivers.device import DeviceConfig
from drivers.lines.bee_tek import BeeTek, beetek_link
from drivers.lines.faces import withheld
from drivers.protocol.host.link import LevelRefused
from drivers.protocol.payloads import encode_report
from drivers.protocol.reports import (
    AlarmRaised,
    Back,
    CardDrawn,
    DeviceKind,
    Level,
    LineUnparsed,
    Recognition,
    Severity,
)
from drivers.session.edge import fit_to_show
from drivers.session.session import DeviceSession
from drivers.transport import LoopbackCable


def drawn(recognition=Recognition.READ, *, burned=False, again=False):
    return CardDrawn(Back.UNKNOWN, recognition, burned, again, None)


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("[Game]<Card:4S>", drawn()),
        (" [Game]<Card:S4> ", drawn()),
        ("[game]<card:10h>", drawn()),
        ("[Game]<Card:TH>", drawn()),
        ("[Game] <Card: AD >", drawn()),
        ("[Manual Burn Cards]<Card:H3>", drawn(burned=True)),
        ("[Game]<>", drawn(Recognition.UNREADABLE)),
        ("[Game]<Card:>", drawn(Recognition.UNREADABLE)),
        ("[Game]<Game>", drawn(Recognition.UNREADABLE)),
        ("[Manual Burn Cards]<Game>", drawn(Recognition.UNREADABLE, burned=True)),
        ("[Manual Burn Cards]<Manual Burn Cards>", drawn(Recognition.UNREADABLE, burned=True)),
        ("[Game]<Alarm:E3 Card Not Read>", AlarmRaised(Severity.ALARM, 3, "Card Not Read")),
        ("[GameAlarm]<Alarm:E12>", AlarmRaised(Severity.ALARM, 12, "")),
        ("[Game]<Alarm:Lid>", AlarmRaised(Severity.ALARM, 0, "Lid")),
        ("[Game]<Alarm:E4 Duplicate 4S>", AlarmRaised(Severity.ALARM, 4, "Duplicate **")),
        ("<W0x01>", AlarmRaised(Severity.WARNING, 1, "")),
        ("[Game]<W0xfE>", AlarmRaised(Severity.WARNING, 254, "")),
    ],
)
def test_what_a_line_means(line, means):
    """By the published examples of programs that read such a shoe; which card it was is in no report."""
    assert BeeTek().read(line, 0.0) == means


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Bee-Tek 2.1 ready", "Bee-Tek 2.1 ready"),
        ("[Diagnostic]<Sensor 3 ok>", "[Diagnostic]<Sensor 3 ok>"),
        ("[Diagnostic]<Card:4S>", "[Diagnostic]<Card:**>"),
        ("[Game]<Card:1S>", "[Game]<Card:**>"),
        ("[Game]<Card:4S4H>", "[Game]<Card:**>"),
        ("[Game]<Card:4S", "[Game]<Card:**"),
        ("<Card:4S>", "<Card:**>"),
        ("[Game]<Next 4S,TH QC>", "[Game]<Next **>"),
        ("saw the ace of spades", "saw the **"),
        ("[Game]<W0x12345>", "[Game]<W0x12345>"),
    ],
)
def test_what_means_nothing_is_kept_without_its_cards(line, kept):
    """A line is never dropped, and never a way around the rule that cards stay in the device."""
    assert BeeTek().read(line, 0.0) == LineUnparsed(kept)


CARD = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:10|[2-9TJQKA])[CDHS]|[CDHS](?:10|[2-9TJQKA]))(?![A-Za-z0-9])", re.IGNORECASE
)
WORDS = st.sampled_from(
    ["[Game]", "[Manual Burn Cards]", "<", ">", "Card:", "Alarm:", "4S", "HT", "10d", "E3 ", " ", ","]
)


@given(st.lists(WORDS | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=5)).map("".join))
@example("[Game]<Alarm:4S")
@example("4S 4S")
def test_no_report_of_any_line_names_a_card(line):
    """Whatever is said, what comes out can be encoded and has no card in it."""
    report = BeeTek().read(line[:128], 0.0)
    assert not CARD.search(getattr(report, "text", ""))
    encode_report(report)


def test_the_same_line_at_once_is_kept_and_marked():
    """Told twice or two equal cards: the shoe cannot say. Later, or with another line between, it is a card of its own."""
    shoe = BeeTek()
    line, other = "[Game]<Card:4S>", "[Game]<Card:5S>"
    told = [(line, 0.0), (line, 0.15), (line, 0.31), (other, 0.35), (line, 0.4), (line, 9.0)]
    assert [shoe.read(text, at).repeat_suspected for text, at in told] == [False, True, False, False, False, False]


def test_it_is_a_shoe_of_its_kind_that_takes_no_commands_and_is_for_tests_only():
    """It says nothing of itself, so nobody can approve it for real play."""
    link = beetek_link("shoe-7", boot=3)
    link.connect(0.0)
    (welcomed, online) = link.tick(0.0)
    assert (welcomed.identity.kind, welcomed.identity.serial) == (DeviceKind.SHOE, "shoe-7")
    assert not online.gap_closed
    assert link.data_to_send() == b""
    link.set_level(Level.DISPENSING, "inhibited", 1, 0.0)
    (refused,) = link.tick(0.0)
    assert isinstance(refused, LevelRefused)
    about = {"kind": DeviceKind.SHOE, "serial": None, "codec": Codec.BEETEK}
    assert judge(welcomed.identity, accept_test_only=True, **about) is None
    assert "for tests only" in judge(welcomed.identity, accept_test_only=False, **about).detail


def test_through_a_session_each_line_is_a_report_with_a_count_made_by_the_host(recorder, virtual):
    """Bytes in any pieces; a line that is cut off is no card, and the count goes on over a loss of the port."""

    async def scene():
        cable = LoopbackCable()
        far = cable.device(lambda _: None, lambda *_: None)
        await far.open()
        config = DeviceConfig("shoe-1", DeviceKind.SHOE, "cable", accept_test_only=True, speaks=Codec.BEETEK)
        session = DeviceSession(
            config, deliver=recorder.deliver, entropy=random.Random(1).randbytes, rng=random.Random(2),
            transport_factory=lambda _, on_data, on_lost: cable.host(on_data, on_lost),
        )  # fmt: skip
        task = asyncio.ensure_future(session.run())
        await asyncio.sleep(0.1)
        (online,) = recorder.bodies(events.DeviceOnline)
        assert (online.device_kind, online.gap_closed) == (DeviceKind.SHOE, False)
        assert {c.value for c in online.capabilities} == {"reads_cards", "tells_draws"}
        far.write(b" [Game]<Card:4S> \r\n [Ga")
        await asyncio.sleep(0.1)
        far.write(b"me]<Game> \r\n[Game]<Ca")
        await asyncio.sleep(1)
        far.write(b"[Manual Burn Cards]<Card:H3>\r\n")
        await asyncio.sleep(0.1)
        found = [drawn(), drawn(Recognition.UNREADABLE), drawn(burned=True)]
        assert recorder.bodies(CardDrawn) == found
        assert recorder.counters == [(online.boot, 1), (online.boot, 2), (online.boot, 3)]
        assert session.counters["partial"] == 1
        task.cancel()
        await asyncio.wait({task})
        await far.close(0)

    virtual(scene())


def test_withholding_twice_changes_nothing_more():
    """What was withheld once stays as it is."""
    text = withheld("[Game]<Next 4S,TH QC> ace of spades")
    assert withheld(text) == text


@pytest.mark.parametrize("speaks", [Codec.TDP, Codec.LINE, Codec.BEETEK])
def test_the_last_frames_of_a_device_that_writes_lines_hold_no_byte_of_them(speaks, tmp_path):
    """A file that explains a fault must not name the cards that were drawn before it; frames of TDP/1 name none."""
    config = DeviceConfig("shoe-1", DeviceKind.SHOE, "cable", accept_test_only=True, speaks=speaks)
    session = DeviceSession(config, deliver=lambda _: True, entropy=bytes, rng=random.Random(1), frames=tmp_path)
    session._flight.came(b"[Game]<Card:4S>\r\n")
    (line,) = session._flight.lines()
    assert ('"bytes": 17' in line) is (speaks is not Codec.TDP)
    assert (b"Card:4S".hex() in line) is (speaks is Codec.TDP)


@pytest.mark.parametrize(
    ("text", "kept"), [("drawn: 4S", "drawn: **"), ("ace of spades!", "**!"), ("door open", "door open")]
)
def test_no_text_of_any_device_keeps_a_card(text, kept):
    """Whatever it speaks: what a maker writes into an alarm, and lines that mean nothing here."""
    assert fit_to_show(LineUnparsed(text)) == LineUnparsed(kept)
    assert fit_to_show(AlarmRaised(Severity.ALARM, 3, text)) == AlarmRaised(Severity.ALARM, 3, kept)
