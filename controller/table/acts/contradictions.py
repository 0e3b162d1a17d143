"""Statements that contradict themselves: two numbers, or a number and a word, about one thing that cannot both be true. Pure.

Such an act decides nothing. It is refused and asked again; said again in the same way it holds play, and a person looks.
A refusal and a hold are published and kept in logs, so that none of them names a card.
"""

from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Trigger
from controller.table.acts.row import Contradiction
from controller.table.card_sets.preparation import SPREADS, spoken
from controller.table.fold.ruling import Draft
from controller.table.questions.deal_plan import cards_gone, cards_known
from controller.table.questions.stub_count_and_turns import full_set
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

WRONG_COUNTS = (Trigger.WRONG_COUNT_PLAYER, Trigger.WRONG_COUNT_DEALER, Trigger.WRONG_COUNT_COMMUNITY)
OF_NO_SEAT = (
    Trigger.WRONG_COUNT_DEALER, Trigger.WRONG_COUNT_COMMUNITY, Trigger.DEALER_CARD_EXPOSED, Trigger.COMMUNITY_CARD_EXPOSED,
)  # fmt: skip
"""Irregularities of cards that belong to no player."""


def hold(draft: Draft, act: a.Act, said_twice: Refusal, actor: Actor) -> None:
    """The same contradiction was said twice: nothing follows from it but that a person looks.

    A stub was counted all the same, so that no other count of this round is due; the count finds nothing right or wrong.
    """
    if isinstance(act, a.RecordStubCount):
        _counted(draft, act, actor)
    seat = getattr(act, "seat", 0)
    draft.hold(
        f"{act.kind} was said twice and contradicts itself: {said_twice.reason.split(';')[0]}. Nothing was decided by it; look, "
        f"and report what is wrong ({a.ReportIrregularity.kind})",
        seat=seat, code=said_twice.code,
    )  # fmt: skip


def _counted(draft: Draft, act: a.RecordStubCount, actor: Actor) -> None:
    round_ = draft.state.round
    back = round_.back if round_ else draft.state.last_back
    gone = cards_gone(draft.setup, round_) if round_ else 0
    cite = _of_stub(draft.setup, draft.state)
    draft.add(f.StubCounted(back, act.stub, act.stub + gone, full_set(draft.setup), False, actor.who, cite))


def stub_count(setup: Setup, state: State, act: a.RecordStubCount) -> Contradiction | None:
    """Stub, cards dealt and all cards are one sum, where no hand was misdealt."""
    names = ("stub", "misdealt", "all_cards")
    code, cite = "stub_count_contradicts", _of_stub(setup, state)
    if act.all_cards is not None and act.all_cards < act.stub:
        return Contradiction(
            code, f"a stub of {act.stub} cards is more than all {act.all_cards} cards", cite, names
        )
    if act.misdealt or act.all_cards is None or (state.round is not None and not cards_known(state.round)):
        return None
    gone = cards_gone(setup, state.round) if state.round else 0
    total = act.stub + gone
    if act.all_cards == total:
        return None
    made = f"a stub of {act.stub} cards and the {gone} that were dealt make {total}"
    community = setup.law.rulebook.absent(Trigger.WRONG_COUNT_COMMUNITY) is None
    other = (
        f", for community cards {a.ReportIrregularity.kind} {Trigger.WRONG_COUNT_COMMUNITY}" if community else ""
    )
    cannot = f"{made}, all cards are {act.all_cards}, and no hand is said to be misdealt"
    return Contradiction(
        code, f"{cannot}: count again; for a hand of a wrong number say misdealt=true{other}", cite, names
    )


def _of_stub(setup: Setup, state: State) -> tuple[str, ...]:
    """The clauses on a stub that does not fit, by the way of dealing."""
    rulebook = setup.law.rulebook
    return rulebook.cite_for(rulebook.row(Trigger.STUB_WRONG, frozenset()).cite, state.method)


