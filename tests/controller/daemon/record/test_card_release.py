"""Which cards were told is let out when the rules do, once, also over a restart; and by a supervisor, who says why."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from controller.clock import ManualClock, Stamp
from controller.control.desk import Refused
from controller.daemon.record.card_release import Opener
from controller.daemon.record.vault_desk import erasure, more_to_erase, opening
from controller.journal.proof.verify import verify
from controller.journal.record import FACTS, Draft, Stream, Transaction
from controller.journal.store import Journal
from controller.journal.vault.vault import StillSealed
from controller.journal.vault.vault_keys import VaultKeys, make_vault
from controller.publish.envelope import Wrapper
from controller.publish.topics import Topics
from controller.rules.vocabulary import Area, Role
from controller.table.state.disputes import Dispute
from controller.table.words import facts as f
from controller.table.words.acts import RecordHand
from controller.table.words.codec import encode, encode_input
from controller.table.words.inputs import Actor, CardsErased, Input, Moment, RoundOpened
from controller.table.words.structs import replace
from simulators.bench.observer.opened import opened

SCHEMA = Path(__file__).resolve().parents[4] / "docs/schema/envelope.json"
SAM = Actor("sam", Role.SUPERVISOR)


class Round:
    def __init__(self, id_: str) -> None:
        self.id, self.collected = id_, False


class Table:
    """An engine that records what it is given at once, and plays the round that it is told."""

    def __init__(self, path: Path, vault: VaultKeys | None) -> None:
        self.clock = ManualClock()
        self.journal = Journal.open(path, site="lv01", table="t1", vault=vault)
        self.state, self.round = self, None
        self.opened: list[RoundOpened] = []
        self.opener = Opener(self, self.journal)  # type: ignore[arg-type]  # a table is all that it asks for

    round: Round | None

    def submit(self, subject: str, body: RoundOpened) -> bool:
        self.opened.append(body)
        return True

    def record(self) -> None:
        """What was submitted comes out of the queue."""
        for event in self.opened:
            self.put(event, encode_input(Input(Moment(1, 1, "b"), "table", event)), event.round)
        self.opener.wake()

    def tell(self, *, taken: bool = True) -> None:
        assert self.round
        act = RecordHand(Area.DEALER, "As Kd")
        name = self.round.id
        fact = (
            f.HandRecorded(name, Area.DEALER, 0, "As Kd", "", "", "ada")
            if taken
            else f.InputRefused(act.kind, "no")
        )
        self.put(fact, encode_input(Input(Moment(1, 1, "b"), "table", act, None, SAM)), name, act.kind)
        self.opener.wake()

    def put(
        self,
        fact: f.HandRecorded | f.InputRefused | RoundOpened | CardsErased,
        said: bytes,
        name: str,
        kind: str = "",
    ) -> None:
        at: Stamp = self.clock.stamp()
        given = Draft(Stream.INPUT, kind or fact.kind, 1, "table", name, said)
        drafts = (Draft(Stream.MAIN, fact.kind, 1, "table", name, encode(fact)),)
        self.journal.append([Transaction(at, given, None, drafts)], at)


@pytest.fixture
def vault(tmp_path: Path) -> VaultKeys:
    return make_vault(tmp_path / "vault")


@pytest.fixture
def table(tmp_path: Path, vault: VaultKeys) -> Iterator[Table]:
    table = Table(tmp_path / "j", vault)
    yield table
    table.journal.close()


def test_a_round_is_let_out_once_its_cards_lie_in_the_discard_rack(table: Table) -> None:
    """Not before, and once; what is told of it later has a key of its own, which follows at once."""
    table.round = Round("t1-1")
    table.tell()
    assert table.opened == []
    table.round.collected = True
    table.tell()
    (event,) = table.opened
    assert (event.round, event.reason, event.by) == ("t1-1", "its cards lie in the discard rack", "")
    table.opener.wake()
    assert len(table.opened) == 1, "it waits in the queue"
    table.record()
    assert table.journal.shut() == {}
    table.tell()
    assert len(table.opened) == 2
    assert not {*table.opened[0].keys} & {*table.opened[1].keys}


def test_a_round_that_ended_otherwise_is_let_out_too(table: Table) -> None:
    """Declared void, or followed by the next one."""
    table.round = Round("t1-1")
    table.tell()
    table.round = Round("t1-2")
    table.tell()
    assert [(e.round, e.reason) for e in table.opened] == [("t1-1", "the round is over")]


def test_what_was_left_shut_is_let_out_by_the_next_start(table: Table, tmp_path: Path, vault: VaultKeys) -> None:
    """A power cut between the discard rack and the opening."""
    table.round = Round("t1-1")
    table.tell()
    table.journal.close()
    again = Table(tmp_path / "j", vault)
    again.opener.wake()
    assert [e.round for e in again.opened] == ["t1-1"]
    again.record()
    assert again.journal.shut() == {}
    again.journal.close()


def test_what_was_refused_is_let_out_by_a_supervisor_alone(table: Table) -> None:
    """The rules never do; the order names who and why, and there is nothing left after it."""
    table.round = Round("t1-1")
    table.tell(taken=False)
    table.round = None
    table.opener.wake()
    assert table.opened == []
    event = opening(table.journal, "t1-1", "what did the dealer see", SAM)
    assert (event.by, event.role, event.reason) == ("sam", "supervisor", "what did the dealer see")
    table.submit("table", event)
    table.record()
    record = next(table.journal.records((Stream.INPUT,), {}))
    assert b"As Kd" in table.journal.clear(record).data
    with pytest.raises(Refused, match="round t1-1 has nothing that is still sealed"):
        opening(table.journal, "t1-1", "again", SAM)


def test_without_the_key_it_is_said_which_one_is_missing(table: Table, tmp_path: Path, vault: VaultKeys) -> None:
    """Another vault, or none."""
    table.round = Round("t1-1")
    table.tell()
    table.journal.close()
    for other in (make_vault(tmp_path / "other"), None):
        again = Table(tmp_path / "j", other)
        again.opener.wake()
        assert again.opened == []
        with pytest.raises(Refused, match=f"vault key {vault.id}, which is not in the vault's file"):
            opening(again.journal, "t1-1", "why", SAM)
        again.journal.close()


def test_cards_of_the_last_days_are_never_erased(table: Table) -> None:
    """They may still be asked for; the order names how far it goes."""
    table.round = Round("t1-1")
    table.tell()
    told_us = next(table.journal.records(FACTS, {})).time_us
    day = 86_400_000_000
    for days, match in ((6, "cards of the last 7 days"), (8, "nothing was on record by then")):
        now = datetime.fromtimestamp(told_us / 1e6 + days * 86_400, UTC)
        with pytest.raises(Refused, match=match):
            erasure(table.journal, told_us, "retention", SAM, {}, now)
    now = datetime.fromtimestamp(told_us / 1e6 + 8 * 86_400, UTC)
    disputed = {"C1": Dispute("C1", "t1-1", 3, "was paid a straight", "flora", keeps=False)}
    with pytest.raises(Refused, match="round t1-1 is disputed"):
        erasure(table.journal, told_us + day // 2, "retention", SAM, disputed, now)
    other = {"C1": replace(disputed["C1"], round="t1-2")}
    event = erasure(table.journal, told_us + day // 2, "retention", SAM, other, now)
    assert (event.through, event.by, event.reason) == (2, "sam", "retention")
    assert more_to_erase(table.journal, told_us + day // 2)


def test_many_keys_are_erased_in_steps(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """No commit of the table waits for years of them; each step says how far it went."""
    monkeypatch.setattr("controller.daemon.record.vault_desk.KEYS_AT_ONCE", 2)
    for number in range(7):
        table.round = Round(f"t1-{number}")
        table.tell()
    before_us = max(r.time_us for r in table.journal.records(FACTS, {})) + 1
    now = datetime.fromtimestamp(before_us / 1e6 + 8 * 86_400, UTC)
    steps, left = [], [7]
    while more_to_erase(table.journal, before_us):
        event = erasure(table.journal, before_us, "retention", SAM, {}, now)
        table.put(event, encode_input(Input(Moment(1, 1, "b"), "table", event)), "")
        left.append(sum(not row.is_erased for n in range(7) for row in table.journal.view.round_keys(f"t1-{n}")))
        steps.append(event.through)
    assert left == [7, 4, 1, 0]
    assert steps == sorted(steps)
    assert verify(table.journal.path).ok


def test_a_house_that_wants_them_gets_sealed_hands_at_once_and_the_key_after_the_round(table: Table) -> None:
    """What its back office holds opens to the cards that were told; without that wish neither leaves the machine."""
    table.round = Round("t1-1")
    table.tell()
    wants, not_ = (
        Wrapper(Topics("lv01", "t1"), table.journal.id, open_keys=k) for k in (table.journal.view.open_keys, None)
    )
    hand = _published(wants, table, "hand_recorded")
    assert _published(not_, table, "hand_recorded")["withheld"]
    assert opened(hand["data"], hand["journal"], "hand_recorded", {}) == (hand["data"], ""), "no key came with it"
    assert "As" not in json.dumps(hand)
    table.round.collected = True
    table.opener.wake()
    table.record()
    opening_ = _published(wants, table, "round_opened")
    keys = {name: bytes.fromhex(key) for name, key in opening_["openkeys"].items()}
    clear, wrong = opened(hand["data"], hand["journal"], "hand_recorded", keys)
    assert (clear["cards"], wrong) == ("As Kd", "")
    assert "openkeys" not in _published(not_, table, "round_opened")
    for event in (hand, opening_):
        jsonschema.validate(event, json.loads(SCHEMA.read_text()))


def test_what_a_supervisor_lets_out_and_what_stands_in_the_clear_stays_on_the_machine(
    table: Table, tmp_path: Path
) -> None:
    """Outside only after the discard rack, and never a body that names cards as they are."""
    table.round = Round("t1-1")
    table.tell()
    table.submit("table", opening(table.journal, "t1-1", "dispute", SAM))
    table.record()
    wants = Wrapper(Topics("lv01", "t1"), table.journal.id, open_keys=table.journal.view.open_keys)
    assert "openkeys" not in _published(wants, table, "round_opened")
    plain = Table(tmp_path / "plain", None)
    plain.round = Round("t1-1")
    plain.tell()
    wants = Wrapper(Topics("lv01", "t1"), plain.journal.id, open_keys=plain.journal.view.open_keys)
    assert _published(wants, plain, "hand_recorded")["withheld"]
    plain.journal.close()


def _published(wrapper: Wrapper, table: Table, kind: str) -> dict[str, Any]:
    record = next(r for r in table.journal.records(FACTS, {}) if r.kind == kind)
    event: dict[str, Any] = json.loads(wrapper.wrap(record).payload)
    return event


def test_what_is_told_outside_of_rounds_has_a_key_for_each(table: Table) -> None:
    """An old one that is erased takes nothing of yesterday with it; a supervisor opens all that are left."""
    table.round = Round("")
    table.tell(taken=False)
    through = table.journal.order
    table.tell(taken=False)
    event = CardsErased(through, "retention", "sam", "supervisor")
    table.put(event, encode_input(Input(Moment(1, 1, "b"), "table", event)), "")
    old, new = (r for r in table.journal.records((Stream.INPUT,), {}) if r.kind == "record_hand")
    with pytest.raises(StillSealed, match="was erased"):
        table.journal.clear(old)
    assert b"As Kd" in table.journal.clear(new).data
    assert len(opening(table.journal, "", "what was told", SAM).keys) == 1
