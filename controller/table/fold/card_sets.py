"""What facts change about the sets of cards at a table, and which rounds each of them must answer for.

Theory of operation. What is known of a set are predicates, each told by itself: that it lies at the table, that its last shuffle
was whole, that its number and its cards are right; `CardSet.armed` is their conjunction. Between shuffle and deal it goes through
steps, which are data of the document, and through a cut, which moves by `CUTS` alone:

1. Any shuffle makes the cut undone; whether one follows is asked for by itself.
2. A cut is made where it was asked for. In some documents the dealer then puts the cutting card into the stack.
3. With the first card the cutting card is in the stack, told or not.
4. A cut that was improper is asked for again.

What has no row raises `NoSuchTransition`: the fact cannot have happened to this set.
"""

from collections.abc import Mapping
from enum import Enum, auto

from controller.games.model import Phase
from controller.rules.parts import ProcedureStep
from controller.rules.vocabulary import Step
from controller.table.fold.transition import NoSuchTransition
from controller.table.state.card_set import CardSet, Cut
from controller.table.state.table import Round, State
from controller.table.words import facts as f
from controller.table.words.inputs import Moment, SetDue
from controller.table.words.rounds_since_check import NOTHING_PLAYED, PlayedSince
from controller.table.words.structs import replace


class CutMove(Enum):
    """What moves the cut of a set."""

    SHUFFLED = auto()
    ASKED = auto()
    CUT = auto()
    CUT_TO_MARK = auto()  # the cutting card goes in next
    MARKED = auto()
    DEALT = auto()


CUTS: dict[Cut, dict[CutMove, Cut]] = {
    Cut.NONE: {CutMove.SHUFFLED: Cut.NONE, CutMove.ASKED: Cut.DUE, CutMove.DEALT: Cut.NONE},
    Cut.DUE: {
        CutMove.SHUFFLED: Cut.NONE, CutMove.ASKED: Cut.DUE, CutMove.CUT: Cut.MADE, CutMove.CUT_TO_MARK: Cut.MARK_DUE,
        CutMove.DEALT: Cut.DUE,
    },
    Cut.MARK_DUE: {
        CutMove.SHUFFLED: Cut.NONE, CutMove.ASKED: Cut.DUE, CutMove.MARKED: Cut.MADE, CutMove.DEALT: Cut.MADE,
    },
    Cut.MADE: {CutMove.SHUFFLED: Cut.NONE, CutMove.ASKED: Cut.DUE, CutMove.DEALT: Cut.MADE},
}  # fmt: skip


def cut_after(cut: Cut, move: CutMove) -> Cut:
    """How far the cut has come, by the table. Raises `NoSuchTransition`."""
    if (to := CUTS[cut].get(move)) is None:
        raise NoSuchTransition(f"a cut that is {cut.value}", move.name)
    return to


SetEvent = (
    f.SetChecked | f.SetDisarmed | f.SetShuffledByHand | f.SetRemoved | f.SetBrought | f.SetInPlay | f.SetTimeCarried | SetDue
    | f.StepsAsked | f.StepTaken | f.CutAsked | f.SetCut | f.CuttingCardPlaced | f.CardBurned | f.StoreOpened | f.SpreadRequested
)  # fmt: skip


