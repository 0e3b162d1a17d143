"""What a payout limit cuts, where the least of it lies, what is rounded to a unit, and sums that no JSON reader could hold.

Clause: ma-uth 11(e), 14(d); md-uth 12.F; ma-colorado 12(c), 13(c). Fast Action and Pik-it print no limit of a payout.
"""

from random import Random
from typing import Any

import pytest

from controller.filters.settle import RoundLine, round_of
from controller.games.settling.engine import Settler
from controller.games.settling.round import MOST, MOST_SUM, Round, RoundRefused, Terms
from controller.games.settling.settled import Settlement
from controller.readers.json import convert
from controller.rules.elections import elect, proposals
from controller.rules.pay import FixedSum, Odds, OfMeter
from controller.rules.read.library import find
from controller.table.acts.betting import MOST_CENTS
from controller.table.settlement.settle import MOST_PAID
from tests.controller.games.test_hands_not_whole import seat
from tests.support.dealt import Dealer

TIE = {"dealer": "2d 3c", "community": "Ah Kh Qh Jh Th"}
STRAIGHT = {"dealer": "2d 2c", "community": "Qh Jc Td 3s 4h"}
"""For a player with ace and king, against a pair."""
JAM = {"irregularity": {"trigger": "shoe_jam"}}


USD = Terms("USD")


def settler(name: str, **elected: str) -> Settler:
    book = find(name)
    chosen = proposals(book) | {key.replace("R_", "R-"): choice for key, choice in elected.items()}
    return Settler(elect(book, {q: (choice, "test") for q, choice in chosen.items()}))


def settle(by: Settler, given: dict[str, Any], terms: Terms = USD) -> Settlement:
    return by.settle(round_of(convert(given, RoundLine, "round"), terms))


def ultimate(ante: int, times: int, **others: int) -> dict[str, int]:
    return {"ante": ante, "blind": ante, "play": times * ante, **others}


LIMITED = {
    "ma-uth": {"R_03": "both", "R_22": "return"},
    "md-uth": {"payout_limit": "least"},
    "ma-colorado": {"payout_limit": "least", "R_22": "return"},
}


@pytest.mark.parametrize("of", ["winnings", "handed_back"])
@pytest.mark.parametrize("happened", [{}, JAM], ids=["pushed", "void"])
@pytest.mark.parametrize("name", ["ma-uth", "md-uth", "ma-colorado"])
def test_a_wager_that_goes_back_is_never_cut(name, happened, of):
    """60,000.00 on hands that tie, or in a round that is void: all of it goes back."""
    if name == "ma-colorado":  # a pair of sevens pushes
        mine = seat("7h 7d 2c", "bet", {"ante": 3_000_000, "bet": 3_000_000}, played="7h 7d")
        given = {"seats": [mine], "community": "Kc Qs 4d", **happened}
    else:
        given = {"seats": [seat("2c 3d", "play", ultimate(1_000_000, 4))], **TIE, **happened}
    found = settle(settler(name, R_98=of, **LIMITED[name]), given)
    assert (found.cuts, [total.back for total in found.seats]) == ((), [6_000_000])


@pytest.mark.parametrize(
    ("of", "ante", "times", "cut"),
    [
        ("winnings", 1_000_000, 3, 0),  # exactly 50,000.00 is won
        ("winnings", 1_000_000, 4, 1_000_000),
        ("handed_back", 500_000, 3, 0),  # exactly 50,000.00 is handed back
        ("handed_back", 500_000, 4, 1_000_000),
        ("handed_back", 1_000_000, 4, 6_000_000),  # all that was won; the wagers themselves stay
    ],
)
@pytest.mark.parametrize("name", ["ma-uth", "md-uth"])
def test_winnings_are_cut_and_no_wager_is(name, of, ante, times, cut):
    """A straight wins even money on ante, blind and play. R-98 says what is counted; only what was won is cut."""
    given = {"seats": [seat("As Kd", "play" if times > 2 else "check play", ultimate(ante, times))], **STRAIGHT}
    elected = {"R_03": "fifty"} if name == "ma-uth" else {"payout_limit": "least"}
    found = settle(settler(name, R_98=of, **elected), given)
    won = (2 + times) * ante
    assert sum(each.cut for each in found.cuts) == cut
    assert found.seats[0].back == 2 * won - cut


@pytest.mark.parametrize(("of", "stake", "cut"), [
    ("winnings", 2_500_000, 0), ("winnings", 2_500_100, 200), ("handed_back", 1_250_000, 0), ("handed_back", 1_250_100, 400),
])  # fmt: skip
def test_colorado_cuts_what_ante_and_bet_win(of, stake, cut):
    """Clause: ma-colorado 12(c). A pair of aces wins even money on both; the bonus, here a push, does not count."""
    mine = seat("Ah Ad 2c", "bet", {"ante": stake, "bet": stake, "bonus": 100}, played="Ah Ad")
    given = {"seats": [mine], "community": "Kc Qs 4d"}
    found = settle(settler("ma-colorado", version="required_bet", payout_limit="least", R_98=of), given)
    assert sum(each.cut for each in found.cuts) == cut
    assert found.seats[0].back == 4 * stake + 100 - cut


