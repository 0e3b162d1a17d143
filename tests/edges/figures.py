"""Every figure of a rulebook: which wagers it has, under which elections they differ, and what each brings the house."""

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import comb

from controller.rules.elections import elect
from controller.rules.explain.house_edge import Figure, key_of
from controller.rules.model import Law, Rulebook
from controller.rules.pay import Bare, PayTable

STAKES = (100, 500, 2500)
"""Cents for which a wager with fixed sums is shown."""


class Maker:
    """Makes the figures of one rulebook."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book

    def law(self) -> Law:
        """The law with nothing elected."""
        return elect(self.book, {})

    def table(self, name: str) -> PayTable:
        return self.book.pay[name]

    def envy(self, law: Law, table: PayTable) -> list[PayTable]:
        """The envy tables that belong to a progressive table, by the wager of who is paid."""
        return [
            t for t in law.rulebook.pay.values() if t.wager == table.wager and t.envy_for and t.when == table.when
        ]

    def under(self, *asked: str) -> Iterator[tuple[dict[str, str], Law]]:
        """Each combination of answers to these questions, with the law that follows; those that the book does not ask fall
        away."""
        questions = [self.book.questions[q] for q in dict.fromkeys(asked) if q in self.book.questions]
        for chosen in itertools.product(*(q.choices for q in questions)):
            answers = {q.id: choice.id for q, choice in zip(questions, chosen, strict=True)}
            needs = {needed: choice for c in chosen for needed, choice in c.needs}
            if all(answers.get(needed, choice) == choice for needed, choice in needs.items()):
                yield answers, elect(self.book, {q: (choice, "edges") for q, choice in (needs | answers).items()})

    def tables(self, law: Law, wager: str) -> list[PayTable]:
        """The tables of a wager that this law does not exclude."""
        return [
            table
            for table in law.rulebook.pay.values()
            if table.wager == wager and all(law.elected(q) in (None, c) for q, c in table.when)
        ]

    def figure(
        self, wager: str, tables: Iterable[PayTable], under: dict[str, str], edge: Fraction, deals: int, *,
        where: str = "", per: str = "", error: Fraction | None = None, break_even: int | None = None,
        part_of: str | None = None, played: str = "",
    ) -> Figure:  # fmt: skip
        names = tuple(table.name for table in tables)
        chosen = {q: c for name in names for q, c in self.book.pay[name].when} | under
        return Figure(
            wager, names, chosen, where, per or wager, edge, error, deals,
            key_of(self.book, names, chosen, where), break_even, part_of, played,
        )  # fmt: skip


def of_stake(cents: int) -> str:
    return f"a wager of {cents // 100}"


def asked_of(law: Law, *points: str) -> list[str]:
    """The readings and house choices that decide these points of settlement."""
    found = [law.rulebook.settlement.get(point) for point in points]  # type: ignore[call-overload]
    return [cited.by_choice for cited in found if cited is not None and cited.by_choice]


def is_settled(table: PayTable) -> bool:
    """False where a person decides about some row."""
    return all(row.value is not Bare.ASK for row in table.rows.values())


def rows_asked(table: PayTable) -> list[str]:
    return [row.by_choice for row in table.rows.values() if row.by_choice]


SEVEN, SIX, FIVE = comb(52, 7), comb(52, 6), comb(52, 5)
