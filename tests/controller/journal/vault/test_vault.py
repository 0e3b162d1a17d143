"""Which cards were told lies in the record under the key of its round, and nowhere in the clear before it is let out."""

import json
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from controller.cli.main import cli
from controller.clock import Stamp
from controller.journal.errors import JournalDamaged
from controller.journal.proof.findings import Cause
from controller.journal.proof.verify import verify
from controller.journal.record import Draft, Record, Stream, Transaction
from controller.journal.store import Journal
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.vault.sealing import RoundKey, SealBroken, opened, proved, sealed
from controller.journal.vault.vault import StillSealed
from controller.journal.vault.vault_keys import VaultKeyMissing, VaultKeys, WrappedDamaged, make_vault, renew_vault
from controller.rules.vocabulary import Area, Role
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import IDENTITIES, encode, encode_input
from controller.table.words.inputs import Actor, CardsErased, Input, Moment, RoundOpened

SITE, TABLE, ROUND = "lv01", "uth-017", "uth-017-7"
HAND = "As Kd 10h ?? 2s"  # none of these words is hex
FIELDS = ("cards", "played", "shown")
AT = Moment(1, 1, "b")


@pytest.fixture
def keys(tmp_path: Path) -> VaultKeys:
    return make_vault(tmp_path / "vault")


@pytest.fixture
def open_sealed(tmp_path: Path) -> Iterator[Callable[..., Journal]]:
    """Opens the journal with these keys; each is closed before the next one is opened, and at the end."""
    last: list[Journal] = []

    def open_(keys: VaultKeys | None) -> Journal:
        close()
        last.append(Journal.open(tmp_path / "journal.db", site=SITE, table=TABLE, vault=keys))
        return last[-1]

    def close() -> None:
        if last:
            last.pop().close()

    yield open_
    close()


def told(cards: str = HAND, *, taken: bool = True, seat: int = 1, round_id: str | None = ROUND) -> Transaction:
    """A hand that a dealer told, and the fact that it was recorded or refused."""
    act = a.RecordHand(Area.PLAYER, cards, seat=seat)
    body = encode_input(Input(AT, "table", act, None, Actor("ada", Role.DEALER)))
    fact = (
        f.HandRecorded(ROUND, Area.PLAYER, seat, cards, "", "", "ada")
        if taken
        else f.InputRefused(act.kind, "the hand is not turned up", "ada")
    )
    drafts = (Draft(Stream.MAIN, fact.kind, 1, "table", round_id, encode(fact)),)
    return Transaction(
        Stamp(1, 1, "b", "synced"), Draft(Stream.INPUT, act.kind, 1, "table", round_id, body), None, drafts
    )


def opening(journal: Journal, round_id: str = ROUND) -> Transaction:
    event = RoundOpened(round_id, tuple(journal.shut()[round_id]), "the round is over")
    body, fact = encode_input(Input(AT, "table", event)), encode(event)
    draft = Draft(Stream.MAIN, event.kind, 1, "table", round_id, fact)
    said = Draft(Stream.INPUT, event.kind, 1, "table", round_id, body)
    return Transaction(Stamp(2, 2, "b", "synced"), said, None, (draft,))


def on_disk(journal: Journal) -> bytes:
    """Every byte that lies beside the journal: file, log and all."""
    return b"".join(p.read_bytes() for p in sorted(journal.path.parent.glob(journal.path.name + "*")))


def main_records(journal: Journal) -> list[Record]:
    return list(journal.records([Stream.MAIN], {}))


NOW = Stamp(3, 3, "b", "synced")


def test_no_card_that_was_told_lies_on_the_disk_in_the_clear(open_sealed, keys) -> None:
    """Input and fact show how many cards lie where, and a commitment to each; nothing else of them is in any file."""
    journal = open_sealed(keys)
    records = journal.append([told()], NOW)
    for record in records:
        assert record.version == 2
        body = msgspec.json.decode(record.data)
        shown = body["body"] if record.stream is Stream.INPUT else body
        assert (shown["area"], shown["seat"], len(shown["cards"])) == ("player", 1, 5)
        assert len({*shown["cards"]}) == 5
        assert all(len(bytes.fromhex(commitment)) == 32 for commitment in shown["cards"])
        assert not any(word in record.data for word in (b"As", b"Kd", b"10h", b"??", b"2s"))
    assert b"As Kd" not in on_disk(journal)
    assert HAND.encode() not in on_disk(journal)
    with open_plain(journal.path.parent) as plain:
        plain.append([told()], NOW)
        assert HAND.encode() in on_disk(plain), "the search above would find it"


