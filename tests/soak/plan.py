"""How many rounds are played as which days, what must have come up in them, and what never can, each with its reason."""

from controller.rules.vocabulary import NO_ROW, Trigger
from controller.table.words.acts import ACTS
from tests.soak import agree, telling
from tests.soak.agree import Compared
from tests.soak.day import Day, Tally
from tests.soak.tables import book
from tests.soak.verdicts import PAID_BEFORE, WHOLE_HELD

A_DAY, A_LONG_DAY, LONG_EVERY = 50, 1000, 40
"""Rounds of a day; one in so many days is long, and shows that an input late in it costs no more than an early one."""
LONG_SHARE = 5
"""A long day is at most one part in so many of a run."""
LARGEST_STATE = 60_000
"""Characters of a state: two sets that remember a hundred rounds each, all seats with all wagers, the holds of a bad day."""
DEAREST = 1.5
"""An input of the last tenth of the days may cost so many times one of the first."""

LEAST_COMPARED = {"with": 0.03, "beside": 0.01, "without": 0.2}
"""Share of rounds that are told to `settle` with every card that it needs, at least: with something that touches wagers, beside
something that does not, and without anything."""
MOST_UNTOLD = {
    telling.NO_WAGER: 0.1, telling.BETS_OPEN: 0.1, telling.UNCOUNTED: 0.12, telling.WORTHLESS: 0.03, telling.SEVERAL: 0.04,
    telling.BY_A_PERSON: 0.12, telling.METER: 0.15, telling.PLACED_SINCE: 0.04, telling.NO_ROW: 0.01,
    telling.WRONGLY_SAID: 0.15,
}  # fmt: skip
"""Share of rounds that no line of `settle` can tell, at most, by reason; and of all of them."""
UNTOLD = 0.35
MOST_OTHERWISE = {
    WHOLE_HELD: 0.15, PAID_BEFORE: 0.02, agree.TOLD_LATER: 0.06, agree.BY_HAND: 0.01, agree.UNREAD: 0.6,
}  # fmt: skip
"""Share of wagers of which the two do not plainly say the same, at most, by what they say."""
ENOUGH = 1000
"""Rounds from which on shares, and costs, are looked at."""

NO_STUB = "the document asks for no stub count"
NO_PROGRESSIVE = "the document has no progressive wager, and says so to who counts chips"
EACH_IS_SPREAD = "after an idle table each set is spread and shown, so that no player has to ask for it"
NO_BURN = "the document burns cards in the rounds alone"
NO_ORDER = "the document names no shuffle by order"
BY_THE_CLOCK = "the document prints the time of a set for every way of dealing"
NO_PAYOUT = "the document has no payout that a person validates before it is made"
NO_HANDS_FOUND = "the document knows no device that finds the hands of a round"
NO_CUTTING_CARD = "no cutting card lies in the stack in this game"
NO_NOTICE = "no document but ma-colorado wants a notice before a wager is withdrawn"
NO_METER = "no progressive wager is paid from a meter in this document"
NEVER_DONE: dict[str, dict[str, str]] = {
    "md-uth": {
        "post_notice": NO_NOTICE,
        "place_cutting_card": NO_CUTTING_CARD,
        "record_hands_found": NO_HANDS_FOUND,
        "burn_card": NO_BURN,
        "report_set_due": BY_THE_CLOCK,
    },
    "ma-uth": {
        "post_notice": NO_NOTICE,
        "place_cutting_card": NO_CUTTING_CARD,
        "record_meter": NO_METER,
        "validate_progressive": NO_PAYOUT,
        "request_spread": EACH_IS_SPREAD,
        "burn_card": NO_BURN,
        "direct_shuffle": NO_ORDER,
    },
    "fast-action": {
        "post_notice": NO_NOTICE,
        "record_hands_found": NO_HANDS_FOUND,
        "release_lockout": NO_PROGRESSIVE,
        "record_meter": NO_METER,
        "recut": "the document knows no second cut",
        "record_stub_count": NO_STUB,
        "record_progressive_count": NO_PROGRESSIVE,
        "count_and_deal": NO_PROGRESSIVE,
        "validate_progressive": NO_PAYOUT,
    },
    "nj-pikit": {
        "post_notice": NO_NOTICE,
        "place_cutting_card": NO_CUTTING_CARD,
        "record_hands_found": NO_HANDS_FOUND,
        "release_lockout": NO_PROGRESSIVE,
        "record_meter": NO_METER,
        "request_spread": EACH_IS_SPREAD,
        "burn_card": NO_BURN,
        "direct_shuffle": NO_ORDER,
        "record_progressive_count": NO_PROGRESSIVE,
        "count_and_deal": NO_PROGRESSIVE,
        "validate_progressive": NO_PAYOUT,
        "reveal_community": "the game has no community cards",
    },
    "ma-colorado": {
        "place_cutting_card": NO_CUTTING_CARD,
        "record_hands_found": NO_HANDS_FOUND,
        "release_lockout": NO_PROGRESSIVE,
        "record_meter": NO_METER,
        "request_spread": EACH_IS_SPREAD,
        "burn_card": NO_BURN,
        "direct_shuffle": NO_ORDER,
        "record_progressive_count": NO_PROGRESSIVE,
        "count_and_deal": NO_PROGRESSIVE,
        "validate_progressive": NO_PAYOUT,
        "reveal_dealer": "the dealer has no hand in this game",
    },
}
"""Acts that no table of a document ever accepts. One that is accepted all the same must leave this list."""
NEVER_SEEN: dict[str, dict[Trigger, str]] = {}
"""Triggers with a row that answers them, and nothing that raises them."""


