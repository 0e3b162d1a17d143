"""The table and `settle` make the same of a round: random rounds of Fast Action and Pik-it with odd hands go through both."""

import json
from random import Random

import pytest

from controller.cards.cards import NAMES, parse
from controller.cards.house_ways import is_natural, set_hand
from controller.filters.settle import SettleFilter
from controller.games.settling.round import Terms
from controller.rules.vocabulary import Area, Method, Trigger
from controller.table.settlement.offer import offer
from controller.table.state.table import Fate
from controller.table.words import acts as a

ROUNDS = 60
BACK = {"void": "return"}
"""What a void gives back the table calls returned."""


def numbers(cards):
    return tuple(parse(card)[0] for card in cards)


def lift(table):
    """A floorperson answers each hold by its first choice; says whether there was any."""
    held = list(table.state.holds.values())
    for hold in held:
        table.act(a.ResolveHold(hold.id, hold.choices[0]))
    return bool(held)


def by_table(table, earlier=None):
    """By seat and wager: outcome, cents that go back of it, cents won; `earlier`: what was offered before."""
    found, now = dict(earlier or {}), offer(table.setup, table.round)
    if now is not None:
        assert now.refused == ""
        found |= {(x.seat, x.wager): (x.outcome, x.returned, x.paid) for x in now.lines}
    for seat, name, wager in table.round.wagers(*Fate):
        if wager.outcome is not None:
            found[seat, name] = (wager.outcome, wager.returned, wager.paid)
        elif wager.fate in (Fate.COLLECTED, Fate.RETURNED):
            back = wager.fate is Fate.RETURNED
            found[seat, name] = ("return", wager.cents, 0) if back else ("lose", 0, 0)
    return found


def by_settle(table, line):
    answer = json.loads(SettleFilter(table.setup.law, Terms("USD")).feed(json.dumps(line).encode()))
    return {
        (x["seat"], x["wager"]): (BACK.get(x["outcome"], x["outcome"]), x["returned"], x["paid"])
        for x in answer["settlement"]["lines"]
    }


def seat_line(table, seat, cards, decisions, **chosen):
    wagers = {name: wager.cents for name, wager in table.round.seats[seat].wagers.items()}
    told = {key: " ".join(value) for key, value in chosen.items()}
    return {"seat": seat, "wagers": wagers, "cards": " ".join(cards), "decisions": decisions, **told}


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("odd", ["nothing", "too_many", "void", "no_natural"])
def test_fast_action(make_table, odd, number):
    """Few ranks, so that naturals and copies come; seat 2 has the odd hand. What a person decided at the table `settle` holds."""
    rng = Random(f"{odd} {number}")
    elect = {
        "R-55": rng.choice(("ask", "push", "collect")),
        "R-81": rng.choice(("player", "house")),
        "R-67": "play_on",
    }
    ranks = rng.sample("23456789TJQKA", rng.choice((2, 3, 13)))
    deck = rng.sample([name for name in NAMES if name[0] in ranks] * 6, 22)
    cards = {1: deck[:4], 2: deck[4 : 9 if odd == "too_many" else 8], 3: deck[9:13]}
    table = make_table("fast-action", Method.MANUAL_SHOE, elect=elect, offered=()).ready()
    table.bet(*((seat, "original", 1001) for seat in cards)).let_out().act(a.RecordInitialDeal())
    happened, asked, given = None, False, {}
    if odd == "too_many":
        happened = {"trigger": "wrong_count_player", "state": ["too_many"], "seat": 2}
    if odd == "void":
        table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=2))
        table.act(a.ReportIrregularity(Trigger.HAND_DECLARED_VOID, seat=2))
        happened = {"trigger": "hand_declared_void", "seat": 2}
    if odd == "no_natural" and not is_natural(numbers(cards[2])):
        table.answer(2, "natural")
        table.act(a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=2))
        happened = {"trigger": "false_declaration", "seat": 2}
    for seat in (seat for seat in cards if table.round.plays(seat)):
        natural = is_natural(numbers(cards[seat][:4]))
        given[seat] = "natural" if natural and rng.random() < 0.8 else rng.choice(("set", "split", "surrender"))
        table.answer(seat, given[seat], int(given[seat] == "split"))
    if odd == "too_many":
        table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=2, too_many=True))
        asked = lift(table)
    dealer, community = deck[13:17], deck[17:]
    natural = is_natural(numbers(dealer))
    played = "" if natural else " ".join(NAMES[card] for card in set_hand(numbers(dealer)).plays[0])
    table.act(a.RevealDealer(natural=natural))
    table.act(a.RecordHand(Area.DEALER, " ".join(dealer), played=played))
    line = {"dealer": " ".join(dealer), "dealer_played": played, "seats": []} | (
        {"irregularity": happened} if happened else {}
    )
    if not natural:
        table.act(a.RevealCommunity(a.Street.COMMUNITY))
        table.act(a.RecordHand(Area.COMMUNITY, " ".join(community)))
        line["community"] = " ".join(community)
    for seat, dealt in cards.items():
        chosen = dealt[1:3] if given.get(seat) in ("set", "split") else []
        if seat in given:
            table.act(a.RecordHand(Area.PLAYER, " ".join(dealt), seat, " ".join(chosen)))
        line["seats"].append(seat_line(table, seat, dealt, [given[seat]] if seat in given else [], played=chosen))
    assert not table.state.holds
    found, settled = by_table(table), by_settle(table, line)
    assert asked is (odd == "too_many" and given[2] != "set")
    if asked:
        assert {settled.pop(key)[0] for key in list(settled) if key[0] == 2} == {"held"}
        found = {key: value for key, value in found.items() if key[0] != 2}
    assert settled == found
