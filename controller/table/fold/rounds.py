"""What facts change about the round in play. Its phase moves by one table alone.

Theory of operation. A round begins in `betting` and is gone once it has ended; between the deal and the settlement it goes
through the stages of its game, which are data (`controller/games`). So the table knows seven places instead of thirteen
phases: `STAGE` is any stage of the game but the last, `SETTLING` the last one. A `Move` is what has happened; a row says where
it leads: to a phase, or to a stage of the game (`To`).

1. Every change of the phase is a row of `TRANSITIONS`. A fact that has no row where the round stands raises
   `NoSuchTransition`: what decided it was wrong, and the table holds play instead of going on from there.
2. Play ends with the settlement (`settled`), or stops (`stopped`) once no wager is left to be decided, or the round is void.
   From there no move leads back; what is still shown or settled leaves the round where it stands. What is settled is not voided.
3. A stage that ends with its last answer is passed over at once where nobody is left to be asked.
4. The dealer's hand may be called a natural, and no natural, until the round is settled: that moves to and fro between the
   stages after the dealer's hand is up.
"""

from enum import Enum, auto

from controller.games.model import Phase
from controller.games.registry import GAMES, UNNAMED
from controller.table.fold import wagers
from controller.table.fold.card_sets import dealt_from, sets_after_round, stub_counted
from controller.table.fold.transition import NoSuchTransition
from controller.table.fold.wagers import with_
from controller.table.state.deal import Deal
from controller.table.state.table import Fate, LastRound, Round, State
from controller.table.words import facts as f
from controller.table.words.structs import replace


class Place(Enum):
    """Where a round stands, alike in every game."""

    BETTING = auto()
    BETS_CLOSED = auto()
    DEALING = auto()
    STAGE = auto()
    SETTLING = auto()
    SETTLED = auto()
    STOPPED = auto()


class Move(Enum):
    """What moves a round."""

    BETS_ARE_CLOSED = auto()
    CARDS_LET_OUT = auto()
    DEAL_IS_DONE = auto()
    ALL_HAVE_ANSWERED = auto()
    COMMUNITY_SHOWN = auto()
    DEALER_SHOWN = auto()
    DEALER_ENDS_IT = auto()  # by a natural, or because no community card is to come
    ROUND_SETTLED = auto()
    NOTHING_LEFT = auto()  # no wager is left to be decided
    VOIDED = auto()


class To(Enum):
    """A target that depends on the game."""

    FIRST_STAGE = auto()
    NEXT_STAGE = auto()
    AFTER_DEALER = auto()  # the first stage after the dealer's hand is up
    LAST_STAGE = auto()


DEALS = {Move.CARDS_LET_OUT: Deal.LET_OUT, Move.DEAL_IS_DONE: Deal.DONE}
STOPS = {Move.NOTHING_LEFT: Phase.STOPPED, Move.VOIDED: Phase.STOPPED}
SHOWN = {Move.DEALER_SHOWN: To.AFTER_DEALER, Move.DEALER_ENDS_IT: To.LAST_STAGE}
AFTERWARDS = (Move.COMMUNITY_SHOWN, Move.DEALER_SHOWN, Move.DEALER_ENDS_IT, Move.ROUND_SETTLED)
"""What may still come once play has ended: cards for a wager that a void has spared, what records of earlier versions tell."""

TRANSITIONS: dict[Place, dict[Move, Phase | To]] = {
    Place.BETTING: {Move.BETS_ARE_CLOSED: Phase.BETS_CLOSED, **STOPS},
    Place.BETS_CLOSED: {Move.CARDS_LET_OUT: Phase.DEALING, **STOPS},
    Place.DEALING: {Move.DEAL_IS_DONE: To.FIRST_STAGE, **STOPS},
    Place.STAGE: {Move.ALL_HAVE_ANSWERED: To.NEXT_STAGE, Move.COMMUNITY_SHOWN: To.NEXT_STAGE, **SHOWN, **STOPS},
    Place.SETTLING: {Move.ROUND_SETTLED: Phase.SETTLED, **SHOWN, **STOPS},
    Place.SETTLED: dict.fromkeys(AFTERWARDS, Phase.SETTLED),
    Place.STOPPED: dict.fromkeys((*AFTERWARDS, Move.VOIDED), Phase.STOPPED),
}  # fmt: skip


def place(round_: Round) -> Place:
    """Where the round stands."""
    if round_.phase is round_.game.stages[-1].phase:
        return Place.SETTLING
    return _ALIKE.get(round_.phase, Place.STAGE)


_ALIKE = {Phase[p.name]: p for p in Place if p.name in Phase.__members__}


def moved(round_: Round, move: Move) -> Round:
    """The round in the phase that follows by the table. Raises `NoSuchTransition`."""
    to = TRANSITIONS[place(round_)].get(move)
    if to is None:
        raise NoSuchTransition(f"a round in {round_.phase.value}", move.name)
    return replace(round_, phase=_phase(round_, to), deal=DEALS.get(move, round_.deal))


def _phase(round_: Round, to: Phase | To) -> Phase:
    game = round_.game
    match to:
        case To.FIRST_STAGE:
            return game.stages[0].phase
        case To.NEXT_STAGE:
            return game.after(round_.phase)
        case To.AFTER_DEALER:
            return game.dealer_up[0].phase
        case To.LAST_STAGE:
            return game.stages[-1].phase
        case _:
            return to


