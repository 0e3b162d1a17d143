"""The people at a simulated table: a dealer, a floorperson and players who play rounds by themselves.

`python -m simulators.crew.people --control SOCKET --device shuffler=NAME=SOCKET ...` speaks to the daemon's control socket
as any person's terminal does, and touches the simulated devices through their own control sockets. People look up
whenever the daemon or a device has something new, do one thing, and look again; after a restart of the daemon they go
on from what its status says. Everything they do is written to standard output, one JSON line each.
"""

import argparse
import asyncio
import json
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

from simulators.crew.floor import Floor
from simulators.crew.play import Play
from simulators.crew.scenario import MISHAPS, Mishap, ScenarioError
from simulators.crew.sets import Sets
from simulators.crew.steps import Steps
from simulators.crew.strip import Strip, served
from simulators.crew.table import Impossible, Mode, Settings, Table
from simulators.crew.talk import Gone, Refused

LOOK_AGAIN_S = 1.0
"""Real seconds after which people look up although nothing was heard: something may have been missed."""
AFTER_REFUSAL_S = 0.1
"""Real seconds before something that could not be done is tried again."""
STUCK_S = 45.0
"""Real seconds without any progress after which people give up: longer than any shuffle or reconnection takes."""
ROUND_S = 120.0
"""Real seconds, and ten minutes of the table, after which a round that does not end is going in circles."""


class People:
    """Everybody at the table, taking turns: the first who can do something does it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.sets = Sets(table)
        self.floor = Floor(table, self.sets)
        self.round = Play(table, self.sets)
        self.steps = Steps(table, self.sets)
        self._first: int | None = None
        self._turns: tuple[Callable[[], Awaitable[bool]], ...] = (
            self.floor.resolve_holds,
            self.floor.open_table,
            self.floor.do_duties,
            self.steps.take,
            self.round.go_on,
            self.round.count_whole_set,
            self.sets.tend_shuffler,
            self.sets.fill_shoe,
            self.sets.shuffle_what_is_due,
            self.round.begin,
        )

    async def run(self) -> str:
        """Plays the rounds, then closes the table; returns "", or what went wrong: where the table stood, or which
        mishaps never happened."""
        async with asyncio.TaskGroup() as group:
            lines = [self.table.talk, *(t for d in self.table.devices.values() for t in (d.talk, d.eye))]
            tasks = [group.create_task(line.run(), name=f"line to {line.path.name}") for line in lines]
            try:
                async with self._strip():
                    return await self._play() or await self._never_happened()
            finally:
                for task in tasks:
                    task.cancel()

    def _strip(self) -> AbstractAsyncContextManager[None]:
        settings = self.table.settings
        strip = Strip(self.table, settings.cannot)
        return served(strip, settings.strip) if settings.strip else nullcontext()

    async def _play(self) -> str:
        for line in (self.table.talk, *(device.talk for device in self.table.devices.values())):
            await line.up()
        number, since = 0, time.monotonic()
        while not await self._once():
            view = self.table.view
            if self.table.mode is not Mode.CREW or (view.is_known and view.number != number):
                number, since = view.number, time.monotonic()
            if self._is_stuck(since):
                return f"round {view.number} {view.phase or 'none'}: {view.status.get('next', 'no status')}"
        return ""

    async def _never_happened(self) -> str:
        """Returns what of the scenario did not happen, so that such a run does not look like a success."""
        missed = [f"{m.name}@{m.round}" for m in self.table.scenario.coming]
        for name, device in self.table.devices.items():
            answer = await device.talk.ask({"act": "state"})
            state = answer.get("state")
            armed = state.get("armed", []) if isinstance(state, dict) else []
            missed += [f"{name}: {fault}" for fault in armed]
        return "never happened: " + ", ".join(missed) if missed else ""

    def _is_stuck(self, round_since: float) -> bool:
        """Returns True without progress for longer than the longest shuffle, or in an endless round."""
        if self.table.mode is not Mode.CREW:
            return False  # somebody else acts, or nobody is to
        now, speed = time.monotonic(), self.table.settings.speed
        is_idle = now - self.table.last_progress > STUCK_S + 120.0 / speed
        return is_idle or now - round_since > ROUND_S + 600.0 / speed

    async def _once(self) -> bool:
        """Takes one look and does at most one thing; returns True when all is played."""
        try:
            await self.table.look()
            self._end_forward()
            if self.table.view.is_known and self.table.mode is not Mode.PAUSE:
                if await self._is_over():
                    return True
                for turn in self._turns:
                    if await turn():
                        return False
            await self.table.news(LOOK_AGAIN_S)
        except (Impossible, Refused) as exc:
            self.table.note("impossible", reason=str(exc))
            await self.table.news(AFTER_REFUSAL_S)
        except Gone as exc:
            self.table.note("gone", reason=str(exc))
            await asyncio.sleep(AFTER_REFUSAL_S)
        return False

    def _end_forward(self) -> None:
        """Stops a fast-forward before its last round's successor begins."""
        table = self.table
        if (
            table.forward_to
            and table.view.is_known
            and table.view.number >= table.forward_to
            and not table.view.round
        ):
            table.mode, table.forward_to = Mode.PAUSE, 0

    async def _is_over(self) -> bool:
        """Finishes after the last round: no hold or duty is open, and the table is closed."""
        view, table = self.table.view, self.table
        ended = view.number - 1
        self._first = ended if self._first is None else self._first
        if not table.settings.rounds or view.round or ended - self._first < table.settings.rounds:
            return False
        if view.holds or view.duties:
            return False
        return not view.is_open or await table.act("close_table", "floorperson")


