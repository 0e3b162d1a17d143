"""The bench strip: a socket over which somebody says to the people who acts, when to stop, and what goes wrong next.

One JSON line each way, one answer for each request. state: who acts, what may go wrong and why something may not, and
what has happened. mode (crew, dealt, hands or pause). forward (rounds): the crew plays so many without a pause, then stops. fault
(name): it happens as soon as it can.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drivers.protocol.reports import DeviceKind
from simulators.crew.scenario import MISHAPS, Cue, Mishap, ScenarioError
from simulators.crew.table import Mode, Table
from simulators.crew.talk import Message
from simulators.scenario.faults import FAULTS

LINE_BYTES = 4096
"""Longest request."""
MOST_ROUNDS = 1000
"""Rounds of one fast-forward."""
LATER = {
    "": tuple(Cue),
    "betting": tuple(Cue)[1:],
    "bets_closed": tuple(Cue)[tuple(Cue).index(Cue.DEAL) :],
    "dealing": (Cue.STUB, Cue.HANDS_OUT, Cue.ACTED),
}
"""What is still to come in a round, by its phase; in a later phase a fault waits for the next round."""


@dataclass(slots=True)
class Strip:
    """What one bench strip asks of the people. `cannot`: mishaps that cannot happen at this table, and why."""

    table: Table
    cannot: Mapping[str, str]

    def answer(self, line: bytes) -> dict[str, Any]:
        """Does what one line asks for; a request that cannot be done is answered with the reason."""
        try:
            asked = json.loads(line)
            return {"ok": True, **self._do(asked, str(asked.get("act")))}
        except ScenarioError as exc:
            return {"ok": False, "error": str(exc)}
        except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
            return {"ok": False, "error": 'a request is a line like {"act": "state"}'}

    def _do(self, asked: Message, act: str) -> dict[str, Any]:
        table = self.table
        match act:
            case "mode":
                table.mode, table.forward_to = Mode(str(asked["mode"])), 0
            case "forward":
                rounds = min(max(int(str(asked.get("rounds", 1))), 1), MOST_ROUNDS)
                table.mode, table.forward_to = Mode.CREW, table.view.number + rounds
            case "fault":
                self._add(str(asked["name"]))
            case "state":
                return self._state()
            case _:
                raise ScenarioError(f"the strip knows no {act!r}; it knows state, mode, forward, fault")
        table.wake()
        return self._state()

    def _add(self, name: str) -> None:
        """Plans a mishap for this round, or for the next one if its moment is over."""
        view = self.table.view
        mishap = Mishap.parse(f"{name}@{max(view.number, 1)}")
        if name in self.cannot:
            raise ScenarioError(f"{name} cannot happen here: {self.cannot[name]}")
        if mishap.scene.cue not in LATER.get(view.phase if view.round else "", ()):
            mishap = Mishap(name, mishap.round + 1, mishap.scene)
        self.table.scenario.add(mishap)

    def _state(self) -> dict[str, Any]:
        table = self.table
        devices = [
            {"name": f"{kind}.{name}", "effect": fault.effect}
            for kind in table.devices
            for name, fault in FAULTS.items()
            if DeviceKind(kind) in fault.devices
        ]
        scenes = [
            {"name": name, "effect": scene.effect, "cannot": self.cannot.get(name, "")}
            for name, scene in MISHAPS.items()
        ]
        return {
            "mode": "forward" if table.forward_to else table.mode.value,
            "coming": [
                {"name": m.name, "round": m.round, "effect": m.scene.effect} for m in table.scenario.coming
            ],
            "happened": table.happened[-3:],
            "in_hand": {back: len(cards) for back, cards in table.cards.items()},
            "scenes": scenes,
            "devices": devices,
        }


@asynccontextmanager
async def served(strip: Strip, path: Path) -> AsyncIterator[None]:
    """Serves the strip at `path` while the block runs."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, ValueError, asyncio.CancelledError):
            while line := await reader.readline():
                writer.write(json.dumps(strip.answer(line)).encode() + b"\n")
                await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(serve, path, limit=LINE_BYTES)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)  # noqa: ASYNC240  # a socket of our own
