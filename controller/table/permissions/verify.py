"""May this person do this now? `verify` says why not, `can` says yes or no, `allowed` lists what may be done.

One table for each game says in which phase an act belongs; a missing entry is a refusal, so nothing is allowed by
forgetting it. The refusal names the reason, the clause where there is one, and what to do instead.
"""

from controller.games.model import Game, Phase, Settle, ShowCommunity, ShowDealer
from controller.games.registry import GAMES, UNNAMED, game_of, not_played
from controller.rules.vocabulary import Action, Role
from controller.table.irregularities import disputes
from controller.table.permissions import statements
from controller.table.permissions.checks import CHECKS
from controller.table.questions.stub_count_and_turns import order_cite
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.table.words.refusal import HELD, Refusal
from drivers.events import DeviceKind

__all__ = ["Refusal", "allowed", "can", "verify"]


NO_ROUND = None
Phases = dict[str, tuple[Phase | None, ...]]

ANYTIME = (
    a.CorrectSettlement.kind,
    a.ValidateProgressive.kind,
    a.ConfirmDuty.kind,
    a.ResolveHold.kind,
    a.RecordShuffle.kind,
    a.BringSet.kind,
    a.ConfirmStep.kind,
    a.DirectShuffle.kind,
    a.RecordCut.kind,
    a.PlaceCuttingCard.kind,
    a.PostNotice.kind,
    a.NewDealer.kind,
    a.TakeSetAway.kind,
    a.ReportSetDue.kind,
    a.TakeDeviceOut.kind,
    a.ReturnDevice.kind,
    a.RaiseDispute.kind,
    a.NameBookmark.kind,
    a.AllowClearing.kind,
    a.CloseDispute.kind,
    a.SeeAlarm.kind,
    a.ClearAlarm.kind,
)
"""Acts that belong to every phase, and between the rounds."""


def _phases(game: Game) -> Phases:
    """Where each act belongs: what is alike in every game, and between the deal and the settlement what this one says."""
    stages = game.stages
    ending = {
        kind: tuple(stage.phase for stage in stages if isinstance(stage.ends, kind))
        for kind in (ShowCommunity, ShowDealer, Settle)
    }
    first = next(
        (n for n, s in enumerate(stages) if any(x.settles or x.surrenders for x in s.answers)), len(stages)
    )
    paid_early = tuple(stage.phase for stage in stages[first:] if not isinstance(stage.ends, Settle))
    course = tuple(stage.phase for stage in stages)
    late = tuple(stage.phase for stage in game.dealer_up if isinstance(stage.ends, ShowCommunity))
    said_anew = tuple(stage.phase for stage in game.dealer_up) if late else ()  # unless the dealer's hand ends it
    whole = (Phase.BETTING, Phase.BETS_CLOSED, Phase.DEALING, *course, Phase.SETTLED, Phase.STOPPED)
    community = (*ending[ShowCommunity], Phase.STOPPED) if game.streets else ()
    turned_up = (*course, Phase.SETTLED, Phase.STOPPED)
    anytime = dict.fromkeys(ANYTIME, (*whole, NO_ROUND))
    return anytime | {
        a.OpenTable.kind: (NO_ROUND,),
        a.CloseTable.kind: (NO_ROUND,),
        a.BeginRound.kind: (NO_ROUND,),
        a.PlaceWager.kind: (Phase.BETTING,),
        a.WithdrawWager.kind: (Phase.BETTING,),
        a.AnnounceNoMoreBets.kind: (Phase.BETTING,),
        a.ReleaseLockout.kind: (Phase.BETTING,),
        a.RecordProgressiveCount.kind: (Phase.BETS_CLOSED,),
        a.StartDealing.kind: (Phase.BETS_CLOSED, Phase.DEALING, *ending[ShowDealer], *late),
        a.RecordInitialDeal.kind: (Phase.DEALING,),
        a.RecordDecision.kind: tuple(stage.phase for stage in stages if stage.answers),
        a.RevealCommunity.kind: community,
        a.RevealDealer.kind: (*ending[ShowDealer], *said_anew),
        a.RecordHandsFound.kind: course,
        a.SettleWager.kind: (*paid_early, *ending[Settle], Phase.SETTLED, Phase.STOPPED),
        a.RecordHand.kind: turned_up,
        a.RecordMeter.kind: turned_up,
        a.SettleRound.kind: ending[Settle],
        a.RecordStubCount.kind: (*turned_up, NO_ROUND),
        a.CollectCards.kind: (Phase.BETTING, Phase.BETS_CLOSED, Phase.SETTLED, Phase.STOPPED),
        a.EndRound.kind: (Phase.BETTING, Phase.SETTLED, Phase.STOPPED),
        a.ReportIrregularity.kind: (*whole, NO_ROUND),
        a.IdleTable.kind: (NO_ROUND,),
        a.RequestSpread.kind: (NO_ROUND,),
        a.Recut.kind: (NO_ROUND, Phase.BETTING, Phase.BETS_CLOSED),
        a.BurnCard.kind: whole,
        a.ChangeMethod.kind: (NO_ROUND,),
    }


