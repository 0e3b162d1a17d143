"""The state of a table: frozen records, changed only by `evolve`. Nothing here decides."""

from collections.abc import Mapping

from msgspec import Struct, field

from controller.games.fates import Fate as Fate  # noqa: PLC0414  (a wager's state; the table imports it from here)
from controller.games.model import Decision, Game, Phase, ShowCommunity
from controller.games.registry import UNNAMED
from controller.games.settling.meters import Ledger, MeterTerms
from controller.games.settling.round import Irregularity, Meter
from controller.games.settling.settled import Outcome
from controller.rules.model import Law
from controller.rules.vocabulary import Action, Area, Method
from controller.table.state.card_set import CardSet, GamingDay
from controller.table.state.deal import Deal
from controller.table.state.demands import Duty as Duty  # noqa: PLC0414  (as above)
from controller.table.state.demands import Hold as Hold  # noqa: PLC0414  (as above)
from controller.table.state.device import Device
from controller.table.state.disputes import Alarm, Dispute
from controller.table.words.rounds_since_check import PlayedRound
from drivers.events import DeviceKind

ALL_HELD = "*"
"""Stands in a hold for every held wager of its seat or, with seat 0, of the round."""
ALL_LOST = "lost"
"""Stands for every wager that an irregularity made lost, of its seat or, with seat 0, of the round."""
ALL_COLLECTED = "collected"
"""Stands in a hold for every wager that was collected at a fold, of its seat or, with seat 0, of the round."""


AFTER_DECISIONS = "after_decisions"
AFTER_ROUND = (Action.CHANGE_SET, Action.RESHUFFLE_AFTER_ROUND, Action.SWAP_SET_AFTER_ROUND)
"""What is demanded of the set in play and waits until its round has ended."""
SHUFFLES = (Action.RESHUFFLE, Action.RESHUFFLE_WITH_DEALT)
DISPENSERS = {Method.DEALING_SHOE: DeviceKind.SHOE, Method.SHUFFLER: DeviceKind.SHUFFLER}
"""The kind of device that deals under a method; the other methods deal by hand."""


class DeviceSetup(Struct, frozen=True):
    """A device as it is configured."""

    name: str
    kind: DeviceKind


class Setup(Struct, frozen=True):
    """What does not change while the daemon runs: the table, its devices, its cards, its law.

    `offered`: the optional wagers of this house. `backs`: the colours of the sets at the table. `limits`: by wager, the
    posted least and most in cents; a wager without an entry has none. `payout_limit`: of the house's own, in cents.
    `unit`: the least amount that is paid; smaller parts go by the breakage rule. `meters`: progressive meters that this table
    computes itself, with the parameters of their next generation.
    """

    site: str
    table: str
    seats: int
    backs: tuple[str, ...]
    method: Method
    devices: Mapping[str, DeviceSetup]
    law: Law
    offered: frozenset[str]
    currency: str
    progressive_cents: int = 0  # what one accepted chip is worth; 0 = not known
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    payout_limit: int | None = None
    unit: int = 1
    meters: Mapping[str, MeterTerms] = field(default_factory=dict)

    def device_of(self, kind: DeviceKind | None) -> str | None:
        """Name of the configured device of this kind; None where the table has none."""
        return next((d.name for d in self.devices.values() if d.kind is kind), None)


class Wager(Struct, frozen=True):
    """`player`: who placed it, "" = not known. `outcome`, `returned`, `paid`: once it was settled by itself.

    `corrected`: what stands here is a correction. `compared`: it was compared with the cards. `hold`: whose
    answer it waits for, "" = none. `handed`: it was to go back, and a person has confirmed that it did.
    """

    cents: int
    fate: Fate = Fate.LIVE
    player: str = ""
    outcome: Outcome | None = None
    returned: int = 0
    paid: int = 0
    corrected: bool = False
    compared: bool = False
    hold: str = ""
    handed: bool = False


class SeenHand(Struct, frozen=True):
    """Cards that lie face up, by number; `UNREADABLE` for one that could not be read."""

    cards: tuple[int, ...]
    played: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()


