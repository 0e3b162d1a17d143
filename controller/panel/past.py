"""What the panel reads from the record and the configuration of one table. Blocking: it runs in a thread."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from controller.audit.evidence.build import evidence as built
from controller.audit.evidence.errors import EvidenceError
from controller.audit.lookback import Evidence, lookback
from controller.audit.past_rounds import laid_out, last_rounds, law_in_force
from controller.audit.replay import NotReplayable
from controller.audit.rounds_of_set import setup_in_force
from controller.clock import rfc3339
from controller.config.load import toml_of
from controller.config.model import ConfigInvalid
from controller.config.report import document, examine
from controller.journal.errors import JournalError
from controller.journal.opening import opened
from controller.journal.reading import Reading
from controller.panel.past_routes import NotRead
from controller.rules.pay import Odds
from controller.table.words.codec import UnknownKind

COVER_ALL = "cover_all"
Asked = dict[str, str]
T = TypeVar("T")


def rounds(config: Path, asked: Asked) -> bytes:
    """Returns the last rounds; `set`, `seat`, `device` leave only some."""
    seat = asked.get("seat", "")
    number = int(seat) if seat.isascii() and seat.isdecimal() and len(seat) < 3 else 0
    back, device = asked.get("set", ""), asked.get("device", "")
    return msgspec.json.encode(
        _reading(config, lambda view: last_rounds(view, back=back, seat=number, device=device))
    )


def round_(config: Path, asked: Asked) -> bytes:
    """Returns one round, laid out."""
    return msgspec.json.encode(_reading(config, lambda view: laid_out(view, asked.get("round", ""))))


def set_(config: Path, asked: Asked) -> bytes:
    """Returns the rounds that were dealt from a set since it was last found to be right."""
    found = _reading(config, lambda view: lookback(view, asked.get("set", ""), Evidence.COUNT, ()))
    since = found.since and {"kind": found.since.kind, "time": rfc3339(found.since.time_us)}
    dealt = [{"round": r.id, "number": r.number, "void": r.void, "seats": len(r.seats)} for r in found.rounds]
    return msgspec.json.encode({"set": found.back, "since": since, "rounds": dealt})


def law(config: Path, asked: Asked) -> bytes:
    """Returns the readings and house choices in force."""
    return msgspec.json.encode(_reading(config, law_in_force))


def payouts(config: Path, asked: Asked) -> bytes:
    """Returns what Cover All pays, by the number of hands in play: each hand's name and odds."""
    tables = _reading(config, lambda view: setup_in_force(view).law.rulebook.pay).values()
    found = {
        str(t.hands): [
            [hand.value, str(pays.value)] for hand, pays in t.rows.items() if isinstance(pays.value, Odds)
        ]
        for t in tables
        if t.wager == COVER_ALL and t.hands
    }
    return msgspec.json.encode(found)


def evidence(config: Path, asked: Asked) -> bytes:
    """Returns the evidence file of a round. The panel has no key, so the page in it is not signed; the records are."""
    return _reading(config, lambda view: built(view, asked.get("round", "")).data)


def check(config: Path, asked: Asked) -> bytes:
    """Returns what `tablewarden check` says of the configuration, without files that only the daemon may read."""
    return msgspec.json.encode(document(examine(config, alone=True)))


def _reading(config: Path, read: Callable[[Reading], T]) -> T:
    """Returns what is found in the record of this table. Raises `NotRead`."""
    try:
        with opened(_record(config)) as view:
            return read(view)
    except (ConfigInvalid, JournalError, NotReplayable, EvidenceError, UnknownKind) as exc:
        raise NotRead(str(exc)) from exc
    except OSError as exc:
        raise NotRead(f"{exc.filename or config}: {exc.strerror}; let the login of the panel read it") from exc


def _record(config: Path) -> Path:
    """Returns the record that a configuration names, whatever else is wrong with it. Raises `ConfigInvalid`, `NotRead`."""
    journal = toml_of(config)[0].get("journal", {})
    named = journal.get("path") if isinstance(journal, dict) else None
    if not isinstance(named, str):
        raise NotRead(f"{config}: [journal] path names no record")
    return config.absolute().parent / named
