"""From a rulebook file to a `Rulebook`, strictly: all faults of a file are found and raised together.

A value without a citation, a clause that the document does not have, a word outside the vocabulary, a trigger that
some state of the table leaves without an answer or with two: each refuses the file here, so none is met at the table.
The format is told in docs/rulebooks.md.
"""

import hashlib
import tomllib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from controller.rules.checks import Parts, check_parts
from controller.rules.model import (
    ByReading,
    Choice,
    Cited,
    Condition,
    Dealing,
    DeckChangeRule,
    DeckRule,
    Demand,
    HandRule,
    ProgressiveRule,
    Reading,
    Row,
    Rulebook,
    Stack,
    StubRule,
    WagerRule,
)
from controller.rules.reader import FILE, Scope, Table
from controller.rules.vocabulary import Action, Area, Guard, Method, Role, Trigger

SECOND_SET = ("no", "with_shuffler")
SWAP_AFTER = ("round", "shoe")
WAIVED_BY = ("shuffler_counts_each_shuffle", "none")
LOCK_AT = ("no_more_bets",)
PLACED = ("before_deal", "decision")

K = TypeVar("K", bound=str)
T = TypeVar("T")


class RulebookInvalid(Exception):
    """A rulebook file is refused. `faults`: every fault, each with its place in the file."""

    def __init__(self, path: Path, faults: Collection[str]) -> None:
        super().__init__(f"{path}: refused for {len(faults)} fault(s)\n" + "\n".join(f"  {f}" for f in faults))
        self.path, self.faults = path, tuple(faults)


def load_rulebook(path: Path) -> Rulebook:
    """The rulebook in the file `<id>.toml` or `<id>@<edition>.toml`; its clause ids lie beside it in `clauses/`.

    Raises `RulebookInvalid` with all faults; `FileNotFoundError` if there is no such file.
    """
    data = path.read_bytes()
    clause_file = path.parent / "clauses" / f"{path.stem.partition('@')[0]}.txt"
    try:
        clauses = frozenset(clause_file.read_text(encoding="utf-8").split("\n")) - {""}
    except FileNotFoundError:
        raise RulebookInvalid(path, [f"{FILE}: its clause ids {clause_file} are missing"]) from None
    return parse_rulebook(data, clauses, path)


def parse_rulebook(data: bytes, clauses: frozenset[str], path: Path) -> Rulebook:
    """The rulebook in these bytes of `path`, checked against the clause ids of its document.

    Raises `RulebookInvalid` with all faults.
    """
    try:
        raw = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise RulebookInvalid(path, [f"{FILE}: no TOML: {exc}"]) from exc
    scope = Scope(clauses)
    book = _Book(Table(raw, FILE, scope), path.stem).read(hashlib.sha256(data).hexdigest())
    if scope.faults or book is None:
        raise RulebookInvalid(path, scope.faults)
    return book


