"""Records the fates that a row gives to wagers: a fact for each wager, a duty for chips to return, a hold for each question.

The fates come from `controller.games.fates`; nothing is decided here.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from controller.games.fates import OF_WAGER, Fate, Placed, WagerFate, Why
from controller.games.model import Phase
from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Role
from controller.table.fold.ruling import Draft
from controller.table.irregularities.revoked_answers import OF_WAGER as CHOICES
from controller.table.state.table import ALL_HELD, Round
from controller.table.words import facts as f
from controller.table.words.acts import Resolution

HANDS_FIRST = ", and then the missing cards and the community are dealt first"
"""What follows where a wager stands of which the hand is not dealt yet."""


def lying(draft: Draft, declared: int = 0) -> list[Placed]:
    """Returns the wagers of the round that a row may reach, in seat order, as they lie when the row takes effect.

    `declared`: the seat of a false declaration, of which the row decides all wagers; 0 = none.
    """
    round_ = draft.state.round
    if round_ is None:
        return []
    spared = _spared(draft, round_) if round_.void else frozenset()
    found = []
    for seat, wager, lies in round_.wagers(*Fate):
        fate = _as_lying(round_, seat, wager, lies.fate)
        asked = fate is Fate.SETTLED and round_.void and wager not in spared and seat != declared
        if fate is None or asked:  # a void asked about what was settled before it
            continue
        on_record = lies.outcome is not None or not round_.live
        found.append(Placed(seat, wager, fate, on_record, round_.seats[seat].folded))
    return found


def _as_lying(round_: Round, seat: int, wager: str, fate: Fate) -> Fate | None:
    """None for a wager that has had its answer."""
    match fate:
        case Fate.RETURNED:
            return None
        case Fate.HELD:  # of a wager that was given up, only whose the odd cent is may still be held
            given_up = round_.live and wager in round_.game.settled_with(round_.seats[seat].answers)
            return Fate.SETTLED if given_up else None
        case Fate.COLLECTED | Fate.LOST if round_.void:
            return None
        case Fate.COLLECTED | Fate.LOST if round_.phase is Phase.SETTLED:
            return Fate.SETTLED
    return fate


def _spared(draft: Draft, round_: Round) -> frozenset[str | None]:
    """Names of wagers that the voids of this round spared, or asked about."""
    kept = {action for action, fate in OF_WAGER.items() if fate is not Fate.RETURNED}
    law, method = draft.setup.law, draft.state.method
    demands = (law.demands(v.trigger, frozenset(v.state), method)[1] for v in round_.voids)
    return frozenset(demand.wager for row in demands for demand in row if demand.action in kept)


def record(draft: Draft, fates: Iterable[WagerFate]) -> None:
    """Records the fates that the row itself gives, demand by demand."""
    for _, group in groupby((fate for fate in fates if fate.why is Why.ROW), key=lambda fate: fate.by):
        decided = list(group)
        fate, by = decided[0].fate, decided[0].by
        decide(draft, decided)
        if fate is Fate.RETURNED:
            open_return_duty(draft, by)
        elif fate is Fate.HELD:
            hold_wagers(draft, [(x.seat, x.wager) for x in decided], by)


def give_back(draft: Draft, back: Sequence[WagerFate]) -> None:
    """Records wagers that go back although they had left the layout."""
    if back:
        decide(draft, back)
        open_return_duty(draft, back[0].by)


def decide(draft: Draft, fates: Iterable[WagerFate]) -> None:
    """Records one fact for each fate."""
    round_ = draft.state.round
    assert round_ is not None  # it has these wagers
    for x in fates:
        cents = round_.seats[x.seat].wagers[x.wager].cents
        draft.decide_wager(x.seat, x.wager, cents, x.fate, x.by.cite, x.by.reading)


def hold_wagers(
    draft: Draft, held: list[tuple[int, str]], demand: Demand, choices: tuple[Resolution, ...] = CHOICES
) -> None:
    """One hold for all wagers of one demand: the floor decides once. It names the seat where they are those of one.

    They may be lost where another choice of the same reading collects them, as those of a player who left.
    """
    if demand.action is Action.HOLD_SEAT_WAGERS and draft.setup.law.may_collect(demand.reading):
        choices = (*choices, Resolution.WAGER_LOST)
    seat, wager = held[0]
    what = f"seat {seat}: the {wager} wager is"
    if len(held) > 1:
        seat, wager = (seat if len({at for at, _ in held}) == 1 else 0), ALL_HELD
        what = f"{f'seat {seat}: ' if seat else ''}{len(held)} wagers are"
    hands = HANDS_FIRST if demand.action is Action.HOLD else ""
    draft.hold(
        f"{what} held; decide: {' or '.join(choices)}{hands}", cite=demand.cite, reading=demand.reading, choices=choices,
        seat=seat, wager=wager, least_role=least_role(draft, Action.HOLD_OTHERS, Role.FLOORPERSON), code="wager_held",
    )  # fmt: skip


def open_return_duty(draft: Draft, demand: Demand) -> None:
    """One duty for all chips that go back, however many wagers they are."""
    if any(d.action is Action.RETURN_ALL_WAGERS for d in draft.state.duties.values()):
        return
    draft.add(
        f.DutyOpened(
            draft.next_id("D"), Action.RETURN_ALL_WAGERS,
            least_role(draft, Action.RETURN_ALL_WAGERS, Role.DEALER), cite=demand.cite, reading=demand.reading,
        )
    )  # fmt: skip


def least_role(draft: Draft, word: str, otherwise: Role) -> Role:
    """The least role that may do what this word demands, as the rulebook cites it."""
    cited = draft.setup.law.rulebook.duty_roles.get(word)
    return cited.value if cited else otherwise
