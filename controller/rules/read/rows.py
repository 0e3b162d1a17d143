"""Reads what decides: the answers to triggers, the readings, and what the text leaves to the licensee."""

from dataclasses import replace

from controller.rules.model import ByReading, Choice, Condition, Demand, HouseChoice, Reading, Row
from controller.rules.named_wagers import ABOUT_ONE, asked_about, parted
from controller.rules.read.reader import RuleTable, record
from controller.rules.vocabulary import PARTS, Action, Guard, Trigger


def read_reading(table: RuleTable) -> Reading | None:
    """One [[reading]]; what is not proposed otherwise is proposed as it is cautious."""
    proposed = table.maybe_text("proposed")
    bears_on = table.one_of("bears_on", PARTS) if table.has("bears_on") else None
    reading = record(table, Reading, choices=_choices(table), proposed=proposed or "", bears_on=bears_on)
    return reading if reading is None or proposed is not None else replace(reading, proposed=reading.cautious)


def read_house_choice(table: RuleTable) -> HouseChoice | None:
    """One [[choice]]."""
    return record(table, HouseChoice, choices=_choices(table))


def _choices(table: RuleTable) -> tuple[Choice, ...]:
    tables = table.tables("choices", "", optional=False)
    read = [record(inner, Choice, says=inner.text("says"), needs=inner.pairs("needs")) for inner in tables]
    return tuple(choice for choice in read if choice is not None)


def read_outcome(table: RuleTable) -> Row | None:
    """An [[outcome]] has `cite` and its own demands, and may act by readings too."""
    return _row(table, "cite")


def read_silent(table: RuleTable) -> Row | None:
    """A [[silent]] names where it was looked in, and acts by readings alone."""
    return _row(table, "looked_in", silent=True)


def read_absent(table: RuleTable) -> Row | None:
    """An [[absent]] names where it was looked in; nothing follows, because it cannot happen in this game."""
    return _row(table, "looked_in", absent=True)


def _row(table: RuleTable, cite_key: str, *, silent: bool = False, absent: bool = False) -> Row | None:
    before = len(table.scope.faults)
    trigger = table.word("trigger", Trigger)
    is_known = len(table.scope.faults) == before
    says, words = table.text("says"), table.names("when", optional=True)
    when = tuple(condition for word in words if (condition := _condition(table, word)))
    if is_known and len(when) < len(words):
        table.scope.half_read.add(trigger)
    cite = table.cite(cite_key)
    notwithstanding: tuple[str, ...] = ()
    do: tuple[Demand, ...] = ()
    by_reading: tuple[ByReading, ...] = ()
    if not silent and not absent:
        notwithstanding = table.names("notwithstanding", optional=True)
        table.scope.check_cite(table.where, notwithstanding, table.at)
        do = tuple(demand for inner in table.tables("do", "") if (demand := _demand(inner)))
    if not absent:
        steps = table.tables("by_reading", "", optional=not silent)
        by_reading = tuple(step for inner in steps if (step := _by_reading(inner)))
        if not do and not by_reading:
            table.fault("do", "is missing; an answer has `do`, `by_reading`, or both", "demand_missing")
    table.close()
    if not is_known:
        return None
    return Row(trigger, when, cite, do, by_reading, notwithstanding, silent, absent, says)


def _condition(table: RuleTable, word: str) -> Condition | None:
    asked = word.removeprefix("not_")
    guard = asked if asked_about(asked) else table.to_word("when", asked, Guard)
    return None if guard is None else Condition(guard, holds=not word.startswith("not_"))


def _demand(table: RuleTable) -> Demand | None:
    named, cite = _named(table), table.cite()
    table.close()
    return None if named is None else Demand(named[0], cite, None, named[1])


def _by_reading(table: RuleTable) -> ByReading | None:
    follows = [_follows(table, item) for item in table.items("do")]
    step = record(table, ByReading, do=(), given=table.pairs("given"))
    if step is None:
        return None
    do = tuple(Demand(named[0], reading=step.reading, wager=named[1]) for named in follows if named)
    return replace(step, do=do)


def _follows(table: RuleTable, item: object) -> tuple[Action, str | None] | None:
    """What a reading demands: an action, or `{ action, wager }` where it names a wager."""
    if isinstance(item, str):
        return deed(table, "do", item)
    inner = table.inner("do", item, f"{table.where} do")
    named = _named(inner)
    inner.close()
    return named


def _named(table: RuleTable) -> tuple[Action, str | None] | None:
    """The action, and the wager where it is about one, and only there."""
    text, wager = table.text("action"), table.maybe_text("wager")
    if not text or wager is None:
        return deed(table, "action", text) if text else None
    if text not in ABOUT_ONE:
        table.fault("wager", f"is named, and {text} is about no wager; leave it out", "key_unfit")
        return None
    return Action(text), wager


def deed(table: RuleTable, key: str, word: str) -> tuple[Action, str | None] | None:
    """An action in one word; with its wager where an older rulebook has it so: `return_ante`."""
    try:
        named = parted(word)
    except ValueError:
        table.to_word(key, word, Action)
        return None
    if named[0] in ABOUT_ONE and named[1] is None:
        table.fault(key, f"{word} is about one wager; name it", "keys_together")
        return None
    return named
