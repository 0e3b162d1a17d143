"""Finds what comes next: one act that would be accepted now, and the sentence that asks for it.

Candidates are tried in the order of work; the first that `verify` accepts is named. If no act is possible, the
sentence says what play waits for.
"""

from collections.abc import Iterator

from controller.games import model as game
from controller.games.model import Phase, Street
from controller.games.settling.round import UNREAD
from controller.rules.explain.words import spoken_wager
from controller.rules.model import Question
from controller.rules.parts import WagerRule
from controller.rules.vocabulary import Action, Area, Moment, Role, Settle, Step, Trigger
from controller.table.acts.betting import fits
from controller.table.acts.permissions import least_role_to, verify
from controller.table.card_sets.cuts import offered_to
from controller.table.card_sets.preparation import spoken
from controller.table.questions import burns, stub
from controller.table.questions.counting_shoe import cutting_card_untold
from controller.table.questions.deal_plan import community_left, deal_plan, still_in_device
from controller.table.questions.positions import folded_unread
from controller.table.questions.stub_count_and_turns import (
    asking_order,
    full_set,
    not_its_turn,
    stub_count_overdue,
)
from controller.table.settlement.settle import next_to_settle
from controller.table.state.table import DISPENSERS, Duty, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.text.instructions import instruction
from drivers.events import ALLOWED, DeviceKind, Level
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class Next:
    """The next act. `act`, `role`: the act and the least role that may do it; None if play waits for something
    else."""

    says: str
    act: a.Act | None = None
    role: Role | None = None


def to_elect(setup: Setup, state: State) -> tuple[Question, ...]:
    """Returns the questions without whose election this closed table may not open."""
    return () if state.open or state.round else setup.law.unelected(setup.offered)


Candidates = Iterator[tuple[str, a.Act]]


def next_act(setup: Setup, state: State) -> Next:
    """Returns the first candidate that would be accepted; otherwise what play waits for."""
    if (missing := to_elect(setup, state)) and not (state.holds or state.duties):
        ids = ", ".join(question.id for question in missing)
        return Next(f"This table may not open: elect {ids} in [elections] of its configuration, then restart it.")
    for says, act in _candidates(setup, state):
        role = least_role_to(setup, state, act)
        if role is not None:
            return Next(f"{says.rstrip('.')} ({act.kind}).", act, role)
    return Next(_waits(setup, state))


def _candidates(setup: Setup, state: State) -> Candidates:
    if state.holds:
        yield from _held(state)
    elif state.round is None:
        yield from _between_rounds(setup, state)
    else:
        yield from _in_round(setup, state, state.round)


def _held(state: State) -> Candidates:
    for hold in state.holds.values():
        answer = f"A {hold.least_role} resolves hold {hold.id}: {' or '.join(hold.choices)}"
        for choice in hold.choices:
            yield f"HELD: {hold.reason.rstrip('.')}. {answer}", a.ResolveHold(hold.id, choice)


def _between_rounds(setup: Setup, state: State) -> Candidates:
    yield from _duties(state, list(state.duties.values()))
    yield "Open the table", a.OpenTable()
    yield from _sets(setup, state, list(state.sets))
    present = [s for s in state.sets.values() if s.present and not_its_turn(setup, state, s.back) is None]
    for card_set in present:
        if stub_count_overdue(setup, state, card_set.back):
            yield (
                f"Count all cards of the {card_set.back} set",
                a.RecordStubCount(full_set(setup), back=card_set.back),
            )
    for card_set in sorted(present, key=lambda s: (not s.armed, s.by_hand)):
        yield f"Open the betting of the next round with the {card_set.back} set", a.BeginRound(card_set.back)
    for card_set in state.sets.values():
        if not card_set.present:
            yield f"Bring the {card_set.back} set", a.BringSet(card_set.back)
    for card_set in present[1:]:
        yield f"Take the {card_set.back} set away", a.TakeSetAway(card_set.back)


