"""Wagers that the dealer collects when a player folds or that an irregularity made lost, and what a later void makes of them.

The chips are in the table inventory container by then, and no document says whether a void reaches them there: each is a
reading, and its answer stands in the rulebook beside it.
"""

from collections.abc import Iterable, Sequence

from controller.games.fates import WagerFate, Why
from controller.rules.vocabulary import Action, Role
from controller.table.fold.ruling import Draft
from controller.table.irregularities.spared_wagers import not_collected
from controller.table.irregularities.wager_facts import decide, give_back
from controller.table.state.table import ALL_COLLECTED, ALL_LOST, Fate
from controller.table.words.acts import Resolution

OF_COLLECTED = (Resolution.RETURN_WAGER, Resolution.STAYS_COLLECTED)


def collect_at_fold(draft: Draft, seat: int) -> None:
    """The wagers that a fold gives up, decided the moment the player folds. Clause: `[play] fold_collects`."""
    round_, rule = draft.state.round, draft.setup.law.rulebook.play.fold_collects
    if round_ is None or rule is None:
        return
    for at, wager, lies in round_.wagers(Fate.LIVE, Fate.STANDS):
        if at == seat and wager in rule.value:
            draft.decide_wager(seat, wager, lies.cents, Fate.COLLECTED, rule.cite, None)


def after_void(draft: Draft, fates: Iterable[WagerFate]) -> list[WagerFate]:
    """Carries out what was elected for wagers collected at a fold, and for those on the layout that share their fate.

    Returns those on the layout that are lost now: the dealer is to collect them.
    """
    round_, mine = draft.state.round, [x for x in fates if x.why is Why.COLLECTED]
    if round_ is None or not mine:
        return []
    give_back(draft, [x for x in mine if x.fate is Fate.RETURNED])
    held = [x for x in mine if x.fate is Fate.HELD]
    on_layout = [x for x in held if round_.seats[x.seat].wagers[x.wager].fate is not Fate.COLLECTED]
    lost = [x for x in mine if x.fate is Fate.LOST]
    decide(draft, [*on_layout, *lost, *(x for x in mine if x.fate is Fate.COLLECTED)])
    if held:
        _ask(draft, held)
    return lost


def ask_of_lost(draft: Draft, fates: Iterable[WagerFate]) -> None:
    """Carries out what was elected for wagers that an earlier irregularity made lost and that a void reaches; one hold for all
    of which a person decides. Clause: none; reading by `[play]`."""
    mine = [x for x in fates if x.why is Why.LOST]
    back = [x for x in mine if x.fate is Fate.RETURNED]
    give_back(draft, back)
    if back:
        not_collected(draft, {x.seat for x in back})
    held = [x for x in mine if x.fate is Fate.HELD]
    if not held:
        return
    seats = [x.seat for x in held]
    seat = seats[0] if len(set(seats)) == 1 else 0
    draft.hold(
        f"{f'seat {seat}: ' if seat else ''}{len(seats)} wagers were lost before the void, and no text says whether it reaches "
        f"them; decide: {' or '.join(OF_COLLECTED)}",
        reading=held[0].by.reading, seat=seat, wager=ALL_LOST, choices=OF_COLLECTED, code="lost_before_void",
    )  # fmt: skip


def _ask(draft: Draft, held: Sequence[WagerFate]) -> None:
    seats = {x.seat for x in held}
    seat = held[0].seat if len(seats) == 1 else 0
    whose = f"seat {seat}: " if seat else ""
    role = draft.setup.law.rulebook.duty_roles.get(Action.HOLD_OTHERS)
    draft.hold(
        f"{whose}{len(held)} wagers were given up at a fold before the void; decide: {' or '.join(OF_COLLECTED)}",
        reading=held[0].by.reading, seat=seat, wager=ALL_COLLECTED, choices=OF_COLLECTED,
        least_role=role.value if role else Role.FLOORPERSON, code="given_up_before_void",
    )  # fmt: skip
