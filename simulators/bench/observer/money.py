"""Checks promise 5: each wager has exactly one fate."""

from dataclasses import dataclass, field

from simulators.bench.expected import EXPECTED, Document
from simulators.bench.observer.evidence import Evidence, Verdict
from simulators.bench.observer.paid import payments
from simulators.bench.observer.record import Row

FINAL = ("returned", "settled", "lost")
COLLECTED = "collected"
"""At a fold. A void may still give it back; until then it is the end of the wager."""
UNTIL_UNDONE = (COLLECTED, "to_settle")
"""The end of the wager unless a later demand decides it anew: a spared one may still go back with all the others."""
NAME = "5 one fate for each wager"


@dataclass(slots=True)
class Fates:
    """The wagers of one round: (seat, wager) -> decisions about it, in order."""

    round: str
    number: int
    law: Document
    decided: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    cents: dict[tuple[int, str], int] = field(default_factory=dict)
    outcome: str = ""
    settled: bool = False
    folded: set[int] = field(default_factory=set)

    def place(self, seat: int, wager: str, cents: int) -> None:
        """Notes that a wager of `cents` lies at a seat."""
        self.decided.setdefault((seat, wager), [])
        self.cents[seat, wager] = cents

    def decide(self, seat: int, wager: str, cents: int, fate: str) -> None:
        """Notes one fate of a wager: paid, returned, collected."""
        self.place(seat, wager, cents)
        self.decided[seat, wager].append(fate)

    def settle(self) -> None:
        """Notes that every wager that was not returned or held is now paid or collected."""
        self.settled = True
        for fates_so_far in self.decided.values():
            if not fates_so_far or fates_so_far[-1] == "stands":
                fates_so_far.append("settled")

    def answer(self, seat: int, decision: str, cents: int) -> None:
        """Notes a wager placed with an answer, and the wagers that an answer pays or collects."""
        if decision in self.law.later:
            self.place(seat, self.law.later[decision], cents)
        if decision == "fold":
            self.folded.add(seat)
        for wager in self.law.settles.get(decision, ()):
            decided = self.decided.get((seat, wager))
            if decided is not None and (not decided or decided[-1] == "stands"):
                decided.append("settled")

    def final(self, seat: int, wager: str) -> list[str]:
        """Returns the decisions that end a wager; there should be one."""
        decided = self.decided[seat, wager]
        kept = [fate for fate in decided[-1:] if fate in UNTIL_UNDONE]
        return [fate for fate in decided if fate in FINAL] + kept

    def not_collected(self) -> list[tuple[int, str]]:
        """Returns wagers of a player who folded that were not collected at once."""
        return [
            (seat, wager)
            for (seat, wager), decided in self.decided.items()
            if seat in self.folded and wager in self.law.collects and COLLECTED not in decided
        ]


def fates(evidence: Evidence) -> list[Fates]:
    """Returns each round of the run with its wagers' fates."""
    rounds: list[Fates] = []
    for row in evidence.facts:
        if row.kind == "round_begun":
            rounds.append(Fates(row.data["round"], row.data["number"], EXPECTED[evidence.rulebook]))
        elif rounds:
            _fold(rounds[-1], row)
    begun = {row.data["round"] for row in evidence.of("round_begun")}
    return [one for one in rounds if one.round in begun]


def _fold(current: Fates, row: Row) -> None:
    data = row.data
    match row.kind:
        case "wager_placed":
            current.place(data["seat"], data["wager"], data.get("cents", 0))
        case "decision_recorded":
            current.answer(data["seat"], data["decision"], data.get("cents", 0))
        case "wager_decided":
            current.decide(data["seat"], data["wager"], data.get("cents", 0), data["fate"])
        case "wager_settled" if not current.final(data["seat"], data["wager"]):
            current.decide(data["seat"], data["wager"], data.get("stake", 0), "settled")
        case "round_settled":
            current.settle()
        case "round_ended":
            current.outcome = data["outcome"]
        case _:
            pass


def wagers(evidence: Evidence) -> Verdict:
    """Checks that each wager of an ended round was returned, settled, or left to its own pay table, once."""
    problems, checked = [], 0
    for current in fates(evidence):
        for (seat, wager), decided in current.decided.items():
            if not current.outcome:
                continue
            checked += 1
            final = current.final(seat, wager)
            if len(final) != 1 or decided[-1] != final[0]:
                has = ", ".join(decided) or "none"
                problems.append(f"{current.round} seat {seat} {wager}: fates {has}")
        problems += [
            f"{current.round} seat {seat} {wager}: not collected at the fold"
            for seat, wager in current.not_collected()
        ]
    paid, wrong = payments(evidence)
    problems += _chips(evidence) + _halves(evidence) + wrong
    checked += paid
    return Verdict.of(NAME, checked, problems, "no round ended")


def _halves(evidence: Evidence) -> list[str]:
    """Checks that half of a surrendered wager is collected with the answer, to the cent; an odd cent needs a
    reading."""
    law, problems = EXPECTED[evidence.rulebook], []
    for row in evidence.of("decision_recorded"):
        if row.data["decision"] not in law.halves:
            continue
        wager, by = law.halves[row.data["decision"]]
        at = (row.data["seat"], wager)
        same = [f for f in evidence.by_cause[row.cause] if (f.data.get("seat"), f.data.get("wager")) == at]
        settled = next((f.data for f in same if f.kind == "wager_settled"), None)
        if settled is None:
            if not any(f.kind == "wager_decided" and f.data["fate"] == "held" and f.data["reading"] for f in same):
                problems.append(
                    f"main {row.sequence} seat {at[0]}: {row.data['decision']} settled no half of the {wager}"
                )
            continue
        stake, returned = settled["stake"], settled["returned"]
        is_half = abs(stake - 2 * returned) == stake % 2 and bool(settled.get("reading")) is bool(stake % 2)
        if not is_half or settled["paid"] or tuple(settled["cite"]) != by:
            cite = "/".join(settled["cite"])
            problems.append(f"main {row.sequence} seat {at[0]}: {returned} of {stake} cents went back by {cite}")
    return problems


def _chips(evidence: Evidence) -> list[str]:
    """Checks that exactly the chips accepted by the progressive unit became wagers."""
    accepted: dict[str, set[int]] = {}
    placed: dict[str, set[int]] = {}
    for row in evidence.facts:
        if row.kind == "bets_closed":
            accepted[row.round] = set(row.data["accepted"])
        elif row.kind == "wager_placed" and row.data["wager"] == "progressive":
            placed.setdefault(row.round, set()).add(row.data["seat"])
    return [
        f"{name}: chips accepted at seats {sorted(seats)}, wagers at {sorted(placed.get(name, set()))}"
        for name, seats in accepted.items()
        if seats != placed.get(name, set())
    ]
