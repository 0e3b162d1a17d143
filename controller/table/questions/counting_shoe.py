"""What a shoe reports from which a dealer draws by hand: each card, the burn switch, the cutting card.

It names no card. Its reports are compared with what people record; where the two differ, play is held and a person looks.
"""

from controller.games.model import Phase
from controller.rules.vocabulary import Trigger
from controller.table.fold.ruling import Draft
from controller.table.questions import burns
from controller.table.state.device import Device
from controller.table.state.table import DISPENSERS, Setup, State
from controller.table.words import acts as a
from controller.table.words.refusal import Refusal
from drivers import events as e


def teller(state: State) -> tuple[str, Device] | None:
    """The shoe in service that tells of each card, where hands deal."""
    found = state.device_of(e.DeviceKind.SHOE)
    tells = found is not None and found[1].online and e.Capability.TELLS_DRAWS in found[1].capabilities
    return found if tells and state.method not in DISPENSERS else None


def drawn(draft: Draft, name: str, report: e.CardDrawn) -> None:
    """A card came before its time, or was burned when none was due: the person who drew it, or turned the key, is asked."""
    round_ = draft.state.round
    if round_ is None or round_.method in DISPENSERS:
        return
    taken = round_.racked + round_.burned + (burns.due(draft.setup, draft.state) is not None)
    if round_.phase is Phase.BETTING or (round_.phase is Phase.BETS_CLOSED and round_.drawn_before > taken):
        cite = draft.setup.law.rulebook.dealing[round_.method].cite
        draft.hold(f"a card left {name} before the deal was started", cite=cite, code="cards_dispensed")
    elif report.burned and round_.phase is Phase.DEALING:
        draft.hold(
            f"{name} is set to burn cards while hands are dealt; look who turned its key", code="shoe_key_turned"
        )


def compare_with_deal(draft: Draft, out: int) -> None:
    """Compares the cards that the shoe reported in the deal with `out` of the plan and with replaced cards.

    Where a hand was found to be wrong before, the plan says nothing about the number.
    """
    round_, told_by = draft.state.round, teller(draft.state)
    if round_ is None or told_by is None or any(s.void or s.one_hand for s in round_.seats.values()):
        return
    expected = out + round_.racked
    if round_.drawn != expected:
        draft.hold(
            f"{told_by[0]} has reported {round_.drawn} cards in the deal, and {expected} make it up; count the hands",
            code="cards_miscounted",
        )


def cutting_card_untold(setup: Setup, state: State) -> Refusal | None:
    """The shoe has reported its cutting card, and nobody has reported where it showed; the demand depends on that."""
    round_, trigger = state.round, Trigger.CUTTING_CARD_REACHED
    if round_ is None or not round_.cutting_card_sensed or round_.cutting_card is not None:
        return None
    if setup.law.rulebook.absent(trigger) is not None:
        return None
    return Refusal(
        f"the shoe has reported its cutting card; report where it showed ({a.ReportIrregularity.kind} {trigger})",
        setup.law.rulebook.rows[trigger][0].cite,
        code="cutting_card_first",
    )
