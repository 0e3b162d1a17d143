"""Acts that let cards out of a set, and the count of what is left of it."""

from controller.games.model import Phase
from controller.rules.vocabulary import Action, Guard, Trigger
from controller.table.acts import betting, turns
from controller.table.card_sets import cuts, preparation
from controller.table.card_sets.preparation import spoken
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.irregularities.suspect_rounds import suspect
from controller.table.questions import burns, stub
from controller.table.questions.counting_shoe import compare_with_deal
from controller.table.questions.deal_plan import cards_gone, deal_plan, first_deal
from controller.table.questions.stub_count_and_turns import full_set, reshuffling_shoe
from controller.table.state.card_set import CardSet
from controller.table.state.table import DISPENSERS, Duty, Fate, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.events import ALLOWED, ENGAGED, Capability, DeviceKind, Level

FIRST_DEAL = (Phase.BETS_CLOSED, Phase.DEALING)


def verify_start_dealing(setup: Setup, state: State, act: a.StartDealing, actor: Actor) -> Refusal | None:
    """Why no card leaves the set now: the set, a wager, a duty, the lock-out or the dispenser is not ready."""
    round_ = state.playing
    return (
        _set_not_ready(setup, state, round_)
        or _no_card_left(setup, state, round_)
        or _duty_first(state, round_)
        or _chips_not_safe(setup, state, round_)
        or _dispenser_ready(setup, state)
    )


def start_dealing(draft: Draft, act: a.StartDealing, actor: Actor) -> None:
    """Lets the cards out: for the first time, again after a stop, or for what stayed in the device until now."""
    round_ = draft.state.playing
    late = round_.phase not in FIRST_DEAL
    resumed = round_.late_let_out if late else round_.phase is Phase.DEALING
    draft.add(f.DealingAllowed(actor.who, resumed, late))
    dispenser = draft.state.dispenser()
    if dispenser is not None:
        draft.want(dispenser, Level.DISPENSING, ALLOWED, f"{actor.who} lets the cards out")


def _set_not_ready(setup: Setup, state: State, round_: Round) -> Refusal | None:
    """Why this set is not dealt: it is not armed, a wager needs another shuffle, or a step comes before its first card."""
    law, card_set = setup.law.rulebook, state.sets[round_.back]
    if not card_set.armed and not round_.vouched:
        shuffle = f"shuffle it in the shuffler, or by hand ({a.RecordShuffle.kind})"
        laid = f"cards of it lie there, so it is not shuffled now; report why they are not dealt on ({a.ReportIrregularity.kind})"
        return Refusal(
            f"the {round_.back} set is not armed: {set_predicates(card_set)}; {laid if round_.on_layout else shuffle}",
            tuple(dict.fromkeys(clause for rule in law.shuffle.at.values() for clause in rule.cite)),
            code="set_not_armed",
        )
    for name in sorted({name for _, name, _ in round_.wagers(Fate.LIVE) if name in law.wagers}):
        if (wrong := betting.wrong_mode(state, law.wagers[name])) is not None:
            return wrong
    needs = law.dealing[round_.method].needs_shuffler
    if needs is not None and needs.value and card_set.by_hand:
        return Refusal(
            f"cards dealt by {round_.method} are shuffled by a shuffler, not by hand; {_to_shuffler(setup, state, round_.back)}",
            needs.cite,
            code="shuffled_by_hand",
        )
    is_first_card = round_.phase is Phase.BETS_CLOSED or not round_.on_layout
    return _before_first_card(setup, state, round_.back) if is_first_card else None


def _no_card_left(setup: Setup, state: State, round_: Round) -> Refusal | None:
    """Why the device dispenses no stack: all stacks are out, or the rest waits until the players have answered."""
    if round_.phase not in FIRST_DEAL:
        return turns.late_cards(setup, state, round_)
    if state.dispenser() and round_.stacks_out >= len(deal_plan(setup, round_)):
        return Refusal("all stacks are out", code="all_dealt")
    return None