class Seat(Struct, frozen=True):
    """`coupons`: match play coupons by the wager beside which they lie, `cents` is the face. `envy`: bonuses that were settled,
    by the seat whose hand earned them."""

    wagers: Mapping[str, Wager] = field(default_factory=dict)
    decided: bool = False  # is asked no more in this round
    asked: Phase | None = None  # last phase in which the player answered
    folded: bool = False
    void: bool = False
    answers: tuple[Decision, ...] = ()
    one_hand: bool = False  # was dealt too many cards, and keeps those of one hand
    disbelieved: bool = False  # a hand that it declared, or would have, was reported to win nothing at once
    coupons: Mapping[str, Wager] = field(default_factory=dict)
    envy: Mapping[int, Wager] = field(default_factory=dict)


class Round(Struct, frozen=True):
    """`accepted`: (seat, sensor) sensed before the lock.

    `marker`: position of the first card where a marker shows it, 0 = the dealer.
    `deal`: how far it has come, also of a round whose play has stopped; `cards_out`: as many are known to have left the set.
    `count_proven`, `identities_proven`: its set was found to be right after its cards were dealt. `seen`: hands that were
    recorded, by area and seat. `voids`: what has made the round, or a hand of it, void. `left`: seats whose player left.
    """

    id: str
    number: int
    back: str
    method: Method
    phase: Phase = Phase.BETTING
    seats: Mapping[int, Seat] = field(default_factory=dict)
    accepted: frozenset[tuple[int, int]] = frozenset()
    progressive_counted: bool = False
    stacks: tuple[int, ...] = ()  # cards of each stack that a device gave out
    deal: Deal = Deal.NOTHING
    late_let_out: bool = False  # what had stayed in the device after the first deal, too
    late_out: int = 0  # cards that came out of it for the community, or to be burned before them
    cards_out: int = 0
    streets: int = 0
    collected: bool = False
    stub_counted: bool = False
    count_proven: bool = False
    identities_proven: bool = False
    face_up: int = 0
    face_up_early: bool = False  # one of them before each hand had its first cards
    drawn_exposed: int = 0  # cards drawn in error whose faces were seen
    racked: int = 0  # of the cards found face up, or drawn in error and seen, those that went to the discard rack
    unproven: bool = False
    void: bool = False
    game: Game = UNNAMED
    marker: int = 0
    hands_found: bool = False  # by the shuffler, as a person has read them off it
    validated: frozenset[int] = frozenset()  # seats whose progressive payout was looked at
    marker_stayed: bool = False  # the dealer forgot to move it before this round
    seen: Mapping[tuple[Area, int], SeenHand] = field(default_factory=dict)
    meters: Mapping[str, Meter] = field(default_factory=dict)
    voids: tuple[Irregularity, ...] = ()
    left: frozenset[int] = frozenset()
    cutting_card: int | None = None  # seat at which it showed, 0 = at no player's
    face_up_sensed: int = 0  # of the cards found face up, those that a device told of
    drawn: int = 0  # cards of the first deal, by a shoe that tells of each that hands take from it
    drawn_before: int = 0  # by the same shoe, between "no more bets" and the deal
    burned: int = 0  # cards that people burned for a new shoe or a new dealer
    cutting_card_sensed: bool = False  # by the shoe
    reshuffled: bool = False  # its set went through a whole shuffle after its cards were collected
    vouched: bool = False  # a person let it go on although its set is not armed any more
    chips: bool = True  # a chip on a sensor may become a wager: the house offers it
    qualified: bool | None = None  # as was said of the dealer's hand; None where the game does not ask
    natural: bool | None = None  # the same

    @property
    def let_out(self) -> bool:
        """Cards were allowed to leave the set."""
        return self.deal is not Deal.NOTHING

    @property
    def initial_deal_done(self) -> bool:
        """Each hand has its first cards."""
        return self.deal is Deal.DONE

    @property
    def live(self) -> bool:
        """Wagers are on the layout and nobody has decided them."""
        return self.phase not in (Phase.SETTLED, Phase.STOPPED)

    @property
    def unsettled(self) -> bool:
        """True while a wager hangs on the cards: the round is live, or a void has spared a wager that is still to be settled."""
        return self.live or bool(self.wagers(Fate.TO_SETTLE))

    @property
    def played(self) -> bool:
        """True from the start of the deal on: the report of the first stack may be among lost reports."""
        return self.let_out or self.cards_out > 0

    def as_played(self) -> PlayedRound:
        """The round as sets remember it."""
        return PlayedRound(self.id, tuple(self.in_play))

    @property
    def on_layout(self) -> bool:
        """True while cards of its set are out and not yet in the discard rack.

        In dealing by hand they may be out from the start of the deal on: nobody reports the first of them.
        """
        by_hand = self.let_out and self.method not in DISPENSERS
        return bool(self.cards_out or self.initial_deal_done or by_hand) and not self.collected

    @property
    def unbidden(self) -> bool:
        """True while cards lie there that came out before the dealer let any out."""
        return self.on_layout and not self.let_out

    @property
    def stacks_out(self) -> int:
        """Stacks that a device gave out."""
        return len(self.stacks)

    @property
    def chips_accepted(self) -> int:
        """Chips that the device accepted and the dealer collects: one that went back since is not among them."""
        went_back = {seat for seat, wager, _ in self.wagers(Fate.RETURNED) if wager == "progressive"}
        return sum(seat not in went_back for seat, _ in self.accepted)

    @property
    def in_play(self) -> Mapping[int, Seat]:
        """Seats with the first wager of the game, in order."""
        return {n: s for n, s in sorted(self.seats.items()) if self.game.base in s.wagers}

    @property
    def waiting(self) -> list[int]:
        """Seats that have not yet answered in this phase, in order; [] in a phase in which nobody is asked."""
        stage = self.game.stage(self.phase)
        if stage is None or not stage.answers:
            return []
        asked = (n for n, s in self.in_play.items() if self.asks(s) and not (s.decided or s.asked is self.phase))
        return [n for n in asked if self.plays(n)]

    @property
    def shows_community_next(self) -> bool:
        """True in a phase that ends with community cards."""
        stage = self.game.stage(self.phase)
        return stage is not None and isinstance(stage.ends, ShowCommunity)

    def plays(self, number: int) -> bool:
        """True while the hand of this seat is alive and its first wager is neither lost nor given back."""
        seat = self.seats[number]
        alive = (Fate.LIVE, Fate.HELD, Fate.TO_SETTLE, Fate.STANDS)
        return not seat.void and seat.wagers[self.game.base].fate in alive

    def asks(self, seat: Seat) -> bool:
        """True where a player of this seat is asked in this phase, or has been."""
        stage = self.game.stage(self.phase)
        concerned = stage is not None and (stage.of is None or stage.of in seat.wagers)
        return concerned and not seat.void

    def wagers(self, *fates: Fate) -> list[tuple[int, str, Wager]]:
        """Seat, name and wager of all whose fate is one of these, in seat order."""
        found = [(n, name, w) for n, seat in sorted(self.seats.items()) for name, w in seat.wagers.items()]
        return [item for item in found if item[2].fate in fates]

    def uncounted(self) -> tuple[int, ...]:
        """Seats with a wager of which nobody has told the amount. A chip on a sensor is none of them: it has no worth where none
        is offered."""
        placed = {
            n: [w.cents for name, w in s.wagers.items() if name != "progressive"] for n, s in self.seats.items()
        }
        return tuple(sorted(n for n, cents in placed.items() if 0 in cents))


