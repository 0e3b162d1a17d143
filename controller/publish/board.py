"""The retained states: the latest value of each thing at the table, as it should be at the broker."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


BESIDE = ("sequence", "time")
"""Keys that say of when a value is, and are no part of it."""


class Board:
    """Compares wanted states with what the broker has. At most one message of a thing is under way."""

    def __init__(self) -> None:
        self._wanted: dict[str, bytes] = {}
        self._values: dict[str, bytes] = {}
        self._due: dict[str, None] = {}  # a set in order of change
        self._on_way: set[str] = set()

    def refresh(self, states: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Takes the present states; None is sent as an empty message. One that differs only in `BESIDE` is not sent."""
        for thing, body in states.items():
            bare = {key: part for key, part in body.items() if key not in BESIDE} if body is not None else None
            value = b"" if bare is None else _ENCODER.encode(bare)
            if self._values.get(thing) != value:
                self._values[thing], self._wanted[thing] = value, b"" if body is None else _ENCODER.encode(body)
                self._due[thing] = None
        for thing in self._values.keys() - states.keys():
            del self._values[thing]
            self._wanted[thing] = b""  # an empty retained message deletes the topic of a removed device
            self._due[thing] = None

    def begin(self) -> None:
        """Marks every state as due: a new broker connection may have lost them."""
        self._on_way.clear()
        self._due = dict.fromkeys(self._wanted)

    def all_due(self) -> None:
        """Marks every state as due."""
        self._due = dict.fromkeys(self._wanted)

    def due(self, thing: str) -> None:
        """Marks the state of `thing` as due."""
        if thing in self._wanted:
            self._due[thing] = None

    def peek(self, held: Callable[[str], bool] = lambda thing: False) -> tuple[str, bytes] | None:
        """Returns a thing that is due and not `held`, and its state."""
        free = (thing for thing in self._due if thing not in self._on_way and not held(thing))
        return next(((thing, self._wanted[thing]) for thing in free), None)

    def sent(self, thing: str) -> None:
        """Notes that a state was handed to the broker and waits for the answer."""
        self._due.pop(thing, None)
        self._on_way.add(thing)

    def answered(self, thing: str) -> None:
        """Notes the broker's answer; a refused state is sent again only when it changes."""
        self._on_way.discard(thing)

    def skip(self, thing: str) -> None:
        """Gives up on the present state of `thing`."""
        self._due.pop(thing, None)
