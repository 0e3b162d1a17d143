"""What must hold of a whole rulebook once each of its parts can be read. Pure; the loader raises what is found here."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from controller.readers.nearest import nearest
from controller.rules.citation import READING, Cited
from controller.rules.model import (
    ByReading,
    Demand,
    HouseChoice,
    Question,
    Reading,
    Row,
    conditions_asked,
    governing,
)
from controller.rules.named_wagers import asked_about, belongs, parted
from controller.rules.parts import Dealing, PlayRule, WagerRule
from controller.rules.pay import PayLimit, PayTable
from controller.rules.read.pay_tables import check_pay
from controller.rules.read.reader import LawScope
from controller.rules.vocabulary import CONFIRMED, GUARDS_OF, NO_ROW, Action, Method, Role, Settle, Trigger
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a rulebook that refer to each other."""

    dealing: Mapping[Method, Dealing]
    wagers: Mapping[str, WagerRule]
    duty_roles: Mapping[str, Cited[Role]]
    rows: Mapping[Trigger, tuple[Row, ...]]
    readings: Mapping[str, Reading]
    choices: Mapping[str, HouseChoice]
    pay: Mapping[str, PayTable]
    limits: Mapping[str, PayLimit]

    @property
    def questions(self) -> tuple[Question, ...]:
        """Every reading and every house choice of the file."""
        return (*self.readings.values(), *self.choices.values())

    @property
    def chosen_tables(self) -> set[str]:
        """Readings and house choices that decide which pay table is used."""
        return {question for table in self.pay.values() for question, _ in table.when}


def check_parts(parts: Parts, scope: LawScope) -> None:
    """Adds each fault of the whole to the scope. `scope` knows where each row stands."""
    _check_dealing(parts, scope)
    _check_wagers(parts, scope)
    _check_roles(parts, scope)
    for trigger in GUARDS_OF:
        _check_trigger(parts, trigger, scope)
    for rows in parts.rows.values():
        for row in rows:
            if row.trigger in NO_ROW:
                scope.fault(
                    scope.place_of(row),
                    f"no rulebook answers {row.trigger}: the table holds and asks",
                    "trigger_of_nobody",
                )
                continue
            _check_row(parts, row, scope)
    _check_readings(parts, scope)
    _check_choices(parts, scope)
    asked = {question.id: question for question in parts.questions}
    check_pay(parts.pay.values(), parts.limits.values(), parts.wagers, asked, scope)


def every_state(trigger: Trigger, rows: Iterable[Row]) -> Iterator[frozenset[str]]:
    """Every combination of the guards that belong to the trigger, and of the wagers that these rows of it ask about."""
    conditions = conditions_asked(trigger, rows)
    for held in product((False, True), repeat=len(conditions)):
        yield frozenset(condition for condition, holds in zip(conditions, held, strict=True) if holds)


def describe(trigger: Trigger, rows: Iterable[Row], state: frozenset[str]) -> str:
    """A state of the table in the words of the file: `not_misdealt, full_set_remains`."""
    return ", ".join(c if c in state else f"not_{c}" for c in conditions_asked(trigger, rows)) or "always"


def _check_dealing(parts: Parts, scope: LawScope) -> None:
    for method, dealing in parts.dealing.items():
        where = f"[[dealing]] ({method})"
        if not dealing.stacks:
            scope.fault(where, "deals no stack", "no_stack")
        for stack in dealing.stacks:
            if stack.only_if is not None and stack.only_if not in parts.wagers:
                scope.fault(
                    where,
                    f"only_if names no wager: {stack.only_if!r} {nearest(stack.only_if, parts.wagers)}",
                    "wager_unknown",
                )
        withheld = [] if dealing.withholds is None else [v for _, v in dealing.withholds.options]
        for name in sorted({n for value in withheld for n in value} - set(parts.wagers)):
            scope.fault(
                where, f"withholds no known wager: {name!r} {nearest(name, parts.wagers)}", "wager_unknown"
            )


def _check_wagers(parts: Parts, scope: LawScope) -> None:
    for name, wager in parts.wagers.items():
        excluded = wager.excludes.value if wager.excludes else ()
        of = () if wager.of is None else (wager.of,)
        for what, others in (("requires", wager.requires.value), ("excludes", excluded), ("is a multiple of", of)):
            for other in others:
                if other not in parts.wagers:
                    hint = nearest(other, parts.wagers)
                    scope.fault(f"[[wager]] ({name})", f"{what} no known wager: {other!r} {hint}", "wager_unknown")


