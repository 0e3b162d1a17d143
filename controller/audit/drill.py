"""Practises a restore: from the second place into a scratch folder, proved there, and replayed.

A copy that was never read back is only a hope. The replay also shows that each day begins with the state that the
day before leads to.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from controller.audit.replay import NotReplayable, Sealed, differences
from controller.journal.archive.shelf import Named, all_in, before
from controller.journal.errors import JournalError
from controller.journal.opening import opened
from controller.journal.proof.keys import PublicKey
from controller.journal.proof.verify_segments import verify_days
from controller.journal.vault.day_keys import key_file_of
from controller.journal.vault.vault_keys import VaultKeys
from controller.table.words.codec import UnknownKind
from drivers.protocol.records import dataclass

Told = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Drill:
    """The result for one journal. `days`: first and last restored; `copied`: how many are in the second place.

    `inputs` were decided anew, `sealed` of them not, because their cards are; `wrong`: every fault; `is_opened`:
    the vault's key was there.
    """

    folder: Path
    days: tuple[str, str]
    restored: int
    copied: int
    records: int = 0
    inputs: int = 0
    sealed: int = 0
    wrong: tuple[str, ...] = ()
    is_opened: bool = False


def journals_in(place: Path) -> list[Path]:
    """Returns the folders of journals in a second place: itself, or those below it. Raises `OSError`."""
    folders = [
        place,
        *sorted(p for p in place.glob("*/*") if p.is_dir()),
        *sorted(p for p in place.glob("*") if p.is_dir()),
    ]
    return [folder for folder in folders if all_in(folder)]


def drill(
    folder: Path,
    scratch: Path,
    *,
    days: int | None,
    keys: Sequence[PublicKey] = (),
    vault: VaultKeys | None = None,
    told: Told = print,
) -> Drill:
    """Restores the newest `days` of a journal (None = all) into an empty folder, proves and replays them.

    `vault`: opens the rounds too; `told`: receives a line about each step. Raises `OSError` if a place cannot be
    read or written.
    """
    there = all_in(folder)
    chain = before(there, there[-1].last)
    newest = chain[-days:] if days is not None else chain
    wrong = [] if len(chain) == len(there) else [f"the segment before {chain[0].path.name} is not there"]
    result = Drill(folder, (newest[0].day, newest[-1].day), len(newest), len(there))
    told(f"restoring {len(newest)} days, {newest[0].day} to {newest[-1].day}")
    for named in newest:
        shutil.copyfile(named.path, scratch / named.path.name)
        with suppress(FileNotFoundError):
            shutil.copyfile(key_file_of(named.path), key_file_of(scratch / named.path.name))
    told("proving them")
    reports = verify_days(all_in(scratch), None, keys=keys)
    wrong += [f"{report.path.name}: {fault}" for report in reports for fault in report.faults]
    wrong += [
        f"{r.path.name}: signed by {key}, a key that was not given"
        for r in reports
        for key in r.seals.strange
        if keys
    ]
    records = sum(report.records for report in reports)
    inputs = sealed = 0
    if not wrong:
        told("playing them again")
        inputs, sealed, differing = _replayed(scratch, newest, vault)
        wrong += differing
    return replace(
        result,
        records=records,
        inputs=inputs,
        sealed=sealed,
        wrong=tuple(dict.fromkeys(wrong)),
        is_opened=vault is not None,
    )


def _replayed(scratch: Path, segments: Sequence[Named], vault: VaultKeys | None) -> tuple[int, int, list[str]]:
    inputs = sealed = 0
    wrong: list[str] = []
    # Keys are erased from the oldest on: behind a day that has some, every day must have them.
    first = next((n.first for n in all_in(scratch) if key_file_of(n.path).exists()), None)
    try:
        with opened(scratch) as view:
            for said, outcome in differences(view, keys=vault):
                inputs += 1
                if isinstance(outcome, Sealed):
                    sealed += 1
                    if vault and not outcome.is_erased and first is not None and said.order >= first:
                        wrong.append(f"{_day_of(segments, said.order)}: cards cannot be read: {outcome.why}")
                elif outcome is not None:
                    wrong.append(
                        f"{_day_of(segments, said.order)}: {outcome.lines()[0]} would be decided otherwise today"
                    )
    except (NotReplayable, UnknownKind, JournalError) as exc:
        wrong.append(f"cannot be played again: {exc}")
    return inputs, sealed, wrong


def _day_of(segments: Sequence[Named], order: int) -> str:
    return next(named.day for named in segments if named.last >= order)


def lines(result: Drill) -> Iterator[str]:
    """Returns the result as lines for a person."""
    first, last = result.days
    state = "can be restored" if not result.wrong else f"CANNOT BE RELIED ON, {len(result.wrong)} faults"
    yield f"{result.folder}: {state}: {result.restored} of {result.copied} days, {first} to {last}"
    why = "as nobody has their keys" if result.is_opened else "as no vault key was given"
    sealed = f", {result.sealed} of them sealed and not decided, {why}" if result.sealed else ""
    yield f"  {result.records} records proved, {result.inputs} inputs decided anew{sealed}"
    yield from (f"  WRONG  {what}" for what in result.wrong)
