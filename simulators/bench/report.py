"""Reports a run: one JSON document for programs, one page for people."""

from typing import Any

from simulators.bench.observer.evidence import Evidence, State
from simulators.bench.observer.money import Fates, fates
from simulators.bench.observer.record import Row
from simulators.bench.recorder import in_words
from simulators.bench.run import Outcome


def document(outcome: Outcome) -> dict[str, Any]:
    """Returns the rounds with their events, the counts, and each promise with its verdict."""
    evidence = outcome.evidence
    return {
        "rulebook": evidence.rulebook,
        "method": evidence.method,
        "elections": dict(evidence.elections),
        "broker": outcome.broker,
        "journal": {"path": str(outcome.journal), "id": evidence.journal_id},
        "recorder": outcome.recorder,
        "duration_s": round(outcome.duration_s, 2),
        "failed": outcome.failed,
        "rounds": [_round(evidence, current) for current in fates(evidence)],
        "between_rounds": [
            _disposition(row)
            for row in evidence.of("disposition_made")
            if not (row.data.get("round") or row.round)
        ],
        "counts": _counts(outcome),
        "invariants": {
            verdict.name: {
                "state": verdict.state,
                "reason": verdict.reason,
                "checked": verdict.checked,
                "problems": list(verdict.problems),
            }
            for verdict in outcome.verdicts
        },
        "checked": [v.name for v in outcome.verdicts if v.state != State.NOT_CHECKED],
    }


PAID = ("wager_settled", "round_settled")


def _round(evidence: Evidence, current: Fates) -> dict[str, Any]:
    return {
        "round": current.round,
        "number": current.number,
        "outcome": current.outcome or "unfinished",
        "dispositions": [
            _disposition(row)
            for row in evidence.of("disposition_made")
            if current.round in (row.data.get("round"), row.round)
        ],
        "wagers": [
            {
                "seat": seat,
                "wager": wager,
                "cents": current.cents[seat, wager],
                "fate": decided[-1] if decided else "",
            }
            for (seat, wager), decided in sorted(current.decided.items())
        ],
    }


def _disposition(row: Row) -> dict[str, Any]:
    data = row.data
    return {
        "trigger": data["trigger"],
        "guards": list(data["guards"]),
        "cite": list(data["cite"]),
        "silent": data["silent"],
        "demands": [
            {
                "action": demand["action"],
                **({"wager": demand["wager"]} if "wager" in demand else {}),
                **({"reading": demand["reading"]} if demand.get("reading") else {"cite": list(demand["cite"])}),
            }
            for demand in data["demands"]
        ],
        "readings": sorted({d["reading"] for d in data["demands"] if d.get("reading")}),
    }


def _counts(outcome: Outcome) -> dict[str, int]:
    evidence = outcome.evidence
    rows = [row for row in evidence.rows if row.order > evidence.began]
    return {
        "rounds": sum(row.kind == "round_ended" for row in rows),
        "records": len(rows),
        "device_events": sum(line.what == "report" for line in evidence.lines),
        "commands": sum(line.what == "command" for line in evidence.lines),
        "delivered": len(evidence.delivered or ()),
        "acts": sum(line["what"] == "act" for line in outcome.people),
        "refused": sum(row.kind == "input_refused" for row in rows),
        "restarts": evidence.restarts,
        "payments_compared": sum(row.data.get("difference") is not None for row in rows if row.kind in PAID),
    }


def page(outcome: Outcome) -> str:
    """Returns the lines for people: eventful rounds, then the promises."""
    told = document(outcome)
    counts = told["counts"]
    lines = [
        f"{told['rulebook']}, {told['method']}: {counts['rounds']} rounds in {told['duration_s']:g} s",
        f"broker: {told['broker']}",
        *(in_words(outcome.recorder) if outcome.recorder else ()),
        ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if name != "rounds"),
        "",
    ]
    for one in told["rounds"]:
        if one["dispositions"] or one["outcome"] != "played":
            lines.append(f"round {one['number']}: {one['outcome']}")
        lines += [_demands(made) for made in one["dispositions"]]
    if told["between_rounds"]:
        lines += ["between rounds", *[_demands(made) for made in told["between_rounds"]]]
    lines += ["", *[_promise(name, verdict) for name, verdict in told["invariants"].items()]]
    states = [verdict["state"] for verdict in told["invariants"].values()]
    summed = ", ".join(f"{states.count(state)} {word}" for state, word in SHOWN.items())
    is_bad = bool(outcome.failed) or "broken" in states
    lines += [
        "",
        f"{'FAIL' if is_bad else 'PASS'}: {summed}{f'; the run failed: {outcome.failed}' if outcome.failed else ''}",
    ]
    return "\n".join(lines)


def _demands(made: dict[str, Any]) -> str:
    demands = "; ".join(f"{d['action']} [{d.get('reading') or ', '.join(d['cite'])}]" for d in made["demands"])
    return f"  {made['trigger']}: {demands}"


SHOWN = {"held": "PASS", "broken": "FAIL", "not_checked": "SKIP"}
"""State of a promise -> what people read."""


def _promise(name: str, verdict: dict[str, Any]) -> str:
    first = f"{SHOWN[verdict['state']]}  {name}" + (f": {verdict['reason']}" if verdict["reason"] else "")
    counted = f" ({verdict['checked']} checked)" if verdict["checked"] else ""
    return "\n".join([first + counted, *[f"{'':6}- {problem}" for problem in verdict["problems"]]])
