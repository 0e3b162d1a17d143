"""Builds the evidence of a round from its record: read-only, whole or not at all."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from controller.audit.evidence.bundle import archive, scripts
from controller.audit.evidence.chain_section import Stretches
from controller.audit.evidence.errors import EvidenceError
from controller.audit.evidence.page import Matter, page
from controller.audit.evidence.selection import Concern, begun, concern
from controller.audit.evidence.wire import frames
from controller.audit.replay import table_at
from controller.journal.proof.keys import PublicKey, SigningKey
from controller.journal.proof.prove import Told, told_in
from controller.journal.reading import Reading
from controller.rules.read.library import available, shipped
from controller.rules.read.loader import RulebookInvalid, load_rulebook
from controller.table.words.facts import RoundEnded
from controller.table.words.inputs import ServiceStarted
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """A finished evidence file. `data`: the zip. `shown`, `withheld`: records with and without bodies.

    `loose`: not covered by a checkpoint yet; `cards`: proved by commitments; `sealed`: why recorded hands are not
    shown; `frames`: files with wire traffic.
    """

    round_id: str
    data: bytes
    shown: int
    withheld: int
    loose: int
    cards: int
    sealed: tuple[str, ...]
    frames: tuple[str, ...]
    is_signed: bool


def evidence(
    view: Reading,
    given: str,
    *,
    keys: Sequence[PublicKey] = (),
    signer: SigningKey | None = None,
    recordings: Sequence[Path] = (),
    told: Callable[[int, int], None] = lambda done, of: None,
) -> Evidence:
    """Builds a round's evidence. `given`: id or number of the round; `keys`: public halves that signed the record.

    `signer`: the table's own key; `recordings`: files or folders to cut the round's wire traffic from. Raises
    `EvidenceError`, `NotReplayable`, `JournalDamaged`.
    """
    journal = view.description.id
    began = begun(view, given)
    name = began.round_id or ""
    seen = table_at(view, round_id=name)
    found = concern(view, began, tuple(seen.state.alarms))
    hands = _taken(told_in(view, name, view.unsealer()))
    cut = Stretches(view, found, keys)
    lines, of = [], cut.count(found.gaps)
    for line in cut.lines(found.gaps):
        lines.append(line)
        told(cut.shown + cut.withheld, of)
    ended = next((r.time_us for r in cut.facts if r.kind == RoundEnded.kind), seen.record.time_us)
    wires = frames(recordings, began.time_us, ended)
    matter = Matter(journal, seen, cut.facts, hands, found.started[0], found.devices, cut.loose, tuple(wires))
    parts = {
        "page.html": page(matter),
        "records.tsv": "".join(lines).encode(),
        "rulebook.toml": _rulebook(found.started[0]),
        "identities.json": msgspec.json.format(msgspec.json.encode(_identities(view, found)), indent=2),
        "cards.tsv": "".join(_card_lines(hands)).encode(),
        **{f"key-{key.id}.pub": key.pem() for key in keys},
        **wires,
        **scripts(),
    }
    return Evidence(
        name,
        archive(journal, name, parts, signer),
        cut.shown,
        cut.withheld,
        cut.loose,
        sum(len(hand.cards) for hand in hands),
        tuple(f"{_place(hand)}: {hand.sealed}" for hand in hands if hand.sealed),
        tuple(wires),
        signer is not None,
    )


def _taken(hands: Sequence[Told]) -> list[Told]:
    """Returns the hands that the table took; refused ones belong to no hand of the round."""
    if (fault := next((hand for hand in hands if hand.fault), None)) is not None:
        raise EvidenceError(f"{_place(fault)}: {fault.fault}; `tablewarden journal prove` says more")
    return [hand for hand in hands if hand.was_taken]


def _place(hand: Told) -> str:
    return f"{hand.record.stream.value}/{hand.record.sequence}"


def _card_lines(hands: Sequence[Told]) -> list[str]:
    """Returns record, area, seat, field, card, salt and commitment, separated by tabs."""
    lines = []
    for hand in hands:
        body = msgspec.json.decode(hand.record.data)
        body = body.get("body", body)
        where = (_place(hand), body.get("area", ""), body.get("seat", 0))
        lines += ["\t".join(map(str, (*where, *card))) + "\n" for card in hand.cards]
    return lines


def _rulebook(started: ServiceStarted) -> bytes:
    """Returns the rulebook file in force. Raises `EvidenceError` if it is not here."""
    for name in (started.rulebook, f"{started.rulebook}@{started.edition}"):
        if name in available():
            path = shipped() / f"{name}.toml"
            try:
                if load_rulebook(path).sha256 == started.sha256:
                    return path.read_bytes()
            except RulebookInvalid:
                continue
    raise EvidenceError(
        f"rulebook {started.rulebook} {started.edition} with hash {started.sha256[:16]}, which was in force, is not in "
        f"{shipped()}; put that file there as {started.rulebook}@{started.edition}.toml"
    )


def _identities(view: Reading, found: Concern) -> dict[str, object]:
    """Returns what played this round: software, elected law, and each device's own identity."""
    about, (started, start) = view.description, found.started
    return {
        "site": about.site,
        "table": about.table,
        "journal": about.id,
        "round": found.round_id,
        "software": {"name": "tablewarden", "version": started.version, "record": start.id},
        "rulebook": {"id": started.rulebook, "edition": started.edition, "sha256": started.sha256},
        "setup": started.setup,
        "devices": [
            {"device": told.subject, "kind": told.kind, "record": told.id, "said": told.body}
            for told in found.devices
        ],
    }