def _check_trigger(parts: Parts, trigger: Trigger, scope: LawScope) -> None:
    """Exactly one row must govern in every state, and each row in at least one."""
    rows = parts.rows.get(trigger)
    where = f"trigger {trigger}"
    if not rows:
        scope.fault(where, "has no [[outcome]] and no [[silent]]", "trigger_unanswered")
        return
    if trigger in scope.half_read:
        return  # what its rows leave open cannot be told before their own faults are mended
    ruling: set[int] = set()
    for state in every_state(trigger, rows):
        match governing(rows, state):
            case []:
                scope.fault(
                    where,
                    f"has a hole: nothing answers when {describe(trigger, rows, state)}",
                    "trigger_unanswered",
                )
            case [row]:
                ruling.add(id(row))
            case several:
                places = " and ".join(scope.place_of(row) for row in several)
                scope.fault(
                    where,
                    f"is answered twice when {describe(trigger, rows, state)}: {places}",
                    "trigger_answered_twice",
                )
                ruling.update(id(row) for row in several)
    for row in rows:
        if id(row) not in ruling:
            scope.fault(scope.place_of(row), "never governs", "row_never_governs")


def _check_roles(parts: Parts, scope: LawScope) -> None:
    for word in parts.duty_roles:
        if parted(word)[1] not in (None, *parts.wagers):
            hint = nearest(word, [*map(str, Action)])
            scope.fault("[duty_roles]", f"unknown action {word!r} {hint}", "word_unknown")


def _check_row(parts: Parts, row: Row, scope: LawScope) -> None:
    where = scope.place_of(row)
    for condition in row.when:
        if not belongs(row.trigger, condition.guard):
            names = ", ".join(GUARDS_OF[row.trigger]) or "none"
            what = f"guard {condition.guard!s} does not belong to {row.trigger} (it has: {names})"
            scope.fault(where, what, "guard_unfit")
    words = [demand.word for demand in row.do]
    for word in sorted({w for w in words if words.count(w) > 1}):
        scope.fault(where, f"demands {word} twice", "named_twice")
    asks = (Demand(Action.HOLD_ROUND), Demand(Action.CALL_FLOORPERSON)) if row.absent else ()
    demands = (*row.do, *asks, *(demand for step in row.by_reading for demand in step.do))
    for word, action in sorted({(demand.word, demand.action) for demand in demands}):
        if action in CONFIRMED and word not in parts.duty_roles:
            what = f"demands {word}, but [duty_roles] does not say who confirms it"
            scope.fault(where, what, "duty_role_missing")
    named = (*(asked_about(c.guard) for c in row.when), *(demand.wager for demand in demands))
    for wager in dict.fromkeys(named):
        if wager is not None and wager not in parts.wagers:
            scope.fault(where, f"names no known wager: {wager!r} {nearest(wager, parts.wagers)}", "wager_unknown")
    if not row.absent and _elections_known(parts, row, where, scope):
        _check_elections(parts, row, where, scope)


def _elections_known(parts: Parts, row: Row, where: str, scope: LawScope) -> bool:
    before = len(scope.faults)
    for step in row.by_reading:
        for reading_id, choice in step.condition:
            reading = parts.readings.get(reading_id)
            if reading is None:
                scope.fault(
                    where,
                    f"unknown reading {reading_id!r} {nearest(reading_id, parts.readings)}",
                    "reading_unknown",
                )
            elif choice not in (choices := [c.id for c in reading.choices]):
                scope.fault(
                    where, f"{reading_id} has no choice {choice!r} {nearest(choice, choices)}", "choice_unknown"
                )
    return len(scope.faults) == before


def _check_elections(parts: Parts, row: Row, where: str, scope: LawScope) -> None:
    """Whatever is elected, each reading of the row must act, or the row would silently demand less than it seems to."""
    asked = {reading_id: None for step in row.by_reading for reading_id, _ in step.condition}
    for reading_id in asked:
        if not parts.readings[reading_id].moves:
            scope.fault(
                where,
                f"acts by {reading_id}, which must then have moves = true: nobody might have elected it",
                "moves_missing",
            )
    for elected in product(*([(r, c.id) for c in parts.readings[r].choices] for r in asked)):
        live = [step for step in row.by_reading if set(step.condition) <= set(elected)]
        if not live and not row.do:
            scope.fault(where, f"demands nothing under {_elected(elected)}", "demand_missing")
    for reading_id in {step.reading: None for step in row.by_reading}:
        answered = {choice for step in row.by_reading for r, choice in step.condition if r == reading_id}
        for missing in [c.id for c in parts.readings[reading_id].choices if c.id not in answered]:
            scope.fault(where, f"acts by {reading_id} but has no step for its choice {missing!r}", "choice_unused")