PHASES = {name: _phases(game) for name, game in GAMES.items()}

LEAST_ROLE: dict[str, Role] = {
    a.OpenTable.kind: Role.FLOORPERSON,
    a.CloseTable.kind: Role.FLOORPERSON,
    a.PlaceWager.kind: Role.PLAYER,
    a.WithdrawWager.kind: Role.PLAYER,
    a.RecordDecision.kind: Role.PLAYER,
    a.ConfirmDuty.kind: Role.PLAYER,  # each duty names its own least role
    a.BringSet.kind: Role.FLOORPERSON,
    a.ConfirmStep.kind: Role.PLAYER,  # of each step the document names its own
    a.RequestSpread.kind: Role.PLAYER,
    a.DirectShuffle.kind: Role.FLOORPERSON,
    a.CorrectSettlement.kind: Role.SUPERVISOR,
    a.Recut.kind: Role.FLOORPERSON,
    a.PostNotice.kind: Role.FLOORPERSON,
    a.TakeSetAway.kind: Role.FLOORPERSON,
    a.TakeDeviceOut.kind: Role.FLOORPERSON,
    a.ReturnDevice.kind: Role.FLOORPERSON,
    a.ChangeMethod.kind: Role.FLOORPERSON,
    a.RaiseDispute.kind: Role.FLOORPERSON,
    a.NameBookmark.kind: Role.FLOORPERSON,
    a.AllowClearing.kind: Role.SUPERVISOR,
    a.CloseDispute.kind: Role.SUPERVISOR,
    a.SeeAlarm.kind: Role.DEALER,
    a.ClearAlarm.kind: Role.SUPERVISOR,
}
"""Least role for an act; where nothing stands here, the dealer. The rulebook's `act_roles` come first."""

WHILE_HELD = frozenset(
    {
        a.ConfirmDuty.kind, a.ResolveHold.kind, a.ReportIrregularity.kind, a.TakeDeviceOut.kind,
        a.ReturnDevice.kind, a.BringSet.kind, a.RecordShuffle.kind, a.TakeSetAway.kind, a.NewDealer.kind,
        a.RecordHand.kind, a.CorrectSettlement.kind, a.RaiseDispute.kind, a.NameBookmark.kind, a.AllowClearing.kind,
        a.CloseDispute.kind, a.SeeAlarm.kind, a.ClearAlarm.kind, a.PostNotice.kind,
    }
)  # fmt: skip
"""All that may be done while play is held."""

PLAYS_ON = frozenset(
    {
        a.StartDealing.kind, a.RecordInitialDeal.kind, a.RecordDecision.kind, a.RevealCommunity.kind,
        a.RevealDealer.kind, a.SettleRound.kind, a.SettleWager.kind, a.ValidateProgressive.kind,
    }
)  # fmt: skip
"""Acts that rely on knowing what every device has done: not before each awaited device was heard again."""


