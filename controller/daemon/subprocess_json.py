"""A command of this software in a process of its own, with the least priority, that answers in JSON: work that takes minutes.

However it is left (the daemon stops, the answer is there, the command fails), no process stays behind.
"""

import asyncio
import os
import sys
from contextlib import suppress
from typing import Any

import msgspec

from controller.limits.descriptors import in_words

__all__ = ["NoAnswer", "answer_of"]

NICE = 19
MOST_SAID = 500
"""Of what a command that failed complained of, the end."""


class NoAnswer(Exception):
    """It ended without an answer. `code`: of its end; `said`: its last words."""

    def __init__(self, code: int | None, said: str) -> None:
        super().__init__(f"ended with {code}: {said}")
        self.code, self.said = code, said


async def answer_of(*command: str) -> dict[str, Any]:
    """What this Python prints as JSON, called with these arguments. Raises `NoAnswer`; when cancelled, the process is ended."""
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
