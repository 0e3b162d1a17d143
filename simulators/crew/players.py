"""What players bet and answer: random, but equal in every run with one seed.

They know no game: the table's status says what may be bet and answered; this module says how often they do it.
"""

from collections.abc import Iterator

from simulators.crew.scenario import Cue
from simulators.crew.table import Table
from simulators.crew.view import Answer, WagerRule

Bets = dict[int, dict[str, int]]
"""By seat: each wager with its cents; 0 for a chip on a sensor."""

PLAYS, OPTIONAL, SENSED = 0.7, 0.5, 0.6
"""How often a seat plays at all, adds an optional wager, puts a chip on its sensor."""
OPTIONAL_CENTS = 500
LIKED = {
    "check": 3, "play": 2, "fold": 2, "show": 1, "play_3": 3, "play_5": 3, "bet": 5, "stay": 2, "set": 6, "split": 2,
    "surrender": 1, "natural": 0.3, "declare": 0.3,
}  # fmt: skip
"""Weight of an answer beside the others that may be given; 1 for one that nobody has thought of here."""
SAID_OF_DEALER = {"qualifies": 0.75, "natural": 0.1}
"""How often that is so, where the dealer is asked."""


def bets(table: Table, number: int) -> Bets:
    """Returns who plays in round `number`, and for how much."""
    rng = table.rng("bets", number)
    seats = range(1, table.settings.seats + 1)
    playing = [seat for seat in seats if rng.random() < PLAYS] or [rng.choice(list(seats))]
    taken = table.view.taken
    wants_chips = table.scenario.expects(number, Cue.COUNT)  # a scenario about chips needs some
    placed: Bets = {}
    for seat in playing:
        cents, mine = rng.randrange(5, 51) * 100, placed.setdefault(seat, {})
        for rule in sorted(taken, key=lambda rule: rule.optional):
            likes = rng.random() < (SENSED if rule.sensed else OPTIONAL) or wants_chips
            stands = all(other in mine for other in rule.requires if other != rule.name)
            if not rule.optional or (likes and stands):
                mine[rule.name] = _amount(rule, cents)
    return placed


def _amount(rule: WagerRule, cents: int) -> int:
    if rule.sensed:
        return 0
    return rule.cents or (OPTIONAL_CENTS if rule.optional else cents)


def answers(table: Table, seat: int, offered: tuple[Answer, ...]) -> Iterator[dict[str, object]]:
    """Returns the acts that answer for a seat now: the preferred one first."""
    rng = table.rng("decision", table.view.number, seat, table.view.phase)
    left = list(offered)
    while left:
        (chosen,) = rng.choices(left, [LIKED.get(one.decision, 1) for one in left])
        left.remove(chosen)
        multiple = {"multiple": rng.choice(chosen.multiples)} if chosen.multiples else {}
        yield {"decision": chosen.decision, **multiple}


def says_of_dealer(table: Table, asks: list[str]) -> dict[str, object]:
    """Returns what the dealer says of the hand that is turned up."""
    rng = table.rng("dealer", table.view.number)
    return {what: rng.random() < SAID_OF_DEALER.get(what, 0.5) for what in asks}
