"""What the events of one day say: rounds, dispositions by clause, voids, miscounts, progressive, readings.

A fold over events in any order of tables, in order within each journal. It keeps what it reports and nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from controller.backoffice.report.fact import Fact

Row = dict[str, Any]

KINDS = (
    "round_begun", "wager_placed", "wager_settled", "settlement_corrected", "round_settled", "round_ended",
    "disposition_made", "round_voided", "hand_voided", "stub_counted", "hands_found", "set_checked", "set_suspected",
    "bets_closed", "progressive_counted", "service_started",
)  # fmt: skip
"""All kinds that this fold reads; others pass by."""


@dataclass(slots=True)
class _Round:
    row: Row
    handed_back: dict[int, int] = field(default_factory=dict)
    """Seat -> cents that went back to it so far; seat 0 = all seats, settled as a whole."""


@dataclass(slots=True)
class Day:
    """The lists of a day's report, each in the order of the events. Cents are whole; absent means not known."""

    rounds: list[Row] = field(default_factory=list)
    dispositions: list[Row] = field(default_factory=list)
    voids: list[Row] = field(default_factory=list)
    miscounts: list[Row] = field(default_factory=list)
    progressive: list[Row] = field(default_factory=list)
    readings: list[Row] = field(default_factory=list)
    events: int = 0


def day_of(facts: Iterable[Fact]) -> Day:
    """Folds the events of a day."""
    fold = _Fold()
    for fact in facts:
        fold.take(fact)
    return fold.day