class _Book:
    """The tables of one file, read in turn. A part that cannot be read is None; its faults stand in the scope."""

    def __init__(self, root: Table, stem: str) -> None:
        self.root, self.stem = root, stem

    def read(self, sha256: str) -> Rulebook | None:
        """None only where some part could not be read; the faults say which."""
        names = self._names()
        decks, stub, hand, seats = self._decks(), self._stub(), self._hand(), self._seats()
        progressive, deck_change = self._progressive(), self._deck_change()
        parts = self._parts()
        act_roles = dict(self._roles("act_roles"))
        self.root.close()
        check_parts(parts, self.root.scope)
        if names is None or decks is None or stub is None or hand is None or progressive is None or seats is None:
            return None
        book_id, game, regulator, edition = names
        return Rulebook(
            id=book_id,
            game=game,
            regulator=regulator,
            edition=edition,
            sha256=sha256,
            decks=decks,
            stub=stub,
            hand=hand,
            seats=seats,
            dealing=parts.dealing,
            wagers=parts.wagers,
            progressive=progressive,
            deck_change=deck_change,
            duty_roles=parts.duty_roles,
            act_roles=act_roles,
            rows=parts.rows,
            readings=parts.readings,
            clauses=self.root.scope.clauses,
        )

    def _parts(self) -> Parts:
        """What refers to each other, and is checked as a whole even where another part could not be read."""
        return Parts(
            dealing=self._by_key("dealing", "method", _dealing, lambda dealing: dealing.method),
            wagers=self._by_key("wager", "name", _wager, lambda wager: wager.name),
            duty_roles={a: r for name, r in self._roles("duty_roles") if (a := self._action(name)) is not None},
            rows=self._rows(),
            readings=self._by_key("reading", "id", _reading, lambda reading: reading.id),
        )

    def _by_key(
        self, section: str, label: str, read: Callable[[Table], T | None], key_of: Callable[[T], K]
    ) -> dict[K, T]:
        """The entries of an array of tables by their key; a key that stands twice is a fault."""
        found: dict[K, T] = {}
        for table in self.root.tables(section, label):
            entry = read(table)
            if entry is None:
                continue
            key = key_of(entry)
            if key in found:
                table.fault(f"{label} {str(key)!r} stands twice")
            found[key] = entry
        return found

    def _names(self) -> tuple[str, str, str, str] | None:
        if (table := self.root.table("rulebook")) is None:
            return None
        book_id, game, regulator = table.text("id"), table.text("game"), table.text("regulator")
        edition = table.text("edition")
        table.close()
        if book_id is None or game is None or regulator is None or edition is None:
            return None
        if self.stem.partition("@")[0] != book_id:
            table.fault(f"id {book_id!r} does not fit the file's name {self.stem!r}")
        return book_id, game, regulator, edition

    def _decks(self) -> DeckRule | None:
        if (table := self.root.table("decks")) is None:
            return None
        per_set, full = table.cited("per_set", Table.positive), table.cited("full", Table.positive)
        cover_cards = table.cited("cover_cards", Table.positive)
        second_set = table.cited("second_set", lambda t, key: t.one_of(key, SECOND_SET))
        swap_after = table.cited("swap_after", lambda t, key: t.one_of(key, SWAP_AFTER))
        sets_in_rack = table.cited("sets_in_rack", Table.positive)
        table.close()
        if per_set is None or full is None or cover_cards is None:
            return None
        if second_set is None or swap_after is None or sets_in_rack is None:
            return None
        return DeckRule(per_set, full, cover_cards, second_set, swap_after, sets_in_rack)

    def _stub(self) -> StubRule | None:
        if (table := self.root.table("stub_count")) is None:
            return None
        every_rounds = table.cited("every_rounds", Table.positive)
        waived_by = table.cited("waived_by", lambda t, key: t.one_of(key, WAIVED_BY))
        table.close()
        if every_rounds is None or waived_by is None:
            return None
        return StubRule(every_rounds, None if waived_by.value == "none" else waived_by)

    def _hand(self) -> HandRule | None:
        if (table := self.root.table("hand")) is None:
            return None
        player, dealer = table.cited("player", Table.positive), table.cited("dealer", Table.positive)
        community = table.cited("community", Table.positive)
        table.close()
        if player is None or dealer is None or community is None:
            return None
        return HandRule(player, dealer, community)

    def _seats(self) -> Cited[int] | None:
        if (table := self.root.table("table")) is None:
            return None
        seats = table.cited("seats", Table.positive)
        table.close()
        return seats

    def _progressive(self) -> ProgressiveRule | None:
        if (table := self.root.table("progressive")) is None:
            return None
        lock_at = table.cited("lock_at", lambda t, key: t.one_of(key, LOCK_AT))
        verify_count = table.cited("verify_count", Table.flag)
        table.close()
        if lock_at is None or verify_count is None:
            return None
        return ProgressiveRule(lock_at, verify_count)

    def _deck_change(self) -> DeckChangeRule:
        """Empty where the document has no interval: the table itself must still stand in the file."""
        interval_s: dict[Method, Cited[int]] = {}
        if (table := self.root.table("deck_change")) is not None:
            for key in table:
                method, interval = table.to_word(key, Method, "method"), table.cited(key, Table.seconds)
                if method is not None and interval is not None:
                    interval_s[method] = interval
        return DeckChangeRule(interval_s)

    def _roles(self, section: str) -> list[tuple[str, Cited[Role]]]:
        if (table := self.root.table(section)) is None:
            return []
        read = [(key, table.cited(key, lambda t, value: t.word(value, Role))) for key in table]
        return [(key, role) for key, role in read if role is not None]

    def _action(self, name: str) -> Action | None:
        return Table({}, "[duty_roles]", self.root.scope).to_word(name, Action, "action")

    def _rows(self) -> dict[Trigger, tuple[Row, ...]]:
        rows: dict[Trigger, tuple[Row, ...]] = {}
        for kind in ("outcome", "silent"):
            for table in self.root.tables(kind, "trigger"):
                row = _row(table, silent=kind == "silent")
                if row is not None:
                    self.root.scope.place(row, table.where)
                    rows[row.trigger] = (*rows.get(row.trigger, ()), row)
        return rows


