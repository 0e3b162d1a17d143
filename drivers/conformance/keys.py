"""Section 6.9: the key, and what a device without one says. Which of the two it is, the command line tells."""

from drivers.bare import ANSWER_S
from drivers.conformance.trial import Check, Fails, NotTried, Trial, check
from drivers.protocol import messages as m
from drivers.protocol.codec import encode
from drivers.protocol.framing import Cause, encode_frame

__all__ = ["CHECKS"]

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


CHECKS: tuple[Check, ...] = (no_key, unproven, wrong_proof, sealed, unsealed)
