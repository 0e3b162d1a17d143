"""What has happened to the table and its rounds: opened, begun, dealt, revealed, collected, ended."""

from typing import ClassVar

from msgspec import Struct

from controller.games.model import Street
from controller.rules.vocabulary import Method
from drivers.events import IfAny


class InputRefused(Struct, frozen=True):
    """The table refused an input that cannot be in this state.

    `reason` says what is wrong and what to do instead; `code` is the stable word for it.

    `said`: of an act that contradicts itself, its numbers and words; said again in the same way it holds play.
    `reading`: what decides it where no clause says so.
    """

    kind: ClassVar[str] = "input_refused"
    refused: str
    reason: str
    by: IfAny[str] = ""
    cite: tuple[str, ...] = ()
    code: str | None = None
    said: str | None = None
    reading: str | None = None


class DecisionFailed(Struct, frozen=True):
    """The software could not decide: play is held until a person looks. `error`: class and text of the exception, or where
    cards are known class and place, since its text may repeat them."""

    kind: ClassVar[str] = "decision_failed"
    input: str
    error: str


class TableOpened(Struct, frozen=True):
    """A person opened the table."""

    kind: ClassVar[str] = "table_opened"
    by: str


class NoticePosted(Struct, frozen=True):
    """A person announced that this optional wager will be withdrawn."""

    kind: ClassVar[str] = "notice_posted"
    wager: str
    by: str
    cite: tuple[str, ...]


class TableClosed(Struct, frozen=True):
    """A person closed the table."""

    kind: ClassVar[str] = "table_closed"
    by: str


class DealerCame(Struct, frozen=True):
    """A new dealer stands at the table."""

    kind: ClassVar[str] = "dealer_came"
    by: str


class RoundBegun(Struct, frozen=True):
    """A round began: wagers may be placed.

    `game`: the name of the game that is played; "" in records that were made before there was more than one.
    `sensed_wager`: the house offers the wager that a sensor takes, so a chip on one may become a wager.
    """

    kind: ClassVar[str] = "round_begun"
    round: str
    number: int
    back: str
    method: Method
    by: str
    game: IfAny[str] = ""
    sensed_wager: bool = True


class DealingAllowed(Struct, frozen=True):
    """A person allowed the deal, so the device may dispense cards.

    `resumed`: a deal that had been interrupted goes on. `late`: what had stayed in the device
    after the first deal: the dealer's stack until all players have answered, a card for a short hand, community cards.
    """

    kind: ClassVar[str] = "dealing_allowed"
    by: str
    resumed: bool
    late: bool = False


class InitialDealCompleted(Struct, frozen=True):
    """The initial deal is complete."""

    kind: ClassVar[str] = "initial_deal_completed"
    cards_out: int


class CommunityRevealed(Struct, frozen=True):
    """The dealer turned up community cards."""

    kind: ClassVar[str] = "community_revealed"
    street: Street


class DealerRevealed(Struct, frozen=True):
    """The dealer turned up the dealer's hand.

    `qualifies`, `natural`: whether the hand reaches the minimum, or wins at once; absent where the game does not ask."""

    kind: ClassVar[str] = "dealer_revealed"
    qualifies: bool | None = None
    natural: bool | None = None


class CardsCollected(Struct, frozen=True):
    """The dealer collected the cards of the round."""

    kind: ClassVar[str] = "cards_collected"
    by: str


class RoundEnded(Struct, frozen=True):
    """A round ended.

    `outcome`: played | void | stopped (no wager was left) | not_dealt (every bet was taken back before the deal; records
    of earlier versions call that played, too).

    `marker`: where the dealing marker goes now: a seat, 0 = the dealer; absent where the game has none. `cards`: known to
    have left the set in this round. `unchecked`: what this table could not check in it. `to_count`: it is one of the rounds
    between two stub counts; absent in earlier records, where each was of which cards were dealt.
    """

    kind: ClassVar[str] = "round_ended"
    round: str
    outcome: str
    by: str
    marker: int | None = None
    cards: int = 0
    unchecked: tuple[str, ...] = ()
    to_count: bool | None = None


class RoundVoided(Struct, frozen=True):
    """The rule document or a person made the whole round void."""

    kind: ClassVar[str] = "round_voided"
    round: str
    cite: tuple[str, ...]
    reading: str | None = None


class HandVoided(Struct, frozen=True):
    """The rule document or a person made the hand of one seat void."""

    kind: ClassVar[str] = "hand_voided"
    round: str
    seat: int
    cite: tuple[str, ...]
    reading: str | None = None
