"""Writes what a commit does to round keys: new ones, opened ones, erased ones."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from controller.journal.disk.file import READ_ERRORS, connect_readonly, overwrite_log
from controller.journal.errors import JournalError
from controller.journal.seal import Batch
from controller.journal.vault.vault import Unsealer, Vault

_INSERT = "INSERT INTO round_key VALUES (?, ?, ?, ?, ?, ?, ?)"
_OPEN = "UPDATE round_key SET opened = ?, wrapped = NULL WHERE round = ? AND commitment = ?"
_ERASE = """UPDATE round_key SET opened = NULL, wrapped = NULL
 WHERE made <= ? AND (wrapped IS NOT NULL OR opened IS NOT NULL)"""


def known_vaults(path: Path) -> frozenset[str]:
    """Returns the ids of vault keys under which a record has sealed something. Never raises."""
    with suppress(OSError, JournalError, *READ_ERRORS), closing(connect_readonly(path)) as db:
        return frozenset(vault for (vault,) in db.execute("SELECT DISTINCT vault FROM round_key"))
    return frozenset()


def write_keys(db: sqlite3.Connection, batch: Batch, vault: Vault | None) -> None:
    """Writes key rows inside the batch's transaction. Raises `sqlite3.Error`."""
    if vault is not None and vault.pending:
        db.executemany(_INSERT, vault.pending)
    if batch.openings:
        db.executemany(_OPEN, batch.openings)
    if batch.erased:
        db.execute(_ERASE, (batch.erased,))


def keys_written(
    db: sqlite3.Connection, path: Path, batch: Batch, vault: Vault | None, unsealer: Unsealer
) -> None:
    """Removes erased keys from memory and from the file's log, after the commit."""
    if vault is not None:
        vault.written(batch.openings)
    if not batch.erased:
        return
    if vault is not None:
        vault.erased()
    unsealer.forget()
    with suppress(sqlite3.Error, OSError):  # it is erased in any case; a disk that fails shows at the next commit
        overwrite_log(db, path)
