"""Compares a round's recorded cards with the commitments made when they were recorded; needs the record alone once
its key is open."""

from typing import NamedTuple

from controller.journal.errors import JournalDamaged
from controller.journal.reading import Reading
from controller.journal.record import Record, Stream
from controller.journal.vault.sealing import SealBroken, Shown, proved
from controller.journal.vault.vault import StillSealed, Unsealer, about, is_sealed
from controller.table.words.codec import IDENTITIES


class Told(NamedTuple):
    """A record that names cards. `cards`: each with salt and commitment; `fault`: why they are not proved, "" =
    proved;

    `sealed`: why nobody can know them here; `clear`: recorded without a vault.
    """

    record: Record
    cards: tuple[Shown, ...] = ()
    fault: str = ""
    sealed: str = ""
    clear: bool = False

    @property
    def was_taken(self) -> bool:
        """True for a fact; False for an input that the table refused."""
        return self.record.stream is not Stream.INPUT


def told_in(view: Reading, round_id: str, unsealer: Unsealer) -> list[Told]:
    """Returns the cards that the table took in a round, and those that it refused. Each fact is compared with its
    input. Raises `JournalDamaged`.

    Each fact is also compared with the input from which it follows.
    """
    kinds = tuple(IDENTITIES)
    of_stream = {s: list(view.of_round(s, round_id, kinds)) for s in (Stream.INPUT, Stream.MAIN)}
    journal = view.description.id
    inputs = {r.id(journal): _told(journal, r, unsealer) for r in of_stream[Stream.INPUT]}
    facts = [_told(journal, r, unsealer) for r in of_stream[Stream.MAIN]]
    taken = [_against(fact, inputs.pop(fact.record.cause or "", None)) for fact in facts]
    return sorted([*taken, *inputs.values()], key=lambda told: told.record.order)


def _against(fact: Told, given: Told | None) -> Told:
    if given is None:
        return fact._replace(fault=fact.fault or "the input from which it follows tells no cards")
    if given.fault:
        return fact._replace(fault=f"{given.record.stream.value}/{given.record.sequence}: {given.fault}")
    same = [(x.field, x.card) for x in fact.cards] == [(x.field, x.card) for x in given.cards]
    return (
        fact if same or fact.sealed else fact._replace(fault="the input from which it follows tells other cards")
    )


def _told(journal: str, record: Record, unsealer: Unsealer) -> Told:
    if not is_sealed(record):
        return Told(record, clear=True)
    try:
        key = unsealer.key(record)
        return Told(record, tuple(proved(record.data, record.stream, key, about(journal, record.kind))))
    except StillSealed as exc:
        return Told(record, sealed=exc.reason)
    except (SealBroken, JournalDamaged) as exc:
        return Told(record, fault=exc.found if isinstance(exc, JournalDamaged) else str(exc))
