"""Checks promises 1 and 2: no card's identity leaves the table, and every dealt set was shuffled whole, counted
and alternated."""

import re
from dataclasses import dataclass

from simulators.bench.expected import EXPECTED
from simulators.bench.observer.evidence import Evidence, Line, Verdict
from simulators.bench.observer.record import Row

FACE = rb'"(?:\?\? )*(?:10|[2-9TJQKA])[cdhsCDHS](?: (?:\?\?|(?:10|[2-9TJQKA])[cdhsCDHS]))*"'
"""Cards' faces as a JSON string of their own: rank and suit of one, or of several as people record them."""
WORD = rb"\b(?:10|[2-9TJQKA])[cdhs]\b"
"""A card's face within a sentence."""
BACKS = rb"(?:red|blue|green|black)"
RANDOMISING = ("shuffle", "cover_all")
BY_HAND = ("hand", "manual_shoe")
"""Methods by which no device deals."""


def cards_stay(evidence: Evidence, daemon_log: bytes = b"") -> Verdict:
    """Checks that no card stands in a journal body, a delivered payload, the daemon's log, or on a display.

    Recorded cards of hands are sealed, and an opened body matches its commitment.
    """
    cards = [card for line in evidence.device_lines("brought") for card in line.data.get("cards", ())]
    if not cards:
        return Verdict.of("1 cards stay at the table", 0, [], "nobody brought cards")
    prefixes = {card.split("/")[2].rpartition(".")[0] for card in cards}
    uids = b"|".join(re.escape(prefix).encode() + rb"\.\d+\b" for prefix in sorted(prefixes))
    things = b"[2-9TJQKA][cdhs]/" + BACKS + b"|" + uids + b"|[\xe2]\x99[\xa0-\xa7]"
    leak = re.compile(FACE + b"|" + things)
    problems = []
    for row in evidence.rows:
        if found := leak.search(row.raw):
            problems.append(f"{row.stream} {row.sequence} {row.kind}: {found.group().decode()}")
        if row.fault:
            problems.append(f"{row.stream} {row.sequence} {row.kind}: {row.fault}")
    for message in evidence.delivered or ():
        if found := leak.search(message.payload):
            problems.append(f"{message.topic}: {found.group().decode()}")
    if found := leak.search(daemon_log):
        problems.append(f"the daemon's log: {found.group().decode()}")
    shown = [line for line in evidence.device_lines("command") if line.data["level"] == "display"]
    for line in shown:
        if found := re.search(WORD + b"|" + things, line.data["value"].encode()):
            problems.append(f"the display of {line.device}: {found.group().decode()}")
    checked = len(evidence.rows) + len(evidence.delivered or ()) + len(shown)
    return Verdict.of("1 cards stay at the table", checked, problems)


@dataclass(slots=True)
class _Set:
    """The state of one set. `fresh`: shuffled since it was dealt from. `spent`: its cutting card has come."""

    present: bool = True
    in_cycle: bool = False
    disturbed: bool = False
    whole: bool = False
    fresh: bool = True
    spent: bool = False
    by_hand: bool = False
    why: str = "it was never shuffled"

    def unfit(self, why: str) -> None:
        self.whole, self.why = False, why

    def fit(self, *, by_hand: bool = False) -> None:
        self.whole, self.fresh, self.spent, self.by_hand, self.why = True, True, False, by_hand, ""


