"""`tablewarden journal evidence`: one file about a round that proves by itself."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from msgspec import MsgspecError

from controller.audit.evidence.build import Evidence, evidence
from controller.audit.evidence.errors import EvidenceError
from controller.audit.replay import NotReplayable
from controller.cli.arguments import A_PATH
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.progress import progress
from controller.config.model import frames_beside
from controller.journal.archive.shelf import durable
from controller.journal.errors import JournalDamaged, JournalError, JournalMissing
from controller.journal.opening import opened
from controller.journal.proof.beginning import unsigned_beginning
from controller.journal.proof.keys import PublicKey, SigningKey
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.view import JournalView
from controller.table.words.codec import UnknownKind

MODE = 0o640


@click.command("evidence")
@click.argument("path", type=A_PATH)
@click.argument("round_id", metavar="ROUND")
@click.option(
    "--key", "key_files", multiple=True, type=A_PATH, help="A public key of the table, PEM; may be repeated."
)
@click.option("--sign", type=A_PATH, help="The table's own key: signs the page and all other parts too.")
@click.option(
    "--frames",
    "recordings",
    multiple=True,
    type=A_PATH,
    help="A recording of a wire (docs/recordings.md), or a folder of them; may be repeated. What the daemon itself keeps of a "
    "link that failed is taken from beside the record.",
)
@click.option("--out", type=A_PATH, help="Where.  [default: evidence-ROUND.zip]")
@AS_JSON
def evidence_command(
    path: Path,
    round_id: str,
    key_files: Sequence[Path],
    sign: Path | None,
    recordings: Sequence[Path],
    out: Path | None,
    as_json: bool,
) -> None:
    """Put everything about a round into one file that anybody can prove with bash, sha256sum and openssl (docs/evidence.md).

    ROUND is its id or its number; PATH a live record, a copy, or a segment. It holds the records of the round and what was said
    of it later, the signed checkpoints around them, the rulebook that was in force, what software and devices played it, and a
    page for people. Bodies of other rounds are withheld. Nothing is overwritten. Exit code 1 where something in the file is
    UNSIGNED: by no checkpoint, by no key that was given, or the page and the cards, which only --sign signs.

    \b
    Example:
      tablewarden journal evidence example.journal uth-017-412 --key table.pub --sign /etc/tablewarden/journal.key
      unzip evidence-uth-017-412.zip && bash evidence-uth-017-412/verify.sh table.pub
    """
    try:
        keys = [PublicKey.load(file) for file in key_files]
        signer = SigningKey.load(sign, {key.id for key in keys}) if sign else None
        if signer is not None and signer.public.id not in {key.id for key in keys}:
            keys.append(signer.public)
        kept = [folder for folder in [frames_beside(path)] if folder.is_dir()]
        with progress("records") as told, opened(path, told) as view:
            if keys and isinstance(view, JournalView) and (unsigned := unsigned_beginning(view.path, keys)):
                raise JournalDamaged(path, unsigned)
            made = evidence(view, round_id, keys=keys, signer=signer, recordings=[*kept, *recordings], told=told)
        to = _written(out or Path(f"evidence-{made.round_id}.zip"), made.data)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, EvidenceError, NotReplayable, UnknownKind, KeyUnusable) as exc:
        end(str(exc), WRONG)
    except (MsgspecError, RecursionError) as exc:
        end(f"{path}: a body cannot be read ({exc}); `tablewarden journal verify` says which", WRONG)
    show(_document(made, to, bool(keys)), _page, as_json)
    if made.loose or not keys or not made.is_signed:
        sys.exit(WRONG)


def _written(path: Path, data: bytes) -> Path:
    """On the disk under its name whole, or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        if path.exists():
            raise EvidenceError(
                f"{path} is there already, and evidence is never overwritten; name another file (--out)"
            )
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        durable(part)
        part.rename(path)
        durable(path.parent)
    except OSError as exc:
        raise EvidenceError(f"{path} cannot be written: {exc.strerror or exc}") from exc
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return path


def _document(made: Evidence, to: Path, has_keys: bool) -> dict[str, Any]:
    return {
        "file": str(to),
        "round": made.round_id,
        "bytes": len(made.data),
        "records": made.shown,
        "withheld": made.withheld,
        "unsigned": made.loose,
        "cards": made.cards,
        "frames": list(made.frames),
        "sealed": list(made.sealed),
        "signatures_looked_at": has_keys,
        "manifest_signed": made.is_signed,
    }


def _page(document: dict[str, Any]) -> Iterator[str]:
    yield f"{document['file']}: round {document['round']}, {document['records']} records, {document['cards']} cards proved"
    if document["withheld"]:
        yield f"  the bodies of {document['withheld']} records of other rounds are withheld"
    if document["frames"]:
        yield f"  of the wires: {', '.join(document['frames'])}"
    for sealed in document["sealed"]:
        yield f"  SEALED   {sealed}: a supervisor lets them out (tablewarden vault open {document['round']})"
    if document["unsigned"]:
        yield f"  UNSIGNED {document['unsigned']} records are named by no checkpoint yet: make the file again after the next one"
    if not document["signatures_looked_at"]:
        yield "  UNSIGNED no public key is in it, and nobody checked the signatures: give --key PUBLIC"
    if not document["manifest_signed"]:
        yield "  UNSIGNED the page, the cards and all but the records: --sign KEY, with the table's own key"
