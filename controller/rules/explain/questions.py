"""Questions of a rulebook for the people who answer them: what each decides, which are new, and a section to paste."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from textwrap import wrap

from controller.rules.citation import Cited
from controller.rules.elections import decided_by
from controller.rules.explain.words import TRIGGERS
from controller.rules.model import HouseChoice, Law, Question, Reading, Rulebook
from controller.rules.vocabulary import Action, Trigger

VALUES = {
    "settlement": "what wagers come to",
    "pay": "what is paid",
    "limits": "the most that is paid",
    "play": "how a round goes, and what was collected before a void",
    "stub": "when the stub is counted",
    "deck_change": "when a set is changed",
    "dealing": "how cards are dealt",
    "wagers": "which wagers are accepted",
    "progressive": "the progressive",
    "hand": "how many cards make a hand",
    "idle": "what is done at an idle table",
    "opening": "the opening of the table",
    "devices": "which devices may serve",
    "seats": "the number of seats",
    "positions": "how many positions a player may have",
    "cut": "the cut",
    "shuffle": "when cards are shuffled",
    "decks": "the sets of cards",
    "editions": "which text is followed",
}
"""What the sections of a rulebook are about, for values that hang on a question."""


BEARS_ON: dict[str, Callable[[str], bool]] = {
    "wagers": lambda action: action.startswith(("return_", "collect_", "settle_")) or action.endswith("_wagers"),
    "void hands": lambda action: action.startswith("void_"),
    "whether play goes on": lambda action: action in (Action.HOLD_ROUND, Action.PLAY_ON),
    "cards": lambda action: action.startswith(
        ("reshuffle", "clear_", "remove_set", "change_set", "card_to", "use_as")
    ),
    "duties": lambda action: action.startswith(("count_stub", "cover_or_sign", "follow_house", "by_approved")),
}
"""What a choice may move, with the actions that move it."""

FEW = 3
WIDTH = 100
"""Columns of a page that people read or print."""


def effect(rulebook: Rulebook, question: Question) -> str:
    """What the answer bears on, and when the question comes up at the table, in one or two sentences."""
    actions = {action for _, do in _steps(rulebook, question) for action in do}
    bears_on = [words for words, moves in BEARS_ON.items() if any(map(moves, actions))]
    hanging = _hanging_in(_Same(rulebook))
    bears_on += [
        words
        for name, words in VALUES.items()
        if (_carries(question, name) or question.id in hanging[name]) and words not in bears_on
    ]
    comes_up = [TRIGGERS[trigger] for trigger in _triggers(rulebook, question)]
    more = f"; and {len(comes_up) - FEW} more cases" if len(comes_up) > FEW else ""
    when = f" Comes up: {'; '.join(comes_up[:FEW])}{more}." if comes_up else ""
    return f"Bears on {', '.join(bears_on) or 'how the clauses are read'}.{when}"


def _carries(question: Question, name: str) -> bool:
    """Whether the software carries this choice of the maker in that part of the law."""
    return isinstance(question, Reading) and question.bears_on == name


class _Same:
    """A rulebook as the key of a cache: equal to itself alone, as its parts have no hash."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.rulebook is self.rulebook

    def __hash__(self) -> int:
        return id(self.rulebook)


@lru_cache(maxsize=8)
def _hanging_in(same: _Same) -> dict[str, set[str]]:
    """Returns part of the rulebook -> the questions on which it hangs; a walk through all of it takes a tenth of a second."""
    return {name: _hanging(getattr(same.rulebook, name, ())) for name in VALUES}


def _hanging(part: object) -> set[str]:
    """Readings and house choices on which a value in this part rests, or by which it is chosen."""
    found = set(decided_by(part))
    match part:
        case Cited(reading=str(reading)):
            found.add(reading)
        case Mapping():
            found.update(*map(_hanging, part.values()))
        case tuple():
            found.update(*map(_hanging, part))
        case _ if is_dataclass(part):
            found.update(*(_hanging(getattr(part, field.name)) for field in fields(part)))
    return found


def _triggers(rulebook: Rulebook, question: Question) -> list[Trigger]:
    return list(dict.fromkeys(trigger for trigger, _ in _steps(rulebook, question)))


def _steps(rulebook: Rulebook, question: Question) -> Iterator[tuple[Trigger, tuple[str, ...]]]:
    for trigger, rows in rulebook.rows.items():
        for row in rows:
            for step in row.by_reading:
                if any(reading == question.id for reading, _ in step.condition):
                    yield trigger, tuple(demand.word for demand in step.do)
            if (
                isinstance(question, Reading) and question.governs is trigger
            ):  # it decides whether this happens at all
                yield trigger, tuple(demand.word for demand in row.do)


def makers_choice(question: Question) -> bool:
    """Returns True if a question has one choice: the maker of the rulebook chose it, and nobody elects."""
    return len(question.choices) == 1


def ordered(questions: Collection[Question]) -> list[Question]:
    """Readings by their number, then the house choices by name."""
    return sorted(questions, key=lambda q: (isinstance(q, HouseChoice), _number(q.id), q.id))


