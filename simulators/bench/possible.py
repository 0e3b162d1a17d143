"""Says before play if a mishap cannot happen at this table, by its document or its devices."""

import json
from collections import Counter

from controller.rules.vocabulary import Method, Trigger
from controller.table.state.table import DISPENSERS
from simulators.bench.observer.evidence import Evidence
from simulators.bench.options import Options
from simulators.crew.scenario import DISPENSER, MISHAPS, Cue, Mishap, Scene

BY_ITSELF = "cycle_in_deal"
"""The fault of a shoe that shuffles by itself."""
READS = ("identity_wrong", "foreign_back", "unreadable", "face_up")
COUNTS = ("count_low", "count_high", "miscount")
"""Faults that a shuffler finds only if it reads, or counts, the cards."""


def trigger_of(mishap: Mishap, options: Options) -> str:
    """Returns the trigger that the daemon must derive from a mishap; "" if the mishap is no matter of the game."""
    scene = mishap.scene
    jams = scene.device == DISPENSER and scene.trigger == Trigger.SHOE_JAM
    return Trigger.SHUFFLER_JAM if jams and options.dealt_by is Method.SHUFFLER else scene.trigger


def why_not(mishap: Mishap, options: Options) -> str | None:
    """Returns why a mishap cannot happen at this table, with the clause if there is one; None if it can."""
    found = trigger_of(mishap, options)
    absent = options.law.absent(Trigger(found)) if found else None
    if absent is not None:
        return f"{absent.says} [{', '.join(absent.cite)}]"
    return (
        _no_device(mishap.scene, options)
        or _no_count(mishap.scene, options)
        or _cannot_tell(mishap.scene, options)
    )


def cannot(options: Options) -> str:
    """Returns as JSON which mishaps cannot happen at this table, and why."""
    found = {name: why_not(Mishap.parse(f"{name}@1"), options) for name in MISHAPS}
    return json.dumps({name: why for name, why in found.items() if why})


def never_decided(options: Options, evidence: Evidence) -> str:
    """Names the mishaps without a disposition on record, because such a run proves nothing; "" = none."""
    decided = Counter(row.data["trigger"] for row in evidence.of("disposition_made"))
    missed = []
    for mishap in map(Mishap.parse, options.mishaps):
        found = trigger_of(mishap, options)
        if found and not decided[found]:
            missed.append(f"{mishap.name}@{mishap.round} led to no {found}")
        decided[found] -= 1
    return "never happened: " + ", ".join(missed) if missed else ""


def not_as_written(options: Options, evidence: Evidence) -> str:
    """Says if the scenario failed or its expected facts are not on record; "" = it went as written."""
    script = options.script
    if script is None:
        return ""
    steps = [line.data for line in evidence.lines if line.what == "step"]
    wrong = next((step for step in steps if not step["ok"]), None)
    if wrong is not None:
        return f"{script.name}: step {wrong['number']}: {wrong['error']}"
    if len(steps) < len(script.steps):
        return f"{script.name}: the run was over before step {len(steps) + 1}; play more rounds"
    recorded = {row.kind for row in evidence.rows if row.order > evidence.began}
    missed = [kind for kind in script.record if kind not in recorded]
    return f"{script.name}: not on record: {', '.join(missed)}" if missed else ""


def _no_device(scene: Scene, options: Options) -> str | None:
    kind = _needs(scene, options)
    if not kind or kind in options.kinds:
        return None
    by = options.dealt_by.replace("_", " ")
    missing = f"cards are dealt by {by}, and no device deals" if kind == DISPENSER else f"there is no {kind} here"
    rule = options.law.devices.get(Method.SHUFFLER if kind == "shuffler" else Method.DEALING_SHOE)
    if rule is None or rule.by_choice is None or rule.value:
        return missing
    return f"{missing}: {rule.by_choice} = {options.elected[rule.by_choice]} [{', '.join(rule.cite)}]"


def _needs(scene: Scene, options: Options) -> str:
    """Returns the kind of device that a mishap needs; "" if hands can cause it."""
    if scene.cue in (Cue.BETS_CLOSED, Cue.COUNT):
        return "progressive"
    if scene.device != DISPENSER:
        return scene.device
    kind = DISPENSERS.get(options.dealt_by)
    if kind is None and options.reader and not scene.trigger:
        return "shoe"
    return kind.value if kind else "" if scene.more else DISPENSER


def _no_count(scene: Scene, options: Options) -> str | None:
    if not scene.counts_stub or options.law.stub is not None:
        return None
    (row, *_) = options.law.rows[Trigger.STUB_COUNT_DUE]
    return f"{options.rulebook} has no stub counted [{', '.join(row.cite)}]"


def _cannot_tell(scene: Scene, options: Options) -> str | None:
    if scene.fault == BY_ITSELF and not options.reshuffles:
        return "the shoe does not reshuffle here; add --reshuffling-shoe"
    if scene.fault in READS and not options.recognition:
        return "the shuffler reads no cards here; add --recognition"
    if scene.fault in COUNTS and not options.counting:
        return "the shuffler does not count here; leave out --no-count"
    return None
