"""Checks section 6.9 of docs/protocol.md: the device's key. The command line says whether the device has one."""

from hashlib import sha256

from drivers.conformance.bare_host import ANSWER_S, BareHost
from drivers.conformance.trial import Check, Fails, NotTried, Trial, check
from drivers.protocol import messages as m
from drivers.protocol.auth import measurement
from drivers.protocol.codec import encode
from drivers.protocol.constants import MEASURE_RANGE_MAX, MEASURE_TIMEOUT_S
from drivers.protocol.framing import Cause, encode_frame

RANGES = tuple((0, 0) for _ in range(8))


def _needs(t: Trial, key: bool) -> None:
    if key and t.host.key is None:
        raise NotTried("no --key-file was given")
    if not key and t.host.key is not None:
        raise NotTried("the device has a key")


@check("3.1", "a device without a key answers AUTH and MEASURE with ERR 6")
async def no_key(t: Trial) -> None:
    _needs(t, key=False)
    await t.fresh()
    for message in (m.Auth(bytes(32)), m.Measure(bytes(16), RANGES)):
        answer = await t.host.ask(message, m.Error)
        if answer is None or answer.code != m.ERR_UNSUPPORTED:
            said = f"ERR {answer.code}" if answer else "nothing"
            raise Fails(f"{type(message).__name__.upper()} was answered with {said}")


@check("6.9(2)", "before the proof a frame is answered with ERR 7, and starts no session")
async def unproven(t: Trial) -> None:
    _needs(t, key=True)
    key, t.host.key = t.host.key, None
    try:
        await t.host.greet()
        since = t.host.mark
        t.host.send(m.Ping(t.host.entropy(8)))
        found = await t.host.wait(m.Error, since, ANSWER_S)
    finally:
        t.host.key = key
    if found is None or found[1].code != m.ERR_NOT_PROVEN:
        raise Fails(f"a PING before the proof brought {found[1] if found else 'nothing'}")


@check("6.9(1)", "a wrong proof is answered with ERR 3")
async def wrong_proof(t: Trial) -> None:
    _needs(t, key=True)
    key, t.host.key = t.host.key, bytes(32)
    try:
        since = t.host.mark
        await t.host.greet()
        found = await t.host.wait(m.Error, since, ANSWER_S)
    finally:
        t.host.key = key
    if found is None or found[1].code != m.ERR_REFUSED:
        raise Fails(f"a proof with another key brought {found[1] if found else 'nothing'}")


@check("6.9(3)", "every frame of a session with a key is sealed, with numbers that grow")
async def sealed(t: Trial) -> None:
    _needs(t, key=True)
    t.host.bad_seals = 0
    await t.fresh()
    await t.reports(2)
    await t.host.quiet(1.5)
    if t.host.bad_seals:
        raise Fails(f"{t.host.bad_seals} frames came without a right seal")


@check("6.9(5)", "a frame without a seal, and one that comes a second time, are dropped and counted")
async def unsealed(t: Trial) -> None:
    _needs(t, key=True)
    await t.fresh()
    bare = encode_frame(encode(m.Frame(m.Ping(t.host.entropy(8)), t.host.session)))
    await t.dropped(lambda: t.host.send_bytes(bare), Cause.MAC, "a PING without a seal")
    used = t.frame(m.Ping(t.host.entropy(8)))
    t.host.send_bytes(used)
    await t.ping()
    await t.dropped(lambda: t.host.send_bytes(used), Cause.MAC, "a PING played back")


@check("6.9(6)", "MEASURE is answered with the digest of the image that the WELCOME names, for each nonce anew")
async def measured(t: Trial) -> None:
    _needs(t, key=True)
    if t.image is None:
        raise NotTried("no --image was given")
    welcome = await t.fresh()
    if sha256(t.image).digest() != welcome.identity.firmware_hash:
        raise Fails(f"its WELCOME names another image ({welcome.identity.firmware_hash.hex()[:16]}...)")
    for _ in range(2):
        nonce, ranges = t.host.entropy(16), _ranges(t.host, len(t.image))
        answer = await _measure(t, nonce, ranges)
        if isinstance(answer, m.Error):
            raise Fails(f"ranges inside the image were answered with ERR {answer.code}")
        assert t.host.keys is not None
        if answer.digest != measurement(t.host.keys.measure, nonce, ranges, t.image):
            raise Fails("the digest does not match the image, the nonce and the ranges that were sent")


@check("6.9(6)", "a range outside the image, or longer than 4096 bytes, is ERR 5")
async def not_in_image(t: Trial) -> None:
    _needs(t, key=True)
    await t.fresh()
    for wrong in ((2**32 - 1, 1), (0, MEASURE_RANGE_MAX + 1)):
        answer = await _measure(t, t.host.entropy(16), (*RANGES[1:], wrong))
        if isinstance(answer, m.Error) and answer.code == m.ERR_UNSUPPORTED:
            raise NotTried("its firmware cannot be measured")
        if not isinstance(answer, m.Error) or answer.code != m.ERR_BAD_VALUE:
            said = f"ERR {answer.code}" if isinstance(answer, m.Error) else "a digest"
            raise Fails(f"{wrong[1]} bytes from {wrong[0]} were answered with {said}")


def _ranges(host: BareHost, size: int) -> tuple[tuple[int, int], ...]:
    """Returns eight random ranges of the image; one of them ends at its last byte."""
    drawn = []
    for _ in RANGES:
        length = min(size, 1 + int.from_bytes(host.entropy(2), "little") % MEASURE_RANGE_MAX)
        drawn.append((int.from_bytes(host.entropy(4), "little") % (size - length + 1), length))
    return (*drawn[1:], (size - 1, 1))


async def _measure(t: Trial, nonce: bytes, ranges: tuple[tuple[int, int], ...]) -> m.Measured | m.Error:
    seq, since = t.host.next_seq(), t.host.mark
    t.host.send(m.Measure(nonce, ranges), seq)
    found = await t.host.wait(m.Measured, since, MEASURE_TIMEOUT_S, lambda h: h.frame.seq == seq)
    if found is not None:
        return found[1]
    refused = await t.host.wait(m.Error, since, 0.0, lambda h: h.frame.seq == seq)
    if refused is None:
        raise Fails(f"MEASURE was not answered within {MEASURE_TIMEOUT_S:g} s")
    return refused[1]


CHECKS: tuple[Check, ...] = (no_key, unproven, wrong_proof, sealed, unsealed, measured, not_in_image)
