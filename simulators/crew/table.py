"""The table as people share it: the connection to the daemon, the devices, and the cards in hand.

`Table.act` never asks for an act that the status does not allow; `Device.act` does every touch of a device. Both
are logged.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any, TextIO

from drivers.protocol.records import dataclass
from simulators.crew.scenario import Cue, Mishap, Scenario
from simulators.crew.talk import Gone, Message, Refused, Talk
from simulators.crew.view import Document, TableView


class Mode(StrEnum):
    """Who acts: people do everything; somebody else is the dealer; people only touch cards and devices; or nobody acts."""

    CREW = "crew"
    DEALT = "dealt"
    HANDS = "hands"
    PAUSE = "pause"


@dataclass(frozen=True, slots=True)
class Crew:
    """The names of the people at the table. `player-1` plays seat 1."""

    dealer: str = "dealer"
    floorperson: str = "floorperson"
    supervisor: str = "supervisor"
    technician: str = "technician"

    def name(self, role: str, seat: int = 0) -> str:
        """Returns the name of who has this role: `player-3` for the player at seat 3."""
        return f"player-{seat}" if role == "player" else str(getattr(self, role))


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the people. `rounds`: 0 = endless. `speed`: table seconds a real second. `devices`: kind ->
    (name, socket).

    `hands`: people only touch cards and devices; somebody else says at the daemon what was done.
    `strip`: socket of the bench strip, `cannot`: mishaps that it refuses, and why.
    `pays`: cards are recorded, and each wager is settled as the table offers it.
    """

    control: Path
    devices: Mapping[str, tuple[str, Path]]
    seats: int = 6
    rounds: int = 0
    speed: float = 1.0
    seed: int = 1
    mishaps: tuple[Mishap, ...] = ()
    crew: Crew = field(default_factory=Crew)
    hands: bool = False
    pays: bool = False
    strip: Path | None = None
    cannot: Mapping[str, str] = field(default_factory=dict)


class Impossible(Exception):
    """The device says that hands cannot do that now."""


class Device:
    """One simulated device as people see it. `state`: as of the last look."""

    def __init__(self, kind: str, name: str, path: Path, on_news: Callable[[], None]) -> None:
        self.kind, self.name = kind, name
        self.talk = Talk(path)
        self.eye = Talk(path, on_up=self._watch, on_event=lambda _: on_news())
        self.state: Document = {}

    def _watch(self) -> None:
        """Receives everything that happens at the device from now on."""
        self.eye.send({"act": "watch"})

    async def look(self) -> None:
        """Reads the device's state. Raises `Gone`."""
        state = (await self.talk.ask({"act": "state"})).get("state")
        self.state = state if isinstance(state, dict) else {}

    async def act(self, name: str, **given: object) -> list[str]:
        """Does something by hand; returns the cards that came out. Raises `Impossible`, `Gone`."""
        try:
            done = await self.talk.ask({"act": name, **given})
        except Refused as exc:
            raise Impossible(f"{self.name}: {exc.reason}") from exc
        cards = done.get("cards", [])
        return [str(card) for card in cards] if isinstance(cards, list) else []

    async def arm(self, fault: str) -> None:
        """Arms a fault that happens as soon as it can. Raises `Impossible`, `Gone`."""
        try:
            await self.talk.ask({"act": "inject", "fault": fault})
        except Refused as exc:
            raise Impossible(f"{self.name}: {exc.reason}") from exc

    @property
    def inside(self) -> int:
        """How many cards are in the machine, without the open tray."""
        outside = ("table", "lost", "retired", "infeed")
        return sum(n for place, n in self.state.get("places", {}).items() if place not in outside)

    @property
    def in_tray(self) -> int:
        """How many cards lie in the infeed tray."""
        return int(self.state.get("places", {}).get("infeed", 0))

    @property
    def deal(self) -> str:
        """How far the deal is, in the dispenser's words; empty for a device that does not deal."""
        return str(self.state.get("deal", ""))

    @property
    def phase(self) -> str:
        """The phase of a shuffle: idle, shuffling, slipping, freeing, jammed, stopped, ready or spent."""
        return str(self.state.get("phase", ""))

    @property
    def is_on(self) -> bool:
        """True while the device has power."""
        return bool(self.state.get("on"))

    @property
    def is_heard(self) -> bool:
        """Returns True if every report of this device is on record."""
        link = self.state.get("link", {})
        return bool(link.get("acknowledged", 0) >= link.get("reported", 0))

    @property
    def is_shuffling(self) -> bool:
        """True while a shuffle runs, also one with a jam that frees itself."""
        return self.phase in ("shuffling", "slipping", "freeing")

    @property
    def is_moving(self) -> bool:
        """True while cards move: a shuffle or a deal is under way."""
        return self.is_shuffling or self.deal in ("forming", "offered", "freeing")

    @property
    def is_broken(self) -> bool:
        """True if a person must help: a jam, or a shuffle or deal that ended early."""
        return self.phase in ("jammed", "stopped") or self.deal in ("jammed", "stopped")

    @property
    def chips(self) -> list[int]:
        """The seats with a chip on the first sensor."""
        return [int(seat) for seat, sensor in self.state.get("chips", ()) if sensor == 1]