class open_plain:  # reads as a function at its one place of use
    """A journal beside it without a vault."""

    def __init__(self, directory: Path) -> None:
        self.journal = Journal.open(directory / "plain.db", site=SITE, table=TABLE)

    def __enter__(self) -> Journal:
        return self.journal

    def __exit__(self, *_: object) -> None:
        self.journal.close()


def test_the_same_card_twice_has_two_commitments(open_sealed, keys) -> None:
    """Nobody finds a card by comparing: within a hand, between input and fact, and between rounds."""
    journal = open_sealed(keys)
    records = journal.append([told("As As"), told("As As", seat=2)], NOW)
    bodies = [msgspec.json.decode(r.data) for r in records]
    shown = [c for body in bodies for c in body.get("body", body)["cards"]]
    assert len(shown) == len({*shown}) == 8


def test_what_was_sealed_comes_back_byte_for_byte(open_sealed, keys) -> None:
    """By the daemon's own keys, at once and after a restart."""
    wanted = told()
    journal = open_sealed(keys)
    journal.append([wanted], NOW)
    for is_restarted in (False, True):
        again = open_sealed(keys) if is_restarted else journal
        clear = [again.clear(r) for r in again.records([Stream.INPUT, Stream.MAIN], {})]
        assert [r.data for r in clear] == [wanted.input.data, wanted.facts[0].data]
        assert [r.version for r in clear] == [1, 1]


text = st.text(st.characters(codec="utf-8"), max_size=60)


@given(cards=text, played=text, shown=text, nonce=st.binary(min_size=12, max_size=12))
def test_any_text_in_the_place_of_cards_is_sealed_and_comes_back(
    cards: str, played: str, shown: str, nonce: bytes
) -> None:
    """People mistype; what they typed may be a card all the same."""
    key, about = RoundKey(b"k" * 32), b"journal\0record_hand"
    act = a.RecordHand(Area.DEALER, cards, 0, played, shown)
    for stream, data in (
        (Stream.INPUT, encode_input(Input(AT, "table", act, None, Actor("ada", Role.DEALER)))),
        (Stream.MAIN, encode(f.HandRecorded(ROUND, Area.DEALER, 0, cards, played, shown, "ada"))),
    ):
        shut = sealed(data, FIELDS, stream, key, about, nonce)
        assert opened(shut, stream, key, about) == data if shut != data else not cards + played + shown
        if shut != data:
            whole = msgspec.json.decode(shut)
            body = whole["body"] if stream is Stream.INPUT else whole
            assert all(isinstance(body.get(name, []), list) or not body[name] for name in FIELDS)
            shown = proved(shut, stream, key, about)
            assert all(sha256(bytes.fromhex(x.salt) + x.card.encode()).hexdigest() == x.commitment for x in shown)
            assert [x.commitment for x in shown] == [c for name in FIELDS for c in body.get(name, ())]


def test_a_round_has_one_key_however_often_the_daemon_starts(open_sealed, keys) -> None:
    """It is taken up from the file; a second round has another."""
    for _ in range(3):
        open_sealed(keys).append([told()], NOW)
    journal = open_sealed(keys)
    journal.append([told(round_id="uth-017-8")], NOW)
    assert {name: len(keys) for name, keys in journal.shut().items()} == {ROUND: 1, "uth-017-8": 1}


