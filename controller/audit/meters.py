"""Proves every progressive meter from the record alone: each entry against the wagers and settlements that stand beside it.

It adds up on its own what the entries say and asks nothing of the ledger that wrote them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from controller.journal.bodies import body_of
from controller.journal.reading import Reading
from controller.journal.record import Record, Stream
from controller.table.words import facts as f

PARTS = 10_000
Body = dict[str, Any]
Lies = dict[tuple[str, int], int]
"""Cents by round and seat."""


@dataclass(slots=True)
class Sum:
    """One meter as its entries add up. `wagers`: parts that a wager added, while it is not void; `open`: (number, round, seat) of
    a claim that is not paid yet."""

    accounts: Counter[str] = field(default_factory=Counter)
    generation: int = 0
    entries: int = 0
    hits: int = 0
    terms: Body = field(default_factory=dict)
    wagers: Lies = field(default_factory=dict)
    claims: set[tuple[str, int]] = field(default_factory=set)
    open: tuple[int, str, int] | None = None


@dataclass(slots=True)
class Seen:
    """What the record says of progressive wagers beside the ledgers."""

    placed: Lies = field(default_factory=dict)
    returned: set[tuple[str, int]] = field(default_factory=set)
    won: Lies = field(default_factory=dict)
    corrected: Lies = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Proof:
    """`faults`: what is wrong, each with its place; empty where every meter is proved."""

    meters: dict[str, Sum] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def proved(view: Reading) -> Proof:
    """Adds up every ledger of the record. Raises `JournalDamaged`, `BodyUnreadable`."""
    proof, seen = Proof(), Seen()
    for record in view.merged([Stream.MAIN]):
        if record.kind == f.MeterBooked.kind:
            body = body_of(Stream.MAIN, record, dict)
            one = proof.meters.setdefault(body["meter"], Sum())
            place = f"main/{record.sequence} {body['meter']} {body['entry']}"
            proof.faults += [f"{place}: {wrong}" for wrong in _entry(one, seen, body)]
        elif record.kind in _OF_WAGERS:
            _noted(seen, record)
    for name, one in proof.meters.items():
        if one.open is not None:
            proof.faults.append(f"{name}: claim {one.open[0]} is not paid")
    return proof


_OF_WAGERS = frozenset(
    c.kind for c in (f.WagerPlaced, f.WagerDecided, f.WagerSettled, f.SettlementCorrected, f.RoundSettled)
)


def _noted(seen: Seen, record: Record) -> None:
    body = body_of(Stream.MAIN, record, dict)
    round_ = body.get("round") or record.round_id or ""
    if record.kind == f.RoundSettled.kind:
        seen.settled.add(round_)
        return
    if body["wager"] != "progressive" or body.get("holder") or body.get("coupon"):
        return
    at = round_, body["seat"]
    match record.kind:
        case f.WagerPlaced.kind:
            seen.placed[at] = body.get("cents", 0)
        case f.WagerDecided.kind:
            seen.placed.setdefault(at, body.get("cents", 0))
            if body["fate"] == "returned":
                seen.returned.add(at)
        case f.WagerSettled.kind:
            seen.won[at] = body["paid"] if body["outcome"] == "win" else 0
        case f.SettlementCorrected.kind:
            seen.corrected[at] = body["paid"] if body["outcome"] == "win" else 0


def _entry(one: Sum, seen: Seen, body: Body) -> Iterator[str]:
    posts, entry = body["posts"], body["entry"]
    if sum(posts.values()):
        yield f"it sums to {sum(posts.values())} parts, not to nothing"
    if posts.get("meter", 0) < 0 and entry != "claim":
        yield "it lowers the meter, and only a claim does"
    before = Counter(one.accounts)
    one.accounts.update(posts)
    one.entries += 1
    if below := [name for name in ("meter", "reserve", "overflow", "claim") if one.accounts[name] < 0]:
        yield f"nothing is left on {', '.join(below)}"
    begins = entry in ("start", "reseed")
    one.generation += begins
    if one.generation != body["generation"] or (entry == "start") is not (one.entries == 1):
        yield "it is not the next one of this meter; entries before it are missing, or the record begins behind its start"
        one.generation = body["generation"]
    if body["cents"] != one.accounts["meter"] // PARTS:
        yield f"the meter shows {body['cents']} cents, and the entries add up to {one.accounts['meter'] // PARTS}"
    if begins:
        one.terms = body["terms"]
        if posts.get("meter") != one.terms["base"] * PARTS:
            yield f"it starts with another sum than its base of {one.terms['base']} cents"
    if entry == "contribution":
        yield from _contribution(one, seen, body, before)
    elif entry == "void":
        yield from _void(one, seen, body)
    elif entry in ("claim", "paid", "correction"):
        yield from _prize(one, seen, body)


def _contribution(one: Sum, seen: Seen, body: Body, before: Counter[str]) -> Iterator[str]:
    posts, rates = body["posts"], one.terms.get("rise", 0) + one.terms.get("reserve", 0)
    total = 0
    for seat, cents in body["wagers"]:
        at = body["round"], seat
        if seen.placed.get(at) != cents:
            yield f"no progressive wager of {cents} cents lay at seat {seat} in {body['round']}"
        if at in one.wagers:
            yield f"the wager of seat {seat} in {body['round']} has added before"
        one.wagers[at] = cents * rates
        total += cents
    limit = one.terms.get("limit", 0) * PARTS
    rise = total * one.terms.get("rise", 0)
    shown = min(rise, max(0, limit - before["meter"])) if limit else rise
    due = {"meter": shown, "overflow": rise - shown, "reserve": total * rates - rise, "wagers": -total * rates}
    if {name: moved for name, moved in due.items() if moved} != posts:
        yield f"wagers of {total} cents add something else by the terms of generation {one.generation}"


def _void(one: Sum, seen: Seen, body: Body) -> Iterator[str]:
    ((seat, _),) = body["wagers"]
    at = body["round"], seat
    if at not in seen.returned:
        yield f"the wager of seat {seat} in {body['round']} did not go back"
    if one.wagers.pop(at, None) != body["posts"].get("wagers"):
        yield f"the wager of seat {seat} in {body['round']} had added something else"


def _prize(one: Sum, seen: Seen, body: Body) -> Iterator[str]:
    at, prize = (body["round"], body["seat"]), body["prize"]
    match body["entry"]:
        case "claim":
            if at not in one.wagers or at in one.claims:
                yield "no accepted wager that has no claim yet stands behind it"
            if (
                one.open is not None
                or body["claim"] != one.hits + 1
                or body["posts"].get("claim") != prize * PARTS
            ):
                yield f"it is not the next claim, or not of {prize} cents"
            one.open, one.hits = (body["claim"], *at), one.hits + 1
            one.claims.add(at)
        case "paid":
            if one.open != (body["claim"], *at) or body["posts"].get("paid") != prize * PARTS:
                yield f"it pays another claim, or not its {prize} cents"
            if seen.won.get(at, prize if at[0] in seen.settled else None) != prize:
                yield f"no settlement of {prize} cents at seat {at[1]} in {at[0]} is on record"
            one.open = None
        case _:
            if at not in one.claims or seen.corrected.get(at) != prize:
                yield f"no correction to {prize} cents at seat {at[1]} in {at[0]} is on record"
