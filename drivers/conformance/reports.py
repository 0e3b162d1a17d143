"""Checks sections 3.3 and 6.3 of docs/protocol.md: a report is logged before it is sent, and repeated until
acknowledged."""

from itertools import pairwise

from drivers.conformance.trial import Check, Fails, NotTried, Trial, check, counter_of
from drivers.protocol import messages as m
from drivers.protocol.constants import MIN_BODY, UNACKED_WINDOW
from drivers.protocol.reports import PoweredUp

SETTLE_S = 0.4
LATE_S = 0.5
"""How much later than the table of section 5 a repeat may come: a line and a loop have their own delays."""


async def read_log(t: Trial, boot: int, first: int, last: int) -> m.LogData | m.LogGone | m.Error:
    """Sends LOG_READ and returns the answer."""
    t.host.seq += 1
    seq, since = t.host.seq, t.host.mark
    t.host.send(m.LogRead(boot, first, last), seq)
    for kind in (m.LogData, m.LogGone, m.Error):
        wait_s = 1.0 if kind is m.LogData else 0.0
        found = await t.host.wait(
            kind, since, wait_s, lambda h: h.frame.seq == seq and h.frame.message is not None
        )
        if found is not None:
            return found[1]  # type: ignore[return-value]
    raise Fails(f"LOG_READ {first} to {last} was not answered with anything that can be read")


@check("3.3", "an EVENT names its boot and carries the next counter, whose low 16 bits are its number")
async def events(t: Trial) -> None:
    welcome = await t.fresh()
    last, since = (await t.ping()).log_last, t.host.mark
    await t.reports(2)
    await t.host.quiet(SETTLE_S)
    found = t.events(since)
    if [counter_of(h) for h in found if not h.frame.retransmit] != [last + 1, last + 2]:
        raise Fails(f"two reports behind {last} came as {[counter_of(h) for h in found]}")
    for heard in found:
        message = heard.frame.message
        assert isinstance(message, m.Event)
        if message.boot != welcome.boot:
            raise Fails("an EVENT names another boot than the WELCOME")
        if heard.frame.seq != message.record.counter & 0xFFFF:
            raise Fails(f"EVENT {message.record.counter} has the number {heard.frame.seq}")


@check("8(7)", "the first report of a boot is powered_up")
async def powered_up(t: Trial) -> None:
    welcome = await t.fresh()
    if welcome.log_first > 1:
        raise NotTried("the first report of this boot is no longer in the log; switch the device off and on")
    answer = await read_log(t, welcome.boot, 1, 1)
    if not isinstance(answer, m.LogData) or not isinstance(answer.records[0].report, PoweredUp):
        raise Fails(f"record 1 is {answer}")


@check("6.3(1)", "at most eight EVENTs are open; when they are acknowledged, it goes on from there")
async def window(t: Trial) -> None:
    welcome = await t.fresh()
    before = (await t.ping()).log_last
    since = await t.open_window()
    await t.host.quiet(SETTLE_S)
    open_ = {counter_of(h) for h in t.events(since)}
    if len(open_) > UNACKED_WINDOW:
        raise Fails(f"{len(open_)} EVENTs came ahead of the EVENT_ACK")
    if open_ != set(range(before + 1, before + 1 + UNACKED_WINDOW)):
        raise Fails(f"open are {sorted(open_)}, expected are the {UNACKED_WINDOW} behind {before}")
    t.host.send(m.EventAck(welcome.boot, max(open_)))
    await t.host.quiet(SETTLE_S)
    if max(counter_of(h) for h in t.events(since)) <= max(open_):
        raise Fails("nothing more came after the open ones were acknowledged")


@check("3.1", "the window of the host's HELLO is kept")
async def host_window(t: Trial) -> None:
    await t.fresh(window=2)
    since = await t.open_window()
    await t.host.quiet(SETTLE_S)
    open_ = {counter_of(h) for h in t.events(since)}
    if len(open_) != 2:
        raise Fails(f"{len(open_)} EVENTs came ahead of the EVENT_ACK of a host that takes 2")


@check("5", "a report that is not acknowledged comes again after 1, 2 and 4 s, as a repeat")
async def again(t: Trial) -> None:
    await t.fresh()
    since = t.host.mark
    await t.reports(1)
    await t.live(1.0 + 2.0 + 4.0 + LATE_S)
    found = t.events(since)
    if len(found) < 4:
        raise Fails(f"it came {len(found)} times within 7.5 s")
    waits = [b.at - a.at for a, b in pairwise(found)]
    for wait_s, due_s in zip(waits, (1.0, 2.0, 4.0), strict=False):
        if abs(wait_s - due_s) > LATE_S:
            raise Fails(f"it came again after {wait_s:.1f} s, not after {due_s:g}")
    if found[0].frame.retransmit or not all(h.frame.retransmit for h in found[1:]):
        raise Fails("flag 01 does not tell the first one from its repeats")


