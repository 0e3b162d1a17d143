"""From a trigger to what the rule document demands: the row is chosen by the rulebook, carried out here word by word.

Every action of the vocabulary has one meaning, for every document. Which actions follow is never decided here.
"""

from collections.abc import Callable

from controller.games.model import Phase
from controller.games.settling.voids import VOIDS_ALL
from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Guard, Role, Trigger
from controller.table import facts as f
from controller.table.acts import Resolution
from controller.table.answered import OF_WAGER, one_hand
from controller.table.collected import after_void, ask_of_lost, lost_before, reached_by
from controller.table.deal_plan import community_lies_open, hands_dealt
from controller.table.done import nothing_left, superseded
from controller.table.draft import Draft
from controller.table.law import reshuffling_shoe, shuffler_counted
from controller.table.paid_before import ante_paid, ask_if_settled, ask_of_paid, of_declaration, settled_before
from controller.table.spared import close_if_none_spared, void_round
from controller.table.state import AFTER_ROUND, ALL_HELD, Fate, Seat
from drivers.events import Capability, DeviceKind

RETURNS = {
    Action.RETURN_ANTE: "ante",
    Action.RETURN_BLIND: "blind",
    Action.RETURN_PLAY: "play",
    Action.RETURN_TRIPS: "trips",
}
OF_TRIPS = {
    Action.SETTLE_TRIPS: Fate.TO_SETTLE,
    Action.RETURN_TRIPS: Fate.RETURNED,
    Action.HOLD_TRIPS: Fate.HELD,
}
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
    Trigger.CUTTING_CARD_REACHED, Trigger.PROGRESSIVE_LATE,
)  # fmt: skip
"""What happens at one seat, where it is known: a hold for it names the seat."""
DUTIES_ON_DEVICE = (Action.CLEAR_DEVICE, Action.REMOVE_DEVICE, Action.COVER_OR_SIGN_DEVICE)
DUTIES_ON_TABLE = (
    Action.DEAL_COMMUNITY,
    Action.SETTLE_TRIPS,
    Action.CARD_TO_RACK,
    Action.USE_AS_NEXT,
    Action.COMPLETE_DEALER_HAND,
    Action.COUNT_STUB,
    Action.COLLECT_ANTE,
    Action.COLLECT_SEAT_WAGERS,
    Action.TURN_FACE_DOWN,
    Action.DISCARD_EXCESS,
    Action.MOVE_MARKER,
    Action.FOLLOW_HOUSE_PROCEDURE,
    Action.ASK_VOID_OR_COMPLETE,
    Action.CALL_FLOORPERSON,
)


