"""The whole crowd: workers as processes of their own, and what came of all of them together."""

import asyncio
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from simulators.crowd.worker import Orders


class CrowdFailed(Exception):
    """A worker ended with an error; the text is its last line."""


def split(whole: Orders, processes: int) -> list[Orders]:
    """Returns the orders of each process: equal parts, the backlog with the first table alone."""
    parts = min(processes, whole.tables)
    bounds = [whole.tables * n // parts for n in range(parts + 1)]
    return [
        msgspec.structs.replace(
            whole, first=whole.first + begin, tables=end - begin, backlog=whole.backlog if begin == 0 else 0
        )
        for begin, end in pairwise(bounds)
    ]


async def run(orders: Sequence[Orders]) -> dict[str, Any]:
    """Runs each in a process; returns sums, and heads and keys of all tables. Raises `CrowdFailed`."""
    found = await asyncio.gather(*map(_one, orders))
    merged: dict[str, Any] = {"heads": {}, "keys": {}}
    for name in ("heads", "keys"):
        for each in found:
            merged[name].update(each[name])
    for name in ("events", "unconfirmed", "connects"):
        merged[name] = sum(each[name] for each in found)
    for name in ("seconds", "longest_tick_s", "is_confirmed"):
        merged[name] = max(each[name] for each in found)
    return merged


async def _one(orders: Orders) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "simulators.crowd.worker", stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        out, error = await process.communicate(msgspec.json.encode(orders))
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode != 0:
        raise CrowdFailed((error.decode().strip() or "no word").splitlines()[-1])
    told: dict[str, Any] = msgspec.json.decode(out)
    return told


def write_keys(keys: dict[str, str], folder: Path) -> None:
    """Writes the public keys of the tables, as `backoffice verify --keys` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, pem in keys.items():
        (folder / f"{name}.pub").write_text(pem)
