"""The panel of a run: a web page for people who watch or play at the simulated table."""

import asyncio
import socket
import sys
import time

from controller.panel.people import HASHER, PeopleFile, Staff
from simulators.bench.children import Child, start
from simulators.bench.rig import RUN_CLI, Rig

PIN = "1234"
PEOPLE = (
    ("1001", "ada", "dealer"),
    ("2002", "flo", "floorperson"),
    ("3003", "sam", "supervisor"),
    ("4004", "tom", "technician"),
)
"""Who may log in at a simulated table: staff number, name, role. Each PIN is `PIN`."""
PORT = 8420
UP_S = 30.0
"""How long the panel may take until a browser can open it."""


async def start_panel(rig: Rig) -> tuple[Child, str]:
    """Starts the panel; returns it and what a person must know to log in. Raises `ChildFailed`."""
    people = PeopleFile(rig.directory / "people.json")
    people.write([Staff(number, name, (role,), HASHER.hash(PIN)) for number, name, role in PEOPLE])
    port = _free(PORT)
    command = [
        sys.executable, "-c", RUN_CLI, "panel", "serve", "--people", str(people.path), "--config", str(rig.config),
        "--bench", str(rig.strip), "--port", str(port),
    ]  # fmt: skip
    who = ", ".join(f"{role} {number}" for number, _, role in PEOPLE)
    says = f"panel: http://127.0.0.1:{port}/  log in as {who}; each PIN is {PIN}"
    panel = await start("panel", command, rig.directory)
    end = time.monotonic() + UP_S
    while not _listens(port):
        if not panel.is_running or time.monotonic() > end:
            raise panel.failed("does not listen")
        await asyncio.sleep(0.05)
    return panel, says


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free(wanted: int) -> int:
    """Returns the wanted port, or another if it is taken."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    return wanted
