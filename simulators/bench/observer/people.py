"""Checks promise 8: holds and duties outlive restarts, and only an authorised person or a device's proof ends
them."""

from collections.abc import Mapping

from simulators.bench.expected.case import deed
from simulators.bench.observer.evidence import Evidence, State, Verdict
from simulators.bench.observer.record import Row

NAME = "8 holds and duties outlive restarts"
LADDER = ("player", "dealer", "floorperson", "supervisor")
WHILE_HELD = (
    "dealing_allowed",
    "round_begun",
    "community_revealed",
    "dealer_revealed",
    "round_settled",
    "round_ended",
)
PROOFS = ("cards_removed", "shuffle_completed", "record_shuffle", "record_stub_count")
"""Inputs that close a duty without a confirmation: a device that proves it, a shuffle or count that a person did."""
ANSWERS = {"ask_void_or_complete": ("report_irregularity",)}
"""A question is answered by what the player says, too: a hand that is declared void."""
FOR_SPARED = ("deal_community", "settle trips")
"""Falls with the wager it was for: where a later demand of the document gives that back or holds it."""
UNDO = (
    "return_all_wagers", "return_others", "return_seat_wagers", "hold_all_wagers", "hold_others", "hold_seat_wagers",
    "void_round", "void_all_hands",
)  # fmt: skip


class _Open:
    """The open holds and duties, folded from the record alone."""

    def __init__(self) -> None:
        self.holds: dict[str, Row] = {}
        self.duties: dict[str, Row] = {}
        self.undone_by = ""  # the cause of what was demanded last, where that leaves no wager spared
        self.over_restart = 0
        self.checked = 0
        self.problems: list[str] = []

    def fold(self, row: Row, given: Row | None) -> None:
        data = row.data
        match row.kind:
            case "service_started":
                self.over_restart += len(self.holds) + len(self.duties)
            case "disposition_made":
                demanded = {deed(demand) for demand in data["demands"]}
                undone = "settle trips" not in demanded and not demanded.isdisjoint(UNDO)
                self.undone_by = row.cause if undone else ""
            case "hold_placed":
                self.holds[data["hold"]] = row
            case "duty_opened":
                self.duties[data["duty"]] = row
            case "hold_lifted":
                self._ended(row, self.holds.pop(data["hold"], None), given, "resolve_hold")
            case "duty_closed":
                opened = self.duties.pop(data["duty"], None)
                answered = ANSWERS.get(opened.data["action"], ()) if opened else ()
                self._ended(row, opened, given, "confirm_duty", *PROOFS, *answered)
            case kind if kind in WHILE_HELD:
                self.checked += 1
                if self.holds:
                    self.problems.append(f"main {row.sequence} {kind} while {', '.join(self.holds)} was in force")
                if kind == "round_begun" and self.duties:
                    self.problems.append(f"main {row.sequence}: a round began with {', '.join(self.duties)} open")
            case _:
                pass

    def _ended(self, row: Row, opened: Row | None, given: Row | None, *by: str) -> None:
        self.checked += 1
        what = f"main {row.sequence} {row.kind} {row.data.get('hold') or row.data.get('duty')}"
        if opened is None:
            self.problems.append(f"{what}: it was not in force")
            return
        if (
            given is not None
            and row.cause == self.undone_by
            and "action" in opened.data
            and deed(opened.data) in FOR_SPARED
        ):
            return
        if given is None or given.kind not in by:
            self.problems.append(f"{what}: ended by {given.kind if given else 'nothing'}")
            return
        actor: Mapping[str, str] = given.data.get("actor", {})
        if given.kind in ("resolve_hold", "confirm_duty") and not _may(actor, opened.data["least_role"]):
            self.problems.append(f"{what}: {actor.get('role', 'nobody')} is no {opened.data['least_role']}")


def _may(actor: Mapping[str, str], least: str) -> bool:
    role = actor.get("role", "")
    if role == least:
        return True
    return role in LADDER and least in LADDER and LADDER.index(role) >= LADDER.index(least)


def alarms(evidence: Evidence) -> Verdict:
    """Checks that nothing is played under a hold, no round begins with a duty open, and each ends by who may end
    it."""
    state, inputs = _Open(), evidence.input_of
    for row in evidence.facts:
        state.fold(row, inputs.get(row.cause))
    if state.problems:
        return Verdict.of(NAME, state.checked, state.problems)
    if not state.checked:
        return Verdict(NAME, State.NOT_CHECKED, "no round was played")
    over = f"{state.over_restart} were open at one of {evidence.restarts} restarts"
    untried = "each ended by who may end it; no restart in this run, so outliving one was not tried (--kill N)"
    return Verdict(NAME, State.HELD, over if evidence.restarts else untried, state.checked)
