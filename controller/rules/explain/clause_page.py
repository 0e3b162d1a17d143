"""One clause on one page for a person: what triggers it, what follows, who does what, and where other documents differ."""

from collections.abc import Iterable, Iterator

from controller.rules.citation import within
from controller.rules.explain.explain import (
    EACH_WAY,
    Answer,
    Elsewhere,
    Explanation,
    cites_of,
    left_open,
    question_line,
    touches,
)
from controller.rules.explain.words import (
    TRIGGERS,
    action_in_words,
    condition_in_words,
    row_in_words,
    spoken,
    value_in_words,
)
from controller.rules.model import Question, Row
from controller.rules.vocabulary import Action, Trigger

INDENT = "    "
PAY = "pay."


def brief(told: Explanation) -> list[str]:
    """Values, the answers that the clause itself demands, and the rest by name: first line and class are the caller's."""
    lines = list(_values(told))
    in_full = _in_full(told)
    for answer in in_full:
        lines += _answer(answer)
    rest = [answer.row for answer in told.answers if answer not in in_full]
    acts = [row for row in rest if not row.silent and not row.absent]
    lines += _rest("It also has a part in", acts, in_full)
    lines += _rest("It is silent on, and readings answer", [row for row in rest if row.silent], in_full)
    if told.parts:
        lines.append(f"  {'; '.join(told.parts)}")
    lines += _questions(told, in_full)
    return lines


def _in_full(told: Explanation) -> list[Answer]:
    """What rests on this clause alone; else what it shares; else, where it says nothing at all, what it is silent on."""
    demanded = [a for a in told.answers if any(touches(told.clause, demand.cite) for demand in a.row.do)]
    alone = [a for a in demanded if all(within(cite, told.clause) for cite in cites_of(a.row))]
    left = [a for a in told.answers if told.clause in a.row.cite and not a.row.do and not a.row.absent]
    answered = [a for a in left if not a.row.silent]
    return alone or demanded or answered or ([] if told.values else left)


def _values(told: Explanation) -> Iterator[str]:
    """Values in words; those that only count up in one line, and so the rows of a pay table."""
    lists: dict[str, list[str]] = {}
    for name, shown in told.values.items():
        head, _, last = name.rpartition(".")
        if head.startswith(PAY):
            lists.setdefault(head, []).append(f"{last} {shown}")
        else:
            lists.setdefault(head if last.isdigit() else name, []).append(shown)
    for name, shown_all in lists.items():
        yield f"  {value_in_words(name)}: {spoken(_listed(shown_all))}"


def _listed(shown: list[str]) -> str:
    """What is repeated turn by turn is said once, and so is a reading that all of it rests on."""
    bare, rest = {each.partition(" (by reading ")[2] for each in shown}, ""
    if len(shown) > 1 and len(bare) == 1 and (reading := bare.pop()):
        shown, rest = [each.partition(" (by reading ")[0] for each in shown], f" (by reading {reading}"
    turn = next(n for n in range(1, len(shown) + 1) if shown == shown[:n] * (len(shown) // n))
    times = f", {len(shown) // turn} times" if turn < len(shown) else ""
    return "; ".join(shown[:turn]) + times + rest


def _answer(answer: Answer) -> Iterator[str]:
    """The demands of the text first, each with its clause, then those of readings under the election that makes them."""
    row = answer.row
    yield f"  {row_in_words(row)}:"
    yield f"{INDENT}{row.says}"
    for demand in row.do:
        yield f"{INDENT}- {_who_does(answer, demand.word)} [{', '.join(demand.cite)}]"
    for step in row.by_reading:
        elected = " and ".join(f"{reading} = {choice}" for reading, choice in step.condition)
        yield f"{INDENT}- if {elected}: {'; '.join(_who_does(answer, demand.word) for demand in step.do)}"
    for text, where in _alike(answer):
        yield f"{INDENT}{'; '.join(where)}: {text}"


def _who_does(answer: Answer, word: str) -> str:
    named = word in answer.roles and word != Action.CALL_FLOORPERSON  # whom to call says who closes it
    return f"{answer.roles[word]}: {action_in_words(word)}" if named else action_in_words(word)


def _alike(answer: Answer) -> Iterable[tuple[str, list[str]]]:
    """What other documents answer, each answer with those that give it."""
    alike: dict[str, list[str]] = {}
    for other in answer.elsewhere:
        row = other.row
        cite = "" if row.absent or row.silent else f" {', '.join(row.cite)}"
        alike.setdefault(_differs(answer, other), []).append(f"{other.rulebook}{cite}")
    return alike.items()


def _differs(here: Answer, other: Elsewhere) -> str:
    row = other.row
    if row.absent:
        return f"not in this game. {row.says}"
    given = [condition_in_words(c) for c in row.when if c.guard in EACH_WAY and c.guard in left_open(here.row)]
    where = f"where {' and '.join(given)}: " if given else ""
    if row.silent:
        return f"{where}the text is silent. {row.says}"
    lacks = f" Not demanded there: {_words(other.only_here)}." if other.only_here else ""
    besides = "besides" if here.row.do else "there"
    adds = f" Demanded {besides}: {_words(other.only_there)}." if other.only_there else ""
    return f"{where}{row.says}{lacks}{adds}" if lacks or adds else f"{where}the same follows. {row.says}"


def _words(actions: Iterable[str]) -> str:
    return "; ".join(map(action_in_words, actions))


def _rest(head: str, rows: Iterable[Row], in_full: list[Answer]) -> Iterator[str]:
    """By the trigger, with every clause that is named for it."""
    cites: dict[Trigger, dict[str, None]] = {}
    for row in rows:
        cites.setdefault(row.trigger, {}).update(dict.fromkeys(row.cite))
    told = {answer.row.trigger for answer in in_full}
    if cites:
        yield f"  {head}:"
    for trigger, clauses in cites.items():
        state = ", in other states of the table" if trigger in told else ""
        yield f"{INDENT}{TRIGGERS[trigger]}{state} [{', '.join(clauses)}]"


def _questions(told: Explanation, in_full: list[Answer]) -> Iterator[str]:
    """Those that what stands above hangs on in full, the others by name."""
    asked = {reading for answer in in_full for step in answer.row.by_reading for reading, _ in step.condition}
    shown: list[Question] = [q for q in told.questions if q.id in asked or not in_full]
    yield from map(question_line, shown)
    if rest := [q.id for q in told.questions if q not in shown]:
        yield f"  other questions that touch it: {', '.join(rest)} (--all tells them)"
