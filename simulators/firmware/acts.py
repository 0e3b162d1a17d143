"""Maps the names used by control socket and scripts to acts, verbs and faults of a running simulator."""

from collections.abc import Mapping

from drivers.protocol.reports import ResetCause
from simulators.devices.model import ActImpossible
from simulators.firmware.runtime import Simulator
from simulators.scenario.script import LONGEST_S

AWAIT_S = 10.0
"""How long `await` waits where the request does not say."""


async def carry_out(simulator: Simulator, act: str, given: Mapping[str, object]) -> dict[str, object]:
    """Carries out one named act; returns extra answers. Raises `ActImpossible`, `FaultError`, and `TimeoutError`
    of an `await`."""
    match act:
        case "state":
            return {"state": simulator.state()}
        case "await":
            await simulator.until(str(given.get("key")), given.get("value"), _seconds(given, "timeout_s", AWAIT_S))
            return {"state": simulator.state()}
        case "inject":
            simulator.inject(str(given.get("fault")))
        case "heal":
            simulator.heal()
        case "hang":
            simulator.hang(_seconds(given, "for_s"))
        case "unplug":
            simulator.unplug(_seconds(given, "for_s"))
        case "power_off":
            simulator.power_off(_seconds(given, "for_s"))
        case "wake":
            simulator.wake()
        case "replug":
            simulator.replug()
        case "power_on":
            simulator.power_on()
        case "reboot":
            simulator.reboot(_cause(given))
        case _:
            done = simulator.act(act, given)
            return {"cards": [str(card) for card in done.cards], "note": done.note}
    return {}


def _seconds(given: Mapping[str, object], key: str, default: float = 0.0) -> float:
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_S:
        raise ActImpossible(f"{key} is a number of seconds")
    return float(value)


def _cause(given: Mapping[str, object]) -> ResetCause:
    try:
        return ResetCause(str(given.get("cause", ResetCause.WATCHDOG)))
    except ValueError:
        raise ActImpossible(f"cause must be one of {', '.join(ResetCause)}") from None
