"""Checks promises 3, 4 and 10: demands are made and cited, silence acts only by a reading, nothing else is
offered."""

from collections.abc import Iterator, Mapping
from typing import Any

from simulators.bench.expected import EXPECTED, Case, Document
from simulators.bench.expected.case import deed
from simulators.bench.observer.evidence import Evidence, Verdict
from simulators.bench.observer.record import Row

CITED = "3 the document's demand, cited"
SILENT = "4 silence acts only by a reading"
REMEDY = "10 only what the document allows"

FATES = {
    "returned": (
        "return_all_wagers", "return ante", "return blind", "return play", "return trips", "return_others",
        "return_seat_wagers", "return_late_wager",
    ),
    "held": ("hold_all_wagers", "hold_others", "hold trips", "hold_seat_wagers", "hold_late_wager"),
    "to_settle": ("settle trips",),
    "lost": ("collect ante", "collect_seat_wagers"),
}  # fmt: skip
"""What a disposition must have said for a wager to get this fate."""
RETURNS = FATES["returned"]
VOIDS = ("void_round", "void_all_hands", "void_hand")
UNKNOWN_TO_ALL = "something_else"
"""What people report in their own words: no document answers it, so the table may only hold and ask."""
OF_GONE = ("R-71", "R-131")
"""Readings by which a void decides about wagers that a fold gave up, and about those settled before; no document says it."""


def citations(evidence: Evidence) -> Verdict:
    """Checks that each disposition matches the observer's own law, clause by clause, and that none is missing."""
    problems: list[str] = []
    checked = 0
    for row in evidence.of("disposition_made"):
        checked += 1
        problems += _wrong_demands(evidence, row)
    for given, trigger in _due(evidence):
        checked += 1
        facts = _facts_of(evidence, given)
        if trigger == UNKNOWN_TO_ALL:
            if not any(f.kind == "hold_placed" and not f.data.get("cite") for f in facts):
                problems.append(f"input {given.sequence}: {trigger} led to no hold that cites nothing")
        elif trigger not in [f.data["trigger"] for f in facts if f.kind == "disposition_made"]:
            problems.append(f"input {given.sequence} {given.kind} of {given.subject} led to no {trigger}")
    return Verdict.of(CITED, checked, problems, "nothing happened that the document has an answer to")


def _wrong_demands(evidence: Evidence, row: Row) -> Iterator[str]:
    data = row.data
    where = f"main {row.sequence} {data['trigger']} ({', '.join(data['guards']) or 'no guard'})"
    law, guards = EXPECTED[evidence.rulebook], frozenset(data["guards"])
    case = law.case(data["trigger"], guards, evidence.method_at(row), evidence.elections)
    if data["rulebook"] != evidence.rulebook:
        yield f"{where}: decided by {data['rulebook']}"
    if case is None:
        yield f"{where}: the document has no such case"
        return
    demands = {deed(demand): demand for demand in data["demands"]}
    for action, clauses in case.must.items():
        cited = tuple(demands.get(action, {}).get("cite", ()))
        if action not in demands:
            yield f"{where}: {action} is missing; {'/'.join(clauses)} demands it"
        elif set(cited) != set(clauses):
            yield f"{where}: {action} cites {'/'.join(cited) or 'nothing'}; it stands in {'/'.join(clauses)}"
    for action, demand in demands.items():
        if action not in case.must:
            yield from _wrong_reading(where, case, demand)


def _wrong_reading(where: str, case: Case, demand: Mapping[str, Any]) -> Iterator[str]:
    """Finds an action beside the text's own that does not rest on a reading which leaves it open."""
    action, reading = deed(demand), demand.get("reading")
    allowed = case.may.get(action)
    if allowed is None:
        yield f"{where}: {action} is no remedy here"
    elif reading not in allowed:
        says = reading or "/".join(demand.get("cite", ())) or "nothing"
        yield f"{where}: {action} rests on {says}; the text leaves it to {' or '.join(allowed)}"


def _due(evidence: Evidence) -> Iterator[tuple[Row, str]]:
    """Returns the inputs that the document answers, each with its trigger."""
    size = EXPECTED[evidence.rulebook].size(evidence.elections)
    kinds = {device: serial.removeprefix("SIM-") for serial, device in evidence.serials.items()}
    refused = {f.cause for f in evidence.of("input_refused")} | {f.cause for f in evidence.of("decision_failed")}
    for row in evidence.inputs:
        if row.order <= evidence.began or f"{evidence.journal_id}-input-{row.sequence}" in refused:
            continue
        body = row.data["body"]
        match row.kind:
            case "jammed" | "shuffle_stopped" | "deal_stopped":
                yield row, "shoe_jam" if kinds.get(row.subject) == "shoe" else "shuffler_jam"
            case "shuffle_completed" if body.get("count") not in (None, size):
                yield row, "shuffler_count_wrong"
            case "shuffle_completed" if body.get("identities") == "incomplete":
                yield row, "shuffler_identities_wrong"
            case "report_irregularity":
                yield row, body["trigger"]
            case _:
                pass