def _duties(state: State, duties: list[Duty]) -> Candidates:
    uncleared = any(duty.action is Action.CLEAR_DEVICE for duty in state.duties.values())
    for duty in duties:
        if uncleared and duty.action in (Action.RESHUFFLE, Action.RESHUFFLE_WITH_DEALT):
            continue  # cards of the set may still lie in the device
        yield f"{instruction(state, duty)} Then confirm duty {duty.id}", a.ConfirmDuty(duty.id)


STEPS = {
    Step.INSPECT: "Inspect the {} set",
    Step.VERIFY_INSPECTION: "Verify the inspection of the {} set",
    Step.EMPTY_SHOE_AND_RACK: "Empty the shoe and the discard rack; put all cards to the {} set",
    Step.SPREAD: "Spread the {} set",
    Step.SPREAD_FACE_UP: "Spread the {} set face up",
    Step.SPREAD_FACE_DOWN: "Spread the {} set face down",
    Step.TURN_FACE_UP: "Turn the {} set face up",
    Step.PLAYER_INSPECTS: "Look at the cards of the {} set",
    Step.TURN_FACE_DOWN: "Turn the {} set face down",
    Step.WASH: "Wash the {} set",
    Step.STACK: "Stack the {} set",
    Step.SHUFFLE: "Shuffle the {} set",
    Step.CUT: "Cut the {} set",
    Step.INTO_SHUFFLER: "Put the {} set into the shuffler",
    Step.TAKE_STORED_SET: "The {} set is in the shuffler; look that the other one was kept securely and is ready, and take it",
}


def _sets(setup: Setup, state: State, backs: list[str]) -> Candidates:
    """Yields acts on sets: preparation steps, the cut, the cutting card."""
    for back in backs:
        card_set = state.sets[back]
        if (step := card_set.waits) is not None and card_set.present:
            other = f" other than {card_set.stepped_by}" if step.step is Step.VERIFY_INSPECTION else ""
            what = STEPS[step.step].format(back)
            looks = True if step.step is Step.TAKE_STORED_SET else None
            act = a.ConfirmStep(back, step.step, secured=looks, prepared=looks)
            yield f"{what}, by a {step.by}{other} [{', '.join(step.cite)}]", act
    for back in backs:
        if state.sets[back].present and state.sets[back].cut_due:
            yield from _cut(setup, state, back)
        if state.sets[back].present and state.sets[back].mark_due:
            yield f"Put the cutting card into the {back} set", a.PlaceCuttingCard(back)


def _cut(setup: Setup, state: State, back: str) -> Candidates:
    """Yields the cut by the dealer or by the player who is offered it first."""
    order = offered_to(setup, state)
    yield f"Cut the {back} set", a.RecordCut(back)
    for seat in order or range(1, setup.seats + 1):
        yield f"Offer the cut of the {back} set to seat {seat}", a.RecordCut(back, seat)


def _in_round(setup: Setup, state: State, round_: Round) -> Candidates:
    match round_.phase:
        case Phase.BETTING:
            yield from _betting(setup, state, round_)
        case Phase.BETS_CLOSED | Phase.DEALING:
            yield from _dealing(setup, state, round_)
        case Phase.SETTLED | Phase.STOPPED:
            yield from _ending(setup, state, round_)
        case _:
            yield from _playing(setup, state, round_)


