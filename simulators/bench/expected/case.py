"""The form of the observer's own law: for each trigger a list of cases; the first case whose conditions hold
governs."""

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import Any

from drivers.protocol.records import dataclass

Clauses = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One case of the observer's law. `when`: guards that must hold, or with `!` must not.

    `must`: deed -> clauses, what the text itself demands. `may`: deed -> readings, what may follow because the
    text leaves it open. A deed is an action, with the wager that it names (`deed`). An empty `must` is
    a silence: only readings act.
    """

    when: tuple[str, ...] = ()
    must: Mapping[str, Clauses] = field(default_factory=dict)
    may: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def holds(self, guards: frozenset[str]) -> bool:
        """Returns True if these guards satisfy the case: each named guard is present, each `!guard` absent."""
        return all((word.lstrip("!") in guards) is not word.startswith("!") for word in self.when)


@dataclass(frozen=True, slots=True)
class Document:
    """One rule document as the observer knows it.

    `collects`: wagers that the dealer takes at a fold, `by` these clauses, and that a later void may reach.
    `settles`: wagers that an answer pays or collects for good. `later`: answers that place a wager, with its name.
    `halves`: answers that give up half of a wager, and the clauses. `sends_back`: a statement about the dealer's
    hand, the wagers that go back then, and the clauses. `full`: cards in a set, by the house's choice if there is
    one. `swaps`: the sets take turns by round or by shoe. `blind`: what a winning Blind pays to one, by category
    from 4 = straight to 9 = royal flush. `chapters`: by a dealing method or a house choice, each clause of the
    main chapter -> its counterpart.
    """

    cases: Mapping[str, tuple[Case, ...]]
    later: Mapping[str, str]
    collects: tuple[str, ...] = ()
    by: Clauses = ()
    settles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    halves: Mapping[str, tuple[str, Clauses]] = field(default_factory=dict)
    sends_back: Mapping[str, tuple[bool, tuple[str, ...], Clauses]] = field(default_factory=dict)
    full: Mapping[str, int] = field(default_factory=lambda: {"": 52})
    swaps: str = "round"
    blind: Mapping[int, Fraction] = field(default_factory=dict)
    chapters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def case(self, trigger: str, guards: frozenset[str], method: str, elections: Mapping[str, str]) -> Case | None:
        """Returns the case that governs under a dealing method and a version; None if the trigger has none."""
        found = next((case for case in self.cases.get(trigger, ()) if case.holds(guards)), None)
        for own in (self.chapters.get(method), self.chapters.get(elections.get("version", ""))):
            if found is not None and own is not None:
                must = {
                    action: tuple(own.get(clause, clause) for clause in by) for action, by in found.must.items()
                }
                found = replace(found, must=must)
        return found

    def size(self, elections: Mapping[str, str]) -> int:
        """Returns the number of cards in a set under these elections."""
        return self.full.get(elections.get("decks", ""), next(iter(self.full.values())))


def deed(demand: Mapping[str, Any]) -> str:
    """Returns what a demand or a duty asks for: its action, and the wager that it names: `settle trips`."""
    return " ".join(filter(None, (demand["action"], demand.get("wager"))))


def under(readings: tuple[str, ...], *actions: str) -> dict[str, tuple[str, ...]]:
    """Returns a mapping from each action to the readings that it depends on."""
    return dict.fromkeys(actions, readings)


def shoe_without_its_deal(*void: str) -> tuple[Case, Case]:
    """Returns the cases of a shoe that fails before the announcement, or with no card of the round left to deal.

    All four clauses say "during a round of play" (R-128): whether it is void then, with all that the clause demands (`void`),
    or the cards alone are looked after. A shoe that freed itself may not have jammed at all (R-30).
    """
    may = under(("R-128",), *void, "hold_all_wagers", "call_floorperson")
    may |= under(("R-128", "R-30"), "play_on") | under(("R-30",), "record_only")
    return (
        Case(("none_left_to_deal",), may=may | under(("R-128",), "reshuffle_after_round")),
        Case(("bets_open",), may=may | under(("R-128",), "reshuffle")),
    )


ASK = ("hold_round", "call_floorperson")
"""To stop and ask is never a remedy by itself, but it too is done under a named reading."""
_MEDDLED = (Case(may=under(("R-82",), *ASK, "record_only")),)
_UNFIT_CARD = (
    Case(("idle_set",), may=under(("R-36",), *ASK, "remove_set")),
    Case(("!round_live",), may=under(("R-36",), *ASK, "remove_set")),
    Case(may=under(("R-155",), *ASK, "hold_all_wagers", "void_all_hands", "remove_set", "return_all_wagers")),
)
SAID_OF_NONE = {
    "card_drawn_exposed": (Case(may=under(("R-154",), *ASK, "card_to_rack", "play_on", "use_as_next")),),
    "unfit_card": _UNFIT_CARD,
    "wager_late": (Case(may=under(("R-158",), *ASK, "record_only")),),
    "deal_out_of_order": (
        Case(
            may=under(
                ("R-159",),
                *ASK,
                "play_on",
                "record_only",
                "void_all_hands",
                "reshuffle",
                "return_all_wagers",
                "hold_all_wagers",
            )
        ),
    ),
}
"""What people report and none of the five documents answers: a seen card is not the next one, and no more is said of it; a set
is known by its number alone; late wagers are forbidden, and the deal has an order, and neither says what follows."""
HANDS_MEDDLED_WITH = {"hand_touched": _MEDDLED, "hand_hidden": _MEDDLED}
"""All five documents say whose hands may touch cards, or where these must lie, and none what follows where it was not so."""
