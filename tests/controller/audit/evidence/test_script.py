"""`docs/verify-record.sh` against whoever has everything but the key: what no signature names is never taken for proved."""

import random
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from controller.clock import Stamp
from controller.journal.chain import data_hash, header_bytes, record_hash
from controller.journal.opening import opened
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.export import export_lines
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal

SCRIPT = Path(__file__).resolve().parents[4] / "docs" / "verify-record.sh"
AT = Stamp(1, 1, "b", "synced")
INPUT, MAIN, DIAG = Stream.INPUT, Stream.MAIN, Stream.DIAG
Lines = list[list[str]]


def said(kind: str, stream: Stream, body: bytes = b'{"seat":1}') -> Transaction:
    given = Draft(INPUT, kind, 1, "table", None, b"{}")
    return Transaction(AT, given, None, (Draft(stream, kind, 1, "table", "r-1", body),))


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lines, Path]:
    """A record of three facts with a checkpoint after each, cut after the last one as an evidence file is; and the key."""
    folder = tmp_path_factory.mktemp("signed")
    make_key(folder / "key")
    key = SigningKey.load(folder / "key")
    journal = Journal.open(folder / "j", site="lv01", table="t1")
    for _ in range(3):
        journal.append([said("wager_placed", MAIN)], AT)
        heads, order = journal.last()
        text, signature = signed_statement(key, journal.id, "lv01", "t1", heads, order, AT)
        body = b'{"statement":%s,"signature":"%s"}' % (_quoted(text), signature.encode())
        journal.append([said("checkpoint_signed", DIAG, body)], AT)
    journal.close()
    with opened(folder / "j") as view:
        lines = [line.rstrip("\n").split("\t") for line in export_lines(view)]
    last = lines.pop()
    lines.pop()  # its input
    return [*lines, ["checkpoint", last[4]]], folder / "key.pub"


def _quoted(text: str) -> bytes:
    return b'"' + text.replace('"', '\\"').encode() + b'"'


def proved(folder: Path, lines: Sequence[Sequence[str]], key: Path) -> subprocess.CompletedProcess[str]:
    (folder / "r.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
    return subprocess.run(
        ["bash", SCRIPT, "--signed", folder / "r.tsv", key],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def forged(line: Sequence[str], after: str, sequence: int, order: int) -> list[str]:
    """A record as its journal would have made it, with a body of the forger's."""
    journal = line[2].split('"')[1]
    columns = ("wager_placed", 1, "table", "r-1", None, 1, 1, 1, "b", "synced")
    header = header_bytes(journal, "main", sequence, order, columns, None)
    salt, data = bytes(16), b'{"seat":2}'
    datahash = data_hash(salt, data)
    found = record_hash(bytes.fromhex(after), header, datahash)
    return ["main", str(sequence), header.decode(), salt.hex(), data.decode(), datahash.hex(), found.hex()]


def test_a_stretch_that_a_checkpoint_ends_is_proved(signed: tuple[Lines, Path], tmp_path: Path) -> None:
    """Every record of it is named by a signature."""
    done = proved(tmp_path, *signed)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.startswith("10 records, 0 faults, 3 checkpoints proved")


def _opening(lines: Lines, heads: dict[str, tuple[int, str]], order: int) -> Lines:
    return [[*lines[0][:-1], str(order)], *(["anchor", s, str(n), h] for s, (n, h) in heads.items())]


def _named(lines: Lines) -> dict[str, tuple[int, str]]:
    """The heads that the last checkpoint names."""
    last = {line[0]: (int(line[1]), line[6]) for line in lines if line[0] in ("input", "main", "diag")}
    return {stream: last[stream] for stream in ("input", "main", "diag")}


def _behind(lines: Lines) -> Lines:
    """A record after what was signed, and the genuine checkpoint behind it."""
    heads = _named(lines)
    forgery = forged(lines[4], heads["main"][1], heads["main"][0] + 1, 11)
    return [*_opening(lines, heads, 10), forgery, lines[-1]]


def _second_beginning(lines: Lines) -> Lines:
    """From nowhere, and then the heads of a checkpoint are put there as if the records had led to them."""
    heads = _named(lines)
    low = {**heads, "main": (1, "00" * 32)}
    return [
        *_opening(lines, low, 10),
        forged(lines[4], "00" * 32, 2, 11),
        *_opening(lines, heads, 11)[1:],
        lines[-1],
    ]


def _signed_before(lines: Lines) -> Lines:
    """After a genuine stretch, whose signatures reach further than where the forged one lies."""
    heads = {**_named(lines), "main": (1, "00" * 32)}
    return [*lines, *_opening(lines, heads, 3), forged(lines[4], "00" * 32, 2, 4), lines[-1]]


def _without_beginning(lines: Lines) -> Lines:
    return [lines[0], forged(lines[4], "", 1, 1), lines[-1]]


def _cut_at_the_beginning(lines: Lines) -> Lines:
    """Without its first two transactions; what each stream follows is as the record has it, and every hash is right."""
    heads = {line[0]: (int(line[1]), line[6]) for line in lines[4:8]}
    return [*_opening(lines, {stream: heads[stream] for stream in ("input", "main", "diag")}, 4), *lines[8:]]


def _no_records(lines: Lines) -> Lines:
    return [*_opening(lines, _named(lines), 10), lines[-1]]


@pytest.mark.parametrize(
    "forge",
    [_behind, _second_beginning, _signed_before, _without_beginning, _cut_at_the_beginning, _no_records],
    ids=lambda f: f.__name__,
)
def test_what_was_forged_without_the_key_is_found(
    signed: tuple[Lines, Path], tmp_path: Path, forge: Callable[[Lines], Lines]
) -> None:
    """However genuine signatures are laid around it."""
    done = proved(tmp_path, forge(signed[0]), signed[1])
    assert (done.returncode, "WRONG" in done.stdout) == (1, True), done.stdout + done.stderr


@pytest.mark.parametrize("place", [(0, 6), (1, 2), (4, 0), (4, 1), (4, 3), (4, 5), (4, 6), (1, 1), (1, 3)])
def test_a_file_of_a_stranger_runs_nothing(
    signed: tuple[Lines, Path], tmp_path: Path, place: tuple[int, int]
) -> None:
    """The shell computes with numbers of the file: a command in the place of one ends the proof and is not run."""
    lines = [list(line) for line in signed[0]]
    lines[place[0]][place[1]] = f"x[$(touch {tmp_path}/ran)]"
    done = proved(tmp_path, lines, signed[1])
    assert (done.returncode, "WRONG" in done.stdout) == (1, True), done.stdout + done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_flipped_byte_is_found(signed: tuple[Lines, Path], tmp_path: Path) -> None:
    """Twelve places by chance, over records, beginnings and signatures: no byte of it may be another one."""
    text = "".join("\t".join(line) + "\n" for line in signed[0]).encode()
    rng = random.Random(7)
    for place in rng.sample(range(len(text) - 1), 12):
        flipped = bytearray(text)
        flipped[place] ^= 1 << rng.randrange(7)
        (tmp_path / "f.tsv").write_bytes(flipped)
        done = subprocess.run(
            ["bash", SCRIPT, "--signed", tmp_path / "f.tsv", signed[1]], capture_output=True, check=False
        )
        assert done.returncode, f"byte {place}: {text[place - 20 : place]!r} {text[place : place + 1]!r}"
