"""All simulators of one table's configuration, and the hands that carry its cards from one device to another."""

import asyncio
import contextlib
import json
import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drivers.protocol.records import dataclass
from drivers.protocol.reports import DeviceKind
from simulators.bench.children import Child, start
from simulators.bench.options import Options

HUB = "sim.ctl"
"""Socket beside the configuration, through which `sim do` speaks to each device."""
UP_S = 20.0
LOOK_S = 0.05
CARRIED = ("unload", "take", "remove", "draw", "find_lost", "bring_deck")
"""Acts after which a person has cards in hand."""
LINE_BYTES = 65536
Document = dict[str, Any]


class TableUnusable(Exception):
    """The simulators of this configuration cannot be started, or one cannot be reached; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """One device of the configuration, with the arguments of its simulator."""

    name: str
    link: Path
    command: tuple[str, ...]

    @property
    def socket(self) -> Path:
        """The device's own control socket."""
        return self.link.with_name(self.link.name + ".ctl")


def simulated(config: Path, speed: float = 1.0) -> list[Simulated]:
    """Returns the simulators that a configuration needs. Raises `TableUnusable`."""
    try:
        with config.open("rb") as file:
            raw = tomllib.load(file)
        table, devices = raw["table"], raw.get("device", [])
        options = Options(rulebook=str(table["rulebook"]).partition("@")[0], method=str(table["method"]))
        found = [_simulator(device, table, options, config, speed) for device in devices]
    except OSError as exc:
        raise TableUnusable(f"{config}: {exc.strerror}") from exc
    except (KeyError, TypeError, AttributeError, ValueError) as exc:
        raise TableUnusable(f"{config}: {exc}; `tablewarden check {config}` says what is wrong") from exc
    if not found:
        raise TableUnusable(f"{config}: it names no [[device]], so there is nothing to simulate")
    return found


def _simulator(device: Document, table: Document, options: Options, config: Path, speed: float) -> Simulated:
    name, kind, path, speaks = (
        device["name"],
        DeviceKind(device["kind"]),
        device["path"],
        device.get("speaks", "tdp/1"),
    )
    if path.startswith("usb:") or speaks not in ("tdp/1", "bee-tek"):
        raise TableUnusable(
            f"{name}: only serial devices that speak tdp/1 or bee-tek; start `tablewarden sim` for it by hand"
        )
    link = config.absolute().parent / path
    has_shuffler = options.dealt_by != "hand" and any(d == DeviceKind.SHUFFLER for d in _kinds(table, config))
    backs = ",".join(table.get("backs", ["red", "blue"]))
    holds_sets = kind is DeviceKind.SHUFFLER or not has_shuffler
    words = ["bee-tek" if speaks == "bee-tek" else kind.value, "--link", str(link), "--speed", f"{speed:g}"]
    words += ["--log", str(link.with_name(f"{link.name}.log"))]
    if speaks == "bee-tek":
        return Simulated(name, link, (*words, "--decks", str(options.decks)))
    words += ["--serial", device["serial"]] if "serial" in device else []
    words += ["--key", str(config.absolute().parent / device["key_file"])] if "key_file" in device else []
    if kind is DeviceKind.PROGRESSIVE:
        return Simulated(name, link, (*words, "--seats", str(table["seats"])))
    plan = options.plan if kind is DeviceKind.SHOE or table["method"] == "shuffler" else "none"
    words += ["--plan", plan, "--backs", backs if holds_sets else "none", "--decks", str(options.decks)]
    return Simulated(name, link, tuple(words))


def _kinds(table: Document, config: Path) -> list[str]:
    return [device["kind"] for device in tomllib.loads(config.read_text()).get("device", [])]


class Hands:
    """The people at the table. `held`: the cards in hand or on the layout, by the colour of their back."""

    def __init__(self, devices: Mapping[str, Path]) -> None:
        self._devices = devices
        self.held: dict[str, list[str]] = {}

    async def do(self, request: Document) -> Document:
        """Carries out one request at one device; gives it the cards that lie on the table where none are named."""
        name = str(request.pop("device", ""))
        socket = self._devices.get(name)
        if socket is None:
            return {"ok": False, "error": f"no device {name!r} here; there are {', '.join(self._devices)}"}
        back = str(request.get("back", ""))
        carried = self.held.get(back, []) if request.get("act") == "load" and "cards" not in request else []
        answer = await ask(socket, {**request, "cards": carried} if carried else request)
        if answer.get("ok"):
            self._moved(str(request.get("act")), back, answer.get("cards") or [])
        return answer

    def _moved(self, act: str, back: str, cards: list[str]) -> None:
        uids = {card.split("/")[2] for card in cards}
        if act == "load":
            self.held = {b: [c for c in pile if c.split("/")[2] not in uids] for b, pile in self.held.items()}
        elif act in CARRIED:
            for card in cards:
                self.held.setdefault(card.split("/")[1], []).append(card)


async def ask(socket: Path, request: Document) -> Document:
    """Returns a simulator's answer. Raises `TableUnusable` if nobody answers."""
    try:
        reader, writer = await asyncio.open_unix_connection(socket, limit=LINE_BYTES)
    except OSError as exc:
        raise TableUnusable(f"{socket}: {exc.strerror}; start `tablewarden sim table` first") from exc
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        await writer.drain()
        answer: Document = json.loads(await reader.readline())
        return answer
    except ValueError as exc:
        raise TableUnusable(f"{socket}: the simulator ended") from exc
    finally:
        writer.close()


def hub_of(config: Path) -> Path:
    """Returns the socket through which hands reach the devices of this configuration."""
    return config.absolute().parent / HUB


async def run_table(config: Path, speed: float, stop: asyncio.Event, say: Any) -> None:
    """Runs all simulators until `stop`, or until one of them ends. Raises `TableUnusable`."""
    devices = simulated(config, speed)
    hands = Hands({device.name: device.socket for device in devices})
    hub = hub_of(config)
    children: list[Child] = []
    try:
        for device in devices:
            command = [sys.executable, "-m", "simulators", *device.command]
            children.append(await start(device.name, command, device.link.parent, env=dict(os.environ)))
        for device, child in zip(devices, children, strict=True):
            await _up(device, child)
            say(f"{device.name}: {device.link}")
        hub.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(lambda r, w: _serve(hands, r, w), hub, limit=LINE_BYTES)
        say(
            f"all are up; move cards with `tablewarden sim do {config} DEVICE ACT [KEY=VALUE]...`; end with Ctrl-C"
        )
        async with server:
            await _until_one_ends(children, stop)
    finally:
        hub.unlink(missing_ok=True)
        await asyncio.gather(*(child.stop() for child in children))


async def _up(device: Simulated, child: Child) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(UP_S):
            while not (device.socket.exists() and device.link.is_symlink()):
                if not child.is_running:
                    break
                await asyncio.sleep(LOOK_S)
            else:
                return
    raise TableUnusable(str(child.failed("did not start")))


async def _until_one_ends(children: list[Child], stop: asyncio.Event) -> None:
    waits = [asyncio.ensure_future(work) for work in (stop.wait(), *(child.ended() for child in children))]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
    ended = [child for child in children if not child.is_running]
    if ended and not stop.is_set():
        raise TableUnusable(str(ended[0].failed("ended")))


async def _serve(hands: Hands, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while line := await reader.readline():
            try:
                answer = await hands.do(json.loads(line))
            except TableUnusable as exc:
                answer = {"ok": False, "error": str(exc)}
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
    writer.close()
