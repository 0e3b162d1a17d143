"""Acts between the first deal and the settlement: players answer in turn, community cards and the dealer's hand are shown."""

from typing import Any

from controller.cards.house_ways import is_natural
from controller.games.model import AT_ONCE, Stage
from controller.games.settling.round import UNREADABLE
from controller.rules.citation import Cited
from controller.rules.vocabulary import Action, Area, Settle
from controller.table.fold.ruling import Draft
from controller.table.irregularities import revoked_answers
from controller.table.irregularities.collected_wagers import collect_at_fold
from controller.table.questions import burns
from controller.table.questions.deal_plan import (
    community_left,
    community_lies_open,
    dealt_late,
    delivered,
    still_in_device,
)
from controller.table.questions.positions import laid_away, unread_before_rack
from controller.table.questions.short_hand import short_hand_first
from controller.table.questions.stub_count_and_turns import (
    asking_order,
    must_qualify,
    one_hand_reading,
    order_cite,
    too_many_cite,
)
from controller.table.settlement import corrections, settle
from controller.table.state.table import Fate, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal


def verify_record_decision(setup: Setup, state: State, act: a.RecordDecision, actor: Actor) -> Refusal | None:
    """Why this player does not answer now, or not so."""
    round_, law = state.playing, setup.law.rulebook
    seat, stage = round_.in_play.get(act.seat), round_.game.stage(round_.phase)
    assert stage is not None
    cite = law.wagers[stage.wagers[0]].cite
    if seat is None or seat.void:
        return Refusal(f"seat {act.seat} has no hand in this round", code="no_hand")
    if seat.decided or seat.asked is round_.phase:
        return Refusal(f"seat {act.seat} has answered already", code="answered_already")
    if not round_.asks(seat):
        return Refusal(f"seat {act.seat} has no {stage.of} wager and is not asked", cite, code="not_asked")
    if (first := short_hand_first(state, act.seat)) is not None:
        return first
    if not round_.plays(act.seat):
        return Refusal(
            f"the {round_.game.base} wager of seat {act.seat} is decided; it is not asked any more",
            code="not_asked",
        )
    answer = stage.answer(act.decision, law.play.version.value if law.play.version else None)
    if answer is None:
        return Refusal(stage.otherwise, cite, code="answer_not_possible")
    if (answer.splits or answer.surrenders) and seat.one_hand:
        done = "split" if answer.splits else "given up"
        return Refusal(
            f"seat {act.seat} was dealt too many cards: it sets one hand and is not {done}",
            reading=one_hand_reading(setup),
            code="answer_not_possible",
        )
    if (wait := _turn_of_another(setup, round_, act.seat)) is not None:
        return wait
    return _amount(setup, stage, answer.places, act.multiple) if answer.places else None


def record_decision(draft: Draft, act: a.RecordDecision, actor: Actor) -> None:
    """Records the answer with the wager that it places, and what follows at once from a fold, a natural or a surrender."""
    law, round_ = draft.setup.law.rulebook, draft.state.playing
    stage = round_.game.stage(round_.phase)
    assert stage is not None
    answer = stage.answer(act.decision, law.play.version.value if law.play.version else None)
    of = law.wagers[answer.places].of if answer and answer.places else None
    cents = round_.seats[act.seat].wagers[of].cents * act.multiple if of else 0
    laid = laid_away(draft.setup, round_, act.seat, act.decision)
    where = (laid.to, laid.beside or "", laid.cite, laid.reading) if laid else ("", "", (), None)
    multiple = act.multiple if of else 0
    draft.add(f.DecisionRecorded(act.seat, act.decision, cents, actor.who, *where, multiple))
    if answer is not None and answer.folds:
        collect_at_fold(draft, act.seat)
    if answer is not None and answer.decision in AT_ONCE and round_.seats[act.seat].one_hand:
        revoked_answers.announced(draft, act.seat, too_many_cite(draft.setup))
    if answer is not None and answer.surrenders:
        settle.surrender(draft, act.seat, actor.who)


def _turn_of_another(setup: Setup, round_: Round, seat: int) -> Refusal | None:
    (turn, *_), order = asking_order(setup, round_)
    if order is None or seat == turn:
        return None
    return Refusal(
        f"it is the turn of seat {turn}: players are asked from the dealer's {order.value}",
        order.cite,
        code="not_their_turn",
    )


def _amount(setup: Setup, stage: Stage, wager: str, multiple: int) -> Refusal | None:
    """A wager that is placed with an answer amounts to one of the printed multiples."""
    rule = setup.law.rulebook.wagers[wager]
    multiples = rule.multiples(stage.moment)
    if multiple in multiples:
        return None
    spoken, times = wager.replace("_", " ").capitalize(), " or ".join(map(str, multiples))
    return Refusal(
        f"a {spoken} wager is {times} times the {rule.of} here", rule.cite, code="multiple_not_possible"
    )


def verify_reveal_community(setup: Setup, state: State, act: a.RevealCommunity, actor: Actor) -> Refusal | None:
    """Each player answers before the next cards are shown; after a void they are shown only where that is demanded."""
    round_, cite = state.playing, order_cite(setup, state, act.kind)
    if not round_.live and community_lies_open(round_):
        return Refusal("all community cards are shown", cite, code="cards_face_up")
    if (wait := _not_all_asked(setup, state, act)) is not None:
        return wait
    if (burn := burns.before_cards(setup, state)) is not None:
        return burn
    if community_lies_open(round_):
        return Refusal("all community cards are shown", cite, code="cards_face_up")
    if round_.live and (name := state.dispenser()) and (left := community_left(setup, round_)) > 0:
        what = f"cards to be burned and for the community are still in {name} ({left})"
        return Refusal(f"{what}; let them out first ({a.StartDealing.kind})", cite, code="stack_in_device")
    expected = round_.game.streets[round_.streets].street
    return (
        None
        if act.street is expected
        else Refusal(f"the {expected.value} comes next", cite, code="street_out_of_order")
    )