def _facts_of(evidence: Evidence, given: Row) -> list[Row]:
    return evidence.by_cause.get(f"{evidence.journal_id}-input-{given.sequence}", [])


def silence(evidence: Evidence) -> Verdict:
    """Checks that demands without a clause name an elected reading, and that none rests on clause and reading at
    once."""
    problems, checked = [], 0
    for row in evidence.of("disposition_made"):
        for demand in row.data["demands"]:
            checked += 1
            reading, cite = demand.get("reading"), demand.get("cite", [])
            where = f"main {row.sequence} {row.data['trigger']}: {deed(demand)}"
            if row.data["silent"] and not reading:
                problems.append(f"{where} acts in a silence without a reading")
            if bool(reading) is bool(cite):
                problems.append(f"{where} rests on {'both' if reading else 'neither clause nor reading'}")
            if reading and reading not in evidence.elections:
                problems.append(f"{where} rests on {reading}, which nobody elected")
    for row in evidence.of("hold_lifted"):
        checked += 1
        given = evidence.input_of.get(row.cause)
        if (
            given is None
            or given.kind != "resolve_hold"
            or given.data.get("actor", {}).get("who") != row.data["by"]
        ):
            problems.append(f"main {row.sequence}: hold {row.data['hold']} was lifted by nobody on record")
    return Verdict.of(SILENT, checked, problems, "no disposition was made")


def remedies(evidence: Evidence) -> Verdict:
    """Checks that each duty and each wager's fate follows from a demand of its decision, or from an answer to a
    hold."""
    causes, inputs = evidence.by_cause, evidence.input_of
    problems, checked = [], 0
    for facts in causes.values():
        demanded = [deed(d) for f in facts if f.kind == "disposition_made" for d in f.data["demands"]]
        given = inputs.get(facts[0].cause)
        answered = given is not None and given.kind == "resolve_hold"
        for fact in facts:
            if fact.order <= evidence.began or fact.kind not in ("duty_opened", "wager_decided"):
                continue
            checked += 1
            if not _is_due(fact, demanded, given, EXPECTED[evidence.rulebook], answered=answered):
                what = deed(fact.data) if "action" in fact.data else f"{fact.data['wager']} {fact.data['fate']}"
                problems.append(f"main {fact.sequence} {fact.kind}: {what} follows from nothing")
    return Verdict.of(REMEDY, checked, problems, "no duty was opened and no wager decided")


def _is_due(fact: Row, demanded: list[str], given: Row | None, law: Document, *, answered: bool) -> bool:
    if fact.data.get("reading") in OF_GONE:
        return answered or any(
            action in demanded for action in (*VOIDS, "return_all_wagers", "return_seat_wagers")
        )
    if fact.kind == "duty_opened":
        action = deed(fact.data)
        returns = action == "return_all_wagers" and (answered or any(r in demanded for r in RETURNS))
        return action in demanded or returns
    fate = fact.data["fate"]
    if fate == "collected":
        return _collected_at_fold(fact, given, law)
    if _sent_back(fact, given, law):
        return True
    voided_without_a_word = fate == "held" and any(d in VOIDS for d in demanded)
    return answered or voided_without_a_word or any(action in demanded for action in FATES.get(fate, ()))


def _sent_back(fact: Row, given: Row | None, law: Document) -> bool:
    """Returns the wagers that go back because of the dealer's hand, with their clauses."""
    body = given.data["body"] if given is not None and given.kind == "reveal_dealer" else {}
    return any(
        body.get(said) is when
        and fact.data["fate"] == "returned"
        and fact.data["wager"] in wagers
        and set(by) <= set(fact.data.get("cite", ()))
        for said, (when, wagers, by) in law.sends_back.items()
    )


def _collected_at_fold(fact: Row, given: Row | None, law: Document) -> bool:
    """Checks that a fold collects exactly the wagers of the document's clause, from that player alone."""
    body = given.data["body"] if given is not None and given.kind == "record_decision" else {}
    folds = body.get("decision") == "fold" and body.get("seat") == fact.data["seat"]
    cited = tuple(fact.data.get("cite", ())) == law.by
    return folds and cited and fact.data["wager"] in law.collects
