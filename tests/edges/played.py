"""Wagers of Ultimate Texas Hold 'Em that a fold may lose: what is left of them where the main bet is played for itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from controller.rules.explain.house_edge import Figure
from controller.rules.model import Law
from controller.rules.pay import PayTable
from controller.rules.vocabulary import Settle
from tests.edges import counts
from tests.edges.counts import Counts
from tests.edges.figures import Maker
from tests.edges.ultimate import DEALS, Main

FOR_ITSELF = "ante, blind and play played as is best for them"


@dataclass(frozen=True, slots=True)
class Played:
    """The main bet under one blind table, with what it rests on."""

    tables: Sequence[PayTable]
    under: dict[str, str]
    main: Main

    def left(self, seen: Counts, deals: int, *folded: Counts) -> tuple[Counts, int]:
        """What is still paid of hands seen in so many deals, and of how many: folded ones are lost with the rest."""
        times, rest = divmod(DEALS, deals)
        assert not rest
        return {name: times * many - sum(f.get(name, 0) for f in folded) for name, many in seen.items()}, DEALS


def of_five() -> Counts:
    """Five cards with their pairs apart, each hand counted once."""
    seen = dict(counts.best_five(5))
    tens = seen.pop("pair_of_tens_or_better")
    jacks = seen.pop("pair_of_jacks_or_better")
    return seen | {"pair": seen["pair"] - tens, "pair_of_tens": tens - jacks, "pair_of_jacks_or_better": jacks}


def is_decided(law: Law, *points: Settle) -> bool:
    """False where a person decides."""
    return all(
        law.rulebook.settlement[point].value != "ask" for point in points if point in law.rulebook.settlement
    )


def ways(law: Law, mains: Sequence[Played]) -> Sequence[Played | None]:
    """None where a fold makes no difference; else each way to play the main bet, as what a fold loses hangs on it."""
    return mains if law.rulebook.settlement[Settle.FOLDED_REST].value == "lost" else (None,)


def follow(
    maker: Maker, played: Played | None, wager: str, tables: Sequence[PayTable], under: dict[str, str], edge: Fraction,
    deals: int, *, where: str = "", error: Fraction | None = None, break_even: int | None = None,
) -> Figure:  # fmt: skip
    """A figure that follows the play of the main bet, with what that rests on; `played` None: of this wager alone."""
    if played is not None:
        tables, under = [*tables, *played.tables], under | played.under
    told = FOR_ITSELF if played else ""
    return maker.figure(
        wager, tables, under, edge, deals, where=where, error=error, break_even=break_even, played=told
    )
