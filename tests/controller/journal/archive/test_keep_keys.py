"""The keys of rounds in the second place: with the vault's key every card comes back without the table, without it none."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.clock import ManualClock, Stamp
from controller.journal.archive import medium
from controller.journal.archive.boundary import Boundary
from controller.journal.archive.keep import copy_segments, seal_days
from controller.journal.archive.keep_keys import copy_keys
from controller.journal.archive.medium import NotCopied
from controller.journal.archive.shelf import all_in, in_place
from controller.journal.errors import JournalDamaged
from controller.journal.opening import opened, opened_alone
from controller.journal.proof.verify_segments import verify_segment
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from controller.journal.vault.day_keys import key_file_of, key_text, read_keys
from controller.journal.vault.vault import StillSealed, is_sealed
from controller.journal.vault.vault_keys import VaultKeys, make_vault, renew_vault
from controller.rules.vocabulary import Area, Role
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import encode, encode_input
from controller.table.words.inputs import Actor, CardsErased, Input, Moment, RoundOpened
from tests.support.closed_days import close_day, mark

SITE, TABLE = "lv01", "uth-017"
AT, THEN = Moment(1, 1, "b"), Stamp(1, 1, "b", "synced")
NO_KEYS = "no keys of rounds lie beside its segment: they were never copied there, or all of that day were erased"
DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")


@pytest.fixture
def keys(tmp_path: Path) -> VaultKeys:
    return make_vault(tmp_path / "vault")


@pytest.fixture
def journal(tmp_path: Path, keys: VaultKeys) -> Iterator[Journal]:
    journal = Journal.open(tmp_path / "t.journal", site=SITE, table=TABLE, vault=keys)
    yield journal
    journal.close()


@pytest.fixture
def days(journal: Journal, clock: ManualClock) -> list[Boundary]:
    """Three closed days with two rounds each: a hand that was let out, one that was refused, and one told outside of rounds."""
    closed, begin = [], mark(journal)
    for n, day in enumerate(DAYS):
        for round_id in (f"uth-017-{2 * n + 1}", f"uth-017-{2 * n + 2}"):
            journal.append([hand(round_id, "As Kd"), hand(round_id, "Qh Qs", taken=False)], THEN)
            journal.append([opening(journal, round_id)], THEN)
        journal.append([hand(None, "9c 9d", taken=False)], THEN)
        closed.append(close_day(journal, day, begin, clock))
        begin = closed[-1].end
    return closed


@pytest.fixture
def place(tmp_path: Path, journal: Journal, days: list[Boundary]) -> Path:
    """A second place with the segments, and no keys yet."""
    (tmp_path / "medium").mkdir()
    seal_days(journal.path)
    assert len(list(copy_segments(journal.path, tmp_path / "medium"))) == len(days)
    return tmp_path / "medium"


@pytest.fixture
def folder(journal: Journal, place: Path) -> Path:
    return in_place(place, journal.description)


def hand(round_id: str | None, cards: str, *, taken: bool = True) -> Transaction:
    act = a.RecordHand(Area.DEALER, cards)
    said = encode_input(Input(AT, "table", act, None, Actor("ada", Role.DEALER)))
    fact = (
        f.HandRecorded(round_id or "", Area.DEALER, 0, cards, "", "", "ada")
        if taken
        else f.InputRefused(act.kind, "the hand is not turned up", "ada")
    )
    drafts = (Draft(Stream.MAIN, fact.kind, 1, "table", round_id, encode(fact)),)
    return Transaction(THEN, Draft(Stream.INPUT, act.kind, 1, "table", round_id, said), None, drafts)


def service(event: RoundOpened | CardsErased, round_id: str | None) -> Transaction:
    said = Draft(Stream.INPUT, event.kind, 1, "table", round_id, encode_input(Input(AT, "table", event)))
    return Transaction(THEN, said, None, (Draft(Stream.MAIN, event.kind, 1, "table", round_id, encode(event)),))


def opening(journal: Journal, round_id: str) -> Transaction:
    return service(RoundOpened(round_id, tuple(journal.shut()[round_id]), "the round is over"), round_id)


def erase(journal: Journal, through: int) -> None:
    journal.append([service(CardsErased(through, "retention", "sam", "supervisor"), None)], THEN)


def told(path: Path, keys: VaultKeys | None) -> list[bytes | str]:
    """Each body that was sealed as it was told, or why nobody can know it here."""
    out: list[bytes | str] = []
    with opened(path) as view:
        unsealer = view.unsealer(keys)
        for record in view.merged(Stream):
            if is_sealed(record):
                try:
                    out.append(unsealer.clear(record).data)
                except StillSealed as still:
                    out.append(still.reason)
    return out


def files(folder: Path) -> list[str]:
    return sorted(path.name[:10] for path in folder.glob("*.keys"))


def copied(journal: Journal, place: Path, keys: VaultKeys | None) -> list[str]:
    return [name[:10] for name in copy_keys(journal.path, place, keys)]


def test_every_card_comes_back_from_the_second_place_with_the_vault_alone(
    journal: Journal, place: Path, folder: Path, keys: VaultKeys, tmp_path: Path
) -> None:
    """What the rules let out, what was refused, and what was told outside of rounds; also after the vault has a new key."""
    everything = told(journal.path, keys)
    assert len(everything) == 21
    assert all(isinstance(body, bytes) for body in everything)
    assert set(told(folder, keys)) == {NO_KEYS}
    assert copied(journal, place, keys) == list(DAYS)
    renew_vault(tmp_path / "vault")
    journal.close()
    journal.path.unlink()
    assert told(folder, VaultKeys.load(tmp_path / "vault")) == everything
    one = all_in(folder)[1].path
    assert told(one, keys) == everything[7:14]


def test_whoever_takes_the_medium_has_no_card(
    journal: Journal, place: Path, folder: Path, keys: VaultKeys
) -> None:
    """Although the live file lets out most of these rounds: no key of a round stands in the file, nor opens it by itself."""
    list(copy_keys(journal.path, place, keys))
    with opened_alone(journal.path) as view:
        open_now = [row.opened for row in view.keys_made(1, journal.order) if row.opened]
    assert len(open_now) == 6
    text = b"".join(path.read_bytes() for path in folder.glob("*.keys"))
    assert not any(key in text or key.hex().encode() in text for key in open_now)
    assert set(told(folder, None)) == {
        "beside a segment every key lies under the vault's, and no vault key was given"
    }
    other = set(told(folder, VaultKeys([bytes(32)])))
    assert len(other) == 1
    assert "which is not in the vault's file" in str(other)


def test_what_is_there_is_left_alone_and_what_is_lost_is_made_again(
    journal: Journal, place: Path, folder: Path, keys: VaultKeys
) -> None:
    """A key that only the lost file's day had comes back with it; nothing of the others is touched."""
    list(copy_keys(journal.path, place, keys))
    assert copied(journal, place, keys) == []
    second = key_file_of(all_in(folder)[1].path)
    second.unlink()
    assert copied(journal, place, keys) == [DAYS[1]]
    assert files(folder) == list(DAYS)


