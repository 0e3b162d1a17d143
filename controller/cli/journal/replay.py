"""`tablewarden journal replay`: the table as it was, and every recorded input decided anew."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from controller.audit.replay import Difference, NotReplayable, Sealed, Seen, TableUnfit, differences, table_at
from controller.cli.arguments import A_FILE, A_PATH
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.progress import progress
from controller.clock import rfc3339
from controller.config.load import load_config
from controller.config.model import ConfigInvalid
from controller.daemon.views.status import device_document, table_document
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.reading import Reading
from controller.journal.store import opened
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.vault.vault_keys import VaultKeys
from controller.table.state.table import Setup
from controller.table.words.codec import UnknownKind
from controller.text.status_page import status_page

MOST_REASONS = 3


@click.command()
@click.argument("path", type=A_PATH)
@click.option(
    "--at", help="Show the table at this time (RFC 3339), or as this round was (its id or number) before it ended."
)
@click.option(
    "--verify", "is_verify", is_flag=True, help="Decide every recorded input anew and list what differs."
)
@click.option(
    "--config", type=A_FILE, help="Decide by this table instead of the one that each start put on record."
)
@click.option(
    "--vault", type=A_FILE, help="The table's vault: rounds that are still sealed are shown and decided too."
)
@AS_JSON
def replay(
    path: Path, at: str | None, is_verify: bool, config: Path | None, vault: Path | None, as_json: bool
) -> None:
    """Play a record again: show the table as it was, or find where today's rules would decide otherwise.

    A round whose cards are sealed and not open yet is not decided, and the output says so.

    \b
    Example:
      tablewarden journal replay example.journal --at 2026-01-01T21:15:00Z
      tablewarden journal replay example.journal --at 417
      tablewarden journal replay example.journal --verify
    """
    if (at is None) is not is_verify or at == "":
        raise click.UsageError("say either --at TIME or ROUND, or --verify")
    try:
        given = load_config(config, alone=True).setup() if config else None
        keys = VaultKeys.load(vault) if vault else None
        with opened(path) as view:
            if at is not None:
                _show(view, at, given, keys, as_json)
            else:
                _verify(view, given, keys, as_json)
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except TableUnfit as exc:
        end(f"{config}: {exc}", WRONG)
    except (JournalError, NotReplayable, ConfigInvalid, UnknownKind, KeyUnusable) as exc:
        end(str(exc), WRONG)


def _show(view: Reading, at: str, given: Setup | None, keys: VaultKeys | None, as_json: bool) -> None:
    time_us = _time_us(at)
    seen = table_at(view, time_us=time_us, round_id="" if time_us is not None else at, given=given, keys=keys)
    document = _document(seen, view.description.id)
    show(
        document,
        lambda d: [
            f"as of {d['as_of']['time']}, order {d['as_of']['order']}",
            *["the recorded cards of this round are sealed"] * d["as_of"]["sealed"],
            "",
            *status_page(d),
        ],
        as_json,
    )


def _document(seen: Seen, journal: str) -> dict[str, Any]:
    """The status as it would have been, without links and broker."""
    state, last = seen.state, seen.record
    document = table_document(seen.setup, state)
    document["devices"] = {name: device_document(name, device) for name, device in state.devices.items()}
    document["as_of"] = {
        "time": rfc3339(last.time_us),
        "order": last.order,
        "id": last.id(journal),
        "sealed": seen.sealed,
    }
    return document


def _verify(view: Reading, given: Setup | None, keys: VaultKeys | None, as_json: bool) -> None:
    found: list[Difference] = []
    sealed: list[Sealed] = []
    count, of = 0, view.last()[1] - view.description.order_before
    with progress("records") as told:
        for said, outcome in differences(view, given, keys):
            count += 1
            told(said.order - view.description.order_before, of)
            if isinstance(outcome, Sealed):
                sealed.append(outcome)
            elif outcome is not None:
                found.append(outcome)
    document = {
        "journal": view.description.id,
        "inputs": count,
        "differences": [
            {"input": d.input.sequence, "kind": d.input.kind, "was": d.was, "now": d.now} for d in found
        ],
        "sealed": [{"input": s.input.sequence, "kind": s.input.kind, "round": s.round_id} for s in sealed],
    }
    rounds = ", ".join(dict.fromkeys(s.round_id for s in sealed))
    why = "; ".join(list(dict.fromkeys(s.why for s in sealed))[:MOST_REASONS]) if keys else "give --vault FILE"
    page = [
        f"{count - len(sealed)} inputs decided anew: {len(found) or 'no'} differences",
        *[f"{len(sealed)} inputs are sealed, not decided (round {rounds}): {why}"] * bool(sealed),
        *(line for d in found for line in d.lines()),
    ]
    show(document, lambda _: page, as_json)
    sys.exit(WRONG if found else 0)


def _time_us(at: str) -> int | None:
    """None for what is no time, which then names a round."""
    try:
        when = datetime.fromisoformat(at)
    except ValueError:
        return None
    if at.isdigit():
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return round(when.timestamp() * 1_000_000)
