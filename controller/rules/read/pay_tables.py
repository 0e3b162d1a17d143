"""Reads pay tables and payout limits, and checks that what they hang on can be elected."""

from collections.abc import Collection, Mapping
from itertools import pairwise

from controller.rules.citation import Cited
from controller.rules.model import Question
from controller.rules.pay import FALLING, OfMeter, PayHand, PayLimit, Pays, PayTable, parse_pays
from controller.rules.read.reader import Scope, Table, nearest

APPLIES = ("cut", "house", "ask", "not")
PAYOUT = ("winnings", "handed_back")


def pay_table(table: Table) -> PayTable | None:
    """One [[paytable]]; None where it could not be read."""
    wager, name, cite = table.text("wager"), table.text("table"), table.cite()
    when = table.pairs("when")
    hands = table.positive("hands") if "hands" in table else None
    envy_for = table.positive("envy_for") if "envy_for" in table else None
    resets = _resets(table)
    rows = _rows(table)
    table.close()
    if wager is None or name is None:
        return None
    meters = {p.meter for row in rows.values() for p in _all_pays(row) if isinstance(p, OfMeter)}
    if meters != set(resets or ()):
        table.fault(
            f"pays from {', '.join(sorted(meters)) or 'no meter'}, and has resets for {', '.join(resets or ()) or 'none'}"
        )
    return PayTable(wager, name, cite, rows, when, hands, envy_for, resets)


def _all_pays(row: Cited[Pays]) -> list[Pays]:
    return [value for _, value in row.options] or [row.value]


def _resets(table: Table) -> dict[str, Cited[int]] | None:
    if "resets" not in table or (inner := table.table("resets")) is None:
        return None
    return {key: least for key in inner if (least := inner.cited(key, Table.positive)) is not None}


def _rows(table: Table) -> dict[PayHand, Cited[Pays]]:
    """Rows by hand, the highest first as they stand in the file."""
    if (inner := table.table("rows")) is None:
        return {}
    inner.where = table.where
    rows: dict[PayHand, Cited[Pays]] = {}
    for key in inner:
        hand = inner.to_word(key, PayHand, "hand")
        row: Cited[Pays] | None = inner.cited(key, _pays)
        if hand is not None and row is not None:
            rows[hand] = row
    if not list(inner):
        table.fault("has no row")
    elif not any(_falls(rows, order) for order in FALLING):
        table.fault(f"its rows do not fall: {_misplaced(rows)}")
    return rows


def _pays(table: Table, key: str) -> Pays | None:
    text = table.text(key)
    if text is None:
        return None
    if (pays := parse_pays(text)) is None:
        table.fault(
            f'{key!r} must be like "3 to 2", "300 for 1", "10% of major", "sum 1000.00", "push", "lose" or "ask", not {text!r}'
        )
    return pays


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


def pay_limit(table: Table) -> PayLimit | None:
    """One [[limit]]; None where it could not be read."""
    name = table.text("name")
    applies = table.cited("applies", lambda t, key: t.one_of(key, APPLIES))
    wagers, least = table.cited("wagers", Table.texts), table.cited("least_cents", Table.positive)
    of = table.cited("of", lambda t, key: t.one_of(key, PAYOUT))
    or_minimum = table.cited("or_minimum", Table.flag, optional=True)
    table.close()
    if name is None or applies is None or wagers is None or least is None or of is None:
        return None
    return PayLimit(name, applies, wagers, least, of, or_minimum)


def check_pay(
    tables: Collection[PayTable],
    limits: Collection[PayLimit],
    wagers: Collection[str],
    questions: Mapping[str, Question],
    scope: Scope,
) -> None:
    """Adds each fault of the tables as a whole: an unknown wager, a table that nobody can elect, an option without one."""
    for table in tables:
        where = f"[[paytable]] ({table.name})"
        if table.wager not in wagers:
            scope.fault(where, f"pays no known wager: {table.wager!r} {nearest(table.wager, wagers)}")
        for question, choice in table.when:
            if question not in questions:
                scope.fault(where, f"nobody can elect {question!r} {nearest(question, questions)}")
            elif choice not in (known := [c.id for c in questions[question].choices]):
                scope.fault(where, f"{question} has no choice {choice!r} {nearest(choice, known)}")
    for limit in limits:
        named = {*limit.wagers.value, *(name for _, option in limit.wagers.options for name in option)}
        for name in sorted(named - set(wagers)):
            scope.fault(f"[[limit]] ({limit.name})", f"limits no known wager: {name!r} {nearest(name, wagers)}")
    _check_elected(tables, questions, scope)


def _check_elected(tables: Collection[PayTable], questions: Mapping[str, Question], scope: Scope) -> None:
    """Each option of a choice has its table, and no two tables pay the same wager under the same elections."""
    kinds: dict[tuple[str, int | None, int | None], list[PayTable]] = {}
    for table in tables:
        kinds.setdefault((table.wager, table.hands, table.envy_for), []).append(table)
    for same in kinds.values():
        elections = [frozenset(table.when) for table in same]
        for table, elected in zip(same, elections, strict=True):
            if elections.count(elected) > 1:
                scope.fault(
                    f"[[paytable]] ({table.name})", "another table pays this wager under the same elections"
                )
        for question in {question for table in same for question, _ in table.when} & set(questions):
            missing = {c.id for c in questions[question].choices} - {dict(t.when).get(question) for t in same}
            if missing:
                scope.fault(
                    f"[[paytable]] ({same[0].wager})", f"{question} has no table for {', '.join(sorted(missing))}"
                )
