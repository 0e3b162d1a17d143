"""A simulator with a key, as a process on a pseudo-terminal, and the daemon's own session at the other end."""

import asyncio
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from drivers import events
from drivers.device import Delivery, DeviceConfig
from drivers.protocol.reports import DeviceKind
from drivers.session.session import DeviceSession
from simulators.cli.main import sim

PATIENCE_S = 30.0


def key_at(path: Path, key: bytes) -> Path:
    path.write_bytes(key)
    path.chmod(0o400)
    return path


async def first_of(room: Path, key_file: Path | None, wanted: Callable[[Delivery], bool]) -> Delivery:
    """The first delivery of this kind from a shoe whose key lies in `room/shoe.key`."""
    command = ["-m", "simulators", "shoe", "--link", str(room / "dev"), "--log", str(room / "log")]
    child = await asyncio.create_subprocess_exec(sys.executable, *command, "--key", str(room / "shoe.key"))
    found: asyncio.Future[Delivery] = asyncio.get_running_loop().create_future()

    def deliver(delivery: Delivery) -> bool:
        if wanted(delivery) and not found.done():
            found.set_result(delivery)
        return True

    config = DeviceConfig("shoe-1", DeviceKind.SHOE, str(room / "dev"), accept_test_only=True, key_file=key_file)
    session = DeviceSession(config, deliver=deliver, entropy=os.urandom, rng=random.Random(1))
    task = asyncio.ensure_future(session.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await found
    finally:
        task.cancel()
        await asyncio.wait({task})
        child.terminate()
        await child.wait()


async def test_it_is_online_as_authenticated(tmp_path: Path) -> None:
    """Both have the same 32 bytes, over a real tty."""
    key_file = key_at(tmp_path / "shoe.key", bytes(range(32)))
    online = await first_of(tmp_path, key_file, lambda d: isinstance(d.body, events.DeviceOnline))
    assert isinstance(online.body, events.DeviceOnline)
    assert online.body.authenticated


@pytest.mark.parametrize(("own", "reason"), [(bytes(range(1, 33)), "auth_bad_key"), (None, "auth_key_needed")])
async def test_it_obeys_nobody_else(tmp_path: Path, own: bytes | None, reason: str) -> None:
    """A host with another key, and one without any, are turned away with the reason."""
    key_at(tmp_path / "shoe.key", bytes(range(32)))
    key_file = None if own is None else key_at(tmp_path / "other.key", own)
    rejected = await first_of(tmp_path, key_file, lambda d: isinstance(d.body, events.DeviceRejected))
    assert isinstance(rejected.body, events.DeviceRejected)
    assert rejected.body.reason == reason


def test_a_key_of_another_size_is_refused_with_its_file(tmp_path: Path) -> None:
    """Before anything is opened."""
    path = key_at(tmp_path / "short.key", bytes(16))
    result = CliRunner().invoke(sim, ["shoe", "--link", str(tmp_path / "dev"), "--key", str(path)])
    assert result.exit_code == 2
    assert f"{path} has 16 bytes, and a key has 32" in result.output
