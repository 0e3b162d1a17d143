"""From a trigger to what the rule document demands: the row is chosen by the rulebook, carried out here word by word.

Every action of the vocabulary has one meaning, for every document. Which actions follow is never decided here.
"""

from controller.games.fates import OF_WAGER_AT_SEAT, VOIDS_ALL, holds_round, of_declaration, wager_fates
from controller.games.model import Phase
from controller.rules.model import Demand
from controller.rules.named_wagers import placed
from controller.rules.vocabulary import Action, Guard, Role, Trigger
from controller.table.fold.ruling import Draft
from controller.table.irregularities.collected_wagers import after_void, ask_of_lost
from controller.table.irregularities.duties import nothing_left, superseded
from controller.table.irregularities.revoked_answers import given_up_short, one_hand
from controller.table.irregularities.settled_wagers import after_settled, ask_of_paid, on_record, settled_before
from controller.table.irregularities.spared_wagers import close_if_none_spared, void_round
from controller.table.irregularities.wager_facts import hold_wagers, least_role, lying, open_return_duty, record
from controller.table.questions.deal_plan import community_lies_open, hands_dealt, in_stacks
from controller.table.questions.stub_count_and_turns import reshuffling_shoe, shuffler_counted
from controller.table.state.table import AFTER_ROUND, Fate, Seat
from controller.table.words import facts as f
from controller.table.words.acts import Resolution
from drivers.events import Capability, DeviceKind

DUTIES_ON_SET = (
    Action.RESHUFFLE,
    Action.RESHUFFLE_WITH_DEALT,
    Action.RESHUFFLE_IDLE_SET,
    Action.RESHUFFLE_AFTER_ROUND,
    Action.SWAP_SET_AFTER_ROUND,
    Action.REMOVE_SET,
    Action.CHANGE_SET,
)
OF_A_SEAT = (
    Trigger.WRONG_COUNT_PLAYER, Trigger.PLAYER_CARD_EXPOSED, Trigger.PLAYER_LEFT, Trigger.FALSE_DECLARATION,
    Trigger.HAND_DECLARED_VOID, Trigger.DISCARD_COUNT_WRONG, Trigger.HAND_TOUCHED, Trigger.HAND_HIDDEN,
    Trigger.CUTTING_CARD_REACHED, Trigger.PROGRESSIVE_LATE, Trigger.WAGER_LATE, Trigger.UNFIT_CARD,
    Trigger.CARD_DRAWN_EXPOSED, Trigger.DEAL_OUT_OF_ORDER,
)  # fmt: skip
"""What happens at one seat, where it is known: a hold for it names the seat."""
DUTIES_ON_DEVICE = (Action.CLEAR_DEVICE, Action.REMOVE_DEVICE, Action.COVER_OR_SIGN_DEVICE)
LEAVES_PLAY = (
    *DUTIES_ON_SET, *DUTIES_ON_DEVICE, Action.RECORD_ONLY, Action.PLAY_ON, Action.BY_APPROVED_PROCEDURES,
)  # fmt: skip
"""Demands under which bets that are still open stay so: no chip on a sensor becomes a wager before the announcement."""
DUTIES_ON_TABLE = (
    Action.DEAL_COMMUNITY,
    Action.SETTLE,
    Action.CARD_TO_RACK,
    Action.USE_AS_NEXT,
    Action.COMPLETE_DEALER_HAND,
    Action.COUNT_STUB,
    Action.COLLECT,
    Action.COLLECT_SEAT_WAGERS,
    Action.TAKE_BACK_PAID,
    Action.TURN_FACE_DOWN,
    Action.DISCARD_EXCESS,
    Action.MOVE_MARKER,
    Action.FOLLOW_HOUSE_PROCEDURE,
    Action.ASK_VOID_OR_COMPLETE,
    Action.CALL_FLOORPERSON,
)

HOLDS_WAGERS = (Action.HOLD_ALL_WAGERS, Action.HOLD_OTHERS, Action.HOLD_SEAT_WAGERS, Action.HOLD_LATE_WAGER)


def guards_now(draft: Draft) -> set[str]:
    """The conditions that follow from the state alone; the caller adds those that only the event knows."""
    round_ = draft.state.round
    shuffler = draft.state.device_of(DeviceKind.SHUFFLER)
    found: set[str] = set()
    if shuffler_counted(draft.state):
        found.add(Guard.SHUFFLER_COUNTS)
    if reshuffling_shoe(draft.state) or (shuffler and Capability.RESHUFFLES in shuffler[1].capabilities):
        found.add(Guard.RESHUFFLING_DEVICE)
    if sum(card_set.present for card_set in draft.state.sets.values()) > 1:
        found.add(Guard.TWO_SETS)
    if round_ is None:
        return found
    if round_.unsettled:
        found.add(Guard.ROUND_LIVE)
    if in_stacks(draft.setup, round_):
        found.add(Guard.IN_STACK)
    if round_.face_up_early:
        found.add(Guard.EARLY_CARD)
    if hands_dealt(draft.setup, round_):
        found.add(Guard.INITIAL_DEAL_DONE)
        if community_lies_open(round_):
            found.add(Guard.DEAL_OVER)
    if round_.initial_deal_done and all(s.decided or not round_.plays(n) for n, s in round_.in_play.items()):
        found.add(Guard.ALL_PLAYERS_ACTED)
    lies = {name for _, name, _ in round_.wagers(Fate.LIVE, Fate.STANDS, Fate.TO_SETTLE)}
    return found | {placed(wager) for wager in draft.setup.law.rulebook.asks_placed if wager in lies}


