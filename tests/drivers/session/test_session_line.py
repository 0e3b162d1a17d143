"""A line device through the same session: the host counts for it, and the kernel keeps what the owner can't take yet."""

import asyncio
import contextlib
import random

from drivers import events
from drivers.commands import WantedLevel
from drivers.device import DeviceConfig, SessionState
from drivers.lines.line import BACKLOG
from drivers.protocol.reports import DeviceKind, LineUnparsed
from drivers.protocol.words import ENGAGED, Level
from drivers.session.session import DeviceSession
from drivers.transport import LoopbackCable, WriteBufferFull


def line_session(recorder, cable, modem_line=""):
    return DeviceSession(
        DeviceConfig("line-1", DeviceKind.LINE, "cable", accept_test_only=True, modem_line=modem_line),
        deliver=recorder.deliver,
        entropy=random.Random(1).randbytes,
        rng=random.Random(2),
        transport_factory=lambda _, on_data, on_lost: cable.host(on_data, on_lost),
        on_state=recorder.states.append,
    )


async def started(recorder, cable=None, modem_line=""):
    cable = cable or LoopbackCable()
    far = cable.device(lambda _: None, lambda *_: None)
    await far.open()
    session = line_session(recorder, cable, modem_line)
    task = asyncio.ensure_future(session.run())
    await asyncio.sleep(0.1)
    assert recorder.bodies(events.DeviceOnline), session.status
    return cable, far, session, task


async def stopped(far, task):
    task.cancel()
    await asyncio.wait({task})
    await far.close(0)


def test_lines_become_reports_with_a_count_made_by_the_host(recorder, virtual):
    """Text as it came, in order; online at once, with no claim that nothing was missed."""

    async def scene():
        _, far, _, task = await started(recorder)
        (online,) = recorder.bodies(events.DeviceOnline)
        assert (online.device_kind, online.serial, online.gap_closed) == (DeviceKind.LINE, "line-1", False)
        assert online.capabilities == ()
        far.write(b"L3\r\nS12\r")
        await asyncio.sleep(0.1)
        far.write(b"\ncut off")
        await asyncio.sleep(1)
        far.write(b"D1\r\n")
        await asyncio.sleep(0.1)
        assert recorder.bodies(LineUnparsed) == [LineUnparsed(text) for text in ("L3", "S12", "D1")]
        assert recorder.counters == [(online.boot, 1), (online.boot, 2), (online.boot, 3)]
        await stopped(far, task)

    virtual(scene())


def test_what_was_no_line_is_told_to_the_owner_without_a_number_and_without_its_bytes(recorder, virtual):
    """No report, since nobody knows what it said: a fact about the link, and the count of whole lines goes on."""

    async def scene():
        _, far, session, task = await started(recorder)
        far.write(b"L1\r\nL\x00\r\nL2\r\n" + b"L" * 300 + b"\r\nL3")
        await asyncio.sleep(2)
        assert recorder.bodies(events.LinesDamaged) == [
            events.LinesDamaged(not_text=1, too_long=1, cut_off=0),
            events.LinesDamaged(not_text=0, too_long=0, cut_off=1),
        ]
        assert [n for _, n in recorder.counters] == [1, 2]
        assert session.state is SessionState.ONLINE
        await stopped(far, task)

    virtual(scene())


def test_what_is_gathered_when_the_owner_stops_is_told_first(recorder, virtual):
    """In the very call: behind it the owner takes nothing more, and a card may have been in it."""

    async def scene():
        _, far, session, task = await started(recorder)
        for _ in range(3):
            far.write(b"\xff\r\n")
            await asyncio.sleep(0.1)
        assert recorder.bodies(events.LinesDamaged) == [events.LinesDamaged(1, 0, 0)], "the others are gathered"
        session.finish()
        assert recorder.bodies(events.LinesDamaged)[1:] == [events.LinesDamaged(2, 0, 0)]
        await stopped(far, task)
        session.finish()
        assert len(recorder.bodies(events.LinesDamaged)) == 2

    virtual(scene())


def test_a_full_queue_leaves_the_lines_on_the_wire_and_loses_none(recorder, virtual):
    """A line device cannot be told to wait: reading stops, and goes on when everything handed over is durable."""

    async def scene():
        _, far, session, task = await started(recorder)
        recorder.full = True
        for block in range(0, 3000, 300):
            far.write(b"line %05d\r\n" % block)
            await asyncio.sleep(0.1)
            assert len(recorder.counters) == block + 1
            for start in range(block + 1, block + 300, 23):  # 3.6 kB: less than the wire holds by itself
                far.write(b"".join(b"line %05d\r\n" % n for n in range(start, start + 23)))
            await asyncio.sleep(5)
            assert len(recorder.counters) == block + 1, "held, so nothing more may come"
            session.acknowledge(*recorder.counters[-1])
            await asyncio.sleep(0.1)
            session.acknowledge(*recorder.counters[-1])
            await asyncio.sleep(0.1)
        texts = [body.text for body in recorder.bodies(LineUnparsed)]
        assert texts == [f"line {n:05d}" for n in range(3000)]
        assert session.counters["host_queue_full"] >= 1
        await stopped(far, task)

    virtual(scene())


