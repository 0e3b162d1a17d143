"""Hands and meters that people tell the table for the settlement: only cards that the document has turned up already.

A refusal is published and kept in logs, so none of these names a card.
"""

from collections import Counter

from controller.cards.cards import CardError, without
from controller.games.model import Decision, Phase
from controller.games.settling.engine import settler_of
from controller.games.settling.round import UNREADABLE, read_cards
from controller.games.settling.side import BOX
from controller.rules.vocabulary import Area
from controller.table.fold.ruling import Draft
from controller.table.questions.positions import RECORDED, laid_away
from controller.table.questions.stub_count_and_turns import opened, order_cite
from controller.table.settlement import meters
from controller.table.settlement.contradictions import contradicted
from controller.table.settlement.offer import OF_THE_BOX, PROGRESSIVE
from controller.table.settlement.settle import MOST_PAID
from controller.table.state.table import Fate, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

A_CARD = "a card is a rank of A K Q J T 9 8 7 6 5 4 3 2 and a suit of c d h s, such as Td, and ?? where it could not be read"


def verify_record_hand(setup: Setup, state: State, act: a.RecordHand, actor: Actor) -> Refusal | None:
    """What stands in the way of recording this hand: cards that are not turned up yet, or that cannot be."""
    round_ = _round(state)
    if (hidden := _not_turned_up(setup, state, act)) is not None:
        return hidden
    whose = f"seat {act.seat}" if act.seat else f"the {act.area.replace('_', ' ')}"
    try:
        cards, played, shown = (read_cards(text) for text in (act.cards, act.played, act.shown))
    except CardError:
        return Refusal(f"{whose}: {A_CARD}", code="card_unknown")
    hand = setup.law.rulebook.hand
    rule, count = {
        Area.PLAYER: (hand.player, hand.player.value),
        Area.DEALER: (hand.dealer, hand.dealer_cards),
        Area.COMMUNITY: (hand.community, sum(x.cards for x in round_.game.streets[: round_.streets])),
        Area.SIX_CARD_BOX: (None, BOX),
    }[act.area]
    or_more = act.area is Area.PLAYER and round_.seats[act.seat].one_hand
    if not count <= len(cards) <= (2 * count if or_more else count):
        cite = rule.cite if rule else setup.law.rulebook.wagers[OF_THE_BOX].cite
        told = f"{count} to {2 * count}" if or_more else str(count)
        return Refusal(
            f"{whose}: {told} cards lie there, and {len(cards)} were given", cite, code="cards_miscounted"
        )
    settler = settler_of(setup.law)
    of_player, of_dealer = act.area is Area.PLAYER, act.area is Area.DEALER
    may_play = settler.played if of_player or of_dealer else 0
    return (
        _chosen(whose, "played", cards, played, may_play)
        or _chosen(whose, "shown", cards, shown, settler.shown if of_player else 0)
        or _too_often(setup, round_, act, cards)
    )


def record_hand(draft: Draft, act: a.RecordHand, actor: Actor) -> None:
    """What the cards show to be wrong, of what was said before, waits for a person."""
    before = _round(draft.state)
    draft.add(f.HandRecorded(before.id, act.area, act.seat, act.cards, act.played, act.shown, actor.who))
    if (reason := contradicted(draft.setup, before, _round(draft.state), act)) is not None:
        draft.hold(reason, seat=act.seat, code="cards_contradict")


