"""The folded state between two rounds as JSON text, which runs no code of its reader: in a snapshot, and where a day ends."""

from collections.abc import Callable
from typing import Any, get_type_hints

import msgspec

from controller.table.state.table import State
from controller.table.words.codec import MAX_TEXT
from controller.table.words.named_bodies import duty_in_one_word, duty_named

_HINTS = get_type_hints(State)
_FIELDS = [f for f in msgspec.structs.fields(State) if f.name != "round"]
_KEPT = [f.name for f in _FIELDS]
_REQUIRED = [(f.name, _HINTS[f.name]) for f in _FIELDS if f.required]
_GAINED = [
    (
        f.name,
        _HINTS[f.name],
        f.default if f.default is not msgspec.NODEFAULT else msgspec.field(default_factory=f.default_factory),
    )
    for f in _FIELDS
    if not f.required
]
_Between = msgspec.defstruct("_Between", [*_REQUIRED, *_GAINED], frozen=True, forbid_unknown_fields=True)
"""A state without the one thing that holds code: the game of a round in play."""


class StateUnreadable(Exception):
    """The text is no state that this software knows."""


def carried(state: State) -> tuple[str, ...]:
    """The state as JSON, in parts that a body takes. Raises `ValueError` in a round."""
    if state.round is not None:
        raise ValueError("a state is carried between two rounds")
    data = msgspec.json.encode(_Between(**{name: getattr(state, name) for name in _KEPT}))
    text = (_with_duties(data, duty_in_one_word) if state.duties else data).decode()
    return tuple(text[at : at + MAX_TEXT] for at in range(0, len(text), MAX_TEXT))


def _with_duties(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The text with each duty changed."""
    raw = msgspec.json.decode(data)
    for duty in raw.get("duties", {}).values():
        change(duty)
    return msgspec.json.encode(raw)


def state_of(folded: tuple[str, ...]) -> State:
    """The state that these parts hold, as it was. Raises `StateUnreadable`."""
    try:
        told: Any = msgspec.json.decode(_with_duties("".join(folded).encode(), duty_named), type=_Between)
    except (msgspec.MsgspecError, RecursionError, AttributeError) as exc:
        raise StateUnreadable(str(exc)) from exc
    return State(**{name: getattr(told, name) for name in _KEPT})
