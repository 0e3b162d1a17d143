"""What goes wrong at the table, in which round, and what the people around it do differently.

A mishap is written `NAME@ROUND[:key=value]...`. Names of `MISHAPS` are scenes of the whole table; `KIND.FAULT@ROUND`,
e.g. `shoe.power_loss@3:for=1`, arms any fault of the catalogue of the device simulators in that round.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from drivers.protocol.reports import DeviceKind
from simulators.faults import FAULTS, FaultError, parse

__all__ = ["MISHAPS", "Cue", "Mishap", "Scenario", "ScenarioError"]


class Cue(StrEnum):
    """When in its round a mishap begins."""

    LATE_SHUFFLE = "late_shuffle"  # the set of this round is put into the shuffler only when wagers lie
    IDLE_SHUFFLE = "idle_shuffle"  # the other set is put into the shuffler in this round
    LOAD = "load"  # the set goes into the dispenser
    DEAL = "deal"  # the deal begins
    FIRST_STACK = "first_stack"  # the first stack is out
    BETS_CLOSED = "bets_closed"  # no more bets
    COUNT = "count"  # progressive chips are counted
    PRE_FLOP = "pre_flop"  # all hands are out
    LAST_TWO = "last_two"  # all community cards are shown


class Stack(StrEnum):
    """Which stack of the deal a mishap hits."""

    ANY = "any"
    PLAYER = "player"
    DEALER = "dealer"
    COMMUNITY = "community"


@dataclass(frozen=True, slots=True)
class Scene:
    """`fault`: armed at `device` on the cue. `reports`: what a person says he saw, as the daemon's word for it."""

    effect: str
    cue: Cue
    device: str = ""  # shuffler | dispenser | progressive
    fault: str = ""
    stack: Stack = Stack.ANY
    reports: str = ""
    cards: int = 1
    counts_stub: bool = False


SHUFFLER, DISPENSER = "shuffler", "dispenser"

MISHAPS: dict[str, Scene] = {
    "shuffler_jam": Scene("The shuffler jams with the set of this round.", Cue.LATE_SHUFFLE, SHUFFLER, "jam"),
    "shuffler_stop": Scene("The shuffler stops in its cycle.", Cue.LATE_SHUFFLE, SHUFFLER, "stop"),
    "shuffler_timeout": Scene("The cycle is not completed.", Cue.LATE_SHUFFLE, SHUFFLER, "timeout"),
    "shuffler_jam_self_cleared": Scene(
        "The shuffler jams and frees itself.", Cue.LATE_SHUFFLE, SHUFFLER, "jam_self_cleared"
    ),
    "idle_jam": Scene("The shuffler jams with the set not in play.", Cue.IDLE_SHUFFLE, SHUFFLER, "jam"),
    "count": Scene("A card is missing when the set is shuffled.", Cue.LATE_SHUFFLE, SHUFFLER, "count_low"),
    "count_high": Scene("A card too many is in the set.", Cue.LATE_SHUFFLE, SHUFFLER, "count_high"),
    "miscount": Scene("The set is whole, the counter says no.", Cue.LATE_SHUFFLE, SHUFFLER, "miscount"),
    "identities": Scene("A card is there twice.", Cue.LATE_SHUFFLE, SHUFFLER, "identity_wrong"),
    "shoe_jam": Scene("The dispenser jams.", Cue.DEAL, DISPENSER, "jam_dealing"),
    "shoe_jam_self_cleared": Scene(
        "The dispenser jams and frees itself.", Cue.DEAL, DISPENSER, "jam_dealing_self_cleared"
    ),
    "shoe_stop": Scene("The dispenser stops dealing.", Cue.DEAL, DISPENSER, "stop_dealing"),
    "shoe_fail": Scene("The dispenser does not deal a stack.", Cue.DEAL, DISPENSER, "fail_to_deal"),
    "wrong_hand": Scene("A player gets three cards.", Cue.DEAL, DISPENSER, "double_feed", Stack.PLAYER),
    "short_hand": Scene("A player gets one card.", Cue.DEAL, DISPENSER, "missed_feed", Stack.PLAYER),
    "wrong_dealer": Scene("The dealer gets three cards.", Cue.DEAL, DISPENSER, "double_feed", Stack.DEALER),
    "short_dealer": Scene("The dealer gets one card.", Cue.DEAL, DISPENSER, "missed_feed", Stack.DEALER),
    "wrong_community": Scene(
        "There is a community card too many.", Cue.DEAL, DISPENSER, "double_feed", Stack.COMMUNITY
    ),
    "misdeal": Scene(
        "A player gets three cards and the device does not notice; the stub count finds it.",
        Cue.DEAL, DISPENSER, "double_feed:seen=no", Stack.PLAYER, counts_stub=True,
    ),
    "stub": Scene(
        "A card is lost on the way into the dispenser; the stub count finds it.",
        Cue.LOAD, DISPENSER, "count_low", counts_stub=True,
    ),
    "late_wager": Scene("A chip is put on a sensor after the lock-out.", Cue.BETS_CLOSED),
    "mismatch": Scene("The dealer counts one progressive chip too few.", Cue.COUNT),
    "face_up": Scene("A card lies face up in the deal.", Cue.FIRST_STACK, reports="card_face_up"),
    "face_up_two": Scene("Two cards lie face up.", Cue.FIRST_STACK, reports="card_face_up", cards=2),
    "face_up_late": Scene("Two cards lie face up, seen late.", Cue.PRE_FLOP, reports="card_face_up", cards=2),
    "drawn": Scene("A card comes out by mistake, unseen.", Cue.FIRST_STACK, reports="card_drawn_unexposed"),
    "exposed": Scene("A card of the dealer is seen.", Cue.PRE_FLOP, reports="dealer_card_exposed"),
    "player_exposed": Scene("A card of a player is seen.", Cue.PRE_FLOP, reports="player_card_exposed"),
}  # fmt: skip

