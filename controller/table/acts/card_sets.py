"""Acts that bring a set of cards to the table, shuffle it by hand, call it due and take it away."""

from controller.rules.vocabulary import Action, Step, Trigger
from controller.table.card_sets import cuts, preparation
from controller.table.card_sets.preparation import RESHUFFLES
from controller.table.card_sets.time_in_play import put_in_play
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions.stub_count_and_turns import away_first, of_deck_change
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, SetDue
from controller.table.words.refusal import Refusal
from drivers.events import DeviceKind

REQUIRED = "required_with_shuffler"
NO_SECOND = "no"


def verify_bring_set(setup: Setup, state: State, act: a.BringSet, actor: Actor) -> Refusal | None:
    """A set that must be taken away is gone before another of its colour comes, so that the two are never mixed up.

    What was demanded of the old set (a shuffle, a change) ends with the new one.
    """
    opening = setup.law.rulebook.opening
    if act.preshuffled and not (opening.preshuffled and opening.preshuffled.value):
        return Refusal(
            "here every set is inspected, spread and shuffled at the table; preshuffled cards have no other way",
            opening.steps[0].cite,
            code="preshuffled_not_known",
        )
    for duty in state.duties.values():
        if duty.action is Action.REMOVE_SET and duty.back == act.back:
            return Refusal(f"first {duty.id}: {duty.action} ({act.back})", duty.cite, code="duty_first")
    return _unknown(state, act)


def bring_set(draft: Draft, act: a.BringSet, actor: Actor) -> None:
    """The set is at the table: its steps and its time begin, and what was demanded of the old one is done."""
    preparation.set_brought(draft, act.back, actor.who, preshuffled=act.preshuffled)
    if draft.state.sets[act.back].armed:
        cuts.ask_for_cut(draft, act.back, actor.who, cuts.PRESHUFFLED)
    put_in_play(draft, act.back, actor.who)
    _close_duties_of(draft, act.back, actor)


def verify_record_shuffle(setup: Setup, state: State, act: a.RecordShuffle, actor: Actor) -> Refusal | None:
    """Another method of shuffling waits until the shuffler is where the document wants it."""
    if (refusal := _unknown(state, act)) is not None:
        return refusal
    name = setup.device_of(DeviceKind.SHUFFLER)
    demand = away_first(setup, state, name) if name else None
    if demand is not None:
        rest = f" (reading {demand.reading})" if demand.reading else ""
        return Refusal(
            f"{name} is not to be used beside a shuffle by hand: first {demand.action}{rest}",
            demand.cite,
            code="shuffle_by_hand_not_due",
        )
    return preparation.before_shuffle(state, act.back)


def record_shuffle(draft: Draft, act: a.RecordShuffle, actor: Actor) -> None:
    """The set is shuffled by hand: a cut may follow, and the demand that it be shuffled is met."""
    draft.add(f.SetShuffledByHand(act.back, actor.who))
    preparation.proven(draft, act.back, Step.SHUFFLE, actor.who, actor.role)
    cuts.ask_for_cut(draft, act.back, actor.who, cuts.MANUAL)
    for duty in [d for d in draft.state.duties.values() if d.action in RESHUFFLES and d.back == act.back]:
        draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role))


def verify_take_set_away(setup: Setup, state: State, act: a.TakeSetAway, actor: Actor) -> Refusal | None:
    """A set in play stays until its round has ended."""
    card_set = state.sets.get(act.back)
    if card_set is None or not card_set.present:
        return Refusal(
            f"no {act.back} set is at the table; there are: {', '.join(state.backs_present)}", code="no_such_set"
        )
    if state.round is not None and state.round.back == act.back:
        return Refusal(f"the {act.back} set is in play; it may leave when the round has ended", code="set_in_play")
    return None


def take_set_away(draft: Draft, act: a.TakeSetAway, actor: Actor) -> None:
    """What was to be done with this set is done, or is the business of the next one."""
    draft.add(f.SetRemoved(act.back, actor.who))
    _close_duties_of(draft, act.back, actor)


