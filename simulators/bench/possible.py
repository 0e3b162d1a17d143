"""Can this mishap happen at this table? What the document does not know, or no device here could do, is refused before play."""

from collections import Counter

from controller.rules.vocabulary import Method, Trigger
from controller.table.state.table import DISPENSERS
from simulators.bench.observer.evidence import Evidence
from simulators.bench.options import Options
from simulators.crew.scenario import DISPENSER, Cue, Mishap, Scene

__all__ = ["never_decided", "not_as_written", "trigger_of", "why_not"]

BY_ITSELF = "cycle_in_deal"
"""The fault of a shoe that shuffles by itself."""
READS = ("identity_wrong", "foreign_back", "unreadable", "face_up")
COUNTS = ("count_low", "count_high", "miscount")
"""Faults that a shuffler finds only if it reads, or counts, the cards."""


def trigger_of(mishap: Mishap, options: Options) -> str:
    """What the daemon has to make of it; "" where nothing of the game follows."""
    scene = mishap.scene
    jams = scene.device == DISPENSER and scene.trigger == Trigger.SHOE_JAM
    return Trigger.SHUFFLER_JAM if jams and options.dealt_by is Method.SHUFFLER else scene.trigger


def why_not(mishap: Mishap, options: Options) -> str | None:
    """Why it cannot come about at this table, with the clause where one says so; None where it can."""
    found = trigger_of(mishap, options)
    absent = options.law.absent(Trigger(found)) if found else None
    if absent is not None:
        return f"{absent.says} [{', '.join(absent.cite)}]"
    return (
        _no_device(mishap.scene, options)
        or _no_count(mishap.scene, options)
        or _cannot_tell(mishap.scene, options)
    )


def never_decided(options: Options, evidence: Evidence) -> str:
    """A mishap that led to nothing proves nothing: those of which the record has no disposition; "" = none is missing."""
    decided = Counter(row.data["trigger"] for row in evidence.of("disposition_made"))
    missed = []
    for mishap in map(Mishap.parse, options.mishaps):
        found = trigger_of(mishap, options)
        if found and not decided[found]:
            missed.append(f"{mishap.name}@{mishap.round} led to no {found}")
        decided[found] -= 1
    return "never happened: " + ", ".join(missed) if missed else ""


def not_as_written(options: Options, evidence: Evidence) -> str:
    """Where the scenario did not come out, or what should have come of it is not on record; "" = it went as it is written."""
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
    """The kind of device that it takes, `dispenser` where none deals here; "" = hands can do it."""
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