def guards_now(draft: Draft) -> set[Guard]:
    """The guards that follow from the state alone; the caller adds those that only the event knows."""
    round_ = draft.state.round
    shuffler = draft.state.device_of(DeviceKind.SHUFFLER)
    found: set[Guard] = set()
    if shuffler_counted(draft.state):
        found.add(Guard.SHUFFLER_COUNTS)
    if reshuffling_shoe(draft.state) or (shuffler and Capability.RESHUFFLES in shuffler[1].capabilities):
        found.add(Guard.RESHUFFLING_DEVICE)
    if sum(card_set.present for card_set in draft.state.sets.values()) > 1:
        found.add(Guard.TWO_SETS)
    if round_ is None:
        return found
    if round_.live:
        found.add(Guard.ROUND_LIVE)
    if hands_dealt(draft.setup, round_):
        found.add(Guard.INITIAL_DEAL_DONE)
        if community_lies_open(round_):
            found.add(Guard.DEAL_OVER)
    if round_.initial_deal_done and all(s.decided or not round_.plays(n) for n, s in round_.in_play.items()):
        found.add(Guard.ALL_PLAYERS_ACTED)
    if any(name == "trips" for _, name, _ in round_.wagers(Fate.LIVE, Fate.STANDS, Fate.TO_SETTLE)):
        found.add(Guard.TRIPS_PLACED)
    return found


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
    play_is_touched = any(d.action not in (*DUTIES_ON_SET, Action.RECORD_ONLY) for d in demands)
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
    made, paid, reached = len(draft.facts), settled_before(draft, demands, seat), reached_by(round_, demands, seat)
    lost = lost_before(round_, reached)
    for demand in demands:
        _void(draft, demand, seat)
    _decide_wagers(draft, demands, seat)
    where = f"seat {seat}: " if seat and trigger in OF_A_SEAT else ""
    if not _held_since(draft, made):  # by a wager of this row; what else is asked is no answer to it
        _hold_round(draft, demands, where + (row.says or trigger.value))
    if round_ is not None and round_.wagers(Fate.TO_SETTLE):
        close_if_none_spared(draft)
    if reached is not None and (back_again := after_void(draft, reached)) is not None:
        open_return_duty(draft, back_again)
    ask_if_settled(draft, demands, row, where, paid)
    ask_of_paid(draft, demands, seat, SEAT_FATES)
    ask_of_lost(draft, lost)
    if any(d.action is Action.DISCARD_EXCESS for d in demands) and seat:
        one_hand(draft, seat, row.cite)
    if not demands:
        draft.hold(f"{where}{row.says or trigger.value} No reading was elected for this; decide")
    held = _held_since(draft, made)
    for demand in demands:
        if demand.action is Action.CALL_FLOORPERSON and held:  # no hold is lifted without the floor
            continue
        if demand.action is Action.COLLECT_SEAT_WAGERS and not _lost_since(
            draft, made
        ):  # what is paid or gone stays so
            continue
        open_duty(draft, demand, device=device, back=back, seat=seat)
    if draft.state.round is not None and not draft.state.round.live:
        draft.make_safe(f"{trigger.value}: play of the round has stopped")


def _held_since(draft: Draft, made: int) -> bool:
    return any(isinstance(fact.event, f.HoldPlaced) for fact in draft.facts[made:])


def _lost_since(draft: Draft, made: int) -> bool:
    """Whether a wager that lay there is lost by this row."""
    events = (fact.event for fact in draft.facts[made:])
    return any(isinstance(event, f.WagerDecided) and event.fate == Fate.LOST for event in events)


def _hold_round(draft: Draft, demands: tuple[Demand, ...], reason: str) -> None:
    """Not asked for where the row holds a wager: that stops play already."""
    hold = next((d for d in demands if d.action is Action.HOLD_ROUND), None)
    if hold is not None:
        least = _least_role(draft, Action.HOLD_ROUND, Role.FLOORPERSON)
        draft.hold(reason, cite=hold.cite, reading=hold.reading, least_role=least)


def _void(draft: Draft, demand: Demand, seat: int) -> None:
    round_ = draft.state.round
    if round_ is None or round_.void or round_.phase is Phase.SETTLED:
        return
    if demand.action in VOIDS_ALL:
        void_round(draft, demand.cite, demand.reading)
    elif demand.action is Action.VOID_HAND and seat in round_.seats:
        draft.add(f.HandVoided(round_.id, seat, demand.cite, demand.reading))


