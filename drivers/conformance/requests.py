"""Checks sections 3.2, 6.2 and 6.6 of docs/protocol.md: a device carries out a request once, however the line
repeats it."""

from drivers.conformance.trial import Check, Fails, NotTried, Trial, check
from drivers.protocol import messages as m
from drivers.protocol.codec import encode
from drivers.protocol.constants import ANSWER_CACHE, MAX_DISPLAY
from drivers.protocol.framing import Cause, crc32c, encode_frame
from drivers.protocol.payloads import encode_tag
from drivers.protocol.reports import Capability, Level

BYE_S = 0.3
"""In which a device takes its safe side at a BYE."""


@check("3.2", "the levels can be read, and fit what the device says it can do")
async def levels(t: Trial) -> None:
    welcome = await t.fresh()
    found, _ = await t.levels()
    can = welcome.identity.capabilities
    if (Capability.LOCKOUT in can) != (found.lockout is not None):
        raise Fails(f"capability lockout: {Capability.LOCKOUT in can}, level: {found.lockout}")
    if Capability.SENSES_CARDS_INSIDE in can and found.cards_inside is None:
        raise Fails("the device claims senses_cards_inside but sends no cards_inside")


@check("6.6", "the digest of a PONG is the CRC-32C of the levels' bytes, and changes with them")
async def digest(t: Trial) -> None:
    await t.fresh()
    for _ in range(2):
        _, data = await t.levels()
        if (pong := await t.ping()).digest != crc32c(data):
            raise Fails(f"the digest is {pong.digest:08x}, the levels' check {crc32c(data):08x}")
        await t.reports(1)


@check("6.2(3)", "a repeated request is answered again and not carried out again")
async def repeat(t: Trial) -> None:
    await t.fresh()
    await t.reports(1)
    level, one, other = await t.movable()
    now = t.value_of((await t.levels())[0], level)
    wish = m.Request(m.SetLevel(level, other if now == one else one, t.operation()))
    before = (await t.ping()).log_last
    seq, since = t.host.next_seq(), t.host.mark
    t.host.send(wish, seq)
    first = await t.answer(seq, since)
    for _ in range(2):
        since = t.host.mark
        t.host.send(wish, seq, retransmit=True)
        if await t.answer(seq, since) != first:
            raise Fails("the answer to a repeat differs from the first one")
    grown = (await t.ping()).log_last - before
    if grown != 1:
        raise Fails(f"one wish, sent three times, brought {grown} reports")


@check("6.2(3)", "a number that was used before and is not remembered is dropped")
async def stale_number(t: Trial) -> None:
    await t.fresh()
    first = t.host.next_seq()
    t.host.send(m.Request(m.GetLevels()), first)
    for _ in range(ANSWER_CACHE + 4):
        await t.levels()
    await t.dropped(lambda: t.host.send(m.Request(m.GetLevels()), first), Cause.DUPLICATE, "a request of long ago")


@check("6.2(4)", "the same wish under a new number is answered with yes and not carried out again")
async def same_wish(t: Trial) -> None:
    await t.fresh()
    await t.reports(1)
    level, one, other = await t.movable()
    now = t.value_of((await t.levels())[0], level)
    operation, wanted = t.operation(), other if now == one else one
    await t.set(level, wanted, operation)
    before = (await t.ping()).log_last
    await t.fresh(acknowledge=False)
    if not isinstance(await t.set(level, wanted, operation), m.Response):
        raise Fails("a wish that was carried out is refused when it comes again in a new session")
    if (await t.ping()).log_last != before:
        raise Fails("a wish that was carried out was carried out again in a new session")


@check("6.2(4)", "a wish for the safe side is done again where its level changed meanwhile")
async def wish_after_change(t: Trial) -> None:
    await t.fresh()
    level, safe, other = await t.latch()
    operation = t.operation()
    await t.set(level, safe, operation)
    await t.set(level, other)
    await t.set(level, safe, operation)
    if t.value_of((await t.levels())[0], level) != safe:
        raise Fails(f"{level.value} is not {safe}, although that was asked for last")


@check(
    "6.2(4)",
    "a wish for the other side is refused where its level was taken back meanwhile; a new operation opens it",
)
async def opens_once(t: Trial) -> None:
    await t.fresh()
    level, safe, other = await t.latch()
    operation = t.operation()
    if not isinstance(answer := await t.set(level, other, operation), m.Response):
        raise NotTried(f"{level.value} does not become {other}: {answer.text or answer.code}")
    t.host.send(m.Bye())
    await t.host.quiet(BYE_S)
    await t.fresh()
    again = await t.set(level, other, operation)
    if t.value_of((await t.levels())[0], level) != safe:
        raise Fails(f"{level.value} is {other} again by an operation that was over")
    if not isinstance(again, m.Error) or again.code != m.ERR_REFUSED:
        raise Fails(
            f"an operation that was over was answered with {'RSP' if isinstance(again, m.Response) else again}"
        )
    if not isinstance(answer := await t.set(level, other), m.Response):
        raise Fails(f"{level.value} does not become {other} under a new operation: {answer.text or answer.code}")