def round_told(state: State, event: f.Event) -> State:
    """The state after a fact about a round: the one in play, or the last one."""
    match event:
        case f.RoundBegun():
            return _begun(state, event)
        case f.RoundEnded():
            state = _ended(state, event)
            return state if event.marker is None else replace(state, marker=event.marker)
        case f.SettlementCorrected():
            return wagers.corrected(state, event)
        case f.ProgressiveValidated():
            return wagers.validated(state, event)
        case f.StubCounted():
            state = stub_counted(state, event)
        case f.DealingAllowed():
            state = dealt_from(state)  # a cutting card that nobody told of is in the stack by now
    return state if state.round is None else replace(state, round=_passed(_round_after(state.round, event)))


def _begun(state: State, event: f.RoundBegun) -> State:
    game = GAMES[event.game] if event.game else UNNAMED
    round_ = Round(
        event.round,
        event.number,
        event.back,
        event.method,
        game=game,
        marker=state.marker,
        chips=event.sensed_wager,
    )
    return replace(state, round=round_, rounds=event.number)


def _ended(state: State, event: f.RoundEnded) -> State:
    """The set that was played must be shuffled again before it comes back; one more round without a stub count."""
    assert state.round is not None
    round_ = state.round
    counts = round_.played if event.to_count is None else event.to_count
    to_count = counts and not round_.stub_counted
    return replace(
        state,
        round=None,
        last_back=round_.back if round_.played else state.last_back,
        last_void=round_.void if round_.played else state.last_void,
        sets=sets_after_round(state, round_, event.cards, to_count=to_count),
        last_seats=tuple(round_.in_play) if round_.played else state.last_seats,
        last_round=LastRound(round_.id, round_.seats, round_.validated),
        cutting_card=round_.cutting_card if round_.played else state.cutting_card,
        since_stub_count=state.since_stub_count + to_count,
    )


def _passed(round_: Round) -> Round:
    """The round after a stage that ends with its last answer, once nobody is left to be asked."""
    stage = round_.game.stage(round_.phase)
    while stage is not None and stage.ends is None and not round_.waiting:
        round_ = moved(round_, Move.ALL_HAVE_ANSWERED)
        stage = round_.game.stage(round_.phase)
    return round_


def _round_after(round_: Round, event: f.Event) -> Round:
    match event:
        case f.BetsClosed():
            return moved(round_, Move.BETS_ARE_CLOSED)
        case f.ProgressiveCounted():
            return replace(round_, progressive_counted=True)
        case f.DealingAllowed() | f.InitialDealCompleted():
            return _dealt(round_, event)
        case f.CommunityRevealed():
            return replace(moved(round_, Move.COMMUNITY_SHOWN), streets=round_.streets + 1)
        case f.DealerRevealed(qualifies, natural):
            ends = natural or round_.streets == len(round_.game.streets)
            round_ = replace(round_, qualified=qualifies, natural=natural)
            return moved(round_, Move.DEALER_ENDS_IT if ends else Move.DEALER_SHOWN)
        case f.HandsFound():
            return replace(round_, hands_found=True)
        case f.StubCounted():
            return replace(round_, stub_counted=True, count_proven=event.right)
        case f.CardsCollected() if round_.unbidden and round_.live:
            return replace(round_, cards_out=0, stacks=())
        case f.CardsCollected():
            return replace(round_, collected=True)
        case f.RoundVoided():
            return replace(moved(round_, Move.VOIDED), void=True)
    return _wagers_after(round_, event)


def _dealt(round_: Round, event: f.DealingAllowed | f.InitialDealCompleted) -> Round:
    match event:
        case f.DealingAllowed(late=True):
            return replace(round_, late_let_out=True)
        case f.DealingAllowed(resumed=True):
            return round_
        case f.DealingAllowed():  # cards that went to the rack before the deal are no cards of it that lack
            return replace(moved(round_, Move.CARDS_LET_OUT), drawn=round_.racked)
        case f.InitialDealCompleted(cards_out=cards_out):
            return replace(moved(round_, Move.DEAL_IS_DONE), cards_out=cards_out)


def _wagers_after(round_: Round, event: f.Event) -> Round:
    """The round after a fact about its seats. A fold stops no play: the dealer's hand is shown even to players who have all
    folded; a wager that is held may yet stand."""
    match event:
        case f.WagerPlaced():
            return wagers.placed(round_, event)
        case f.WagerWithdrawn():
            return wagers.withdrawn(round_, event)
        case f.DecisionRecorded():
            return wagers.decision(round_, event)
        case f.HandVoided(seat=number):
            return replace(round_, seats=with_(round_.seats, number, replace(round_.seats[number], void=True)))
        case f.RoundSettled():
            return moved(wagers.settled(round_, compared=event.difference is not None), Move.ROUND_SETTLED)
        case f.WagerDecided():
            round_ = wagers.wager_decided(round_, event)
            plays = round_.wagers(Fate.LIVE, Fate.STANDS, Fate.TO_SETTLE, Fate.HELD)
            is_over = round_.live and round_.in_play and not plays and event.fate != Fate.COLLECTED
            return moved(round_, Move.NOTHING_LEFT) if is_over else round_
    return wagers.money_after(round_, event)