def reveal_community(draft: Draft, act: a.RevealCommunity, actor: Actor) -> None:
    """The next community cards lie face up."""
    draft.add(f.CommunityRevealed(act.street))


def _not_all_asked(setup: Setup, state: State, act: a.RevealCommunity | a.RevealDealer) -> Refusal | None:
    """Why no more cards are shown: players have not answered yet, or one with too few cards has not chosen."""
    round_ = state.playing
    if not round_.live and not any(d.action is Action.DEAL_COMMUNITY for d in state.duties.values()):
        return Refusal(
            "play of the round has stopped, and nothing demands the community cards", code="play_stopped"
        )
    waiting, _ = asking_order(setup, round_)
    if waiting and round_.live:
        cite = order_cite(setup, state, act.kind)
        return Refusal(f"seats {', '.join(map(str, waiting))} have not been asked", cite, code="seats_not_asked")
    return short_hand_first(state, 0)  # whoever had to choose after seeing the dealer's hand would choose by it


def verify_reveal_dealer(setup: Setup, state: State, act: a.RevealDealer, actor: Actor) -> Refusal | None:
    """Why the dealer's hand is not turned up yet, or why it is not what was said of it."""
    round_ = state.playing
    if round_.game.dealer_is_up(round_.phase):
        return _said_anew(setup, round_, act)
    if not act.qualifies and not must_qualify(setup, round_.game):
        return Refusal(
            "whether the dealer's hand qualifies moves no wager by itself here; settle as usual",
            code="qualifies_not_asked",
        )
    if act.natural and setup.law.rulebook.play.dealer_natural is None:
        return Refusal("in this game no hand of the dealer's wins at once", code="no_natural")
    waits = _not_all_asked(setup, state, act) or unread_before_rack(setup, round_)
    if waits is None and round_.live and state.dispenser() and still_in_device(setup, round_):
        return Refusal(
            f"the dealer's stack is still in the device; let it out first ({a.StartDealing.kind})",
            delivered(setup, round_),
            code="stack_in_device",
        )
    return waits


def reveal_dealer(draft: Draft, act: a.RevealDealer, actor: Actor) -> None:
    """Where the hand does not reach the minimum, what the document lets go back goes back, by the clause that returns it and not
    by those that make the dealer qualify. Clause: `[settlement] unqualified`.

    Said anew, a person looks at what was settled by the other word; where it is no natural the hands play on.
    Clause: `dealer_natural`.
    """
    round_, rule = draft.state.playing, draft.setup.law.rulebook.settlement.get(Settle.UNQUALIFIED)
    judged = must_qualify(draft.setup, round_.game)
    natural = draft.setup.law.rulebook.play.dealer_natural
    draft.add(f.DealerRevealed(act.qualifies if judged else None, act.natural if natural else None))
    if judged and not act.qualifies and rule is not None:
        _give_back(draft, round_.game.returned_unqualified, rule)
    if natural is not None and act.natural:
        _give_back(draft, natural.value, natural)
        corrections.ask_of_natural(draft, round_, natural)
    elif natural is not None and round_.natural:
        corrections.ask_of_no_natural(draft, round_, natural)


def _said_anew(setup: Setup, round_: Round, act: a.RevealDealer) -> Refusal | None:
    """Whether the dealer's hand is a natural was said wrongly, and is put right as long as the round is not settled.

    Clause: `[play] dealer_natural`.
    """
    rule, seen = setup.law.rulebook.play.dealer_natural, round_.seen.get((Area.DEALER, 0))
    cite, words = rule.cite if rule else (), {True: "a natural", False: "no natural"}
    if round_.natural is None or act.natural is round_.natural:
        said = f", and was said to be {words[act.natural]}" if round_.natural is not None else ""
        return Refusal(f"the dealer's hand is turned up already{said}", cite, code="cards_face_up")
    if seen is not None and UNREADABLE not in seen.cards and is_natural(seen.cards) is not act.natural:
        again = f"record them again if they were recorded wrongly ({a.RecordHand.kind})"
        return Refusal(
            f"the dealer's cards on record are {words[not act.natural]}; {again}",
            cite,
            code="cards_contradict",
        )
    return None


def _give_back(draft: Draft, names: tuple[str, ...], rule: Cited[Any]) -> None:
    for seat, wager, live in draft.state.playing.wagers(Fate.LIVE, Fate.STANDS):
        if wager in names:
            draft.decide_wager(seat, wager, live.cents, Fate.RETURNED, rule.cite, rule.reading)


def late_cards(setup: Setup, state: State, round_: Round) -> Refusal | None:
    """Why the device dispenses no card once the deal is done: it has none to dispense, or players have still to answer.

    A card for a short hand comes before the others: it is the next one. Clause: `[[dealing]] all_from_device`.
    """
    if dealt_late(setup, round_) and (state.short_hand() is not None or community_left(setup, round_) > 0):
        return None
    if not still_in_device(setup, round_):
        return Refusal(
            "cannot dispense a stack, because the deal is done", delivered(setup, round_), code="all_dealt"
        )
    waiting, _ = asking_order(setup, round_)
    if waiting:
        seats = ", ".join(map(str, waiting))
        return Refusal(
            f"the dealer's stack stays in the device until seats {seats} have answered",
            delivered(setup, round_),
            code="seats_not_asked",
        )
    return None