def test_an_ante_that_goes_back_does_not_count_as_won():
    """Clause: ma-uth 10(g), 11(e). The dealer has no pair: the ante is returned, and the play wager alone wins."""
    given = {
        "seats": [seat("As Kd", "play", ultimate(1_000_000, 3))],
        "dealer": "2d 3c",
        "community": "Qh 9c 8d 5s 4h",
    }
    found = settle(settler("ma-uth", R_03="fifty", R_98="handed_back"), given)
    assert [(cut.before, cut.cut) for cut in found.cuts] == [(6_000_000, 1_000_000)]


# ---- the least of a limit: what one round can win with the minimum wagers

LEAST = {"ante": 1000, "trips": 500, "ultimate_pairs": 500, "bad_beat": 500, "play_the_board": 500}
HOUSE = {"payout_limit": "higher", "R_105": "all_but_two", "bad_beat_table": "A", "ultimate_pairs_table": "A"}
RED = "Ah Ad"
BEATS = {"dealer": "As Ac", "community": "Kh Qh Jh Th 9h"}
IS_BEATEN = {"dealer": "As Ac", "community": "Ks Qs Js Ts 9s"}
TIES = {"dealer": "2d 3c", "community": "As Ks Qs Js Ts"}


@pytest.mark.parametrize(
    ("elected", "least", "most", "cards"),
    [
        # 1,000 + 4,000 + 500 x 1,000 + 50 x 500 + 30 x 500 + 10,000 x 500 + 200 x 500
        ({"R_104": "either_hand"}, {}, 5_645_000, BEATS),
        # 40 x 500 + 30 x 500 + 10,000 x 500 + 200 x 500
        ({"R_104": "players_hand"}, {}, 5_135_000, IS_BEATEN),
        # aces of player and dealer: 1,000 x 500 in the place of 30 x 500
        ({"R_104": "either_hand", "ultimate_pairs_table": "B"}, {}, 6_130_000, BEATS),
        # 50 x 500 + 30 x 500 + 1,000 x 10,000: the board is royal, and nobody is beaten
        ({"R_104": "either_hand"}, {"play_the_board": 10_000}, 10_040_000, TIES),
    ],
)  # fmt: skip
def test_the_least_limit_is_what_one_round_can_win(elected, least, most, cards):
    """Clause: md-uth 12.F(1), R-105. The round that wins it can be dealt, and one cent less is refused."""
    by, minimum = settler("md-uth", **{**HOUSE, **elected}), {**LEAST, **least}
    wagers = {**minimum, "blind": 1000, "play": 4000}
    given = {"seats": [seat(RED, "play", wagers)], **cards}
    assert sum(line.paid for line in settle(by, given, Terms("USD", minimum, payout_limit=MOST)).lines) == most
    assert settle(by, given, Terms("USD", minimum, payout_limit=most)).cuts == ()
    with pytest.raises(RoundRefused, match=f"the payout limit is {most - 1} cents, and must be at least {most}"):
        settle(by, given, Terms("USD", minimum, payout_limit=most - 1))


@pytest.mark.parametrize("number", range(4))
def test_no_round_wins_more_than_the_least_limit(number):
    """A thousand rounds of high cards of two suits, with every elected table: none reaches further."""
    rng = Random(f"least {number}")
    elected = {**HOUSE, "R_104": rng.choice(("either_hand", "players_hand"))}
    for wager, tables in (
        ("ultimate_pairs", "ABCDEF"),
        ("bad_beat", "ABC"),
        ("play_the_board", "ABC"),
        ("trips", "ABCDE"),
    ):
        elected[f"{wager}_table"] = rng.choice(tables)
    by = settler("md-uth", **elected)
    least = {name: rng.choice((100, 500, 2500)) for name in LEAST}
    limits = [limit for limit in by.law.rulebook.limits.values()]
    deck = [f"{rank}{suit}" for rank in "AKQJT9" for suit in "hs"] + ["Ad", "Ac", "Kd"]
    wagers = {**least, "blind": least["ante"], "play": 4 * least["ante"]}
    asked = Terms("USD", least, payout_limit=MOST)
    most = 0
    for _ in range(250):
        cards = rng.sample(deck, 9)
        mine = seat(" ".join(cards[:2]), "play", wagers)
        given = {"seats": [mine], "dealer": " ".join(cards[2:4]), "community": " ".join(cards[4:])}
        lines = settle(by, given, asked).lines
        most = max(most, sum(line.paid for line in lines if line.wager in limits[0].wagers.value))
    assert most > 0
    with pytest.raises(RoundRefused) as refused:
        settle(by, given, Terms("USD", least, payout_limit=1))
    assert int(refused.value.reason.rsplit(" ", 1)[1]) >= most