def irregularity(setup: Setup, state: State, act: a.ReportIrregularity) -> Contradiction | None:
    """What is said of the cards must be about cards of which that can be true."""
    code, about = "irregularity_contradicts", f"{act.trigger}"
    book = setup.law.rulebook
    cite = book.row(act.trigger, frozenset()).cite if act.trigger in book.rows else ()
    wrong: dict[tuple[str, ...], str] = {}
    if act.too_many and act.completable:
        wrong["too_many", "completable"] = "a hand with too many cards is not completed"
    if act.too_many and act.trigger not in WRONG_COUNTS:
        wrong[("too_many",)] = f"too_many is said of a wrong number of cards, not of {about}"
    if act.completable and act.trigger is not Trigger.WRONG_COUNT_DEALER:
        wrong[("completable",)] = f"completable is said of the dealer's hand, not of {about}"
    if act.on_purpose and act.trigger is not Trigger.DEALER_CARD_EXPOSED:
        wrong[("on_purpose",)] = f"on_purpose is said of a dealer's card that was seen, not of {about}"
    if act.at_dealer and act.trigger is not Trigger.CUTTING_CARD_REACHED:
        wrong[("at_dealer",)] = f"at_dealer is said of the cutting card, not of {about}"
    if act.at_dealer and act.seat:
        wrong["at_dealer", "seat"] = f"the cutting card showed at seat {act.seat} or at the dealer, not at both"
    if act.seat and act.trigger in OF_NO_SEAT:
        wrong[("seat",)] = f"{about} is of cards that lie at no seat, and seat {act.seat} is named"
    names = tuple(dict.fromkeys(("trigger", *(name for pair in wrong for name in pair))))
    return Contradiction(code, ", and ".join(wrong.values()), cite, names) if wrong else None


def decision(setup: Setup, state: State, act: a.RecordDecision) -> Contradiction | None:
    """An answer that places no wager has no amount."""
    round_ = state.playing
    stage, version = round_.game.stage(round_.phase), setup.law.rulebook.play.version
    answer = stage.answer(act.decision, version.value if version else None) if stage else None
    if answer is None or answer.places or not act.multiple:
        return None
    reason = f"seat {act.seat}: {act.decision} places no wager, and {act.multiple} times another one is given"
    cite = setup.law.rulebook.act_order.get(act.kind, ())
    return Contradiction("decision_contradicts", reason, cite, ("seat", "decision", "multiple"))


def settlement(setup: Setup, state: State, act: a.SettleWager | a.CorrectSettlement) -> Contradiction | None:
    """The word for the outcome and the cents that go with it, and which of three things beside each other is meant."""
    code, names = "settlement_contradicts", ("seat", "wager", "outcome", "paid", "returned", "coupon", "holder")
    if act.coupon and act.holder:
        return Contradiction(
            code, f"seat {act.seat}: a coupon earns no envy; give `coupon` or `holder`, not both", (), names
        )
    if act.outcome is not Outcome.WIN and act.paid:
        reason = f"only a winning wager is paid, and {act.outcome} with {act.paid} cents is said"
        return Contradiction(code, f"seat {act.seat}: {reason}", (), names)
    if act.returned is not None and act.outcome not in (Outcome.WIN, Outcome.LOSE):
        reason = f"of a wager that is a {act.outcome} all goes back, and a part is said; leave `returned` out"
        return Contradiction(code, f"seat {act.seat}: {reason}", (), names)
    return None


def step(setup: Setup, state: State, act: a.ConfirmStep) -> Contradiction | None:
    """Cards lie face up by a step of spreading alone."""
    if not act.face_up or act.step in SPREADS:
        return None
    step = state.sets[act.back].next_step
    reason = f"face_up belongs to {' and '.join(map(spoken, SPREADS))}, not to {spoken(act.step)}"
    return Contradiction("step_contradicts", reason, step.cite if step else (), ("back", "step", "face_up"))
