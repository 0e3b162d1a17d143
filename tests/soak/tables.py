"""Tables drawn at random: elections among the choices of a document, method, devices, sets, seats, offered wagers."""

from collections.abc import Set
from functools import cache
from pathlib import Path
from random import Random

from controller.cli.filters.decide import example_setup
from controller.games.registry import unplayable
from controller.games.settling.engine import settler_of
from controller.games.settling.meters import MeterTerms
from controller.rules.elections import ElectionsInvalid
from controller.rules.model import Rulebook
from controller.rules.parts import Dealing
from controller.rules.read.loader import load_rulebook
from controller.rules.vocabulary import Method
from controller.table.state.table import DISPENSERS, Setup
from controller.table.words.structs import replace
from drivers.events import DeviceKind

FILES = Path(__file__).resolve().parents[2] / "config" / "rulebooks"
RULEBOOKS = ("ma-uth", "md-uth", "nj-pikit", "fast-action", "ma-colorado")
UNSAID = 0.1
"""How often a reading that moves nothing is left unelected: then the table asks where it would have helped."""


@cache
def book(rulebook: str) -> Rulebook:
    return load_rulebook(FILES / f"{rulebook}.toml")


def draw_elections(rng: Random, rulebook: Rulebook) -> dict[str, tuple[str, str]]:
    """A choice for each question at random; every one that a table may not open without."""
    moves = {r.id for r in rulebook.readings.values() if r.moves} | set(rulebook.choices)
    asked = [q for q in rulebook.questions.values() if q.id in moves or rng.random() > UNSAID]
    return {question.id: (rng.choice(question.choices).id, "soak") for question in asked}


def draw_setup(rng: Random, rulebook: Rulebook) -> Setup:
    """A table that may open: drawn again where one choice needs another one, or where this version plays no such round."""
    while True:
        elections = draw_elections(rng, rulebook)
        try:
            whole = example_setup(rulebook, elections)
        except ElectionsInvalid:
            continue
        if unplayable(whole.law.rulebook) is None:
            break
    absent = {kind for kind in DeviceKind if rng.random() < 0.15}
    devices = {name: device for name, device in whole.devices.items() if device.kind not in absent}
    kinds = {device.kind for device in devices.values()}
    two = rulebook.decks.second_set.value == "required_with_shuffler" and DeviceKind.SHUFFLER in kinds
    methods = [m for m, dealing in whole.law.rulebook.dealing.items() if _may_deal(m, dealing, kinds)]
    table = replace(
        whole,
        devices=devices,
        method=rng.choice(methods),
        seats=rng.choice((whole.seats, whole.seats, 1, 3)),
        backs=("red", "blue") if two or rng.random() < 0.8 else ("red",),
        offered=frozenset(wager for wager in sorted(whole.offered) if rng.random() < 0.7),
        payout_limit=_payout_limit(rng, whole),
        progressive_cents=whole.progressive_cents if DeviceKind.PROGRESSIVE in kinds else 0,
    )
    return with_meters(rng, table)


def with_meters(rng: Random, setup: Setup) -> Setup:
    """The same table, which computes its meters on some days where it has any. Draws nothing from `rng` itself."""
    own, resets = Random(), settler_of(setup.law).resets
    own.setstate(rng.getstate())
    if not resets or "progressive" not in setup.offered or not setup.progressive_cents or own.random() < 0.6:
        return setup
    meters = {
        name: MeterTerms(
            least + 100 * own.randrange(3),
            own.choice((1, 1_999, 5_000)),
            own.choice((0, 501)),
            own.choice((0, 4 * least)),
        )
        for name, (least, _) in resets.items()
    }
    return replace(setup, meters=meters)


def _payout_limit(rng: Random, whole: Setup) -> int | None:
    """The house's own, where it was elected to have one: not below the least that the document prints."""
    own = [limit for limit in whole.law.rulebook.limits.values() if limit.applies.value == "house"]
    return max(limit.least_cents.value for limit in own) * rng.choice((1, 1, 2)) if own else None


def _may_deal(method: Method, dealing: Dealing, kinds: Set[DeviceKind]) -> bool:
    """True where the table has the devices that this way of dealing needs."""
    needs = {DISPENSERS.get(method)} | (
        {DeviceKind.SHUFFLER} if dealing.needs_shuffler and dealing.needs_shuffler.value else set()
    )
    return needs - {None} <= kinds
