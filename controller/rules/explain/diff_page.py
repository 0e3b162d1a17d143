"""The difference of two rulebooks on pages for a person: a page of contents, and a page for each chapter."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from controller.readers.nearest import nearest
from controller.rules.explain.diff import AnswerDiffers, Difference, ValueDiffers
from controller.rules.explain.explain import question_line
from controller.rules.explain.pay_diff import PayDiffers
from controller.rules.explain.words import action_in_words, row_in_words, spoken, value_in_words
from controller.rules.model import Row, Rulebook

CHAPTERS: Mapping[str, tuple[str, ...]] = {
    "cards": ("decks", "opening", "shuffle", "cut", "idle", "stub", "discards", "deck_change", "not_kept"),
    "people": ("seats", "positions", "adjacent", "duty ", "act "),
    "devices": ("devices",),
    "dealing": ("dealing",),
    "wagers": ("wagers", "limits", "progressive"),
    "hands": ("hand", "ranking"),
    "play": ("play",),
    "settlement": ("settlement",),
}
"""Chapters of values, each with the first words of its values' names. Pay tables, triggers and questions have their own."""
PAY, QUESTIONS = "pay", "questions"
ACROSS = 4
"""Chapters in a line of the contents."""


class ChapterUnknown(Exception):
    """These two documents have no difference under that name."""

    def __init__(self, name: str, chapters: Iterable[str]) -> None:
        super().__init__(f"no chapter {name!r} {nearest(name, list(chapters))}")


def diff_page(
    found: Difference, left: Rulebook, right: Rulebook, wanted: Sequence[str] = (), is_all: bool = False
) -> Iterator[str]:
    """Yields the lines: the contents, or the wanted chapters. Raises `ChapterUnknown`."""
    chapters = chapters_of(found)
    unknown = [name for name in wanted if name not in chapters]
    if unknown:
        raise ChapterUnknown(unknown[0], chapters)
    return _lines(found, left, right, chapters, tuple(chapters) if is_all else tuple(wanted))


def chapters_of(found: Difference) -> dict[str, tuple[int, list[str]]]:
    """Each chapter in which the two differ: the number of differences, and its lines."""
    pages: dict[str, tuple[int, list[str]]] = {}
    for chapter, starts in CHAPTERS.items():
        values = [value for value in found.values if value.name.startswith(starts)]
        pages[chapter] = len(values), [_value_line(value) for value in values]
    pages[PAY] = len(found.pay), list(_pay_lines(found))
    for trigger in dict.fromkeys(answer.trigger for answer in found.answers):
        answers = [answer for answer in found.answers if answer.trigger is trigger]
        pages[str(trigger)] = len(answers), [line for answer in answers for line in _answer_lines(answer, found)]
    asked = [(found.left, question) for question in found.only_left]
    asked += [(found.right, question) for question in found.only_right]
    pages[QUESTIONS] = len(asked), [f"only {id_}:{question_line(question)[1:]}" for id_, question in asked]
    return {chapter: page for chapter, page in pages.items() if page[0]}


def _lines(
    found: Difference,
    left: Rulebook,
    right: Rulebook,
    chapters: Mapping[str, tuple[int, list[str]]],
    wanted: tuple[str, ...],
) -> Iterator[str]:
    yield f"{_edition(found.left, left)} -> {_edition(found.right, right)}"
    if left.sha256 == right.sha256:
        yield "  the same file"
    elif not chapters:
        yield "  no difference in values, pay tables, answers or questions"
    elif not wanted:
        yield "  differences by chapter:"
        names = [f"{name} {count}" for name, (count, _) in chapters.items()]
        for at in range(0, len(names), ACROSS):
            yield "    " + "".join(f"{name:32}" for name in names[at : at + ACROSS]).rstrip()
        yield f"  read one: tablewarden rulebook diff {found.left} {found.right} --chapter {next(iter(chapters))}"
    for name in wanted:
        yield name
        yield from (f"  {line}" for line in chapters[name][1])


def _edition(name: str, book: Rulebook) -> str:
    return f"{name} (edition {book.edition}, sha256 {book.sha256[:16]})"


def _value_line(value: ValueDiffers) -> str:
    sides = ((value.left, value.left_cite), (value.right, value.right_cite))
    left, right = ("-" if shown is None else f"{shown} [{', '.join(cite)}]" for shown, cite in sides)
    return f"{value_in_words(value.name)}: {spoken(left)} -> {spoken(right)}"


def _pay_lines(found: Difference) -> Iterator[str]:
    """Paired tables line by line, then the tables without a pair, one line a wager."""
    alone: dict[tuple[str, str], list[PayDiffers]] = {}
    for table in found.pay:
        if table.left is not None and table.right is not None:
            name = table.left if table.left == table.right else f"{table.left} -> {table.right}"
            yield f"{name} [{', '.join(table.cite)}], {table.alike} hands alike:"
            for line in table.lines:
                yield f"  {line.hand}: {line.left or '-'} -> {line.right or '-'}"
        else:
            side = found.right if table.left is None else found.left
            wager = (table.left or table.right or "").split()[0]
            alone.setdefault((side, wager), []).append(table)
    for (side, wager), tables in alone.items():
        names = ", ".join((table.left or table.right or "").removeprefix(f"{wager} ") for table in tables)
        cites = ", ".join(dict.fromkeys(clause for table in tables for clause in table.cite))
        yield f"only {side}: {wager}: {names} [{cites}]"


def _answer_lines(answer: AnswerDiffers, found: Difference) -> Iterator[str]:
    yield " | ".join(dict.fromkeys((row_in_words(answer.left), row_in_words(answer.right)))) + ":"
    for id_, row, only in (
        (found.left, answer.left, answer.only_left),
        (found.right, answer.right, answer.only_right),
    ):
        alone = f" Only here: {'; '.join(map(action_in_words, only))}." if only else ""
        yield f"  {id_} {_where(row)}: {row.says}{alone}"


def _where(row: Row) -> str:
    return "(not in this game)" if row.absent else "(silent)" if row.silent else ", ".join(row.cite)