def _settings(argv: list[str] | None) -> Settings:
    mishaps = "\n".join(f"  {name:26}{scene.effect}" for name, scene in MISHAPS.items())
    parser = argparse.ArgumentParser(
        prog="python -m simulators.crew.people",
        description="Dealer, floorperson and players around a simulated table.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"Mishaps (NAME@ROUND):\n{mishaps}\n\nA device's own fault: DEVICE.FAULT@ROUND[:key=value].\n"
        "Example: python -m simulators.crew.people --control t.sock --device shoe=shoe-1=shoe-1.ctl --mishap stub@4",
    )
    parser.add_argument("--control", type=Path, required=True, help="the daemon's control socket")
    parser.add_argument("--device", action="append", default=[], metavar="KIND=NAME=SOCKET", dest="devices")
    parser.add_argument("--seats", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=0, help="0 = for ever")
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mishap", action="append", default=[], metavar="NAME@ROUND", dest="mishaps")
    parser.add_argument("--pays", action="store_true", help="tell cards and settle wager by wager, as is offered")
    parser.add_argument("--hands", action="store_true", help="touch cards and devices only; somebody else acts")
    parser.add_argument("--strip", type=Path, help="socket of the bench strip")
    parser.add_argument("--cannot", default="{}", metavar="JSON", help="mishaps that cannot happen, and why")
    given = parser.parse_args(argv)
    try:
        devices = {kind: (name, Path(path)) for kind, name, path in (d.split("=", 2) for d in given.devices)}
        mishaps_given = tuple(Mishap.parse(text) for text in given.mishaps)
    except ScenarioError as exc:
        parser.error(str(exc))
    except ValueError:
        parser.error("--device is written KIND=NAME=SOCKET")
    return Settings(
        given.control,
        devices,
        given.seats,
        given.rounds,
        given.speed,
        given.seed,
        mishaps_given,
        pays=given.pays,
        hands=given.hands,
        strip=given.strip,
        cannot=json.loads(given.cannot),
    )


async def _run(settings: Settings) -> int:
    people = People(Table(settings))
    playing = asyncio.current_task()
    assert playing is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, playing.cancel)
    try:
        stuck = await people.run()
    except asyncio.CancelledError:
        return 0
    if stuck:
        print(f"people: {stuck}", file=sys.stderr)
    return 1 if stuck else 0


def main(argv: list[str] | None = None) -> int:
    """Runs the people. Exit code: 0 all rounds played or stopped, 1 stuck, 2 usage."""
    return asyncio.run(_run(_settings(argv)))


if __name__ == "__main__":
    sys.exit(main())
