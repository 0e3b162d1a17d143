"""Makes what the catalogue shows of the golden days, and all that is printed from the catalogue.

python -m tests.kept.catalogue             # after a change of events: seen.json, docs/schema/, docs/events.md
python -m tests.kept.catalogue --release   # with a release: its schemas become what later ones are compared with
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from controller.catalogue import seen as catalogue
from controller.catalogue.documents import text
from controller.catalogue.entries import STATES, entries, schemas, state_name
from controller.catalogue.seen import Released, Shown
from controller.clock import rfc3339
from controller.daemon.views.state_topics import parted
from controller.journal.record import Stream
from controller.journal.store import opened
from controller.journal.view import JournalView
from controller.publish.envelope import Wrapper, _device_class
from controller.publish.presence import Birth, Heartbeat, Lost, Offline
from controller.publish.topics import Topics
from controller.table.words.codec import version_of
from tests.kept.days import FOLDER, Line, read

ROOT = Path(__file__).parents[2]
JOURNAL = ROOT / f"tests/journals/{version('tablewarden')}/md-uth.journal.gz"
ARTICLE = re.compile(r"\d+(\.\d+)?|\([a-z]\)|[A-Z]-[\d.]+[A-Z]?")
"""The part of a clause's id that names its article."""
NO_STATES = ("announce", "offer", "safe")
"""Of what is kept beside the states of a golden day."""
LONGEST = 1500
"""Characters of an example; of those that are no longer, the one with the most keys is shown."""

Found = dict[str, list[tuple[str, str, dict[str, Any]]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--release", action="store_true", help="keep today's schemas as those of this release")
    if parser.parse_args().release:
        kept = Released(version("tablewarden"), {**catalogue.released().schemas, **schemas()})
        _write("released.json", msgspec.to_builtins(kept))
    _write("seen.json", {name: msgspec.to_builtins(shown) for name, shown in sorted(shown_of_all().items())})
    command = [sys.executable, "-m", "controller.cli", "schema", "--all", str(ROOT / "docs/schema")]
    subprocess.run(command, check=True, cwd=ROOT)


def _write(name: str, document: Any) -> None:
    (Path(catalogue.__file__).parent / name).write_text(text(document), "utf-8")


def shown_of_all() -> dict[str, Shown]:
    """What the golden days show of each type of today, and of each other message."""
    bodies: Found = defaultdict(list)
    states: Found = defaultdict(list)
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        setup, lines = read(path)
        for line in lines:
            for fact in line["facts"]:
                name = f"{fact['kind']}.v{version_of(fact['kind'])}"
                bodies[name].append((setup.law.rulebook.id, fact["subject"], fact["data"]))
            for thing, body in states_of(line, setup.seats):
                states[state_name(thing)].append((setup.law.rulebook.id, thing, body))
    with _journal() as view:
        journal = dict(_from_journal(view))
    for name, facts in journal.pop("facts").items():
        bodies[name] += facts
    found = {name: _shown(bodies[name]) for name in entries() if bodies[name]}
    found |= {name: Shown(_shortest(states[name])) for name in STATES}
    return found | {name: Shown(body) for name, body in journal.items()}


def states_of(line: Line, seats: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The states of a golden day's line, as they are published."""
    documents = {thing: body for thing, body in line.get("shown", {}).items() if thing not in NO_STATES}
    for thing, body in (parted(documents, seats) if documents else {}).items():
        if body is not None:
            yield thing, {**body, "sequence": 4711, "time": "2026-01-01T00:00:30.000000Z"}


def _journal() -> Any:
    path = Path(tempfile.mkdtemp()) / "kept.journal"
    path.write_bytes(gzip.decompress(JOURNAL.read_bytes()))
    return opened(path)


def _from_journal(view: JournalView) -> Iterator[tuple[str, Any]]:
    """The messages that a table with this record publishes; its facts, sealed ones among them."""
    facts: Found = defaultdict(list)
    records = [*view.read(Stream.MAIN, 0, 100_000), *view.read(Stream.DIAG, 0, 100_000)]
    for record in records:
        facts[f"{record.kind}.v{record.version}"].append(("md-uth", record.subject, json.loads(record.data)))
    yield "facts", facts
    wrapper = Wrapper(Topics("lv01", "lv01-bj-017"), view.description.id, input_body=view.input_body)
    checked = next(record for record in records if record.kind == "set_checked")
    yield "envelope", json.loads(wrapper.wrap(checked).payload)
    signed = json.loads(next(r.data for r in reversed(records) if r.kind == "checkpoint_signed"))
    heads = {"main": 9120, "diag": 311}
    about: dict[str, Any] = {"machine": "00c0ffee00c0ffee", "process": "0123456789abcdef"}
    birth = Birth(
        session=7, bootid=checked.boot, version="0.1.0", journal=view.description.id, heads=heads, oldest={"main": 1, "diag": 1},
        checkpoint=signed, created=rfc3339(view.description.created_us), **about,
    )  # fmt: skip
    yield "conn_online", _plain(birth)
    yield "conn_offline", _plain(Offline(session=7, reason="update", checkpoint=signed))
    yield "conn_lost", _plain(Lost(session=7, checkpoint=signed))
    time, parked = "2026-01-01T00:00:30.000000Z", {"main": [(4711, 4711)], "diag": []}
    beat = Heartbeat(time=time, session=7, journal=view.description.id, heads=heads, parked=parked)
    yield "heartbeat", _plain(beat)


def _plain(body: Any) -> dict[str, Any]:
    return dict(json.loads(msgspec.json.encode(body)))


def _shown(found: Iterable[tuple[str, str, dict[str, Any]]]) -> Shown:
    found = list(found)
    clauses: dict[str, set[str]] = defaultdict(set)
    for book, _, body in found:
        clauses[book] |= {article for cite in _cites(body) if (article := _article(cite))}
    cited = {book: tuple(sorted(clauses[book], key=_by_number)) for book in sorted(clauses) if clauses[book]}
    return Shown(
        _fullest([body for _, _, body in found]), tuple(sorted({_device_class(s) for _, s, _ in found})), cited
    )


def _by_number(article: str) -> tuple[float, str]:
    number = re.match(r"\d+(\.\d+)?", article)
    return (float(number.group()) if number else 0.0, article)


def _article(cite: str) -> str:
    found = ARTICLE.match(cite)
    return found.group() if found else ""


def _cites(body: Any) -> Iterator[str]:
    if isinstance(body, dict):
        for key, part in body.items():
            yield from part if key == "cite" and isinstance(part, list) else _cites(part)
    elif isinstance(body, list):
        for part in body:
            yield from _cites(part)


def _fullest(bodies: list[dict[str, Any]]) -> dict[str, Any]:
    """Of those that are not too long the one with the most that is not empty; of equals the shortest, the first by its text."""
    texts = {json.dumps(body, ensure_ascii=False): body for body in bodies}
    fit = [body for body in texts if len(body) <= LONGEST] or [min(texts, key=len)]
    return texts[min(fit, key=lambda body: (-sum(1 for part in texts[body].values() if part), len(body), body))]


def _shortest(found: list[tuple[str, str, dict[str, Any]]]) -> dict[str, Any]:
    """Of the states that have most of their keys filled the shortest."""
    most = max(sum(1 for part in body.values() if part) for _, _, body in found)
    full = [json.dumps(b) for _, _, b in found if sum(1 for part in b.values() if part) >= most - 1]
    return dict(json.loads(min(full, key=lambda body: (len(body), body))))


if __name__ == "__main__":
    main()
