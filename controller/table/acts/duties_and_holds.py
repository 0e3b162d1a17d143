"""Acts that confirm a duty and lift a hold."""

from controller.games.fates import wager_fates
from controller.rules.model import Demand
from controller.rules.vocabulary import Action
from controller.table.acts.devices import cards_inside
from controller.table.course.reports import deal_is_out, emptied, initial_deal_done
from controller.table.fold.ruling import Draft
from controller.table.irregularities import revoked_answers
from controller.table.irregularities.collected_wagers import after_void, ask_of_lost
from controller.table.irregularities.dispositions import open_duty
from controller.table.irregularities.held_wagers import fare_as_void, void_since
from controller.table.irregularities.settled_wagers import after_settled, settled_before
from controller.table.irregularities.spared_wagers import not_collected, void_round
from controller.table.irregularities.wager_facts import lying, open_return_duty, record
from controller.table.questions import burns
from controller.table.questions.stub_count_and_turns import asking_order, order_cite
from controller.table.settlement import settle
from controller.table.state.table import AFTER_ROUND, ALL_COLLECTED, ALL_LOST, Duty, Fate, Hold, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal


def verify_confirm_duty(setup: Setup, state: State, act: a.ConfirmDuty, actor: Actor) -> Refusal | None:
    """Why this duty cannot be called done: by whom it is confirmed, and what can be seen to be left of it."""
    duty = state.duties.get(act.duty)
    if duty is None:
        return Refusal(
            f"no duty {act.duty} is open; open are: {', '.join(state.duties) or 'none'}", code="no_such_duty"
        )
    if not actor.role.may_act_as(duty.least_role):
        return Refusal(f"{duty.word} is confirmed by a {duty.least_role} or above", duty.cite, code="role_too_low")
    inside = cards_inside(state.devices[duty.device]) if duty.device else 0
    if inside:  # neither is it empty, nor does it leave service with cards of a set
        return Refusal(
            f"{duty.device} still senses {inside} cards inside; take them out", duty.cite, code="device_has_cards"
        )
    if duty.action in AFTER_ROUND and state.round is not None and state.round.back == duty.back:
        return Refusal(
            f"the {duty.back} set is in play; {duty.action} is done when the round has ended",
            duty.cite,
            code="set_in_play",
        )
    lies = state.round is not None and state.round.back == duty.back and state.round.on_layout
    if duty.action is Action.REMOVE_SET and lies:
        return Refusal(
            f"cards of the {duty.back} set lie on the layout; collect them first ({a.CollectCards.kind})",
            duty.cite, code="cards_lie_there",
        )  # fmt: skip
    live = state.round is not None and state.round.live
    if (
        duty.action is Action.ASK_VOID_OR_COMPLETE
        and live
        and (burn := burns.before_cards(setup, state)) is not None
    ):
        return burn
    if duty.action is Action.DEAL_COMMUNITY and live and (waiting := asking_order(setup, state.playing)[0]):
        # as for the act that shows the cards
        named = ", ".join(map(str, waiting))
        return Refusal(
            f"seats {named} have not been asked",
            order_cite(setup, state, a.RevealCommunity.kind),
            code="seats_not_asked",
        )
    waits = duty.action is Action.SETTLE
    if waits and any(d.action is Action.DEAL_COMMUNITY for d in state.duties.values()):
        return Refusal("deal the community cards first", duty.cite, code="community_first")
    return None


def confirm_duty(draft: Draft, act: a.ConfirmDuty, actor: Actor) -> None:
    """Closing a duty also records what it did: where a set or a device now is, which cards lie face up."""
    duty = draft.state.duties[act.duty]
    close(draft, duty, actor)
    match duty.action:
        case Action.DEAL_COMMUNITY if draft.state.round is not None and not draft.state.round.live:
            for street in draft.state.round.game.streets[draft.state.round.streets :]:
                draft.add(f.CommunityRevealed(street.street))
        case Action.REMOVE_SET | Action.CHANGE_SET if duty.back:
            draft.add(f.SetRemoved(duty.back, actor.who))
        case Action.COMPLETE_DEALER_HAND:
            if deal_is_out(draft):
                initial_deal_done(draft)
        case Action.CLEAR_DEVICE if duty.device:
            emptied(draft, duty.device)
        case Action.REMOVE_DEVICE if duty.device:
            draft.add(f.DeviceTakenOut(duty.device, a.OutOfService.REMOVED, True, actor.who), duty.device)
        case Action.COVER_OR_SIGN_DEVICE if duty.device:
            draft.add(f.DeviceTakenOut(duty.device, a.OutOfService.COVERED, True, actor.who), duty.device)


def close(draft: Draft, duty: Duty, actor: Actor) -> None:
    """Closes a duty. Once the player of a short hand has chosen, and has a chosen card, the device locks again."""
    round_ = draft.state.round
    if duty.action is Action.ASK_VOID_OR_COMPLETE and round_ is not None and round_.late_let_out:
        draft.make_safe("the short hand is decided")
    draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role, duty.wager))