def _duty_first(state: State, round_: Round) -> Refusal | None:
    concerned = _first_duty(state, round_)
    if concerned is None:
        return None
    return Refusal(
        f"first {concerned.id}: {concerned.action} ({concerned.device or concerned.back})",
        concerned.cite,
        code="duty_first",
    )


def _chips_not_safe(setup: Setup, state: State, round_: Round) -> Refusal | None:
    """No card before the lock-out is engaged and the chips that were accepted are counted. Clause: `[progressive]`."""
    law = setup.law.rulebook
    progressive = state.device_of(DeviceKind.PROGRESSIVE)
    if progressive and progressive[1].online and not progressive[1].knows(Level.LOCKOUT, ENGAGED):
        cite = law.cite_for(law.progressive.lock_at.cite if law.progressive else (), state.method)
        return Refusal(f"{progressive[0]} has not confirmed its lock-out", cite, code="lockout_unconfirmed")
    verify_count = law.progressive.verify_count if law.progressive else None
    if round_.chips_accepted and verify_count and verify_count.value and not round_.progressive_counted:
        cite = law.cite_for(verify_count.cite, state.method)
        return Refusal(
            "count the progressive chips first and record the count", cite, code="progressive_uncounted"
        )
    return None


def _before_first_card(setup: Setup, state: State, back: str) -> Refusal | None:
    return (
        preparation.before_deal(state, back)
        or cuts.before_deal(setup, state, back)
        or burns.before_cards(setup, state)
    )


def _first_duty(state: State, round_: Round) -> Duty | None:
    """A duty that stands before this deal. What waits for the end of the round is for the next one: this is played out."""
    for duty in state.duties.values():
        of_set = duty.back == round_.back and not state.waits_for_end(duty)
        if of_set or duty.device == state.dispenser():
            return duty
    return None


def _dispenser_ready(setup: Setup, state: State) -> Refusal | None:
    needs = DISPENSERS.get(state.method)
    if needs is None:
        return None
    found = state.device_of(needs)
    if found is None:
        return Refusal(
            f"cards are dealt by {state.method}, and no {needs} is in service; return it ({a.ReturnDevice.kind}), or "
            f"{_reported(needs)}",
            code="no_dispenser",
        )
    name, device = found
    if not device.online:
        return Refusal(
            f"{name} is offline; look at its cable and its power, or {_reported(needs)}", code="device_offline"
        )
    if device.jammed:
        return Refusal(f"{name} is jammed; take the cards out", code="device_jammed")
    if needs is DeviceKind.SHOE and Capability.DISPENSES_STACKS not in device.capabilities:
        return Refusal(
            f"{name} gives out no stacks: hands deal from it; {_reported(needs)}, and deal the next another way",
            code="device_unfit",
        )
    dealing = setup.law.rulebook.dealing[state.method]
    if reshuffling_shoe(state) is not None and (dealing.reshuffles is None or not dealing.reshuffles.value):
        return Refusal(
            f"{name} reshuffles by itself, and {setup.law.rulebook.id} knows no such shoe; {_reported(needs)}, and deal the next "
            "another way",
            dealing.cite,
            code="device_unfit",
        )
    return None


def _to_shuffler(setup: Setup, state: State, back: str) -> str:
    """How this set comes to be shuffled by the shuffler of the table. One that has failed may be reported, no other."""
    name = setup.device_of(DeviceKind.SHUFFLER)
    if name is None or state.device_of(DeviceKind.SHUFFLER) is not None:
        return f"shuffle the {back} set in {name}"
    again = f"return {name} to service ({a.ReturnDevice.kind}) and shuffle the {back} set in it"
    return f"{again}, or {_reported(DeviceKind.SHUFFLER)}" if state.devices[name].failed else again


_FAILURES = {DeviceKind.SHUFFLER: Trigger.SHUFFLER_JAM, DeviceKind.SHOE: Trigger.SHOE_JAM}


def _reported(kind: DeviceKind) -> str:
    """What is left to people whose wagers lie: the method is another one only in the next round, and each document says, or
    lets a floorperson say, what follows from a device that fails in this one."""
    return f"to end the round report that it failed ({a.ReportIrregularity.kind} {_FAILURES[kind]})"


