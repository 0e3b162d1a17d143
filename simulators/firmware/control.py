"""Out-of-band control of a simulator over a Unix socket: JSON lines, one answer for each request, in order.

    {"act": "load", "back": "red"}        -> {"ok": true, "cards": ["2c/red/S1.1", ...], "note": ""}
    {"act": "take"}                       -> {"ok": false, "error": "no stack lies in the output"}

Hands at a shuffler or shoe: load (back, or cards as written), unload, green, take, remove (leave), open_lid, close_lid,
mode (mode), plan (plan), bring_deck, retire, wash (back), find_lost. At a shoe that hands deal from: draw (cards), key (to),
cutting_card (behind); where it writes lines, say (text). At a progressive: put_chip, lift_chip (seat, sensor), collect, lockout.
At any device: state; await (key, value, timeout_s); inject (fault); heal: all faults of cable and firmware end; hang, unplug,
power_off (for_s); wake, replug, power_on; reboot (cause); scenario (steps, as in docs/scenarios.md): answered after the last of
them; watch: from then on every line of the record, and no more requests.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from simulators.cable.port import LinkTaken
from simulators.devices.model import ActImpossible
from simulators.firmware.acts import carry_out
from simulators.firmware.runtime import Simulator
from simulators.scenario.faults import FaultError
from simulators.scenario.run import play
from simulators.scenario.script import ScriptError, read_steps

LINE_BYTES = 65536
"""Longest request: a set of 54 written cards is about 1.5 KiB."""


@asynccontextmanager
async def control_socket(simulator: Simulator, path: Path) -> AsyncIterator[None]:
    """Serves `simulator` at `path` while the block runs; replaces a socket that a killed simulator left.

    Raises `LinkTaken` if a running simulator serves the path.
    """
    clients: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        clients.add(task)
        try:
            await _serve(simulator, reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client went away, or the simulator ends: nobody is left to be told
        finally:
            clients.discard(task)
            writer.close()

    if await _is_served(path):
        raise LinkTaken(
            f"another simulator runs here, with its control socket at {path}; end it, or choose another --link"
        )
    _verify_ours(path)
    _remove(path)
    server = await asyncio.start_unix_server(serve, path, limit=LINE_BYTES)
    try:
        yield
    finally:
        server.close()
        for task in clients.copy():
            task.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        _remove(path)


async def _is_served(path: Path) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    return True


def _verify_ours(path: Path) -> None:
    """Raises `LinkTaken` unless the path holds a socket that a simulator left."""
    if path.is_symlink() or (path.exists() and not path.is_socket()):
        raise LinkTaken(f"{path} is there and is no socket; name another --control")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


async def _serve(simulator: Simulator, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await _line(reader):
        request = _parse(line)
        if request.get("act") == "watch":
            await _stream(simulator, writer)
            return
        writer.write(json.dumps(await answer(simulator, request)).encode() + b"\n")
        await writer.drain()


async def _line(reader: asyncio.StreamReader) -> bytes:
    """Reads one request; returns b"" at the end, or if a line is too long."""
    with contextlib.suppress(ValueError):
        return await reader.readline()
    return b""


def _parse(line: bytes) -> Mapping[str, object]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


async def _stream(simulator: Simulator, writer: asyncio.StreamWriter) -> None:
    with simulator.log.watch() as lines:
        writer.write(b'{"ok": true}\n')
        while (line := await lines.get()) is not None:
            writer.write(line.encode() + b"\n")
            await writer.drain()


async def answer(simulator: Simulator, request: Mapping[str, object]) -> dict[str, object]:
    """Carries out one request; an impossible one is answered with `ok` false and the reason, never an exception."""
    given = {key: value for key, value in request.items() if key != "act"}
    try:
        match request.get("act"):
            case "scenario":
                steps = read_steps(given.get("steps"), simulator.kind)
                await play(simulator, steps)
                return {"ok": True, "steps": len(steps)}
            case str() as act:
                return {"ok": True, **await carry_out(simulator, act, given)}
            case _:
                raise ActImpossible('a request is a line like {"act": "state"}')
    except TimeoutError:
        return {"ok": False, "error": f"{given.get('key')} did not become {given.get('value')!r} in time"}
    except (ActImpossible, FaultError, ScriptError) as exc:
        return {"ok": False, "error": str(exc)}
