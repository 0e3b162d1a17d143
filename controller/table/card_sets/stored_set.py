"""The shuffled set that a shuffler keeps while the other one is played: what people do to it is noticed.

Clause: `[decks] stored`, `[idle] stored_set`.
"""

from controller.rules.parts import ProcedureStep
from controller.rules.vocabulary import Step
from controller.table.fold.ruling import Draft
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.acts import Resolution
from controller.table.words.procedure import Procedure
from controller.table.words.refusal import Refusal
from drivers.events import DeviceKind

INSPECTION = (Step.INSPECT, Step.VERIFY_INSPECTION)


def idle_steps(setup: Setup) -> tuple[ProcedureStep, ...]:
    """The printed steps; where the house elected it, the inspection of the opening stands after the player's look.

    Clause: `[idle] inspect_again`.
    """
    idle, again = setup.law.rulebook.idle, setup.law.rulebook.idle.inspect_again
    if again is None or not again.value:
        return idle.steps
    seen = next(n for n, step in enumerate(idle.steps, 1) if step.step is Step.PLAYER_INSPECTS)
    looks = tuple(s for s in setup.law.rulebook.opening.steps if s.step in INSPECTION)
    return (*idle.steps[:seen], *looks, *idle.steps[seen:])


def door_opened(draft: Draft, name: str) -> None:
    """A set that lay in the shuffler is no securely stored one any more. Clause: `[idle] stored_set`."""
    if draft.setup.law.rulebook.idle.stored_set is not None:
        _no_longer_secured(draft, _kept(draft.state, name, draft.state.devices[name].holds), name)


def taken_out(draft: Draft, name: str, held: str) -> None:
    """Cards left the shuffler. `held`: back of the set that lay in it, "" = it did not say.

    Taken out in the round of the other set, or at an idle table before its turn, the set is not dealt as it is.
    """
    law, round_ = draft.setup.law.rulebook, draft.state.round
    kept = _kept(draft.state, name, held)
    if round_ is None:
        turn = any(s.next_step and s.next_step.step is Step.TAKE_STORED_SET for s in draft.state.sets.values())
        if is_idle(draft.state) and law.idle.stored_set is not None and not turn:
            _no_longer_secured(draft, kept, name)
        return
    stored = law.decks.stored
    if stored is None or not stored.value or not (round_.live and round_.on_layout):
        return
    for back in kept:
        because = f"it was taken out of {name} while the {round_.back} set is in play"
        draft.add(f.SetDisarmed(back, because))
        draft.hold(
            f"the {back} set: {because}; look at its cards, and shuffle it again before its round",
            cite=stored.cite,
            choices=(Resolution.GO_ON,),
            code="stored_set_taken_out",
        )


def ask_of_opened(draft: Draft) -> None:
    """At an idle table each set whose store was open is spread and shuffled like the one that was played."""
    _to_be_spread(draft, [back for back, s in draft.state.sets.items() if s.present and s.opened])


def is_idle(state: State) -> bool:
    """Returns True while the table is idle: some set is in the procedure of a table without players."""
    return any(card_set.procedure is Procedure.IDLE for card_set in state.sets.values())


def may_take(setup: Setup, state: State, back: str) -> Refusal | None:
    """Why the set that the shuffler kept is not taken for play yet. `back`: of the set that went into the shuffler."""
    rule = setup.law.rulebook.idle.stored_set
    for card_set in state.sets.values():
        if not card_set.present or card_set.back == back or not card_set.opened:
            continue
        step = card_set.waits
        first = (
            f"{step.step.replace('_', ' ')}, by the {step.by}" if step else f"shuffle it ({a.RecordShuffle.kind})"
        )
        return Refusal(
            f"the {card_set.back} set is not one that was shuffled and kept securely; first the {card_set.back} set: {first}",
            rule.cite if rule else (),
            code="stored_set_first",
        )
    return None


def _kept(state: State, name: str, held: str) -> list[str]:
    """Sets that lie shuffled in this shuffler, as far as is known: neither dealt from, nor of the round in play."""
    if state.devices[name].kind is not DeviceKind.SHUFFLER or state.deals(name):
        return []  # one that deals holds the round's own cards, too, and nobody knows which of them came out
    in_play = state.round.back if state.round is not None else ""
    return [
        s.back
        for s in state.sets.values()
        if s.armed and not s.by_hand and not s.in_shoe and s.back != in_play and held in ("", s.back)
    ]


def _no_longer_secured(draft: Draft, backs: list[str], name: str) -> None:
    rule = draft.setup.law.rulebook.idle.stored_set
    for back in backs:
        draft.add(f.StoreOpened(back, name, rule.cite if rule else ()))
    if is_idle(draft.state):
        _to_be_spread(draft, backs)


def _to_be_spread(draft: Draft, backs: list[str]) -> None:
    for back in backs:
        draft.add(f.SetDisarmed(back, "it was not stored in a secure manner"))
        draft.add(f.StepsAsked(back, Procedure.IDLE, idle_steps(draft.setup)))
