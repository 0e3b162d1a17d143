"""Wagers that the dealer collects when a player folds or that an irregularity made lost, and what a later void makes of them.

The chips are in the table inventory container by then, and no document says whether a void reaches them there: of a fold that
is a reading, and its answer stands in the rulebook beside it; of the others a person is asked.
"""

from controller.games.model import Phase
from controller.games.settling.voids import REACHES_ALL, REACHES_SEAT
from controller.rules.model import Cited, Demand
from controller.rules.vocabulary import Action, Role
from controller.table.acts import Resolution
from controller.table.draft import Draft
from controller.table.state import ALL_COLLECTED, ALL_LOST, Fate, Round

OF_COLLECTED = (Resolution.RETURN_WAGER, Resolution.STAYS_COLLECTED)


def collect_at_fold(draft: Draft, seat: int) -> None:
    """The wagers that a fold gives up, decided the moment the player folds. Clause: `[play] fold_collects`."""
    round_, rule = draft.state.round, draft.setup.law.rulebook.play.fold_collects
    if round_ is None or rule is None:
        return
    for at, wager, lies in round_.wagers(Fate.LIVE, Fate.STANDS):
        if at == seat and wager in rule.value:
            draft.decide_wager(seat, wager, lies.cents, Fate.COLLECTED, rule.cite, None)


def reached_by(round_: Round | None, demands: tuple[Demand, ...], seat: int) -> int | None:
    """Whose collected wagers these demands put in question: a seat, 0 for all, None for nobody's.

    `round_` before these demands. A round that was void already, or is settled, has had its answer.
    """
    if round_ is None or round_.void or round_.phase is Phase.SETTLED:
        return None
    if any(d.action in REACHES_ALL for d in demands):
        return 0
    return seat if seat and any(d.action in REACHES_SEAT for d in demands) else None


def after_void(draft: Draft, seat: int) -> Demand | None:
    """What a void does with wagers collected before. Returns what demands that chips go back, if any do.

    `seat`: whose hand is void, 0 = all. Clause: none; reading by `[play] collected_in_void`.
    """
    round_, rule = draft.state.round, draft.setup.law.rulebook.play.collected_in_void
    assert round_ is not None  # its hands are void
    if rule is None:
        return None
    collected = [(at, wager, w) for at, wager, w in round_.wagers(Fate.COLLECTED) if seat in (0, at)]
    if not collected:
        return None
    match draft.setup.law.decided(rule):
        case "return":
            for at, wager, lies in collected:
                draft.decide_wager(at, wager, lies.cents, Fate.RETURNED, (), rule.reading)
            return Demand(Action.RETURN_ALL_WAGERS, reading=rule.reading)
        case "hold" | None:
            # None: the round goes on under a configuration in which nobody has elected.
            _ask(draft, seat, len(collected), rule)
    return None


def lost_before(round_: Round | None, reached: int | None) -> list[int]:
    """Seats with wagers that were lost before these demands (a player had left, a declaration was false) and that they reach.

    `reached`: whose collected wagers they put in question, by `reached_by`; None for nobody's.
    """
    lost = round_.wagers(Fate.LOST) if round_ is not None else []
    return [seat for seat, _, _ in lost if reached in (0, seat)]


def ask_of_lost(draft: Draft, seats: list[int]) -> None:
    """One hold for all wagers that were lost at these seats before a void. Clause: none; no document speaks of it."""
    if not seats:
        return
    seat = seats[0] if len(set(seats)) == 1 else 0
    draft.hold(
        f"{f'seat {seat}: ' if seat else ''}{len(seats)} wagers were lost before the void, and no text says whether it reaches "
        f"them; decide: {' or '.join(OF_COLLECTED)}",
        seat=seat, wager=ALL_LOST, choices=OF_COLLECTED,
    )  # fmt: skip


def _ask(draft: Draft, seat: int, many: int, rule: Cited[str]) -> None:
    whose = f"seat {seat}: " if seat else ""
    role = draft.setup.law.rulebook.duty_roles.get(Action.HOLD_OTHERS)
    draft.hold(
        f"{whose}{many} wagers were collected at a fold before the void; decide: {' or '.join(OF_COLLECTED)}",
        reading=rule.reading, seat=seat, wager=ALL_COLLECTED, choices=OF_COLLECTED,
        least_role=role.value if role else Role.FLOORPERSON,
    )  # fmt: skip
