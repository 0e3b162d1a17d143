"""Carries out a scenario's steps at a running simulator, and compares what is seen."""

import asyncio
import json
from collections.abc import Mapping, Sequence

from simulators.devices.model import ActImpossible
from simulators.firmware.acts import carry_out
from simulators.firmware.runtime import Simulator
from simulators.scenario.faults import FaultError
from simulators.scenario.script import Script, ScriptError, Step, matches, verify_keys


class _Reports:
    """The reports that a step may still wait for, as kind and body.

    A report that was waited for is gone with all before it, and so are reports from before the last step but one.
    """

    def __init__(self, lines: "asyncio.Queue[str | None]") -> None:
        self.made: list[tuple[str, Mapping[str, object]]] = []
        self._lines = lines

    def collect(self) -> None:
        while not self._lines.empty():
            if (line := self._lines.get_nowait()) is None:
                raise ScriptError("more happened in one step than can be followed; split it")
            written = json.loads(line)
            if written["what"] == "report":
                self.made.append((written["kind"], written["body"]))

    def take(self, kind: str, body: Mapping[str, object]) -> bool:
        """Takes a matching report; returns False if there is none."""
        self.collect()
        for number, (its_kind, its_body) in enumerate(self.made):
            if its_kind == kind and matches(its_body, body):
                del self.made[: number + 1]
                return True
        return False

    def others(self, kind: str) -> str:
        """Returns the body of the last report of this kind; "" = none."""
        bodies = [body for its_kind, body in self.made if its_kind == kind]
        return f"; the last one said {dict(bodies[-1])}" if bodies else ""


async def play(simulator: Simulator, steps: Sequence[Step]) -> None:
    """Carries out the steps in order. Raises `ScriptError` for the first that is impossible or fails.

    Times are the mechanics' own; time limits are never shorter in real seconds, because the host is not faster.
    """
    verify_keys(steps, simulator.state())
    loop, speed = asyncio.get_running_loop(), simulator.speed
    began = loop.time()
    with simulator.log.watch() as lines:
        reports = _Reports(lines)
        for step in steps:
            try:
                due = (began if step.after is None else loop.time()) + (step.after or step.at or 0.0) / speed
                await asyncio.sleep(max(due - loop.time(), 0.0))
                await _take(simulator, step, reports, step.within / min(speed, 1.0))
            except (ActImpossible, FaultError, ScriptError) as exc:
                simulator.log("step", {"number": step.number, "ok": False, "error": str(exc)})
                raise ScriptError(f"step {step.number}: {exc}") from exc
            simulator.log("step", {"number": step.number, "ok": True})


async def run_scripted(simulator: Simulator, script: Script) -> None:
    """Runs the simulator with a scenario. Raises `ScriptError` if the scenario fails, and ends the simulator.

    After the last step the simulator runs on, or ends if the scenario says so.
    """
    running = asyncio.ensure_future(simulator.run())
    playing = asyncio.ensure_future(play(simulator, script.steps))
    try:
        await asyncio.wait((running, playing), return_when=asyncio.FIRST_COMPLETED)
        if playing.done() and (script.ends or playing.exception()):
            simulator.stop()
        await running
        if playing.done():
            await playing
    finally:
        playing.cancel()
        simulator.stop()
        await asyncio.gather(running, playing, return_exceptions=True)


async def _take(simulator: Simulator, step: Step, reports: _Reports, patience_s: float) -> None:
    if step.report:
        try:
            await simulator.until_true(lambda: reports.take(step.report, step.body), patience_s)
        except TimeoutError:
            like = f" with {dict(step.body)}" if step.body else ""
            told = f"no report {step.report}{like} came within {step.within:g} s{reports.others(step.report)}"
            raise ScriptError(told) from None
    await _seen(simulator, step.state, step.within, patience_s)
    reports.collect()
    before = len(reports.made)
    if step.do:
        await carry_out(simulator, step.do, step.given)
    await _seen(simulator, step.expect, step.within, patience_s)
    if not step.report:
        del reports.made[:before]


async def _seen(simulator: Simulator, wanted: Mapping[str, object], within: float, patience_s: float) -> None:
    """Waits until the state is as wanted. Raises `ScriptError` with the real state."""
    try:
        await simulator.until_true(lambda: matches(simulator.state(), wanted), patience_s)
    except TimeoutError:
        state = simulator.state()
        missed = {key: value for key, value in wanted.items() if not matches(state[key], value)}
        told = ", ".join(f"{key} is {state[key]!r} and not {value!r}" for key, value in missed.items())
        raise ScriptError(f"after {within:g} s {told or 'it was there too late'}") from None