def dispose(
    draft: Draft, trigger: Trigger, *guards: Guard, device: str = "", back: str = "", seat: int = 0, cards: int = 0
) -> None:
    """Records what the document demands for this trigger in this state, and opens the duties that follow.

    `device`, `back`, `seat`: what the trigger concerns; "" or 0 = the table as a whole. `cards`: found, of cards face up.
    """
    law = draft.setup.law
    holding = guards_now(draft) | set(guards)
    row, demands = law.demands(trigger, frozenset(holding), draft.state.method)
    round_ = draft.state.round
    play_is_touched = any(d.action not in LEAVES_PLAY for d in demands)
    if round_ is not None and round_.phase is Phase.BETTING and play_is_touched:
        accept_progressive(draft)
    draft.add(
        f.DispositionMade(
            trigger=trigger, guards=tuple(sorted(holding)), round=round_.id if round_ else "", seat=seat,
            demands=demands, cite=row.cite, silent=row.silent, rulebook=law.rulebook.id,
            edition=law.rulebook.edition, sha256=law.rulebook.sha256, says=row.says, cards=cards,
        )
    )  # fmt: skip
    superseded(draft, trigger, seat, demands)
    made, fates = (
        len(draft.facts),
        wager_fates(law, demands, lying(draft, seat if of_declaration(demands) else 0), seat),
    )
    reached = settled_before(draft, demands, fates)
    for demand in demands:
        _void(draft, demand, seat)
        if demand.action in LATE_FATES:
            decide_late_wager(draft, demand, seat)
    record(draft, fates)
    where = f"seat {seat}: " if seat and trigger in OF_A_SEAT else ""
    reason = where + (row.says or trigger.value)
    _hold_round(draft, demands, reason, made, row.trigger)  # after the wagers, before what was paid
    if round_ is not None and round_.wagers(Fate.TO_SETTLE):
        close_if_none_spared(draft)
    for lost in after_void(draft, fates):
        open_duty(draft, lost.by, seat=lost.seat)
    for seat_of_it, demand in after_settled(draft, reached, where + row.says, row.cite):
        open_duty(draft, demand, seat=seat_of_it)
    ask_of_paid(draft, demands, seat, fates)
    ask_of_lost(draft, fates)
    if any(d.action is Action.DISCARD_EXCESS for d in demands) and seat:
        one_hand(draft, seat, row.cite)
    if any(d.action is Action.ASK_VOID_OR_COMPLETE for d in demands) and seat:
        given_up_short(draft, seat)
    if not demands:
        draft.hold(f"{where}{row.says or trigger} No reading was elected for this; decide", code=row.trigger.value)
    held = _held_since(draft, made)
    for demand in demands:
        if demand.action is Action.CALL_FLOORPERSON and (held or _is_idle(draft, demand, demands, seat)):
            continue  # no hold is lifted without the floor
        if demand.action is Action.COLLECT_SEAT_WAGERS and not _lost_since(draft, made):  # what is paid stays so
            continue
        open_duty(draft, demand, device=device, back=back, seat=seat)
    if draft.state.round is not None and not draft.state.round.live:
        draft.make_safe(f"{trigger.value}: play of the round has stopped")


def _is_idle(draft: Draft, call: Demand, demands: tuple[Demand, ...], seat: int) -> bool:
    """Whether a floorperson would be called for wagers to hold, and none of them lies there or is settled already.

    The caller has seen that the row holds none.
    """
    round_ = draft.state.round
    if round_ is not None and any(not seat or number == seat for number, _, _ in round_.wagers(Fate.SETTLED)):
        return False
    return any(d.action in HOLDS_WAGERS and (d.cite, d.reading) == (call.cite, call.reading) for d in demands)


def _held_since(draft: Draft, made: int) -> bool:
    return any(isinstance(fact.event, f.HoldPlaced) for fact in draft.facts[made:])


def _lost_since(draft: Draft, made: int) -> bool:
    """Whether a wager that lay there is lost by this row."""
    events = (fact.event for fact in draft.facts[made:])
    return any(isinstance(event, f.WagerDecided) and event.fate == Fate.LOST for event in events)