def _decide_wagers(draft: Draft, demands: tuple[Demand, ...], seat: int) -> None:
    """Gives each wager its fate: named ones first, then "all" and "others", and at last what the text leaves open."""
    named = [d for d in demands if d.action in RETURNS or d.action in OF_TRIPS]
    late = [d for d in demands if d.action in LATE_FATES]
    of_seat = [d for d in demands if d.action in SEAT_FATES]
    round_held = any(d.action is Action.HOLD_ROUND for d in demands)  # then its one hold keeps all wagers
    rest = [d for d in demands if d.action in REST_FATES and not (round_held and d.action in HOLDS_ALL)]
    for demand in named:
        wager = RETURNS.get(demand.action, "trips")
        _fate(draft, demand, OF_TRIPS.get(demand.action, Fate.RETURNED), _named(wager))
    for demand in late:
        decide_late_wager(draft, demand, seat)
    live = draft.state.round is not None and draft.state.round.live
    declared = (Fate.SETTLED,) if live and of_declaration(demands) else ()
    names_trips = any(d.action in OF_TRIPS for d in demands)
    spared = (
        () if names_trips else (Fate.TO_SETTLE,)
    )  # by an earlier row; this one says "all", or voids without a word
    for demand in [d for d in demands if d.action is Action.COLLECT_ANTE]:
        _fate(draft, demand, Fate.LOST, lambda at, wager: (at, wager) == (seat, "ante"), *declared)
    for demand in of_seat:
        lost = demand.action is Action.COLLECT_SEAT_WAGERS
        also = declared if lost else (*declared, *spared)
        _fate(draft, demand, SEAT_FATES[demand.action], lambda at, _: at == seat, *also)
    for demand in rest:
        _fate(draft, demand, REST_FATES[demand.action], _any, *spared)
    if any(d.action in VOIDS_ALL for d in demands):
        # The text voids the hands and says nothing of these wagers, and no reading was elected: hold and ask.
        _fate(draft, Demand(Action.HOLD_OTHERS), Fate.HELD, _any, *spared)


REST_FATES = {
    Action.RETURN_ALL_WAGERS: Fate.RETURNED,
    Action.RETURN_OTHERS: Fate.RETURNED,
    Action.HOLD_ALL_WAGERS: Fate.HELD,
    Action.HOLD_OTHERS: Fate.HELD,
}
SEAT_FATES = {
    Action.RETURN_SEAT_WAGERS: Fate.RETURNED,
    Action.HOLD_SEAT_WAGERS: Fate.HELD,
    Action.COLLECT_SEAT_WAGERS: Fate.LOST,
}
HOLDS_ALL = (Action.HOLD_ALL_WAGERS, Action.HOLD_OTHERS)
LATE_CHIP = "late_progressive"
"""Name of a chip that came too late onto a seat whose progressive wager was accepted in time."""
LATE_FATES = {
    Action.RETURN_LATE_WAGER: Fate.RETURNED,
    Action.HOLD_LATE_WAGER: Fate.HELD,
}


_NO_SEAT = Seat()


_Concerns = Callable[[int, str], bool]
"""Whether a wager, by seat and name, is one that a demand speaks of."""


def _any(seat: int, wager: str) -> bool:
    return True


def _named(name: str) -> _Concerns:
    return lambda _, wager: wager == name


def _fate(draft: Draft, demand: Demand, fate: Fate, concerns: _Concerns, *also: Fate) -> None:
    """`also`: fates that this demand may change, beside those of wagers that nobody has decided. What is on record as paid or
    collected stays so."""
    round_ = draft.state.round
    if round_ is None:
        return
    undecided = round_.wagers(Fate.LIVE, Fate.STANDS, *also)
    decided = [(s, w) for s, w, lies in undecided if concerns(s, w) and lies.outcome is None]
    for seat, wager in decided:
        draft.decide_wager(seat, wager, round_.seats[seat].wagers[wager].cents, fate, demand.cite, demand.reading)
    if decided and fate is Fate.RETURNED:
        open_return_duty(draft, demand)
    if decided and fate is Fate.HELD:
        _hold_wagers(draft, decided, demand)


HANDS_FIRST = ", and then the missing cards and the community are dealt first"
"""What follows where a Trips stands of which the hand is not dealt yet."""
OF_LATE_WAGER = (Resolution.RETURN_WAGER,)  # no document lets a wager stand that came after the announcement


