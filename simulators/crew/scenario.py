"""What goes wrong at the table, in which round, and what people do differently.

A mishap is written `NAME@ROUND[:key=value]...`. Names of `MISHAPS` are scenes of the whole table;
`KIND.FAULT@ROUND`, e.g. `shoe.power_loss@3:for=1`, arms a device simulator's fault in that round.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum

from drivers.protocol.records import dataclass
from drivers.protocol.reports import DeviceKind
from simulators.scenario.faults import FAULTS, FaultError, is_occasion, parse


class Cue(StrEnum):
    """When in its round a mishap begins."""

    BETWEEN = "between"  # before the round begins
    LATE_SHUFFLE = "late_shuffle"  # the set of this round is put into the shuffler only when wagers lie
    IDLE_SHUFFLE = "idle_shuffle"  # the other set is put into the shuffler in this round
    BETS_CLOSED = "bets_closed"  # no more bets
    COUNT = "count"  # progressive chips are counted
    DEAL = "deal"  # the deal begins
    FIRST_STACK = "first_stack"  # the first stack is out
    STUB = "stub"  # what is left comes out of the device, or out of the dealer's hand
    HANDS_OUT = "hands_out"  # all hands are out, nobody has answered
    ACTED = "acted"  # each player has given the last answer


class Stack(StrEnum):
    """Which stack of the deal a mishap hits."""

    ANY = "any"
    PLAYER = "player"
    DEALER = "dealer"
    COMMUNITY = "community"


@dataclass(frozen=True, slots=True)
class Scene:
    """One kind of mishap. `trigger`: what the daemon must derive from it, in the rulebooks' words; "" = a device's
    own trouble.

    `fault`: armed at `device` on the cue. `reports`: what a person reports, `cards` times; at a player's seat if
    `of_seat`. `mode`: the shuffler's mode set by mistake. `more`: cards that the stack has above its plan (dealt
    so by hand, if people deal). `counts_stub`: somebody counts the stub in this round. `unseen`: nobody notices
    until then.
    """

    effect: str
    trigger: str
    cue: Cue
    device: str = ""  # shuffler | dispenser | shoe | progressive
    fault: str = ""
    stack: Stack = Stack.ANY
    reports: tuple[str, ...] = ()
    cards: int = 1
    of_seat: bool = False
    more: int = 0
    counts_stub: bool = False
    unseen: bool = False
    mode: str = ""


SHUFFLER, DISPENSER = "shuffler", "dispenser"


def _seen(effect: str, cue: Cue, *reports: str, cards: int = 1, of_seat: bool = False) -> Scene:
    return Scene(effect, reports[-1], cue, reports=reports, cards=cards, of_seat=of_seat)


def _mode(effect: str, mode: str) -> Scene:
    return Scene(effect, "", Cue.LATE_SHUFFLE, SHUFFLER, mode=mode)


def _feed(effect: str, stack: Stack, more: int) -> Scene:
    fault = "double_feed" if more > 0 else "missed_feed"
    return Scene(effect, f"wrong_count_{stack}", Cue.DEAL, DISPENSER, fault, stack, more=more)


MISHAPS: dict[str, Scene] = {
    "shuffler_jam": Scene(
        "The shuffler jams with the set of this round.", "shuffler_jam", Cue.LATE_SHUFFLE, SHUFFLER, "jam"
    ),
    "shuffler_stop": Scene(
        "The shuffler stops in its cycle.", "shuffler_jam", Cue.LATE_SHUFFLE, SHUFFLER, "stop"
    ),
    "shuffler_timeout": Scene(
        "The cycle is not completed.", "shuffler_jam", Cue.LATE_SHUFFLE, SHUFFLER, "timeout"
    ),
    "shuffler_jam_self_cleared": Scene(
        "The shuffler jams and frees itself.", "shuffler_jam", Cue.LATE_SHUFFLE, SHUFFLER, "jam_self_cleared"
    ),
    "idle_jam": Scene(
        "The shuffler jams with the set not in play.", "shuffler_jam", Cue.IDLE_SHUFFLE, SHUFFLER, "jam"
    ),
    "count": Scene(
        "A card is missing when the set is shuffled.", "shuffler_count_wrong", Cue.LATE_SHUFFLE, SHUFFLER, "count_low"
    ),
    "count_high": Scene(
        "A card too many is in the set.", "shuffler_count_wrong", Cue.LATE_SHUFFLE, SHUFFLER, "count_high"
    ),
    "miscount": Scene(
        "The set is whole, the counter says no.", "shuffler_count_wrong", Cue.LATE_SHUFFLE, SHUFFLER, "miscount"
    ),
    "identities": Scene(
        "A card is there twice.", "shuffler_identities_wrong", Cue.LATE_SHUFFLE, SHUFFLER, "identity_wrong"
    ),
    "foreign": Scene(
        "A card has another back.", "shuffler_identities_wrong", Cue.LATE_SHUFFLE, SHUFFLER, "foreign_back"
    ),
    "unreadable": Scene(
        "A card is worn.", "shuffler_identities_wrong", Cue.LATE_SHUFFLE, SHUFFLER, "unreadable"
    ),
    "flipped": Scene(
        "A card lies face up in the set.", "shuffler_identities_wrong", Cue.LATE_SHUFFLE, SHUFFLER, "face_up"
    ),
    "shoe_jam": Scene("The dispenser jams.", "shoe_jam", Cue.DEAL, DISPENSER, "jam_dealing"),
    "shoe_jam_self_cleared": Scene(
        "The dispenser jams and frees itself.", "shoe_jam", Cue.DEAL, DISPENSER, "jam_dealing_self_cleared"
    ),
    "shoe_stop": Scene("The dispenser stops dealing.", "shoe_jam", Cue.DEAL, DISPENSER, "stop_dealing"),
    "shoe_fail": Scene("The dispenser does not deal a stack.", "shoe_jam", Cue.DEAL, DISPENSER, "fail_to_deal"),
    "wrong_hand": _feed("A player gets a card too many.", Stack.PLAYER, 1),
    "short_hand": _feed("A player gets a card too few.", Stack.PLAYER, -1),
    "wrong_dealer": _feed("The dealer gets a card too many.", Stack.DEALER, 1),
    "short_dealer": _feed("The dealer gets a card too few.", Stack.DEALER, -1),
    "wrong_community": _feed("There is a community card too many.", Stack.COMMUNITY, 1),
    "misdeal": Scene(
        "A player gets a card too many and nobody notices; the stub count finds it.", "stub_wrong",
        Cue.DEAL, DISPENSER, "double_feed:seen=no", Stack.PLAYER, more=1, counts_stub=True, unseen=True,
    ),
    "stub": Scene("A card of the stub is lost; its count finds it.", "stub_wrong", Cue.STUB, counts_stub=True),
    "late_wager": Scene("A chip is put on a sensor after the lock-out.", "progressive_late", Cue.BETS_CLOSED),
    "mismatch": Scene("The dealer counts one progressive chip too few.", "progressive_mismatch", Cue.COUNT),
    "face_up": _seen("A card lies face up in the deal.", Cue.FIRST_STACK, "card_face_up"),
    "face_up_two": _seen("Two cards lie face up.", Cue.FIRST_STACK, "card_face_up", cards=2),
    "face_up_late": _seen("Two cards lie face up, seen late.", Cue.HANDS_OUT, "card_face_up", cards=2),
    "drawn": _seen("A card comes out by mistake, unseen.", Cue.FIRST_STACK, "card_drawn_unexposed"),
    "drawn_exposed": _seen("A card comes out by mistake and is seen.", Cue.FIRST_STACK, "card_drawn_exposed"),
    "unfit_card": _seen("A card of another deck is found.", Cue.HANDS_OUT, "unfit_card"),
    "late_bet": _seen(
        "A player changes a wager after no more bets.", Cue.HANDS_OUT, "wager_late", of_seat=True
    ),
    "out_of_order": _seen("A card goes to a wrong place.", Cue.HANDS_OUT, "deal_out_of_order"),
    "something_else": Scene(
        "Something happens that no document knows.", "", Cue.HANDS_OUT, reports=("something_else",)
    ),
    "exposed": _seen("A card of the dealer is seen.", Cue.HANDS_OUT, "dealer_card_exposed"),
    "exposed_late": _seen("A card of the dealer is seen after all answers.", Cue.ACTED, "dealer_card_exposed"),
    "player_exposed": _seen("A card of a player is seen.", Cue.HANDS_OUT, "player_card_exposed"),
    "community_exposed": _seen("A community card is seen too early.", Cue.HANDS_OUT, "community_card_exposed"),
    "insufficient": _seen("The cards do not suffice for the round.", Cue.FIRST_STACK, "cards_insufficient"),
    "player_left": _seen("A player leaves in the round.", Cue.HANDS_OUT, "player_left", of_seat=True),
    "touched": _seen("Somebody else touches a player's cards.", Cue.HANDS_OUT, "hand_touched", of_seat=True),
    "hidden": _seen("A player's cards are out of sight.", Cue.HANDS_OUT, "hand_hidden", of_seat=True),
    "false_declaration": _seen(
        "A player declares a hand that is none.", Cue.HANDS_OUT, "false_declaration", of_seat=True
    ),
    "hand_void": _seen(
        "A player has a card too few and has the hand declared void.",
        Cue.HANDS_OUT, "wrong_count_player", "hand_declared_void", of_seat=True,
    ),
    "discards": _seen("A wrong number of cards is laid away.", Cue.HANDS_OUT, "discard_count_wrong"),
    "marker": _seen("The dealing marker was not moved.", Cue.HANDS_OUT, "marker_not_moved"),
    "cutting_card": _seen("The cutting card comes.", Cue.FIRST_STACK, "cutting_card_reached"),
    "sorted": _mode("The shuffler is set to sort.", "sort"),
    "counted": _mode("The shuffler is set to count.", "count"),
    "demonstrated": _mode("The shuffler is set to its demonstration.", "demo"),
    "cycle_in_deal": Scene(
        "A shoe that reshuffles tells of a cycle while it deals.", "", Cue.DEAL, "shoe", "cycle_in_deal"
    ),
    "method": Scene("Cards are dealt from a manual shoe from now on.", "method_change", Cue.BETWEEN, DISPENSER),
}  # fmt: skip

TIMED_CUES = {
    DeviceKind.SHUFFLER: Cue.IDLE_SHUFFLE,
    DeviceKind.SHOE: Cue.FIRST_STACK,
    DeviceKind.PROGRESSIVE: Cue.BETS_CLOSED,
}
"""When a device's own fault is armed in its round."""


