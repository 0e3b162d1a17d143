"""The ledger of a progressive meter: double entry in whole parts of a cent, so that no fraction is lost and nothing is rounded.

Theory of operation. Each entry moves parts between accounts and sums to nothing; so do all accounts at every time. `WAGERS`
(players) and `BASE` (the house) are where money comes from and stand below zero; what can be won stands in `METER`, what waits
for the next start in `RESERVE` (never shown to players), what came above the limit in `OVERFLOW`. A claim takes its prize out
before it is paid. Nothing but a claim lowers a meter. What a void round added stays (`VOIDED`: the house bears it).
"""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from controller.games.settling.round import MOST

PARTS = 10_000
"""Of a cent: a wager of one cent at a rate of one hundredth of a per cent is one part."""
MOST_METER = 100_000_000_000
"""Cents; no base or limit is larger, so that parts are exact for any reader of JSON."""


class Account(StrEnum):
    """Where the parts of a meter stand."""

    BASE = "base"
    WAGERS = "wagers"
    METER = "meter"
    RESERVE = "reserve"
    OVERFLOW = "overflow"
    CLAIM = "claim"
    PAID = "paid"
    VOIDED = "voided"
    CORRECTION = "correction"


class Entry(StrEnum):
    """Why parts move."""

    START = "start"
    CONTRIBUTION = "contribution"
    VOID = "void"
    SEEN = "seen"
    CLAIM = "claim"
    PAID = "paid"
    RESEED = "reseed"
    CORRECTION = "correction"


Posts = Mapping[Account, int]
"""Parts by account; they sum to nothing."""
NEVER_BELOW = (Account.METER, Account.RESERVE, Account.OVERFLOW, Account.CLAIM)


class MeterTerms(Struct, frozen=True):
    """Parameters of one generation: `base` it starts with, in cents; `rise` and `reserve` in hundredths of a per cent of each
    wager; `limit` in cents, 0 = none."""

    base: int
    rise: int
    reserve: int = 0
    limit: int = 0


class LedgerWrong(ValueError):
    """An entry that cannot be."""


class Ledger(Struct, frozen=True):
    """One meter. `generation`: 1 from its first start on, one more with each full prize; `claims`: so many were opened."""

    terms: MeterTerms
    generation: int = 0
    claims: int = 0
    accounts: Mapping[Account, int] = field(default_factory=dict)

    def of(self, account: Account) -> int:
        """Parts on an account."""
        return self.accounts.get(account, 0)

    @property
    def cents(self) -> int:
        """What the meter shows and pays: whole cents, the fraction stays in it."""
        return self.of(Account.METER) // PARTS

    def posted(self, entry: Entry, posts: Posts, terms: MeterTerms | None = None) -> "Ledger":
        """The ledger after an entry. `terms`: those of the generation that it begins. Raises `LedgerWrong`."""
        if sum(posts.values()):
            raise LedgerWrong(f"the entry {entry} does not sum to nothing")
        begins = entry in (Entry.START, Entry.RESEED)
        if begins is not (terms is not None) or (entry is Entry.START) is not (self.generation == 0):
            raise LedgerWrong(f"an entry {entry} cannot be in generation {self.generation}")
        if posts.get(Account.METER, 0) < 0 and entry is not Entry.CLAIM:
            raise LedgerWrong(f"an entry {entry} lowers no meter")
        accounts = {a: self.of(a) + posts.get(a, 0) for a in Account if a in self.accounts or posts.get(a, 0)}
        below = [a.value for a in NEVER_BELOW if accounts.get(a, 0) < 0]
        if below:
            raise LedgerWrong(f"after the entry {entry} nothing would be left on: {', '.join(below)}")
        claims = self.claims + (entry is Entry.CLAIM)
        return Ledger(terms or self.terms, self.generation + begins, claims, accounts)


def start(ledger: Ledger, terms: MeterTerms) -> Posts:
    """A generation begins with its base: from the reserve as far as that goes, the rest from the house. A fraction of a cent that
    was not paid stays in the meter."""
    base = terms.base * PARTS
    from_reserve = min(base, ledger.of(Account.RESERVE))
    return _posts({Account.METER: base, Account.RESERVE: -from_reserve, Account.BASE: from_reserve - base})


def contribution(ledger: Ledger, cents: int) -> Posts:
    """What wagers of so many cents add: to the meter up to its limit and the rest to the overflow, and to the reserve."""
    if not 0 < cents <= MOST:
        raise LedgerWrong(f"wagers of {cents} cents add nothing")
    terms = ledger.terms
    rise, hidden = cents * terms.rise, cents * terms.reserve
    room = max(0, terms.limit * PARTS - ledger.of(Account.METER)) if terms.limit else rise
    shown = min(rise, room)
    return _posts(
        {
            Account.METER: shown, Account.RESERVE: hidden, Account.OVERFLOW: rise - shown,
            Account.WAGERS: -rise - hidden,
        }
    )  # fmt: skip


def void(parts: int) -> Posts:
    """A wager that had added these parts went back to its player: the meter stays, and the house bears them."""
    return _posts({Account.WAGERS: parts, Account.VOIDED: -parts})


def claim(ledger: Ledger, cents: int, *, whole: bool, lowers: bool) -> Posts:
    """A prize of so many cents is taken out. `whole`: all that the meter shows, whatever breakage made of it; `lowers`: a part
    is taken off the meter, else the house pays it. What is more or less than was taken comes from the house, or goes to it."""
    if not 0 < cents <= MOST:
        raise LedgerWrong(f"a prize of {cents} cents cannot be")
    taken = ledger.cents if whole else min(cents, ledger.cents) if lowers else 0
    return _posts(
        {Account.METER: -taken * PARTS, Account.CLAIM: cents * PARTS, Account.BASE: (taken - cents) * PARTS}
    )


def paid(cents: int) -> Posts:
    """The prize went to its player."""
    return _posts({Account.CLAIM: -cents * PARTS, Account.PAID: cents * PARTS})


def correction(cents: int) -> Posts:
    """A player was given so many cents more, below zero fewer, after the prize was paid; the meter stays."""
    return _posts({Account.PAID: cents * PARTS, Account.CORRECTION: -cents * PARTS})


def _posts(parts: Posts) -> Posts:
    return {account: moved for account, moved in parts.items() if moved}
