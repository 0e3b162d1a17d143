"""Checks how a host recognises a new boot. A person switches the device off and on."""

from drivers.conformance.trial import Check, Fails, NotTried, Trial, check
from drivers.protocol import messages as m
from drivers.protocol.reports import Capability

BACK_S = 1.0
TRIES = 60


async def _switched(t: Trial, prepare: bool = False) -> tuple[m.Welcome, m.Welcome]:
    """Returns the WELCOMEs before and after a person switched the device off and on."""
    before = await t.fresh()
    if prepare:
        level, _, other = await t.latch()
        await t.set(level, other)
    session = t.host.session
    if not await t.person("switch the device off, wait three seconds, and switch it on again"):
        raise NotTried("nobody was asked to switch the device off and on (--with-reboot)")
    since = t.host.mark
    for _ in range(TRIES):
        t.host.send(m.Ping(t.host.entropy(8)), session=session)
        found = await t.host.wait(m.Restarted, since, BACK_S, lambda h: h.session == session)
        if found is not None:
            if found[1].boot == before.boot:
                raise Fails("RESTARTED names the boot from before")
            break
    else:
        raise Fails(
            f"a PING of the session from before was not answered with RESTARTED within {TRIES * BACK_S:g} s"
        )
    return before, await t.fresh(acknowledge=False)


@check("6.8", "after a reboot the session from before is answered with RESTARTED, and the boot is another")
async def new_boot(t: Trial) -> None:
    before, after = await _switched(t)
    if after.boot == before.boot:
        raise Fails("the boot number is the one from before")
    if after.log_first > 1:
        raise Fails(f"the counters of the new boot begin with {after.log_first}")
    logs = [span.boot for span in after.old_logs]
    if Capability.KEEPS_LOG in after.identity.capabilities and before.log_last and before.boot not in logs:
        raise Fails("it says keeps_log, and does not name the log of the boot before")


@check("8(5)", "after a reboot the device is at its safe side")
async def safe_after_reboot(t: Trial) -> None:
    await _switched(t, prepare=True)
    level, safe, _ = await t.latch()
    if t.value_of((await t.levels())[0], level) != safe:
        raise Fails(f"{level.value} is not {safe}")


CHECKS: tuple[Check, ...] = (new_boot, safe_after_reboot)
