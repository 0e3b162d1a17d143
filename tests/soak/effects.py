"""What an act does to a table, whichever act does it, and the acts by which people could have done the same: no act does what
another one refuses by law.

`reached` tells the effects of an accepted act from the facts that followed. `SAME` makes the act that has an effect alone: where
the document refuses that one, no other act may have the effect. `APART` and `EXCUSED` say why what looks alike is not.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Action
from controller.table.acts.permissions import verify
from controller.table.irregularities.duties import BY_DOCUMENT
from controller.table.settlement.offer import OPEN, offer
from controller.table.settlement.settle import IN_ORDER, not_payable
from controller.table.state.table import Fate, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import HELD
from drivers import events as e


class Effect(Struct, frozen=True):
    """`kind`: what came about; `seat`, `wager`, `subject`: to what; `outcome`, `paid`: of a wager, as far as anybody knows."""

    kind: str
    seat: int = 0
    wager: str = ""
    subject: str = ""
    outcome: Outcome | None = None
    paid: int = 0


def reached(setup: Setup, before: State, act: a.Act, facts: Sequence[f.Fact]) -> list[Effect]:
    """What an accepted act has brought about, in the state `before` it."""
    return [effect for fact in facts for effect in _of(setup, before, act, fact.event)]


def _of(setup: Setup, before: State, act: a.Act, event: f.Event) -> Iterator[Effect]:
    match event:
        case f.SettlementCorrected() if before.round is None or event.round != before.round.id:
            return  # no other act reaches a wager of the round before
        case f.WagerSettled() | f.SettlementCorrected() if event.coupon or event.holder:
            yield Effect("settled_beside", event.seat, event.wager)
        case f.WagerSettled() | f.SettlementCorrected():
            yield Effect("settled", event.seat, event.wager, "", event.outcome, event.paid)
        case f.RoundSettled():
            yield from _of_round(setup, before, act)
        case f.DutyClosed(role=role) if role == BY_DOCUMENT:
            return  # nothing was left to be done of it
        case f.DutyClosed(action=Action.SETTLE) if before.round is not None:
            yield from (Effect("settled", seat, wager) for seat, wager, _ in before.round.wagers(Fate.TO_SETTLE))
        case f.DutyClosed(action=action, duty=duty) if duty in before.duties:
            was = before.duties[duty]
            yield Effect(f"done_{action.value}", was.seat, subject=was.back or was.device)
        case f.WagerPlaced(seat=seat, wager=wager):
            yield Effect("placed", seat, wager)
        case f.DecisionRecorded(seat=seat, decision=decision):
            yield Effect("answered", seat, subject=decision.value)
        case f.WagerWithdrawn(seat=seat, wager=wager) | f.WagerDecided(seat=seat, wager=wager, fate="returned"):
            yield Effect("given_back", seat, wager)
        case f.WagerDecided(seat=seat, wager=wager, fate=fate):
            yield Effect(f"made_{fate}", seat, wager)
        case f.LevelWanted(device=device, level=level, value=value) if value in (e.RELEASED, e.ALLOWED):
            yield Effect(f"opened_{level}", subject=device)
        case f.DeviceTakenOut(device=device):
            yield Effect(event.kind, subject=device)
        case f.LevelWanted() | f.HoldPlaced() | f.HoldLifted() | f.DutyOpened() | f.DispositionMade():
            return
        case (
            f.SetRemoved(back=back)
            | f.SetDisarmed(back=back)
            | f.SetShuffledByHand(back=back)
            | f.SetBrought(back=back)
        ):
            yield Effect(event.kind, subject=back)
        case _:
            yield Effect(event.kind, getattr(event, "seat", 0))


def _of_round(setup: Setup, before: State, act: a.Act) -> Iterator[Effect]:
    """Every wager that was open, each with what the cards make of it."""
    assert before.round is not None
    found = offer(setup, before.round)
    for seat, wager, lies in before.round.wagers(*OPEN):
        if lies.outcome is None:
            line = found.line(seat, wager) if found else None
            yield Effect("settled", seat, wager, "", line.outcome if line else None, line.paid if line else 0)


def _settles(state: State, effect: Effect) -> a.Act:
    outcome = effect.outcome or Outcome.LOSE
    return a.SettleWager(effect.seat, effect.wager, outcome, max(1, effect.paid) if outcome is Outcome.WIN else 0)


def _reveals(state: State, effect: Effect) -> a.Act | None:
    round_ = state.round
    if round_ is None or round_.streets >= len(round_.game.streets):
        return None
    return a.RevealCommunity(round_.game.streets[round_.streets].street)


SAME: dict[str, dict[str, Callable[[State, Effect], a.Act | None]]] = {
    "settled": {a.SettleWager.kind: _settles},
    "done_deal_community": {a.RevealCommunity.kind: _reveals},
    "set_removed": {a.TakeSetAway.kind: lambda state, effect: a.TakeSetAway(effect.subject)},
    "set_shuffled_by_hand": {a.RecordShuffle.kind: lambda state, effect: a.RecordShuffle(effect.subject)},
    "device_taken_out": {
        a.TakeDeviceOut.kind: lambda state, effect: a.TakeDeviceOut(effect.subject, a.OutOfService.REMOVED)
    },
    "card_burned": {a.BurnCard.kind: lambda state, effect: a.BurnCard()},
}
"""For each effect that several acts have, the act that has it alone."""

APART: dict[str, str] = {
    "cut_asked": "a cut follows each kind of shuffle by its own clause, and a second cut is asked for by whom the document names",
    "done_change_set": "a duty on a set ends with the set, whichever act takes it from the table or puts another in its place",
    "done_remove_set": "a duty on a set ends with the set; that it leaves the table is looked at as set_removed",
    "done_reshuffle": "a duty on a set ends with the set or on a person's word; no card is dealt from it before it is shuffled",
    "done_reshuffle_after_round": "a duty ends with its set or on a person's word; the set is not dealt before it is shuffled",
    "done_reshuffle_idle_set": "a duty ends with its set or on a person's word; the set is not dealt before it is shuffled",
    "done_reshuffle_with_dealt": "a duty ends with its set or on a person's word; the set is not dealt before it is shuffled",
    "done_swap_set_after_round": "a duty on a set ends with the set, or on a person's word that the two have changed places",
    "done_count_stub": "a person's word ends the demand, and no round begins before the count itself is recorded",
    "given_back": "a player takes a wager back before the announcement; after it only a row, a reading or a hold gives it back",
    "made_collected": "a fold collects by its clause; in a void what it collected stays so where that was elected (R-71)",
    "made_held": "which wagers a row holds stands in the rulebook, whichever act has reported what happened",
    "made_lost": "which wagers a row makes lost stands in the rulebook, whichever act has reported what happened",
    "made_to_settle": "which wagers a void spares stands in the rulebook, or a hold has asked a person about them",
    "opened_lockout": "betting opens the sensors; both acts do it by one function, and only where the wager is offered",
    "placed": "a chip on a sensor becomes a wager with the announcement, never by hand; its guards are in test_amounts.py",
    "round_voided": "a row of the rulebook voids, or a person under the reading of a hold that offers it; no act does by itself",
    "hand_voided": "a row of the rulebook voids, or a person under the reading of a hold that offers it; no act does by itself",
    "set_disarmed": "a set that counts as shuffled no more is on the safe side, whatever made it so",
    "set_in_play": "the time of a set begins with the opening, or with its coming where the table is open",
    "set_suspected": "a wrong number of cards names the rounds that were played with them, whoever found it",
    "step_taken": "a shuffle ends its own step, which confirm_step refuses; each other step is confirmed by that act alone",
    "steps_asked": "the opening, a new set, an idle table and a player who asks each have their own steps",
    "stub_counted": "one act counts, decided or said twice against itself",
}
"""Effects of several acts that do not mean the same, each with the reason."""

EXCUSED: dict[tuple[str, str], str] = {
    (a.SettleRound.kind, IN_ORDER): "in what is settled as a whole the record has no order that could be wrong",
    (
        a.CorrectSettlement.kind,
        IN_ORDER,
    ): "a settlement is put right when it is found to be wrong, whoever's turn it is",
    (a.RecordDecision.kind, IN_ORDER): "an answer that settles a wager at once is the turn of its player",
}
"""(act, code of what the other one is refused for) -> why the act is no way round that refusal."""


def way_round(setup: Setup, before: State, act: a.Act, actor: Actor, facts: Sequence[f.Fact]) -> str | None:
    """What this accepted act has done although another act that means the same is refused by the document, in words."""
    for effect in reached(setup, before, act, facts):
        for kind, make in SAME.get(effect.kind, {}).items():
            same = make(before, effect) if kind != act.kind else None
            refused = verify(setup, before, same, actor) if same is not None else None
            if refused is not None and refused.code == IN_ORDER and isinstance(same, a.SettleWager):
                refused = (
                    not_payable(setup, before, same) or refused
                )  # the order is excused, and nothing beside it
            if refused is None or not refused.cite or refused.code == HELD:
                continue
            if (act.kind, refused.code) not in EXCUSED:
                return f"{act.kind} reached {effect}, and {same} is refused: {refused.reason} {refused.cite}"
    return None