TIMED_CUES = {
    DeviceKind.SHUFFLER: Cue.IDLE_SHUFFLE,
    DeviceKind.SHOE: Cue.FIRST_STACK,
    DeviceKind.PROGRESSIVE: Cue.BETS_CLOSED,
}
"""When a device's own fault is armed in its round."""


class ScenarioError(ValueError):
    """A mishap nobody knows, or one without its round."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """One mishap in one round. `given`: parameters of its device fault, as written."""

    name: str
    round: int
    scene: Scene
    given: Mapping[str, str] = field(default_factory=dict)

    def device_fault(self, **where: int) -> str:
        """The fault as the device simulator is told it; `where` adds particulars that nobody wrote."""
        pairs = {**{k: str(v) for k, v in where.items()}, **self.given}
        return self.scene.fault + "".join(f":{key}={value}" for key, value in pairs.items())

    @classmethod
    def parse(cls, text: str) -> "Mishap":
        """The mishap written as `NAME@ROUND[:key=value]...`. Raises `ScenarioError`."""
        head, *pairs = text.split(":")
        name, _, at = head.partition("@")
        if not at.isdecimal() or int(at) < 1:
            raise ScenarioError(f"{text!r}: say in which round, from 1, as {name or 'shoe_jam'}@4")
        given = dict(pair.partition("=")[::2] for pair in pairs)
        kind, dot, fault = name.partition(".")
        scene = _of_device(text, kind, fault, given) if dot else MISHAPS.get(name)
        if scene is None:
            near = difflib.get_close_matches(name, MISHAPS, 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(MISHAPS)}"
            raise ScenarioError(f"{text!r}: no mishap {name!r}; {hint} A device's own fault is DEVICE.FAULT@ROUND")
        return cls(name, int(at), scene, given)


def _of_device(text: str, kind: str, fault: str, given: Mapping[str, str]) -> Scene:
    if kind not in ("shuffler", "shoe", "progressive"):
        raise ScenarioError(f"{text!r}: {kind!r} is no device; there are shuffler, shoe, progressive")
    written = fault + "".join(f":{key}={value}" for key, value in given.items())
    try:
        parsed = parse(written, DeviceKind(kind))
    except FaultError as exc:
        raise ScenarioError(str(exc)) from exc
    device = DISPENSER if kind == "shoe" else kind
    return Scene(FAULTS[parsed.name].effect, TIMED_CUES[DeviceKind(kind)], device, parsed.name)


class Scenario:
    """The mishaps still to come. Each is taken once, on its cue in its round."""

    def __init__(self, mishaps: Iterable[Mishap] = ()) -> None:
        self._coming = list(mishaps)

    @property
    def coming(self) -> tuple[Mishap, ...]:
        return tuple(self._coming)

    def expects(self, number: int, cue: Cue) -> bool:
        """True while a mishap of this round waits for this cue."""
        return any(m.round == number and m.scene.cue is cue for m in self._coming)

    def take(self, number: int, cue: Cue) -> list[Mishap]:
        """The mishaps of round `number` that begin on this cue; taken, they are gone."""
        due = [m for m in self._coming if m.round == number and m.scene.cue is cue]
        self._coming = [m for m in self._coming if m not in due]
        return due
