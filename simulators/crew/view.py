"""What people see: the table's status and the devices, as plain questions.

A missing value reads as "no", so that people do nothing about what they cannot see.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from drivers.protocol.records import dataclass

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Duty:
    """One open duty, as the daemon's status shows it."""

    id: str
    action: str
    least_role: str
    device: str
    back: str
    seat: int


@dataclass(frozen=True, slots=True)
class Hold:
    """One open hold. `wager`: the held wager, "" = the table. `choices`: the possible answers."""

    id: str
    reason: str
    least_role: str
    seat: int
    wager: str
    reading: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stack:
    """One stack of the deal. `to`: player, dealer, community or six_card_box."""

    to: str
    seat: int
    cards: int


@dataclass(frozen=True, slots=True)
class WagerRule:
    """A wager that the table takes before the deal. `equals`: the wager whose amount it must have; `cents`: its
    only amount.

    `mode`: the shuffler's mode that it needs, "" = any.
    """

    name: str
    optional: bool
    sensed: bool
    equals: str
    cents: int
    requires: tuple[str, ...]
    mode: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that a player may give now. `multiples`: of the base wager; () = it places none."""

    decision: str
    multiples: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """A phase in which players are asked. `ends`: the act that ends it; {} = its last answer ends it."""

    waiting: tuple[int, ...]
    answers: tuple[Answer, ...]
    ends: Document


@dataclass(frozen=True, slots=True)
class TableView:
    """The table's status as of one look."""

    status: Document = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """False while the daemon is starting or cannot write its record: nothing can be done then."""
        return "allowed" in self.status and bool(self.status.get("record", {}).get("ok", True))

    @property
    def is_open(self) -> bool:
        """True while the table is open for play."""
        return bool(self.status.get("open"))

    @property
    def allowed(self) -> frozenset[str]:
        """The names of the acts that the daemon accepts now."""
        return frozenset(self.status.get("allowed", ()))

    @property
    def method(self) -> str:
        """How cards are dealt: from a shoe, from the shuffler or by hand."""
        return str(self.status.get("method", ""))

    @property
    def holds(self) -> list[Hold]:
        """The open holds, with who may lift each."""
        return [
            Hold(
                str(h.get("hold", "")), str(h.get("reason", "")), str(h.get("least_role", "floorperson")),
                int(h.get("seat", 0)), str(h.get("wager", "")), str(h.get("reading") or ""),
                tuple(map(str, h.get("choices", ()))),
            )
            for h in self.status.get("held", ())
        ]  # fmt: skip

    @property
    def duties(self) -> list[Duty]:
        """The open duties, with who may close each."""
        return [
            Duty(
                str(d["duty"]), str(d["action"]), str(d.get("least_role", "dealer")),
                str(d.get("device", "")), str(d.get("back", "")), int(d.get("seat", 0)),
            )
            for d in self.status.get("duties", ())
        ]  # fmt: skip

    @property
    def round(self) -> Document:
        """The round in play; empty without one."""
        return self.status.get("round") or {}

    @property
    def phase(self) -> str:
        """The phase of the round; empty without a round."""
        return str(self.round.get("phase", ""))

    @property
    def number(self) -> int:
        """The number of the round in play, or of the next one."""
        return int(self.round["number"]) if self.round else int(self.status.get("rounds", 0)) + 1

    @property
    def back(self) -> str:
        """The back colour of this round's set; "" without a round."""
        return str(self.round.get("back", ""))

    @property
    def plan(self) -> list[Stack]:
        """The stacks of the deal in their order: to whom, how many cards."""
        return [Stack(str(s["to"]), int(s.get("seat", 0)), int(s["cards"])) for s in self.round.get("plan", ())]

    @property
    def seats(self) -> dict[int, Document]:
        """The seats with wagers in this round, by number."""
        return {int(number): seat for number, seat in self.round.get("seats", {}).items()}

    def wagers(self, seat: int) -> Document:
        """Returns the wagers at a seat."""
        found: Document = self.seats.get(seat, {}).get("wagers", {})
        return found

    @property
    def in_play(self) -> list[int]:
        """The numbers of the seats that are still in the round."""
        return [int(number) for number in self.round.get("in_play", ())]

    @property
    def stage(self) -> Stage | None:
        """The stage of the round; None in a phase that asks nobody and turns nothing up."""
        stage = self.round.get("stage")
        if not stage:
            return None
        answers = tuple(Answer(str(a["decision"]), tuple(a.get("multiples", ()))) for a in stage["answers"])
        return Stage(tuple(map(int, stage["waiting"])), answers, stage.get("ends") or {})

    @property
    def taken(self) -> list[WagerRule]:
        """The wagers that this table takes before the deal."""
        return [
            WagerRule(
                str(w["wager"]), bool(w["optional"]), bool(w["sensed"]), str(w.get("equals") or ""),
                int(w.get("cents") or 0), tuple(map(str, w.get("requires", ()))),
                str(w.get("device_mode") or ""),
            )
            for w in self.status.get("wagers", ())
        ]  # fmt: skip

    @property
    def keeps_set(self) -> bool:
        """True if a set is dealt on from round to round."""
        return bool(self.status.get("keeps_set"))

    @property
    def full_set(self) -> int:
        """How many cards a whole set has."""
        return int(self.status.get("stub", {}).get("full_set", 52))

    @property
    def has_acted(self) -> bool:
        """True if all hands are out and each player has given the last answer."""
        undecided = [n for n in self.in_play if not (self.seats[n].get("decided") or self.seats[n].get("void"))]
        return self.stage is not None and not undecided

    @property
    def sets(self) -> Mapping[str, Document]:
        """The card sets by the colour of their backs."""
        found: Mapping[str, Document] = self.status.get("sets", {})
        return found

    def is_shuffled(self, back: str) -> bool:
        """Returns True if the set is ready to be dealt; unknown facts count as good."""
        found = self.sets.get(back, {})
        known = (found.get("count_right"), found.get("identities_complete"))
        return (
            bool(found.get("present") and found["cycle_complete"] and found["mode_shuffle"]) and False not in known
        )

    def is_present(self, back: str) -> bool:
        """Returns True if the set with this back is at the table."""
        return bool(self.sets.get(back, {}).get("present"))

    def next_step(self, back: str) -> Document | None:
        """Returns the step that is asked for with this set now; None if only its shuffle is left."""
        if not self.is_present(back):
            return None
        step: Document | None = next(iter(self.sets[back].get("steps", ())), None)
        return None if step is None or step.get("step") in ("shuffle", "cut") else step

    def next_back(self) -> str:
        """The set whose turn it is, "" without one: the one not used last.

        Without a shuffler one set is used for every round.
        """
        last = str(self.status.get("last_back", ""))
        present = [back for back in self.sets if self.is_present(back)]
        if last in present and self.sets[last]["by_hand"] and not self.has_shuffler:
            return last
        others = [back for back in present if back != last]
        return next(iter(others or present), "")

    @property
    def has_shuffler(self) -> bool:
        """True if a shuffler is in service."""
        devices = self.status.get("devices", {}).values()
        return any(device.get("kind") == "shuffler" and not device.get("out") for device in devices)

    def device(self, name: str) -> Document:
        """Returns what the status says about a device; empty for an unknown name."""
        found: Document = self.status.get("devices", {}).get(name, {})
        return found

    def is_online(self, name: str) -> bool:
        """Returns True while the daemon is connected to the device."""
        return bool(self.device(name).get("online"))

    def level(self, name: str, level: str) -> str | None:
        """Returns what the daemon knows of a level."""
        value = self.device(name).get("levels", {}).get(level)
        return str(value) if value is not None else None

    def wanted(self, name: str, level: str) -> str | None:
        """Returns the value that the daemon wants for a device's level, or None."""
        value = self.device(name).get("wanted", {}).get(level)
        return str(value) if value is not None else None

    @property
    def stub_is_due(self) -> bool:
        """True if the round in play is the last that may end without a stub count."""
        return self._uncounted + 1 >= self._every

    @property
    def is_overdue(self) -> bool:
        """True if no round may begin before the set is counted."""
        return self._uncounted >= self._every

    @property
    def _uncounted(self) -> int:
        return int(self.status.get("stub", {}).get("since", 0))

    @property
    def _every(self) -> float:
        """How many rounds may pass without a count; infinite if none is asked for."""
        stub = self.status.get("stub", {})
        return float("inf") if stub.get("waived") or stub.get("every", 5) is None else int(stub.get("every", 5))