class Table:
    """Everything that all people at the table see."""

    def __init__(self, settings: Settings, log: TextIO = sys.stdout) -> None:
        self.settings = settings
        self.view = TableView()
        self._news = asyncio.Event()
        self.devices = {
            kind: Device(kind, name, path, self._news.set) for kind, (name, path) in settings.devices.items()
        }
        self.scenario = Scenario(settings.mishaps)
        self.mode = Mode.HANDS if settings.hands else Mode.CREW
        self.forward_to = 0
        """Number of the round before which a fast-forward stops; 0 = there is none."""
        self.happened: list[dict[str, Any]] = []
        """Mishaps that have begun, oldest first."""
        self.cards: dict[str, list[str]] = {}
        """Cards of each set that lie outside the devices and off the layout, as written."""
        self.last_progress = time.monotonic()
        self.refusals = 0
        self._log = log
        self.talk = Talk(settings.control, numbered=True, on_up=self._watch, on_event=self._told)

    def _watch(self) -> None:
        self.talk.send({"do": "watch", "streams": ["main", "diag"]})
        self._news.set()

    def _told(self, message: Message) -> None:
        if "event" in message:
            self.last_progress = time.monotonic()
            self._news.set()

    def rng(self, *what: object) -> Random:
        """Returns the random generator of one question, equal in every run with this seed."""
        return Random("/".join(map(str, (self.settings.seed, *what))))  # noqa: S311  # players, not cards

    async def pause(self, seconds: float) -> None:
        """Waits as long as a thing takes a person, in table seconds; in a fast-forward it takes no time."""
        await asyncio.sleep(0 if self.forward_to else seconds / self.settings.speed)

    def wake(self) -> None:
        """Makes people look up now."""
        self.last_progress = time.monotonic()
        self._news.set()

    async def look(self) -> None:
        """Reads all devices, then the daemon's status. Raises `Gone` while the daemon is away."""
        self._news.clear()
        for device in self.devices.values():
            await device.look()
        self.view = TableView(await self.talk.ask({"do": "status"}))  # last: it knows all that was heard by then

    async def news(self, within_s: float) -> None:
        """Waits for news from the daemon or a device, at most `within_s` real seconds."""
        try:
            async with asyncio.timeout(within_s):
                await self._news.wait()
        except TimeoutError:
            return

    async def until(self, seen: Callable[[TableView], bool], within_s: float) -> bool:
        """Looks until something is seen; returns False after `within_s` real seconds. Raises `Gone`."""
        end = time.monotonic() + within_s
        await self.look()
        while not seen(self.view) and time.monotonic() < end:
            await self.news(max(0.0, min(0.2, end - time.monotonic())))
            await self.look()
        return seen(self.view)

    async def act(self, act: str, role: str = "dealer", seat: int = 0, /, **args: object) -> bool:
        """Records a person's act; returns False if it is not allowed now or was refused. Raises `Gone`."""
        if self._is_somebody_elses(act, role) or act not in self.view.allowed:
            return False
        who = self.settings.crew.name(role, seat)
        given = {**args, "seat": seat} if seat and act in SEATED else args
        try:
            await self.talk.ask({"do": "act", "act": act, "args": given, "who": who, "role": role})
        except Refused as exc:
            self.refusals += 1
            self.note("refused", act=act, who=who, args=given, reason=str(exc))
            return False
        except Gone:
            self.note("unknown", act=act, who=who, args=given)
            raise
        self.note("act", act=act, who=who, args=given)
        self.last_progress = time.monotonic()
        return True

    def _is_somebody_elses(self, act: str, role: str) -> bool:
        """Returns True if somebody else does this; who deals also asks the players."""
        dealt = role == "dealer" or act == "record_decision"
        return self.mode is Mode.HANDS or (self.mode is Mode.DEALT and dealt)

    async def cue(self, cue: Cue, device: Device | None = None, **where: int) -> list[Mishap]:
        """Takes the present round's mishaps that begin now, and arms their faults. Raises `Gone`."""
        mishaps = self.scenario.take(self.view.number, cue)
        for mishap in mishaps:
            self.note("mishap", name=mishap.name, round=mishap.round)
            if device is not None and mishap.scene.fault:
                await device.arm(mishap.device_fault(**where))
        return mishaps

    def note(self, what: str, **particulars: object) -> None:
        """Writes one JSON line about what people did; `at`: nanoseconds of CLOCK_MONOTONIC."""
        line = {"at": time.monotonic_ns(), "what": what, "round": self.view.number, **particulars}
        if what == "mishap":
            self.happened.append({**particulars, "effect": Mishap.parse(f"{particulars['name']}@1").scene.effect})
        print(json.dumps(line, separators=(",", ":")), file=self._log, flush=True)


SEATED = ("place_wager", "record_decision", "report_irregularity")
"""Acts that say at which seat."""
