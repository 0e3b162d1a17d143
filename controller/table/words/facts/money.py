"""What has happened at the seats: wagers, decisions, and the fate of each wager."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from controller.cards.cards import CardNames
from controller.games.model import Decision
from controller.games.settling.meters import Account, Entry, MeterTerms
from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area, Role
from drivers.events import IfAny


class WagerPlaced(Struct, frozen=True):
    """A wager was placed at a seat.

    `cents`: 0 where nobody counted the chips. `player`: who placed it, "" where this table does not know. `coupon`: face in
    cents of a match play coupon beside it.
    """

    kind: ClassVar[str] = "wager_placed"
    seat: int
    wager: str
    cents: IfAny[int]
    currency: str
    by: str
    player: IfAny[str] = ""
    coupon: IfAny[int] = 0


class WagerWithdrawn(Struct, frozen=True):
    """The player took a wager back before "no more bets"."""

    kind: ClassVar[str] = "wager_withdrawn"
    seat: int
    wager: str
    by: str


class BetsClosed(Struct, frozen=True):
    """The dealer announced "no more bets". `accepted`: seats whose progressive wager the device has accepted."""

    kind: ClassVar[str] = "bets_closed"
    by: str
    accepted: tuple[int, ...]
    cite: tuple[str, ...]


class ProgressiveCounted(Struct, frozen=True):
    """A person counted the chips on the progressive wagers.

    `chips`: as a person counted them; `accepted`: of those that the device accepted, the ones that did not go back since."""

    kind: ClassVar[str] = "progressive_counted"
    chips: int
    accepted: int
    by: str
    cite: tuple[str, ...]


class DecisionRecorded(Struct, frozen=True):
    """A player decided how to go on, and the dealer recorded it.

    `cards_to`: where the cards of a hand go that is over with this answer (rack | rack_spread | rack_counted |
    rack_recorded | under_wager), "" where it plays on or the document does not say; `under`: the wager that they lie under.
    `multiple`: how many
    times its base the wager is that is placed with it, known also where nobody counted that (`cents` 0); 0 = none is placed.
    """

    kind: ClassVar[str] = "decision_recorded"
    seat: int
    decision: Decision
    cents: IfAny[int]
    by: str
    cards_to: IfAny[str] = ""
    under: IfAny[str] = ""
    cite: tuple[str, ...] = ()
    reading: str | None = None
    multiple: IfAny[int] = 0


class WagerDecided(Struct, frozen=True):
    """The rules decided the fate of one wager: returned | held | to_settle | stands | lost | collected, and what demands it."""

    kind: ClassVar[str] = "wager_decided"
    round: str
    seat: int
    wager: str
    cents: IfAny[int]
    currency: str
    fate: str
    cite: tuple[str, ...] = ()
    reading: str | None = None


class WagerSettled(Struct, frozen=True):
    """One wager is settled. `returned`: cents of the `stake` that went back to the player; `paid`: won beside it. A `stake` of 0
    beside no `coupon` and no `holder` is chips that nobody counted, and the sums tell nothing then.

    `offered`: what cards and pay tables make of it, and `difference`: cents that were handed back above that, below zero
    where it was too little; both absent where that is not known. `coupon`: it is about the match play coupon of this face
    beside the wager, 0 = about the wager. `holder`: seat whose hand earned this one an envy bonus, 0 = it is none.
    """

    kind: ClassVar[str] = "wager_settled"
    round: str
    seat: int
    wager: str
    outcome: Outcome
    stake: IfAny[int]
    returned: int
    paid: int
    currency: str
    by: str
    cite: tuple[str, ...] = ()
    reading: str | None = None
    offered: Outcome | None = None
    difference: int | None = None
    coupon: IfAny[int] = 0
    holder: IfAny[int] = 0


class SettlementCorrected(Struct, frozen=True):
    """A new settlement of a wager, beside the old one. `was`, `before`: the outcome that stood, and cents handed back by it;
    absent where the wager was settled with the round as a whole.

    `owed`: cents that the seat is to get still, below zero where it got too much; absent where `before` is not known.
    """

    kind: ClassVar[str] = "settlement_corrected"
    round: str
    seat: int
    wager: str
    outcome: Outcome
    stake: IfAny[int]
    returned: int
    paid: int
    currency: str
    by: str
    role: Role
    reason: str
    was: Outcome | None = None
    before: int | None = None
    owed: int | None = None
    cite: tuple[str, ...] = ()
    reading: str | None = None
    coupon: IfAny[int] = 0
    holder: IfAny[int] = 0


class HandRecorded(Struct, frozen=True):
    """Cards that lie face up, as a person recorded them. Their faces are sealed in the record until the round is opened."""

    kind: ClassVar[str] = "hand_recorded"
    round: str
    area: Area
    seat: IfAny[int]
    cards: CardNames
    played: IfAny[CardNames]
    shown: IfAny[CardNames]
    by: str


class MeterRecorded(Struct, frozen=True):
    """A person recorded a progressive meter before the first payment of the round, and what it starts again with, in cents."""

    kind: ClassVar[str] = "meter_recorded"
    round: str
    meter: str
    cents: int
    reset: int
    currency: str
    by: str


class HandsFound(Struct, frozen=True):
    """The shuffler counted the hands that it dealt.

    `hands`: as the shuffler shows them, the dealer's among them; `expected`: those that were dealt."""

    kind: ClassVar[str] = "hands_found"
    round: str
    hands: int
    expected: int
    right: bool
    by: str
    cite: tuple[str, ...]


class ProgressiveValidated(Struct, frozen=True):
    """A person looked at the hand and the light, so the progressive payout may be made."""

    kind: ClassVar[str] = "progressive_validated"
    round: str
    seat: int
    by: str
    role: Role
    cite: tuple[str, ...]


class RoundSettled(Struct, frozen=True):
    """The dealer settled the round, with each wager that was not settled alone.

    `handed_back`: cents that went to all seats for it; `offered`:
    what cards and pay tables make of it, and `difference`: what was handed back above that; each absent where not known.
    """

    kind: ClassVar[str] = "round_settled"
    by: str
    handed_back: int | None = None
    offered: int | None = None
    difference: int | None = None
    currency: IfAny[str] = ""


class MeterBooked(Struct, frozen=True):
    """One entry of the ledger of a progressive meter that this table computes. Each sums to nothing.

    `posts`: by account, in ten-thousandths of a cent; `cents`: what the meter shows after it. `wagers`: (seat, cents) of the
    wagers that it is about. `seat`, `claim`: whose prize, and its number; `prize`: its cents. `terms`: parameters of the
    generation that begins; `reset`: what the meter starts again with after a full prize of this round. An entry `seen` moves
    nothing: the cards make the wager a claim of `prize` cents, 0 = no claim any more.
    """

    kind: ClassVar[str] = "meter_booked"
    meter: str
    generation: int
    entry: Entry
    posts: Mapping[Account, int]
    cents: int
    currency: str
    round: str | None = None
    wagers: tuple[tuple[int, int], ...] | None = None
    seat: int | None = None
    claim: int | None = None
    prize: int | None = None
    reset: int | None = None
    terms: MeterTerms | None = None
    cite: tuple[str, ...] = ()
    reading: str | None = None
