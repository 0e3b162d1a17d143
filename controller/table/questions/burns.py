"""Cards burned beside those of each round: for a new shoe, and for a new dealer. Clause: `[[dealing]] burns_at`."""

from controller.rules.citation import Cited
from controller.rules.vocabulary import BurnAt
from controller.table.fold.ruling import Draft
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal


def due(setup: Setup, state: State) -> BurnAt | None:
    """What a card of the set of the round in play is to be burned for now; each reason wants a card of its own."""
    round_, rule = state.playing, _rule(setup, state)
    if rule is None:
        return None
    card_set = state.sets[round_.back]
    is_fresh = (
        not card_set.gone and not card_set.in_shoe and not round_.cards_out
    )  # no shoe becomes new within a round
    if BurnAt.NEW_SHOE in rule.value and is_fresh:
        return BurnAt.NEW_SHOE
    return BurnAt.NEW_DEALER if BurnAt.NEW_DEALER in rule.value and state.new_dealer else None


def verify_burn_card(setup: Setup, state: State, act: a.BurnCard, actor: Actor) -> Refusal | None:
    """A card is burned where one is due, of a set that is ready to be dealt."""
    if due(setup, state) is None:
        return Refusal(
            "no card is to be burned now beside those of the round", _cite(setup, state), code="burn_not_due"
        )
    round_ = state.playing
    if not (state.sets[round_.back].armed or round_.vouched):
        return Refusal(
            f"the {round_.back} set is not ready to be dealt; shuffle it first",
            _cite(setup, state),
            code="set_not_armed",
        )
    return None


def burn_card(draft: Draft, act: a.BurnCard, actor: Actor) -> None:
    """Records the card, with what it was burned for."""
    because = due(draft.setup, draft.state)
    assert because is not None
    draft.add(f.CardBurned(draft.state.playing.back, because.value, actor.who, _cite(draft.setup, draft.state)))


def before_cards(setup: Setup, state: State) -> Refusal | None:
    """No card of a round before the burn that a new shoe or a new dealer demands."""
    because = due(setup, state)
    if because is None:
        return None
    why = because.replace("_", " ")
    return Refusal(f"first burn a card unseen for the {why} (burn_card)", _cite(setup, state), code="burn_first")


def _rule(setup: Setup, state: State) -> Cited[tuple[str, ...]] | None:
    return setup.law.rulebook.dealing[state.playing.method].burns_at


def _cite(setup: Setup, state: State) -> tuple[str, ...]:
    rule = _rule(setup, state)
    return rule.cite if rule else ()