def verify_resolve_hold(setup: Setup, state: State, act: a.ResolveHold, actor: Actor) -> Refusal | None:
    """Why this hold is not lifted: by whom it is, and what may be answered to it."""
    hold = state.holds.get(act.hold)
    if hold is None:
        return Refusal(
            f"no hold {act.hold} is in force; in force are: {', '.join(state.holds) or 'none'}",
            code="no_such_hold",
        )
    if not actor.role.may_act_as(hold.least_role):
        return Refusal(f"this hold is lifted by a {hold.least_role} or above", hold.cite, code="role_too_low")
    if act.resolution not in hold.choices:
        return Refusal(
            f"hold {hold.id} is resolved by {' or '.join(hold.choices)}", hold.cite, code="resolution_not_possible"
        )
    if len(act.note) > 500:
        return Refusal("a note has at most 500 characters", code="text_length")
    return None


def resolve_hold(draft: Draft, act: a.ResolveHold, actor: Actor) -> None:
    """A person's decision about a hold, under the reading that the hold was placed by."""
    hold = draft.state.holds[act.hold]
    draft.add(f.HoldLifted(hold.id, act.resolution, actor.who, actor.role, hold.reading, act.note))
    round_ = draft.state.round
    if round_ is None:
        return
    if hold.wager in (ALL_COLLECTED, ALL_LOST):
        _resolve_collected(draft, hold, act.resolution)
    elif act.resolution in settle.OF_THE_CENT:
        settle.give_up_half(draft, hold.seat, actor.who, act.resolution)
    elif hold.wager and act.resolution is a.Resolution.WAGER_LOST:
        _collect_held(draft, hold)
    elif hold.wager and act.resolution in revoked_answers.OF_WAGER:  # to go on leaves the wager as it lies
        fate = Fate.RETURNED if act.resolution is a.Resolution.RETURN_WAGER else Fate.STANDS
        cite = () if hold.reading else hold.cite
        for seat, wager, held in round_.wagers(Fate.HELD, Fate.LIVE):
            if held.hold != hold.id and (seat, wager) != (hold.seat, hold.wager):
                continue  # it waits for another answer, or for none
            if fate is Fate.RETURNED or not fare_as_void(draft, hold, seat, wager):
                draft.decide_wager(seat, wager, held.cents, fate, cite, hold.reading)
    elif act.resolution is a.Resolution.VOID and not round_.void:
        _void_by_a_person(draft, hold)


def _resolve_collected(draft: Draft, hold: Hold, resolution: a.Resolution) -> None:
    """Chips that were collected at a fold, or lost, go back out of the container, or stay there."""
    if resolution is not a.Resolution.RETURN_WAGER:
        _collect_the_rest(draft, hold)
        return
    round_ = draft.state.playing
    fate = Fate.LOST if hold.wager == ALL_LOST else Fate.COLLECTED
    back = [item for item in round_.wagers(fate) if hold.seat in (0, item[0])]
    back += [item for item in round_.wagers(Fate.HELD) if item[2].hold == hold.id]
    for seat, wager, lies in back:
        draft.decide_wager(seat, wager, lies.cents, Fate.RETURNED, (), hold.reading)
    if back and hold.wager == ALL_LOST:
        not_collected(draft, {seat for seat, _, _ in back})


def _collect_the_rest(draft: Draft, hold: Hold) -> None:
    """Wagers on the layout that waited for the same answer are lost with those that stay collected."""
    for seat, wager, lies in draft.state.playing.wagers(Fate.HELD):
        if lies.hold == hold.id:
            draft.decide_wager(seat, wager, lies.cents, Fate.LOST, (), hold.reading)
            open_duty(draft, Demand(Action.COLLECT_SEAT_WAGERS, reading=hold.reading), seat=seat)


def _collect_held(draft: Draft, hold: Hold) -> None:
    """The wagers that this hold was placed for are lost, and the dealer collects them.

    Where their hand or round became void since, they go back if that was elected for wagers that were lost before.
    Clause: `[play] lost_in_void`.
    """
    rule = draft.setup.law.rulebook.play.lost_in_void
    for seat, wager, lies in draft.state.playing.wagers(Fate.HELD):
        if lies.hold != hold.id:
            continue
        if rule is not None and draft.setup.law.decided(rule) == "return" and void_since(draft, hold, seat, wager):
            draft.decide_wager(seat, wager, lies.cents, Fate.RETURNED, (), rule.reading)
            open_return_duty(draft, Demand(Action.RETURN_ALL_WAGERS, reading=rule.reading))
            continue
        draft.decide_wager(seat, wager, lies.cents, Fate.LOST, (), hold.reading)
        open_duty(draft, Demand(Action.COLLECT_SEAT_WAGERS, reading=hold.reading), seat=seat)


def _void_by_a_person(draft: Draft, hold: Hold) -> None:
    """The clause that a hold was placed by does not say that the round is void: the person does, under a reading."""
    reading = hold.reading or draft.setup.law.of_holds
    demands = (Demand(Action.VOID_ROUND, reading=reading), Demand(Action.RETURN_ALL_WAGERS, reading=reading))
    fates = wager_fates(draft.setup.law, demands, lying(draft))
    reached = settled_before(draft, demands, fates)
    void_round(draft, (), reading)
    record(draft, fates)
    for lost in after_void(draft, fates):
        open_duty(draft, lost.by, seat=lost.seat)
    for seat, demand in after_settled(draft, reached, "The round is void.", ()):
        open_duty(draft, demand, seat=seat)
    ask_of_lost(draft, fates)
