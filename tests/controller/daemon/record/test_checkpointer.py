"""When the record is signed: with the first commit after a start, at the end of each round, and after so many records."""

from pathlib import Path

import msgspec

from controller.clock import ManualClock
from controller.daemon.record.checkpointer import EVERY_RECORDS, Sealer
from controller.journal.proof.checkpoint import read_statement
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.proof.verify import verify
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from controller.table.words.inputs import CheckpointSigned


class Round:
    def __init__(self, id_: str) -> None:
        self.id = id_


class Table:
    """An engine that records what it is given at once."""

    def __init__(self, journal: Journal, clock: ManualClock) -> None:
        self.journal, self.clock = journal, clock
        self.state = self
        self.round: Round | None = None
        self.disputes: dict[str, str] = {}
        self.signed: list[CheckpointSigned] = []

    def submit(self, subject: str, body: CheckpointSigned) -> bool:
        self.signed.append(body)
        self.put(body.kind, msgspec.json.encode(body), Stream.DIAG)
        return True

    def put(self, kind: str = "button_pressed", data: bytes = b"{}", stream: Stream = Stream.MAIN) -> None:
        at = self.clock.stamp()
        said = Draft(Stream.INPUT, kind, 1, "table", None, b"{}")
        self.journal.append([Transaction(at, said, None, (Draft(stream, kind, 1, "table", None, data),))], at)


def test_the_record_is_signed_at_start_at_each_round_end_and_after_so_many_records(tmp_path: Path) -> None:
    """A checkpoint names the heads as they were just before it, and is not itself a reason for the next one."""
    make_key(tmp_path / "k")
    key, clock = SigningKey.load(tmp_path / "k"), ManualClock()
    journal = Journal.open(tmp_path / "j", site="lv01", table="t1")
    table = Table(journal, clock)
    sealer = Sealer(key, table, journal, clock)  # type: ignore[arg-type]  # a table is all that it asks for
    orders = []

    def commit() -> None:
        table.put()
        sealer.wake()
        sealer.wake()
        orders.append(len(table.signed))

    commit()  # the first one after a start
    table.round = Round("r-1")
    commit()
    commit()
    table.round = Round("r-2")  # ended, and the next one begun, in one commit
    commit()
    table.round = None
    commit()
    commit()
    table.disputes = {
        "C8": "paid wrong"
    }  # what stands in the record now has to be out of the house's hands at once
    commit()
    table.disputes = {}
    commit()
    assert orders == [1, 1, 1, 2, 3, 3, 4, 4]
    while len(table.signed) == 4:
        commit()
    statements = [read_statement(signed.statement) for signed in table.signed]
    assert statements[-1].order - statements[-2].order == EVERY_RECORDS
    assert (statements[0].order, statements[0].key) == (2, key.public.id)
    journal.close()
    report = verify(tmp_path / "j", keys=[key.public])
    assert report.ok, report.faults
    assert report.seals.proved == 5


class Kept:
    """Counts snapshots."""

    def __init__(self) -> None:
        self.orders: list[int] = []

    def save(self, journal: Journal, state: object) -> None:
        self.orders.append(journal.order)


def test_a_start_that_folded_much_keeps_its_state_at_once(tmp_path: Path) -> None:
    """After an update no snapshot fits; a kill soon after the start would have the next one fold all of it again."""
    make_key(tmp_path / "k")
    key, clock = SigningKey.load(tmp_path / "k"), ManualClock()
    for folded, orders in ((0, []), (9_000, []), (200_000, [4])):
        journal = Journal.open(tmp_path / f"j{folded}", site="lv01", table="t1")
        table, kept = Table(journal, clock), Kept()
        sealer = Sealer(key, table, journal, clock, kept, folded=folded)  # type: ignore[arg-type]
        table.put()
        sealer.wake()
        sealer.wake()
        assert kept.orders == orders
        journal.close()
