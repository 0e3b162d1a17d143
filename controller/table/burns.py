"""Cards burned beside those of each round: for a new shoe, and for a new dealer. Clause: `[[dealing]] burns_at`."""

from controller.rules.vocabulary import BurnAt
from controller.table import acts as a
from controller.table import facts as f
from controller.table.draft import Draft
from controller.table.inputs import Actor
from controller.table.refusal import Refusal
from controller.table.state import Setup, State


def due(setup: Setup, state: State) -> BurnAt | None:
    """What a card of this round's set is to be burned for now; each reason wants a card of its own."""
    round_ = state.round
    rule = setup.law.rulebook.dealing[round_.method].burns_at if round_ else None
    if round_ is None or rule is None:
        return None
    card_set = state.sets[round_.back]
    is_fresh = (
        not card_set.gone and not card_set.in_shoe and not round_.cards_out
    )  # no shoe becomes new within a round
    if BurnAt.NEW_SHOE in rule.value and is_fresh:
        return BurnAt.NEW_SHOE
    return BurnAt.NEW_DEALER if BurnAt.NEW_DEALER in rule.value and state.new_dealer else None


def burned(draft: Draft, who: str) -> None:
    round_, because = draft.state.round, due(draft.setup, draft.state)
    assert round_ is not None
    assert because is not None
    draft.add(f.CardBurned(round_.back, because.value, who, _cite(draft.setup, draft.state)))


def may_burn(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    if due(setup, state) is None:
        return Refusal("no card is to be burned now beside those of the round", _cite(setup, state))
    assert state.round is not None
    if not (state.sets[state.round.back].armed or state.round.vouched):
        return Refusal(
            f"the {state.round.back} set is not ready to be dealt; shuffle it first", _cite(setup, state)
        )
    return None


def before_cards(setup: Setup, state: State) -> Refusal | None:
    """No card of a round before the burn that a new shoe or a new dealer demands."""
    because = due(setup, state)
    if because is None:
        return None
    why = because.replace("_", " ")
    return Refusal(f"first burn a card unseen for the {why} (burn_card)", _cite(setup, state))


def _cite(setup: Setup, state: State) -> tuple[str, ...]:
    rule = setup.law.rulebook.dealing[state.round.method].burns_at if state.round else None
    return rule.cite if rule else ()
