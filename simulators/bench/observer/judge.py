"""Judges a run: one verdict for each promise."""

from collections.abc import Mapping

from simulators.bench.observer.commands import lockout, told
from simulators.bench.observer.events import chain, delivery, nothing_lost
from simulators.bench.observer.evidence import Evidence, Verdict
from simulators.bench.observer.instant import recorded_first
from simulators.bench.observer.law import citations, remedies, silence
from simulators.bench.observer.money import wagers
from simulators.bench.observer.people import alarms
from simulators.bench.observer.sets import cards_stay, sets_armed


def judge(evidence: Evidence, anchors: Mapping[str, tuple[int, bytes]], daemon_log: bytes) -> tuple[Verdict, ...]:
    """Returns the verdicts in the order of the promises. `anchors`: what each stream of the journal follows."""
    return (
        cards_stay(evidence, daemon_log),
        sets_armed(evidence),
        citations(evidence),
        silence(evidence),
        wagers(evidence),
        nothing_lost(evidence),
        told(evidence),
        alarms(evidence),
        recorded_first(evidence),
        lockout(evidence),
        remedies(evidence),
        chain(evidence, anchors),
        delivery(evidence),
    )
