"""Copies each day's round keys beside its segment in the second place, and erases there what was erased here.

A day whose keys are all erased has no such file. A key is removed there only if the record says that it was
erased: a table that has lost its keys must not take them from the copy.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from controller.journal.archive import medium
from controller.journal.archive.medium import NotCopied
from controller.journal.archive.shelf import Named, all_in, in_place
from controller.journal.bodies import body_of
from controller.journal.errors import JournalError
from controller.journal.opening import opened, opened_alone
from controller.journal.record import Stream
from controller.journal.vault.day_keys import key_file_of, key_text, read_keys
from controller.journal.vault.vault import KeyRow, rewrapped
from controller.journal.vault.vault_keys import VaultKeyMissing, VaultKeys
from controller.journal.view import JournalView
from controller.table.words.inputs import CardsErased


def copy_keys(journal: Path, place: Path, keys: VaultKeys | None) -> Iterator[str]:
    """Brings the second place's keys in line with the live file; returns the names of written and removed files.

    `keys`: of the vault; without them opened keys cannot be copied. Raises `NotCopied` after the successful ones,
    and `JournalError`.
    """
    with opened_alone(journal) as view:
        is_first = True
        for named in all_in(in_place(place, view.description)):
            try:
                if not view.has_keys(named.first, named.last):
                    yield from _without(view, named)
                    continue
                # Keys are erased from the oldest on, so only the first day that has some may have lost others.
                if not key_file_of(named.path).exists() or (is_first and not _is_right(view, named)):
                    yield _written(view, named, keys)
                is_first = False
            except OSError as exc:
                raise NotCopied(f"{key_file_of(named.path)}: {medium.in_words(exc)}") from exc


def _without(view: JournalView, named: Named) -> Iterator[str]:
    """Removes the key file of a day that has no keys any more."""
    path = key_file_of(named.path)
    if path.exists():
        _demand_said(view, named.last, path)
        medium.wipe(path)
        yield path.name


def _is_right(view: JournalView, named: Named) -> bool:
    """Returns True if the file has the keys that are here and none that was erased."""
    try:
        there = read_keys(key_file_of(named.path), view.description.id, named.path.name).rows.values()
    except JournalError:  # of the file there: it is made anew
        return False
    here = view.keys_made(named.first, named.last)
    return {(r.commitment, r.is_erased) for r in there} == {(r.commitment, r.is_erased) for r in here}


def _written(view: JournalView, named: Named, keys: VaultKeys | None) -> str:
    path, journal = key_file_of(named.path), view.description.id
    rows = view.keys_made(named.first, named.last)
    _demand_said(view, max((row.made for row in rows if row.is_erased), default=0), path)
    medium.replace(path, key_text(journal, named.path.name, _wrapped(journal, rows, keys, named.day)))
    return path.name


def _wrapped(journal: str, rows: Sequence[KeyRow], keys: VaultKeys | None, day: str) -> list[KeyRow]:
    try:
        return [rewrapped(keys, journal, row) for row in rows]
    except VaultKeyMissing as exc:
        raise NotCopied(
            f"the keys of the rounds of {day} are open and are copied under the vault's key only: give --vault FILE"
        ) from exc


def _demand_said(view: JournalView, through: int, path: Path) -> None:
    """Raises `NotCopied` if keys up to this order are gone and the record does not say that they were erased."""
    if not through:
        return
    with opened(view.path) as whole:
        erasures = (
            body_of(Stream.MAIN, b, CardsErased) for b in whole.backwards(Stream.MAIN, (CardsErased.kind,))
        )
        if any(erased.through >= through for erased in erasures):
            return
    raise NotCopied(
        f"{path}: left as it is: keys of its rounds are gone from the record, and no record says that they were erased; "
        "prove the record (`tablewarden journal verify`)"
    )
