"""Runs all checks in their order, each in a session of its own, so that no check disturbs the next."""

from collections.abc import Awaitable, Callable, Iterable

from drivers.conformance import chain, frames, keys, reboot, reports, requests, safety, sessions
from drivers.conformance.bare_host import BareHost
from drivers.conformance.trial import Check, Fails, NotTried, Outcome, Result, Trial
from drivers.protocol.messages import Bye

CHECKS: tuple[Check, ...] = (
    *sessions.CHECKS, *frames.CHECKS, *requests.CHECKS, *reports.CHECKS, *chain.CHECKS,
    *safety.CHECKS, *keys.CHECKS, *reboot.CHECKS,
)  # fmt: skip


async def run_checks(
    host: BareHost,
    on_result: Callable[[Result], None],
    *,
    person: Callable[[str], Awaitable[bool]],
    image: bytes | None = None,
    checks: Iterable[Check] = CHECKS,
) -> list[Result]:
    """Runs each check and reports its result at once; leaves the device at its safe side. Raises `LinkLost`.

    `image`: the device's firmware, to measure it by.
    """
    trial = Trial(host, person, image)
    results = []
    for check in checks:
        try:
            await check.run(trial)
        except Fails as failure:
            result = Result(check, Outcome.FAILS, str(failure))
        except NotTried as reason:
            result = Result(check, Outcome.NOT_TRIED, str(reason))
        else:
            result = Result(check, Outcome.MEETS)
        results.append(result)
        on_result(result)
    host.send(Bye())
    return results