def _number(id_: str) -> int:
    return int(id_.removeprefix("R-")) if id_.startswith("R-") else 0


def asked_at(question: Question, offered: Collection[str] | None) -> bool:
    """True where the question concerns a table with these optional wagers; None: not known, so it does."""
    return question.wager is None or offered is None or question.wager in offered


def new_since(law: Law, offered: Collection[str] | None, as_of: str | None) -> list[Question]:
    """Questions that the elections do not answer and that were added after `as_of`, the newest day that they cover.

    `as_of`: None where the elections do not say; then every question that was ever added counts as new.
    """
    return ordered(
        [
            question
            for question in law.rulebook.questions.values()
            if question.since is not None
            and (as_of is None or question.since > as_of)
            and question.id not in law.elections
            and asked_at(question, offered)
        ]
    )


def newest(rulebook: Rulebook) -> str | None:
    """The day of the newest question; None where all stood there from the beginning."""
    return max((q.since for q in rulebook.questions.values() if q.since), default=None)


def open_at(law: Law, offered: Collection[str] | None) -> list[Question]:
    """Questions that concern a table with these optional wagers, have several choices, and that nobody elected, in order."""
    asked = (q for q in law.rulebook.questions.values() if q.id not in law.elections and asked_at(q, offered))
    return ordered([q for q in asked if not makers_choice(q)])


def table_page(law: Law, where: str, asked: Collection[Question]) -> Iterator[str]:
    """What is open at one table, each question with what it bears on, then the section to paste into its file."""
    many = {0: "no question is open", 1: "1 question is open"}.get(len(asked), f"{len(asked)} questions are open")
    yield f"{where}, under {law.rulebook.id}: {many}"
    for question in asked:
        yield from ("", f"{question.id}  [{', '.join(question.clauses)}]")
        yield from _wrapped(question.problem)
        yield from _wrapped(effect(law.rulebook, question))
        for choice in question.choices:
            needs = ", ".join(f"{other} = {wanted}" for other, wanted in choice.needs)
            mark = "*" if choice.id == question.cautious else " "
            yield from _wrapped(f"{choice.id}: {choice.says}{f' (needs {needs})' if needs else ''}", f"  {mark} ")
    yield from (
        "",
        "* = cautious, the choice to think about first. Fill in choice and name, and put this into the file:",
        "",
    )
    made = {id_: (election.choice, election.by) for id_, election in law.elections.items()}
    yield from to_paste(law.rulebook, asked, made)


def makers_page(rulebook: Rulebook) -> Iterator[str]:
    """Every choice that the maker of the rulebook made alone, with room to sign each: a page for a regulator."""
    alone = ordered([q for q in rulebook.questions.values() if makers_choice(q)])
    yield f"The maker's choices in {rulebook.id}: {rulebook.game}"
    yield f"{rulebook.regulator}, edition {rulebook.edition}"
    yield f"sha256 {rulebook.sha256}"
    yield from _wrapped(
        f"The text leaves these {len(alone)} questions open, and the rulebook answers each in one way. Nobody elects them. "
        "Your signature agrees to the choice. If you do not agree, ask for another edition of the rulebook.", ""
    )  # fmt: skip
    for question in alone:
        (choice,) = question.choices
        yield from ("", f"{question.id}  [{', '.join(question.clauses)}]")
        yield from _wrapped(question.problem, "  Question  ")
        yield from _wrapped(f"{choice.id}: {choice.says}", "  Choice    ")
        if isinstance(question, Reading) and question.why:
            yield from _wrapped(question.why, "  Why       ")
        yield from _wrapped(effect(rulebook, question) + _moves(question), "  Effect    ")
        yield f"  Name {'.' * 28}  Date {'.' * 12}  Signature {'.' * 28}"


def _moves(question: Question) -> str:
    moves = isinstance(question, Reading) and question.moves
    return " It moves wagers, voids hands or decides whether play goes on." if moves else ""


def _wrapped(text: str, head: str = "    ") -> list[str]:
    return wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)


def to_paste(rulebook: Rulebook, asked: Collection[Question], made: Mapping[str, tuple[str, str]]) -> list[str]:
    """The section [elections] of a table: what is elected, and a line to fill in for each question that is `asked`.

    `made`: elections of before, id -> (choice, by). A line to fill in has no choice and no name, so that nothing is elected by
    pasting: the choices stand behind it, the cautious one marked.
    """
    day = newest(rulebook)
    lines = ["[elections]", *([f"questions_as_of = {day}"] if day else [])]
    lines += [f'"{id_}" = {{ choice = "{choice}", by = "{by}" }}' for id_, (choice, by) in made.items()]
    for question in ordered(asked):
        choices = " | ".join(
            f"{c.id}{' (cautious)' if c.id == question.cautious else ''}" for c in question.choices
        )
        lines.append(f'"{question.id}" = {{ choice = "", by = "" }}  # {choices}')
    return lines