def verify(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    """None if the act may be done now by this person, else why not. Clause: by rulebook, in the refusal."""
    phase = state.round.phase if state.round else NO_ROUND
    game = state.round.game if state.round else game_of(setup.law.rulebook)
    if game is None:
        return Refusal(not_played(setup.law.rulebook), code="game_not_played")
    if phase not in PHASES[game.name][act.kind]:
        return _wrong_phase(setup, state, act.kind, PHASES[game.name][act.kind])
    least = setup.law.rulebook.act_roles.get(act.kind)
    role = least.value if least else LEAST_ROLE.get(act.kind, Role.DEALER)
    if not actor.role.may_act_as(role) and not _technician(act, actor):
        return Refusal(
            f"{act.kind} needs a {role}; {actor.who} is a {actor.role}",
            least.cite if least else (),
            code="role_too_low",
        )
    if state.held and act.kind not in WHILE_HELD:
        return Refusal("play is held: " + "; ".join(f"{h.id} {h.reason}" for h in state.holds.values()), code=HELD)
    awaited = [n for n, d in state.devices.items() if d.awaited and d.kind is not DeviceKind.PROGRESSIVE]
    if awaited and act.kind in PLAYS_ON:
        return Refusal(
            f"waiting for {', '.join(awaited)} to be heard again; or take the device out of service",
            code="device_awaited",
        )
    short = next((d for d in state.duties.values() if d.action is Action.COMPLETE_DEALER_HAND), None)
    if short is not None and act.kind in PLAYS_ON - {a.StartDealing.kind}:
        return Refusal(f"first {short.id}: {short.action}", short.cite, code="duty_first")
    if (kept := disputes.kept(state, act)) is not None:
        return kept
    check = CHECKS.get(act.kind)
    if check is not None and (refused := check(setup, state, act, actor)) is not None:
        return refused
    doubt = statements.doubt(setup, state, act)
    return None if doubt is None or doubt.said == state.doubted else doubt


def least_role_to(setup: Setup, state: State, act: a.Act) -> Role | None:
    """The least role in which somebody may do this act now; None where nobody may."""
    roles = (Role.PLAYER, Role.DEALER, Role.FLOORPERSON, Role.SUPERVISOR)
    return next((role for role in roles if can(setup, state, act, Actor("", role))), None)


def can(setup: Setup, state: State, act: a.Act, actor: Actor) -> bool:
    return verify(setup, state, act, actor) is None


def allowed(state: State) -> list[str]:
    """Kinds of act that belong to the present phase; whether a person may, `verify` says for the act itself."""
    phase = state.round.phase if state.round else NO_ROUND
    game = state.round.game if state.round else UNNAMED  # without a round all games are alike
    kinds = [kind for kind, phases in PHASES[game.name].items() if phase in phases]
    if all(card_set.waits is None for card_set in state.sets.values()):
        kinds.remove(a.ConfirmStep.kind)
    if state.round is not None and state.round.live and not state.round.unbidden and a.CollectCards.kind in kinds:
        kinds.remove(a.CollectCards.kind)
    return [kind for kind in kinds if kind in WHILE_HELD] if state.held else kinds


def _technician(act: a.Act, actor: Actor) -> bool:
    """A technician may put a device back into service or take it out, see its alarms, and nothing of the game."""
    return actor.role is Role.TECHNICIAN and isinstance(act, a.TakeDeviceOut | a.ReturnDevice | a.SeeAlarm)


def _wrong_phase(setup: Setup, state: State, kind: str, phases: tuple[Phase | None, ...]) -> Refusal:
    """In a round the clause of that order is cited where the rulebook has one; between rounds none is broken."""
    phase = state.round.phase if state.round else NO_ROUND
    cite = order_cite(setup, state, kind) if phase else ()
    where = f"in phase {phase}" if phase else "while no round is in play"
    belongs = ", ".join(p.value if p else "no round" for p in phases) or "another game"
    remedy = ""
    if kind == a.RevealCommunity.kind and state.round is not None and state.round.natural:
        remedy = f"; if the dealer's hand is no natural, say that first ({a.RevealDealer.kind} natural=false)"
    return Refusal(f"{kind} cannot be done {where}; it belongs to: {belongs}{remedy}", cite, code="wrong_phase")
