"""`tablewarden journal drill`: a restore that is practised, for a timer and for people."""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from controller.audit.drill import Drill, journals_in, lines
from controller.audit.drill import drill as practise
from controller.cli.arguments import A_FILE, A_PATH
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.journal.proof.keys import PublicKey
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.vault.vault_keys import VaultKeys


@click.command()
@click.argument("place", type=A_PATH)
@click.option(
    "--key", "key_files", multiple=True, type=A_PATH, help="A public key of the table, PEM; may be repeated."
)
@click.option(
    "--days", type=click.IntRange(min=1), default=7, show_default=True, help="The newest so many of each record."
)
@click.option("--all", "is_all", is_flag=True, help="All days: some seconds and megabytes each.")
@click.option(
    "--scratch", type=A_PATH, help="Where there is room for them.  [default: the folder for temporary files]"
)
@click.option(
    "--vault", type=A_FILE, help="The copy of the table's vault: rounds whose cards are sealed are decided too."
)
@AS_JSON
def drill(
    place: Path,
    key_files: Sequence[Path],
    days: int,
    is_all: bool,
    scratch: Path | None,
    vault: Path | None,
    as_json: bool,
) -> None:
    """Practise a restore: take the newest days back from the second place, prove them, and decide every input anew.

    PLACE is the folder that `copy` in [retention] names, with all tables in it, or that of one record. Nothing in it is changed,
    and what was restored is removed again. With --vault it is shown that the cards can be read again, too. Exit code 0: what is
    there can be relied on; 1: it cannot; 3: it is not there.

    \b
    Example:
      tablewarden journal drill /media/record/tables --key /etc/tablewarden/journal.key.pub
    """
    try:
        keys = [PublicKey.load(file) for file in key_files]
        ring = VaultKeys.load(vault) if vault else None
        folders = journals_in(place)
        if not folders:
            end(f"{place}: no copies of a record are here; is the medium in, and mounted?", UNREACHABLE)
        results = [
            _practised(folder, scratch, None if is_all else days, keys, ring, as_json) for folder in folders
        ]
    except KeyUnusable as exc:
        end(str(exc), WRONG)
    except OSError as exc:
        end(f"{place}: {exc.strerror} ({exc.filename})", UNREACHABLE)
    show({"drills": [_document(result) for result in results]}, lambda _: _page(results), as_json)
    if any(result.wrong for result in results):
        raise SystemExit(WRONG)


def _practised(
    folder: Path,
    scratch: Path | None,
    days: int | None,
    keys: Sequence[PublicKey],
    vault: VaultKeys | None,
    is_quiet: bool,
) -> Drill:
    with tempfile.TemporaryDirectory(prefix="tablewarden-drill-", dir=scratch) as room:
        say = (lambda line: None) if is_quiet else (lambda line: click.echo(f"{folder.name}: {line}", err=True))
        return practise(folder, Path(room), days=days, keys=keys, vault=vault, told=say)


def _document(result: Drill) -> dict[str, Any]:
    return {**asdict(result), "folder": str(result.folder), "reliable": not result.wrong}


def _page(results: Sequence[Drill]) -> list[str]:
    return [line for result in results for line in lines(result)]
