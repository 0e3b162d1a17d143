"""The ledger of a meter under any sequence of entries: it sums to nothing, and every cent is where a plain sum says."""

from fractions import Fraction

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from controller.games.settling import meters
from controller.games.settling.meters import NEVER_BELOW, PARTS, Account, Entry, Ledger, LedgerWrong, MeterTerms

TERMS = st.builds(
    MeterTerms, st.integers(1, 1_000_000), st.integers(1, 10_000), st.integers(0, 5_000), st.just(0)
) | st.builds(
    MeterTerms, st.just(25_000), st.integers(1, 10_000), st.integers(0, 5_000), st.integers(25_000, 26_000)
)


class AnyMeter(RuleBasedStateMachine):
    """Fractions of a cent, written down beside the ledger as a person would add them up."""

    def __init__(self):
        super().__init__()
        self.ledger = Ledger(MeterTerms(0, 0))
        self.placed = self.given = Fraction(0)
        self.added = []

    def enter(self, entry, posts, terms=None):
        self.ledger = self.ledger.posted(entry, posts, terms)

    @property
    def running(self):
        return self.ledger.generation > 0

    @precondition(lambda self: not self.running)
    @rule(terms=TERMS)
    def start(self, terms):
        self.enter(Entry.START, meters.start(self.ledger, terms), terms)
        assert self.ledger.cents == terms.base

    @precondition(lambda self: self.running)
    @rule(cents=st.integers(1, 100_000))
    def wager(self, cents):
        before, terms = self.ledger, self.ledger.terms
        self.enter(Entry.CONTRIBUTION, meters.contribution(before, cents))
        rises = Fraction(cents * (terms.rise + terms.reserve), 10_000)
        self.placed += rises
        self.added.append(rises)
        if terms.limit:
            assert self.ledger.cents <= max(terms.limit, before.cents)
            full = self.ledger.of(Account.METER) >= terms.limit * PARTS
            assert full or self.ledger.of(Account.OVERFLOW) == before.of(Account.OVERFLOW)

    @precondition(lambda self: self.added)
    @rule()
    def void(self):
        shown, rises = self.ledger.cents, self.added.pop()
        self.enter(Entry.VOID, meters.void(int(rises * PARTS)))
        assert self.ledger.cents == shown

    @precondition(lambda self: self.running and self.ledger.cents)
    @rule(terms=TERMS, more=st.integers(0, 99))
    def whole_prize(self, terms, more):
        cents, before = self.ledger.cents + more, self.ledger
        self.enter(Entry.CLAIM, meters.claim(before, cents, whole=True, lowers=True))
        self.enter(Entry.PAID, meters.paid(cents))
        self.enter(Entry.RESEED, meters.start(self.ledger, terms), terms)
        self.given += cents
        assert self.ledger.cents == terms.base
        assert self.ledger.generation == before.generation + 1

    @precondition(lambda self: self.running and self.ledger.cents)
    @rule(cents=st.integers(1, 100_000), lowers=st.booleans())
    def part(self, cents, lowers):
        before = self.ledger.cents
        self.enter(Entry.CLAIM, meters.claim(self.ledger, cents, whole=False, lowers=lowers))
        self.enter(Entry.PAID, meters.paid(cents))
        self.given += cents
        assert self.ledger.cents == (max(0, before - cents) if lowers else before)

    @precondition(lambda self: self.ledger.claims)
    @rule(cents=st.integers(-500, 500))
    def correction(self, cents):
        self.enter(Entry.CORRECTION, meters.correction(cents))
        self.given += cents

    @precondition(lambda self: self.running)
    @rule()
    def wrong_entries(self):
        for entry, posts in (
            (Entry.CONTRIBUTION, {Account.METER: 1}),
            (Entry.VOID, {Account.METER: -1, Account.VOIDED: 1}),
            (Entry.START, {}),
            (Entry.PAID, {Account.CLAIM: -1, Account.PAID: 1}),
        ):
            with pytest.raises(LedgerWrong):
                self.ledger.posted(entry, posts)

    @invariant()
    def sums_to_nothing(self):
        accounts = self.ledger.accounts
        assert sum(accounts.values()) == 0
        assert all(self.ledger.of(account) >= 0 for account in NEVER_BELOW)
        assert all(type(parts) is int for parts in accounts.values())
        assert Fraction(self.ledger.of(Account.PAID), PARTS) == self.given
        assert Fraction(-self.ledger.of(Account.WAGERS) - self.ledger.of(Account.VOIDED), PARTS) == self.placed


AnyMeter.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestAnyMeter = AnyMeter.TestCase