def _close_duties_of(draft: Draft, back: str, actor: Actor) -> None:
    for duty in [d for d in draft.state.duties.values() if d.back == back]:
        draft.add(f.DutyClosed(duty.id, duty.action, actor.who, actor.role))


def verify_report_set_due(setup: Setup, state: State, act: a.ReportSetDue, actor: Actor) -> Refusal | None:
    """The clock keeps a time that the document prints; a person reports the house's own time."""
    card_set = state.sets.get(act.back)
    if card_set is None or not card_set.present:
        return Refusal(
            f"no {act.back} set is at the table; there are: {', '.join(state.backs_present)}", code="no_such_set"
        )
    printed = setup.law.rulebook.deck_change.interval_s.get(state.method)
    if printed is not None:
        return Refusal(
            f"the clock keeps the time of the {act.back} set; to change it earlier bring a new one (bring_set)",
            printed.cite,
            code="deck_change_by_clock",
        )
    guards = frozenset(of_deck_change(state))
    row, demands = setup.law.demands(Trigger.DECK_CHANGE_DUE, guards, state.method)
    if not any(demand.action is Action.CHANGE_SET for demand in demands):
        return Refusal(f"no change of sets is demanded here: {row.says}", row.cite, code="deck_change_not_due")
    return (
        Refusal(f"the {act.back} set is to be changed already", row.cite, code="deck_change_due_already")
        if card_set.due
        else None
    )


def report_set_due(draft: Draft, act: a.ReportSetDue, actor: Actor) -> None:
    """The set is to be changed."""
    draft.add(SetDue(act.back, f"{actor.who} says so"))
    dispose(draft, Trigger.DECK_CHANGE_DUE, *of_deck_change(draft.state), back=act.back)


def new_dealer(draft: Draft, act: a.NewDealer, actor: Actor) -> None:
    """Another dealer has come; where the document wants it a card is burned for that."""
    draft.add(f.DealerCame(actor.who))


def as_many_as_wanted(setup: Setup, state: State) -> Refusal | None:
    """One set without a shuffler in service, and where the document says so two beside one. Clause: `[decks] second_set`."""
    rule, present = setup.law.rulebook.decks.second_set, state.backs_present
    beside_shuffler = state.device_of(DeviceKind.SHUFFLER) is not None
    if len(present) > 1 and (rule.value == NO_SECOND or not beside_shuffler):
        return Refusal(
            f"one set is at the table where no shuffler is in service; take the {' or the '.join(present)} set away "
            f"({a.TakeSetAway.kind})", rule.cite, code="one_set_without_shuffler"
        )  # fmt: skip
    if len(present) < 2 and rule.value == REQUIRED and beside_shuffler:
        missing = ", ".join(back for back in state.sets if back not in present)
        return Refusal(
            f"beside a shuffler two sets take turns; bring the {missing} set ({a.BringSet.kind})",
            rule.cite,
            code="two_sets_beside_shuffler",
        )
    return None


def _unknown(state: State, act: a.RecordShuffle | a.BringSet) -> Refusal | None:
    if act.back not in state.sets:
        return Refusal(
            f"no {act.back} set belongs to this table; there are: {', '.join(state.sets)}", code="no_such_set"
        )
    if state.round is not None and state.round.back == act.back and state.round.on_layout:
        return Refusal(f"the {act.back} set is in play; its cards are collected first", code="set_in_play")
    if state.dealt_set == act.back:
        return Refusal(
            f"the cards of the {act.back} set are out of the device; if nobody is to deal them, report why (report_irregularity)",
            code="cards_dispensed",
        )
    if isinstance(act, a.RecordShuffle) and not state.sets[act.back].present:
        return Refusal(f"the {act.back} set was removed; a floorperson brings a new one", code="set_removed")
    return None