def days(rounds: int) -> list[tuple[int, int]]:
    """Number and rounds of each day, as many as make up the rounds."""
    found: list[tuple[int, int]] = []
    long = max(A_DAY, min(A_LONG_DAY, rounds // LONG_SHARE))
    while rounds > 0:
        length = min(rounds, long if len(found) % LONG_EVERY == 0 else A_DAY)
        found.append((len(found), length))
        rounds -= length
    return found


def play_day(rulebook: str, seed: int, day: int, rounds: int) -> Tally:
    """One day. Raises `Broken`."""
    return Day(rulebook, seed_of(rulebook, seed, day), rounds).play()


def seed_of(rulebook: str, seed: int, day: int) -> str:
    """The seed of a day: each is drawn alone, so that it can be played again alone."""
    return f"{seed}/{rulebook}/{day}"


def missing(rulebook: str, tally: Tally) -> list[str]:
    """What never came up although it should, and what came up although it never can; [] where all is well."""
    never = NEVER_DONE.get(rulebook, {})
    faults = [f"nobody ever did {kind}" for kind in ACTS if not tally.acts[kind] and kind not in never]
    faults += [f"{kind} was done, but: {never[kind]}" for kind in never if tally.acts[kind]]
    law, unseen = book(rulebook), NEVER_SEEN.get(rulebook, {})
    answered = [trigger for trigger in law.rows if law.absent(trigger) is None]
    answered += list(NO_ROW)
    faults += [
        f"{trigger} never happened"
        for trigger in answered
        if not tally.triggers[trigger] and trigger not in unseen
    ]
    faults += [f"{trigger} happened, but: {unseen[trigger]}" for trigger in unseen if tally.triggers[trigger]]
    faults += [f"no round was dealt by {method}" for method in law.dealing if not tally.methods[method]]
    faults += apart(tally.compared)
    if tally.largest > LARGEST_STATE:
        faults.append(f"a state has {tally.largest} characters; {LARGEST_STATE} are the most")
    if sum(tally.rounds.values()) >= ENOUGH and tally.late > DEAREST * tally.early:
        faults.append(f"late inputs make {tally.late / tally.early:.2f} times early ones")
    return faults


def apart(compared: Compared) -> list[str]:
    """Shares of rounds and wagers that were held against `settle` too seldom, or not at all too often."""
    rounds, wagers = sum(compared.rounds.values()) + sum(compared.untold.values()), sum(compared.wagers.values())
    if rounds < ENOUGH:
        return []
    faults = [
        f"{compared.rounds[what]} of {rounds} rounds {what} an irregularity were compared with settle"
        for what, share in LEAST_COMPARED.items()
        if compared.rounds[what] < share * rounds
    ]
    untold = sum(compared.untold.values())
    if untold > UNTOLD * rounds:
        faults.append(f"{untold} of {rounds} rounds were not told to settle")
    for why, many in compared.untold.items():
        if many > MOST_UNTOLD[why] * rounds:
            faults.append(f"{many} of {rounds} rounds were not told to settle, as {why}")
    for what, many in compared.wagers.items():
        if what != agree.SAME and many > MOST_OTHERWISE[what] * wagers:
            faults.append(f"{many} of {wagers} wagers: {what}")
    return faults


def told(compared: Compared) -> str:
    """What the rounds that were told to `settle` came to, for a person."""
    by_count = [
        ", ".join(f"{many} {what}" for what, many in sorted(found.items(), key=lambda x: -x[1]))
        for found in (compared.rounds, compared.wagers, compared.untold)
    ]
    return "rounds told to settle, {} an irregularity; wagers: {}; rounds not told: {}".format(*by_count)


def report(rulebook: str, tally: Tally) -> str:
    """Two lines for a person."""
    rounds = sum(tally.rounds.values())
    ends = ", ".join(f"{many} {outcome}" for outcome, many in sorted(tally.rounds.items()))
    law = book(rulebook)
    rows = sum(not row.absent for found in law.rows.values() for row in found)
    return (
        f"{rulebook}: {rounds} rounds ({ends}); {tally.inputs} inputs, {tally.refused} refused, {tally.held} holds, "
        f"{tally.starts} starts; {len(tally.triggers)} triggers, {len(tally.rows)} of {rows} answers; "
        f"{tally.sampled / max(1, tally.core_ns) * 1e9:.0f} inputs a second on one core, the last tenth of a day costs "
        f"{tally.late / max(1, tally.early):.2f} times the first; the largest state has {tally.largest} characters\n"
        f"  {told(tally.compared)}"
    )
