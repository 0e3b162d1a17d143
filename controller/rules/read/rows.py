"""Reads what decides: the answers to triggers, the readings, and what the text leaves to the licensee."""

from controller.rules.model import ByReading, Choice, Condition, Demand, HouseChoice, Reading, Row
from controller.rules.named_wagers import ABOUT_ONE, asked_about, parted
from controller.rules.read.reader import Table
from controller.rules.vocabulary import PARTS, Action, Guard, Trigger


def read_reading(table: Table) -> Reading | None:
    reading_id, problem, cautious = table.text("id"), table.text("problem"), table.text("cautious")
    proposed = table.text("proposed", optional=True) or cautious
    clauses, moves = table.cite("clauses"), table.flag("moves")
    governs = table.word("governs", Trigger, optional=True)
    bears_on = table.one_of("bears_on", PARTS, optional=True)
    wager, since = table.text("wager", optional=True), table.day("since")
    why = table.text("why", optional=True) or ""
    choices = _choices(table)
    table.close()
    if reading_id is None or problem is None or cautious is None or proposed is None or moves is None:
        return None
    return Reading(
        reading_id, clauses, problem, choices, cautious, proposed, moves, governs, wager, since, why, bears_on
    )


def read_house_choice(table: Table) -> HouseChoice | None:
    choice_id, problem, clauses = table.text("id"), table.text("problem"), table.cite("clauses")
    everywhere = table.cited("everywhere", Table.flag, optional=True)
    wager, since = table.text("wager", optional=True), table.day("since")
    choices = _choices(table)
    table.close()
    if choice_id is None or problem is None:
        return None
    return HouseChoice(choice_id, clauses, problem, choices, everywhere, wager, since)


def _choices(table: Table) -> tuple[Choice, ...]:
    choices = []
    for inner in table.tables("choices"):
        choice, says, needs = inner.text("id"), inner.said("says"), inner.pairs("needs")
        inner.close()
        if choice is not None:
            choices.append(Choice(choice, says, needs))
    return tuple(choices)


def read_outcome(table: Table) -> Row | None:
    """An [[outcome]] has `cite` and its own demands, and may act by readings too."""
    return _row(table, "cite")


def read_silent(table: Table) -> Row | None:
    """A [[silent]] names where it was looked in, and acts by readings alone."""
    return _row(table, "looked_in", silent=True)


def read_absent(table: Table) -> Row | None:
    """An [[absent]] names where it was looked in; nothing follows, because it cannot happen in this game."""
    return _row(table, "looked_in", absent=True)


def _row(table: Table, cite_key: str, *, silent: bool = False, absent: bool = False) -> Row | None:
    trigger, says = table.word("trigger", Trigger), table.said("says")
    words = table.texts("when", optional=True)
    when = tuple(condition for word in words if (condition := _condition(table, word)))
    if trigger is not None and len(when) < len(words):
        table.scope.half_read.add(trigger)
    cite = table.cite(cite_key)
    notwithstanding: tuple[str, ...] = ()
    do: tuple[Demand, ...] = ()
    by_reading: tuple[ByReading, ...] = ()
    if not silent and not absent:
        notwithstanding = table.texts("notwithstanding", optional=True)
        table.scope.check_cite(table.where, notwithstanding)
        do = tuple(demand for inner in table.tables("do", optional=True) if (demand := _demand(inner)))
    if not absent:
        steps = table.tables("by_reading", optional=not silent)
        by_reading = tuple(step for inner in steps if (step := _by_reading(inner)))
        if not do and not by_reading:
            table.fault("demands nothing: an answer has `do`, `by_reading`, or both")
    table.close()
    if trigger is None:
        return None
    return Row(trigger, when, cite, do, by_reading, notwithstanding, silent, absent, says)


def _condition(table: Table, word: str) -> Condition | None:
    asked = word.removeprefix("not_")
    guard = asked if asked_about(asked) else table.to_word(asked, Guard, "guard")
    return None if guard is None else Condition(guard, holds=not word.startswith("not_"))


def _demand(table: Table) -> Demand | None:
    named, cite = _named(table), table.cite()
    table.close()
    return None if named is None else Demand(named[0], cite, None, named[1])


def _by_reading(table: Table) -> ByReading | None:
    reading, choice, given = table.text("reading"), table.text("choice"), table.pairs("given")
    follows = [_follows(table, item) for item in table.items("do")]
    table.close()
    if reading is None or choice is None:
        return None
    do = tuple(Demand(named[0], reading=reading, wager=named[1]) for named in follows if named)
    return ByReading(reading, choice, do, given)


def _follows(table: Table, item: object) -> tuple[Action, str | None] | None:
    """What a reading demands: an action, or `{ action, wager }` where it names a wager."""
    if isinstance(item, str):
        return deed(table, item)
    inner = Table(item, f"{table.where} do", table.scope)
    named = _named(inner)
    inner.close()
    return named


def _named(table: Table) -> tuple[Action, str | None] | None:
    """The action, and the wager where it is about one, and only there."""
    text, wager = table.text("action"), table.text("wager", optional=True)
    if text is None or wager is None:
        return None if text is None else deed(table, text)
    if text not in ABOUT_ONE:
        table.fault(f"{text} is about no wager: leave its name out")
        return None
    return Action(text), wager


def deed(table: Table, word: str) -> tuple[Action, str | None] | None:
    """An action in one word; with its wager where an older rulebook has it so: `return_ante`."""
    try:
        named = parted(word)
    except ValueError:
        table.to_word(word, Action, "action")
        return None
    if named[0] in ABOUT_ONE and named[1] is None:
        table.fault(f"{word} is about one wager: name it")
        return None
    return named