def test_an_erasure_reaches_the_second_place(
    journal: Journal, days: list[Boundary], place: Path, folder: Path, keys: VaultKeys
) -> None:
    """A day that is over is taken away, one that is cut through is made anew; what they held is written over on the medium."""
    list(copy_keys(journal.path, place, keys))
    before = {path: os.open(path, os.O_RDONLY) for path in sorted(folder.glob("*.keys"))[:2]}
    with opened_alone(journal.path) as view:
        made = [row.made for row in view.keys_made(days[1].order_before + 1, days[1].order)]
    erase(journal, made[2])
    assert copied(journal, place, keys) == list(DAYS[:2])
    assert files(folder) == list(DAYS[1:])
    for descriptor in before.values():
        left = os.pread(descriptor, 1 << 20, 0)
        os.close(descriptor)
        assert left == bytes(len(left))
    texts = told(folder, keys)
    assert texts[:7] == [NO_KEYS] * 7
    assert ["was erased" in str(text) for text in texts[7:14]] == [True] * 5 + [False] * 2
    assert told(journal.path, keys)[7:] == texts[7:]
    assert copied(journal, place, keys) == []
    assert all(verify_segment(named.path).ok for named in all_in(folder))


@pytest.mark.parametrize("lost", ["rows", "keys"])
def test_keys_that_nobody_erased_on_record_are_not_taken_from_the_copy(
    lost: str, journal: Journal, place: Path, folder: Path, keys: VaultKeys, tamper: Callable[..., None]
) -> None:
    """Else a table that lost its keys, or whose file somebody changed, would take them from the only place that has them."""
    list(copy_keys(journal.path, place, keys))
    everything = told(folder, keys)
    journal.close()
    tamper(journal.path, {
        "rows": "DELETE FROM round_key", "keys": "UPDATE round_key SET wrapped = NULL, opened = NULL"}[lost])  # fmt: skip
    with pytest.raises(NotCopied, match="no record says that they were erased"):
        list(copy_keys(journal.path, place, keys))
    assert told(folder, keys) == everything