def _dealing(table: Table) -> Dealing | None:
    method, cite = table.word("method", Method), table.cite()
    burns, after = table.cited("burns", Table.whole), table.cited("community_after", Table.flag)
    needs_shuffler = table.cited("needs_shuffler", Table.flag, optional=True)
    stacks = tuple(stack for inner in table.tables("stacks") if (stack := _stack(inner)))
    table.close()
    if method is None or burns is None or after is None:
        return None
    return Dealing(method, cite, stacks, burns, after.value, needs_shuffler)


def _stack(table: Table) -> Stack | None:
    to, cards, cite = table.word("to", Area), table.positive("cards"), table.cite()
    only_if, reading = table.text("only_if", optional=True), table.reading()
    table.close()
    return None if to is None or cards is None else Stack(to, cards, cite, only_if, reading)


def _wager(table: Table) -> WagerRule | None:
    name, placed, cite = table.text("name"), table.one_of("placed", PLACED), table.cite()
    optional, requires = table.cited("optional", Table.flag), table.cited("requires", Table.texts)
    sensed = table.cited("sensed", Table.flag, optional=True)
    exact_cents = table.cited("exact_cents", Table.positive, optional=True)
    table.close()
    if name is None or placed is None or optional is None or requires is None:
        return None
    is_sensed = sensed is not None and sensed.value
    return WagerRule(name, placed, requires, cite, optional.value, is_sensed, exact_cents)


def _reading(table: Table) -> Reading | None:
    reading_id, problem, cautious = table.text("id"), table.text("problem"), table.text("cautious")
    clauses, moves = table.cite("clauses"), table.flag("moves")
    governs = table.word("governs", Trigger, optional=True)
    choices = []
    for inner in table.tables("choices"):
        choice, says = inner.text("id"), inner.text("says")
        inner.close()
        if choice is not None and says is not None:
            choices.append(Choice(choice, says))
    table.close()
    if reading_id is None or problem is None or cautious is None or moves is None:
        return None
    return Reading(reading_id, clauses, problem, tuple(choices), cautious, moves, governs)


def _row(table: Table, *, silent: bool) -> Row | None:
    """An [[outcome]] has `cite` and its own demands; a [[silent]] has `looked_in` and acts by readings alone."""
    trigger, says = table.word("trigger", Trigger), table.text("says")
    words = table.texts("when", optional=True)
    when = tuple(condition for word in words if (condition := _condition(table, word)))
    if trigger is not None and len(when) < len(words):
        table.scope.half_read.add(trigger)
    cite = table.cite("looked_in" if silent else "cite")
    notwithstanding: tuple[str, ...] = ()
    do: tuple[Demand, ...] = ()
    if not silent:
        notwithstanding = table.texts("notwithstanding", optional=True)
        table.scope.check_cite(table.where, notwithstanding)
        do = tuple(demand for inner in table.tables("do", optional=True) if (demand := _demand(inner)))
    steps = table.tables("by_reading", optional=not silent)
    by_reading = tuple(step for inner in steps if (step := _by_reading(inner)))
    if not do and not by_reading:
        table.fault("demands nothing: an answer has `do`, `by_reading`, or both")
    table.close()
    return (
        None if trigger is None else Row(trigger, when, cite, do, by_reading, notwithstanding, silent, says or "")
    )


def _condition(table: Table, word: str) -> Condition | None:
    guard = table.to_word(word.removeprefix("not_"), Guard, "guard")
    return None if guard is None else Condition(guard, holds=not word.startswith("not_"))


def _demand(table: Table) -> Demand | None:
    action, cite = table.word("action", Action), table.cite()
    table.close()
    return None if action is None else Demand(action, cite)


def _by_reading(table: Table) -> ByReading | None:
    reading, choice, given = table.text("reading"), table.text("choice"), table.pairs("given")
    do = tuple(action for word in table.texts("do") if (action := table.to_word(word, Action, "action")))
    table.close()
    return None if reading is None or choice is None else ByReading(reading, choice, do, given)