@check("3.2", "a request that is not known is ERR 2; a level with an impossible value is ERR 5")
async def bad_requests(t: Trial) -> None:
    await t.fresh()
    level, _, _ = await t.movable()
    for message, code in (
        (m.Request(m.UnknownRequest(0x7E, b"\1")), m.ERR_UNKNOWN_REQUEST),
        (m.Request(m.SetLevel(level, "sideways", t.operation())), m.ERR_BAD_VALUE),
    ):
        seq, since = t.host.next_seq(), t.host.mark
        t.host.send(message, seq)
        answer = await t.answer(seq, since)
        if not isinstance(answer, m.Error) or answer.code != code:
            said = f"ERR {answer.code}" if isinstance(answer, m.Error) else "RSP"
            raise Fails(f"{type(message.what).__name__} was answered with {said}, not with ERR {code}")


@check("3.2", "a level that the device does not have is refused, not silently taken")
async def missing_level(t: Trial) -> None:
    await t.fresh()
    found, _ = await t.levels()
    have = {Level.LOCKOUT: found.lockout, Level.DISPENSING: found.dispensing, Level.MODE: found.mode}
    values = {Level.LOCKOUT: "engaged", Level.DISPENSING: "inhibited", Level.MODE: "count"}
    missing = next((level for level, value in have.items() if value is None), None)
    if missing is None:
        raise NotTried("the device has all levels")
    if isinstance(await t.set(missing, values[missing]), m.Response):
        raise Fails(f"it says yes to {missing.value}, and has none")


@check(
    "3.2", "a text as long as the display is shown, a longer one refused; where there is no display, each one is"
)
async def display(t: Trial) -> None:
    characters = (await t.fresh()).identity.display
    for text in ("",) if characters is None else ("#" * characters, ""):
        answer = await t.set(Level.DISPLAY, text)
        if (characters is None) != isinstance(answer, m.Error):
            said = "refused" if isinstance(answer, m.Error) else "taken"
            raise Fails(f"a text of {len(text)} characters was {said}; WELCOME says {characters or 'no display'}")
    if characters in (None, MAX_DISPLAY):
        return
    if isinstance(await t.set(Level.DISPLAY, "#" * (characters + 1)), m.Response):
        raise Fails(f"it says yes to a text of {characters + 1} characters, and shows {characters}")


@check("2", "a tag that is not known is passed over")
async def unknown_tag(t: Trial) -> None:
    await t.fresh()
    level, one, _ = await t.movable()
    seq, since = t.host.next_seq(), t.host.mark
    whole = encode(m.Frame(m.Request(m.SetLevel(level, one, t.operation())), t.host.session, seq))
    body = bytearray(whole + encode_tag(200, b"later"))
    body[12:14] = (len(body) - 14).to_bytes(2, "little")
    t.host.send_bytes(encode_frame(t.host.sealed(bytes(body))))
    if not isinstance(answer := await t.answer(seq, since), m.Response):
        raise Fails(f"a wish with tag 200 behind it was refused with ERR {answer.code}")


@check("3.2", "TIME_SET is answered with RSP, or ERR 6")
async def time_set(t: Trial) -> None:
    await t.fresh()
    seq, since = t.host.next_seq(), t.host.mark
    t.host.send(m.TimeSet(1_800_000_000_000_000, 1000), seq)
    answer = await t.answer(seq, since)
    if isinstance(answer, m.Error) and answer.code != m.ERR_UNSUPPORTED:
        raise Fails(f"TIME_SET was answered with ERR {answer.code}")


@check("2", "the device names the highest request number that it has seen")
async def acknowledges(t: Trial) -> None:
    await t.fresh()
    for _ in range(3):
        await t.levels()
    since = t.host.mark
    await t.ping()
    pong = next(h for h in t.since(since) if isinstance(h.frame.message, m.Pong))
    if pong.frame.ack != t.host.seq:
        raise Fails(f"ack is {pong.frame.ack} after request {t.host.seq}")


CHECKS: tuple[Check, ...] = (
    levels, digest, repeat, stale_number, same_wish, wish_after_change, opens_once, bad_requests, missing_level,
    display, unknown_tag, time_set, acknowledges,
)  # fmt: skip
