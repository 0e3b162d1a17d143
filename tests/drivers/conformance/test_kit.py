"""The kit for makers: right devices pass it whole, and each broken one fails where its fault lies, and says what it did."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.conformance.run import CHECKS
from drivers.conformance.trial import Outcome
from drivers.protocol import messages as m
from drivers.protocol.auth import measurement
from drivers.protocol.chain import LogChain
from drivers.protocol.device import link as device_protocol
from drivers.protocol.device.auth import KeyHolder
from drivers.protocol.device.link import DeviceLink, HostLost
from drivers.protocol.framing import Cause, Deframer, FrameError, cobs_decode
from drivers.protocol.reports import DoorOpened
from simulators.devices.model import Latch
from tests.drivers.conformance.table import table

KEY = bytes(range(32))
IMAGE = bytes(range(251)) * 40
ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("kind", ["progressive", "shoe", "shuffler"])
def test_our_devices_meet_every_clause_that_can_be_tried_without_a_person(trial, kind):
    """All that is left out is what needs a key or somebody to switch it off."""
    results = trial(kind)
    assert len(results) == len(CHECKS)
    failed = {name: r.detail for name, r in results.items() if r.outcome is Outcome.FAILS}
    assert failed == {}
    left_out = {name for name, r in results.items() if r.outcome is Outcome.NOT_TRIED}
    assert left_out == {
        "unproven", "wrong_proof", "sealed", "unsealed", "chained", "chained_before", "measured", "not_in_image", "new_boot",
        "safe_after_reboot",
    }  # fmt: skip


def test_a_device_with_a_key_is_tried_with_its_key(trial):
    """The same clauses, each frame sealed; and those that only a key makes possible."""
    results = trial("shoe", key=KEY, host_key=KEY, image=IMAGE, measured_by=IMAGE)
    assert {name: r.detail for name, r in results.items() if r.outcome is Outcome.FAILS} == {}
    assert {name for name, r in results.items() if r.outcome is Outcome.NOT_TRIED} == {
        "uncalled_seal", "no_key", "unchained", "new_boot", "safe_after_reboot",
    }  # fmt: skip


def test_a_device_with_a_key_cannot_be_tried_without_it(trial):
    """Said as that, and not as a fault of the device."""
    results = trial("shoe", key=KEY, names=["pong", "window"])
    assert {r.outcome for r in results.values()} == {Outcome.NOT_TRIED}
    assert "--key-file" in results["pong"].detail


@pytest.mark.parametrize("keeps_log", [True, False])
def test_a_reboot_is_tried_with_a_person(trial, keeps_log):
    """Who switches the device off and on when asked to."""
    results = trial("progressive", reboot=True, keeps_log=keeps_log, names=["new_boot", "safe_after_reboot"])
    assert {name: (r.outcome, r.detail) for name, r in results.items()} == {
        "new_boot": (Outcome.MEETS, ""), "safe_after_reboot": (Outcome.MEETS, ""),
    }  # fmt: skip


# --- broken devices: one line of the right link end changed in each ---------------------------------------------------


class TakesAnyCheck(DeviceLink):
    def __init__(self, *args, **given):
        super().__init__(*args, **given)

        class Blind(Deframer):
            def _end_piece(self, piece):
                piece = bytes(self._held) + piece
                self._held.clear()
                try:
                    return cobs_decode(piece)[:-4] or None
                except FrameError as error:
                    self.count(error.cause, len(piece))
                    return None

        self._deframer = Blind()


class CountsNothing(DeviceLink):
    def receive(self, data, now):
        found = super().receive(data, now)
        self._deframer._frames = dict.fromkeys(Cause, 0)
        return found


class AnswersNoise(DeviceLink):
    def receive(self, data, now):
        before = sum(self._deframer.frames_dropped.values())
        found = super().receive(data, now)
        if sum(self._deframer.frames_dropped.values()) > before:
            self._send(m.Error(m.ERR_BAD_VALUE, True, "say again"), 0)
        return found


class WaitsForEver(DeviceLink):
    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        self._deframer.tick = lambda now: None


class LosesBytes(DeviceLink):
    """Takes whole reads for whole frames."""

    def receive(self, data, now):
        return super().receive(data if data.startswith(b"\0") and data.endswith(b"\0") else b"", now)


class TakesAnyVersion(DeviceLink):
    def _body(self, body, now):
        super()._body(bytes([0x10, body[1], body[2] & 0x0B]) + body[3:], now)


class ExactMinor(DeviceLink):
    def _body(self, body, now):
        if body[0] != 0x10:
            raise FrameError(Cause.VERSION, "not mine")
        super()._body(body, now)


class SilentOnUnknown(DeviceLink):
    def _send(self, message, seq, retransmit=False):
        if not (isinstance(message, m.Error) and message.code == m.ERR_UNKNOWN_TYPE):
            super()._send(message, seq, retransmit)


class AnySession(DeviceLink):
    def _body(self, body, now):
        if body[1] != m.TYPE_CODES[m.Hello] and self._session:
            body = body[:8] + self._session.to_bytes(4, "little") + body[12:]
        super()._body(body, now)


class HelloStarts(DeviceLink):
    def _hello(self, hello, payload, session):
        super()._hello(hello, payload, session)
        if session in self._offers:
            self._heard(session, self._now)


class NewWelcome(DeviceLink):
    def _hello(self, hello, payload, session):
        self._offers.pop(session, None)
        super()._hello(hello, payload, session)


class OneOffer(DeviceLink):
    def _hello(self, hello, payload, session):
        self._offers.clear()
        super()._hello(hello, payload, session)


class AnyHost(DeviceLink):
    def _hello(self, hello, payload, session):
        super()._hello(m.Hello(hello.nonce), payload, session)


class DeafToHello(DeviceLink):
    def _hello(self, hello, payload, session):
        if not self._session:
            super()._hello(hello, payload, session)


class RestartsOften(DeviceLink):
    def _tell_restarted(self, session, now):
        self._restarted_at = now - 10
        super()._tell_restarted(session, now)


class ExecutesTwice(DeviceLink):
    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        self._requests.is_new = lambda seq: True

    def _request(self, message, seq):
        super()._request(message, seq)
        if isinstance(message, m.Request) and isinstance(message.what, m.SetLevel):
            self.report(DoorOpened(), 0)


class StaleDigest(DeviceLink):
    def _pong(self, nonce, seq):
        self._send(m.Pong(nonce, self._boot, int(self._now * 1e6), 0, self._log.span(self._boot).last), seq)


class SaysYes(DeviceLink):
    def answer(self, request, ok, code=0, text=""):
        super().answer(request, True)


class NoAck(DeviceLink):
    def _send(self, message, seq, retransmit=False):
        self._requests.highest, kept = 0, self._requests.highest
        super()._send(message, seq, retransmit)
        self._requests.highest = kept


class NoWindow(DeviceLink):
    def _heard(self, session, now):
        super()._heard(session, now)
        self._pump.window = 1000


class NeverAgain(DeviceLink):
    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        self._pump.late = lambda now: []


class AlwaysAgain(DeviceLink):
    def _acknowledged(self, boot, counter):
        pass


class BelievesAnyAck(DeviceLink):
    def _acknowledged(self, boot, counter):
        super()._acknowledged(self._boot, min(counter, self._log.span(self._boot).last))


class ForgetsTheLog(DeviceLink):
    def _message(self, frame):
        if isinstance(frame.message, m.LogRead):
            read = frame.message
            self._send(m.LogGone(read.boot, read.first, read.last), frame.seq)
        else:
            super()._message(frame)


class LongBodies(DeviceLink):
    def _heard(self, session, now):
        super()._heard(session, now)
        self._max_payload = 482


class NoWatchdog(DeviceLink):
    def tick(self, now):
        self._heard_at = now
        return super().tick(now)


class FedByHello(DeviceLink):
    def _hello(self, hello, payload, session):
        super()._hello(hello, payload, session)
        self._heard_at = self._now


class Nervous(DeviceLink):
    def tick(self, now):
        if self._is_host_here and now >= self._heard_at + 1.0:
            self._lose_host()
        return super().tick(now)

    def next_deadline(self):
        found = super().next_deadline()
        return min(found, self._heard_at + 1.0) if found is not None and self._is_host_here else found


class IgnoresBye(DeviceLink):
    def _take(self):
        return [event for event in super()._take() if not isinstance(event, HostLost)]


class TalksToNobody(DeviceLink):
    def _message(self, frame):
        super()._message(frame)
        if isinstance(frame.message, m.Bye):
            self._is_host_here = True


class SmallLog(DeviceLink):
    def _welcome(self, nonce):
        return replace(super()._welcome(nonce), log_depth=64, identity=replace(self._identity, model=""))


class SleepingClock(DeviceLink):
    def _pong(self, nonce, seq):
        self._now, kept = 1000.0, self._now
        super()._pong(nonce, seq)
        self._now = kept


class NoMeasure(DeviceLink):
    def _message(self, frame):
        if not isinstance(frame.message, m.Measure | m.TimeSet):
            super()._message(frame)


class WrongNumber(DeviceLink):
    def _send_report(self, record, retransmit):
        self._send(m.Event(self._boot, record), 7, retransmit)


class OneDelimiterAFrame(DeviceLink):
    """Wants a zero byte of its own on both sides."""

    def receive(self, data, now):
        pieces = data.split(b"\0")
        return super().receive(b"\0".join([*pieces[:2], b""]) if len(pieces) > 3 else data, now)


class ExactLength(DeviceLink):
    def _message(self, frame):
        super()._message(frame)

    def _body(self, body, now):
        if body[1] == m.TYPE_CODES[m.Ping] and len(body) > 22:
            raise FrameError(Cause.LENGTH, "too long for a PING")
        super()._body(body, now)


class AnyChannel(DeviceLink):
    def _body(self, body, now):
        super()._body(body[:3] + (b"\0" if body[1] == m.TYPE_CODES[m.Ping] else body[3:4]) + body[4:], now)


class AnySeal(DeviceLink):
    def _body(self, body, now):
        sealed = body[2] & m.FLAG_SEALED
        super()._body(body[:2] + bytes([body[2] & ~m.FLAG_SEALED]) + body[3:-24] if sealed else body, now)


class NoTags(DeviceLink):
    def _body(self, body, now):
        if b"\xc8\x05later" in body:
            raise FrameError(Cause.PAYLOAD, "what is tag 200?")
        super()._body(body, now)


class RemembersTooLong(DeviceLink):
    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        recall, wishes = self._requests.recall, []

        def done_once(wish, levels):
            wishes.append(wish)
            return m.Response() if wish in wishes[:-1] else recall(wish, levels)

        self._requests.recall = done_once


class KnowsNoOperation(DeviceLink):
    def _request(self, message, seq):
        if isinstance(message, m.Request) and isinstance(message.what, m.SetLevel):
            self._wishes = getattr(self, "_wishes", 0) + 1
            message = m.Request(replace(message.what, operation=self._wishes))
        super()._request(message, seq)


class SmallDisplay(DeviceLink):
    """It takes fewer characters than its WELCOME says."""

    def answer(self, request, ok, code=0, text=""):
        super().answer(request, ok and len(request.value) < 40, code, text)


class OldHostsOnly(DeviceLink):
    def _hello(self, hello, payload, session):
        if hello.max_version == 1:
            super()._hello(hello, payload, session)


class YesToAll(DeviceLink):
    def _request(self, message, seq):
        if (
            isinstance(message, m.Request)
            and not isinstance(message.what, m.GetLevels)
            and self._requests.is_new(seq)
        ):
            self._answer(seq, m.Response())
        else:
            super()._request(message, seq)


class NoLevels(DeviceLink):
    def set_levels(self, levels):
        super().set_levels(type(levels)(lockout=None, dispensing="inhibited"))


class SlowEcho(DeviceLink):
    """Half a second late with every frame."""

    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        self._late = []

    def data_to_send(self):
        if data := super().data_to_send():
            self._late.append((self._now + 0.5, data))
        ready = [data for at, data in self._late if at <= self._now]
        self._late = [(at, data) for at, data in self._late if at > self._now]
        return b"".join(ready)

    def next_deadline(self):
        return min(
            [at for at, _ in self._late] + [t for t in [super().next_deadline()] if t is not None], default=None
        )


class NothingIsGone(DeviceLink):
    def _message(self, frame):
        read = frame.message
        if isinstance(read, m.LogRead) and read.boot != self._boot:
            self._send(m.Error(m.ERR_BUSY, True, "", m.CHANNEL_LOG), frame.seq)
        else:
            super()._message(frame)


class ValuesWithoutAKey(DeviceLink):
    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        self._chain = LogChain(KEY)


class ForgetsItsPlace(DeviceLink):
    """Chains each record to nothing."""

    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        value = self._chain.value
        self._chain.value = lambda boot, record, before: value(boot, record, bytes(8))


BROKEN = [
    (ValuesWithoutAKey, {"unchained"}),
    (OneDelimiterAFrame, {"shared_delimiters"}),
    (ExactLength, {"longer_payload"}),
    (AnyChannel, {"wrong_channel"}),
    (AnySeal, {"uncalled_seal"}),
    (NoTags, {"unknown_tag"}),
    (RemembersTooLong, {"wish_after_change"}),
    (KnowsNoOperation, {"opens_once"}),
    (SmallDisplay, {"display"}),
    (OldHostsOnly, {"later_host"}),
    (YesToAll, {"bad_requests", "missing_level"}),
    (NoLevels, {"levels"}),
    (SlowEcho, {"quick_enough"}),
    (NothingIsGone, {"gone"}),
    (TakesAnyCheck, {"wrong_check"}),
    (
        CountsNothing,
        {"wrong_check", "no_cobs", "too_many_bytes", "body_too_long", "wrong_length", "begun_and_left"},
    ),
    (AnswersNoise, {"wrong_check", "no_cobs", "impossible_payload"}),
    (WaitsForEver, {"begun_and_left"}),
    (LosesBytes, {"short_pause", "byte_by_byte"}),
    (TakesAnyVersion, {"wrong_version"}),
    (ExactMinor, {"minor_version"}),
    (SilentOnUnknown, {"unknown_type"}),
    (AnySession, {"another_session", "no_common_version"}),
    (HelloStarts, {"hello_only_offers"}),
    (NewWelcome, {"hello_again"}),
    (OneOffer, {"four_offers"}),
    (AnyHost, {"no_common_version"}),
    (DeafToHello, {"old_session_is_over"}),
    (RestartsOften, {"restarted"}),
    (ExecutesTwice, {"repeat", "stale_number", "same_wish"}),
    (StaleDigest, {"digest"}),
    (SaysYes, {"missing_level", "display"}),
    (NoAck, {"acknowledges"}),
    (NoWindow, {"window", "host_window"}),
    (NeverAgain, {"again", "ack_of_the_future"}),
    (AlwaysAgain, {"acknowledged", "window"}),
    (BelievesAnyAck, {"ack_of_the_future"}),
    (ForgetsTheLog, {"log_read", "powered_up", "no_such_range"}),
    (LongBodies, {"max_body"}),
    (NoWatchdog, {"watchdog"}),
    (FedByHello, {"watchdog"}),
    (Nervous, {"patience"}),
    (IgnoresBye, {"bye"}),
    (TalksToNobody, {"without_a_host"}),
    (SmallLog, {"log_depth", "welcome"}),
    (SleepingClock, {"pong"}),
    (NoMeasure, {"no_key", "time_set"}),
    (WrongNumber, {"events"}),
]


@pytest.mark.parametrize(("link", "expected"), BROKEN, ids=lambda v: v.__name__ if isinstance(v, type) else "")
def test_a_broken_device_fails_where_its_fault_lies(trial, link, expected):
    """Those checks fail, with words for what was seen; whatever else fails is a consequence."""
    results = trial("progressive", link=link, names=expected)
    failed = {name for name, r in results.items() if r.outcome is Outcome.FAILS}
    assert failed == expected
    assert all(len(results[name].detail) > 10 for name in failed)


class NeverProven(DeviceLink):
    """Has a key, and obeys whoever speaks; seals nothing."""

    def _verify_seal(self, header, body, now):
        pass

    def _auth(self, frame, now):
        super()._auth(frame, now)
        self._outbox.seal = None


class SaysNothingToAWrongKey(DeviceLink):
    def _reply(self, message, session):
        if not isinstance(message, m.Error):
            super()._reply(message, session)


class Rewritten(DeviceLink):
    """Somebody changed its first record before the trial, and could not work out a new value."""

    def report(self, report, tick_us):
        counter = super().report(report, tick_us)
        if counter == 1:
            _later(self, 1)
        return counter


class ReadsOnlyOnce(DeviceLink):
    """What it told once from its log it tells otherwise the next time."""

    def _message(self, frame):
        super()._message(frame)
        if isinstance(frame.message, m.LogRead):
            _later(self, frame.message.first)


def _later(link, counter):
    record = link._log._records[link._boot, counter]
    link._log._records[link._boot, counter] = replace(record, tick_us=record.tick_us + 1)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (NeverProven, {"unproven", "sealed", "unsealed"}),
        (SaysNothingToAWrongKey, {"wrong_proof", "unproven"}),
        (ForgetsItsPlace, {"chained"}),
        (Rewritten, {"chained_before"}),
        (ReadsOnlyOnce, {"chained_before"}),
    ],
)
def test_a_broken_device_with_a_key_fails(trial, link, expected):
    """What a key promises is tried as well."""
    results = trial("progressive", link=link, names=expected, key=KEY, host_key=KEY)
    assert {name for name, r in results.items() if r.outcome is Outcome.FAILS} == expected


class BeganAnew(DeviceLink):
    """A boot that chains to nothing, though the log of the one before was kept."""

    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        value, boot = self._chain.value, self._boot

        def forgetful(of, record, before):
            return value(of, record, bytes(8) if (of, record.counter) == (boot, 1) else before)

        self._chain.value = forgetful


@pytest.mark.parametrize(("link", "outcome"), [(DeviceLink, Outcome.MEETS), (BeganAnew, Outcome.FAILS)])
def test_the_chain_is_tried_over_a_reboot_that_was_before_the_trial(trial, link, outcome):
    """Each boot of a log that was kept follows from the one before."""
    given = {"key": KEY, "host_key": KEY, "keeps_log": True, "has_lived": True}
    found = trial("progressive", link=link, names={"chained_before"}, **given)["chained_before"]
    assert found.outcome is outcome
    assert outcome is Outcome.MEETS or "record 1 of boot" in found.detail


class AnyNonce(KeyHolder):
    """Its digest can be worked out beforehand, by whoever had the image once."""

    def measured(self, asked):
        return super().measured(replace(asked, nonce=bytes(16)))


class MeasuresAnything(KeyHolder):
    """It fills up with zeros what does not lie in its image."""

    def measured(self, asked):
        image = self._image
        self._image = image.ljust(min(2**20, max(offset + length for offset, length in asked.ranges)), b"\0")
        try:
            return m.Measured(measurement(self._keys.measure, asked.nonce, asked.ranges, self._image))
        finally:
            self._image = image


@pytest.mark.parametrize(("holder", "expected"), [(AnyNonce, {"measured"}), (MeasuresAnything, {"not_in_image"})])
def test_a_device_that_measures_badly_fails(trial, monkeypatch, holder, expected):
    """A digest that hangs on no nonce, and one of bytes that are in no image."""
    monkeypatch.setattr(device_protocol, "KeyHolder", holder)
    names = {"measured", "not_in_image"}
    results = trial("shoe", names=names, key=KEY, host_key=KEY, image=IMAGE, measured_by=IMAGE)
    assert {name for name, r in results.items() if r.outcome is Outcome.FAILS} == expected


def test_a_device_with_another_image_than_the_makers_fails(trial):
    """Its WELCOME names the image that is in it; without the file there is nothing to compare with."""
    other = bytes([IMAGE[0] ^ 1]) + IMAGE[1:]
    given = {"names": {"measured"}, "key": KEY, "host_key": KEY, "image": other}
    told = trial("shoe", **given, measured_by=IMAGE)["measured"]
    assert (told.outcome, "another image" in told.detail) == (Outcome.FAILS, True)
    assert trial("shoe", **given, measured_by=None)["measured"].outcome is Outcome.NOT_TRIED


class SameBoot(DeviceLink):
    def __init__(self, *args, boot, **given):
        super().__init__(*args, boot=77, **given)
        self._boot = 77


def test_a_device_that_reboots_badly_fails(trial, monkeypatch):
    """A boot number that stays, and a lock that comes up open."""
    results = trial("progressive", link=SameBoot, reboot=True, names={"new_boot"})
    assert results["new_boot"].outcome is Outcome.FAILS
    monkeypatch.setattr(Latch, "power_up", lambda self: None)
    monkeypatch.setattr(Latch, "close", lambda self, cause, operation=0: False)
    results = trial("progressive", link=DeviceLink, reboot=True, names={"safe_after_reboot"})
    assert results["safe_after_reboot"].outcome is Outcome.FAILS


def test_every_check_is_failed_by_some_broken_device():
    """A check that nothing fails may be none."""
    failed = {name for _, expected in BROKEN for name in expected}
    failed |= {
        "unproven",
        "wrong_proof",
        "sealed",
        "unsealed",
        "chained",
        "chained_before",
        "measured",
        "not_in_image",
        "new_boot",
        "safe_after_reboot",
    }  # the tests above
    assert {check.name for check in CHECKS} - failed == set()


def test_the_right_link_end_is_what_the_broken_ones_are_changed_from(trial):
    """So that a test above cannot pass because something else is broken."""
    names = {name for _, expected in BROKEN for name in expected}
    assert {r.outcome for r in trial("progressive", names=names).values()} == {Outcome.MEETS}


def test_every_clause_that_a_check_names_stands_in_the_document():
    """A section, and the number of an item where the section has a list."""
    text = (ROOT / "docs" / "protocol.md").read_text()
    sections = re.split(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", text, flags=re.M)
    bodies = dict(zip(sections[1::2], sections[2::2], strict=True))
    for check in CHECKS:
        section, _, item = check.clause.partition("(")
        assert section in bodies, check.clause
        if item:
            assert re.search(rf"^{item.rstrip(')')}\. ", bodies[section], flags=re.M), check.clause


def test_the_document_lists_every_check_as_it_is():
    """`python -m tests.drivers.conformance.table` writes it anew."""
    assert table() in (ROOT / "docs" / "conformance.md").read_text()


def test_every_check_has_a_name_of_its_own():
    """By which a program knows it."""
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)