class ScenarioError(ValueError):
    """An unknown mishap, or one without a round."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """One mishap in one round. `given`: parameters of its device fault, as written."""

    name: str
    round: int
    scene: Scene
    given: Mapping[str, str] = field(default_factory=dict)

    def device_fault(self, **where: int) -> str:
        """Returns the fault as the device simulator takes it; `where` adds parameters that nobody wrote."""
        taken = FAULTS[self.scene.fault.partition(":")[0]].parameters
        pairs = {**{k: str(v) for k, v in where.items() if k in taken}, **self.given}
        return self.scene.fault + "".join(f":{key}={value}" for key, value in pairs.items())

    @classmethod
    def parse(cls, text: str) -> "Mishap":
        """Parses `NAME@ROUND[:key=value]...`. Raises `ScenarioError`."""
        head, *pairs = text.split(":")
        name, _, at = head.partition("@")
        if not is_occasion(at):
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
    return Scene(FAULTS[parsed.name].effect, "", TIMED_CUES[DeviceKind(kind)], device, parsed.name)


class Scenario:
    """The mishaps still to come; each is taken once, on its cue in its round."""

    def __init__(self, mishaps: Iterable[Mishap] = ()) -> None:
        self._coming = list(mishaps)

    @property
    def coming(self) -> tuple[Mishap, ...]:
        """The mishaps that have not happened yet, in order."""
        return tuple(self._coming)

    def add(self, mishap: Mishap) -> None:
        """Plans one more mishap."""
        self._coming.append(mishap)

    def expects(self, number: int, cue: Cue) -> bool:
        """Returns True while a mishap of this round waits for this cue."""
        return any(m.round == number and m.scene.cue is cue for m in self._coming)

    def take(self, number: int, cue: Cue) -> list[Mishap]:
        """Takes the mishaps of round `number` that begin on this cue."""
        due = [m for m in self._coming if m.round == number and m.scene.cue is cue]
        self._coming = [m for m in self._coming if m not in due]
        return due
