"""`tablewarden journal keep`: what the daemon does each day for the record, by hand: closed days are sealed and copied."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from controller.audit.day_rounds import note_open_day, note_rounds
from controller.cli.arguments import A_FILE, A_PATH
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.progress import progress
from controller.journal.archive.keep import Copied, copy_segments, not_copied, seal_days
from controller.journal.archive.keep_keys import copy_keys
from controller.journal.archive.medium import NotCopied
from controller.journal.archive.shelf import beside
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.opening import opened_alone
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.vault.vault_keys import VaultKeys


@click.command()
@click.argument("path", type=A_PATH)
@click.option("--copy", "place", type=A_PATH, help="The folder of the second place; it must be there.")
@click.option(
    "--vault", type=A_FILE, help="The table's vault: the keys of rounds go to the second place under its key."
)
@AS_JSON
def keep(path: Path, place: Path | None, vault: Path | None, as_json: bool) -> None:
    """Seal each closed gaming day of a record as a segment beside it, and copy segments to a second place.

    With each segment go the keys of its rounds, wrapped under the vault's key, and those that were erased are erased there too.
    Works beside a running daemon, which does the same by itself and puts on record what was copied. A copy counts once it was
    read back. Exit code 1 where something could not be copied; what could be is there.

    \b
    Example:
      tablewarden journal keep /var/lib/tablewarden/example.journal --copy /media/record/tables --vault /etc/tablewarden/vault.key
    """
    try:
        document = _kept(path, place, VaultKeys.load(vault) if vault else None)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, KeyUnusable) as exc:
        end(str(exc), WRONG)
    show(document, _page, as_json)
    if document["problem"]:
        raise SystemExit(WRONG)


def _kept(path: Path, place: Path | None, ring: VaultKeys | None) -> dict[str, Any]:
    with progress("records") as told:
        sealed = seal_days(path, told)
    copied: list[Copied] = []
    keys: list[str] = []
    problem = ""
    if place is not None:
        try:
            with progress("segments") as told:
                for done, one in enumerate(copy_segments(path, place), 1):
                    copied.append(one)
                    told(done, done)
            with progress("files of keys") as told:
                for done, name in enumerate(copy_keys(path, place, ring), 1):
                    keys.append(name)
                    told(done, done)
        except NotCopied as exc:
            problem = str(exc)
    with progress("records") as told, opened_alone(path) as view:
        folder = beside(path.resolve(), view.description.id)
        rounds = note_rounds(folder, told)
        note_open_day(view, folder)
    waiting = not_copied(path, copied[-1].through if copied else 0)
    return {
        "sealed": sealed,
        "copied": [asdict(one) for one in copied],
        "keys": keys,
        "rounds": rounds,
        "behind": len(waiting),
        "oldest": waiting[0].day if waiting else None,
        "same_disk": place is not None and place.exists() and place.stat().st_dev == path.stat().st_dev,
        "problem": problem,
    }


def _page(document: dict[str, Any]) -> list[str]:
    lines = [f"sealed {name}" for name in document["sealed"]]
    lines += [f"copied {one['segment']}, sha256 {one['sha256']}" for one in document["copied"]]
    if document["keys"]:
        lines.append(f"the keys of the rounds of {len(document['keys'])} days are as they are here")
    if document["rounds"]:
        lines.append(f"the rounds of {len(document['rounds'])} days were worked out for look-backs")
    if document["behind"]:
        lines.append(f"{document['behind']} gaming days are in no second place, from {document['oldest']} on")
    if document["same_disk"]:
        lines.append("the second place lies on the same disk as the record: what takes one takes both")
    if document["problem"]:
        lines.append(f"NOT COPIED  {document['problem']}")
    return lines or ["nothing to do: each closed day is sealed, and copied where a second place was named"]