def _betting(setup: Setup, state: State, round_: Round) -> Candidates:
    yield "Take the wagers, then announce no more bets", a.AnnounceNoMoreBets()
    must = [r for r in setup.law.rulebook.wagers.values() if r.placed == "before_deal" and not r.optional]
    must = sorted((r for r in must if not r.sensed), key=lambda rule: rule.of is not None)
    for number, seat in sorted(round_.seats.items()):
        for rule in must:
            placed, of = seat.wagers.get(rule.name), seat.wagers.get(rule.of or "")
            name = spoken_wager(rule.name)
            if placed is None:
                yield f"Place the {name} of seat {number}", _wager(setup, rule, number, of.cents if of else 0)
            elif of is not None and not fits(rule, placed.cents, of.cents):
                of_name = spoken_wager(rule.of or "")
                says = f"Take back the {name} of seat {number}: it does not fit the {of_name}"
                yield says, a.WithdrawWager(number, rule.name)
        for name in seat.wagers:
            needs = setup.law.rulebook.wagers[name].requires.value if name in setup.law.rulebook.wagers else ()
            if any(needed not in seat.wagers for needed in needs):
                says = f"Take back the {spoken_wager(name)} of seat {number}: the wager that it needs is missing"
                yield says, a.WithdrawWager(number, name)
    if not round_.in_play:
        for number in range(1, setup.seats + 1):
            for rule in must:
                yield "Take the wagers of the players", _wager(setup, rule, number, 0)
    for number, seat in sorted(round_.seats.items()):
        for name in seat.wagers:
            says = f"Take back the {spoken_wager(name)} of seat {number}: its player has too many positions, or they lie apart"
            yield says, a.WithdrawWager(number, name)
    yield "End the round, in which nobody has placed a wager", a.EndRound()


def _wager(setup: Setup, rule: WagerRule, seat: int, of_cents: int) -> a.PlaceWager:
    """Yields a wager of the least amount that the table takes, or that its base wager asks for."""
    least, _ = setup.limits.get(rule.name, (500, 0))
    exact = rule.exact_cents.value if rule.exact_cents else 0
    times = rule.multiples(Moment.BEFORE_DEAL)
    cents = of_cents * times[0] if rule.of and times else least
    return a.PlaceWager(seat, rule.name, exact or cents)


def _dealing(setup: Setup, state: State, round_: Round) -> Candidates:
    """Yields acts from "no more bets" to the last card of the first deal."""
    back, dispenser, law = round_.back, state.dispenser(), setup.law.rulebook
    yield from _duties(state, _of_round(state, round_))
    if round_.phase is Phase.BETS_CLOSED:
        yield from _sets(setup, state, [back])
        if round_.unbidden:
            yield "Cards came out that nobody dispensed: collect them", a.CollectCards()
        if not (state.sets[back].armed or round_.vouched):
            yield f"Shuffle the {back} set; no card goes out before", a.RecordShuffle(back)
            if not state.sets[back].present:
                yield f"Bring a new {back} set", a.BringSet(back)
    if (because := burns.due(setup, state)) is not None:
        yield f"Burn a card unseen for the {spoken(because)}", a.BurnCard()
    counts = law.progressive is not None and law.progressive.verify_count.value
    if counts and round_.chips_accepted and not round_.progressive_counted:
        yield "Count the progressive chips", a.RecordProgressiveCount(round_.chips_accepted)
    if round_.phase is Phase.BETS_CLOSED:
        yield "Let the cards out", a.StartDealing()
        yield from _returned(setup, state)
        needs, shuffler = law.dealing[round_.method].needs_shuffler, setup.device_of(DeviceKind.SHUFFLER)
        if needs is not None and needs.value and state.sets[back].by_hand and shuffler:
            says = f"Shuffle the {back} set in {shuffler}; if {shuffler} cannot, report that it failed"
            yield says, a.ReportIrregularity(Trigger.SHUFFLER_JAM)
    elif _shut(state):
        yield "Dealing was interrupted; let the cards out again", a.StartDealing()
    elif not dispenser:
        yield "Deal the first cards, and say when each hand has them", a.RecordInitialDeal()


def _of_round(state: State, round_: Round) -> list[Duty]:
    """Yields duties before the next cards of this round: on its set, its dealing device, or the table."""
    return [
        duty
        for duty in state.duties.values()
        if duty.back in ("", round_.back)
        and duty.device in ("", state.dispenser())
        and not state.waits_for_end(duty)
    ]


