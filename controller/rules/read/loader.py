"""From a rulebook file to a `Rulebook`, strictly: all faults of a file are found and raised together.

A value without a citation, a clause that the document does not have, a word outside the vocabulary, a trigger that
some state of the table leaves without an answer or with two: each refuses the file here, so none is met at the table.
docs/rulebooks.md describes the format.
"""

import errno
import hashlib
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from controller.readers.fault import Fault, listed
from controller.readers.toml import MARK, TomlInvalid, parse_toml
from controller.rules.applies import check_conditions, conditions
from controller.rules.citation import Cited
from controller.rules.model import Row, Rulebook
from controller.rules.named_wagers import ABOUT_ONE, word_of
from controller.rules.parts import (
    CutRule,
    DeckRule,
    DiscardRule,
    HandRule,
    IdleRule,
    LaidAway,
    OpeningRule,
    ProgressiveRule,
    SeatRule,
    StubRule,
)
from controller.rules.read import pay_tables, rows, sections
from controller.rules.read.checks import Parts, check_parts, check_qualifier
from controller.rules.read.ranking import ranking
from controller.rules.read.reader import LawScope, RuleTable, record
from controller.rules.vocabulary import Role, Trigger

ANSWERS = {"outcome": rows.read_outcome, "silent": rows.read_silent, "absent": rows.read_absent}

MOST_BYTES = 1 << 20
"""Of any file that is read whole here: the longest rulebook has a tenth of it."""

K = TypeVar("K", bound=str)
T = TypeVar("T")


class RulebookInvalid(Exception):
    """A rulebook file is refused. `faults`: every fault, each with its place in the file."""

    def __init__(self, path: Path, faults: Collection[Fault]) -> None:
        super().__init__(f"{path}: refused for {len(faults)} fault(s)\n" + listed(faults))
        self.path, self.faults = path, tuple(faults)


class ClausesUnusable(Exception):
    """The list of a document's clause ids cannot be used; the text names it and says why."""


def load_rulebook(path: Path) -> Rulebook:
    """The rulebook in the file `<id>.toml` or `<id>@<edition>.toml`; its clause ids lie beside it in `clauses/`.

    Raises `RulebookInvalid` with all faults, also where a file cannot be read; `FileNotFoundError` if there is no such file.
    """
    try:
        data = whole(path)
    except FileNotFoundError:
        raise
    except OSError as exc:
        raise RulebookInvalid(path, [Fault("file", f"cannot be read: {exc.strerror}", "not_readable")]) from exc
    try:
        clauses = clause_ids(path.parent / "clauses" / f"{path.stem.partition('@')[0]}.txt")
    except ClausesUnusable as exc:
        raise RulebookInvalid(path, [Fault("file", str(exc), "not_readable")]) from exc
    return parse_rulebook(data, frozenset(clauses), path)