@check("6.3(2)", "a report that was acknowledged does not come again")
async def acknowledged(t: Trial) -> None:
    welcome = await t.fresh()
    await t.reports(1)
    t.host.send(m.EventAck(welcome.boot, (await t.ping()).log_last))
    since = t.host.mark
    await t.host.quiet(2.5)
    if t.events(since):
        raise Fails("it came again after its EVENT_ACK")


@check("6.3(1)", "an EVENT_ACK of what does not exist yet, or of another boot, acknowledges nothing")
async def ack_of_the_future(t: Trial) -> None:
    welcome = await t.fresh()
    await t.reports(1)
    last = (await t.ping()).log_last
    t.host.send(m.EventAck(welcome.boot, last + 1000))
    t.host.send(m.EventAck(welcome.boot ^ 1, last))
    since = t.host.mark
    await t.host.quiet(1.0 + LATE_S)
    if last not in [counter_of(h) for h in t.events(since)]:
        raise Fails("the open report did not come again: it was taken for acknowledged")


@check("6.3(4)", "LOG_READ gives the records from the first on, without a hole, as they were sent")
async def log_read(t: Trial) -> None:
    welcome = await t.fresh()
    since = t.host.mark
    await t.reports(4)
    await t.host.quiet(SETTLE_S)
    sent = {counter_of(h): h.frame.message.record for h in t.events(since) if isinstance(h.frame.message, m.Event)}
    first, last = min(sent), max(sent)
    answer = await read_log(t, welcome.boot, first, last)
    if not isinstance(answer, m.LogData) or answer.boot != welcome.boot:
        raise Fails(f"the log gives {type(answer).__name__}")
    found = {record.counter: record for record in answer.records}
    if min(found) != first:
        raise Fails(f"the answer begins with {min(found)}, not with {first}")
    if any(sent[n] != record for n, record in found.items() if n in sent):
        raise Fails("a record of the log is not what was sent as EVENT")
    ticks = [record.tick_us for record in answer.records]
    if ticks != sorted(ticks):
        raise Fails("tick_us falls from one record to the next")


@check("3.1", "no body is longer than the host's max_body")
async def max_body(t: Trial) -> None:
    await t.fresh()
    await t.reports(UNACKED_WINDOW + 2)
    welcome = await t.fresh(max_body=MIN_BODY)
    since = t.host.mark
    first = max(welcome.log_first, welcome.log_last - 20)
    await read_log(t, welcome.boot, first, welcome.log_last)
    longest = max(len(h.body) for h in t.since(since))
    if longest > MIN_BODY:
        raise Fails(f"a body of {longest} bytes came to a host that takes {MIN_BODY}")


@check("6.3(4)", "a range that never existed is ERR 5")
async def no_such_range(t: Trial) -> None:
    welcome = await t.fresh()
    last = welcome.log_last
    for first, end in ((last + 10, last + 20), (max(last, 2), max(last, 2) - 1), (0, 1)):
        answer = await read_log(t, welcome.boot, first, end)
        if not isinstance(answer, m.Error) or answer.code != m.ERR_BAD_VALUE:
            raise Fails(f"LOG_READ {first} to {end} of a log that ends at {last} brought {type(answer).__name__}")
        if answer.channel != m.CHANNEL_LOG:
            raise Fails("the ERR came on another channel than the question")


@check("6.3(4)", "records of a boot that is not in the log are said to be gone")
async def gone(t: Trial) -> None:
    welcome = await t.fresh()
    answer = await read_log(t, welcome.boot ^ 0xFFFF, 1, 5)
    if not isinstance(answer, m.LogGone) or (answer.first, answer.last) != (1, 5):
        raise Fails(f"records 1 to 5 of an unknown boot brought {answer}")


@check("6.3(1)", "nothing is sent without a host")
async def without_a_host(t: Trial) -> None:
    await t.fresh()
    await t.reports(1)
    t.host.send(m.Bye())
    await t.host.quiet(SETTLE_S)
    since = t.host.mark
    await t.host.quiet(3.0)
    if found := t.since(since):
        raise Fails(f"{type(found[0].frame.message).__name__} came after BYE")


CHECKS: tuple[Check, ...] = (
    events, powered_up, window, host_window, again, acknowledged, ack_of_the_future, log_read, max_body, no_such_range, gone,
    without_a_host,
)  # fmt: skip
