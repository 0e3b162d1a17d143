"""Events as a table publishes them, taken from its record without a broker: days that the core played, signed and chained."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from msgspec import json

from controller.clock import Stamp
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal, opened
from controller.publish.envelope import Wrapper
from controller.publish.topics import Topics
from controller.table.words.codec import encode, encode_input, version_of
from controller.table.words.inputs import CheckpointSigned, Input, Moment
from tests.kept.days import FOLDER, Line, read  # type: ignore[attr-defined]  # the folder days/ has the name of the module

SITE = "lv01"


def published(path: Path, site: str, table: str) -> Iterator[bytes]:
    """Each event of a record, in the order in which the table decided it."""
    with opened(path) as view:
        about = view.description
        wrap = Wrapper(Topics(site, table), about.id, input_body=view.input_body).wrap
        for record in view.merged((Stream.MAIN, Stream.DIAG)):
            yield wrap(record).payload


def kept_day(name: str, folder: Path, table: str, most: int | None = None) -> tuple[Path, Path]:
    """Writes a golden day, or its first inputs, into a record that is signed now and then; returns the paths of the record and
    of the public key."""
    lines = read(FOLDER / f"{name}.jsonl.gz")[1][:most]
    path, key = folder / f"{table}.journal", folder / f"{table}.key"
    make_key(key)
    signer = SigningKey.load(key)
    with closing(Journal.open(path, site=SITE, table=table)) as journal:
        round_: str | None = None
        for number, line in enumerate(lines, 1):
            told, round_ = _transaction(line, round_)
            journal.append([told], _at(line))
            if number % 40 == 0 or number == len(lines):
                _sign(journal, signer, table, _at(line))
    return path, key.with_name(key.name + ".pub")


def _at(line: Line) -> Stamp:
    at = line["input"]["at"]
    return Stamp(at["wall_us"], at["mono_ns"], at["boot"], at["clock"])


def _transaction(line: Line, round_: str | None) -> tuple[Transaction, str | None]:
    """Returns an input with its facts, and the round that it leaves: as the daemon stamps them."""
    given, drafts = line["input"], []
    for fact in line["facts"]:
        round_ = fact["data"].get("round") or round_
        drafts.append(
            Draft(
                Stream(fact["stream"]),
                fact["kind"],
                version_of(fact["kind"]),
                fact["subject"],
                round_,
                json.encode(fact["data"]),
            )
        )
        round_ = None if fact["kind"] == "round_ended" else round_
    said = Draft(
        Stream.INPUT, given["kind"], version_of(given["kind"]), given["subject"], None, json.encode(given["data"])
    )
    return Transaction(_at(line), said, None, tuple(drafts)), round_


def _sign(journal: Journal, signer: SigningKey, table: str, at: Stamp) -> None:
    heads, order = journal.last()
    body = CheckpointSigned(*signed_statement(signer, journal.id, SITE, table, heads, order, at))
    told = encode_input(Input(Moment(at.wall_us, at.mono_ns, at.boot, at.clock), "table", body))
    journal.append(
        [
            Transaction(
                at,
                Draft(Stream.INPUT, body.kind, 1, "table", None, told),
                None,
                (Draft(Stream.DIAG, body.kind, 1, "table", None, encode(body)),),
            )
        ],
        at,
    )


def kept_days(names: Iterable[str], folder: Path, most: int | None = None) -> list[bytes]:
    """The events of golden days, one table each; the public keys lie in `folder`/keys as `backoffice verify` takes them."""
    told: list[bytes] = []
    (folder / "keys").mkdir()
    for number, name in enumerate(names, 1):
        table = f"t-{number}"
        path, public = kept_day(name, folder, table, most)
        public.rename(folder / "keys" / f"{SITE}_{table}.pub")
        told += published(path, SITE, table)
    return told