def set_predicates(card_set: CardSet) -> str:
    """The predicates in words, for people."""
    names = ("present", "cycle_complete", "mode_shuffle", "count_right", "identities_complete")
    words = {True: "yes", False: "NO", None: "not known here"}
    found = ", ".join(f"{name.replace('_', ' ')}: {words[getattr(card_set, name)]}" for name in names)
    return found + (f" ({', '.join(spoken(defect) for defect in card_set.defects)})" if card_set.defects else "")


def verify_record_initial_deal(
    setup: Setup, state: State, act: a.RecordInitialDeal, actor: Actor
) -> Refusal | None:
    """A device says itself when the deal is done; before a deal by hand a card may have to be burned."""
    name = state.dispenser()
    return (
        Refusal(f"{name} says itself when the deal is done", code="device_reports_deal")
        if name
        else burns.before_cards(setup, state)
    )


def record_initial_deal(draft: Draft, act: a.RecordInitialDeal, actor: Actor) -> None:
    """Each hand holds its first cards; a shoe that counts what is drawn from it is compared with them."""
    out = sum(stack.cards for stack in first_deal(draft.setup, draft.state.playing))
    draft.add(f.InitialDealCompleted(out))
    compare_with_deal(draft, out)


def _gone(setup: Setup, state: State) -> int:
    """Counts the cards of the round that are no part of the stub."""
    return cards_gone(setup, state.round) if state.round else 0


def verify_record_stub_count(setup: Setup, state: State, act: a.RecordStubCount, actor: Actor) -> Refusal | None:
    """Why no stub is counted now, or why this cannot be one."""
    if setup.law.rulebook.stub is None:
        return Refusal(f"{setup.law.rulebook.id} has no stub count", code="stub_count_not_known")
    if act.stub < 0:
        return Refusal("a stub has no fewer than 0 cards", code="count_out_of_range")
    if act.misdealt and act.all_cards is None:
        return Refusal(
            "a hand was misdealt: count all cards of the set and give the number",
            stub.cite(setup, state),
            code="stub_count_incomplete",
        )
    if act.misdealt and act.all_cards == full_set(setup) == act.stub + _gone(setup, state):
        return Refusal(
            "the stub fits, and the document has nothing follow from that; report each hand of a wrong number "
            f"({a.ReportIrregularity.kind} {Trigger.WRONG_COUNT_PLAYER}), and count with misdealt=false",
            stub.cite(setup, state),
            code="stub_count_fits",
        )
    if (other := stub.of_set(state, act.back)) is not None:
        return other
    if state.round is None and not state.last_back:
        return Refusal("no set has been in play yet", code="no_such_set")
    return stub.not_there(setup, state, state.round) if state.round is not None else None


def record_stub_count(draft: Draft, act: a.RecordStubCount, actor: Actor) -> None:
    """Stub and cards dealt together make a whole set, or the document says what follows. Clause: `[stub_count]`."""
    round_ = draft.state.round
    last = round_.back if round_ else draft.state.last_back
    back = last if round_ else act.back or last
    out = _gone(draft.setup, draft.state)
    expected = full_set(draft.setup)
    right = act.stub + out == expected and not act.misdealt
    rule = draft.setup.law.rulebook
    assert rule.stub is not None
    cite = rule.cite_for(rule.stub.every_rounds.cite, draft.state.method)
    draft.add(f.StubCounted(back, act.stub, act.stub + out, expected, right, actor.who, cite))
    for duty in [d for d in draft.state.duties.values() if d.action is Action.COUNT_STUB]:
        if back == last:  # a duty is about the last set that was dealt
            draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role))
    if right:
        return
    suspect(draft, back, f.Verdict.STUB)
    guards = [Guard.MISDEALT] if act.misdealt else []
    if act.all_cards == expected:
        guards.append(Guard.FULL_SET_REMAINS)
    dispose(draft, Trigger.STUB_WRONG, *guards, back=back)
