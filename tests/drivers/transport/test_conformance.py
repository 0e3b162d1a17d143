"""What every transport must do, on each wire: order, losses, every byte value, exclusive use, deadlines, no leaks."""

import asyncio
import time

import pytest

from drivers.errors import Fault, PortUnavailable
from drivers.transport import WRITE_LIMIT, WriteBufferFull

EVERY_BYTE = bytes(range(256))
PATTERN = b"".join(bytes([n % 256, n // 256]) for n in range(5000))


async def test_bytes_arrive_in_order_in_both_directions(wire, owner, until):
    """Ten thousand bytes each way come out as they went in, whatever pieces the wire makes of them."""
    port = wire.transport(owner)
    await port.open()
    await wire.far_write(PATTERN)
    await until(lambda: len(owner.data) >= len(PATTERN), "all bytes arrive")
    assert owner.data == PATTERN

    async def send() -> None:
        for start in range(0, len(PATTERN), 500):
            await port.drain()
            port.write(PATTERN[start : start + 500])

    sending = asyncio.ensure_future(send())
    assert await wire.far_read(len(PATTERN)) == PATTERN
    await sending
    await port.close()


async def test_every_byte_value_passes_both_ways(wire, owner, until):
    """Control characters are data: a line left in cooked mode must neither change, eat nor echo them."""
    port = wire.transport(owner)
    await port.open()
    await wire.far_write(EVERY_BYTE)
    await until(lambda: len(owner.data) >= 256, "256 bytes arrive")
    assert owner.data == EVERY_BYTE
    port.write(EVERY_BYTE + b"end")
    assert await wire.far_read(259) == EVERY_BYTE + b"end", (
        "the far side must see our bytes and no echo of its own"
    )
    await port.close()


async def test_a_hang_up_is_told_exactly_once_and_the_port_can_come_back(wire, owner, until):
    """One loss for each time the wire goes, none for the time it is away, and the same object opens again."""
    port = wire.transport(owner)
    for turn in range(1, 4):
        await port.open()
        await wire.far_write(b"hello")
        await until(lambda turn=turn: len(owner.data) == 5 * turn or owner.after_loss, "bytes before the loss")
        await wire.hang_up()
        await until(lambda turn=turn: len(owner.losses) == turn, "the loss is told")
        assert owner.losses[-1][0] in (Fault.LINK_EOF, Fault.LINK_IO_ERROR)
        await port.close()
        assert len(owner.losses) == turn, "closing a lost port is no second loss"
        with pytest.raises(PortUnavailable) as gone:
            await port.open()
        assert gone.value.fault is Fault.LINK_MISSING
        assert not port.present()
        await wire.plug()
        assert port.present()
        owner.data, owner.after_loss = owner.data + owner.after_loss, bytearray()


async def test_our_own_close_is_told_once_and_nothing_follows_it(wire, owner):
    """Each open has one end; the owner's own close counts as one, and a second close does nothing."""
    port = wire.transport(owner)
    await port.open()
    await port.close()
    await port.close()
    await wire.far_write(b"late")
    await asyncio.sleep(0.02)
    assert [fault for fault, _ in owner.losses] == [Fault.LINK_CLOSED]
    assert not owner.after_loss


async def test_a_hung_up_port_costs_no_processor_time(wire, owner, until):
    """A hung-up tty is readable for ever; whoever keeps watching it spins."""
    port = wire.transport(owner)
    await port.open()
    await wire.hang_up()
    await until(lambda: owner.losses, "the loss is told")
    before = time.process_time()
    await asyncio.sleep(0.5)
    assert time.process_time() - before < 0.1
    assert len(owner.losses) == 1
    await port.close()


async def test_a_hang_up_in_the_middle_of_a_write_is_one_loss(wire, owner, until):
    """Bytes wait for a peer that takes none when the wire goes: the write side must not tell it a second time."""
    port = wire.transport(owner)
    await port.open()
    await _fill(port)
    await wire.hang_up()
    await until(lambda: owner.losses, "the loss is told")
    port.write(b"into the void")
    await asyncio.wait_for(port.drain(), 5)
    await asyncio.sleep(0.02)
    assert len(owner.losses) == 1
    await port.close()
    assert len(owner.losses) == 1


async def test_a_second_opener_is_refused(wire, owner):
    """Two readers on one port would each get half of the bytes."""
    first, second = wire.transport(owner), wire.transport(owner)
    await first.open()
    with pytest.raises(PortUnavailable) as busy:
        await second.open()
    assert busy.value.fault is Fault.LINK_BUSY
    assert busy.value.remedy
    await first.close()
    await second.open()
    await second.close()


async def test_a_write_over_the_limit_is_refused_whole(wire, owner):
    """A peer that takes nothing must not fill our memory; a refused write leaves no half frame behind."""
    port = wire.transport(owner)
    await port.open()
    taken = await _fill(port)
    with pytest.raises(WriteBufferFull):
        port.write(bytes(WRITE_LIMIT))
    assert await wire.far_read(taken) == b"x" * taken
    await port.drain()
    port.write(b"end")
    assert await wire.far_read(3) == b"end"
    await port.close()


async def test_what_waited_while_we_stood_still_is_not_sent(wire, owner, until, monkeypatch):
    """The peer begins to read again after a pause of ours: a command from before it may not hold any more. The loss is told."""
    port = wire.transport(owner)
    await port.open()
    taken = await _fill(port)
    port.write(b"release")
    for module in ("serial", "loopback", "usb_owner"):
        monkeypatch.setattr(f"drivers.transport.{module}.STALE_S", 0.1)
    time.sleep(0.2)  # on purpose: the loop does not run
    reading = asyncio.ensure_future(wire.far_read(taken + 7))
    await until(lambda: owner.losses, "the loss")
    await asyncio.sleep(0.05)
    assert not reading.done(), "all of it arrived"
    assert owner.losses[0][0] is Fault.LINK_IO_ERROR
    assert "waited" in owner.losses[0][1]
    reading.cancel()
    await asyncio.wait({reading})
    await port.close(0)


async def test_close_returns_by_its_deadline_when_the_peer_takes_nothing(wire, owner, ticker):
    """What cannot be sent is thrown away at the deadline, and the loop runs on meanwhile."""
    port = wire.transport(owner)
    await port.open()
    await _fill(port)
    ticker.start()
    started = time.monotonic()
    await port.close(0.3)
    took = time.monotonic() - started
    assert 0.25 < took < 2.0
    assert await ticker.stop() < 0.25
    assert [fault for fault, _ in owner.losses] == [Fault.LINK_CLOSED]


async def test_close_sends_what_is_buffered(wire, owner):
    """The last frame of a session, its farewell, still goes out."""
    port = wire.transport(owner)
    await port.open()
    taken = await _fill(port)
    port.write(b"bye")
    closing = asyncio.ensure_future(port.close(5.0))
    assert (await wire.far_read(taken + 3)).endswith(b"bye")
    await closing


async def test_a_cancelled_open_leaves_nothing_behind(wire, owner):
    """Cancelled at any step: no descriptor, thread or lock stays (the leak check looks), and the next open works."""
    for steps in range(8):
        port = wire.transport(owner)
        opening = asyncio.ensure_future(port.open())
        for _ in range(steps):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait({opening})
        if not opening.cancelled():
            await port.close()
        await _open_when_free(port)
        await port.close()


async def test_a_cancelled_close_still_frees_the_port(wire, owner, until):
    """A daemon that is told to stop while it closes a port must not keep it."""
    port = wire.transport(owner)
    await port.open()
    await _fill(port)
    closing = asyncio.ensure_future(port.close(5.0))
    await asyncio.sleep(0.01)
    closing.cancel()
    await asyncio.wait({closing})
    await until(lambda: owner.losses, "the close is told")
    assert [fault for fault, _ in owner.losses] == [Fault.LINK_CLOSED]
    await _open_when_free(port)
    await port.close(0)


async def test_paused_reading_keeps_the_bytes_for_later(wire, owner, until):
    """An owner that cannot take more leaves the bytes on the wire, and gets them all when it resumes."""
    port = wire.transport(owner)
    await port.open()
    port.pause_reading()
    await wire.far_write(EVERY_BYTE)
    await asyncio.sleep(0.02)
    assert not owner.data
    port.resume_reading()
    await until(lambda: len(owner.data) >= 256, "the bytes come after all")
    assert owner.data == EVERY_BYTE
    await port.close()


async def _fill(port) -> int:
    """Writes until the transport refuses for good, with a little room left; returns how many bytes it took."""
    taken = refused = 0
    while refused < 3:
        assert taken < 1_000_000, "a megabyte was taken for a peer that reads nothing"
        try:
            port.write(b"x" * 500)
        except WriteBufferFull:
            refused += 1
            port.pause_reading()  # the kernel looks again whether it has room only when the watch changes
            port.resume_reading()
            await asyncio.sleep(0.04)  # socat passes on what it can, and a USB thread ends the read it is in
        else:
            taken, refused = taken + 500, 0
    return taken


async def _open_when_free(port) -> None:
    """Opens as a session does: again and again while an earlier open is still being undone."""
    end = time.monotonic() + 5
    while True:
        try:
            return await port.open()
        except PortUnavailable:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
