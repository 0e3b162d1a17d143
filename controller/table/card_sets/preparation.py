"""The steps that sets of cards go through before they are dealt: at the opening, when a set comes, after an idle table.

Which steps, in which order and by whom stands in the rulebook; here they are asked for one after the other. A shuffle is
not taken on anybody's word: its step is over when a device reports it or the dealer records it.
"""

from controller.rules.parts import ProcedureStep
from controller.rules.vocabulary import Action, ShuffleAt, Step
from controller.table.card_sets import stored_set
from controller.table.fold.ruling import Draft
from controller.table.state.card_set import PROVEN
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.procedure import Procedure
from controller.table.words.refusal import Refusal
from drivers.events import DeviceKind

RESHUFFLES = (
    Action.RESHUFFLE, Action.RESHUFFLE_WITH_DEALT, Action.RESHUFFLE_IDLE_SET, Action.RESHUFFLE_AFTER_ROUND,
)  # fmt: skip
"""Demands that a complete shuffle of the set meets."""
SPREADS = (Step.SPREAD, Step.SPREAD_FACE_DOWN)
"""Steps after which the cards may lie either way up: a player may ask for it where the text has them face down."""


def table_opened(draft: Draft) -> None:
    """Each set at the table goes through the steps of opening, one that came preshuffled does not. Clause: `[opening]`."""
    for card_set in list(draft.state.sets.values()):
        if card_set.present and not card_set.preshuffled:
            _ask(draft, card_set.back, Procedure.OPENING, draft.setup.law.rulebook.opening.steps)


def set_brought(draft: Draft, back: str, who: str, *, preshuffled: bool) -> None:
    """A set comes; at a table that is closed its steps wait for the opening. Clause: `[opening] new_set, preshuffled`."""
    rulebook = draft.setup.law.rulebook
    over_change = rulebook.stub.over_change if rulebook.stub else None
    draft.add(f.SetBrought(back, who, preshuffled, over_change is not None and not over_change.value))
    unless = rulebook.shuffle.unless_preshuffled
    if preshuffled and not (unless and unless.value):
        before_play = rulebook.shuffle.at.get(ShuffleAt.BEFORE_PLAY)
        cite = " ".join((rulebook.id, *(before_play.cite if before_play else ())))
        draft.add(f.SetDisarmed(back, f"it is shuffled before play all the same ({cite})"))
    if draft.state.open and not preshuffled and rulebook.opening.new_set.value:
        _ask(draft, back, Procedure.NEW_SET, rulebook.opening.steps)


def proven(draft: Draft, back: str, step: Step, who: str, role: str) -> None:
    """A shuffle, or a cut, that a set was waiting for is done; one that came before its turn closes no step."""
    waiting = draft.state.sets[back].next_step
    if waiting is not None and waiting.step is step:
        draft.add(f.StepTaken(back, step, who, role, waiting.cite))


def _ask(draft: Draft, back: str, procedure: Procedure, steps: tuple[ProcedureStep, ...]) -> None:
    draft.add(f.StepsAsked(back, procedure, steps))


