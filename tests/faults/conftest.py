"""A room for a rig in memory: the journal is a file like any other there, and a hundred cases do not wait for the disk."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def room() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tw-", dir=MEMORY if MEMORY.is_dir() else None) as path:
        yield Path(path)


MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
UP_S = 10.0


@pytest.fixture(scope="session")
def mosquitto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a real one for all cases of this process. There is no skip: without mosquitto the test fails."""
    assert Path(MOSQUITTO).exists(), "mosquitto is not installed; .ci/system-packages installs it"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    conf = tmp_path_factory.mktemp("broker") / "mosquitto.conf"
    lines = ("set_tcp_nodelay true", "max_queued_messages 0", "allow_anonymous true", "log_type none", "user root")
    conf.write_text("\n".join([*lines, f"listener {port} 127.0.0.1", ""]))
    with subprocess.Popen([MOSQUITTO, "-c", str(conf)], stderr=subprocess.DEVNULL) as process:
        try:
            _await_up(process, port)
            yield port
        finally:
            process.kill()


def _await_up(process: "subprocess.Popen[bytes]", port: int) -> None:
    end = time.monotonic() + UP_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        assert process.poll() is None, "mosquitto ended at once"
        time.sleep(0.01)
    raise AssertionError("mosquitto does not listen")
