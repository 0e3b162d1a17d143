"""Checks sections 3.1, 6.1 and 6.8 of docs/protocol.md: who answers, when a session starts, and that an old
session stays over."""

from drivers.conformance.bare_host import ANSWER_S
from drivers.conformance.trial import QUIET_S, Check, Fails, Trial, check
from drivers.protocol import messages as m
from drivers.protocol.constants import LOG_DEPTH, MIN_BODY, RTO_FIRST_S, VERSION_MAJOR

PINGS = 20


async def _echoes(t: Trial, session: int) -> bool:
    """Returns True if the device echoes a PING of this session."""
    nonce, since = t.host.entropy(8), t.host.mark
    t.host.send(m.Ping(nonce), session=session)
    return await t.host.wait(m.Pong, since, QUIET_S, lambda h: h.nonce == nonce) is not None


@check("3.1", "a HELLO is answered with a WELCOME that says who the device is")
async def welcome(t: Trial) -> None:
    found = await t.fresh()
    who = found.identity
    wrong = [
        *(
            ["the versions do not hold version 1"]
            if not found.min_version <= VERSION_MAJOR <= found.max_version
            else []
        ),
        *([f"max_body is {found.max_body}, under {MIN_BODY}"] if found.max_body < MIN_BODY else []),
        *(["window is 0"] if found.window < 1 else []),
        *(["boot is 0"] if found.boot == 0 else []),
        *(["the log ends before it begins"] if found.log_first > found.log_last + 1 else []),
        *(["vendor and model are empty"] if not who.vendor or not who.model else []),
        *(["the firmware has no version"] if not who.firmware else []),
    ]
    if wrong:
        raise Fails("; ".join(wrong))


@check("8(3)", "the log holds at least 4096 records, and can be read again")
async def log_depth(t: Trial) -> None:
    found = await t.fresh()
    if found.log_depth < LOG_DEPTH:
        raise Fails(f"log_depth is {found.log_depth}")
    if "event_log" not in found.identity.capabilities:
        raise Fails("the capability event_log is not named")


@check("6.1", "a repeated HELLO is answered with the same WELCOME, byte for byte")
async def hello_again(t: Trial) -> None:
    session, nonce = t.host.new_session(), t.host.entropy(16)
    since = t.host.mark
    for again in (False, True):
        t.host.send(m.Hello(nonce), retransmit=again)
        await t.host.quiet(QUIET_S)
    found = [h.body for h in t.since(since) if isinstance(h.frame.message, m.Welcome) and h.session == session]
    if len(found) != 2:
        raise Fails(f"two HELLOs brought {len(found)} WELCOMEs")
    if found[0] != found[1]:
        raise Fails("the second WELCOME differs from the first")


@check("6.1", "a HELLO only offers a session: the old one goes on until the new one speaks")
async def hello_only_offers(t: Trial) -> None:
    await t.fresh()
    old = t.host.session
    late = t.host.entropy(4)
    t.host.send(m.Hello(t.host.entropy(16)), session=int.from_bytes(late, "little") or 1)
    await t.host.quiet(QUIET_S)
    if t.host.key is None and not await _echoes(t, old):
        raise Fails("after a HELLO that nobody followed up the session before it is gone")
    await t.ping()


@check("6.1", "the first frame of a session ends the one before for good")
async def old_session_is_over(t: Trial) -> None:
    await t.fresh()
    old = t.host.session
    await t.fresh()
    since = t.host.mark
    t.host.send(m.Ping(t.host.entropy(8)), session=old)
    t.host.send(m.Hello(t.host.entropy(16)), session=old)
    await t.host.quiet(QUIET_S)
    t.host.send(m.Ping(t.host.entropy(8)), session=old)
    await t.host.quiet(QUIET_S)
    if any(isinstance(h.frame.message, m.Pong) and h.session == old for h in t.since(since)):
        raise Fails("a session that was replaced came to life again")
    await t.ping()


@check("6.1", "the last four offers are kept until one is started")
async def four_offers(t: Trial) -> None:
    await t.fresh()
    nonces = [t.host.entropy(16) for _ in range(4)]
    sessions = [int.from_bytes(t.host.entropy(4), "little") or 1 for _ in nonces]
    for session, nonce in zip(sessions, nonces, strict=True):
        t.host.send(m.Hello(nonce), session=session)
    await t.host.quiet(QUIET_S)
    if t.host.key is None and not await _echoes(t, sessions[0]):
        raise Fails("the oldest of four offered sessions could not be started")


@check("6.1", "where there is no common version the WELCOME says so, and no session begins")
async def no_common_version(t: Trial) -> None:
    await t.fresh()
    session, since = t.host.new_session(), t.host.mark
    t.host.send(m.Hello(t.host.entropy(16), min_version=2, max_version=3))
    found = await t.host.wait(m.Welcome, since, ANSWER_S, lambda h: h.session == session)
    if found is None:
        raise Fails("a HELLO of versions 2 to 3 was not answered")
    if await _echoes(t, session):
        raise Fails("a session began without a version that both speak")


@check("6.1", "a host of versions 1 to 9 is welcome")
async def later_host(t: Trial) -> None:
    await t.fresh(min_version=1, max_version=9)


@check("5", "a PING is echoed well within the first time-out of a request")
async def quick_enough(t: Trial) -> None:
    await t.fresh()
    slow = 0.0
    for _ in range(PINGS):
        if (echo := await t.host.ping()) is None:
            raise Fails("a PING was not echoed at all")
        slow = max(slow, echo[1])
    if slow >= RTO_FIRST_S:
        raise Fails(f"the slowest of {PINGS} echoes took {slow:.2f} s")


@check("6.8", "a device without a session answers RESTARTED, once a second and not more often")
async def restarted(t: Trial) -> None:
    found = await t.fresh()
    t.host.send(m.Bye())
    await t.host.quiet(1.2)
    session, since = t.host.new_session(), t.host.mark
    for _ in range(8):
        t.host.send(m.Ping(t.host.entropy(8)), session=session)
        await t.host.quiet(0.05)
    await t.host.quiet(0.1)
    told = [h for h in t.since(since) if isinstance(h.frame.message, m.Restarted)]
    if not told:
        raise Fails("a PING of a session that it does not know was not answered with RESTARTED")
    if len(told) > 1:
        raise Fails(f"{len(told)} RESTARTED came for 8 PINGs in half a second")
    message = told[0].frame.message
    if told[0].session != session or not isinstance(message, m.Restarted) or message.boot != found.boot:
        raise Fails("RESTARTED names another session or another boot")


CHECKS: tuple[Check, ...] = (
    welcome, log_depth, hello_again, hello_only_offers, old_session_is_over, four_offers, no_common_version, later_host,
    quick_enough, restarted,
)  # fmt: skip
