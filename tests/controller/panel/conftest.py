"""A panel before a daemon that is played by a thread: it answers what the test says, and keeps what it was asked."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from controller.panel.app import Panel
from controller.panel.live import Live
from controller.panel.people import HASHER, PeopleFile, Staff

HOST = "127.0.0.1:8420"
ORIGIN = f"http://{HOST}"
STATUS = {"table": "t1", "record": {"ok": True, "journal": "j", "order": 7}, "marks": {"phase": "0a"}}


class Daemon:
    """A control socket. `answer`: to an act; `asked`: acts and tries, in order."""

    def __init__(self, path: Path) -> None:
        self.status: dict[str, Any] = dict(STATUS)
        self.answer: dict[str, Any] = {"ok": True, "result": {"facts": []}}
        self.asked: list[dict[str, Any]] = []
        self._taken: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen(64)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                taken, _ = self._listening.accept()
            except OSError:
                return
            self._taken.append(taken)
            threading.Thread(target=self._talk, args=(taken,), daemon=True).start()

    def _talk(self, taken: socket.socket) -> None:
        with taken, taken.makefile("rwb") as lines:
            for line in lines:
                asked = json.loads(line)
                if asked["do"] == "watch":
                    continue
                answer = {"ok": True, "result": self.status}
                if asked["do"] != "status":
                    self.asked.append(asked)
                    answer = self.answer
                lines.write(json.dumps({"id": asked["id"], **answer}).encode() + b"\n")
                lines.flush()

    def close(self) -> None:
        with contextlib.suppress(OSError):  # closed already by the test
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for taken in self._taken:
            with contextlib.suppress(OSError):
                taken.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="session")
def staff() -> list[Staff]:
    return [
        Staff("1001", "ada", ("dealer",), HASHER.hash("1234")),
        Staff("4711", "sam", ("supervisor",), HASHER.hash("987654")),
    ]


@pytest.fixture
def people(tmp_path: Path, staff: list[Staff]) -> PeopleFile:
    file = PeopleFile(tmp_path / "people.json")
    file.write(staff)
    return file


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path / "c.sock")
    yield daemon
    daemon.close()


@pytest.fixture
def panel(tmp_path: Path, people: PeopleFile) -> Panel:
    return Panel(Live(tmp_path / "c.sock"), people, secure=False)


@pytest.fixture
def browser(panel: Panel, daemon: Daemon) -> Iterator[TestClient]:
    """A browser that is not logged in, at our page."""
    app = panel.app(frozenset({HOST}))
    with TestClient(app, base_url=ORIGIN, headers={"origin": ORIGIN}, follow_redirects=False) as client:
        yield client