def test_an_opening_lets_everybody_read_the_round(open_sealed, keys, tmp_path: Path) -> None:
    """With the record of it, in one transaction; another round stays shut, and so does what was refused."""
    journal = open_sealed(keys)
    journal.append([told(), told("Qh Qs", taken=False), told("9c 9d", round_id="uth-017-8")], NOW)
    journal.append([opening(journal)], NOW)
    assert list(journal.shut()) == ["uth-017-8"]
    journal.close()
    reader = Journal.open_readonly(tmp_path / "journal.db")
    hand, refused, other, _ = reader.records([Stream.INPUT], {})
    assert b"As Kd" in reader.clear(hand).data
    for still in (refused, other):
        with pytest.raises(StillSealed, match="no vault key was given"):
            reader.clear(still)
    reader.close()
    assert list(open_sealed(keys).shut()) == ["uth-017-8"], "a start knows what is still to be let out"


def test_a_key_is_in_the_file_with_the_first_body_that_it_seals(open_sealed, keys) -> None:
    """A transaction that is not written leaves no key behind, and the next one brings it."""
    journal = open_sealed(keys)
    once = told()
    first = Transaction(once.at, once.input, ("S", "0" * 16, 1), once.facts)
    plain = Draft(Stream.INPUT, "button_pressed", 1, "shoe-1", None, b"{}")
    journal.append([Transaction(once.at, plain, ("S", "0" * 16, 1))], NOW)
    with pytest.raises(Exception, match="recorded already"):
        journal.append([first], NOW)
    assert rows(journal) == []
    journal.append([told()], NOW)
    assert len(rows(journal)) == 1
    clear = [journal.clear(r).data for r in main_records(journal)]
    assert clear == [told().facts[0].data]


def rows(journal: Journal) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"file:{journal.path}?mode=ro", uri=True)) as db:
        return db.execute("SELECT round, use, wrapped, opened FROM round_key").fetchall()


def test_a_new_vault_key_seals_and_the_old_ones_open_what_they_sealed(open_sealed, keys, tmp_path: Path) -> None:
    """Renewed between two rounds; the round in play goes on under its own key."""
    open_sealed(keys).append([told()], NOW)
    renewed = renew_vault(tmp_path / "vault")
    assert renewed.id != keys.id
    journal = open_sealed(renewed)
    journal.append([told("2s 2h", seat=2), told("3s 3h", round_id="uth-017-8")], NOW)
    texts = [journal.clear(r).data for r in main_records(journal)]
    assert [b"As Kd" in texts[0], b"2s 2h" in texts[1], b"3s 3h" in texts[2]] == [True] * 3
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db:
        assert dict(db.execute("SELECT round, vault FROM round_key")) == {ROUND: keys.id, "uth-017-8": renewed.id}


def test_another_vault_is_told_apart_from_damage(open_sealed, keys, tmp_path: Path) -> None:
    """The key that is missing is named; play goes on under a new one, and the journal is sound."""
    open_sealed(keys).append([told()], NOW)
    other = make_vault(tmp_path / "other")
    journal = open_sealed(other)
    assert [(row.vault, row.round_id) for row in journal.unread] == [(keys.id, ROUND)]
    assert journal.shut() == {}, "what cannot be read cannot be let out"
    with pytest.raises(
        StillSealed, match=f"vault key {keys.id}, which is not in the vault's file; put that key's line"
    ):
        journal.clear(main_records(journal)[0])
    journal.append([told("2s 2h")], NOW)
    assert b"2s 2h" in journal.clear(main_records(journal)[1]).data
    assert verify(journal.path).ok


@pytest.mark.parametrize("column", ["wrapped", "commitment"])
def test_a_damaged_key_is_damage(open_sealed, keys, tmp_path: Path, column: str) -> None:
    """One flipped byte of it, under the right vault."""
    journal = open_sealed(keys)
    journal.append([told()], NOW)
    journal.close()
    with closing(sqlite3.connect(tmp_path / "journal.db", isolation_level=None)) as db:
        (value,) = db.execute(f"SELECT {column} FROM round_key").fetchone()
        db.execute(f"UPDATE round_key SET {column} = ?", (value[:-1] + bytes([value[-1] ^ 1]),))
    journal = open_sealed(keys)
    with pytest.raises(JournalDamaged, match="main/1"):
        journal.clear(main_records(journal)[0])


