"""`tablewarden rulebook edge`: what each wager brings the house on average, by the pay tables and the elections."""

from collections.abc import Iterator
from pathlib import Path

import click

from controller.cli.main import AS_JSON, USAGE, WRONG, end, show
from controller.cli.rulebook.choice import EVERYWHERE, find_book
from controller.rules.explain.house_edge import Edges, EdgesInvalid, Figure, document, in_per_cent
from controller.rules.model import Rulebook
from controller.rules.read import library


@click.command()
@click.argument("name", metavar="ID")
@click.option("--table", help="Only figures that rest on this pay table, e.g. 'trips A', or of this wager.")
@EVERYWHERE
@AS_JSON
def edge(name: str, table: str | None, directory: Path | None, as_json: bool) -> None:
    """Tell what each wager brings the house on average, by pay table, and by reading where one changes it.

    In per cent of the wager with four decimals, and as an exact fraction where every deal was counted; otherwise with the
    standard error of a simulation. Where the player decides, the play is the best there is. Below 0 the player has the edge.
    Where a choice is `ask`, a person decides each time: the figures of the other choices say what each answer comes to.

    \b
    Example:
      tablewarden rulebook edge md-uth
      tablewarden rulebook edge md-uth --table 'trips A'
    """
    book = find_book(name, directory)
    try:
        found = library.find_edges(book, directory)
    except EdgesInvalid as exc:
        end(str(exc), USAGE)
    figures = [f for f in found.figures if table is None or table in (f.wager, *f.tables)]
    if table is not None and not figures:
        known = dict.fromkeys(name for f in found.figures for name in (f.wager, *f.tables))
        end(f"{name}: no figure of {table!r}; there are: {', '.join(known)}", WRONG)
    if as_json:
        show([document(figure) | {"per_cent": figure.per_cent} for figure in figures], iter, True)
    else:
        show(figures, lambda figures: _page(book, figures, found if table is None else None), False)


def _page(book: Rulebook, figures: list[Figure], all_: Edges | None) -> Iterator[str]:
    """Wager by wager, in the order in which they first come."""
    for wager in dict.fromkeys(figure.wager for figure in figures):
        same = [figure for figure in figures if figure.wager == wager]
        yield f"{wager}, in parts of the {same[0].per}"
        for figure in same:
            yield f"  {figure.per_cent:>9} %  {', '.join(_holds_for(book, figure))}"
            yield f"  {'':>11}  {_how(figure)}"
    if all_ is not None and all_.stale:
        yield f"no figure for: {', '.join(all_.stale)}"


def _holds_for(book: Rulebook, figure: Figure) -> Iterator[str]:
    """The tables, and the elections that do not follow from their names."""
    yield from figure.tables
    named = {question for table in figure.tables for question, _ in book.pay[table].when}
    yield from (f"{question} = {choice}" for question, choice in figure.under.items() if question not in named)
    yield from filter(None, (figure.where, figure.played))


def _how(figure: Figure) -> str:
    if figure.error is None:
        told = f"= {figure.edge}, every deal counted"
    else:
        told = f"+- {in_per_cent(figure.error)} % (standard error), {figure.deals:,} deals simulated"
    if figure.break_even is not None:
        told += f"; even where the highest meter shows {figure.break_even // 100:,}.{figure.break_even % 100:02}"
    return told + (f"; judged as part of {figure.part_of}" if figure.part_of else "")
