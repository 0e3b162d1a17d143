"""`tablewarden rulebook`: the rule documents as this software reads them, for people who must judge that."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from controller.cli.arguments import Place
from controller.cli.groups import Sentences
from controller.cli.main import AS_JSON, USAGE, end, show
from controller.cli.rulebook.choice import EVERYWHERE, books, find_book, listed, usage
from controller.cli.rulebook.edge import edge
from controller.config.load import read_config
from controller.rules.explain.clause_page import brief
from controller.rules.explain.coverage import Carried, Coverage, CoverageInvalid, Kind
from controller.rules.explain.diff import difference
from controller.rules.explain.diff_page import ChapterUnknown, diff_page
from controller.rules.explain.explain import (
    ClauseUnknown,
    explanation,
    headline,
    page,
    question_line,
    row_lines,
    values_of,
)
from controller.rules.explain.questions import effect, makers_choice, makers_page, open_at, table_page
from controller.rules.model import Question, Reading, Rulebook
from controller.rules.read import library


@click.group(cls=Sentences)
def rulebook() -> None:
    """Read the rule documents as this software reads them: what it makes of each clause. Never writes.

    \b
    Example:
      tablewarden rulebook list
      tablewarden rulebook explain md-uth 13.I
    """


@rulebook.command(name="list")
@EVERYWHERE
@AS_JSON
def list_(directory: Path | None, as_json: bool) -> None:
    """List the rulebooks: document, edition, how many clauses and open questions, hash of the file.

    \b
    Example:
      tablewarden rulebook list
    """
    editions = [(name, find_book(name, directory)) for name in listed(directory)]
    rows = [
        {
            "name": name, "id": book.id, "game": book.game, "regulator": book.regulator, "edition": book.edition,
            "clauses": len(book.clauses), "readings": len(book.readings), "choices": len(book.choices),
            "sha256": book.sha256,
        }
        for name, book in editions
    ]  # fmt: skip
    show(rows, _list_page, as_json)


def _list_page(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"{row['name']:<12} {row['game']}, {row['regulator']}, edition {row['edition']}"
        questions = f"{row['readings']} readings, {row['choices']} house choices"
        yield f"{'':<12} {row['clauses']} clauses, {questions}, sha256 {row['sha256'][:16]}"


@rulebook.command(name="show")
@click.argument("name", metavar="ID")
@EVERYWHERE
@AS_JSON
def show_(name: str, directory: Path | None, as_json: bool) -> None:
    """Show a whole rulebook: every value with its clauses, every answer with who carries it out, every question.

    \b
    Example:
      tablewarden rulebook show md-uth
    """
    book = find_book(name, directory)
    show({**_document(book)} if as_json else book, _show_page, as_json)


def _document(book: Rulebook) -> dict[str, Any]:
    values = {name: {"value": shown, "cite": cite} for name, (shown, cite) in values_of(book).items()}
    return {
        "id": book.id, "game": book.game, "regulator": book.regulator, "edition": book.edition,
        "sha256": book.sha256, "values": values, "rows": book.rows, "readings": book.readings,
        "choices": book.choices,
    }  # fmt: skip


def _show_page(book: Rulebook) -> Iterator[str]:
    yield f"{book.id} ({book.game}, {book.regulator}, edition {book.edition})"
    yield f"  sha256 {book.sha256}"
    for name, (shown, cite) in values_of(book).items():
        yield f"  value {name} = {shown}: {', '.join(cite)}"
    roles = {action: duty.value for action, duty in book.duty_roles.items()}
    for rows in book.rows.values():
        for row in rows:
            yield from row_lines(row, roles)
    yield from map(question_line, book.questions.values())


@rulebook.command()
@click.argument("name", metavar="ID")
@click.argument("clause")
@click.option("--all", "is_all", is_flag=True, help="All that touches it, in the words of the rulebook.")
@EVERYWHERE
@AS_JSON
def explain(name: str, clause: str, is_all: bool, directory: Path | None, as_json: bool) -> None:
    """Explain a clause: what triggers it, what follows, who does what, and what the other documents say there.

    The role before a demand is the least one that may carry it out, or answer a hold; in brackets, what demands it.

    \b
    Example:
      tablewarden rulebook explain md-uth 13.I
      tablewarden rulebook explain fast-action '(i)(3)'
    """
    book = find_book(name, directory)
    others = [other for other in books(None, directory) if other.id != book.id]
    try:
        told = explanation(book, clause, others)
    except ClauseUnknown as exc:
        usage(exc)
    carried = _coverage(book, directory).clauses[clause]
    if as_json:
        show({"told": told, "carried": carried}, iter, True)
    else:
        lines = page(told)[1:] if is_all else brief(told)
        show([headline(told), f"  {_carried_line(carried)}", *lines], iter, False)


@rulebook.command()
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@click.option(
    "--chapter", "chapters", multiple=True, help="Only this chapter of the contents; may be given again."
)
@click.option("--all", "is_all", is_flag=True, help="Every chapter.")
@EVERYWHERE
@AS_JSON
def diff(
    left: str, right: str, chapters: tuple[str, ...], is_all: bool, directory: Path | None, as_json: bool
) -> None:
    """Show in what two rulebooks, or two editions of one, differ: the contents first, then chapter by chapter.

    Always exits 0, also where they differ.

    \b
    Example:
      tablewarden rulebook diff ma-uth md-uth
      tablewarden rulebook diff ma-uth md-uth --chapter pay --chapter shoe_jam
    """
    books = find_book(left, directory), find_book(right, directory)
    found = replace(difference(*books), left=left, right=right)  # two editions of one document have the same id
    if as_json:
        sides = [
            {"name": name, "id": book.id, "edition": book.edition, "sha256": book.sha256}
            for name, book in zip((left, right), books, strict=True)
        ]
        show({f.name: getattr(found, f.name) for f in fields(found)} | {"editions": sides}, iter, True)
    else:
        try:
            show(found, lambda found: diff_page(found, *books, chapters, is_all), False)
        except ChapterUnknown as exc:
            usage(exc)


@rulebook.command()
@click.argument("name", metavar="[ID]", required=False)
@click.option("--open", "only_open", is_flag=True, help="Only what is not carried out yet.")
@EVERYWHERE
@AS_JSON
def coverage(name: str | None, only_open: bool, directory: Path | None, as_json: bool) -> None:
    """List every clause with its class, what carries it, and the sums by class.

    What a clause must be stands there even where it is not carried out yet; that is then said and counted.

    \b
    Example:
      tablewarden rulebook coverage md-uth
      tablewarden rulebook coverage --open
    """
    found = [_coverage(book, directory) for book in books(name, directory)]
    if as_json:
        show([_coverage_document(each, only_open) for each in found], iter, True)
    else:
        show(found, lambda found: _coverage_page(found, only_open), False)


def _coverage(book: Rulebook, directory: Path | None) -> Coverage:
    try:
        return library.find_coverage(book, directory)
    except CoverageInvalid as exc:
        end(str(exc), USAGE)


def _coverage_document(found: Coverage, only_open: bool) -> dict[str, Any]:
    return {
        "rulebook": found.rulebook,
        "counts": found.counts(),
        "open": len(found.open()),
        "clauses": found.open() if only_open else found.clauses,
    }


def _coverage_page(found: Iterable[Coverage], only_open: bool) -> Iterator[str]:
    for each in found:
        for clause, carried in (each.open() if only_open else each.clauses).items():
            yield f"{each.rulebook} {clause:<14} {_carried_line(carried)}"
    yield f"{'':<12}" + "".join(f"{kind:>11}" for kind in (*Kind, "all", "not yet"))
    for each in found:
        numbers = (*each.counts().values(), len(each.clauses), len(each.open()))
        yield f"{each.rulebook:<12}" + "".join(f"{number:>11}" for number in numbers)


def _carried_line(carried: Carried) -> str:
    how = f" [{carried.how}]" if carried.how else ""
    missing = carried.todo.removeprefix("not yet: ")
    return f"{carried.kind:<10} {carried.says}{how}" + (f" NOT YET: {missing}" if missing else "")


@rulebook.command()
@click.argument("name", metavar="[ID]", required=False)
@click.option(
    "--table",
    "table_file",
    type=Place(exists=True, dir_okay=False),
    help="Only what is open at the table of this file.",
)
@click.option(
    "--makers",
    is_flag=True,
    help="Only the maker's choices, which nobody elects: a page to sign for each rulebook.",
)
@EVERYWHERE
@AS_JSON
def readings(
    name: str | None, table_file: Path | None, makers: bool, directory: Path | None, as_json: bool
) -> None:
    """List what a licensee elects: readings of what a text leaves open, and choices that it leaves to the house.

    A reading that moves money, voids hands or decides whether play goes on must be elected before a table opens.
    With --table, each question has what it bears on, and a section [elections] to paste follows. A reading with one choice is the
    maker's: nobody elects it.

    \b
    Example:
      tablewarden rulebook readings md-uth
      tablewarden rulebook readings --table config/tables/example.toml
      tablewarden rulebook readings ma-uth --makers
    """
    if table_file is not None:
        _at_table(name, table_file, as_json)
        return
    found = books(name, directory)
    if makers:
        alone = {book.id: {q.id: q for q in book.questions.values() if makers_choice(q)} for book in found}
        pages = [line for book in found for line in (*makers_page(book), "")]
        show(alone if as_json else pages, iter, as_json)
        return
    show({book.id: book.questions for book in found}, _readings_page, as_json)


def _at_table(name: str | None, table_file: Path, as_json: bool) -> None:
    """What is open at one table. A file whose elections are refused ends the command with its faults."""
    reading = read_config(table_file)
    if reading.law is None or any(fault.place.startswith("[elections]") for fault in reading.faults):
        end("\n".join((f"{table_file}: refused", *(f"  {fault}" for fault in reading.faults))), USAGE)
    if name is not None and name.partition("@")[0] != reading.law.rulebook.id:
        usage(ValueError(f"{table_file} is under {reading.law.rulebook.id}, not under {name}; leave {name} out"))
    asked = open_at(reading.law, reading.offered)
    if as_json:
        told = [{"effect": effect(reading.law.rulebook, question), "question": question} for question in asked]
        show(told, iter, True)
    else:
        show(list(table_page(reading.law, str(table_file), asked)), iter, False)


def _readings_page(asked: dict[str, dict[str, Question]]) -> Iterator[str]:
    for id_, questions in asked.items():
        for question in questions.values():
            yield f"{id_} {_question_head(question)}: {question.problem} [{', '.join(question.clauses)}]"
            for choice in question.choices:
                needs = ", ".join(f"{other} = {wanted}" for other, wanted in choice.needs)
                mark = "*" if choice.id == question.cautious else " "
                yield f"  {mark} {choice.id}: {choice.says}{f' (needs {needs})' if needs else ''}"
    yield "* = cautious, the choice to think about first; nothing is elected by silence"


def _question_head(question: Question) -> str:
    must = f"must be elected{f' where {question.wager} is offered' if question.wager else ''}"
    if makers_choice(question):
        return f"{question.id} (the maker's choice)"
    if isinstance(question, Reading):
        return f"{question.id}{f' ({must})' if question.moves else ''}"
    everywhere = question.everywhere is not None and question.everywhere.value
    return f"house choice {question.id} ({must}{', alike at every table' if everywhere else ''})"


rulebook.add_command(edge)
