"""Checks sections 1 and 2 of docs/protocol.md: a device drops and counts what is no frame, and never answers it."""

from drivers.conformance.trial import Check, Fails, NotTried, Trial, check
from drivers.protocol import messages as m
from drivers.protocol.codec import encode
from drivers.protocol.constants import HEADER_SIZE, SEAL_SIZE
from drivers.protocol.framing import Cause, cobs_encode, crc32c, encode_frame

TYPE_UNKNOWN = 0x7F
SHORT_PAUSE_S = 0.02
LONG_PAUSE_S = 0.3


def _ping(t: Trial) -> m.Ping:
    return m.Ping(t.host.entropy(8))


def _wire(body: bytes, spoil: int = 0) -> bytes:
    """Returns any body as a frame, of any size. `spoil`: how far its check is off."""
    return b"\0" + cobs_encode(body + (crc32c(body) ^ spoil).to_bytes(4, "little")) + b"\0"


def _changed(t: Trial, message: m.Message, **places: int) -> bytes:
    """Returns a message's frame with changed header bytes, sealed afterwards if the host has a key."""
    body = bytearray(encode(m.Frame(message, t.host.session)))
    for name, value in places.items():
        body[{"version": 0, "type": 1, "flags": 2, "channel": 3}[name]] = value
    return encode_frame(t.host.sealed(bytes(body)))


@check("1.2", "a frame whose check is wrong is dropped in silence")
async def wrong_check(t: Trial) -> None:
    await t.fresh()
    body = t.host.body(_ping(t))
    await t.dropped(lambda: t.host.send_bytes(_wire(body, spoil=1)), Cause.CRC, "a wrong check")


@check("1.1", "what is no COBS is dropped in silence")
async def no_cobs(t: Trial) -> None:
    await t.fresh()
    await t.dropped(
        lambda: t.host.send_bytes(b"\0\x20too short for its code\0"), Cause.COBS, "a broken COBS block"
    )


@check("1.3", "more than 528 bytes between delimiters are dropped, and the next frame is taken")
async def too_many_bytes(t: Trial) -> None:
    await t.fresh()
    await t.dropped(
        lambda: t.host.send_bytes(b"\0" + b"\x55" * 600 + b"\0"), Cause.OVERSIZE, "600 bytes of no frame"
    )


@check("1.3", "a body of more than 512 bytes is dropped, although its check is right")
async def body_too_long(t: Trial) -> None:
    await t.fresh()
    body = encode(m.Frame(_ping(t), t.host.session)) + bytes(491)
    await t.dropped(lambda: t.host.send_bytes(_wire(body)), Cause.OVERSIZE, "a body of 513 bytes")


@check("1.3", "a body shorter than a header, or than its header says, is dropped")
async def wrong_length(t: Trial) -> None:
    await t.fresh()
    await t.dropped(lambda: t.host.send_bytes(_wire(b"\x10\x30" + bytes(11))), Cause.LENGTH, "13 bytes of body")
    whole = encode(m.Frame(_ping(t), t.host.session))
    await t.dropped(
        lambda: t.host.send_bytes(_wire(whole[:-1])), Cause.LENGTH, "a payload of 7 bytes said to be 8"
    )


@check("1.3", "a frame that is begun and not ended within the limit is dropped")
async def begun_and_left(t: Trial) -> None:
    await t.fresh()
    frame = t.frame(_ping(t))
    before = await t.ping()
    t.host.send_bytes(frame[:10])
    await t.host.quiet(LONG_PAUSE_S)
    t.host.send_bytes(frame[10:])
    await t.silent("half a frame must be dropped")
    if (await t.ping()).dropped[3] <= before.dropped[3]:
        raise Fails("half a frame and a pause of 0.3 s were not counted as partial")


@check("1.3", "a silence of 20 ms inside a frame does no harm")
async def short_pause(t: Trial) -> None:
    await t.fresh()
    for _ in range(3):  # our own machine may be late once
        ping, since = _ping(t), t.host.mark
        frame = t.frame(ping)
        t.host.send_bytes(frame[:10])
        await t.host.quiet(SHORT_PAUSE_S)
        t.host.send_bytes(frame[10:])
        if await t.host.wait(m.Pong, since, 1.0, lambda h, nonce=ping.nonce: h.nonce == nonce):  # type: ignore[misc]
            return
    raise Fails("a PING with a pause of 20 ms in it was dropped three times")


@check("1", "zero bytes between frames mean nothing, and two frames may share one")
async def shared_delimiters(t: Trial) -> None:
    await t.fresh()
    pings, since = [_ping(t), _ping(t)], t.host.mark
    first, second = (t.frame(ping) for ping in pings)
    t.host.send_bytes(bytes(20) + first + second[1:] + bytes(20))
    for ping in pings:
        if not await t.host.wait(m.Pong, since, 1.0, lambda h, nonce=ping.nonce: h.nonce == nonce):  # type: ignore[misc]
            raise Fails("two PINGs with one zero byte between them were not both echoed")


