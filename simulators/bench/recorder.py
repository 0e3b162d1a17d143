"""The recorder of a run: the back office's consumer beside the table, and what its store holds in the end."""

import asyncio
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from simulators.bench.broker import Broker
from simulators.bench.children import Child, start
from simulators.bench.options import SITE, TABLE
from simulators.bench.rig import RUN_CLI, Rig

NAME = "recorder"
PATIENCE_S = 20.0
"""How long the recorder may take to store what the broker still has for it, once the daemon has stopped."""
AGAIN_S = 0.3


class Recorder:
    """A recorder process with an SQLite store in the directory of the run, or beside a kept record."""

    def __init__(self, rig: Rig, child: Child, store: Path) -> None:
        self._rig, self._child, self._store = rig, child, store

    @classmethod
    async def start(cls, rig: Rig, broker: Broker) -> "Recorder":
        """Starts the recorder of this run. Raises `ChildFailed`."""
        store = rig.journal.with_name(rig.journal.name + ".events.sqlite")
        command = [
            sys.executable, "-c", RUN_CLI, "backoffice", "record", "--from", f"mqtt://{broker.host}:{broker.port}",
            "--to", f"sqlite:{store}", "--name", NAME,
        ]  # fmt: skip
        return cls(rig, await start(NAME, command, rig.directory), store)

    async def stop(self) -> None:
        """Ends the process; its store stays."""
        await self._child.stop()

    async def holds(self, published: int) -> dict[str, Any]:
        """Returns what the store holds and whether it is proven, once it is complete or `PATIENCE_S` are over.

        `published`: events of the whole record. `store`: its path; `events`: their number; `complete`: every event is there
        and as published; `said`: what is not proven, in words.
        """
        began, proof = time.monotonic(), await self._proof()
        while (
            proof.get("events", 0) < published and self._child.is_running and time.monotonic() < began + PATIENCE_S
        ):
            await asyncio.sleep(AGAIN_S)
            proof = await self._proof()
        said = [hole["text"] for hole in proof.get("holes", ())]
        is_complete = proof.get("events") == published and bool(proof.get("sound")) and self._child.is_running
        if not self._child.is_running:
            said.append(str(self._child.failed("ended by itself")))
        return {
            "store": str(self._store), "events": proof.get("events", 0),
            "complete": is_complete, "said": said,
        }  # fmt: skip

    async def _proof(self) -> dict[str, Any]:
        """Returns the output of `backoffice verify`; {} while the store is empty."""
        keys = self._rig.directory / "keys"
        keys.mkdir(exist_ok=True)
        shutil.copy(self._rig.key.with_name(self._rig.key.name + ".pub"), keys / f"{SITE}_{TABLE}.pub")
        command = [
            sys.executable,
            "-c",
            RUN_CLI,
            "backoffice",
            "verify",
            "--json",
            "--from",
            f"sqlite:{self._store}",
        ]
        asked = await asyncio.create_subprocess_exec(
            *command, "--keys", str(keys), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        told, _ = await asked.communicate()
        lines = told.splitlines()
        proof: dict[str, Any] = json.loads(lines[-1]) if lines else {}
        return proof


def in_words(told: dict[str, Any]) -> list[str]:
    """Returns what a recorder holds, as lines for people."""
    state = "complete and as published" if told["complete"] else "NOT COMPLETE, OR NOT AS PUBLISHED"
    return [
        f"recorder: {told['events']} events in {told['store']}, {state}",
        *(f"  {line}" for line in told["said"]),
    ]
