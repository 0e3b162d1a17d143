"""`tablewarden journal meters`: proves every progressive meter that the table computed, from the record alone."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from controller.audit.meters import PARTS, Proof, proved
from controller.cli.arguments import A_PATH
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.progress import progress
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.opening import opened
from controller.text.money import money


@click.command()
@click.argument("path", type=A_PATH)
@AS_JSON
def meters(path: Path, as_json: bool) -> None:
    """Add up the ledger of every meter, and compare each entry with wagers and settlements on record. Works on the live one too.

    Exit code 1 where something is wrong. `journal verify` says whether the record itself is as it was written.

    \b
    Example:
      tablewarden journal meters example.journal
    """
    try:
        with progress("records") as told, opened(path, told) as view:
            proof = proved(view)
            document = _document(view.description.id, proof)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except JournalError as exc:
        end(str(exc), WRONG)
    show(document, _page, as_json)
    if proof.faults:
        sys.exit(WRONG)


def _document(journal: str, proof: Proof) -> dict[str, Any]:
    return {
        "journal": journal,
        "proved": not proof.faults,
        "head": {"sequence": proof.head.sequence, "hash": proof.head.recordhash.hex()},
        "faults": proof.faults,
        "meters": {
            name: {
                "cents": one.accounts.get("meter", 0) // PARTS, "generation": one.generation, "hits": one.hits,
                "entries": one.entries,
                "terms": one.terms, "parts": {account: one.accounts[account] for account in sorted(one.accounts)},
            }
            for name, one in sorted(proof.meters.items())
        },
    }  # fmt: skip


def _page(document: dict[str, Any]) -> Iterator[str]:
    if not document["meters"]:
        yield "no meter of this record is computed by the table"
    for name, one in document["meters"].items():
        yield f"{name}: {money(one['cents'])}, generation {one['generation']}, {one['hits']} hits, {one['entries']} entries"
        for account, parts in one["parts"].items():
            whole, rest = divmod(abs(parts), 100 * PARTS)
            told = f"{'-' if parts < 0 else ''}{whole:,}.{rest:06}"
            yield f"  {account:<10} {told:>20}"
    yield from (f"WRONG  {fault}" for fault in document["faults"])
    if document["meters"] and document["proved"]:
        yield "OK: every entry sums to nothing and fits the wagers and settlements on record"
    if document["meters"]:
        head = document["head"]
        yield f"  head   main {head['sequence']} {head['hash']}; `journal verify` proves the chain up to it"