class Booked(Struct, frozen=True):
    """A progressive wager in a ledger: parts that it added, whether they are void, its prize in cents, and what its cards
    were seen to win."""

    parts: int
    void: bool = False
    prize: int | None = None
    seen: int = 0


class MeterState(Struct, frozen=True):
    """A meter that this table computes. `booked`: by `round/seat`, of the rounds whose wagers may be put right."""

    ledger: Ledger
    booked: Mapping[str, Booked] = field(default_factory=dict)


class LastRound(Struct, frozen=True):
    """The wagers of the round that has ended, for as long as they may be put right at the table."""

    id: str
    seats: Mapping[int, Seat]
    validated: frozenset[int] = frozenset()  # seats whose progressive payout was looked at


class State(Struct, frozen=True):
    """`since_stub_count`: rounds ended since the stub was last counted. `serial`: numbers duties, holds, commands.

    `last_seats`: that played the last round, () where the game is just beginning; `cutting_card`: as in that round, until
    a set was cut. `new_dealer`: one came, and what this demands is not done yet.
    """

    method: Method
    devices: Mapping[str, Device]
    sets: Mapping[str, CardSet]
    open: bool = False
    round: Round | None = None
    rounds: int = 0
    last_back: str = ""
    since_stub_count: int = 0
    duties: Mapping[str, Duty] = field(default_factory=dict)
    holds: Mapping[str, Hold] = field(default_factory=dict)
    serial: int = 0
    marker: int = 0
    last_seats: tuple[int, ...] = ()
    cutting_card: int | None = None
    new_dealer: bool = False
    gaming_day: GamingDay | None = None
    last_round: LastRound | None = None
    disputes: Mapping[str, Dispute] = field(default_factory=dict)
    alarms: Mapping[str, Alarm] = field(default_factory=dict)
    alarms_raised: int = 0
    offered: tuple[str, ...] | None = None  # optional wagers at the last start, None before one that says so
    notices: tuple[str, ...] = ()  # wagers of which it was announced that they will be withdrawn
    last_void: bool = False
    meters: Mapping[str, "MeterState"] = field(default_factory=dict)  # those that this table computes
    doubted: str = ""  # the last act that contradicted itself, as it was said, until it has held play

    @classmethod
    def initial(cls, setup: Setup) -> "State":
        """The state of a table with an empty record."""
        return cls(
            method=setup.method,
            devices={name: Device(kind=d.kind) for name, d in setup.devices.items()},
            sets={back: CardSet(back) for back in setup.backs},
        )

    @property
    def held(self) -> bool:
        """True while a hold is in force."""
        return bool(self.holds)

    @property
    def playing(self) -> Round:
        """The round in play, for what happens in a round alone."""
        assert self.round is not None
        return self.round

    @property
    def backs_present(self) -> list[str]:
        """Backs of the sets at the table."""
        return [card_set.back for card_set in self.sets.values() if card_set.present]

    @property
    def dealt_set(self) -> str:
        """Returns the back of the set that is dealt in a live round; "" where that set may not be dealt any more."""
        round_ = self.round
        if round_ is None or not round_.live or not round_.let_out:
            return ""
        return round_.back if self.sets[round_.back].armed or round_.vouched else ""

    def demanded_now(self, back: str) -> bool:
        """True where a duty on this set does not wait for the end of its round."""
        return any(duty.back == back and not self.waits_for_end(duty) for duty in self.duties.values())

    def waits_for_end(self, duty: Duty) -> bool:
        """True where the duty is on the set in play and is done after its round: it says so, or shuffles cards that lie there."""
        round_ = self.round
        if round_ is None or round_.back != duty.back:
            return False
        return duty.action in AFTER_ROUND or (round_.live and round_.on_layout and duty.action in SHUFFLES)

    def leaves_after_round(self, back: str) -> bool:
        """True where this set is not dealt on once its round has ended: it is then to be shuffled, or changed."""
        return any(duty.back == back and duty.action in AFTER_ROUND for duty in self.duties.values())

    def short_hand(self, seat: int = 0) -> Duty | None:
        """The open question to the player of this seat, or of any with 0, who was dealt too few cards."""
        asked = (d for d in self.duties.values() if d.action is Action.ASK_VOID_OR_COMPLETE)
        return next((duty for duty in asked if seat in (0, duty.seat)), None)

    def device_of(self, kind: DeviceKind | None) -> tuple[str, Device] | None:
        """The device of this kind that is in service; of no kind there is none."""
        return next(((n, d) for n, d in self.devices.items() if d.kind is kind and d.in_service), None)

    def dispenser(self) -> str | None:
        """The device that deals under the present method, or None where a hand deals."""
        found = self.device_of(DISPENSERS.get(self.method))
        return found[0] if found else None

    def deals(self, name: str) -> bool:
        """True of a device of the kind from which cards are dealt under the present method, in service or not."""
        return self.devices[name].kind is DISPENSERS.get(self.method)