class _Fold:
    def __init__(self) -> None:
        self.day = Day()
        self._rounds: dict[tuple[str, str, str], _Round] = {}
        self._uncounted: dict[tuple[str, str, str], Row] = {}
        self._clauses: dict[tuple[str, str, str, str], Row] = {}

    def take(self, fact: Fact) -> None:
        self.day.events += 1
        if (told := getattr(self, f"_{fact.kind}", None)) is not None:
            told(fact)

    def _round(self, fact: Fact) -> _Round:
        """Returns the round of an event; one that began before the day has no number and no begin."""
        at = (fact.source, fact.journal, fact.round)
        if at not in self._rounds:
            row = {
                "table": fact.table,
                "round": fact.round,
                "wagers": 0,
                "staked_cents": 0,
                "handed_back_cents": 0,
            }
            self._rounds[at] = _Round(row)
            self.day.rounds.append(row)
        return self._rounds[at]

    def _round_begun(self, fact: Fact) -> None:
        row = self._round(fact).row
        row |= {"number": fact.data.get("number"), "game": fact.data.get("game", ""), "begun": fact.time}

    def _wager_placed(self, fact: Fact) -> None:
        row = self._round(fact).row
        row["wagers"] += 1
        row["staked_cents"] += fact.data.get("cents", 0)
        if "currency" in fact.data:
            row["currency"] = fact.data["currency"]

    def _wager_settled(self, fact: Fact) -> None:
        self._handed(fact, fact.data.get("seat", 0), fact.data.get("returned", 0) + fact.data.get("paid", 0))

    def _settlement_corrected(self, fact: Fact) -> None:
        self._handed(fact, fact.data.get("seat", 0), fact.data.get("owed") or 0)

    def _round_settled(self, fact: Fact) -> None:
        self._handed(fact, 0, fact.data.get("handed_back") or 0)

    def _handed(self, fact: Fact, seat: int, cents: int) -> None:
        round_ = self._round(fact)
        round_.handed_back[seat] = round_.handed_back.get(seat, 0) + cents
        round_.row["handed_back_cents"] += cents

    def _round_ended(self, fact: Fact) -> None:
        row = self._round(fact).row
        row |= {
            "ended": fact.time,
            "outcome": fact.data.get("outcome", ""),
            "unchecked": list(fact.data.get("unchecked", ())),
        }

    def _disposition_made(self, fact: Fact) -> None:
        for demand in fact.data.get("demands") or ({"action": "nothing", "cite": fact.data.get("cite", ())},):
            rests = ", ".join(demand.get("cite") or ()) or demand.get("reading") or ""
            action = demand["action"] if isinstance(demand["action"], str) else str(demand["action"])
            wager = f" {demand['wager']}" if demand.get("wager") else ""
            at = (fact.data.get("rulebook", ""), rests, fact.data.get("trigger", ""), action + wager)
            row = self._clauses.get(at)
            if row is None:
                row = self._clauses[at] = {
                    "rulebook": at[0], "rests_on": rests, "trigger": at[2], "action": at[3], "times": 0, "rounds": [],
                }  # fmt: skip
                self.day.dispositions.append(row)
            row["times"] += 1
            place = f"{fact.table} {fact.round}".strip()
            if place not in row["rounds"]:
                row["rounds"].append(place)

    def _round_voided(self, fact: Fact) -> None:
        self._void(fact, None)

    def _hand_voided(self, fact: Fact) -> None:
        self._void(fact, fact.data.get("seat") or 0)

    def _void(self, fact: Fact, seat: int | None) -> None:
        """A void of a round, or of the hand of `seat`, with what went back to it before."""
        round_ = self._round(fact)
        handed = round_.handed_back
        before = sum(handed.values()) if seat is None else handed.get(seat, 0)
        row: Row = {"table": fact.table, "time": fact.time, "round": fact.round, "rests_on": fact.rests_on}
        if seat is not None:
            row["seat"] = seat
        if "currency" in round_.row:
            row["currency"] = round_.row["currency"]
        self.day.voids.append({**row, "paid_before_cents": before})

    def _stub_counted(self, fact: Fact) -> None:
        if not fact.data.get("right", True):
            self._miscount(fact, "stub", fact.data.get("total"), fact.data.get("expected"))

    def _hands_found(self, fact: Fact) -> None:
        if not fact.data.get("right", True):
            self._miscount(fact, "hands", fact.data.get("hands"), fact.data.get("expected"))

    def _set_checked(self, fact: Fact) -> None:
        if fact.data.get("count_right") is False:
            self._miscount(fact, "shuffler count", None, None)
        if fact.data.get("identities_complete") is False:
            self._miscount(fact, f"cards read: {', '.join(fact.data.get('defects', ()))}".rstrip(": "), None, None)

    def _set_suspected(self, fact: Fact) -> None:
        rounds = len(fact.data.get("rounds", ())) + fact.data.get("earlier", 0)
        self._miscount(fact, f"suspected: {fact.data.get('verdict')}, {rounds} rounds dealt since", None, None)

    def _miscount(self, fact: Fact, what: str, found: int | None, expected: int | None) -> None:
        row: Row = {"table": fact.table, "time": fact.time, "round": fact.round, "set": fact.data.get("back", "")}
        self.day.miscounts.append({**row, "what": what, "found": found, "expected": expected})

    def _bets_closed(self, fact: Fact) -> None:
        if accepted := len(fact.data.get("accepted", ())):
            row = self._progressive(fact)
            row["accepted"] = accepted
            self._uncounted[fact.source, fact.journal, fact.round] = row

    def _progressive_counted(self, fact: Fact) -> None:
        row = self._progressive(fact)
        row |= {
            "accepted": fact.data.get("accepted"),
            "counted": fact.data.get("chips"),
            "by": fact.data.get("by", ""),
        }
        row["difference"] = row["counted"] - row["accepted"]

    def _progressive(self, fact: Fact) -> Row:
        at = (fact.source, fact.journal, fact.round)
        row = self._uncounted.pop(at, None)
        if row is None:
            row = {"table": fact.table, "round": fact.round, "time": fact.time}
            self.day.progressive.append(row)
        return row

    def _service_started(self, fact: Fact) -> None:
        data, setup = fact.data, fact.data.get("setup") or {}
        row = {
            "table": fact.table, "since": fact.time, "rulebook": data.get("rulebook", ""),
            "edition": data.get("edition", ""), "sha256": data.get("sha256", ""), "software": data.get("version", ""),
            "elections": {question: list(chosen) for question, chosen in sorted(setup.get("elections", {}).items())},
        }  # fmt: skip
        self.day.readings.append(row)
