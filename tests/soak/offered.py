"""What people may think of at a table, and how often: the acts that a phase allows and something calls for."""

from collections.abc import Callable, Iterable
from itertools import accumulate

from controller.table.questions import burns
from controller.table.state.table import Setup, State
from controller.table.words import acts as a

WEIGHTS: dict[str, float] = {
    a.OpenTable.kind: 3, a.CloseTable.kind: 0.03, a.BeginRound.kind: 6,
    a.PlaceWager.kind: 5, a.WithdrawWager.kind: 0.05, a.AnnounceNoMoreBets.kind: 1, a.ReleaseLockout.kind: 0.1,
    a.RecordProgressiveCount.kind: 2, a.StartDealing.kind: 6, a.RecordInitialDeal.kind: 6, a.RecordDecision.kind: 8,
    a.RevealCommunity.kind: 6, a.RevealDealer.kind: 6, a.SettleRound.kind: 6, a.RecordStubCount.kind: 0.5,
    a.CollectCards.kind: 4, a.EndRound.kind: 4, a.ReportIrregularity.kind: 0.1, a.ConfirmDuty.kind: 5,
    a.ResolveHold.kind: 5, a.RecordShuffle.kind: 0.3, a.BringSet.kind: 0.05,
    a.ConfirmStep.kind: 8, a.IdleTable.kind: 0.04, a.RequestSpread.kind: 0.5,
    a.DirectShuffle.kind: 0.03, a.RecordCut.kind: 8, a.PlaceCuttingCard.kind: 8,
    a.PostNotice.kind: 0.02, a.Recut.kind: 0.03, a.NewDealer.kind: 0.03, a.BurnCard.kind: 8,
    a.TakeSetAway.kind: 0.02, a.ReportSetDue.kind: 0.02, a.TakeDeviceOut.kind: 0.01,
    a.ReturnDevice.kind: 0.1, a.ChangeMethod.kind: 0.2, a.RecordHand.kind: 0.2, a.RecordMeter.kind: 0.1, a.SettleWager.kind: 0.3,
    a.CorrectSettlement.kind: 0.05,
    a.WagersAsBefore.kind: 0.1, a.CountAndDeal.kind: 1, a.RecordDecisions.kind: 1, a.SettleOffered.kind: 1, a.NextRound.kind: 0.5,
    a.RaiseDispute.kind: 0.03, a.NameBookmark.kind: 1, a.AllowClearing.kind: 1, a.CloseDispute.kind: 1, a.SeeAlarm.kind: 3,
    a.ClearAlarm.kind: 1.5,
}  # fmt: skip
MOST: dict[str, float] = {
    a.ReturnDevice.kind: 0.1, a.ChangeMethod.kind: 0.5, a.ReportIrregularity.kind: 2, a.BringSet.kind: 2, a.TakeSetAway.kind: 4,
    a.RecordHand.kind: 6, a.RecordMeter.kind: 6, a.SettleWager.kind: 6,
}  # fmt: skip
"""The largest weight of an act whose weight hangs on the table, such as a new set where one is missing."""
WHIM = 0.03
"""Acts of no more weight than this do not help a round to its end."""
OTHERWISE = 0.5
"""Weight of an act that is not named."""

Kinds = tuple[list[str], list[float]]
"""Kinds of acts, and their weights added up."""
CALLED_FOR: dict[str, Callable[[Setup, State], object]] = {
    a.ConfirmDuty.kind: lambda _, state: state.duties,
    a.ResolveHold.kind: lambda _, state: state.holds,
    a.SeeAlarm.kind: lambda _, state: state.alarms,
    a.ClearAlarm.kind: lambda _, state: state.alarms,
    a.AllowClearing.kind: lambda _, state: state.disputes,
    a.NameBookmark.kind: lambda _, state: state.disputes,
    a.CloseDispute.kind: lambda _, state: state.disputes,
    a.ConfirmStep.kind: lambda _, state: any(s.waits is not None for s in state.sets.values()),
    a.RecordCut.kind: lambda _, state: any(s.cut_due and s.present for s in state.sets.values()),
    a.PlaceCuttingCard.kind: lambda _, state: any(s.mark_due and s.present for s in state.sets.values()),
    a.BurnCard.kind: lambda setup, state: burns.due(setup, state) is not None,
    a.CollectCards.kind: lambda _, state: state.round and (not state.round.live or state.round.unbidden),
    a.OpenTable.kind: lambda _, state: not state.open,
    a.RecordInitialDeal.kind: lambda _, state: state.dispenser() is None,
    a.RecordProgressiveCount.kind: lambda setup, _: setup.law.rulebook.progressive is not None,
    a.CountAndDeal.kind: lambda setup, _: setup.law.rulebook.progressive is not None,
}
"""Acts of which nobody thinks where there is nothing to be done: most of those that a phase allows, at most times."""


class Offered:
    """What people may think of in each situation: the kinds of acts of a phase that something calls for."""

    def __init__(self, setup: Setup, kinds: Iterable[str]) -> None:
        self._setup, self._kinds = setup, list(kinds)
        self._asked = [CALLED_FOR[kind] for kind in self._kinds if kind in CALLED_FOR]
        self._known: dict[tuple[bool, ...], Kinds] = {}

    def now(self, state: State) -> Kinds:
        situation = tuple(bool(asked(self._setup, state)) for asked in self._asked)
        if situation not in self._known:
            self._known[situation] = weighed(
                kind for kind in self._kinds if kind not in CALLED_FOR or CALLED_FOR[kind](self._setup, state)
            )
        return self._known[situation]


def weighed(kinds: Iterable[str]) -> Kinds:
    """Each kind with as much weight as it ever has."""
    found = list(kinds)
    return found, list(accumulate(MOST.get(kind) or WEIGHTS.get(kind, OTHERWISE) for kind in found))
