"""Runs a command of this software in a process with the least priority; the answer is JSON.

No process is left behind, however the call ends.
"""

import asyncio
import os
import sys
from contextlib import suppress
from typing import Any

import msgspec

from controller.limits.descriptors import in_words

NICE = 19
MOST_SAID = 500
"""Of what a command that failed complained of, the end."""


class NoAnswer(Exception):
    """The process ended without an answer. `code`: its exit code; `said`: its last words."""

    def __init__(self, code: int | None, said: str) -> None:
        super().__init__(f"ended with {code}: {said}")
        self.code, self.said = code, said


async def answer_of(*command: str) -> dict[str, Any]:
    """Returns the JSON that this Python prints, called with these arguments. Raises `NoAnswer`; cancelling ends
    the process."""
    try:
        child = await asyncio.create_subprocess_exec(
            sys.executable, *command,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
    except OSError as exc:
        raise NoAnswer(None, f"it could not be started: {in_words(exc)}") from exc
    try:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, child.pid, NICE)
        told, complaint = await child.communicate()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    try:
        return msgspec.json.decode(told, type=dict[str, Any])
    except msgspec.DecodeError as exc:
        raise NoAnswer(child.returncode, complaint.decode(errors="replace").strip()[-MOST_SAID:]) from exc
