"""Demands that name their wager, as bodies of the first version have them: action and wager in one word, `settle_trips`. Pure.

The program keeps the two apart. What leaves it is in one word until the bodies get their next version; what is read is parted.
"""

from typing import Any

from controller.rules.named_wagers import ABOUT_ONE, parted, word_of
from controller.rules.vocabulary import Action
from controller.table.words.facts.demands import DispositionMade, DutyClosed, DutyOpened

NAMED = frozenset({DispositionMade.kind, DutyOpened.kind, DutyClosed.kind})
"""Kinds whose bodies hold a demand or a duty."""


def in_one_word(kind: str, body: dict[str, Any]) -> dict[str, Any]:
    """The body as it is recorded."""
    if kind == DispositionMade.kind:
        for demand in body["demands"]:
            demand["action"] = word_of(demand["action"], demand.get("wager"))
        return body
    return duty_in_one_word(body)


def duty_in_one_word(duty: dict[str, Any]) -> dict[str, Any]:
    """A duty without a wager of its own."""
    duty["action"] = word_of(duty["action"], duty.pop("wager", None))
    return duty


def named(kind: str, body: dict[str, Any]) -> dict[str, Any]:
    """A recorded body in its present form: action and wager apart."""
    for part in body.get("demands", ()) if kind == DispositionMade.kind else (body,):
        duty_named(part)
    return body


def duty_named(part: dict[str, Any]) -> dict[str, Any]:
    """One demand or duty in its present form. What is no action stays as it is, for its reader to refuse."""
    word = part.get("action")
    if isinstance(word, str) and word not in list(Action):
        try:
            action, part["wager"] = parted(word)
        except ValueError:
            return part
        part["action"] = action.value
    return part


def shapes_in_one_word(shapes: dict[str, Any]) -> None:
    """Makes the JSON Schema of the bodies say what is recorded. `shapes`: by the name of the class."""
    alone = [action.value for action in sorted(Action) if action not in ABOUT_ONE]
    with_wager = {"type": "string", "pattern": f"^({'|'.join(ABOUT_ONE)})_[a-z0-9_]+$"}
    action = shapes[Action.__name__]
    del action["enum"]
    action["anyOf"] = [{"enum": alone}, with_wager]
    for duty in (DutyOpened, DutyClosed):
        del shapes[duty.__name__]["properties"]["wager"]