def test_a_body_is_bound_to_its_journal_its_kind_and_its_key() -> None:
    """None can be put in the place of another, and no key but the committed one opens it."""
    key, about = RoundKey(b"k" * 32), b"journal\0record_hand"
    data = encode(f.HandRecorded(ROUND, Area.DEALER, 0, HAND, "", "", "ada"))
    shut = sealed(data, FIELDS, Stream.MAIN, key, about, b"n" * 12)
    for other_key, other_about in ((key, b"other\0record_hand"), (RoundKey(b"j" * 32), about)):
        with pytest.raises(SealBroken):
            opened(shut, Stream.MAIN, other_key, other_about)
    whole = msgspec.json.decode(shut)
    whole["cards"][0], whole["cards"][1] = whole["cards"][1], whole["cards"][0]
    with pytest.raises(SealBroken, match="shows other commitments"):
        proved(msgspec.json.encode(whole), Stream.MAIN, key, about)


@pytest.mark.parametrize("body", [[], "x", 7, None])
def test_a_sealed_input_whose_body_is_no_object_is_a_broken_seal(body: object) -> None:
    """The seal opens, for it is about the record's place: but what was sealed has nowhere to go, and nobody falls over that."""
    key = RoundKey(b"k" * 32)
    act = a.RecordHand(Area.PLAYER, "As Kd", seat=1)
    said = encode_input(Input(Moment(1, 1, "b"), "table", act, None, Actor("ada", Role.DEALER)))
    whole = json.loads(sealed(said, ("cards",), Stream.INPUT, key, b"here", b"n" * 12))
    whole["body"] = body
    for reads in (opened, proved):
        with pytest.raises(SealBroken):
            reads(json.dumps(whole).encode(), Stream.INPUT, key, b"here")


def test_an_old_journal_gets_its_keys_and_keeps_its_records(open_sealed, keys, tmp_path: Path) -> None:
    """A file of the first format, as it was made before there was a vault."""
    journal = open_sealed(None)
    journal.append([told()], NOW)
    journal.close()
    with closing(sqlite3.connect(tmp_path / "journal.db", isolation_level=None)) as db:
        for statement in ("INDEX round_key_shut", "TRIGGER round_key_no_delete", "TABLE round_key"):
            db.execute(f"DROP {statement}")
        db.execute("PRAGMA user_version = 1")
    assert verify(tmp_path / "journal.db").ok
    reader = Journal.open_readonly(tmp_path / "journal.db")
    assert reader.clear(main_records(reader)[0]).data == told().facts[0].data
    reader.close()
    journal = open_sealed(keys)
    journal.append([told("2s 2h")], NOW)
    assert [journal.clear(r).data for r in main_records(journal)] == [
        t.facts[0].data for t in (told(), told("2s 2h"))
    ]
    assert verify(journal.path).ok


def test_each_field_that_names_cards_is_sealed() -> None:
    """By its type, at the top of its body, and whatever is called like one has that type or is a number."""
    from tests.support.card_fields import declared, suspicious

    assert {kind: set(names) for kind, names in IDENTITIES.items()} == declared()
    assert IDENTITIES["hand_recorded"] == IDENTITIES["record_hand"] == FIELDS
    assert suspicious() == []


