"""The games that are tried: under which elections, and which counts have a probability that is known."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from controller.rules.elections import elect, proposals
from controller.rules.model import Law
from controller.rules.read.library import find
from tests.settling import exact
from tests.settling.deal import ANNOUNCED, SILENT

SEATS: Final = 6
FOLDED, GIVEN_UP, AT_ONCE, PLAYED, FACED = "folded", "given_up", "at_once", "played", "faced"
"""How a hand ended. `FACED`: it was played on, and the dealer's natural came before all comparing."""
KEPT = (FOLDED, PLAYED)


@dataclass(frozen=True, slots=True)
class Trial:
    """Counts of one wager against their exact probabilities, at each seat by itself, since hands of one round share cards.

    `among`: only hands that ended so; `kinds`: only rounds of these kinds; `hands`: only rounds of so many hands, the
    dealer's among them. `merged`: cells that are one because only their sum is known; `dropped`: cells left out of the
    trials. () and 0: all.
    """

    wager: str
    cells: exact.Cells
    among: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    hands: int = 0
    merged: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    @property
    def seats(self) -> range:
        """Those at which it can be counted."""
        return range(1, self.hands if self.hands else SEATS + 1)


@dataclass(frozen=True, slots=True)
class Game:
    """A document under elections that leave no wager to a person's decision where there is a choice that settles it."""

    name: str
    rulebook: str
    elections: Mapping[str, str]
    trials: tuple[Trial, ...]

    def law(self) -> Law:
        chosen = proposals(book := find(self.rulebook)) | dict(self.elections)
        return elect(book, {question: (choice, "test") for question, choice in chosen.items()})


def _ultimate() -> Iterator[Trial]:
    yield Trial("trips", exact.trips())
    yield Trial("ante", exact.ante(), (PLAYED,))
    yield Trial("blind", exact.blind(), (PLAYED,))
    yield Trial("play", exact.play(), (PLAYED,))
    for wager in ("ante", "blind"):
        yield Trial(wager, exact.certain("lose"), (FOLDED,))


def _massachusetts() -> Iterator[Trial]:
    yield from _ultimate()
    lower = dict.fromkeys(("flush", "straight", "three_of_a_kind", "lose"), "less")
    for hands in exact.COVERED:
        yield Trial("cover_all", exact.cover_all(hands), hands=hands, merged=lower)
    yield Trial("progressive", exact.certain("held"))  # the document prints no table for it


def _maryland() -> Iterator[Trial]:
    yield from _ultimate()
    yield Trial("progressive", exact.progressive_by_flop())
    yield Trial("six_card", exact.six_card())
    yield Trial("bad_beat", exact.bad_beat())
    yield Trial("play_the_board", exact.board())


def _pikit() -> Iterator[Trial]:
    yield Trial("five_card_bonus", exact.five_card_bonus())
    yield Trial("three_card_bonus", exact.three_card_bonus())
    yield Trial("ante", exact.against_dealer(exact.TIED_FIVE), (PLAYED,))
    yield Trial("ante", exact.certain("lose"), (FOLDED,))
    yield Trial("play_3", exact.against_dealer(exact.TIED_THREE))
    yield Trial("play_5", exact.qualified())


def _colorado(pairs: Mapping[str, int]) -> Iterator[Trial]:
    own = {"jacks_or_better": 4, **{row: ranks for row, ranks in pairs.items() if not row.endswith("_or_better")}}
    bonus = exact.five_cards(own, "lose")
    yield Trial("ante", exact.five_cards(pairs, "less"), (PLAYED,), (SILENT,))
    yield Trial("bet", exact.five_cards(pairs, "less"), (PLAYED,), (SILENT,))
    yield Trial("bonus", bonus, (PLAYED,), (SILENT,))
    instant = exact.at_once()
    for wager, rows in (("ante", ("less", "lose", *pairs)), ("bonus", ("lose", *own))):
        shown = dict.fromkeys((*rows, *exact.CATEGORIES[2:]), "other")
        yield Trial(wager, instant, (*KEPT, AT_ONCE), (ANNOUNCED,), merged=shown)


def _fast_action(decks: int) -> Iterator[Trial]:
    compared = dict.fromkeys(("win", "lose", "push"), "other")
    yield Trial("original", exact.natural(decks), merged=compared)
    yield Trial("original", exact.even(), (PLAYED,), dropped=("push",))
    yield Trial("original", exact.certain("lose"), (FACED, GIVEN_UP))
    yield Trial("second_hand", exact.dealer_natural(decks), merged=compared)


_COLORADO = {
    "payout_limit": "least", "R-57": "settled", "R-58": "not_paid", "R-59": "counts", "R-103": "lost", "R-20": "pays",
}  # fmt: skip
_MARYLAND = {
    "R-102": "in_proportion", "R-103": "settled", "R-104": "either_hand", "R-109": "counts", "R-139": "lost",
    "payout_limit": "least",
}  # fmt: skip

GAMES: Final = (
    Game(
        "ultimate, Massachusetts", "ma-uth", {"R-03": "both", "R-04": "push", "R-97": "counts", "R-103": "settled"},
        tuple(_massachusetts()),
    ),
    Game(
        "ultimate, Maryland", "md-uth",
        _MARYLAND | {"ultimate_pairs_table": "B"},
        (*_maryland(), Trial("ultimate_pairs", exact.two_cards_four_aces())),
    ),
    Game(
        "pikit", "nj-pikit", {"R-55": "push", "R-56": "five_cards", "qualifier": "with"}, tuple(_pikit()),
    ),
    Game(
        "colorado, required bet", "ma-colorado", _COLORADO | {"version": "required_bet"},
        tuple(_colorado({"tens_or_better": 5, "sevens_to_nines": 3})),
    ),
    Game(
        "colorado, permissible bet", "ma-colorado", _COLORADO | {"version": "permissible_bet"},
        tuple(_colorado({"jacks_or_better": 4, "pair_of_tens": 1, "pair_of_nines": 1})),
    ),
    Game("fast action, six decks", "fast-action", {"R-55": "push", "decks": "six"}, tuple(_fast_action(6))),
    Game("fast action, eight decks", "fast-action", {"R-55": "push", "decks": "eight"}, tuple(_fast_action(8))),
)  # fmt: skip
BY_NAME: Final = {game.name: game for game in GAMES}
TRIALS: Final = sum(len(trial.seats) for game in GAMES for trial in game.trials)
"""How often chance is asked in all: each wager at each seat."""