def test_the_count_goes_on_after_a_loss(recorder, virtual):
    """One boot for each run of the daemon: a replugged line device never repeats a number."""

    async def scene():
        cable, far, _, task = await started(recorder)
        far.write(b"one\r\n")
        await asyncio.sleep(0.1)
        cable.unplug()
        await far.close()
        await asyncio.sleep(1)
        cable.plug()
        await far.open()
        await asyncio.sleep(1)
        far.write(b"two\r\n")
        await asyncio.sleep(0.1)
        assert [n for _, n in recorder.counters] == [1, 2]
        assert recorder.ups_and_downs == ["device_online", "device_offline", "device_online"]
        assert not recorder.bodies(events.DeviceOnline)[1].rebooted
        await stopped(far, task)

    virtual(scene())


def test_a_command_to_a_line_device_is_answered_with_unknown(recorder, virtual):
    """Nobody is left waiting for a lamp that can't be lit."""

    async def scene():
        _, far, session, task = await started(recorder)
        session.want(WantedLevel("line-1", Level.LOCKOUT, ENGAGED, 3))
        await asyncio.sleep(0.1)
        (unknown,) = recorder.bodies(events.LevelUnknown)
        assert unknown.operation == 3
        assert "takes no commands" in unknown.reason
        await stopped(far, task)

    virtual(scene())


def test_after_a_minute_of_silence_nobody_knows_whether_it_is_there(recorder, virtual):
    """Told once, however long it lasts, and taken back with the next line. It stays online: a silent shoe is a shoe at rest."""

    async def scene():
        _, far, session, task = await started(recorder)
        far.write(b"H3\r\n")
        await asyncio.sleep(59)
        assert recorder.bodies(events.LivenessChanged) == []
        await asyncio.sleep(200)
        assert recorder.bodies(events.LivenessChanged) == [events.LivenessChanged(known=False)]
        assert session.state is SessionState.ONLINE
        far.write(b"H4\r\n")
        await asyncio.sleep(0.1)
        assert recorder.bodies(events.LivenessChanged)[1:] == [events.LivenessChanged(known=True)]
        assert isinstance(recorder.deliveries[-1].body, LineUnparsed), "known again before the line is told"
        await stopped(far, task)

    virtual(scene())


class ModemCable(LoopbackCable):
    """A cable that carries DSR. `asked`: for which line."""

    def __init__(self):
        super().__init__()
        self.dsr, self.asked = True, []

    def host(self, on_data, on_lost):
        end = super().host(on_data, on_lost)

        def asserts(line):
            self.asked.append(line)
            return self.dsr

        end.asserts = asserts
        return end


def test_a_device_that_holds_its_modem_line_is_known_to_be_there(recorder, virtual):
    """Where the cable carries the line, silence is silence; when the line falls, that is found within a minute."""

    async def scene():
        cable = ModemCable()
        _, far, _, task = await started(recorder, cable, modem_line="dsr")
        await asyncio.sleep(200)
        assert cable.asked == ["dsr"] * 3
        assert recorder.bodies(events.LivenessChanged) == []
        cable.dsr = False
        await asyncio.sleep(61)
        assert recorder.bodies(events.LivenessChanged) == [events.LivenessChanged(known=False)]
        cable.dsr = True
        await asyncio.sleep(61)
        assert recorder.bodies(events.LivenessChanged)[1:] == [events.LivenessChanged(known=True)]
        await stopped(far, task)

    virtual(scene())


def test_a_line_device_brings_no_more_than_its_line_can_carry(recorder, virtual):
    """A talker that is faster than any line at its speed is cut off; what the kernel kept for us at once is no such talker."""

    async def scene():
        _, far, session, task = await started(recorder)
        for _ in range(50):
            far.write(b"A kept line\r\n" * 100)
            await asyncio.sleep(0.001)
        assert len(recorder.bodies(LineUnparsed)) == 5000
        assert session.state is SessionState.ONLINE
        for _ in range(400):
            with contextlib.suppress(WriteBufferFull):  # nobody takes it
                far.write(b"A flood of it\r\n" * 130)
            await asyncio.sleep(0.05)
        told = [body.reason for body in recorder.bodies(events.DeviceOffline)]
        assert set(told) == {"proto_flood"}
        carried = (BACKLOG + session.config.baud / 10 * 21) / len(b"A flood of it\r\n")
        assert len(recorder.bodies(LineUnparsed)) <= carried
        assert len(told) < 30
        await asyncio.sleep(60)
        before = len(recorder.bodies(LineUnparsed))
        far.write(b"A word\r\n")
        await asyncio.sleep(1.0)
        assert len(recorder.bodies(LineUnparsed)) == before + 1
        await stopped(far, task)

    virtual(scene())