def _hold_round(draft: Draft, demands: tuple[Demand, ...], reason: str, made: int, trigger: Trigger) -> None:
    """Not asked for where the row holds a wager by the same clause or reading: one answer is enough."""
    hold = holds_round(demands)
    placed = (fact.event for fact in draft.facts[made:])
    asked = {(event.cite, event.reading) for event in placed if isinstance(event, f.HoldPlaced)}
    if hold is not None and (hold.cite, hold.reading) not in asked:
        least = least_role(draft, Action.HOLD_ROUND, Role.FLOORPERSON)
        draft.hold(reason, cite=hold.cite, reading=hold.reading, least_role=least, code=trigger.value)


def _void(draft: Draft, demand: Demand, seat: int) -> None:
    round_ = draft.state.round
    if round_ is None or round_.void or round_.phase is Phase.SETTLED:
        return
    if demand.action in VOIDS_ALL:
        void_round(draft, demand.cite, demand.reading)
    elif demand.action is Action.VOID_HAND and seat in round_.seats:
        draft.add(f.HandVoided(round_.id, seat, demand.cite, demand.reading))


LATE_CHIP = "late_progressive"
"""Name of a chip that came too late onto a seat whose progressive wager was accepted in time."""
LATE_FATES = {
    Action.RETURN_LATE_WAGER: Fate.RETURNED,
    Action.HOLD_LATE_WAGER: Fate.HELD,
}


_NO_SEAT = Seat()


OF_LATE_WAGER = (Resolution.RETURN_WAGER,)  # no document lets a wager stand that came after the announcement


def decide_late_wager(draft: Draft, demand: Demand, seat: int) -> None:
    """The fate of a progressive chip that came too late; it never was an accepted wager, so it is placed here.

    A chip beside one that was accepted in time has a fate of its own.
    """
    round_ = draft.state.round
    if round_ is None or seat < 1:
        return
    in_time = round_.seats.get(seat, _NO_SEAT).wagers.get("progressive")
    wager = "progressive" if in_time is None or in_time.fate in (Fate.RETURNED, Fate.HELD) else LATE_CHIP
    fate = LATE_FATES[demand.action]
    draft.decide_wager(seat, wager, draft.setup.progressive_cents, fate, demand.cite, demand.reading)
    if fate is Fate.RETURNED:
        open_return_duty(draft, demand)
    elif fate is Fate.HELD:
        hold_wagers(draft, [(seat, wager)], demand, OF_LATE_WAGER)


def accept_progressive(draft: Draft) -> None:
    """Turns the chips that the device accepted before the lock into wagers of their seats."""
    round_ = draft.state.round
    device = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if round_ is None or device is None:
        return
    for seat in sorted({seat for seat, _ in round_.accepted if 1 <= seat <= draft.setup.seats}):
        placed = round_.seats.get(seat, _NO_SEAT).wagers.get("progressive")
        if placed is None or placed.fate is Fate.RETURNED:  # a chip that went back may come again in time
            cents = draft.setup.progressive_cents
            draft.add(f.WagerPlaced(seat, "progressive", cents, draft.setup.currency, device[0]))


def open_duty(draft: Draft, demand: Demand, *, device: str = "", back: str = "", seat: int = 0) -> None:
    """Opens the duty that a demand makes, unless it is done already or somebody else carries the demand out."""
    action = demand.action
    if action in DUTIES_ON_SET:
        if not _after_this_round(draft, action, back):
            _disarm(draft, action, back)
    elif action not in DUTIES_ON_DEVICE and action not in DUTIES_ON_TABLE:
        return
    if action in OF_WAGER_AT_SEAT and on_record(draft, seat, demand.wager):
        return
    device = device if action in DUTIES_ON_DEVICE else ""
    back = back if action in DUTIES_ON_SET else ""
    seat = seat if action in DUTIES_ON_TABLE else 0
    open_already = {(d.word, d.device, d.back, d.seat) for d in draft.state.duties.values()}
    if (demand.word, device, back, seat) in open_already:
        return
    least = least_role(draft, demand.word, Role.FLOORPERSON if action in ASKS_FLOOR else Role.DEALER)
    duty = f.DutyOpened(
        draft.next_id("D"), action, least, device, back, seat, demand.cite, demand.reading, demand.wager
    )
    if not nothing_left(draft.state, duty):
        draft.add(duty)


def _after_this_round(draft: Draft, action: Action, back: str) -> bool:
    """What waits for the end of the round leaves its set as it is until then: the round is dealt and played out from it."""
    return action in AFTER_ROUND and draft.state.round is not None and draft.state.round.back == back


ASKS_FLOOR = (
    Action.CALL_FLOORPERSON,
    Action.TAKE_BACK_PAID,
    Action.REMOVE_SET,
    Action.REMOVE_DEVICE,
    Action.COVER_OR_SIGN_DEVICE,
)


def _disarm(draft: Draft, action: Action, back: str) -> None:
    card_set = draft.state.sets.get(back)
    if card_set is not None and card_set.cycle_complete:
        draft.add(f.SetDisarmed(back, action.value))