def verify_confirm_step(setup: Setup, state: State, act: a.ConfirmStep, actor: Actor) -> Refusal | None:
    """Steps come in the order of the document, each by the role that it names."""
    card_set = state.sets.get(act.back)
    if card_set is None or not card_set.present:
        return Refusal(
            f"no {act.back} set is at the table; there are: {', '.join(state.sets)}", code="no_such_set"
        )
    if state.round is not None and state.round.back == act.back and state.round.on_layout:
        return Refusal(f"the {act.back} set is in play", code="set_in_play")
    step = card_set.next_step
    if step is None:
        return Refusal(f"no step is asked for with the {act.back} set", code="step_not_asked")
    if step.step in PROVEN:
        return Refusal(
            f"next for the {act.back} set is its {step.step}, which is recorded when it is done",
            step.cite,
            code="step_out_of_order",
        )
    if act.step is not step.step:
        return Refusal(
            f"next for the {act.back} set is: {spoken(step.step)}, by the {step.by}",
            step.cite,
            code="step_out_of_order",
        )
    if not actor.role.may_act_as(step.by):
        return Refusal(
            f"{spoken(step.step)} is for the {step.by}; {actor.who} is a {actor.role}",
            step.cite,
            code="role_too_low",
        )
    if step.step is Step.VERIFY_INSPECTION and actor.who == card_set.stepped_by:
        return Refusal(
            f"{actor.who} inspected these cards; a {step.by} verifies what another has done",
            step.cite,
            code="same_person_verifies",
        )
    if act.face_up and step.step is Step.SPREAD_FACE_DOWN and not card_set.face_up_asked:
        return Refusal(
            f"the {act.back} set is spread face down; face up only where a player asks for it ({a.RequestSpread.kind})",
            step.cite,
            code="face_up_unasked",
        )
    if step.step is Step.TAKE_STORED_SET and (unsafe := stored_set.may_take(setup, state, act.back)) is not None:
        return unsafe
    return _stored_unfit(setup, state, act, step)


def confirm_step(draft: Draft, act: a.ConfirmStep, actor: Actor) -> None:
    """The next step of this set is taken. Cards that were handled are not shuffled any more."""
    step = draft.state.sets[act.back].next_step
    assert step is not None
    checks = (act.secured, act.prepared) if step.step is Step.TAKE_STORED_SET else (None, None)
    cite = stored_cite(draft.setup, step) if any(checks) else step.cite
    draft.add(f.StepTaken(act.back, step.step, actor.who, actor.role, cite, act.face_up, *checks))
    if draft.state.sets[act.back].cycle_complete and step.step is not Step.TAKE_STORED_SET:
        draft.add(f.SetDisarmed(act.back, f"its cards were handled: {spoken(step.step)}"))


def _stored_unfit(setup: Setup, state: State, act: a.ConfirmStep, step: ProcedureStep) -> Refusal | None:
    """The kept set is dealt without being spread unless a person finds one of the two printed conditions broken.

    One that a player has had spread, or that was shuffled otherwise, needs neither. Clause: `[idle] stored_set`.
    """
    if step.step is not Step.TAKE_STORED_SET:
        said = act.secured is not None or act.prepared is not None
        where = f"secured and prepared belong to {spoken(Step.TAKE_STORED_SET)}"
        return Refusal(where, step.cite, code="checks_not_asked") if said else None
    kept = [s.back for s in state.sets.values() if s.back != act.back and s.armed and not s.by_hand]
    if not kept or False not in (act.secured, act.prepared):
        return None
    return Refusal(
        f"the {kept[0]} set was not kept securely, or is not ready for play; have it spread ({a.RequestSpread.kind} "
        f"back={kept[0]})",
        stored_cite(setup, step), code="stored_set_unfit",
    )  # fmt: skip


def stored_cite(setup: Setup, step: ProcedureStep) -> tuple[str, ...]:
    """The clauses of this step, and of the two conditions under which the kept set is not spread."""
    rule = setup.law.rulebook.idle.stored_set
    return tuple(dict.fromkeys((*step.cite, *(rule.cite if rule else ()))))


def verify_idle_table(setup: Setup, state: State, act: a.IdleTable, actor: Actor) -> Refusal | None:
    """Only an open table stands idle, once the steps that were begun are done."""
    if not state.open:
        return Refusal("the table is not open; a floorperson opens it", code="table_closed")
    return _first_steps(state, tuple(state.sets))


