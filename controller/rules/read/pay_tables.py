"""Reads pay tables and payout limits, and checks that what they hang on can be elected."""

from collections.abc import Collection, Mapping
from itertools import pairwise

from controller.readers.nearest import nearest
from controller.rules.citation import Cited
from controller.rules.model import Question
from controller.rules.pay import FALLING, Bare, OfMeter, PayHand, PayLimit, Pays, PayTable, parse_pays
from controller.rules.read.reader import LawScope, RuleTable, positive, record


def pay_table(table: RuleTable) -> PayTable | None:
    """One [[paytable]]; None where it could not be read."""
    inner = table.part("resets", optional=True)
    resets = (
        None if inner is None else {key: at for key in inner if (at := inner.cited(key, positive)) is not None}
    )
    rows = _rows(table)
    read = record(table, PayTable, rows=rows, when=table.pairs("when"), resets=resets)
    meters = {p.meter for row in rows.values() for p in _all_pays(row) if isinstance(p, OfMeter)}
    if read is not None and meters != set(resets or ()):
        pays, has = ", ".join(sorted(meters)) or "no meter", ", ".join(resets or ()) or "none"
        table.fault("resets", f"there are for {has}, and the rows pay from {pays}", "resets_unfit")
    return read


def _all_pays(row: Cited[Pays]) -> list[Pays]:
    return [value for _, value in row.options] or [row.value]


def _rows(table: RuleTable) -> dict[PayHand, Cited[Pays]]:
    """Rows by hand, the highest first as they stand in the file."""
    if (inner := table.part("rows")) is None:
        return {}
    inner.where = table.where
    rows = inner.by_word(PayHand, _pays)
    if not list(inner):
        table.fault("rows", "must have at least one", "too_few")
    elif not any(_falls(rows, order) for order in FALLING):
        table.fault("rows", f"must fall from the highest hand down: {_misplaced(rows)}", "hands_misplaced")
    return rows


def _pays(table: RuleTable, key: str) -> Pays:
    text = table.text(key)
    if (pays := parse_pays(text)) is None and text:
        like = '"3 to 2", "300 for 1", "10% of major", "sum 1000.00", "push", "lose" or "ask"'
        table.fault(key, f"must be like {like}, not {text!r}", "text_unfit")
    return pays or Bare.PUSH


def _falls(rows: Mapping[PayHand, object], order: tuple[PayHand, ...]) -> bool:
    places = [order.index(hand) if hand in order else -1 for hand in rows]
    return -1 not in places and places == sorted(places)


def _misplaced(rows: Mapping[PayHand, object]) -> str:
    """Names the first row that stands too low, by the order that knows most of the rows."""
    order = max(FALLING, key=lambda known: len(set(known) & set(rows)))
    if strange := [hand for hand in rows if hand not in order]:
        return f"{strange[0]} does not belong beside {next(iter(rows))}"
    hands = list(rows)
    above, below = next((a, b) for a, b in pairwise(hands) if order.index(a) > order.index(b))
    return f"{below} stands below {above}"


def pay_limit(table: RuleTable) -> PayLimit | None:
    """One [[limit]]; None where it could not be read."""
    return record(table, PayLimit)


def check_pay(
    tables: Collection[PayTable],
    limits: Collection[PayLimit],
    wagers: Collection[str],
    questions: Mapping[str, Question],
    scope: LawScope,
) -> None:
    """Adds each fault of the tables as a whole: an unknown wager, a table that nobody can elect, an option without one."""
    for table in tables:
        where = f"[[paytable]] ({table.name})"
        if table.wager not in wagers:
            scope.fault(
                where, f"pays no known wager: {table.wager!r} {nearest(table.wager, wagers)}", "wager_unknown"
            )
        for question, choice in table.when:
            if question not in questions:
                scope.fault(
                    where, f"nobody can elect {question!r} {nearest(question, questions)}", "reading_unknown"
                )
            elif choice not in (known := [c.id for c in questions[question].choices]):
                scope.fault(
                    where, f"{question} has no choice {choice!r} {nearest(choice, known)}", "choice_unknown"
                )
    for limit in limits:
        named = {*limit.wagers.value, *(name for _, option in limit.wagers.options for name in option)}
        for name in sorted(named - set(wagers)):
            scope.fault(
                f"[[limit]] ({limit.name})",
                f"limits no known wager: {name!r} {nearest(name, wagers)}",
                "wager_unknown",
            )
    _check_elected(tables, questions, scope)


def _check_elected(tables: Collection[PayTable], questions: Mapping[str, Question], scope: LawScope) -> None:
    """Each option of a choice has its table, and no two tables pay the same wager under the same elections."""
    kinds: dict[tuple[str, int | None, int | None], list[PayTable]] = {}
    for table in tables:
        kinds.setdefault((table.wager, table.hands, table.envy_for), []).append(table)
    for same in kinds.values():
        elections = [frozenset(table.when) for table in same]
        for table, elected in zip(same, elections, strict=True):
            if elections.count(elected) > 1:
                scope.fault(
                    f"[[paytable]] ({table.name})",
                    "another table pays this wager under the same elections",
                    "named_twice",
                )
        for question in {question for table in same for question, _ in table.when} & set(questions):
            missing = {c.id for c in questions[question].choices} - {dict(t.when).get(question) for t in same}
            if missing:
                scope.fault(
                    f"[[paytable]] ({same[0].wager})",
                    f"{question} has no table for {', '.join(sorted(missing))}",
                    "choice_unused",
                )