def set_after(state: State, event: SetEvent) -> State:
    """The state after a fact of one set; a set of a colour that is not at the table any more is folded like the others."""
    back = event.back
    before = state.sets.get(back, CardSet(back))
    match event:
        case f.SetChecked():
            card_set = replace(
                _shuffled(_checked(before, event)), cycle_complete=event.cycle_complete, mode_shuffle=event.mode_shuffle,
                count_right=event.count_right, identities_complete=event.identities_complete, defects=event.defects,
                by_hand=False,
            )  # fmt: skip
            card_set = _after_steps(card_set, card_set.steps) if card_set.armed else card_set
        case f.SetShuffledByHand():
            card_set = replace(
                _shuffled(before), cycle_complete=True, mode_shuffle=True, by_hand=True, count_right=None,
                identities_complete=None, defects=(),
            )  # fmt: skip
        case f.SetDisarmed():
            card_set = replace(before, cycle_complete=False, in_shoe=False)
        case f.SetRemoved():
            card_set = replace(
                before, present=False, cycle_complete=False, in_shoe=False, procedure=None, steps=()
            )
        case f.SetBrought(preshuffled=shuffled, count_anew=anew):
            card_set = CardSet(
                back, cycle_complete=shuffled, mode_shuffle=shuffled, by_hand=shuffled, preshuffled=shuffled,
                since_count=0 if anew else before.since_count, since_any_count=0 if anew else before.since_any_count,
            )  # fmt: skip
            if anew:
                state = replace(state, since_stub_count=max(0, state.since_stub_count - before.since_any_count))
        case f.SetInPlay() | f.SetTimeCarried():
            card_set = replace(before, since=Moment(event.wall_us, event.mono_ns, event.boot, event.clock))
        case SetDue():
            card_set = replace(before, due=True)
        case _:
            card_set = _handled(before, event)
    state = replace(state, sets={**state.sets, back: card_set}, round=_proven(state.round, event))
    return _offered(state) if isinstance(event, f.SetCut) else state


def _offered(state: State) -> State:
    """The player at whose hand the cutting card showed has been offered the cut that follows."""
    round_ = state.round
    if round_ is not None and round_.collected:
        return replace(state, round=replace(round_, cutting_card=None))
    return replace(state, cutting_card=None)


def _shuffled(card_set: CardSet) -> CardSet:
    """What any shuffle makes undone: nothing has left this shoe, and a cut that may follow is asked for by itself."""
    return replace(
        card_set,
        in_shoe=False,
        preshuffled=False,
        cut=cut_after(card_set.cut, CutMove.SHUFFLED),
        gone=0,
        opened=False,
    )


def _handled(card_set: CardSet, event: SetEvent) -> CardSet:
    """What people do with a set before it is dealt."""
    match event:
        case f.StepsAsked():
            return replace(
                card_set, procedure=event.procedure, steps=event.steps, stepped_by="", face_up_asked=False
            )
        case f.StepTaken():
            return _stepped(card_set, event)
        case f.CutAsked():
            return replace(card_set, cut=cut_after(card_set.cut, CutMove.ASKED))
        case f.SetCut():
            move = CutMove.CUT_TO_MARK if event.marks else CutMove.CUT
            return replace(card_set, cut=cut_after(card_set.cut, move))
        case f.CuttingCardPlaced():
            return replace(card_set, cut=cut_after(card_set.cut, CutMove.MARKED))
        case f.CardBurned():
            return replace(card_set, gone=card_set.gone + 1)
        case f.StoreOpened():
            return replace(card_set, opened=True)
        case f.SpreadRequested():
            return replace(card_set, face_up_asked=True)
    return card_set


def _stepped(card_set: CardSet, event: f.StepTaken) -> CardSet:
    left = card_set.steps[1:]
    if event.face_up and left and left[0].step is Step.TURN_FACE_UP:
        left = left[1:]
    return replace(_after_steps(card_set, left), stepped_by=event.by, preshuffled=False, in_shoe=False)


def _after_steps(card_set: CardSet, left: tuple[ProcedureStep, ...]) -> CardSet:
    """The set with what is left of its steps; the cut falls away where a device has shuffled. Clause: `[cut] after`."""
    if left and left[0].step is Step.CUT and not card_set.by_hand:
        left = left[1:]
    return replace(card_set, steps=left, procedure=card_set.procedure if left else None)


def _counted(event: f.SetChecked) -> bool:
    return event.count_right is True or _read(event)


def _read(event: f.SetChecked) -> bool:
    """Each card of the whole set was seen; then their number is right too."""
    return event.identities_complete is True and event.count_right is not False


def _checked(card_set: CardSet, event: f.SetChecked) -> CardSet:
    """A good verdict answers for every round before it; a wrong one leaves them open."""
    return replace(
        card_set,
        uncounted=NOTHING_PLAYED if _counted(event) else card_set.uncounted,
        unread=NOTHING_PLAYED if _read(event) else _still_unread(card_set, event),
    )


