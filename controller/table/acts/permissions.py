"""May this person do this now? `verify` says why not, `can` says yes or no, `allowed` lists what may be done.

What belongs to one act stands in its row of the registry; here is what holds for all of them. A refusal names the reason,
the clause where there is one, and what to do instead.
"""

from collections.abc import Sequence

from controller.games.model import Phase
from controller.games.registry import UNNAMED, game_of, not_played
from controller.rules.vocabulary import Action, Role
from controller.table.acts import disputes
from controller.table.acts.phases import NO_ROUND, Phases
from controller.table.acts.registry import PHASES, REGISTRY, WHILE_HELD
from controller.table.acts.row import AnyRow
from controller.table.fold.ruling import Draft
from controller.table.irregularities.duties import close_done
from controller.table.questions.stub_count_and_turns import order_cite
from controller.table.settlement import meters
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words.inputs import Actor, Moment
from controller.table.words.refusal import HELD, Refusal
from controller.table.words.structs import names
from drivers.events import DeviceKind


def verify(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    """None if the act may be done now by this person, else why not. Clause: by rulebook, in the refusal."""
    game = state.round.game if state.round else game_of(setup.law.rulebook)
    if game is None:
        return Refusal(not_played(setup.law.rulebook), code="game_not_played")
    row, phases = REGISTRY[act.kind], PHASES[game.name][act.kind]
    if _phase(state) not in phases:
        return _wrong_phase(setup, state, act.kind, phases)
    refused = _not_yours(setup, act, row, actor) or _not_now(state, act, row)
    if refused is None and row.disturbs is not None:
        refused = disputes.kept(state, *row.disturbs(state, act))
    if refused is None and row.verify is not None:
        refused = row.verify(setup, state, act, actor)
    if refused is None and (doubted := doubt(setup, state, act)) is not None and doubted.said != state.doubted:
        refused = doubted
    if refused is None and row.parts is not None:
        refused = _part_refused(setup, state, row.parts(setup, state, act), actor)
    return refused


def do(draft: Draft, act: a.Act, actor: Actor) -> None:
    """Does an act that `verify` has let pass; one of parts is done part after part, each as if it were done alone."""
    row = REGISTRY[act.kind]
    for part in row.parts(draft.setup, draft.state, act) if row.parts else (act,):
        record = REGISTRY[part.kind].record
        assert record is not None  # what has no parts is recorded
        record(draft, part, actor)
        close_done(draft)
        meters.book(draft)


def _part_refused(setup: Setup, state: State, parts: Sequence[a.Act], actor: Actor) -> Refusal | None:
    """Why not all of these acts are done, with the first that cannot be; one that would hold play is done alone."""
    trial = Draft(setup, state, Moment(0, 0, ""))
    for part in parts:
        no = verify(setup, trial.state, part, actor) or doubt(setup, trial.state, part)
        if no is None:
            do(trial, part, actor)
            if trial.state.holds.keys() - state.holds.keys():
                no = Refusal("it holds play; do it alone", code="part_holds")
        if no is not None:
            said = " ".join(
                f"{name}={_word(value)}" for name in names(type(part)) if (value := getattr(part, name))
            )
            return Refusal(f"{part.kind} {said}".strip() + f": {no.reason}", no.cite, no.code, reading=no.reading)
    return None


def doubt(setup: Setup, state: State, act: a.Act) -> Refusal | None:
    """Why this act contradicts itself, with a code and with what was said; None where it does not."""
    find = REGISTRY[act.kind].contradiction
    found = find(setup, state, act) if find else None
    if found is None:
        return None
    told = " ".join(f"{name}={_word(getattr(act, name))}" for name in found.fields)
    again = "say it anew; said again in the same way it holds play"
    round_ = state.round.id if state.round else ""
    return Refusal(f"{found.reason}; {again}", found.cite, found.code, f"{act.kind} {told} {round_}".rstrip())


def least_role_to(setup: Setup, state: State, act: a.Act) -> Role | None:
    """The least role in which somebody may do this act now; None where nobody may."""
    roles = (Role.PLAYER, Role.DEALER, Role.FLOORPERSON, Role.SUPERVISOR)
    return next((role for role in roles if can(setup, state, act, Actor("", role))), None)


def can(setup: Setup, state: State, act: a.Act, actor: Actor) -> bool:
    """True if the act may be done now by this person."""
    return verify(setup, state, act, actor) is None


def allowed(state: State) -> list[str]:
    """Kinds of act that belong to the present phase; whether a person may, `verify` says for the act itself."""
    game = state.round.game if state.round else UNNAMED  # without a round all games are alike
    kinds = [kind for kind, phases in PHASES[game.name].items() if _phase(state) in phases]
    if all(card_set.waits is None for card_set in state.sets.values()):
        kinds.remove(a.ConfirmStep.kind)
    if state.round is not None and state.round.live and not state.round.unbidden and a.CollectCards.kind in kinds:
        kinds.remove(a.CollectCards.kind)
    return [kind for kind in kinds if kind in WHILE_HELD] if state.held else kinds


def _phase(state: State) -> Phase | None:
    return state.round.phase if state.round else NO_ROUND


def _not_yours(setup: Setup, act: a.Act, row: AnyRow, actor: Actor) -> Refusal | None:
    """Why a person in this role does no such act. The rulebook's `act_roles` come first."""
    least = setup.law.rulebook.act_roles.get(act.kind)
    role = least.value if least else row.least_role
    if actor.role.may_act_as(role) or (row.for_technicians and actor.role is Role.TECHNICIAN):
        return None
    return Refusal(
        f"{act.kind} needs a {role}; {actor.who} is a {actor.role}",
        least.cite if least else (),
        code="role_too_low",
    )


def _not_now(state: State, act: a.Act, row: AnyRow) -> Refusal | None:
    """What everybody waits for: a hold, a device that was not heard again, a dealer's hand that is short."""
    if state.held and not row.while_held:
        return Refusal("play is held: " + "; ".join(f"{h.id} {h.reason}" for h in state.holds.values()), code=HELD)
    if not row.plays_on:
        return None
    awaited = [n for n, d in state.devices.items() if d.awaited and d.kind is not DeviceKind.PROGRESSIVE]
    if awaited:
        return Refusal(
            f"waiting for {', '.join(awaited)} to be heard again; or take the device out of service",
            code="device_awaited",
        )
    short = next((d for d in state.duties.values() if d.action is Action.COMPLETE_DEALER_HAND), None)
    if short is not None and not isinstance(act, a.StartDealing):  # the hand is completed with the next cards
        return Refusal(f"first {short.id}: {short.action}", short.cite, code="duty_first")
    return None


def _wrong_phase(setup: Setup, state: State, kind: str, phases: Phases) -> Refusal:
    """In a round the clause of that order is cited where the rulebook has one; between rounds none is broken."""
    phase = _phase(state)
    cite = order_cite(setup, state, kind) if phase else ()
    where = f"in phase {phase}" if phase else "while no round is in play"
    belongs = ", ".join(p.value if p else "no round" for p in phases) or "another game"
    remedy = ""
    if kind == a.RevealCommunity.kind and state.round is not None and state.round.natural:
        remedy = f"; if the dealer's hand is no natural, say that first ({a.RevealDealer.kind} natural=false)"
    return Refusal(f"{kind} cannot be done {where}; it belongs to: {belongs}{remedy}", cite, code="wrong_phase")


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
