"""`tablewarden journal prove`: compares a round's recorded cards with their commitments."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from controller.cli.arguments import A_FILE, A_PATH
from controller.cli.journal.verify import proved_parts
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.progress import progress
from controller.clock import rfc3339
from controller.journal.errors import JournalError, JournalMissing
from controller.journal.opening import opened
from controller.journal.proof.findings import Report
from controller.journal.proof.keys import PublicKey
from controller.journal.proof.prove import Told, told_in
from controller.journal.reading import Reading
from controller.journal.record import Stream
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.vault.vault_keys import VaultKeys
from controller.table.words.facts import RoundBegun
from controller.table.words.inputs import RoundOpened


@click.command()
@click.argument("path", type=A_PATH)
@click.argument("round_id", metavar="ROUND")
@click.option(
    "--key", "key_files", multiple=True, type=A_PATH, help="A public key of the table, PEM; may be repeated."
)
@click.option("--vault", type=A_FILE, help="The table's vault: also shows cards that are not open yet.")
@AS_JSON
def prove(path: Path, round_id: str, key_files: Sequence[Path], vault: Path | None, as_json: bool) -> None:
    """Show the recorded cards of a round, each compared with the commitment made when it was recorded.

    ROUND is its id or its number. The whole record is proved with it. Needs no vault once the round is open, works on a
    copy, and on any machine. Exit code 1 unless the record and every card that the table took are proved.

    \b
    Example:
      tablewarden journal prove example.journal uth-017-412 --key table.pub
    """
    try:
        keys = [PublicKey.load(file) for file in key_files]
        ring = VaultKeys.load(vault) if vault else None
        with progress("records") as seen, opened(path, seen) as view:
            name = f"{view.description.table}-{round_id}" if round_id.isdigit() else round_id
            told = told_in(view, name, view.unsealer(ring))
            is_past = any(one.record.order <= view.description.order_before for one in told) or not told
            reports = proved_parts(path, is_past, keys, (), seen)
            document = _document(view, name, told, reports, bool(keys))
    except JournalMissing as exc:
        end(str(exc), UNREACHABLE)
    except (JournalError, KeyUnusable) as exc:
        end(str(exc), WRONG)
    show(document, _page, as_json)
    sys.exit(0 if document["proved"] else WRONG)


def _document(
    view: Reading, round_id: str, told: list[Told], reports: list[Report], has_keys: bool
) -> dict[str, Any]:
    journal = view.description.id
    through = max(report.seals.through if report.seals.proved else 0 for report in reports)
    hands = [_hand(one, journal, through) for one in told]
    strange = {key: count for report in reports for key, count in report.seals.strange.items()} if has_keys else {}
    faults = [str(fault) for report in reports for fault in report.faults]
    return {
        "journal": journal,
        "round": round_id,
        "began": bool([*view.of_round(Stream.MAIN, round_id, (RoundBegun.kind,))]),
        "proved": not faults and not strange and _all_proved(hands),
        "record": {
            "sound": not faults,
            "faults": faults,
            "signatures": {
                "looked_at": has_keys,
                "proved": sum(report.seals.proved for report in reports),
                "through": through,
            },
            "strange_keys": strange,
        },
        "opened": [_opening(r.data, r.time_us) for r in view.of_round(Stream.MAIN, round_id, (RoundOpened.kind,))],
        "hands": hands,
    }


def _all_proved(hands: list[dict[str, Any]]) -> bool:
    """What was refused may stay sealed; but nothing may be wrong."""
    taken = [hand["state"] for hand in hands if hand["taken"]]
    return bool(taken) and all(state == "proved" for state in taken) and all(h["state"] != "wrong" for h in hands)


def _hand(told: Told, journal: str, through: int) -> dict[str, Any]:
    """A record that tells cards. `taken`: by the table; `state`: proved, sealed, wrong, or clear (told without a vault)."""
    record, body = told.record, msgspec.json.decode(told.record.data)
    state = "wrong" if told.fault else "sealed" if told.sealed else "clear" if told.clear else "proved"
    by = body["actor"]["who"] if "actor" in body else body.get("by", "")
    shown = body.get("body", body)
    return {
        "id": record.id(journal),
        "taken": told.was_taken,
        "time": rfc3339(record.time_us),
        "by": by,
        "area": shown.get("area", ""),
        "seat": shown.get("seat", 0),
        "state": state,
        "reason": told.fault or told.sealed,
        "under_a_signature": record.order <= through,
        "cards": [card._asdict() for card in told.cards],
    }


def _opening(data: bytes, time_us: int) -> dict[str, Any]:
    event = msgspec.json.decode(data, type=RoundOpened)
    return {"time": rfc3339(time_us), "reason": event.reason, "by": event.by, "role": event.role}


def _page(document: dict[str, Any]) -> Iterator[str]:
    record = document["record"]
    verdict = "PROVED" if document["proved"] else "NOT PROVED"
    yield f"round {document['round']} of journal {document['journal']}: {verdict}"
    if record["sound"]:
        signed = record["signatures"]
        by = f"{signed['proved']} signatures proved" if signed["looked_at"] else "signatures not looked at (--key)"
        yield f"  record   sound; {by}"
    for fault in record["faults"]:
        yield f"  WRONG    {fault}"
    for key, count in record["strange_keys"].items():
        yield f"  WRONG KEY  {count} checkpoints are signed by {key}"
    for one in document["opened"]:
        by = f", by {one['by']} ({one['role']})" if one["by"] else ", by the rules"
        yield f"  opened   {one['time']}: {one['reason']}{by}"
    if not document["hands"]:
        yield (
            "  no card was recorded in this round" if document["began"] else "  no such round began in this record"
        )
    for hand in document["hands"]:
        yield _hand_line(hand)


def _hand_line(hand: dict[str, Any]) -> str:
    where = f"seat {hand['seat']}" if hand["seat"] else hand["area"].replace("_", " ")
    cards = " ".join(card["card"] for card in hand["cards"] if card["field"] == "cards")
    proved = f"{cards}: as committed" + ("" if hand["taken"] else ", and refused")
    said = {"proved": proved, "clear": "told without a vault: nothing was committed to"}
    mark = "WRONG    " if hand["state"] == "wrong" else "         "
    signed = "" if hand["under_a_signature"] else ", not signed yet"
    text = said.get(hand["state"], f"{hand['state']}: {hand['reason']}")
    return f"  {mark}{hand['id'].partition('-')[2]:14} {where:16} {text} (told by {hand['by']}{signed})"
