"""Proves every progressive meter from the record alone: each entry against the wagers and settlements that stand beside it.

It adds up on its own what the entries say and asks nothing of the ledger that wrote them. What it reads are the bodies of the
kinds that bear on a meter; that these are the bodies that were written, `verify` proves by the chain up to the head named here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
from msgspec import Struct

from controller.journal.bodies import BodyUnreadable
from controller.journal.reading import Reading
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.journal.view import BUNCH, Bunch
from controller.table.words import facts as f

PARTS = 10_000
KEPT = 2 * BUNCH
"""Rounds that are remembered: an entry about an older one finds no wager. So a year of play needs no more memory than a day."""
PROGRESSIVE = "progressive"


@dataclass(slots=True)
class Sum:
    """One meter as its entries add up. `open`: (number, round, seat) of a claim that is not paid yet."""

    accounts: dict[str, int] = field(default_factory=dict)
    generation: int = 0
    entries: int = 0
    hits: int = 0
    terms: dict[str, int] = field(default_factory=dict)
    claims: set[tuple[str, int]] = field(default_factory=set)
    open: tuple[int, str, int] | None = None


@dataclass(slots=True)
class Told:
    """The progressive wagers of one round as the record has them: cents by seat. `added`: the parts that went to each meter, by
    meter and seat, until the round is void. `settled`: the whole round was settled at once."""

    added: dict[tuple[str, int], int] = field(default_factory=dict)
    seen: set[tuple[str, int]] = field(default_factory=set)
    returned: set[int] = field(default_factory=set)
    won: dict[int, int] = field(default_factory=dict)
    corrected: dict[int, int] = field(default_factory=dict)
    settled: bool = False


Placed = dict[tuple[str, int], int]
"""Cents of progressive wagers by round and seat."""


class Rounds(dict[str, Told]):
    """The newest rounds by name."""

    def __missing__(self, name: str) -> Told:
        if len(self) >= KEPT:
            del self[next(iter(self))]
        self[name] = told = Told()
        return told


@dataclass(slots=True)
class Proof:
    """`faults`: what is wrong, each with its place; empty where every meter is proved. `head`: the last record that was read."""

    head: Head
    meters: dict[str, Sum] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


class Body(Struct, gc=False):
    """The fields of all these kinds that are looked at. A class and not a dict, as a million of them are read."""

    round: str = ""
    seat: int = 0
    wager: str = ""
    cents: int = 0
    holder: int = 0
    coupon: int = 0
    fate: str = ""
    outcome: str = ""
    paid: int = 0
    meter: str = ""
    entry: str = ""
    generation: int = 0
    prize: int = 0
    claim: int = 0
    posts: dict[str, int] | None = None
    terms: dict[str, int] | None = None
    wagers: list[tuple[int, int]] | None = None


class Laid(Struct, gc=False):
    """A wager that was placed."""

    seat: int = 0
    wager: str = ""
    cents: int = 0


B = TypeVar("B")
_decode = msgspec.json.Decoder(list[Body]).decode
_decode_laid = msgspec.json.Decoder(list[Laid]).decode


def proved(view: Reading) -> Proof:
    """Adds up every ledger of the record. Raises `JournalDamaged`, `BodyUnreadable`.

    The wagers, by far the most, are read beside the rest, those of this bunch and the one before.
    """
    proof, rounds = Proof(view.last()[0][Stream.MAIN]), Rounds()
    before: Placed = {}
    laid = view.bunches(Stream.MAIN, (PLACED,), b'"progressive"')
    for of_wagers, bunch in zip(laid, view.bunches(Stream.MAIN, KINDS), strict=True):
        found = zip(of_wagers.rounds.split("\n"), _bodies(of_wagers, _decode_laid), strict=False)
        here = {(name, x.seat): x.cents for name, x in found if x.wager == PROGRESSIVE}
        placed = before | here
        bodies, kinds, names = _bodies(bunch, _decode), (bunch.kinds or "").split(","), bunch.rounds.split("\n")
        for at, body in enumerate(bodies):
            told = rounds[body.round or names[at]]
            if kinds[at] == BOOKED:
                one = proof.meters.setdefault(body.meter, Sum())
                for wrong in _entry(one, told, placed, body):
                    place = f"main/{bunch.numbers.split(',')[at]} {body.meter} {body.entry}"
                    proof.faults.append(f"{place}: {wrong}")
            elif kinds[at] == f.RoundSettled.kind:
                told.settled = True
            else:
                _noted(told, placed, kinds[at], body, names[at])
        before = here
    for name, one in proof.meters.items():
        if one.open is not None:
            proof.faults.append(f"{name}: claim {one.open[0]} is not paid")
    return proof


PLACED, BOOKED = f.WagerPlaced.kind, f.MeterBooked.kind
KINDS = (
    BOOKED,
    *(c.kind for c in (f.WagerDecided, f.WagerSettled, f.SettlementCorrected, f.RoundSettled)),
)


def _bodies(bunch: Bunch, decode: Callable[[str], list[B]]) -> list[B]:
    numbers = bunch.numbers.split(",") if bunch.numbers else []
    try:
        bodies = decode(bunch.bodies)
        if len(bodies) == len(numbers):
            return bodies
        raise ValueError(f"{len(bodies)} objects")
    except (msgspec.MsgspecError, ValueError, RecursionError) as exc:
        kind = (bunch.kinds or PLACED).split(",")[0]
        about = f"{kind}, or a record behind it up to number {numbers[-1]} has none"
        raise BodyUnreadable(Stream.MAIN, int(numbers[0]), about, exc) from exc


def _noted(told: Told, placed: Placed, kind: str, body: Body, round_: str) -> None:
    if body.wager != PROGRESSIVE or body.holder or body.coupon:
        return
    if kind == f.WagerDecided.kind:
        placed.setdefault((body.round or round_, body.seat), body.cents)
        if body.fate == "returned":
            told.returned.add(body.seat)
    else:
        of_kind = told.won if kind == f.WagerSettled.kind else told.corrected
        of_kind[body.seat] = body.paid if body.outcome == "win" else 0


def _entry(one: Sum, told: Told, placed: Placed, body: Body) -> Iterator[str]:
    posts, entry, accounts = body.posts or {}, body.entry, one.accounts
    if sum(posts.values()):
        yield f"it sums to {sum(posts.values())} parts, not to nothing"
    if posts.get("meter", 0) < 0 and entry != "claim":
        yield "it lowers the meter, and only a claim does"
    stood = accounts.get("meter", 0)
    for name, moved in posts.items():
        accounts[name] = after = accounts.get(name, 0) + moved
        if after < 0 and name in NEVER_BELOW:
            yield f"nothing is left on {name}"
    one.entries += 1
    begins = entry in ("start", "reseed")
    one.generation += begins
    if one.generation != body.generation or (entry == "start") is not (one.entries == 1):
        yield "it is not the next one of this meter; entries before it are missing, or the record begins behind its start"
        one.generation = body.generation
    if body.cents != accounts.get("meter", 0) // PARTS:
        yield f"the meter shows {body.cents} cents, and the entries add up to {accounts.get('meter', 0) // PARTS}"
    if begins:
        one.terms = body.terms or {}
        if posts.get("meter") != one.terms.get("base", 0) * PARTS:
            yield f"it starts with another sum than its base of {one.terms.get('base', 0)} cents"
    if entry == "contribution":
        yield from _contribution(one, told, placed, body, stood)
    elif entry == "void":
        yield from _void(told, body)
    elif entry in ("seen", "claim", "paid", "correction"):
        yield from _prize(one, told, body)


NEVER_BELOW = ("meter", "reserve", "overflow", "claim")


def _contribution(one: Sum, told: Told, placed: Placed, body: Body, stood: int) -> Iterator[str]:
    rate, hidden = one.terms.get("rise", 0), one.terms.get("reserve", 0)
    total = 0
    for seat, cents in body.wagers or ():
        if placed.get((body.round, seat)) != cents:
            yield f"no progressive wager of {cents} cents lay at seat {seat} in {body.round}"
        if (body.meter, seat) in told.added:
            yield f"the wager of seat {seat} in {body.round} has added before"
        told.added[body.meter, seat] = cents * (rate + hidden)
        total += cents
    limit, rise = one.terms.get("limit", 0) * PARTS, total * rate
    shown = min(rise, max(0, limit - stood)) if limit else rise
    due = {
        "meter": shown, "overflow": rise - shown, "reserve": total * hidden, "wagers": -total * (rate + hidden),
    }  # fmt: skip
    if {name: moved for name, moved in due.items() if moved} != body.posts:
        yield f"wagers of {total} cents add something else by the terms of generation {one.generation}"


def _void(told: Told, body: Body) -> Iterator[str]:
    ((seat, _),) = body.wagers or ((0, 0),)
    if seat not in told.returned:
        yield f"the wager of seat {seat} in {body.round} did not go back"
    if told.added.pop((body.meter, seat), None) != (body.posts or {}).get("wagers"):
        yield f"the wager of seat {seat} in {body.round} had added something else"


def _prize(one: Sum, told: Told, body: Body) -> Iterator[str]:
    at, prize, posts = (body.round, body.seat), body.prize, body.posts or {}
    match body.entry:
        case "seen":
            told.seen.add((body.meter, body.seat))
            if posts or (body.meter, body.seat) not in told.added:
                yield "it moves something, or no accepted wager stands behind it"
        case "claim":
            if (body.meter, body.seat) not in told.added or at in one.claims:
                yield "no accepted wager that has no claim yet stands behind it"
            if one.open is not None or body.claim != one.hits + 1 or posts.get("claim") != prize * PARTS:
                yield f"it is not the next claim, or not of {prize} cents"
            one.open, one.hits = (body.claim, *at), one.hits + 1
            one.claims.add(at)
        case "paid":
            if one.open != (body.claim, *at) or posts.get("paid") != prize * PARTS:
                yield f"it pays another claim, or not its {prize} cents"
            settled = told.won.get(body.seat, prize if told.settled else None)
            if told.corrected.get(body.seat, settled) != prize:
                yield f"no settlement of {prize} cents at seat {body.seat} in {body.round} is on record"
            one.open = None
        case _:
            if (at not in one.claims and (body.meter, body.seat) not in told.seen) or told.corrected.get(
                body.seat
            ) != prize:
                yield f"no correction to {prize} cents at seat {body.seat} in {body.round} is on record"