def test_the_vaults_file_is_read_only_where_nobody_else_can(tmp_path: Path) -> None:
    """Each fault says what it is and what to do; a key that signs is no vault."""
    file = tmp_path / "v"
    with pytest.raises(KeyUnusable, match="vault key --new` makes one"):
        VaultKeys.load(file)
    first = make_vault(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert VaultKeys.load(file).id == first.id
    with pytest.raises(KeyUnusable, match="never overwritten"):
        make_vault(file)
    assert renew_vault(file).id == VaultKeys.load(file).id != first.id
    assert first.id in VaultKeys.load(file)
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    with pytest.raises(KeyUnusable, match="chmod 600"):
        VaultKeys.load(file)
    for text, match in (
        ("", "holds no key"),
        ("tablewarden-vault 1 12\n", "line 1 is no key"),
        ("-----BEGIN PRIVATE KEY-----\n", "it is the key that signs the record"),
    ):
        bad = tmp_path / "bad"
        bad.write_text(text)
        bad.chmod(0o600)
        with pytest.raises(KeyUnusable, match=match):
            VaultKeys.load(bad)


def test_a_wrong_vault_key_and_a_flipped_byte_are_two_things(keys: VaultKeys, tmp_path: Path) -> None:
    vault, wrapped = keys.wrap(b"s" * 32, b"about")
    assert keys.unwrap(vault, wrapped, b"about") == b"s" * 32
    with pytest.raises(VaultKeyMissing):
        make_vault(tmp_path / "other").unwrap(vault, wrapped, b"about")
    for n in (0, 20, len(wrapped) - 1):
        with pytest.raises(WrappedDamaged):
            keys.unwrap(vault, wrapped[:n] + bytes([wrapped[n] ^ 1]) + wrapped[n + 1 :], b"about")
    with pytest.raises(WrappedDamaged):
        keys.unwrap(vault, b"", b"about")


def _flip(at: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(at, isolation_level=None)) as db:
        db.execute(sql, values)


def test_a_proof_finds_a_key_that_is_gone_or_is_another(open_sealed, keys, tmp_path: Path) -> None:
    """Without the vault: by the commitment in the chain. What is only wrapped cannot be looked into."""
    journal = open_sealed(keys)
    journal.append([told()], NOW)
    journal.append([opening(journal)], NOW)
    journal.close()
    path = tmp_path / "journal.db"
    assert verify(path).ok
    _flip(path, "UPDATE round_key SET opened = ?", b"\0" * 32)
    (fault, _) = verify(path).faults
    assert (fault.cause, fault.stream, fault.first) == (Cause.KEY, Stream.INPUT, 1)
    assert "not the one that was committed to" in fault.detail
    _flip(path, "UPDATE round_key SET opened = NULL")
    (fault,) = verify(path).faults
    assert f"round {ROUND} was erased, and no record says so" in fault.detail
    _flip(path, "UPDATE round_key SET commitment = ?", b"\0" * 32)
    assert {(f.cause, "is gone" in f.detail) for f in verify(path).faults} == {(Cause.KEY, True)}


def erasing(through: int) -> Transaction:
    event = CardsErased(through, "retention", "sam", "supervisor")
    said = Draft(Stream.INPUT, event.kind, 1, "table", None, encode_input(Input(AT, "table", event)))
    return Transaction(
        Stamp(2, 2, "b", "synced"), said, None, (Draft(Stream.MAIN, event.kind, 1, "table", None, encode(event)),)
    )


def test_what_was_erased_nobody_can_read_and_the_record_still_proves(open_sealed, keys, tmp_path: Path) -> None:
    """Opened and shut alike, up to the order that was said; no byte of the keys is left in the file or in its log."""
    journal = open_sealed(keys)
    journal.append([told(), told("Qh Qs", taken=False)], NOW)
    journal.append([opening(journal)], NOW)
    through = journal.order
    journal.append([told("9c 9d", round_id="uth-017-8")], NOW)
    gone = [bytes(row[n]) for row in rows(journal) for n in (2, 3) if row[n] and row[0] == ROUND]
    assert len(gone) == 2
    assert all(key in on_disk(journal) for key in gone), "the search below would find them"
    journal.append([erasing(through)], NOW)
    assert not any(key in on_disk(journal) for key in gone)
    hand, refused, other = (r for r in journal.records([Stream.INPUT], {}) if r.kind == "record_hand")
    for erased in (hand, refused):
        with pytest.raises(StillSealed, match="was erased"):
            journal.clear(erased)
    assert b"9c 9d" in journal.clear(other).data
    assert verify(journal.path).ok
    journal.append([told("2s 2h")], NOW)
    assert b"2s 2h" in journal.clear(main_records(journal)[-1]).data, (
        "who tells a card of that round again gets a new key"
    )
    journal.close()
    assert verify(tmp_path / "journal.db").ok


def test_a_round_is_proved_by_the_public_record_once_it_was_let_out(open_sealed, keys, tmp_path: Path) -> None:
    """Each card with its salt and commitment; what was refused stays sealed, and a changed public part is found."""
    journal = open_sealed(keys)
    journal.append([told(), told("Qh Qs", taken=False)], NOW)

    def prove(*more: str) -> Result:
        return CliRunner().invoke(cli, ["journal", "prove", str(tmp_path / "journal.db"), "7", *more])

    shut = prove()
    assert shut.exit_code == 1
    assert "its round is not open yet" in shut.output
    assert "As Kd" not in shut.output
    assert "Qh Qs: as committed, and refused" in prove("--vault", str(tmp_path / "vault")).output
    journal.append([opening(journal)], NOW)
    page = prove()
    assert page.exit_code == 0, page.output
    assert "seat 1           As Kd 10h ?? 2s: as committed (told by ada, not signed yet)" in page.output
    assert "Qh" not in page.output
    (taken, refused) = json.loads(prove("--json").output)["hands"]
    assert [(h["state"], h["taken"]) for h in (taken, refused)] == [("proved", True), ("sealed", False)]
    for card in taken["cards"]:
        assert sha256(bytes.fromhex(card["salt"]) + card["card"].encode()).hexdigest() == card["commitment"]
    unknown = CliRunner().invoke(cli, ["journal", "prove", str(tmp_path / "journal.db"), "99"])
    assert unknown.exit_code == 1
    assert "no such round began in this record" in unknown.output


def test_a_fact_that_tells_other_cards_than_its_input_is_not_proved(open_sealed, keys, tmp_path: Path) -> None:
    """Both are as they were committed to, and yet somebody wrote them otherwise."""
    journal, right, wrong = open_sealed(keys), told(), told("2h 2d")
    journal.append([replace(right, facts=wrong.facts)], NOW)
    journal.append([opening(journal)], NOW)
    page = CliRunner().invoke(cli, ["journal", "prove", str(tmp_path / "journal.db"), ROUND])
    assert page.exit_code == 1
    assert "tells other cards" in page.output


TELLER = """
import itertools, sys
from pathlib import Path
from controller.journal.store import Journal
from controller.journal.vault.vault_keys import VaultKeys
from tests.controller.journal.vault.test_vault import NOW, opening, told

path = Path(sys.argv[1])
journal = Journal.open(path, site="lv01", table="uth-017", vault=VaultKeys.load(path.with_name("vault")))
for number in itertools.count(int(sys.argv[2])):
    name = f"uth-017-{number}"
    for seat in (1, 2):
        journal.append([told(f"{seat}h {number}", seat=seat, round_id=name)], NOW)
        print(number, flush=True)
    journal.append([opening(journal, name)], NOW)
    print(-number, flush=True)
"""


def test_a_killed_writer_leaves_each_hand_with_its_key_and_each_opening_with_its_key_open(
    keys, tmp_path: Path
) -> None:
    """SIGKILL at some moments: a body whose key is not there could never be read, an open key without a record was let out
    by nobody."""
    chance, path, number = random.Random(20260104), tmp_path / "journal.db", 1
    Journal.open(path, site=SITE, table=TABLE, vault=keys).close()
    for _ in range(6):
        command = [sys.executable, "-c", TELLER, str(path), str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            said = [child.stdout.readline() for _ in range(chance.randrange(1, 40))]
            child.send_signal(signal.SIGKILL)
            said += child.stdout.read().splitlines()
        told_through = max(abs(int(line)) for line in said)
        number = max(_assert_keys_whole(path, keys), told_through) + 1


def _assert_keys_whole(path: Path, keys: VaultKeys) -> int:
    """Every hand opens to what was told, and a round is open where the record says so and nowhere else. The newest round."""
    assert verify(path).ok
    with closing(sqlite3.connect(path)) as db:
        is_open = {name: opened is not None for name, opened in db.execute("SELECT round, opened FROM round_key")}
    journal = Journal.open_readonly(path)
    unsealer, said_open, newest = journal.view.unsealer(keys), set(), 0
    for record in main_records(journal):
        if record.kind == RoundOpened.kind:
            said_open.add(record.round_id)
            continue
        newest = max(newest, int(str(record.round_id).rpartition("-")[2]))
        body = msgspec.json.decode(unsealer.clear(record).data)
        assert body["cards"] == f"{body['seat']}h {newest}"
    journal.close()
    assert said_open == {name for name, it_is in is_open.items() if it_is}
    return newest