def _playing(setup: Setup, state: State, round_: Round) -> Candidates:
    """Yields the acts of the game's stages, and the cards or settlement that end each."""
    stage = round_.game.stage(round_.phase)
    assert stage is not None
    if (burn := burns.due(setup, state)) is not None and not isinstance(stage.ends, game.Settle):
        yield f"Burn a card unseen for the {spoken(burn)}", a.BurnCard()
    yield from _duties(state, _of_round(state, round_))
    if cutting_card_untold(setup, state) is not None:
        for seat in round_.in_play:
            trigger = Trigger.CUTTING_CARD_REACHED
            yield "Say at whose hand the cutting card showed", a.ReportIrregularity(trigger, seat)
    yield from _answers(setup, round_, stage)
    unread = " ".join([UNREAD] * setup.law.rulebook.hand.player.value)
    for seat, _ in folded_unread(setup, round_):
        says = f"Record the folded cards of seat {seat}, then place them in the rack"
        yield says, a.RecordHand(Area.PLAYER, unread, seat)
    dispenser = _shut(state)
    if dispenser and (cards := community_left(setup, round_)) > 0:
        yield f"{stage.next} Let {cards} cards out of {dispenser} for it", a.StartDealing()
    if dispenser and still_in_device(setup, round_):
        yield f"Each has answered: let the dealer's stack out of {dispenser}", a.StartDealing()
    match stage.ends:
        case game.ShowCommunity(street=street):
            yield stage.next, a.RevealCommunity(street)
        case game.ShowDealer():
            yield stage.next, a.RevealDealer()
        case game.Settle():
            yield from _settling(setup, round_, stage)
    if dispenser:
        yield f"Let the cards out of {dispenser} again", a.StartDealing()
    yield from _returned(setup, state)


def _returned(setup: Setup, state: State) -> Candidates:
    """Yields the return of this round's dealing device into service, which must come before more cards."""
    kind = DISPENSERS.get(state.method)
    name = setup.device_of(kind) if kind else None
    if name and state.devices[name].out is not None:
        yield f"Return {name} to service: it deals this round", a.ReturnDevice(name)


def _shut(state: State) -> str | None:
    """Returns the dealing device while it may not dispense; None if hands deal, or it may."""
    name = state.dispenser()
    return name if name and state.devices[name].wanted.get(Level.DISPENSING) != ALLOWED else None


def _answers(setup: Setup, round_: Round, stage: game.Stage) -> Candidates:
    version = setup.law.rulebook.play.version
    answers = [x for x in stage.answers if x.version in (None, version.value if version else None)]
    names = " or ".join(spoken(answer.decision) for answer in answers)
    for seat in asking_order(setup, round_)[0]:
        for answer in answers:
            rule = setup.law.rulebook.wagers.get(answer.places or "")
            times = rule.multiples(stage.moment) if rule else ()
            what = f"Ask seat {seat}: {names}."
            yield f"{what} {stage.ask}".rstrip(), a.RecordDecision(seat, answer.decision, times[0] if times else 0)


_ORDER = {
    "by_step": "Take each step for all players, then the next step.",
    "by_player": "Take all steps for one player, then the next player.",
}


def _settling(setup: Setup, round_: Round, stage: game.Stage) -> Candidates:
    order, turn = setup.law.rulebook.settlement.get(Settle.ORDER), next_to_settle(setup, round_)
    how = _ORDER[order.value] if order else ""
    first = f"First seat {turn[0]}: {', '.join(map(spoken_wager, turn[1]))}." if turn else ""
    yield " ".join(filter(None, (stage.next, how, first))), a.SettleRound()
    for hands in range(len(round_.in_play) + 1, 0, -1):
        yield "Record how many hands the shuffler has found", a.RecordHandsFound(hands)
    yield COUNT_STUB, a.RecordStubCount(full_set(setup) - round_.cards_out)


STREETS = {
    Street.FLOP: "the flop",
    Street.LAST_TWO: "the last two community cards",
    Street.COMMUNITY: "the community cards",
}
COUNT_STUB = "Count the stub face down on the layout"
CHIPS_AND_CARDS = (Action.RETURN_ALL_WAGERS, Action.COLLECT, Action.COLLECT_SEAT_WAGERS)