@check("1", "bytes may come one by one")
async def byte_by_byte(t: Trial) -> None:
    await t.fresh()
    ping, since = _ping(t), t.host.mark
    for byte in t.frame(ping):
        t.host.send_bytes(bytes([byte]))
        await t.host.quiet(0.001)
    if not await t.host.wait(m.Pong, since, 1.0, lambda h: h.nonce == ping.nonce):
        raise Fails("a PING in single bytes was not echoed")


@check("2", "another major version, and a flag that is not defined, are dropped")
async def wrong_version(t: Trial) -> None:
    await t.fresh()
    for what, places in (
        ("major version 2", {"version": 0x20}),
        ("flag 10", {"flags": 0x10}),
        ("a fragment", {"flags": 0x04}),
    ):
        await t.dropped(lambda at=places: t.host.send_bytes(_changed(t, _ping(t), **at)), Cause.VERSION, what)  # type: ignore[misc]


@check("2", "a later minor version is taken")
async def minor_version(t: Trial) -> None:
    await t.fresh()
    ping, since = _ping(t), t.host.mark
    t.host.send_bytes(_changed(t, ping, version=0x13))
    if not await t.host.wait(m.Pong, since, 1.0, lambda h: h.nonce == ping.nonce):
        raise Fails("a PING of version 1.3 was not echoed")


@check("2", "bytes behind the fields of a payload are passed over")
async def longer_payload(t: Trial) -> None:
    await t.fresh()
    ping, since = _ping(t), t.host.mark
    body = bytearray(encode(m.Frame(ping, t.host.session)) + b"\1\2\3\4")
    body[12:14] = (12).to_bytes(2, "little")
    t.host.send_bytes(encode_frame(t.host.sealed(bytes(body))))
    if not await t.host.wait(m.Pong, since, 1.0, lambda h: h.nonce == ping.nonce):
        raise Fails("a PING with four bytes of a later version behind it was not echoed")


@check("1.3", "a payload that is impossible is dropped")
async def impossible_payload(t: Trial) -> None:
    await t.fresh()
    body = bytearray(encode(m.Frame(_ping(t), t.host.session))[:-1])
    body[12:14] = (7).to_bytes(2, "little")
    send = lambda: t.host.send_bytes(encode_frame(t.host.sealed(bytes(body))))  # noqa: E731  (sealed when it is sent)
    await t.dropped(send, Cause.PAYLOAD, "a PING with seven bytes of nonce")


@check("2", "a message on a channel that is not its own is dropped")
async def wrong_channel(t: Trial) -> None:
    await t.fresh()
    await t.dropped(
        lambda: t.host.send_bytes(_changed(t, _ping(t), channel=1)), Cause.PAYLOAD, "a PING on channel 1"
    )


@check("3.2", "a type that is not known is answered with ERR 1 under its number")
async def unknown_type(t: Trial) -> None:
    await t.fresh()
    seq, since = t.host.next_seq(), t.host.mark
    body = bytearray(encode(m.Frame(_ping(t), t.host.session, seq)))
    body[1] = TYPE_UNKNOWN
    t.host.send_bytes(encode_frame(t.host.sealed(bytes(body))))
    found = await t.host.wait(m.Error, since, 1.0, lambda h: h.frame.seq == seq)
    if found is None or found[1].code != m.ERR_UNKNOWN_TYPE:
        raise Fails(f"type 7F was answered with {found[1].code if found else 'nothing'}, not with ERR 1")
    await t.ping()


@check("1.3", "a frame of another session is dropped")
async def another_session(t: Trial) -> None:
    await t.fresh()
    foreign = t.host.session ^ 0x5A5A5A5A or 1
    await t.dropped(lambda: t.host.send(_ping(t), session=foreign), Cause.STALE_SESSION, "another session's PING")


@check("1.3", "a seal where no key was agreed on is dropped")
async def uncalled_seal(t: Trial) -> None:
    await t.fresh()
    if t.host.key is not None:
        raise NotTried("the device has a key")
    body = bytearray(encode(m.Frame(_ping(t), t.host.session)) + bytes(SEAL_SIZE))
    body[2] |= m.FLAG_SEALED
    assert len(body) >= HEADER_SIZE
    await t.dropped(lambda: t.host.send_bytes(_wire(bytes(body))), Cause.MAC, "a sealed PING")


CHECKS: tuple[Check, ...] = (
    wrong_check, no_cobs, too_many_bytes, body_too_long, wrong_length, begun_and_left, short_pause, shared_delimiters,
    byte_by_byte, wrong_version, minor_version, longer_payload, impossible_payload, wrong_channel, unknown_type,
    another_session, uncalled_seal,
)  # fmt: skip
