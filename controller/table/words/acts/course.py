"""Acts of the course of a round: the table opens, bets are placed, cards are dealt, players answer, the round ends."""

from typing import ClassVar

from controller.games.model import Decision, Street
from controller.table.words.acts.act import Act
from drivers.events import IfAny


class OpenTable(Act, frozen=True):
    """Opens the table for play."""

    kind: ClassVar[str] = "open_table"


class CloseTable(Act, frozen=True):
    """Closes the table."""

    kind: ClassVar[str] = "close_table"


class BeginRound(Act, frozen=True):
    """Opens the betting of a round that will be played with the set of this back colour."""

    kind: ClassVar[str] = "begin_round"
    back: str


class PlaceWager(Act, frozen=True):
    """`cents`: whole cents of the table's currency, 0 = nobody counted the chips: then the round is played without comparing
    amounts, and says so. `player`: a name or number, "" = not known here.

    `coupon`: face in cents of a match play coupon beside the chips, 0 = none.
    """

    kind: ClassVar[str] = "place_wager"
    seat: int
    wager: str
    cents: IfAny[int]
    player: IfAny[str] = ""
    coupon: IfAny[int] = 0


class WagersAsBefore(Act, frozen=True):
    """The wagers of the last round lie again, at each seat at which nothing lies yet; chips on sensors and coupons are not meant.

    `close`: and no more bets.
    """

    kind: ClassVar[str] = "wagers_as_before"
    close: bool = False


class WithdrawWager(Act, frozen=True):
    """Takes a wager back before "no more bets", and its coupon with it."""

    kind: ClassVar[str] = "withdraw_wager"
    seat: int
    wager: str


class AnnounceNoMoreBets(Act, frozen=True):
    """Ends the betting of the round."""

    kind: ClassVar[str] = "announce_no_more_bets"


class ReleaseLockout(Act, frozen=True):
    """Opens the progressive again during betting, e.g. after a restart has engaged the lock-out."""

    kind: ClassVar[str] = "release_lockout"


class RecordProgressiveCount(Act, frozen=True):
    """The progressive chips collected and counted on the layout."""

    kind: ClassVar[str] = "record_progressive_count"
    chips: int


class CountAndDeal(Act, frozen=True):
    """As many progressive chips were counted as were accepted, and the device dispenses."""

    kind: ClassVar[str] = "count_and_deal"
    chips: int


class StartDealing(Act, frozen=True):
    """Lets the device dispense; also after a restart or a lost link has inhibited it in the middle of a deal."""

    kind: ClassVar[str] = "start_dealing"


class RecordInitialDeal(Act, frozen=True):
    """Dealing by hand or from a manual shoe: each player and the dealer hold their first cards."""

    kind: ClassVar[str] = "record_initial_deal"


class RecordDecision(Act, frozen=True):
    """A player's answer. `multiple`: where it places a wager, of the wager that this one is measured by; 0 otherwise."""

    kind: ClassVar[str] = "record_decision"
    seat: int
    decision: Decision
    multiple: IfAny[int] = 0


class RecordDecisions(Act, frozen=True):
    """The answers of several players in one line, as `1 check, 2 play 4, rest fold`: seat, answer, and the multiple where the
    answer places a wager. `rest`: each player who waits and is not named.

    `show`: the cards that come next are turned up as well, community cards or those of a dealer of whom nothing is said.
    """

    kind: ClassVar[str] = "record_decisions"
    line: str
    show: bool = False


class RevealCommunity(Act, frozen=True):
    """The next community cards are turned up."""

    kind: ClassVar[str] = "reveal_community"
    street: Street


class RevealDealer(Act, frozen=True):
    """The dealer's hand is turned up. `qualifies`: false where it must reach a minimum and does not.

    `natural`: it wins at once, in a game that knows this; said wrongly, it is said anew until the round is settled.
    """

    kind: ClassVar[str] = "reveal_dealer"
    qualifies: bool = True
    natural: bool = False


class RecordHandsFound(Act, frozen=True):
    """The hands of this round that the shuffler has found and shows, the dealer's among them."""

    kind: ClassVar[str] = "record_hands_found"
    hands: int


class SettleRound(Act, frozen=True):
    """All wagers of the round are paid, collected or returned, those too that were not recorded one by one.

    `handed_back`: cents that went to all seats for what was still open; left out, nobody has added them up. A progressive
    wager of which nobody has validated the payout is not paid by this act.
    """

    kind: ClassVar[str] = "settle_round"
    handed_back: int | None = None


class RecordStubCount(Act, frozen=True):
    """Cards counted in the stub. `misdealt`: the dealer found a hand with a wrong number of cards.

    `all_cards`: count of the whole set once gathered; needed only where the stub does not fit and cards were misdealt.
    `back`: of the set that was counted between two rounds, "" = the last one that was dealt.
    """

    kind: ClassVar[str] = "record_stub_count"
    stub: int
    misdealt: bool = False
    all_cards: int | None = None
    back: IfAny[str] = ""


class CollectCards(Act, frozen=True):
    """All cards of the round lie in the discard rack, in order."""

    kind: ClassVar[str] = "collect_cards"


class EndRound(Act, frozen=True):
    """Ends the round; another one may begin."""

    kind: ClassVar[str] = "end_round"


class NextRound(Act, frozen=True):
    """All is settled, the cards lie in the discard rack, the round ends, and the next one is open with this set."""

    kind: ClassVar[str] = "next_round"
    back: str