class _Sets:
    """Follows every card and shuffle through the devices' logs, and people's acts through the journal."""

    def __init__(self, evidence: Evidence) -> None:
        self._jams_count = (
            evidence.elections.get("R-30") == "jam"
        )  # a document without it leaves jams to the house
        law = EXPECTED[evidence.rulebook]
        self._size, self._keeps = law.size(evidence.elections), law.swaps == "shoe"
        self._sets: dict[str, _Set] = {}
        self._places: dict[tuple[str, str], str] = {}
        self._last_dealt = ""
        self._in_deal: dict[str, bool] = {}
        self._round = ("", "")  # back and method
        self._late = False  # cards are let out after the first deal
        self.deals = 0
        self.problems: list[str] = []

    def see(self, line: Line) -> None:
        match line.what:
            case "brought" | "moved":
                self._move(line)
            case "report":
                self._report(line, line.data["kind"], line.data["body"])
            case _:
                pass

    def read(self, row: Row) -> None:
        """Takes a fact of the journal: a shuffle by hand, the set of a round, a cutting card."""
        data = row.data
        match row.kind:
            case "set_shuffled_by_hand":
                self._of(data["back"]).fit(by_hand=True)
            case "set_brought":
                self._of(data["back"]).unfit("it is new and was not shuffled yet")
            case "round_begun":
                self._round, self._late = (data["back"], data["method"]), False
            case "dealing_allowed" if data.get("late"):
                self._late = True
            case "dealing_allowed" if self._round[1] in BY_HAND and not data.get("resumed"):
                self._dealt("the dealer", self._round[0])
            case "disposition_made" if data["trigger"] == "cutting_card_reached":
                self._of(self._round[0]).spent = True
            case "round_ended" if self._of(self._round[0]).spent:
                self._of(self._round[0]).unfit("its cutting card had come and it was not shuffled since")
            case _:
                pass

    def _of(self, back: str) -> _Set:
        return self._sets.setdefault(back, _Set())

    def _move(self, line: Line) -> None:
        for card in line.data["cards"]:
            face, back, uid = card.split("/")[:3]
            self._places[line.device, f"{uid} {face} {back}"] = line.data["to"]
            if line.what == "brought" and line.data["to"] == "table":
                self._of(back).present = True
            if line.data["to"] == "retired":
                self._of(back).present = False

    def _in(self, device: str, place: str) -> list[list[str]]:
        return [card.split() for (at, card), where in self._places.items() if at == device and where == place]

    def _report(self, line: Line, kind: str, body: dict[str, object]) -> None:
        card_set = self._of(str(body.get("back", "")))
        match kind:
            case "shuffle_started":
                card_set.in_cycle, card_set.disturbed = True, False
                card_set.unfit("its last cycle is not over")
            case "shuffle_completed":
                self._completed(line.device, card_set, body)
            case "jammed" | "shuffle_stopped" if card_set.in_cycle:
                card_set.disturbed, card_set.why = True, f"its last cycle ended with {kind}"
            case "stack_dispensed":
                self._dispensed(line, str(body["back"]))
            case "deal_completed" | "deal_stopped" | "powered_up":
                self._in_deal[line.device] = False
            case "cards_removed" if body.get("cards_inside") == 0:
                self._in_deal[line.device] = False
            case _:
                pass

    def _completed(self, device: str, card_set: _Set, body: dict[str, object]) -> None:
        """Notes a shuffle; the set counts as whole if all its cards were really there and the device counted
        right."""
        lying = self._in(device, "rack")
        counted = body.get("count")
        seen_wrong = counted not in (None, self._size) or body.get("identities") == "incomplete"
        card_set.in_cycle = False
        if body.get("mode") not in RANDOMISING:
            card_set.unfit(f"its last cycle was {body.get('mode')}, not a shuffle")
        elif card_set.disturbed and self._jams_count:
            card_set.unfit("its last cycle was jammed or stopped")
        elif seen_wrong or (counted is not None and len(lying) != self._size):
            card_set.unfit(f"the device counted {counted} with {len(lying)} cards in it")
        else:
            card_set.fit()

    def _dispensed(self, line: Line, back: str) -> None:
        """Notes cards that came out: they belong to the deal that has begun."""
        if not self._in_deal.get(line.device):
            self._in_deal[line.device] = True
            if not self._late:
                self._dealt(line.device, back)

    def _dealt(self, by: str, back: str) -> None:
        """Notes that a deal began and uses up the set, unless the game deals on from it."""
        self.deals += 1
        card_set = self._of(back)
        if not card_set.whole:
            self.problems.append(f"{by} dealt the {back} set although {card_set.why}")
        others = [
            name for name, other in self._sets.items() if name not in (back, "unknown", "") and other.present
        ]
        again = back == self._last_dealt and card_set.fresh and not card_set.by_hand
        if again and others:
            self.problems.append(f"{by} dealt the {back} set twice running with {others[0]} at the table")
        if not self._keeps:
            card_set.unfit("it was dealt already and not shuffled since")
        card_set.fresh, self._last_dealt = not self._keeps, back


def sets_armed(evidence: Evidence) -> Verdict:
    """Checks that each deal began with a whole, shuffled, rightly counted set whose turn it was."""
    follower = _Sets(evidence)
    seen: list[tuple[int, int, Line | Row]] = [(line.at_ns, 0, line) for line in evidence.lines]
    seen += [(row.mono_ns, 1, row) for row in evidence.facts if row.order > evidence.began]
    for _, _, one in sorted(seen, key=lambda at: at[:2]):
        if isinstance(one, Line):
            follower.see(one)
        else:
            follower.read(one)
    return Verdict.of("2 only armed sets are dealt", follower.deals, follower.problems, "no card was dealt")