def test_every_flipped_byte_of_a_file_of_keys_is_found(
    journal: Journal, place: Path, folder: Path, keys: VaultKeys
) -> None:
    """By the proof of its segment, with no vault; and what then cannot be read is damage, never another card."""
    list(copy_keys(journal.path, place, keys))
    segment = all_in(folder)[0].path
    path = key_file_of(segment)
    whole = path.read_bytes()
    assert verify_segment(segment).ok
    for at in range(0, len(whole), 37):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        (fault,) = verify_segment(segment).faults
        assert str(fault).startswith("file: key")
    path.write_bytes(whole[:-200])
    with pytest.raises(JournalDamaged, match="take the file away"):
        told(segment, keys)


def test_a_key_that_is_not_in_the_file_is_named_and_a_file_of_another_day_is_none(
    journal: Journal, place: Path, folder: Path, keys: VaultKeys
) -> None:
    """A file without a line that was there when it was summed up; and the whole file of the next day."""
    list(copy_keys(journal.path, place, keys))
    first, second, _ = (named.path for named in all_in(folder))
    rows = list(read_keys(key_file_of(first), journal.id, first.name).rows.values())
    key_file_of(first).write_bytes(key_text(journal.id, first.name, rows[1:]))
    faults = [str(fault) for fault in verify_segment(first).faults]
    assert faults[0].startswith("input/1: key (the key ")
    assert "is not in the file of keys beside it" in faults[0]
    key_file_of(first).write_bytes(key_file_of(second).read_bytes())
    (fault,) = verify_segment(first).faults
    assert second.name in str(fault)


class Cut(BaseException):
    """The power goes."""


STEPS = ("open", "fsync", "rename", "unlink", "pwrite")


@pytest.mark.parametrize("at", range(1, 32, 2))
def test_a_power_cut_at_any_line_costs_only_time(
    at: int,
    journal: Journal,
    days: list[Boundary],
    place: Path,
    folder: Path,
    keys: VaultKeys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While keys are copied, and while an erasure goes there: what counts is whole, and the next time ends as ever."""
    list(copy_keys(journal.path, place, keys))
    key_file_of(all_in(folder)[2].path).unlink()
    with opened_alone(journal.path) as view:
        made = [row.made for row in view.keys_made(days[1].order_before + 1, days[1].order)]
    erase(journal, made[2])
    count = 0

    def counted(step: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*args: object, **more: object) -> object:
            nonlocal count
            count += 1
            if count == at:
                raise Cut
            return step(*args, **more)

        return wrapper

    with monkeypatch.context() as patch:
        for name in STEPS:
            patch.setattr(os, name, counted(getattr(os, name)))
        try:
            list(copy_keys(journal.path, place, keys))
            assert at > count
        except Cut:
            pass
    list(copy_keys(journal.path, place, keys))
    assert files(folder) == list(DAYS[1:])
    assert told(folder, keys)[7:] == told(journal.path, keys)[7:]
    assert all(verify_segment(named.path).ok for named in all_in(folder))


def test_a_medium_that_gives_other_bytes_back_is_said(
    journal: Journal, place: Path, folder: Path, keys: VaultKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing half gets a name that counts."""
    monkeypatch.setattr(medium, "write", lambda path, data: path.write_bytes(data[:-1] + b"?"))
    with pytest.raises(NotCopied, match="does not read back as it was written; the medium is failing, replace it"):
        list(copy_keys(journal.path, place, keys))
    assert files(folder) == []


def test_the_command_copies_keys_under_the_vault_only(
    journal: Journal, place: Path, folder: Path, keys: VaultKeys, tmp_path: Path
) -> None:
    """Without the vault it says what is missing and ends with a code; with it all is there."""
    run = CliRunner()
    arguments = ["journal", "keep", str(journal.path), "--copy", str(place)]
    done = run.invoke(cli, arguments)
    assert done.exit_code == 1
    assert "the keys of the rounds of 2026-01-01 are open and are copied under the vault's key only" in done.output
    done = run.invoke(cli, [*arguments, "--vault", str(tmp_path / "vault")])
    assert done.exit_code == 0, done.output
    assert "the keys of the rounds of 3 days are as they are here" in done.output
    proved = run.invoke(cli, ["journal", "prove", str(folder), "3", "--vault", str(tmp_path / "vault")])
    assert "Kd: as committed" in proved.output
    assert run.invoke(cli, ["journal", "prove", str(folder), "3"]).output.count("no vault key was given") == 2
