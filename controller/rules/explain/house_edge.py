"""The house's part of each wager, from figures that were worked out beforehand and lie beside the rulebooks.

A figure holds for the pay tables that it was worked out from: it is found by a hash over their rows, what later wagers
amount to, what the document says of ties, folds and a dealer who does not qualify, and the elections that it rests on, so that
a changed table has no figure rather than an old one. All parts are exact fractions of the wager.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from controller.rules.citation import Cited
from controller.rules.model import Law, Rulebook
from controller.rules.pay import PayTable
from controller.rules.vocabulary import Settle
from drivers.protocol.records import dataclass

ASK = "ask"
"""The choice that leaves a matter to a person each time."""
ABSURD = Fraction(1, 2)
"""A wager of which the house keeps more than this on average is no game that anybody meant to offer."""


class EdgesInvalid(Exception):
    """A file of figures cannot be used. It decides nothing at a table, so a table is played without it."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: no list of figures: {why}; put back the file that came with the rulebook")
        self.path, self.why = path, why


_Fraction = Annotated[str, Meta(pattern=r"^-?[0-9]{1,99}(/[1-9][0-9]{0,99})?$")]


class _Written(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure as `document` writes it."""

    wager: str
    tables: tuple[str, ...]
    under: dict[str, str]
    where: str
    per: str
    edge: _Fraction
    error: _Fraction | None
    deals: int
    break_even: int | None
    part_of: str | None
    played: str
    key: str


@dataclass(frozen=True, slots=True)
class Figure:
    """What one wager, or what must be wagered together, brings the house on average.

    `wager`: its name, or the names of what is wagered together. `tables`: names of the pay tables it was worked out from.
    `under`: reading or house choice -> choice that it holds for. `where`: what else it holds for, in words. `per`: the
    wager of which `edge` is a part; above 0 it is the house's. `error`: standard error, None where every deal was
    counted. `deals`: how many were. `break_even`: cents that the highest meter must show so that nobody has an edge.
    `part_of`: a wager that cannot be placed without others is judged together with them, under this name. `played`: how the
    player decides where that is not what is best for this wager alone.
    """

    wager: str
    tables: tuple[str, ...]
    under: Mapping[str, str]
    where: str
    per: str
    edge: Fraction
    error: Fraction | None
    deals: int
    key: str
    break_even: int | None = None
    part_of: str | None = None
    played: str = ""

    @property
    def per_cent(self) -> str:
        """The edge in per cent with four decimals, as printed."""
        return in_per_cent(self.edge)


def in_per_cent(part: Fraction) -> str:
    """A part of one as per cent with four decimals, rounded half to even."""
    tenths = round(abs(part) * 1_000_000)
    return f"{'-' if part < 0 and tenths else ''}{tenths // 10_000}.{tenths % 10_000:04}"


_NOT_OF_THE_PART = (
    Settle.FROM, Settle.ORDER, Settle.UNPRINTED, Settle.BREAKAGE, Settle.COUPON, Settle.VOID_HAND, Settle.ENVY_LEFT,
    Settle.LEFT_HAND, Settle.EQUAL_CARDS, Settle.FOLDED_TURN,
)  # fmt: skip
"""Points of settlement that no figure hangs on: the order, what is not worked out, parts of a cent, match play, rounds in
which something happened, and which of equal cards the dealer plays, all suits being alike."""
_OF_PLAY = (
    "version", "dealer_qualifies", "bonus_cards", "surrender", "fold_collects", "fold_keeps", "dealer_natural",
)  # fmt: skip
"""What `[play]` says of wagers."""


def key_of(book: Rulebook, tables: Iterable[str], under: Mapping[str, str], where: str) -> str:
    """The hash by which a figure belongs to what it was worked out from. Raises `KeyError` for an unknown table."""
    parts = [book.plays, where, *(f"{question}={choice}" for question, choice in sorted(under.items()))]
    rules: dict[str, Cited[Any] | None] = {name: getattr(book.play, name) for name in _OF_PLAY}
    rules |= {point: rule for point, rule in book.settlement.items() if point not in _NOT_OF_THE_PART}
    parts += [_decided(name, rule, under) for name, rule in sorted(rules.items()) if rule is not None]
    for name in tables:
        table = book.pay[name]
        parts += [table.wager, *(f"{hand}={row.under(under)}" for hand, row in table.rows.items())]
        parts += [f"{meter}>={least.value}" for meter, least in sorted((table.resets or {}).items())]
        parts += [f"{moment}x{times.under(under)}" for moment, times in book.wagers[table.wager].times]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _decided(name: str, rule: Cited[Any], under: Mapping[str, str]) -> str:
    """One that hangs on a question which the figure does not is all of its options."""
    decided = rule.by_choice is None or rule.by_choice in under
    return f"{name}={rule.under(under) if decided else rule.options}"


@dataclass(frozen=True, slots=True)
class Edges:
    """The figures of one rulebook that hold for it as it stands; `stale`: pay tables without one."""

    figures: tuple[Figure, ...]
    stale: tuple[str, ...] = field(default=())

    def of(self, law: Law, offered: Iterable[str] = ()) -> list[Figure]:
        """Figures of the tables and choices that were elected; of optional wagers only those offered.

        Where a person decides each time there is one for each answer that the document leaves.
        """
        wagers = set(offered)
        return [
            figure
            for figure in self.figures
            if all(law.elected(question) in (choice, ASK) for question, choice in figure.under.items())
            and all(_in_play(law, law.rulebook.pay[name], wagers) for name in figure.tables)
        ]

    def otherwise(self, law: Law, figure: Figure) -> list[tuple[str, str, Figure]]:
        """The same wager where one question is answered otherwise: the question, the choice, its figure."""
        found = []
        for other in self.figures:
            if (other.wager, other.where) != (figure.wager, figure.where):
                continue
            elected = {q: law.elected(q) for q in other.under} | dict(figure.under)
            changed = [(q, c) for q, c in other.under.items() if elected[q] != c]
            if len(changed) == 1 and changed[0][0] in figure.under:
                found.append((*changed[0], other))
        return found


def _in_play(law: Law, table: PayTable, offered: set[str]) -> bool:
    """False for another table than the one elected, and for an optional wager that this house does not offer."""
    rule = law.rulebook.wagers[table.wager]
    is_side = rule.optional and rule.of is None  # a later wager belongs to the one that it is measured by
    elected = all(law.elected(question) == choice for question, choice in table.when)
    return elected and (table.wager in offered or not is_side)


def parse_edges(data: bytes, book: Rulebook, path: str) -> Edges:
    """The figures of the file `path` that hold for the tables of this rulebook as they stand. Raises `EdgesInvalid`."""
    try:
        written = msgspec.json.decode(data, type=list[_Written])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as exc:
        raise EdgesInvalid(path, str(exc)) from exc
    figures = tuple(figure for raw in written if (figure := _figure(raw)).key == _key(book, figure))
    told = {name for figure in figures for name in figure.tables}
    return Edges(figures, tuple(name for name in book.pay if name not in told))


def _key(book: Rulebook, figure: Figure) -> str | None:
    if not set(figure.tables) <= set(book.pay):
        return None
    return key_of(book, figure.tables, figure.under, figure.where)


def _figure(raw: _Written) -> Figure:
    return Figure(
        wager=raw.wager, tables=raw.tables, under=raw.under, where=raw.where, per=raw.per,
        edge=Fraction(raw.edge), error=None if raw.error is None else Fraction(raw.error), deals=raw.deals, key=raw.key,
        break_even=raw.break_even, part_of=raw.part_of, played=raw.played,
    )  # fmt: skip


def document(figure: Figure) -> dict[str, Any]:
    """A figure as it stands in the file; fractions as `n/d`."""
    return {
        "wager": figure.wager, "tables": list(figure.tables), "under": dict(figure.under), "where": figure.where,
        "per": figure.per, "edge": str(figure.edge), "error": None if figure.error is None else str(figure.error),
        "deals": figure.deals, "break_even": figure.break_even, "part_of": figure.part_of, "played": figure.played,
        "key": figure.key,
    }  # fmt: skip


def warnings(edges: Edges, law: Law, offered: Iterable[str]) -> list[str]:
    """What a licensee should know of what was elected: a wager that favours the player, or one that is no game."""
    found = []
    for figure in edges.of(law, offered):
        if figure.part_of is not None:
            continue
        said = f"{figure.wager}{f' ({figure.where})' if figure.where else ''}{_answered(law, figure)}"
        because = _because(edges, law, figure)
        if figure.edge < 0:
            gain = in_per_cent(-figure.edge)
            found.append(f"{said} favours the player by {gain}% of the {figure.per}{because}")
        elif figure.edge > ABSURD:
            found.append(f"{said}: the house keeps {figure.per_cent}% of the {figure.per}{because}")
    return found


def _answered(law: Law, figure: Figure) -> str:
    """What a person must decide for it to hold, where that is left open each time."""
    open_ = [
        f"{question} as {choice}" for question, choice in figure.under.items() if law.elected(question) == ASK
    ]
    return f", where a person decides {' and '.join(open_)}," if open_ else ""


def _because(edges: Edges, law: Law, figure: Figure) -> str:
    """The questions whose answer decides it, each with what another answer would make of it."""
    causes = [
        f"{question} = {figure.under[question]} (with {choice}: {other.per_cent}%)"
        for question, choice, other in edges.otherwise(law, figure)
        if 0 <= other.edge <= ABSURD
    ]
    return f", because of {'; '.join(causes)}" if causes else ""