def clause_ids(path: Path) -> list[str]:
    """The ids of a document's clauses, in its order. Raises `ClausesUnusable`."""
    try:
        data = whole(path)
        return data.removeprefix(MARK).decode().split()
    except FileNotFoundError:
        raise ClausesUnusable(f"its clause ids {path} are missing") from None
    except OSError as exc:
        raise ClausesUnusable(f"its clause ids {path} cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise ClausesUnusable(f"its clause ids {path}: byte {exc.start + 1} is no UTF-8") from exc


def whole(path: Path) -> bytes:
    """All bytes of a file that people write. Raises `OSError`, also for one of more than `MOST_BYTES`, or without end."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"has more than {MOST_BYTES} bytes", str(path))
    return data


# A record is looked through with the rulebook of each of its starts, which is nearly always the same one.
@lru_cache(maxsize=8)
def parse_rulebook(data: bytes, clauses: frozenset[str], path: Path) -> Rulebook:
    """The rulebook in these bytes of `path`, checked against the clause ids of its document.

    Raises `RulebookInvalid` with all faults.
    """
    try:
        raw = parse_toml(data)
    except TomlInvalid as exc:
        raise RulebookInvalid(path, [Fault("file", f"no TOML: {exc}", "not_toml", exc.line)]) from exc
    scope = LawScope(clauses, data)
    book = _Book(RuleTable(raw, "", scope), path.stem).read(hashlib.sha256(data).hexdigest())
    if scope.faults or book is None:
        raise RulebookInvalid(path, scope.faults)
    return book


class _Book:
    """The tables of one file, read in turn. A part that cannot be read is None; its faults stand in the scope."""

    def __init__(self, root: RuleTable, stem: str) -> None:
        self.root, self.stem = root, stem

    def read(self, sha256: str) -> Rulebook | None:
        """None only where some part could not be read; the faults say which."""
        root = self.root
        names = self._names()
        part = root.part
        decks, hand, seats = (
            record(part("decks"), DeckRule),
            record(part("hand"), HandRule),
            record(part("table"), SeatRule),
        )
        opening, idle, cut = (
            record(part("opening"), OpeningRule),
            record(part("idle"), IdleRule),
            record(part("cut"), CutRule),
        )
        discards, stub = record(part("discards"), DiscardRule), record(part("stub_count", optional=True), StubRule)
        progressive = record(part("progressive", optional=True), ProgressiveRule)
        play, shuffle = sections.play(root), sections.shuffle(root)
        deck_change, devices = sections.deck_change(root), sections.devices(root)
        (settlement, settling), laid_away = sections.settlement(root), self._laid_away()
        ranks = ranking(root)
        parts = self._parts()
        act_roles = self._roles("act_roles")
        act_order = sections.act_order(root)
        applies = conditions(root)
        root.close()
        check_parts(parts, root.scope)
        asked = {q.id: tuple(choice.id for choice in q.choices) for q in parts.questions}
        check_conditions(applies, asked, parts.wagers, root)
        if play is not None:
            check_qualifier(play, settlement, parts.wagers, root.scope)
        if names is None or decks is None or hand is None or seats is None or play is None:
            return None
        if ranks is None or opening is None or idle is None or shuffle is None or cut is None or discards is None:
            return None
        book_id, game, plays, regulator, edition = names
        return Rulebook(
            id=book_id, game=game, plays=plays, regulator=regulator, edition=edition, sha256=sha256,
            decks=decks, opening=opening, shuffle=shuffle, cut=cut, idle=idle, stub=stub, discards=discards,
            hand=hand, ranking=ranks, seats=seats.seats, positions=seats.positions, adjacent=seats.adjacent,
            not_kept=seats.not_kept,
            play=play, devices=devices, settlement=settlement, settling=settling, laid_away=laid_away,
            pay=parts.pay, limits=parts.limits,
            dealing=parts.dealing, wagers=parts.wagers, progressive=progressive, deck_change=deck_change,
            duty_roles=parts.duty_roles, act_roles=act_roles, act_order=act_order, rows=parts.rows, readings=parts.readings,
            choices=parts.choices, clauses=root.scope.clauses, applies=applies,
        )  # fmt: skip

    def _parts(self) -> Parts:
        """What refers to each other, and is checked as a whole even where another part could not be read."""
        return Parts(
            dealing=self._by_key("dealing", "method", sections.dealing, lambda dealing: dealing.method),
            wagers=self._by_key("wager", "name", sections.wager, lambda wager: wager.name),
            duty_roles=dict(self._duty_roles()),
            rows=self._rows(),
            readings=self._by_key("reading", "id", rows.read_reading, lambda reading: reading.id),
            choices=self._by_key("choice", "id", rows.read_house_choice, lambda choice: choice.id, optional=True),
            pay=self._by_key("paytable", "table", pay_tables.pay_table, lambda table: table.name, optional=True),
            limits=self._by_key("limit", "name", pay_tables.pay_limit, lambda limit: limit.name, optional=True),
        )

    def _by_key(
        self,
        section: str,
        label: str,
        read: Callable[[RuleTable], T | None],
        key_of: Callable[[T], K],
        *,
        optional: bool = False,
    ) -> dict[K, T]:
        """The entries of an array of tables by their key; a key that stands twice is a fault."""
        found: dict[K, T] = {}
        for table in self.root.tables(section, label, optional=optional):
            entry = read(table)
            if entry is None:
                continue
            key = key_of(entry)
            if key in found:
                table.fault(label, f"{str(key)!r} is there twice", "named_twice")
            found[key] = entry
        return found

    def _laid_away(self) -> tuple[LaidAway, ...]:
        tables = self.root.tables("laid_away", "after", optional=True)
        return tuple(rule for table in tables if (rule := sections.laid_away(table)) is not None)

    def _names(self) -> tuple[str, str, str, str, str] | None:
        if (table := self.root.part("rulebook")) is None:
            return None
        book_id, game, regulator = table.text("id"), table.text("game"), table.text("regulator")
        plays, edition = table.text("plays"), table.text("edition")
        table.close()
        if book_id and self.stem.partition("@")[0] != book_id:
            table.fault("id", f"{book_id!r} does not fit the file's name {self.stem!r}", "id_unfit")
        return book_id, game, plays, regulator, edition

    def _roles(self, section: str) -> dict[str, Cited[Role]]:
        if (table := self.root.part(section)) is None:
            return {}
        return {key: role for key in table if (role := _role(table, key)) is not None}

    def _duty_roles(self) -> Iterator[tuple[str, Cited[Role]]]:
        """Who confirms a demand, by its word; of an action about one wager by the name of that wager (`return.ante`)."""
        if (table := self.root.part("duty_roles")) is None:
            return
        for key in table:
            if key in ABOUT_ONE:
                inner = table.part(key)
                found = [(word_of(key, wager), _role(inner, wager)) for wager in inner] if inner else []
            else:
                named = rows.deed(table, key, key)
                found = [(word_of(*named), _role(table, key))] if named else []
            yield from ((word, role) for word, role in found if role is not None)

    def _rows(self) -> dict[Trigger, tuple[Row, ...]]:
        found: dict[Trigger, tuple[Row, ...]] = {}
        for kind, read in ANSWERS.items():
            for table in self.root.tables(kind, "trigger", optional=kind == "absent"):
                row = read(table)
                if row is not None:
                    self.root.scope.place(row, table.where)
                    found[row.trigger] = (*found.get(row.trigger, ()), row)
        return found


def _role(table: RuleTable, key: str) -> Cited[Role] | None:
    return table.cited(key, lambda inner, value: inner.word(value, Role))
