"""What each act needs beside its phase and its role: one check for one act, None where nothing stands in the way.

A refusal says what is wrong in the words of the table, cites the clause where one says so, and names what to do.
"""

from collections.abc import Callable

from controller.games.model import Phase
from controller.games.registry import unplayable
from controller.rules.vocabulary import Action, Method, Trigger
from controller.table.card_sets import cuts, preparation
from controller.table.card_sets.preparation import spoken
from controller.table.irregularities import disputes
from controller.table.permissions import betting, card_sets, irregularities, turns
from controller.table.questions import burns, notices, stub
from controller.table.questions.deal_plan import deal_plan
from controller.table.questions.stub_count_and_turns import (
    full_set,
    not_its_turn,
    order_cite,
    reshuffling_shoe,
    stub_count_overdue,
    takes_chips,
)
from controller.table.settlement import corrections, hand_records, settle, validation
from controller.table.state.card_set import CardSet
from controller.table.state.table import DISPENSERS, Duty, Fate, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.events import ENGAGED, Capability, DeviceKind, Level


def _open_table(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    return _not_ready(setup) or (Refusal("the table is open already", code="table_open") if state.open else None)


def _not_ready(setup: Setup) -> Refusal | None:
    """No round is begun of a game that cannot be played to its end, nor under a law that is not complete."""
    if (reason := unplayable(setup.law.rulebook)) is not None:
        return Refusal(reason, code="game_not_played")
    missing = setup.law.unelected(setup.offered)
    names = "; ".join(f"{r.id} ({r.problem})" for r in missing)
    nobody = f"these readings move money or void hands and nobody has elected them: {names}"
    return Refusal(nobody, code="reading_unelected") if missing else None


def _begin_round(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    assert isinstance(act, a.BeginRound)
    if not state.open:
        return Refusal("the table is not open; a floorperson opens it", code="table_closed")
    if state.duties:
        duties = ", ".join(f"{d.id} {d.word}" for d in state.duties.values())
        cite = tuple(clause for d in state.duties.values() for clause in d.cite)
        return Refusal(f"duties are open and block the next round: {duties}", cite, code="duties_open")
    card_set = state.sets.get(act.back)
    if card_set is None or not card_set.present:
        return Refusal(
            f"no {act.back} set is at the table; there are: {', '.join(_present(state))}", code="no_such_set"
        )
    overdue = stub_count_overdue(setup, state, act.back)
    if overdue:
        return Refusal(
            f"the set must be counted first: {overdue} rounds without a count ({a.RecordStubCount.kind} back={act.back})",
            stub.cite(setup, state), code="stub_count_overdue",
        )  # fmt: skip
    if (
        steps := card_sets.as_many_as_wanted(setup, state) or preparation.before_round(state, act.back)
    ) is not None:
        return steps
    if (out_of_turn := not_its_turn(setup, state, act.back)) is not None:
        return Refusal(
            f"the sets alternate: {out_of_turn}", setup.law.rulebook.decks.swap_after.cite, code="sets_alternate"
        )
    if (undealable := _cannot_be_dealt(setup, state, card_set)) is not None:
        return undealable
    return _not_ready(setup)  # the table may have been opened under another configuration


def _cannot_be_dealt(setup: Setup, state: State, card_set: CardSet) -> Refusal | None:
    """Why no round by this method could be dealt: nobody bets on one. Clause: `[[dealing]] needs_shuffler`, the method's own."""
    dealing = setup.law.rulebook.dealing[state.method]
    deals, needs = DISPENSERS.get(state.method), dealing.needs_shuffler
    other_way = f"or deal another way ({a.ChangeMethod.kind})"
    if deals is not None and state.device_of(deals) is None:
        return Refusal(
            f"cards are dealt by {state.method}, and no {deals} is in service; return {setup.device_of(deals)} "
            f"({a.ReturnDevice.kind}), {other_way}",
            dealing.cite, code="no_dispenser",
        )  # fmt: skip
    if needs is None or not needs.value:
        return None
    shuffler, named = state.device_of(DeviceKind.SHUFFLER), setup.device_of(DeviceKind.SHUFFLER)
    if shuffler is None:
        return Refusal(
            f"cards dealt by {state.method} are shuffled by a shuffler, and none is in service; return {named} "
            f"({a.ReturnDevice.kind}), {other_way}",
            needs.cite, code="no_shuffler",
        )  # fmt: skip
    if card_set.armed and card_set.by_hand:
        return Refusal(
            f"cards dealt by {state.method} are shuffled by a shuffler, not by hand; shuffle the {card_set.back} set in {named}",
            needs.cite, code="shuffled_by_hand",
        )  # fmt: skip
    return None


def _present(state: State) -> list[str]:
    return [s.back for s in state.sets.values() if s.present]


def _start_dealing(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    round_, law = _round(state), setup.law.rulebook
    card_set = state.sets[round_.back]
    if not card_set.armed and not round_.vouched:
        shuffle = f"shuffle it in the shuffler, or by hand ({a.RecordShuffle.kind})"
        laid = f"cards of it lie there, so it is not shuffled now; report why they are not dealt on ({a.ReportIrregularity.kind})"
        return Refusal(
            f"the {round_.back} set is not armed: {set_predicates(card_set)}; {laid if round_.on_layout else shuffle}",
            tuple(dict.fromkeys(clause for rule in law.shuffle.at.values() for clause in rule.cite)), code="set_not_armed",
        )  # fmt: skip
    for name in sorted({name for _, name, _ in round_.wagers(Fate.LIVE) if name in law.wagers}):
        if (wrong := betting.wrong_mode(state, law.wagers[name])) is not None:
            return wrong
    needs = setup.law.rulebook.dealing[round_.method].needs_shuffler
    if needs is not None and needs.value and card_set.by_hand:
        return Refusal(
            f"cards dealt by {round_.method} are shuffled by a shuffler, not by hand; {_to_shuffler(setup, state, round_.back)}",
            needs.cite, code="shuffled_by_hand",
        )  # fmt: skip
    first_card = round_.phase is Phase.BETS_CLOSED or not round_.on_layout
    if first_card and (wait := _before_first_card(setup, state, round_.back)) is not None:
        return wait
    if round_.phase not in (Phase.BETS_CLOSED, Phase.DEALING):
        if (wait := turns.late_cards(setup, state, round_)) is not None:
            return wait
    elif state.dispenser() and round_.stacks_out >= len(deal_plan(setup, round_)):
        return Refusal("all stacks are out", code="all_dealt")
    concerned = _first_duty(state, round_)
    if concerned is not None:
        return Refusal(
            f"first {concerned.id}: {concerned.action} ({concerned.device or concerned.back})",
            concerned.cite, code="duty_first",
        )  # fmt: skip
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
    return _dispenser_ready(setup, state)


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
            dealing.cite, code="device_unfit",
        )  # fmt: skip
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


def _initial_deal(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    name = state.dispenser()
    return (
        Refusal(f"{name} says itself when the deal is done", code="device_reports_deal")
        if name
        else burns.before_cards(setup, state)
    )


def _collect(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    """Cards lie on the layout until the wagers that a disposition spared are settled on them, and a due stub is counted.

    Before the deal there is nothing to collect but cards that no one let out.
    """
    round_ = _round(state)
    if round_.live and not round_.unbidden:
        cite = order_cite(setup, state, act.kind)
        return Refusal("no cards are out; they are collected when the round is settled", cite, code="no_cards_out")
    first = (Action.DEAL_COMMUNITY, Action.SETTLE)
    open_still = [d for d in state.duties.values() if d.action in first]
    if open_still:
        return Refusal(f"first {open_still[0].id}: {open_still[0].word}", open_still[0].cite, code="duty_first")
    return stub.due(setup, state)


def _stub_count(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    assert isinstance(act, a.RecordStubCount)
    if setup.law.rulebook.stub is None:
        return Refusal(f"{setup.law.rulebook.id} has no stub count", code="stub_count_not_known")
    if act.stub < 0:
        return Refusal("a stub has no fewer than 0 cards", code="count_out_of_range")
    if act.misdealt and act.all_cards is None:
        return Refusal(
            "a hand was misdealt: count all cards of the set and give the number",
            stub.cite(setup, state), code="stub_count_incomplete",
        )  # fmt: skip
    if (other := stub.of_set(state, act.back)) is not None:
        return other
    if state.round is None and not state.last_back:
        return Refusal("no set has been in play yet", code="no_such_set")
    return stub.not_there(setup, state, state.round) if state.round is not None else None


def _end_round(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    round_ = _round(state)
    if round_.phase is Phase.BETTING:
        lies = round_.wagers(Fate.LIVE) or round_.accepted  # one that is held holds play
        return (
            Refusal("wagers lie on the layout; withdraw them, or announce no more bets", code="wagers_on_layout")
            if lies
            else None
        )
    return (
        None
        if round_.collected
        else Refusal("collect the cards into the discard rack first", code="collect_first")
    )


def _progressive_count(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    assert isinstance(act, a.RecordProgressiveCount)
    if (absent := setup.law.rulebook.absent(Trigger.PROGRESSIVE_MISMATCH)) is not None:
        return Refusal(absent.says, absent.cite, code="cannot_happen_here")
    if not takes_chips(setup) and not _round(state).accepted:
        offers = setup.law.rulebook.wagers["progressive"].cite
        return Refusal(
            "no progressive wager is offered at this table, so no chip of one is counted",
            offers, code="progressive_not_offered",
        )  # fmt: skip
    limit = full_set(setup)
    return (
        None
        if 0 <= act.chips <= limit
        else Refusal(f"{act.chips} chips cannot be; 0 to {limit}", code="count_out_of_range")
    )


def _round(state: State) -> Round:
    assert state.round is not None
    return state.round


def _change_method(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    assert isinstance(act, a.ChangeMethod)
    dealing, in_service = setup.law.rulebook.dealing, setup.law.rulebook.devices.get(act.method)
    if act.method not in dealing:
        cite = tuple(clause for rule in dealing.values() for clause in rule.cite)
        return Refusal(
            f"no dealing by {act.method} here; there are: {', '.join(dealing)}", cite, code="method_unknown"
        )
    if in_service is not None and not in_service.value:
        return Refusal(
            f"no {act.method} may be in service here, as {in_service.by_choice} was elected",
            in_service.cite, code="device_not_elected",
        )  # fmt: skip
    if act.method is state.method:
        return Refusal(
            f"cards are dealt by {act.method} already; there are: {', '.join(dealing)}", code="method_in_use"
        )
    return _without_device(setup, act.method)


def _without_device(setup: Setup, method: Method) -> Refusal | None:
    """A device that does not belong to the table: wagers would lie on the layout of a round that can never be dealt."""
    dealing = setup.law.rulebook.dealing[method]
    needs = dealing.needs_shuffler
    kinds = [DISPENSERS.get(method), DeviceKind.SHUFFLER if needs and needs.value else None]
    missing = next((kind for kind in kinds if kind is not None and setup.device_of(kind) is None), None)
    if missing is None:
        return None
    cite = needs.cite if needs else dealing.cite
    return Refusal(
        f"dealing by {method} needs a {missing}, and none belongs to this table", cite, code="no_such_device"
    )


CHECKS: dict[str, Callable[[Setup, State, a.Act, Actor], Refusal | None]] = {
    a.OpenTable.kind: _open_table,
    a.BeginRound.kind: _begin_round,
    a.PlaceWager.kind: betting.place_wager,
    a.AnnounceNoMoreBets.kind: betting.no_more_bets,
    a.WithdrawWager.kind: betting.withdraw_wager,
    a.RecordProgressiveCount.kind: _progressive_count,
    a.ReleaseLockout.kind: betting.lockout_released,
    a.StartDealing.kind: _start_dealing,
    a.RecordInitialDeal.kind: _initial_deal,
    a.RecordDecision.kind: turns.decision,
    a.RevealCommunity.kind: turns.all_asked,
    a.RevealDealer.kind: turns.dealer_revealed,
    a.RecordHandsFound.kind: settle.hands_found,
    a.SettleWager.kind: settle.settle_wager,
    a.SettleRound.kind: settle.settle_round,
    a.RecordHand.kind: hand_records.may_record,
    a.RecordMeter.kind: hand_records.may_record_meter,
    a.CorrectSettlement.kind: corrections.may_correct,
    a.ValidateProgressive.kind: validation.may_validate,
    a.RecordStubCount.kind: _stub_count,
    a.ChangeMethod.kind: _change_method,
    a.CollectCards.kind: _collect,
    a.EndRound.kind: _end_round,
    a.ReportIrregularity.kind: irregularities.irregularity,
    a.ConfirmDuty.kind: irregularities.confirm_duty,
    a.ResolveHold.kind: irregularities.resolve_hold,
    a.TakeDeviceOut.kind: irregularities.device,
    a.ReturnDevice.kind: irregularities.device,
    a.RecordShuffle.kind: card_sets.shuffle_by_hand,
    a.BringSet.kind: card_sets.bring_set,
    a.ConfirmStep.kind: preparation.may_confirm,
    a.IdleTable.kind: preparation.may_idle,
    a.RequestSpread.kind: preparation.may_request,
    a.DirectShuffle.kind: cuts.may_direct,
    a.RecordCut.kind: cuts.may_cut,
    a.PlaceCuttingCard.kind: cuts.may_mark,
    a.PostNotice.kind: notices.may_post,
    a.Recut.kind: cuts.may_recut,
    a.BurnCard.kind: burns.may_burn,
    a.TakeSetAway.kind: card_sets.take_away,
    a.ReportSetDue.kind: card_sets.report_due,
    a.RaiseDispute.kind: disputes.may_dispute,
    a.NameBookmark.kind: disputes.may_bookmark,
    a.AllowClearing.kind: disputes.may_allow_clearing,
    a.CloseDispute.kind: disputes.may_close,
    a.SeeAlarm.kind: disputes.may_see,
    a.ClearAlarm.kind: disputes.may_clear,
}
