"""A private mosquitto on a free loopback port, for as long as a bench or a test needs it."""

import asyncio
import shutil
import socket
import tempfile
from pathlib import Path


class BrokerMissing(Exception):
    """There is no mosquitto on this machine; `make test` installs it."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Mosquitto:
    """Async context manager; `port` is where it listens. Nothing is kept on disk."""

    def __init__(self) -> None:
        self.port = free_port()
        self._work = Path(tempfile.mkdtemp(prefix="broker-"))
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> "Mosquitto":
        program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
        if program is None:
            raise BrokerMissing("mosquitto is not installed; .ci/system-packages installs it")
        config = self._work / "mosquitto.conf"
        config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n"
            "set_tcp_nodelay true\nmax_queued_messages 0\nlog_type error\n"
        )
        self._process = await asyncio.create_subprocess_exec(
            program, "-c", str(config), stderr=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(10):
            while not await self._answers():  # noqa: ASYNC110  # another process: nothing wakes us
                await asyncio.sleep(0.01)
        return self

    async def _answers(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        return True

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()
        shutil.rmtree(self._work, ignore_errors=True)
