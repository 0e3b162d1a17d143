"""Which sets lie at the table, and what stands in the way of shuffling them by hand, changing them and taking them away."""

from controller.rules.vocabulary import Action, Trigger
from controller.table.card_sets import preparation
from controller.table.questions.stub_count_and_turns import away_first, of_deck_change
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.events import DeviceKind

REQUIRED = "required_with_shuffler"
NO_SECOND = "no"


def bring_set(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    """A set that must be taken away is gone before another of its colour comes, so that the two are never mixed up.

    What was demanded of the old set (a shuffle, a change) ends with the new one.
    """
    assert isinstance(act, a.BringSet)
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


def shuffle_by_hand(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    """Another method of shuffling waits until the shuffler is where the document wants it."""
    assert isinstance(act, a.RecordShuffle)
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


def take_away(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    assert isinstance(act, a.TakeSetAway)
    card_set = state.sets.get(act.back)
    if card_set is None or not card_set.present:
        return Refusal(
            f"no {act.back} set is at the table; there are: {', '.join(_present(state))}", code="no_such_set"
        )
    if state.round is not None and state.round.back == act.back:
        return Refusal(f"the {act.back} set is in play; it may leave when the round has ended", code="set_in_play")
    return None


def report_due(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    """A time that the document prints is kept by the clock; the house's own is told by a person."""
    assert isinstance(act, a.ReportSetDue)
    card_set = state.sets.get(act.back)
    if card_set is None or not card_set.present:
        return Refusal(
            f"no {act.back} set is at the table; there are: {', '.join(_present(state))}", code="no_such_set"
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


def as_many_as_wanted(setup: Setup, state: State) -> Refusal | None:
    """One set without a shuffler in service, and where the document says so two beside one. Clause: `[decks] second_set`."""
    rule, present = setup.law.rulebook.decks.second_set, _present(state)
    beside_shuffler = state.device_of(DeviceKind.SHUFFLER) is not None
    if len(present) > 1 and (rule.value == NO_SECOND or not beside_shuffler):
        return Refusal(
            f"one set is at the table where no shuffler is in service; take the {' or the '.join(present)} set away "
            f"({a.TakeSetAway.kind})", rule.cite, code="one_set_without_shuffler",
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
            f"the cards of the {act.back} set were let out; if they are not to be dealt, report why (report_irregularity)",
            code="cards_dispensed",
        )
    if isinstance(act, a.RecordShuffle) and not state.sets[act.back].present:
        return Refusal(f"the {act.back} set was removed; a floorperson brings a new one", code="set_removed")
    return None


def _present(state: State) -> list[str]:
    return [s.back for s in state.sets.values() if s.present]
