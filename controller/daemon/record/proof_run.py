"""Proves the whole record in the background, in a process of its own, and has the verdict recorded.

A start proves only the newest records, so that it takes as long after a year as on the first day.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

import structlog

from controller.daemon.engine import Engine
from controller.daemon.subprocess_json import NoAnswer, answer_of
from controller.journal.proof.keys import PublicKey
from controller.table.words.inputs import RecordChecked

log = structlog.get_logger()

FIRST_S = 60.0
"""After a start other things come first."""
EVERY_S = 24 * 3600.0
COMMAND = ("-I", "-m", "controller.cli", "journal", "verify", "--json")


class Checker:
    """Proves the record daily until cancelled. A failed attempt is logged and repeated the next day. `key`: the
    signing key."""

    def __init__(
        self,
        engine: Engine,
        journal: Path,
        key: PublicKey | None = None,
        *,
        first_s: float = FIRST_S,
        command: tuple[str, ...] = COMMAND,
    ) -> None:
        self._engine, self._journal, self._wait_s, self._command = engine, journal, first_s, command
        self._key = key

    async def run(self) -> None:
        """Verifies the record in a child process, again and again, and logs faults; ends only when cancelled."""
        while True:
            await asyncio.sleep(self._wait_s)
            self._wait_s = EVERY_S
            try:
                with _file_of(self._key) as arguments:
                    verdict = await answer_of(*self._command, str(self._journal), *arguments)
            except NoAnswer as exc:
                log.error("record_not_checked", code=exc.code, said=exc.said)
                continue
            faults = verdict["faults"]
            self._engine.submit("table", RecordChecked(verdict["records"], len(faults), *faults[:1]))


@contextmanager
def _file_of(key: PublicKey | None) -> Iterator[tuple[str, ...]]:
    """Returns the arguments that name a key; its file belongs to this process, so that nobody else can choose it."""
    if key is None:
        yield ()
        return
    with NamedTemporaryFile(suffix=".pub") as file:
        file.write(key.pem())
        file.flush()
        yield ("--key", file.name)