def _not_turned_up(setup: Setup, state: State, act: a.RecordHand) -> Refusal | None:
    round_, cite = _round(state), order_cite(setup, state, a.SettleRound.kind)
    settles = round_.phase in (round_.game.stages[-1].phase, Phase.SETTLED)
    of_player = act.area is Area.PLAYER
    if not of_player and act.seat:
        return Refusal(
            f"the cards of the {act.area.replace('_', ' ')} are of no seat; leave it out", code="seat_not_asked"
        )
    match act.area:
        case Area.PLAYER:
            seat = round_.in_play.get(act.seat)
            if seat is None:
                seats = ", ".join(map(str, round_.in_play))
                return Refusal(
                    f"seat {act.seat} has no hand in this round; in play are seats {seats}", code="no_hand"
                )
            early = any(w.fate in (Fate.SETTLED, Fate.TO_SETTLE) for w in seat.wagers.values())
            laid = laid_away(setup, round_, act.seat, Decision.FOLD) if seat.folded else None
            early |= laid is not None and laid.to == RECORDED
            if not settles and not early and not opened(setup, round_, act.seat):
                in_turn = any(stage.opened for stage in round_.game.stages)
                until = "its turn to answer" if in_turn and not seat.decided else "it is settled"
                return Refusal(
                    f"seat {act.seat}: the hand is not turned up before {until}", cite, code="hand_not_turned_up"
                )
        case Area.DEALER:
            if not setup.law.rulebook.hand.dealer_cards:
                return Refusal("the dealer has no hand in this game", code="no_hand")
            if not round_.game.dealer_is_up(round_.phase):
                return Refusal(
                    f"the dealer's hand is not turned up yet ({a.RevealDealer.kind})",
                    cite,
                    code="hand_not_turned_up",
                )
        case Area.COMMUNITY:
            if not round_.streets:
                return Refusal("no community card lies face up", cite, code="hand_not_turned_up")
        case Area.SIX_CARD_BOX:
            placed = any(OF_THE_BOX in seat.wagers for seat in round_.in_play.values())
            if not placed or not settles:
                return Refusal(
                    "the cards of the six card bonus are turned up once it is settled",
                    cite,
                    code="hand_not_turned_up",
                )
    return None


def _chosen(whose: str, name: str, cards: tuple[int, ...], chosen: tuple[int, ...], count: int) -> Refusal | None:
    """Why these cannot be the cards that are played or shown of the hand; none need be told."""
    if not chosen:
        return None
    if not count:
        return Refusal(f"{whose}: there is no choice of cards here; leave `{name}` out", code="choice_not_asked")
    if len(chosen) != count or len(without(cards, chosen)) != len(cards) - count or UNREADABLE in chosen:
        return Refusal(
            f"{whose}: `{name}` has {count} of the cards of this hand, each one that was read", code="choice_unfit"
        )
    return None


def _too_often(setup: Setup, round_: Round, act: a.RecordHand, cards: tuple[int, ...]) -> Refusal | None:
    """A card is in a round as often as the set holds it. Clause: `[decks] per_set`."""
    decks = setup.law.rulebook.decks.per_set
    others = {place: seen.cards for place, seen in round_.seen.items() if place != (act.area, act.seat)}
    counted = Counter([*cards, *(card for seen in others.values() for card in seen)])
    often = {card for card in cards if card != UNREADABLE and counted[card] > decks.value}
    if not often:
        return None
    places = [f"seat {seat}" if seat else area.value for (area, seat), seen in others.items() if often & set(seen)]
    where = f" (the same in: {', '.join(places)})" if places else " in this hand"
    held = "once" if decks.value == 1 else f"{decks.value} times"
    return Refusal(
        f"a card is there too often{where}; the set holds each {held}", decks.cite, code="card_too_often"
    )


def verify_record_meter(setup: Setup, state: State, act: a.RecordMeter, actor: Actor) -> Refusal | None:
    """What stands in the way of recording this meter: it pays no wager here, or cannot stand so."""
    least = settler_of(setup.law).resets
    if act.meter not in least:
        known = ", ".join(least) or "none"
        return Refusal(
            f"the progressive wager is not paid from a meter {act.meter}; there are: {known}", code="no_such_meter"
        )
    if not any(PROGRESSIVE in seat.wagers for seat in _round(state).in_play.values()):
        return Refusal("no progressive wager lies in this round", code="no_such_wager")
    if (computed := meters.recorded_by_nobody(setup, act.meter)) is not None:
        return computed
    cents, cite = least[act.meter]
    if not 0 <= act.cents <= MOST_PAID:
        told = f"a meter stands at 0 to {MOST_PAID} cents, {act.cents} were given"
        return Refusal(told, code="meter_out_of_bounds")
    if not cents <= act.reset <= MOST_PAID:
        return Refusal(
            f"the meter {act.meter} starts again at {cents} to {MOST_PAID} cents, {act.reset} were given",
            cite,
            code="meter_reset_out_of_bounds",
        )
    return None


def record_meter(draft: Draft, act: a.RecordMeter, actor: Actor) -> None:
    """Records where the meter stands before the first payment."""
    name, currency = _round(draft.state).id, draft.setup.currency
    draft.add(f.MeterRecorded(name, act.meter, act.cents, act.reset, currency, actor.who))


def _round(state: State) -> Round:
    assert state.round is not None
    return state.round