def _ending(setup: Setup, state: State, round_: Round) -> Candidates:
    """Yields the acts that end a round: chips, cards, then devices and sets."""
    due = [duty for duty in state.duties.values() if not state.waits_for_end(duty)]
    of_table = [duty for duty in due if not duty.device and not duty.back]
    if (street := round_.game.streets[round_.streets : round_.streets + 1]) and any(
        duty.action is Action.DEAL_COMMUNITY for duty in of_table
    ):
        says = f"Deal {STREETS[street[0].street]}: the wagers that stand are settled by them"
        yield says, a.RevealCommunity(street[0].street)
    yield from _duties(state, of_table)
    if stub.due(setup, state) is not None:
        yield COUNT_STUB, a.RecordStubCount(full_set(setup) - round_.cards_out)
    if not round_.collected:
        yield "Collect the cards into the discard rack", a.CollectCards()
    yield from _duties(state, [duty for duty in due if duty.device or duty.back])
    yield "End the round", a.EndRound()


def _waits(setup: Setup, state: State) -> str:
    """Returns what play waits for, if no act can help."""
    if state.holds:
        hold = next(iter(state.holds.values()))
        return f"HELD: {hold.reason.rstrip('.')}. A {hold.least_role} resolves hold {hold.id}."
    if awaited := [n for n, d in state.devices.items() if d.awaited and d.kind is not DeviceKind.PROGRESSIVE]:
        return (
            f"Wait until {', '.join(awaited)} is heard again, or take it out of service ({a.TakeDeviceOut.kind})."
        )
    round_ = state.round
    if round_ is None and state.open and state.duties:
        return (
            f"{' '.join(instruction(state, duty) for duty in state.duties.values())} The next round waits for it."
        )
    if round_ is None:
        return _refused(setup, state, a.BeginRound(next(iter(state.sets))) if state.open else a.OpenTable())
    dispenser = state.dispenser() if not _shut(state) else None
    if round_.phase is Phase.DEALING and dispenser:
        out = f"{round_.stacks_out} of {len(deal_plan(setup, round_))} stacks are out"
        return f"Wait: {dispenser} deals the first cards ({out})."
    if dispenser and round_.live and (still_in_device(setup, round_) or community_left(setup, round_) > 0):
        return f"Wait: {dispenser} gives out the cards that are still in it."
    shuffler = state.device_of(DeviceKind.SHUFFLER)
    if round_.phase is Phase.BETS_CLOSED and not (state.sets[round_.back].armed or round_.vouched):
        if shuffler is None:
            return _refused(setup, state, a.RecordShuffle(round_.back))
        return f"Shuffle the {round_.back} set in {shuffler[0]}; no card goes out before."
    ends: dict[Phase, a.Act] = {
        Phase.BETTING: a.AnnounceNoMoreBets(), Phase.BETS_CLOSED: a.StartDealing(), Phase.DEALING: a.StartDealing(),
        Phase.SETTLED: a.EndRound(), Phase.STOPPED: a.EndRound(),
    }  # fmt: skip
    stage = round_.game.stage(round_.phase)
    match stage.ends if stage else None:
        case game.ShowCommunity(street=street):
            return _refused(setup, state, a.RevealCommunity(street))
        case game.ShowDealer():
            return _refused(setup, state, a.RevealDealer())
        case game.Settle():
            return _refused(setup, state, a.SettleRound())
    return _refused(setup, state, ends[round_.phase]) if round_.phase in ends else "Wait for the players' answers."


def _refused(setup: Setup, state: State, act: a.Act) -> str:
    """Returns why a supervisor may not do this now."""
    refusal = verify(setup, state, act, Actor("", Role.SUPERVISOR))
    reason = refusal.reason if refusal else "a device reports what comes next"
    return f"Wait: {reason}."
