"""The stacks of a round, in the order in which they come: what is dealt to whom, and what waits for the answers."""

from controller.games.model import Phase
from controller.rules.parts import Stack
from controller.rules.vocabulary import Area, Method
from controller.table.questions.stub_count_and_turns import withheld
from controller.table.state.deal import PlannedStack
from controller.table.state.table import AFTER_DECISIONS, DISPENSERS, Round, Setup


def deal_plan(setup: Setup, round_: Round) -> tuple[PlannedStack, ...]:
    """The stacks of this round in the order of the document, one for each seat in play where it says players; what stays
    in the device until all have answered comes last.
    """
    plan: list[PlannedStack] = []
    turn: list[PlannedStack] = []
    dealing = setup.law.rulebook.dealing[round_.method]
    waits = dealing.dealer_delivered is not None and dealing.dealer_delivered.value == AFTER_DECISIONS
    for stack in dealing.stacks:
        if not _dealt(setup, round_.method, stack):
            continue
        if any(planned.area is stack.to for planned in turn):
            plan, turn = plan + _turned(setup, round_, turn), []
        seats = tuple(round_.in_play) if stack.to is Area.PLAYER else (0,)
        late = waits and stack.to is Area.DEALER
        turn += [PlannedStack(stack.to, seat, stack.cards, stack.cite, late) for seat in seats]
    return tuple(sorted(plan + _turned(setup, round_, turn), key=lambda planned: planned.late))


def delivered(setup: Setup, round_: Round) -> tuple[str, ...]:
    """The clauses on when the dealer's stack leaves the device."""
    rule = setup.law.rulebook.dealing[round_.method].dealer_delivered
    return rule.cite if rule else ()


def in_stacks(setup: Setup, round_: Round) -> bool:
    """True where a device gives this round's cards out in stacks, and not one by one."""
    return round_.method in DISPENSERS and any(planned.cards > 1 for planned in deal_plan(setup, round_))


def first_deal(setup: Setup, round_: Round) -> tuple[PlannedStack, ...]:
    """The stacks that are dealt before anybody is asked."""
    return tuple(planned for planned in deal_plan(setup, round_) if not planned.late)


def still_in_device(setup: Setup, round_: Round) -> bool:
    """True while the dealer's stack waits in the device for the answers, or for the dealer to start it.

    What is settled was turned up, by whatever device it was dealt: a device that came back into service since has none of it.
    """
    if round_.phase is Phase.SETTLED or not round_.initial_deal_done:
        return False
    plan = deal_plan(setup, round_)
    return any(p.late for p in plan) and round_.stacks_out < len(plan)


def dealt_late(setup: Setup, round_: Round) -> bool:
    """True where what is dealt after the first deal comes out of the device, too. Clause: `[[dealing]] all_from_device`."""
    rule = setup.law.rulebook.dealing[round_.method].all_from_device
    return rule is not None and rule.value and round_.initial_deal_done


def community_left(setup: Setup, round_: Round) -> int:
    """Cards that are still to come out of the device before the community cards are shown, those to be burned included.

    They come out of it once the dealer's hand is up, and then all together. Below 0 where more have come than that.
    """
    if not dealt_late(setup, round_) or not round_.shows_community_next:
        return 0
    streets = round_.game.streets
    burns = min(setup.law.rulebook.dealing[round_.method].burns.value, len(streets))
    return burns + sum(street.cards for street in streets) - round_.late_out


def cards_known(round_: Round) -> bool:
    """True where it is known how many cards of this round lie on the layout: not in a deal by hand that has not come to its
    end, as nothing counts its cards."""
    return round_.initial_deal_done or not round_.let_out or round_.method in DISPENSERS


def cards_gone(setup: Setup, round_: Round) -> int:
    """Cards that have left the set in this round: stacks or hands, burns, community cards dealt after them, and those that lay
    face up and went to the rack, each of which another card has replaced."""
    dealing = setup.law.rulebook.dealing[round_.method]
    shown = sum(street.cards for street in round_.game.streets[: round_.streets])
    after = shown if dealing.community_after else 0
    burns = min(dealing.burns.value, round_.streets)
    return round_.cards_out + max(after + burns, round_.late_out) + round_.racked


def hands_dealt(setup: Setup, round_: Round) -> bool:
    """True where each player and the dealer hold their first cards: not while the dealer's are still in the device."""
    return round_.initial_deal_done and (
        round_.game.dealer_is_up(round_.phase) or not still_in_device(setup, round_)
    )


def players_dealt(setup: Setup, round_: Round) -> bool:
    """True where each player holds the first cards. Dealt by hand that is known once the deal is recorded."""
    if round_.initial_deal_done:
        return True
    left = deal_plan(setup, round_)[round_.stacks_out :]
    return round_.method in DISPENSERS and not any(planned.area is Area.PLAYER for planned in left)


def community_lies_open(round_: Round) -> bool:
    """True where every community card of the game was shown; a game without any has none to show."""
    return round_.streets >= len(round_.game.streets)


def community_to_come(setup: Setup, round_: Round) -> bool:
    """True while community cards are still to be dealt by hand: not where they lie there since the deal, nor after a dealer's
    natural, which ends the round without them. Clause: `[[dealing]] community_after`, `[play] dealer_natural`.
    """
    by_hand = setup.law.rulebook.dealing[round_.method].community_after
    return by_hand and not (community_lies_open(round_) or round_.natural)


def _turned(setup: Setup, round_: Round, turn: list[PlannedStack]) -> list[PlannedStack]:
    """One turn around the table from where the marker lies, where the document has one. Clause: `first_card_to`."""
    if setup.law.rulebook.play.first_card_to.value != "marker":
        return turn
    first = round_.marker - round_.marker_stayed
    return sorted(turn, key=lambda planned: (planned.seat - first) % (setup.seats + 1))


def _dealt(setup: Setup, method: Method, stack: Stack) -> bool:
    if stack.only_if is None:
        return True
    return stack.only_if in setup.offered and stack.only_if not in withheld(setup, method)