def _elected(elected: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{reading} = {choice}" for reading, choice in elected) or "no election"


def _check_readings(parts: Parts, scope: LawScope) -> None:
    steps = [step for rows in parts.rows.values() for row in rows for step in row.by_reading]
    values = {reading_id for _, reading_id in scope.value_readings}
    for where, reading_id in scope.value_readings:
        if reading_id not in parts.readings:
            scope.fault(
                where, f"unknown reading {reading_id!r} {nearest(reading_id, parts.readings)}", "reading_unknown"
            )
    chosen = {decided_by for _, decided_by, _ in scope.by_choice} | _needed(parts) | parts.chosen_tables
    for reading in parts.readings.values():
        _check_reading(reading, steps, reading.id in values, reading.id in chosen, scope)


def check_qualifier(
    play: PlayRule, settlement: Mapping[Settle, Cited[str]], wagers: Mapping[str, WagerRule], scope: LawScope
) -> None:
    """A wager goes back where the dealer may have to hold a minimum, and only there; it is one of this document's."""
    rule, back = play.dealer_qualifies, settlement.get(Settle.UNQUALIFIED)
    must = rule is not None and (rule.value or any(value for _, value in rule.options))
    unread = any(fault.startswith("[settlement]") for fault in scope.faults)
    if must is not (back is not None) and not unread:
        scope.fault(
            "[play] dealer_qualifies",
            "and [settlement] unqualified stand together: a dealer who need not qualify sends no wager back",
            "keys_together",
        )
    if back is not None and back.value not in wagers:
        scope.fault(
            "[settlement] unqualified",
            f"is no wager: {back.value!r} {nearest(back.value, wagers)}",
            "wager_unknown",
        )


def _needed(parts: Parts) -> set[str]:
    """What must be elected for some choice of something else."""
    return {needed for question in parts.questions for choice in question.choices for needed, _ in choice.needs}


def _check_reading(
    reading: Reading, steps: list[ByReading], on_value: bool, chosen: bool, scope: LawScope
) -> None:
    where = f"[[reading]] ({reading.id})"
    choices = [choice.id for choice in reading.choices]
    acted = {choice for step in steps for reading_id, choice in step.condition if reading_id == reading.id}
    for key, choice in (("cautious", reading.cautious), ("proposed", reading.proposed)):
        if choice not in choices and (key, choice) != ("proposed", reading.cautious):
            scope.fault(where, f"{key} is no choice: {choice!r} {nearest(choice, choices)}", "choice_unknown")
    for choice in sorted({c for c in choices if choices.count(c) > 1}):
        scope.fault(where, f"choice {choice!r} stands twice", "named_twice")
    if reading.bears_on is not None:
        _check_carried(reading, bool(acted) or on_value or chosen or reading.governs is not None, scope)
        return
    if on_value or reading.governs is not None:
        if acted:
            scope.fault(
                where,
                "rows act by it, so no value may rest on it and it may govern no trigger",
                "reading_used_twice",
            )
        if len(choices) != 1:
            scope.fault(
                where,
                "a value rests on it or it governs a trigger: it has one choice, and another is an edition",
                "choices_unfit",
            )
        return
    if chosen and not reading.moves:
        scope.fault(
            where,
            "values are chosen by it, so it must have moves = true: nobody might have elected it",
            "moves_missing",
        )
    if chosen and not acted:
        return
    if not acted:
        scope.fault(where, "nothing uses it", "choice_unused")
        return
    for choice in choices:
        if choice not in acted:
            scope.fault(where, f"no row uses its choice {choice!r}", "choice_unused")


def _check_carried(reading: Reading, used: bool, scope: LawScope) -> None:
    """What the software carries alone has one choice, says why, and stands nowhere else in the file."""
    where = f"[[reading]] ({reading.id})"
    if used:
        scope.fault(where, "the file acts by it already, so `bears_on` has nothing to say", "reading_used_twice")
    if len(reading.choices) != 1 or not reading.why:
        scope.fault(where, "no value and no row carries it: it has one choice, and says why", "choices_unfit")


def _check_choices(parts: Parts, scope: LawScope) -> None:
    """A value that hangs on a choice has one for each of its options, and each choice that is offered does something."""
    asked: dict[str, tuple[str, ...]] = {
        question.id: tuple(choice.id for choice in question.choices) for question in parts.questions
    }
    for where, decided_by, options in scope.by_choice:
        if decided_by not in asked:
            scope.fault(
                where,
                f"by_choice names no reading and no choice: {decided_by!r} {nearest(decided_by, asked)}",
                "reading_unknown",
            )
        elif sorted(options) != sorted(asked[decided_by]):
            scope.fault(
                where,
                f"must have a value for each of {', '.join(asked[decided_by])}, not {', '.join(options) or 'none'}",
                "choice_unused",
            )
    for choice in parts.choices.values():
        where = f"[[choice]] ({choice.id})"
        if READING.fullmatch(choice.id):
            scope.fault(where, "this id is one of a reading", "id_unfit")
        if len({option.id for option in choice.choices}) < max(2, len(choice.choices)):
            scope.fault(where, "offers at least two choices, each once", "choices_unfit")
        if choice.id not in {decided_by for _, decided_by, _ in scope.by_choice} | parts.chosen_tables:
            scope.fault(where, "no value hangs on it", "choice_unused")
    for question in parts.questions:
        if question.wager is not None and question.wager not in parts.wagers:
            scope.fault(
                f"({question.id})",
                f"asks of no known wager: {question.wager!r} {nearest(question.wager, parts.wagers)}",
                "wager_unknown",
            )
        for option in question.choices:
            for needed, choice_id in option.needs:
                if choice_id not in asked.get(needed, ()):
                    scope.fault(
                        f"({question.id}) {option.id}",
                        f"needs what nobody can elect: {needed} = {choice_id}",
                        "choice_unknown",
                    )