def _hold_wagers(
    draft: Draft, held: list[tuple[int, str]], demand: Demand, choices: tuple[Resolution, ...] = OF_WAGER
) -> None:
    """One hold for all wagers of one demand: the floor decides once. It names the seat where they are those of one."""
    seat, wager = held[0]
    what = f"seat {seat}: the {wager} wager is"
    if len(held) > 1:
        seat, wager = (seat if len({at for at, _ in held}) == 1 else 0), ALL_HELD
        what = f"{f'seat {seat}: ' if seat else ''}{len(held)} wagers are"
    hands = HANDS_FIRST if demand.action is Action.HOLD_TRIPS else ""
    draft.hold(
        f"{what} held; decide: {' or '.join(choices)}{hands}", cite=demand.cite, reading=demand.reading, choices=choices,
        seat=seat, wager=wager, least_role=_least_role(draft, Action.HOLD_OTHERS, Role.FLOORPERSON),
    )  # fmt: skip


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
        _hold_wagers(draft, [(seat, wager)], demand, OF_LATE_WAGER)


def accept_progressive(draft: Draft) -> None:
    """Turns the chips that the device accepted before the lock into wagers of their seats."""
    round_ = draft.state.round
    device = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if round_ is None or device is None:
        return
    for seat in sorted({seat for seat, _ in round_.accepted}):
        placed = round_.seats.get(seat, _NO_SEAT).wagers.get("progressive")
        if placed is None or placed.fate is Fate.RETURNED:  # a chip that went back may come again in time
            cents = draft.setup.progressive_cents
            draft.add(f.WagerPlaced(seat, "progressive", cents, draft.setup.currency, device[0]))


def open_return_duty(draft: Draft, demand: Demand) -> None:
    """One duty for all chips that go back, however many wagers they are."""
    if any(d.action is Action.RETURN_ALL_WAGERS for d in draft.state.duties.values()):
        return
    draft.add(
        f.DutyOpened(
            draft.next_id("D"), Action.RETURN_ALL_WAGERS,
            _least_role(draft, Action.RETURN_ALL_WAGERS, Role.DEALER), cite=demand.cite, reading=demand.reading,
        )
    )  # fmt: skip


def open_duty(draft: Draft, demand: Demand, *, device: str = "", back: str = "", seat: int = 0) -> None:
    action = demand.action
    if action in DUTIES_ON_SET:
        if not _after_this_round(draft, action, back):
            _disarm(draft, action, back)
    elif action not in DUTIES_ON_DEVICE and action not in DUTIES_ON_TABLE:
        return
    if action is Action.COLLECT_ANTE and ante_paid(draft, seat):
        return
    if (
        action is Action.DEAL_COMMUNITY
        and draft.state.round is not None
        and community_lies_open(draft.state.round)
    ):
        return
    device = device if action in DUTIES_ON_DEVICE else ""
    back = back if action in DUTIES_ON_SET else ""
    seat = seat if action in DUTIES_ON_TABLE else 0
    open_already = {(d.action, d.device, d.back, d.seat) for d in draft.state.duties.values()}
    if (action, device, back, seat) in open_already:
        return
    least = _least_role(draft, action, Role.FLOORPERSON if action in ASKS_FLOOR else Role.DEALER)
    duty = f.DutyOpened(draft.next_id("D"), action, least, device, back, seat, demand.cite, demand.reading)
    if not nothing_left(draft.state, duty):
        draft.add(duty)


def _after_this_round(draft: Draft, action: Action, back: str) -> bool:
    """What waits for the end of the round leaves its set as it is until then: the round is dealt and played out from it."""
    return action in AFTER_ROUND and draft.state.round is not None and draft.state.round.back == back


ASKS_FLOOR = (Action.CALL_FLOORPERSON, Action.REMOVE_SET, Action.REMOVE_DEVICE, Action.COVER_OR_SIGN_DEVICE)


def _disarm(draft: Draft, action: Action, back: str) -> None:
    card_set = draft.state.sets.get(back)
    if card_set is not None and card_set.cycle_complete:
        draft.add(f.SetDisarmed(back, action.value))


def _least_role(draft: Draft, action: Action, otherwise: Role) -> Role:
    cited = draft.setup.law.rulebook.duty_roles.get(action)
    return cited.value if cited else otherwise
