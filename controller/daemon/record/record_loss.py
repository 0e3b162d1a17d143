"""Handles a damaged or missing record, and prepares what the next record says about it first."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import structlog

from controller.journal.archive.quarantine import SetAside, TooManyDamaged, newest_aside, set_aside
from controller.journal.archive.rescue import rescue
from controller.journal.errors import JournalDamaged, JournalError, JournalLocked
from controller.journal.proof.expected import lost_beside, shortfall
from controller.journal.proof.keys import PublicKey
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.table.words.inputs import RecordChecked, RecordReplaced

log = structlog.get_logger()


class RecordLoss:
    """Keeps, over the records of one daemon, what is not on record yet. `held`: called with each reason to hold
    play."""

    def __init__(
        self, path: Path, held: Callable[[BaseException], None], key: PublicKey | None, copies: Path | None
    ) -> None:
        self._path, self._held, self._key, self._copies = path, held, key, copies
        self._replaced: RecordReplaced | None = None
        self._put_back: RecordChecked | None = None

    def put_aside(self, damage: JournalDamaged) -> bool:
        """Puts a damaged record aside, so that a new one can begin; returns False if that is impossible now."""
        self._held(damage)
        try:
            aside = set_aside(self._path)
        except (JournalError, TooManyDamaged) as error:
            self._held(error)
            return False
        log.error("record_put_aside", file=aside.name, size=aside.size, sha256=aside.sha256, found=damage.found)
        self._replaced = RecordReplaced(aside.name, aside.size, aside.sha256, damage.found)
        return True

    async def rescue(self, journal: Journal, recorder: Recorder) -> bool:
        """Puts a missing record back at its path; returns True if it can be continued at once. Raises
        `JournalLocked` if another daemon runs there.

        Raises `JournalLocked`: another daemon plays there.
        """
        if not (moved := journal.moved):
            return False
        try:
            saved = await recorder.run(partial(rescue, journal))
        except JournalLocked:
            raise
        except (JournalError, TooManyDamaged, OSError) as error:
            self._held(error)
            self._replaced = RecordReplaced(f"nothing ({error})", 0, "", moved)
            return False
        aside = saved.aside or SetAside(saved.path.name, saved.path.stat().st_size, "")
        lay = f"; what lay there is {aside.name} now" if saved.aside else ""
        log.error("record_rescued", found=moved + lay, path=str(saved.path), records=saved.records)
        if saved.is_whole:
            found = f"{moved}. It was put back from the open file{lay}: find out who did that"
            self._put_back = RecordChecked(saved.records, 1, found)
        else:
            found = f"{moved}; its newest {saved.records} records are saved as {saved.path.name}"
            self._replaced = RecordReplaced(aside.name, aside.size, aside.sha256, found)
        return True

    def compare(self, journal: Journal) -> None:
        """Compares an open record with checkpoints outside. Raises `JournalDamaged` if it lacks something."""
        if lacks := shortfall(journal, self._key, self._copies):
            raise JournalDamaged(self._path, lacks)

    def news(self, journal: Journal) -> list[RecordReplaced | RecordChecked]:
        """Returns what this record must say first; an empty record also names another one beside it."""
        if self._replaced is None and journal.order == 0 and (aside := newest_aside(self._path)):
            found = "it was laid there before this journal began"
            self._replaced = RecordReplaced(aside.name, aside.size, aside.sha256, found)
        if self._replaced is None and journal.order == 0 and (lost := lost_beside(self._path, self._key)):
            self._replaced = RecordReplaced("nothing", 0, "", lost)
        return [event for event in (self._replaced, self._put_back) if event is not None]

    def on_record(self) -> None:
        """Notes that the news is on record; if the record fails before, the next one begins with it."""
        self._replaced = self._put_back = None
