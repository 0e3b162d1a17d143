"""A consumer of somebody else's: the commands of docs/back-office.md, run as they are printed, with none of our code."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from paho.mqtt import publish

from tests.controller.backoffice.reading.captured import kept_days
from tests.controller.publish.conftest import Mosquitto
from tests.support.postgres import Postgres

ROOT = Path(__file__).resolve().parents[4]
TYPED = re.findall(
    r"^\$ (.*?)\n(?=\$|```)",
    (ROOT / "docs" / "back-office.md").read_text().partition("## Your own consumer")[2].partition("\n## ")[0],
    re.DOTALL | re.MULTILINE,
)


@pytest.fixture
def shell(tmp_path: Path, postgres_url: str, postgres: Postgres) -> Callable[[str, int], str]:
    """Runs a command of the page in a folder of its own."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def run(command: str, port: int = 0) -> str:
        environment = {**os.environ, "PATH": path, "BROKER": "127.0.0.1", "PORT": str(port), "STORE": postgres_url}
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_what_was_taken_off_the_broker_is_read_loaded_and_proven(
    make_mosquitto: Callable[..., Mosquitto], shell: Callable[..., str], tmp_path: Path
) -> None:
    """Every event of two tables; then one has a blank more in the file, and the same commands say so."""
    take, check, load, prove = TYPED
    events = kept_days(["md-uth-1", "nj-pikit-4"], tmp_path, 60)
    port = make_mosquitto("max_queued_messages 0").port
    shell(take.replace(" > ", " -E > "), port)  # once, so that the broker keeps the session
    topics = [f"tablewarden/v1/{'/'.join(json.loads(text)['source'].split(':')[-2:])}/evt/main" for text in events]
    publish.multiple(
        [{"topic": topic, "payload": text, "qos": 1} for topic, text in zip(topics, events, strict=True)],
        hostname="127.0.0.1", port=port,
    )  # fmt: skip
    shell(take.replace(" > ", f" -W 30 -C {len(events)} > "), port)
    shell(check)
    assert (tmp_path / "ids").read_text().split() == [json.loads(text)["id"] for text in events]
    shell(load)
    found = [line.split("|") for line in shell(prove).split()]
    assert {stream for _, stream, *_ in found} == {"main", "diag"}
    assert sum(int(count) for _, _, count, *_ in found) == len(events)
    assert all(count == proven == follows for _, _, count, proven, follows in found), found

    taken = tmp_path / "events.jsonl"
    taken.write_text(taken.read_text().replace('"data":{', '"data":{ ', 1))
    shell('psql -d "$STORE" -c "DROP TABLE seen"')
    shell(load)
    found = [line.split("|") for line in shell(prove).split()]
    assert sum(int(count) - int(proven) for _, _, count, proven, _ in found) == 1
