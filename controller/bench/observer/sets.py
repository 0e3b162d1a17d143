"""Promises 1 and 2: no card leaves the table, and no set is dealt that was not shuffled whole, counted and alternated."""

import re
from dataclasses import dataclass

from controller.bench.observer.evidence import Evidence, Line, Verdict

__all__ = ["cards_stay", "sets_armed"]

FACE = rb'"(?:10|[2-9TJQKA])[cdhsCDHS]"'
"""A card's face as a JSON string of its own: rank and suit."""
SIGN = "[2-9TJQKA10]{0,2}[\u2660-\u2667]".encode()
BACKS = rb"(?:red|blue|green|black)"
RANDOMISING = ("shuffle", "cover_all")
SET_SIZE = 52


def cards_stay(evidence: Evidence, daemon_log: bytes = b"") -> Verdict:
    """No written card, no uid of one and no face stands in a journal body, a delivered payload, or the daemon's log."""
    cards = [card for line in evidence.device_lines("brought") for card in line.data.get("cards", ())]
    if not cards:
        return Verdict.of("1 cards stay at the table", 0, [], "no device brought cards")
    prefixes = {card.split("/")[2].rpartition(".")[0] for card in cards}
    uids = b"|".join(re.escape(prefix).encode() + rb"\.\d+\b" for prefix in sorted(prefixes))
    leak = re.compile(FACE + b"|[2-9TJQKA][cdhs]/" + BACKS + b"|" + uids + b"|[\xe2]\x99[\xa0-\xa7]")
    problems = []
    for row in evidence.rows:
        if found := leak.search(row.raw):
            problems.append(f"{row.stream} {row.sequence} {row.kind}: {found.group().decode()}")
    for message in evidence.delivered or ():
        if found := leak.search(message.payload):
            problems.append(f"{message.topic}: {found.group().decode()}")
    if found := leak.search(daemon_log):
        problems.append(f"the daemon's log: {found.group().decode()}")
    checked = len(evidence.rows) + len(evidence.delivered or ())
    return Verdict.of("1 cards stay at the table", checked, problems)


@dataclass(slots=True)
class _Set:
    """What the devices' own records say of one set."""

    present: bool = True
    in_cycle: bool = False
    disturbed: bool = False
    whole: bool = False
    why: str = "it was never shuffled"


class _Sets:
    """Follows every card and every cycle through the records of all devices, in the order of their clock."""

    def __init__(self, jams_count: bool) -> None:
        self._jams_count = jams_count
        self._sets: dict[str, _Set] = {}
        self._places: dict[tuple[str, str], str] = {}
        self._last_dealt = ""
        self._in_deal: dict[str, bool] = {}
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
                card_set.in_cycle, card_set.disturbed, card_set.whole = True, False, False
                card_set.why = "its last cycle is not over"
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
        """A whole set is one that really lies there, 52 different faces, and that the device did not miscount."""
        lying = self._in(device, "rack")
        really_whole = len(lying) == SET_SIZE == len({face for _, face, _ in lying})
        seen_wrong = body.get("count") not in (None, SET_SIZE) or body.get("identities") == "incomplete"
        card_set.in_cycle = False
        if body.get("mode") not in RANDOMISING:
            card_set.why = f"its last cycle was {body.get('mode')}, not a shuffle"
        elif card_set.disturbed and self._jams_count:
            card_set.why = "its last cycle was jammed or stopped"
        elif seen_wrong or (body.get("count") is not None and not really_whole and len(lying) != SET_SIZE):
            card_set.why = f"the device counted {body.get('count')} with {len(lying)} cards in it"
        else:
            card_set.whole, card_set.why = True, ""

    def _dispensed(self, line: Line, back: str) -> None:
        if self._in_deal.get(line.device):
            return
        self._in_deal[line.device] = True
        self.deals += 1
        card_set = self._of(back)
        if not card_set.whole:
            self.problems.append(f"{line.device} dealt the {back} set although {card_set.why}")
        others = [
            name for name, other in self._sets.items() if name not in (back, "unknown", "") and other.present
        ]
        if back == self._last_dealt and others:
            self.problems.append(f"{line.device} dealt the {back} set twice running with {others[0]} at the table")
        card_set.whole, card_set.why, self._last_dealt = False, "it was dealt already and not shuffled since", back


def sets_armed(evidence: Evidence) -> Verdict:
    """Each deal began with a set whose last cycle was whole, a shuffle, counted right, and whose turn it was."""
    follower = _Sets(jams_count=evidence.elections.get("R-30", "jam") == "jam")
    for line in sorted(evidence.lines, key=lambda line: line.at_ns):
        follower.see(line)
    return Verdict.of("2 only armed sets are dealt", follower.deals, follower.problems, "no stack was dealt")