def idle_table(draft: Draft, act: a.IdleTable, actor: Actor) -> None:
    """The cards are spread, shown to the next player and shuffled. Clause: `[idle]`.

    With a shuffler some documents take the set that it kept instead; then only the set that was dealt goes this way.
    """
    draft.add(f.TableIdle(actor.who))
    rule, state = draft.setup.law.rulebook.idle, draft.state
    present = [back for back, card_set in state.sets.items() if card_set.present]
    if rule.with_shuffler and state.device_of(DeviceKind.SHUFFLER) is not None:
        played = [back for back in present if back == state.last_back] or present[:1]
        for back in played:
            _ask(draft, back, Procedure.IDLE, rule.with_shuffler)
        stored_set.ask_of_opened(draft)
        return
    for back in present:
        _ask(draft, back, Procedure.IDLE, stored_set.idle_steps(draft.setup))


def verify_request_spread(setup: Setup, state: State, act: a.RequestSpread, actor: Actor) -> Refusal | None:
    """A player asks for a set that the shuffler kept, or that is next spread face down; any other is shown anyway."""
    if _spread_next(state, act.back) is not None:
        return None
    kept = setup.law.rulebook.idle.stored_set
    if kept is None or not kept.value:
        return Refusal(
            "here every set of an idle table is spread and shown; nobody has to ask for it",
            code="spread_not_asked",
        )
    card_set = state.sets.get(act.back)
    if card_set is None or not card_set.present:
        return Refusal(
            f"no {act.back} set is at the table; there are: {', '.join(state.sets)}", kept.cite, code="no_such_set"
        )
    if card_set.by_hand or not card_set.armed or not state.open:
        return Refusal(
            f"the {act.back} set is not one that the shuffler has shuffled and kept",
            kept.cite,
            code="stored_set_unknown",
        )
    return _first_steps(state, (act.back,))


def request_spread(draft: Draft, act: a.RequestSpread, actor: Actor) -> None:
    """A player may have the kept set spread and shuffled like any other, or cards that are spread face down, face up.

    Clause: `[idle] stored_set`, `steps`.
    """
    rule, back, who = draft.setup.law.rulebook.idle, act.back, actor.who
    if (spread := _spread_next(draft.state, back)) is not None:
        draft.add(f.SpreadRequested(back, who, spread.cite))
        return
    assert rule.stored_set is not None
    draft.add(f.SpreadRequested(back, who, rule.stored_set.cite))
    _ask(draft, back, Procedure.IDLE, stored_set.idle_steps(draft.setup))


def _spread_next(state: State, back: str) -> ProcedureStep | None:
    """The next step of this set where it is to be spread face down, else None."""
    card_set = state.sets.get(back)
    step = card_set.next_step if card_set is not None else None
    return step if step is not None and step.step is Step.SPREAD_FACE_DOWN else None


def before_round(state: State, back: str) -> Refusal | None:
    """All steps but the shuffle are done before betting opens: those of the opening and of an idle table with each set."""
    of_table = [
        s.back for s in state.sets.values() if s.back == back or s.procedure in (Procedure.OPENING, Procedure.IDLE)
    ]
    return _first_steps(state, tuple(of_table))


def before_shuffle(state: State, back: str) -> Refusal | None:
    """Cards are inspected, shown and washed before they are shuffled."""
    return _first_steps(state, (back,))


def before_deal(state: State, back: str) -> Refusal | None:
    """Nothing at all is left to do with a set that is dealt."""
    step = state.sets[back].next_step
    return (
        Refusal(f"first the {back} set: {spoken(step.step)}, by the {step.by}", step.cite, code="step_first")
        if step
        else None
    )


def _first_steps(state: State, backs: tuple[str, ...]) -> Refusal | None:
    for back in backs:
        card_set = state.sets[back]
        if (step := card_set.waits) is not None:
            assert card_set.procedure is not None  # for as long as a step is left
            why = spoken(card_set.procedure)
            return Refusal(
                f"first the {back} set ({why}): {spoken(step.step)}, by the {step.by}",
                step.cite,
                code="step_first",
            )
    return None


def spoken(word: str) -> str:
    """A word of the vocabulary as people say it."""
    return word.replace("_", " ")
