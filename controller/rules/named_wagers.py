"""Demands and conditions that name one wager: the words that a rulebook and a record have for them. Pure.

No wager of any game stands in this vocabulary: a rulebook names its own. A demand about one wager is an action of `ABOUT_ONE`
with the wager's name, and `return_ante` in one word; that somebody has placed the wager is the condition `ante_placed`.
"""

from typing import Annotated

from msgspec import Meta

from controller.rules.vocabulary import GUARDS_OF, Action, Guard, Trigger

ABOUT_ONE = (Action.RETURN, Action.HOLD, Action.SETTLE, Action.COLLECT)
"""Actions about the one wager that their demand names."""
ASK_PLACED = (Trigger.CARD_FACE_UP, Trigger.DEALER_CARD_EXPOSED, Trigger.WRONG_COUNT_DEALER)
"""Triggers whose rows may ask whether somebody has placed a certain wager."""
_PLACED = "_placed"

ConditionWord = Annotated[
    str, Meta(extra_json_schema={"anyOf": [{"enum": [*map(str, Guard)]}, {"pattern": f"^[a-z0-9_]+{_PLACED}$"}]})
]
"""A guard of the vocabulary, or that a certain wager is placed."""


def word_of(action: str, wager: str | None) -> str:
    """The one word for an action, with the wager that it is about where it is about one: `return_ante`, `reshuffle`."""
    return str(action) if wager is None else f"{action}_{wager}"


def parted(word: str) -> tuple[Action, str | None]:
    """The action and the wager of one word. Raises `ValueError` for what is no action."""
    if word in _ACTIONS:
        return Action(word), None
    action, _, wager = word.partition("_")
    if action not in ABOUT_ONE or not wager:
        raise ValueError(f"{word!r} is no action")
    return Action(action), wager


def placed(wager: str) -> str:
    """The condition that somebody has placed this wager."""
    return wager + _PLACED


def asked_about(condition: str) -> str | None:
    """The wager that this condition asks about; None for a guard, which is about something else."""
    name = condition.removesuffix(_PLACED)
    return name if name and name != condition else None


def belongs(trigger: Trigger, condition: str) -> bool:
    """Whether a row of this trigger may ask for the condition."""
    return condition in GUARDS_OF[trigger] or (trigger in ASK_PLACED and asked_about(condition) is not None)


_ACTIONS = frozenset(map(str, Action))
