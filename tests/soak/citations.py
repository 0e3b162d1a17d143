"""Which clauses speak of a table, written anew from the texts: what a fact cites is held against this, not against a rulebook.

No rulebook is read here. A clause that stands under no entry speaks of every table.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from controller.rules.vocabulary import Method
from controller.table.state.table import Setup
from controller.table.words import facts as f

Speaks: TypeAlias = Callable[[Setup, frozenset[Method]], bool]
"""Whether it does at this table, dealt in one of these ways."""


def dealt(*methods: str) -> Speaks:
    return lambda setup, used: any(method.value in methods for method in used)


def elected(question: str, *choices: str) -> Speaks:
    """True, too, where nobody has elected."""
    return lambda setup, used: setup.law.elected(question) in (None, *choices)


def stands(*kinds: str) -> Speaks:
    return lambda setup, used: any(device.kind.value in kinds for device in setup.devices.values())


def offers(*wagers: str) -> Speaks:
    return lambda setup, used: not setup.offered.isdisjoint(wagers)


def two_sets(setup: Setup, used: frozenset[Method]) -> bool:
    return len(setup.backs) == 2


SPEAKS: dict[str, tuple[tuple[str, Speaks], ...]] = {
    "ma-colorado": (
        (r"(10|12)\b.*", elected("version", "required_bet")),
        (r"(11|13)\b.*", elected("version", "permissible_bet")),
        (r"7(\([a-d]\).*)?", dealt("manual_shoe")),
        (r"8\b.*", dealt("hand")),
        (r"9\b.*", dealt("dealing_shoe", "shuffler")),
        (r"2\(b\)\(\d\)|4\(d\)", two_sets),
        (r"14\(e\)", stands("shuffler")),
        (r"7\(f\)|14\([fg]\)", stands("shuffler", "shoe")),
    ),
    "ma-uth": (
        (r"7(\([a-e]\).*)?", dealt("manual_shoe")),
        (r"8\b.*", dealt("hand")),
        (r"9\b.*", dealt("dealing_shoe", "shuffler")),
        (r"2\(b\)\(\d\)|3\(d\)", two_sets),
        (r"15\(e\)", stands("shuffler")),
        (r"15\([fg]\)", stands("shuffler", "shoe")),
    ),
    "md-uth": (
        (r"8\b.*", dealt("manual_shoe")),
        (r"9\b.*", dealt("hand")),
        (r"10|10\.[AC-F].*|10\.B(\([2-5]\))?", dealt("dealing_shoe", "shuffler")),
        (r"3\.C\(1\)", dealt("hand")),
        (r"3\.C\(2\)", dealt("manual_shoe", "dealing_shoe")),
        (r"11\.[CE]\(1\)", dealt("hand", "manual_shoe")),
        (r"10\.B\(3\)", elected("dealer_stack", "dealer_first")),
        (r"10\.B\(4\)", elected("dealer_stack", "after_decisions")),
        (r"12\.B\(1\).*", elected("blind_table", "A")),
        (r"12\.B\(2\).*", elected("blind_table", "B")),
        (r"3\.B\(\d\)|4\.E", two_sets),
        (r"2\.C.*|8\.C\([2-4]\)|9\.A\(3\)\(.*|10\.A\(2\)\(b\).*|11\.J.*|12\.D.*", offers("progressive")),
        (r"13\.H.*", stands("shuffler")),
        (r"5\.[EI].*|13\.[IJ].*", stands("shuffler", "shoe")),
    ),
    "nj-pikit": (
        (r"39\.7(\([a-d]\).*)?", dealt("manual_shoe")),
        (r"39\.8\b.*", dealt("hand")),
        (r"39\.9\b.*|39\.2\(c\)", dealt("dealing_shoe", "shuffler")),
        (r"39\.9\(c\)1", elected("dealer_stack", "with_players")),
        (r"39\.9\(c\)2", elected("dealer_stack", "after_decisions")),
        (r"39\.10\(e\)1.*", elected("settlement", "by_step")),
        (r"39\.10\(e\)2.*", elected("settlement", "by_player")),
        (r"39\.10\(f\)", elected("qualifier", "with")),
        (r"39\.2\(b\)\d|39\.5\(d\)", two_sets),
        (r"38\.12\(e\)", stands("shuffler")),
        (r"39\.7\(f\)|38\.12\([fg]\)", stands("shuffler", "shoe")),
    ),
    "fast-action": (
        (r"\(b\)\(4\)\(.*", two_sets),
        (r"\(d\)\(4\)|\(e\)\(8\)\(ii\).*", stands("shuffler")),
    ),
}
"""By rulebook: clauses as a pattern, and when they speak of a table."""
ALWAYS = (
    f.BetsClosed, f.ProgressiveCounted, f.StepTaken, f.CutAsked, f.SetCut, f.CuttingCardPlaced, f.CardBurned,
    f.SpreadRequested, f.StoreOpened, f.ShuffleDirected, f.StubCounted, f.RoundVoided, f.HandVoided, f.DutyOpened,
    f.DispositionMade, f.HandsFound, f.ProgressiveValidated, f.NoticePosted,
)  # fmt: skip
"""Facts that stand under a clause, or under a reading, each time."""


def silent_here(setup: Setup, used: frozenset[Method], clause: str) -> bool:
    """True of a clause that does not speak of this table."""
    return any(
        re.fullmatch(pattern, clause) is not None and not speaks(setup, used)
        for pattern, speaks in SPEAKS[setup.law.rulebook.id]
    )


def cited(event: Any) -> Iterator[str]:
    """Every clause that a fact cites, with those of what it asks or demands."""
    for part in (event, *getattr(event, "demands", ()), *getattr(event, "steps", ())):
        yield from getattr(part, "cite", ())


class Citations:
    """The eyes on what facts of one table cite."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._silent: dict[tuple[frozenset[Method], str], bool] = {}

    def look(self, event: Any, used: frozenset[Method]) -> None:
        """Raises `AssertionError` for a clause that does not speak of the table, and for a fact that stands under nothing."""
        for clause in cited(event):
            if (used, clause) not in self._silent:
                self._silent[used, clause] = silent_here(self.setup, used, clause)
            assert not self._silent[used, clause], f"{clause} says nothing of this table: {event}"
        if isinstance(event, ALWAYS):
            assert event.cite or getattr(event, "reading", None), f"stands under nothing: {event}"
