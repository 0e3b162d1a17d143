"""The publisher on a NATS server, which speaks MQTT 3.1.1: another broker than the one it was written against."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from controller.cli.certificate import CLIENT, SERVER, issue, make_authority
from controller.publish.config import Tls

SERVER_BIN = Path(sys.executable).with_name("nats-server")
DEADLINE_S = 20.0
TABLE = "lv01-bj-017"


class Nats:
    """A nats-server of our own with its streams on disk. `tls`: lines of the MQTT listener."""

    def __init__(self, folder: Path, port: int, tls: str) -> None:
        self.folder, self.port = folder, port
        self.process: subprocess.Popen[bytes] | None = None
        (folder / "nats.conf").write_text(
            f"server_name: bench\nlisten: 127.0.0.1:-1\njetstream {{ store_dir: '{folder}/streams', sync_interval: always }}\n"
            f"mqtt {{ listen: 127.0.0.1:{port}\n {tls} }}\n"
        )

    def start(self) -> None:
        self.process = subprocess.Popen(
            [SERVER_BIN, "-c", self.folder / "nats.conf", "-l", self.folder / "log"], stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            assert self.process.poll() is None, "nats-server ended at once"
            time.sleep(0.02)
        raise AssertionError("nats-server does not listen")

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(10)
            self.process = None


@pytest.fixture
def nats(tmp_path: Path) -> Iterator[Callable[[str], Nats]]:
    assert SERVER_BIN.exists(), "nats-server is not installed; `make rankers` installs it"
    made: list[Nats] = []

    def start(tls: str = "") -> Nats:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        made.append(Nats(tmp_path, port, tls))
        made[-1].start()
        return made[-1]

    yield start
    for one in made:
        one.kill()


async def test_a_killed_nats_server_costs_no_event(
    nats: Any, run: Any, listen: Any, journal: Any, until: Any
) -> None:
    """Birth, states and events come; over a kill of the broker each event arrives, first appearances in order."""
    broker = nats()
    heard = await listen(broker.port)
    journal.add(count=40)
    running = run(broker.port, protocol="3.1.1")
    await until(lambda: heard.first_seen() == list(range(1, 41)))
    broker.kill()
    await until(lambda: not running.publisher.status()["connected"])
    journal.add(count=40)
    running.publisher.wake()
    broker.start()
    await until(lambda: heard.first_seen() == list(range(1, 81)))
    assert [said["state"] for said in heard.conn()][-1] == "online"
    await running.stop("update")
    await until(lambda: heard.conn()[-1]["state"] == "offline")


@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning")
async def test_nats_takes_the_certificates_of_our_command(
    nats: Any, run: Any, tmp_path: Path, until: Any, journal: Any
) -> None:
    """TLS 1.3 with a client certificate; without one it is named what is missing."""
    make_authority(tmp_path, 5)
    issue(tmp_path, "broker", SERVER, ["127.0.0.1"], days=5)
    issue(tmp_path, TABLE, CLIENT, days=5)
    files = {"cert_file": "broker.pem", "key_file": "broker.key", "ca_file": "authority.pem"}
    broker = nats("tls {\n" + "\n".join(f"{k}: '{tmp_path / v}'" for k, v in files.items()) + "\nverify: true }")
    ca = tmp_path / "authority.pem"
    journal.add(count=5)
    running = run(broker.port, protocol="3.1.1", tls=Tls(ca, tmp_path / f"{TABLE}.pem", tmp_path / f"{TABLE}.key"))
    await until(lambda: running.publisher.status()["acked"] == 5)
    await running.stop()
    bare = run(broker.port, protocol="3.1.1", tls=Tls(ca), backoff_first_s=60, backoff_most_s=60)
    await until(lambda: bare.publisher.status()["reason"])
    assert bare.publisher.status()["reason"].startswith(("tls_own_missing: ", "tls_own_refused: "))
