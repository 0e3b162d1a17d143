"""Every document on the bench: plain rounds, and one mishap for each trigger that can come about at its table."""

import itertools
from collections import Counter

import pytest

from controller.rules.vocabulary import GUARDS_OF, Trigger
from simulators.bench.expected import EXPECTED
from simulators.bench.options import METHODS, Options
from simulators.bench.possible import trigger_of, why_not
from simulators.crew.scenario import MISHAPS, Cue, Mishap

NOT_BY_PEOPLE = {
    Trigger.STUB_COUNT_DUE,  # the status says when a count is due; nothing is demanded by itself
    Trigger.DECK_CHANGE_DUE,  # takes four hours of a real clock
    Trigger.SET_NOT_ALTERNATED,  # the daemon refuses to begin a round with that set
    Trigger.ROUND_UNPROVEN,  # takes a device that loses its record: tests/e2e
}
TABLES = (
    Options("md-uth"),
    Options("ma-uth", method="shuffler"),
    Options("nj-pikit"),
    Options("ma-colorado"),
    Options("fast-action"),
    Options("fast-action", elections={"R-18": "house_procedure"}),
)
PLAIN = 1
"""Rounds before the first mishap and after the last one."""


def named(table: Options) -> str:
    return f"{table.rulebook}-{table.dealt_by}"


def mishaps_of(table: Options) -> list[str]:
    """The first mishap for each trigger that can come about here; what changes the method comes last."""
    found: dict[str, str] = {}
    for name in sorted(MISHAPS, key=lambda name: MISHAPS[name].cue is Cue.BETWEEN):
        mishap = Mishap.parse(f"{name}@1")
        if trigger_of(mishap, table) and why_not(mishap, table) is None:
            found.setdefault(trigger_of(mishap, table), name)
    return list(found.values())


def shared_out() -> list[list[str]]:
    """For each table its part of the mishaps: each trigger at one table where it can come about, about as many at each."""
    possible = [mishaps_of(table) for table in TABLES]
    shares: list[set[str]] = [set() for _ in TABLES]
    for name in dict.fromkeys(itertools.chain.from_iterable(possible)):
        min((share for share, names in zip(shares, possible, strict=True) if name in names), key=len).add(name)
    return [[name for name in names if name in share] for share, names in zip(shares, possible, strict=True)]


def asked(table: Options, *more: str) -> list[str]:
    elected = [word for name, choice in table.elections.items() for word in ("--elect", f"{name}={choice}")]
    return ["--rulebook", table.rulebook, "--method", table.dealt_by, "--speed", "1000", *elected, *more]


@pytest.mark.timeout(160)
@pytest.mark.parametrize(
    ("table", "names"),
    [
        *(pytest.param(*each, id=named(each[0])) for each in zip(TABLES, shared_out(), strict=True)),
        *(
            pytest.param(each, mishaps_of(each), id=f"all-{named(each)}", marks=pytest.mark.full)
            for each in TABLES
        ),
    ],
)
def test_every_trigger_is_decided_by_its_law_and_the_rounds_between_are_played(bench, table, names):
    """One run: a mishap a round, each answered as the observer's own law says, and plain rounds around them. Each trigger at one
    table; with `-m full` at each, which tests/clauses does without processes.

    People pay as is offered: wagers settled one by one in odd rounds, added up in even ones, all compared to the cent.
    """
    rounds = len(names) + 2 * PLAIN
    faults = [word for number, name in enumerate(names, PLAIN + 1) for word in ("--fault", f"{name}@{number}")]
    ran = bench(*asked(table, "--rounds", str(rounds), "--broker", "memory", "--pays", *faults))
    assert ran.code == 0, ran.why() + ran.errors + ran.told["failed"]
    told = [made for one in ran.told["rounds"] for made in one["dispositions"]] + ran.told["between_rounds"]
    wanted = Counter(trigger_of(Mishap.parse(f"{name}@1"), table) for name in names)
    assert wanted - Counter(made["trigger"] for made in told) == Counter()
    outcomes = {one["number"]: one["outcome"] for one in ran.told["rounds"]}
    plain = [*range(1, PLAIN + 1), *range(rounds - PLAIN + 1, rounds + 1)]
    assert [outcomes[number] for number in plain] == ["played"] * len(plain)
    assert ran.told["counts"]["rounds"] == rounds
    assert ran.told["counts"]["payments_compared"] > 4


BY_HAND = (Options("md-uth", method="manual_shoe"), Options("nj-pikit", method="hand"))


@pytest.mark.parametrize("table", BY_HAND, ids=named)
def test_five_rounds_are_dealt_by_hand(bench, table):
    """Nothing happens; the sets, the wagers and the record are judged all the same."""
    ran = bench(*asked(table, "--rounds", "5", "--broker", "memory"))
    assert ran.code == 0, ran.why() + ran.errors + ran.told["failed"]
    assert [one["outcome"] for one in ran.told["rounds"]] == ["played"] * 5
    assert ran.state("2 only armed") == ran.state("5 one fate") == ran.state("chain") == "held"


@pytest.mark.parametrize("rulebook", sorted(EXPECTED))
def test_a_trigger_that_nothing_at_the_table_brings_about_is_none_that_the_document_knows(rulebook):
    """Every trigger comes about at some table of the document, or the refusal says with its clause why it cannot."""
    dealt = [Options(rulebook, method=method) for method in METHODS]
    tables = [table for table in dealt if table.dealt_by in table.law.dealing]
    tables += [table for table in TABLES if table.rulebook == rulebook and table.elections]
    reached = {trigger_of(Mishap.parse(f"{name}@1"), table) for table in tables for name in mishaps_of(table)}
    reached |= {"shuffler_identities_wrong"}  # with --recognition
    for trigger in set(GUARDS_OF) - NOT_BY_PEOPLE - reached:
        names = [name for name, scene in MISHAPS.items() if scene.trigger == trigger]
        assert names, f"no mishap leads to {trigger}"
        for name, table in itertools.product(names, tables):
            assert "[" in (why_not(Mishap.parse(f"{name}@1"), table) or ""), f"{named(table)}: {name}"


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", MISHAPS)
@pytest.mark.parametrize(
    "table", [Options(book, method=method) for book in EXPECTED for method in METHODS] + [TABLES[-1]], ids=named
)
def test_every_mishap_under_every_document_and_method(bench, table, name):
    """The whole cross: what can come about is decided and judged, what cannot is refused before play."""
    recognition = ["--recognition"] * (name == "identities")
    ran = bench(*asked(table, "--rounds", "3", "--broker", "memory", "--fault", f"{name}@2", *recognition))
    assert ran.code in (0, 2), ran.why() + ran.errors + ran.told["failed"]
    assert (
        ran.code == 0 or "cannot happen here" in ran.errors or "no dealing" in ran.errors or "R-18" in ran.errors
    )
