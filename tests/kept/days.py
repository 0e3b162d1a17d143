"""Days that were decided once, as they are kept: the table, every input, and all that followed from it.

A file is JSON lines under gzip. The first line is the table; each other one is an input with what it led to: `facts`, the
commands that go out `at_once`, and, every `SHOWN_EVERY` inputs, what the table says of itself. Whoever changes the core
sees here what that changes, in words, and says whether it was meant.
"""

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict

from controller.config.model import Elections
from controller.daemon.views.offer_document import announced_document, offer_document
from controller.daemon.views.status import state_documents
from controller.games.settling.meters import MeterTerms
from controller.rules.elections import elect
from controller.rules.vocabulary import Method
from controller.table.decide import decided
from controller.table.questions.fail_safe import at_once, everything_safe
from controller.table.state.table import DeviceSetup, Setup, State
from controller.table.words.codec import builtins, decode_input, encode, encode_input, stream_of
from controller.table.words.inputs import Input, Moment
from drivers.events import DeviceKind
from tests.soak.tables import book

FOLDER = Path(__file__).with_name("days")
SHOWN_EVERY = 5
"""What the table says of itself is kept after one input in so many."""
SERIAL = 8
"""Number that commands on the short path are given here; in the daemon it only has to be a new one."""

Line = dict[str, Any]


def read(path: Path) -> tuple[Setup, list[Line]]:
    """The table of a file, and its lines."""
    first, *lines = gzip.decompress(path.read_bytes()).splitlines()
    return _setup(msgspec.json.decode(first)), [msgspec.json.decode(line) for line in lines]


def write(path: Path, setup: Setup, lines: Sequence[Line]) -> None:
    """The same bytes for the same day, so that a file changes only where what was decided does."""
    whole = b"\n".join(msgspec.json.encode(line) for line in (_table(setup), *lines))
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(whole, mtime=0))


def inputs_of(lines: Sequence[Line]) -> Iterator[Input]:
    """The inputs as the journal would give them back."""
    for line in lines:
        given = line["input"]
        yield decode_input(
            given["kind"], given["subject"], Moment(**given["at"]), msgspec.json.encode(given["data"])
        )


def decide_all(setup: Setup, inputs: Sequence[Input]) -> Iterator[Line]:
    """Each input with what follows from it, decided now."""
    state = State.initial(setup)
    for number, given in enumerate(inputs):
        line, state = decide_one(setup, state, number, given)
        yield line


def decide_one(setup: Setup, state: State, number: int, given: Input) -> tuple[Line, State]:
    """The input of this number with what follows from it in this state, and the state after it."""
    safe = at_once(state, given, SERIAL)
    draft = decided(setup, state, given)
    line: Line = {"input": _input(given), "facts": [_fact(fact) for fact in draft.facts]}
    if safe:
        line["at_once"] = [builtins(wanted) for wanted in safe]
    if number % SHOWN_EVERY == 0:
        line["shown"] = _shown(setup, draft.state)
    return msgspec.json.decode(msgspec.json.encode(line)), draft.state


def _shown(setup: Setup, state: State) -> Line:
    return {
        **state_documents(setup, state),
        "announce": announced_document(setup, state),
        "offer": offer_document(setup, state),
        "safe": [builtins(wanted) for wanted in everything_safe(state, SERIAL)],
    }


def _input(given: Input) -> Line:
    return {
        "at": asdict(given.at),
        "subject": given.subject,
        "kind": given.body.kind,
        "data": msgspec.Raw(encode_input(given)),
    }


def _fact(fact: Any) -> Line:
    return {
        "stream": stream_of(fact),
        "subject": fact.subject,
        "kind": fact.event.kind,
        "data": msgspec.Raw(encode(fact.event)),
    }


def _table(setup: Setup) -> Line:
    return {
        "rulebook": setup.law.rulebook.id,
        "elections": {q: [e.choice, e.by] for q, e in setup.law.elections.items()},
        "seats": setup.seats,
        "backs": setup.backs,
        "method": setup.method.value,
        "devices": {name: device.kind.value for name, device in setup.devices.items()},
        "offered": sorted(setup.offered),
        "progressive_cents": setup.progressive_cents,
        **({"meters": msgspec.to_builtins(setup.meters)} if setup.meters else {}),
    }


def _setup(table: Line) -> Setup:
    elections: Elections = {question: (choice, by) for question, (choice, by) in table["elections"].items()}
    return Setup(
        site="bench",
        table="example",
        seats=table["seats"],
        backs=tuple(table["backs"]),
        method=Method(table["method"]),
        devices={name: DeviceSetup(name, DeviceKind(kind)) for name, kind in table["devices"].items()},
        law=elect(book(table["rulebook"]), elections),
        offered=frozenset(table["offered"]),
        currency="USD",
        progressive_cents=table["progressive_cents"],
        meters=msgspec.convert(table.get("meters", {}), dict[str, MeterTerms]),
    )
