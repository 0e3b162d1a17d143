"""Retained state: the latest value of each thing at the table, as it should stand at the broker."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

__all__ = ["Board"]

_ENCODER = msgspec.json.Encoder(order="sorted")


class Board:
    """Wanted bodies against what the broker was told. At most one message of a thing is on its way at a time."""

    def __init__(self) -> None:
        self._wanted: dict[str, bytes] = {}
        self._values: dict[str, bytes] = {}
        self._due: dict[str, None] = {}  # a set in order of change
        self._on_way: set[str] = set()

    def refresh(self, states: Mapping[str, Mapping[str, Any]]) -> None:
        """Takes the present bodies. A body that differs only in its `sequence` tells nothing new and is not sent."""
        for thing, body in states.items():
            value = _ENCODER.encode({key: part for key, part in body.items() if key != "sequence"})
            if self._values.get(thing) != value:
                self._values[thing], self._wanted[thing] = value, _ENCODER.encode(body)
                self._due[thing] = None
        for thing in self._values.keys() - states.keys():
            del self._values[thing]
            self._wanted[thing] = b""  # an empty retained message deletes the topic of a removed device
            self._due[thing] = None

    def begin(self) -> None:
        """A connection begins: the broker may have forgotten everything."""
        self._on_way.clear()
        self._due = dict.fromkeys(self._wanted)

    def all_due(self) -> None:
        """Everything is to be told again."""
        self._due = dict.fromkeys(self._wanted)

    def due(self, thing: str) -> None:
        """The present body of `thing` is to be told again."""
        if thing in self._wanted:
            self._due[thing] = None

    def peek(self, held: Callable[[str], bool] = lambda thing: False) -> tuple[str, bytes] | None:
        """A thing that is due and not `held`, and its body."""
        free = (thing for thing in self._due if thing not in self._on_way and not held(thing))
        return next(((thing, self._wanted[thing]) for thing in free), None)

    def sent(self, thing: str) -> None:
        """Notes that a state was handed to the broker and waits for the answer."""
        self._due.pop(thing, None)
        self._on_way.add(thing)

    def answered(self, thing: str) -> None:
        """Answered either way: a refused state is told again when it changes, not before."""
        self._on_way.discard(thing)

    def skip(self, thing: str) -> None:
        """Gives up on the present body of `thing`."""
        self._due.pop(thing, None)
