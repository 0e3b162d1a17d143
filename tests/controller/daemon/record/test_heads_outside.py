"""A state folder that was rolled back as a whole is found by the checkpoint that the broker kept on `conn`."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from controller.clock import ManualClock
from controller.daemon.record.heads_outside import HeadsOutside
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.keys import PublicKey, SigningKey, make_key
from controller.journal.store import Journal
from controller.publish.broker.memory import MemoryBroker
from controller.rules.vocabulary import Role
from tests.controller.daemon.record.test_record_kept import config, journal, public, running  # noqa: F401  # fixtures
from tests.controller.daemon.record.test_rescue import told_on_record, until


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> MemoryBroker:
    """One that outlives the daemon."""
    kept = MemoryBroker()
    monkeypatch.setattr("controller.daemon.table_publisher._memory", lambda: kept.link)
    return kept


def conn(broker: MemoryBroker) -> dict[str, Any]:
    (kept,) = (json.loads(body) for topic, body in broker.retained.items() if topic.endswith("/conn"))
    assert isinstance(kept, dict)
    return kept


def copied(journal: Path, to: Path) -> None:  # noqa: F811
    to.mkdir(exist_ok=True)
    for part in journal.parent.glob(f"{journal.name}*"):
        if part.is_file():
            shutil.copy(part, to / part.name)


async def test_a_state_folder_that_was_rolled_back_is_held(
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
    public: PublicKey,  # noqa: F811
    broker: MemoryBroker,
    tmp_path: Path,
) -> None:
    """Record, head, lock and snapshot agree with each other; the broker knows more. The start waits for no broker."""
    async with running(config) as daemon:
        await told_on_record(daemon, 3)
    copied(journal, tmp_path / "older")
    async with running(config) as daemon:
        await told_on_record(daemon, 3)
        await until(lambda: "checkpoint" in conn(broker))
        assert not daemon.desk.table.engine.state.holds  # type: ignore[union-attr]
    kept = conn(broker)
    assert kept["state"] == "offline"
    assert public.has_signed(
        bytes.fromhex(kept["checkpoint"]["signature"]), kept["checkpoint"]["statement"].encode()
    )
    copied(tmp_path / "older" / journal.name, journal.parent)
    async with running(config) as daemon:
        await until(lambda: daemon.desk.table and daemon.desk.table.engine.state.holds)
        assert daemon.desk.table is not None
        (hold,) = daemon.desk.table.engine.state.holds.values()
        assert "and this record ends at" in hold.reason
        assert hold.least_role is Role.SUPERVISOR


class _Table:
    def __init__(self) -> None:
        self.said: list[str] = []

    def submit(self, subject: str, body: Any) -> bool:
        self.said.append(body.first_fault)
        return True


def test_only_what_this_tables_key_signed_holds(journal: Path) -> None:  # noqa: F811
    """Anything else is said once, and holds nothing; what the record has is no news."""
    make_key(journal.with_name("k"))
    make_key(journal.with_name("other"))
    own, other = (SigningKey.load(journal.with_name(name)) for name in ("k", "other"))
    with closing(Journal.open(journal, site="lv01", table="t1")) as record:
        _compared(record, own, other)


def _compared(record: Journal, own: SigningKey, other: SigningKey) -> None:
    table, told, clock = _Table(), [], ManualClock()
    outside = HeadsOutside(table, record, own.public, lambda kind, **data: told.append((kind, data["found"])))
    heads, order = record.last()
    ahead = {stream: head._replace(sequence=head.sequence + 9) for stream, head in heads.items()}

    def said(key: SigningKey, of: Any, journal_id: str = record.id, **more: Any) -> bytes:
        text, signature = signed_statement(key, journal_id, "lv01", "t1", of, order + 27, clock.stamp())
        return json.dumps(
            {"state": "lost", "checkpoint": {"statement": text, "signature": signature}, **more}
        ).encode()

    for nothing in (b"", b"[1]", b"{", said(own, heads), b'{"heads":{"main":0}}'):
        outside.seen(nothing)
    assert (table.said, told) == ([], [])
    for _ in range(2):
        outside.seen(said(other, ahead))
        outside.seen(json.dumps({"journal": record.id, "heads": {"main": 9}}).encode())
    assert table.said == []
    assert {kind for kind, _ in told} == {"conn_head_differs"}
    assert any("is not signed by this table's key" in found for _, found in told)
    assert any("later records in main" in found for _, found in told)
    for _ in range(2):
        outside.seen(said(own, ahead))
    (held,) = table.said
    assert "it is an older copy" in held
