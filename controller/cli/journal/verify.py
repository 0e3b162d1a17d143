"""`tablewarden journal verify`: the proof of a record, live, copied, or as segments."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from controller.cli.arguments import A_PATH, is_device
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.progress import progress
from controller.journal.archive.segment import is_segment
from controller.journal.archive.shelf import Named, all_in, before, beside
from controller.journal.errors import JournalDamaged, JournalError, JournalMissing
from controller.journal.opening import opened_alone
from controller.journal.proof.findings import Report
from controller.journal.proof.keys import PublicKey
from controller.journal.proof.verify import verify as prove
from controller.journal.proof.verify_segments import verify_days, verify_segment
from controller.journal.proof.witness import HeadKept, HeadUnreadable, heads_in
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.view import Progress

MOST_NAMED = 3
"""Heads that could not be compared: a back office may give a year of them."""


def _verdict(report: Report, keys: Sequence[PublicKey]) -> dict[str, Any]:
    seals = report.seals
    return {
        "path": str(report.path),
        "journal": report.journal,
        "sound": report.ok,
        "records": report.records,
        "begins": {"order": report.begins, "pruned": report.pruned},
        "heads": {s.value: {"sequence": h.sequence, "hash": h.recordhash.hex()} for s, h in report.heads.items()},
        "checkpoints": {
            "found": seals.found,
            "proved": seals.proved,
            "through": seals.through,
            "after": report.order - seals.through,
            "keys": [key.id for key in keys],
            "strange_keys": dict(seals.strange),
        },
        "faults": [str(fault) for fault in report.faults],
        "not_compared": list(report.unheld),
        "log_missing": report.lacks_log,
    }


def verdict_page(verdict: dict[str, Any]) -> list[str]:
    """Lines for a person; the heads are what to compare with a head that somebody else holds."""
    if "parts" in verdict:
        lines = [line for part in verdict["parts"] for line in verdict_page(part) if "  head " not in line]
        return [
            *lines,
            *_head_lines(verdict),
            *_whole_lines(verdict),
            f"all {len(verdict['parts'])} parts: {_state(verdict)}",
        ]
    return [
        f"{verdict['path']}: {_state(verdict)}, journal {verdict['journal']}, {verdict['records']} records",
        *_begin_lines(verdict["begins"]),
        *_head_lines(verdict),
        *_seal_lines(verdict["checkpoints"]),
        *(f"  WRONG  {fault}" for fault in verdict["faults"]),
        *_unheld_lines(verdict["not_compared"]),
        *_log_lines(verdict["log_missing"]),
        *_whole_lines(verdict),
    ]


def _state(verdict: dict[str, Any]) -> str:
    return "sound" if verdict["sound"] else f"NOT AS IT WAS WRITTEN, {len(verdict['faults'])} faults"


def _begin_lines(begins: dict[str, Any]) -> list[str]:
    if begins["order"] == 1:
        return []
    why = f": the days through {begins['pruned']} were pruned, as it says itself" if begins["pruned"] else ""
    return [f"  begins at order {begins['order']}{why}"]


def _log_lines(name: str) -> list[str]:
    return (
        [f"  LOG MISSING  its newest records may be in {name}, which is not beside it; copy both"] if name else []
    )


def _whole_lines(verdict: dict[str, Any]) -> list[str]:
    if not verdict.get("before"):
        return []
    return [
        f"  NOT WHOLE  the segments through order {verdict['before']} are not here; bring them from the second place"
    ]


def _head_lines(verdict: dict[str, Any]) -> list[str]:
    return [f"  head   {stream} {head['sequence']} {head['hash']}" for stream, head in verdict["heads"].items()]


def _seal_lines(seals: dict[str, Any]) -> list[str]:
    if not seals["found"]:
        return ["  signed nothing: this record has no checkpoint"]
    lines = [
        f"  WRONG KEY  {count} checkpoints are signed by {key}, given is {', '.join(seals['keys'])}"
        for key, count in seals["strange_keys"].items()
    ]
    if not seals["keys"]:
        lines.append(f"  signed {seals['found']} checkpoints; nobody checked them: give --key PUBLIC")
    elif seals["proved"]:
        lines.append(
            f"  signed {seals['proved']} of {seals['found']} checkpoints by {', '.join(seals['keys'])}, through order "
            f"{seals['through']}; {seals['after']} records came after"
        )
    return lines


def _unheld_lines(unheld: list[str]) -> list[str]:
    if not unheld:
        return []
    more = f" and {len(unheld) - MOST_NAMED} more" if len(unheld) > MOST_NAMED else ""
    return [
        f"  NOT COMPARED  {', '.join(unheld[:MOST_NAMED])}{more}: not in this file; prove it with the segments before it "
        "(--whole, or their folder)"
    ]


@click.command()
@click.argument("path", type=A_PATH)
@click.option(
    "--key", "key_files", multiple=True, type=A_PATH, help="A public key of the table, PEM; may be repeated."
)
@click.option(
    "--against",
    multiple=True,
    help="A head that somebody else holds: STREAM:SEQUENCE:HASH, or a file of events, of a checkpoint, or of an earlier "
    "verdict (--json); may be repeated.",
)
@click.option(
    "--whole",
    is_flag=True,
    help="Prove the segments beside it too, from which the live file goes on: some seconds a day.",
)
@AS_JSON
def verify(path: Path, key_files: Sequence[Path], against: Sequence[str], whole: bool, as_json: bool) -> None:
    """Prove a record: compute every hash anew and name every fault.

    Exit code 0: the record is as it was written. 1: it is not. 3: it is, but a part is missing: the record of a given head,
    the days before the first segment, or the log that the file names.

    PATH is a live record, a copy, a segment, or a folder of segments; on any machine. --key finds a record that was
    rewritten, --against one whose end was cut off.

    \b
    Example:
      tablewarden journal verify example.journal --key table.pub --against main:4711:0f3a...
      tablewarden journal verify example.journal --whole --key table.pub
      tablewarden journal verify 2026-01-01-000000000001-000000191234-3fa9c1d2e4b60718.segment --key table.pub
    """
    try:
        keys = [PublicKey.load(file) for file in key_files]
        heads = [head for given in against for head in _heads(given)]
        with progress("records") as told:
            reports = proved_parts(path, whole, keys, heads, told)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, KeyUnusable, HeadUnreadable) as exc:
        end(str(exc), WRONG)
    verdicts = [_verdict(report, keys) for report in reports]
    verdict = verdicts[0] if len(verdicts) == 1 else _together(verdicts)
    verdict["before"] = reports[0].begins - 1 if whole or path.is_dir() else 0
    show(verdict, verdict_page, as_json)
    is_strange = bool(keys) and any(report.seals.strange for report in reports)
    if is_strange or not all(report.ok for report in reports):
        sys.exit(WRONG)
    is_partial = bool(verdict["before"]) or any(report.lacks_log for report in reports)
    sys.exit(UNREACHABLE if is_partial or any(report.unheld for report in reports) else 0)


def proved_parts(
    path: Path, whole: bool, keys: Sequence[PublicKey], heads: Sequence[HeadKept], told: Progress
) -> list[Report]:
    """The proof of a live file, with `whole` of the segments before it too; of a segment, or of a folder of them."""
    if path.is_dir():
        segments = all_in(path)
        if not segments:
            raise JournalMissing(path)
        return verify_days(segments, None, keys=keys, against=heads, progress=told)
    if is_segment(path):
        return [verify_segment(path, keys=keys, against=heads, progress=told)]
    if not whole:
        return [prove(path, keys=keys, against=heads, progress=told)]
    return verify_days(_past(path), path, keys=keys, against=heads, progress=told)


def _past(path: Path) -> list[Named]:
    """The segments that lead to the live file. Raises `JournalDamaged` where the newest of them is not there."""
    with opened_alone(path) as view:
        about = view.description
        segments = before(all_in(beside(view.path, about.id)), about.order_before)
    if about.order_before and not segments:
        raise JournalDamaged(path, f"the segments through order {about.order_before} do not lie beside it")
    return segments


def _together(verdicts: list[dict[str, Any]]) -> dict[str, Any]:
    """Several parts of one record; heads are those of the last."""
    last = verdicts[-1]
    return {
        "path": last["path"],
        "journal": last["journal"],
        "sound": all(v["sound"] for v in verdicts),
        "records": sum(v["records"] for v in verdicts),
        "heads": last["heads"],
        "parts": verdicts,
        "not_compared": [name for v in verdicts for name in v["not_compared"]],
        "faults": [f"{Path(v['path']).name} {fault}" for v in verdicts for fault in v["faults"]],
    }


def _heads(given: str) -> list[HeadKept]:
    """From a file where there is one of that name, else from the text itself."""
    file = Path(given)
    if ":" in given and not file.exists():
        return heads_in(given)
    if is_device(file):
        raise HeadUnreadable(f"--against {given}: is a device, which has no end; name a file")
    try:
        return heads_in(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as exc:
        raise HeadUnreadable(f"--against {given}: cannot be read: {exc}") from exc
    except HeadUnreadable as exc:
        raise HeadUnreadable(f"--against {given}: {exc}") from exc
