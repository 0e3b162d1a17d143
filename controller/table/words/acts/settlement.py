"""Acts of settling: hands that were turned up, wagers paid, collected or given back, and what is put right afterwards."""

from typing import ClassVar

from controller.cards.cards import CardNames
from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area
from controller.table.words.acts.act import Act
from drivers.events import IfAny


class RecordHand(Act, frozen=True):
    """Cards that lie face up, for the settlement: `As Kd`, and `??` for one that could not be read.

    `area`, `seat`: whose; seat 0 but for a player. `played`: the cards that are played, where there is a choice; `shown`:
    those of a bonus wager that is settled before the rest. Recorded again, it takes the place of what was recorded. Of a hand
    that was dealt too many cards all may be told, as they were dealt.
    """

    kind: ClassVar[str] = "record_hand"
    area: Area
    cards: CardNames
    seat: IfAny[int] = 0
    played: IfAny[CardNames] = ""
    shown: IfAny[CardNames] = ""


class RecordMeter(Act, frozen=True):
    """A progressive meter before the first payment of the round, and what it starts again with, in cents."""

    kind: ClassVar[str] = "record_meter"
    meter: str
    cents: int
    reset: int


class SettleWager(Act, frozen=True):
    """One wager is paid, collected or given back. `paid`: cents won beside the stake, at least 1 where it wins, else 0.

    `returned`: cents of the stake that go back, where it wins or loses; left out, what the cards make of it, and where they
    are not known all of a wager that wins and nothing of one that loses. `coupon`: not the wager is meant, but the match play
    coupon beside it. `holder`: with the wager `envy`, the seat whose hand earns this one the bonus.
    """

    kind: ClassVar[str] = "settle_wager"
    seat: int
    wager: str
    outcome: Outcome
    paid: int = 0
    returned: int | None = None
    coupon: bool = False
    holder: IfAny[int] = 0


class SettleOffered(Act, frozen=True):
    """Each wager that waits is settled as the cards make it, and the round with them. Refused where the cards do not tell it of
    each."""

    kind: ClassVar[str] = "settle_offered"


class CorrectSettlement(Act, frozen=True):
    """A wager of this round or the last one comes to something else than was settled. What stood there stays on record.

    `reason`: why, 1 to 500 characters. `round`: its name, "" = the one in play, or the last one between rounds. `coupon`,
    `holder`: as it was settled.
    """

    kind: ClassVar[str] = "correct_settlement"
    seat: int
    wager: str
    outcome: Outcome
    reason: str
    paid: int = 0
    returned: int | None = None
    round: IfAny[str] = ""
    coupon: bool = False
    holder: IfAny[int] = 0


class ValidateProgressive(Act, frozen=True):
    """A progressive payout is checked before it is paid. `light_on`: the unit shows the light that belongs to it.

    `round`: its name, "" = the one in play, or the last one between rounds.
    """

    kind: ClassVar[str] = "validate_progressive"
    seat: int
    light_on: bool
    round: IfAny[str] = ""