def _still_unread(card_set: CardSet, event: f.SetChecked) -> PlayedSince | None:
    """A first reading that is wrong finds no earlier one to go back to: the rounds since the last count are what is known."""
    first = card_set.unread is None and event.identities_complete is False
    return card_set.uncounted if first else card_set.unread


def _proven(round_: Round | None, event: SetEvent) -> Round | None:
    """The cards of a round may be gathered and shuffled before it is ended: then the verdict answers for it too.

    A new set of the same back that comes before the end has no part in the round. What a person said of a set that was
    not armed is over when it is disarmed again.
    """
    if round_ is None or event.back != round_.back:
        return round_
    match event:
        case f.CardBurned():
            in_deal = round_.phase is Phase.DEALING  # told of by a shoe, but none of the deal
            return replace(round_, burned=round_.burned + 1, drawn=round_.drawn - in_deal)
        case f.SetDisarmed():
            return replace(round_, vouched=False, reshuffled=False)
        case f.SetRemoved():
            return replace(round_, reshuffled=False)
        case f.SetBrought(preshuffled=preshuffled) if round_.collected:
            return replace(round_, count_proven=True, identities_proven=True, reshuffled=preshuffled)
        case f.SetShuffledByHand() if round_.collected:
            return replace(round_, reshuffled=True)
        case f.SetChecked() if round_.collected or _gathered(round_, event):
            return replace(
                round_,
                count_proven=round_.count_proven or _counted(event),
                identities_proven=round_.identities_proven or _read(event),
                reshuffled=event.cycle_complete,
            )
    return round_


def _gathered(round_: Round, event: f.SetChecked) -> bool:
    """Where play has stopped the cards may go from the layout straight to where they are counted: all that are there were."""
    return round_.phase is Phase.STOPPED and _counted(event)


def dealt_from(state: State) -> State:
    """The set of the round is the one in the shoe from the moment that its cards may leave it."""
    assert state.round is not None
    back = state.round.back
    card_set = state.sets.get(back, CardSet(back))
    card_set = replace(card_set, in_shoe=True, cut=cut_after(card_set.cut, CutMove.DEALT))
    return replace(state, sets={**state.sets, back: card_set})


def stub_counted(state: State, event: f.StubCounted) -> State:
    """The rounds between two counts begin anew. A right count is a good verdict on the number of cards, and on nothing else."""
    sets = {back: replace(card_set, since_any_count=0) for back, card_set in state.sets.items()}
    card_set = sets.get(event.back)
    if card_set is not None:
        uncounted = NOTHING_PLAYED if event.right else card_set.uncounted
        sets[event.back] = replace(card_set, since_count=0, uncounted=uncounted)
    return replace(state, since_stub_count=0, sets=sets)


def sets_after_round(state: State, round_: Round, cards: int, *, to_count: bool) -> Mapping[str, CardSet]:
    """The sets once this round has ended: its set answers for it from now on, and has to be shuffled, unless it was already.

    Where a game deals on from one set, that waits for the cutting card, or an order. `cards`: that left the set in the round.
    `to_count`: the round is one of those between two stub counts.
    """
    card_set, leaves = state.sets.get(round_.back, CardSet(round_.back)), state.leaves_after_round(round_.back)
    if to_count:
        more, any_more = card_set.since_count + 1, card_set.since_any_count + 1
        card_set = replace(card_set, since_count=more, since_any_count=any_more)
    if round_.played:
        played, uncounted, unread = round_.as_played(), card_set.uncounted, card_set.unread
        if not round_.count_proven:
            uncounted = uncounted.followed_by(played)
        if unread is not None and not round_.identities_proven:
            unread = unread.followed_by(played)
        card_set = replace(card_set, uncounted=uncounted, unread=unread)
    if (round_.played or leaves) and not round_.reshuffled:
        kept = round_.game.keeps_set and card_set.cycle_complete and not leaves
        gone = card_set.gone + cards
        card_set = replace(card_set, cycle_complete=kept, in_shoe=kept and card_set.in_shoe, gone=gone)
    return {**state.sets, round_.back: card_set}
