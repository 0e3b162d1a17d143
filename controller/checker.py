"""Proves the whole record in the background, in a process of its own, and has the verdict recorded.

A start proves the file's newest records only, so that it takes as long after a year as on the first day.
"""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import structlog

from controller.engine import Engine
from controller.table.inputs import RecordChecked

__all__ = ["Checker"]

log = structlog.get_logger()

FIRST_S = 60.0
"""After a start other things come first."""
EVERY_S = 24 * 3600.0
NICE = 19
COMMAND = ("-I", "-m", "controller.cli", "journal", "verify", "--json")


class Checker:
    """Runs until cancelled. A proof that cannot be made is logged and tried again the next day."""

    def __init__(
        self, engine: Engine, journal: Path, *, first_s: float = FIRST_S, command: tuple[str, ...] = COMMAND
    ) -> None:
        self._engine, self._journal, self._wait_s, self._command = engine, journal, first_s, command

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._wait_s)
            self._wait_s = EVERY_S
            verdict = await self._verdict()
            if verdict is not None:
                faults = verdict["faults"]
                self._engine.submit("table", RecordChecked(verdict["records"], len(faults), *faults[:1]))

    async def _verdict(self) -> dict[str, Any] | None:
        proof = await asyncio.create_subprocess_exec(
            sys.executable, *self._command, str(self._journal),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, proof.pid, NICE)
            told, complaint = await proof.communicate()
        finally:
            if proof.returncode is None:
                proof.kill()
                await proof.wait()
        try:
            return msgspec.json.decode(told, type=dict[str, Any])
        except msgspec.DecodeError:
            log.error("record_not_checked", code=proof.returncode, said=complaint.decode(errors="replace")[-500:])
            return None