# ---- the least unit that is paid


@pytest.mark.parametrize("name", ["ma-uth", "md-uth"])
@pytest.mark.parametrize("breakage", ["up", "down"])
def test_only_odds_that_come_to_a_part_are_rounded(name, breakage):
    """Clause: ma-uth 11(b), 11(c), md-uth 12.A, 12.B(1)(e); R-107. Units of 1.00: even money and 7 to 1 are paid as they are."""
    given = {
        "seats": [seat("7h 3h", "play", ultimate(1010, 3, trips=505))],
        "dealer": "2d 2c",
        "community": "Kh 9h 5h 4s Qd",
    }
    found = settle(settler(name, R_107=breakage, trips_table="A"), given, Terms("USD", unit=100))
    paid = {line.wager: line.paid for line in found.lines}
    assert paid == {"ante": 1010, "play": 3030, "trips": 3535, "blind": 1600 if breakage == "up" else 1500}


def test_a_coupon_at_even_money_is_paid_as_it_is():
    """Clause: ma-uth 6(a), R-108. At the odds of the blind it is rounded as the blind is."""
    mine = {**seat("7h 3h", "play", ultimate(1010, 3)), "coupons": {"ante": 505, "blind": 505}}
    given = {"seats": [mine], "dealer": "2d 2c", "community": "Kh 9h 5h 4s Qd"}
    for rule, blind in (("even_money", 505), ("at_odds", 800)):
        found = settle(settler("ma-uth", R_108=rule), given, Terms("USD", unit=100))
        assert {line.wager: line.paid for line in found.lines if line.coupon} == {"ante": 505, "blind": blind}


# ---- sums


def test_no_amount_is_larger_than_any_reader_of_json_can_hold():
    """The largest wager at 1,000 to 1 would be: it is refused by its seat, and at 900 million times less it is settled."""
    by = settler("md-uth", R_104="either_hand")
    for stake, fine in ((MOST_SUM // 1101, True), (MOST, False)):
        wagers = {"ante": 1000, "blind": 1000, "play": 4000, "play_the_board": min(stake, MOST)}
        given = {"seats": [seat(RED, "play", wagers)], **TIES}
        if fine:
            assert settle(by, given).seats[0].back <= MOST_SUM
        else:
            with pytest.raises(
                RoundRefused, match=f"seat 1: its wagers come to .* and no settlement is above {MOST_SUM}"
            ):
                settle(by, given)


@pytest.mark.parametrize("name", ["ma-uth", "md-uth", "ma-colorado", "nj-pikit", "fast-action"])
def test_no_sum_of_any_game_passes_the_bound(name):
    """Random rounds with the largest wagers: each amount of what is settled is within the bound."""
    by, rng = settler(name), Random(name)
    for _ in range(30):
        round_: Round = Dealer(by.law, rng).round(2)
        hands = tuple(
            type(h)(h.seat, {w: c * (MOST // 9000) if c >= 1000 else c for w, c in h.wagers.items()}, h.cards, h.decisions,
                    h.played, h.shown) for h in round_.hands
        )  # fmt: skip
        large = Round(hands, round_.dealer, round_.community, round_.box, round_.dealer_played, round_.meters)
        told, found = "", None
        try:
            found = by.settle(large)
        except RoundRefused as refused:
            told = refused.reason
        assert found is not None or "no settlement is above" in told
        assert found is None or all(max(total.stake, total.back) <= MOST_SUM for total in found.seats)


@pytest.mark.parametrize("name", ["ma-uth", "md-uth", "ma-colorado", "nj-pikit", "fast-action"])
def test_no_sum_at_a_table_passes_the_bound(name):
    """The largest wagers of six seats, each at its highest odds, with the largest meter and sum of each: far below 2^53.

    So no fact, export or message of a table holds an amount that a reader of JSON would round.
    """
    book, most = find(name), 0
    for table in book.pay.values():
        pays = [value for row in table.rows.values() for value in (row.value, *(v for _, v in row.options))]
        odds = [MOST_CENTS * p.pays // p.stake for p in pays if isinstance(p, Odds)]
        fixed = [p.cents for p in pays if isinstance(p, FixedSum)] + [
            MOST_PAID for p in pays if isinstance(p, OfMeter)
        ]
        most += max((*odds, *fixed, 0)) + MOST_CENTS  # every table of every wager, although one of each is elected
    assert 0 < 6 * most < MOST_SUM
    assert MOST_PAID < MOST_SUM
