"""The few questions about law that both the checks and the decisions ask: counts, waivers, alternation."""

from controller.games.model import Game
from controller.rules.citation import Cited
from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Guard, Method, Trigger
from controller.table.state.device import Device
from controller.table.state.table import Round, Setup, State
from controller.table.words.acts import OutOfService
from controller.table.words.rounds_since_check import NOTHING_PLAYED
from drivers.events import Capability, DeviceKind

WAIVED_BY_SHUFFLER, WAIVED_BY_ANY = "shuffler_counts_each_shuffle", "any_shuffler"
SWAP_EVERY_ROUND = "round"
OF_TABLE, OF_DECK = "table", "deck"


def takes_chips(setup: Setup) -> bool:
    """True where the house offers a wager that a sensor takes."""
    wagers = setup.law.rulebook.wagers
    return any(name in wagers and wagers[name].sensed for name in setup.offered)


def withheld(setup: Setup, method: Method) -> tuple[str, ...]:
    """Optional wagers that are not offered while cards are dealt by this method. Clause: `[[dealing]] withholds`."""
    rule = setup.law.rulebook.dealing[method].withholds
    return rule.value if rule else ()


def full_set(setup: Setup) -> int:
    """Cards in a whole set. Clause: `[decks] full`."""
    return setup.law.rulebook.decks.full.value


def stub_count_waived(setup: Setup, state: State) -> bool:
    """True where the document waives the stub count for the shuffler in service: for one that counts each shuffle, this one
    included, or for any that shuffled the set in play.

    Clause: `[stub_count] waived_by`.
    """
    if _waives(setup, WAIVED_BY_ANY):
        return _shuffled_by_device(state)
    return _waives(setup, WAIVED_BY_SHUFFLER) and shuffler_counted(state)


def why_not_waived(setup: Setup, state: State) -> str:
    """In words, why a count is not waived although what shuffles counts each shuffle; "" where that is nobody's question."""
    if state.round is None or not (_waives(setup, WAIVED_BY_SHUFFLER) and _counts_each_shuffle(state)):
        return ""
    return f"no count of the {state.round.back} set was reported when it was shuffled last"


def _waives(setup: Setup, by: str) -> bool:
    stub = setup.law.rulebook.stub
    return stub is not None and stub.waived_by.value == by


def _shuffled_by_device(state: State) -> bool:
    """True where a shuffler is in service, or the shoe reshuffles, and the set in play was not shuffled by hand."""
    in_play = state.sets.get(state.round.back if state.round else state.last_back)
    by_hand = in_play is not None and in_play.by_hand
    return not by_hand and (
        state.device_of(DeviceKind.SHUFFLER) is not None or reshuffling_shoe(state) is not None
    )


def reshuffling_shoe(state: State) -> Device | None:
    """The shoe from which cards are dealt now, where it says that it reshuffles by itself. Clause: `[[dealing]] reshuffles`."""
    name = state.dispenser()
    device = state.devices[name] if name else None
    is_one = device is not None and device.kind is DeviceKind.SHOE and Capability.RESHUFFLES in device.capabilities
    return device if is_one else None


def shuffler_counted(state: State) -> bool:
    """True where what shuffles counts each shuffle, and neither was the set in play shuffled by hand nor its count left untold.

    That is a shuffler in service, or the shoe itself where it reshuffles.
    """
    round_ = state.round
    in_play = state.sets.get(round_.back if round_ else state.last_back)
    if in_play is not None and in_play.by_hand:
        return False
    # Until its cards are let out the set may still be shuffled, and counted.
    untold = round_ is not None and round_.played and not _count_told(state, round_)
    return _counts_each_shuffle(state) and not untold


def _counts_each_shuffle(state: State) -> bool:
    """True where what shuffles says of itself that it counts each shuffle."""
    shuffler = state.device_of(DeviceKind.SHUFFLER)
    able = (shuffler[1] if shuffler else None, reshuffling_shoe(state))
    return any(device is not None and Capability.COUNTS_EACH_SHUFFLE in device.capabilities for device in able)


def _count_told(state: State, round_: Round) -> bool:
    """Whether the shuffle before this round told whether its set is whole; of a set that is not, no stub is counted besides.

    Once the cards were shuffled again nobody can count the stub: then it is enough that no earlier round is left open.
    """
    card_set = state.sets.get(round_.back)
    if card_set is None:
        return False
    known = card_set.number_right is True or round_.reshuffled
    return card_set.count_right is False or (known and card_set.uncounted == NOTHING_PLAYED)


def stub_count_overdue(setup: Setup, state: State, back: str) -> int:
    """Rounds without a count of this set if that is as many as the document allows, else 0. Clause: `[stub_count]`.

    0 too where the document asks for no stub count.
    """
    stub = setup.law.rulebook.stub
    if stub is None or stub_count_waived(setup, state):
        return 0
    rounds = rounds_without_count(setup, state, back)
    return rounds if rounds >= stub.every_rounds.value else 0


def rounds_without_count(setup: Setup, state: State, back: str) -> int:
    """Rounds since the last count: of the table, of this set, or the more of both. Clause: `[stub_count] counted_by`."""
    stub, card_set = setup.law.rulebook.stub, state.sets.get(back)
    by = stub.counted_by.value if stub is not None and stub.counted_by is not None else OF_TABLE
    of_set = card_set.since_count if card_set is not None and by != OF_TABLE else 0
    return max(of_set, state.since_stub_count if by != OF_DECK else 0)


def must_qualify(setup: Setup, game: Game) -> bool:
    """True where a dealer's hand below its minimum sends wagers back. Clause: `[play] dealer_qualifies`."""
    rule = setup.law.rulebook.play.dealer_qualifies
    return rule is not None and rule.value and bool(game.returned_unqualified)


def asking_order(setup: Setup, round_: Round) -> tuple[list[int], Cited[str] | None]:
    """Seats that are still to be asked, the one whose turn it is first, and the rule of that order, None where there is none.

    Seats count from the dealer's left. Clause: `[play.asked_from]`.
    """
    stage = round_.game.stage(round_.phase)
    rules = setup.law.rulebook.play.asked_from
    rule = rules.get(stage.moment) if stage and stage.moment else None
    waiting = round_.waiting
    return (waiting[::-1] if rule is not None and rule.value == "right" else waiting), rule


def opened(setup: Setup, round_: Round, seat: int) -> tuple[str, ...]:
    """Wagers of this seat that are settled before its player answers; () where none is, or it is not its turn."""
    stage = round_.game.stage(round_.phase)
    return stage.opened if stage is not None and asking_order(setup, round_)[0][:1] == [seat] else ()


def order_cite(setup: Setup, state: State, act: str) -> tuple[str, ...]:
    """The clauses that give this kind of act its place in a round, by the way of dealing. Clause: `[act_order]`."""
    rulebook = setup.law.rulebook
    return rulebook.cite_for(rulebook.act_order.get(act, ()), state.method)


AWAY = {
    Action.REMOVE_DEVICE: (OutOfService.REMOVED,),
    Action.COVER_OR_SIGN_DEVICE: (OutOfService.REMOVED, OutOfService.COVERED, OutOfService.SIGNED),
}
"""How a device may be out of service so that the demand is met."""


def away_first(setup: Setup, state: State, name: str) -> Demand | None:
    """What is still to be done with this device before cards are shuffled or dealt another way. Clause: `method_change`."""
    device = state.devices[name]
    guards = frozenset({Guard.DEVICE_FAILED} if device.failed else ())
    _, demands = setup.law.demands(Trigger.METHOD_CHANGE, guards, state.method)
    return next((d for d in demands if d.action in AWAY and device.out not in AWAY[d.action]), None)


def one_hand_reading(setup: Setup) -> str | None:
    """The reading by which a hand with too many cards is set as one, and nothing else is done with it."""
    readings = setup.law.rulebook.readings.values()
    return next((r.id for r in readings if r.governs is Trigger.WRONG_COUNT_PLAYER), None)


def too_many_cite(setup: Setup) -> tuple[str, ...]:
    """The clauses on a player's hand that was dealt too many cards."""
    return setup.law.rulebook.row(Trigger.WRONG_COUNT_PLAYER, frozenset({Guard.TOO_MANY})).cite


def of_deck_change(state: State) -> tuple[Guard, ...]:
    """Guards of a set that has been at the table for its longest time: a shuffler may hand out its cards."""
    return (Guard.HANDING_OUT,) if state.method is Method.SHUFFLER else ()


def sets_take_turns(state: State) -> bool:
    """True where two sets lie at the table beside a shuffler in service. Clause: `[decks] swap_after`."""
    two = sum(s.present for s in state.sets.values()) > 1
    return two and state.device_of(DeviceKind.SHUFFLER) is not None


def may_be_dealt_next(setup: Setup, state: State, back: str) -> bool:
    """Whether this set is armed, its turn included: what every page, topic and display calls armed or ready."""
    return state.sets[back].armed and not_its_turn(setup, state, back) is None


def not_its_turn(setup: Setup, state: State, back: str) -> str | None:
    """Why this set may not be dealt next, where two take turns beside a shuffler. Clause: `[decks] swap_after`.

    By the round, the set of the last one waits, until cards of the other are out; after a void round no set waits where the
    licensee elected that such a round takes no turn (`[decks] void_takes_turn`). By the shoe, the set in the shoe is dealt on
    until it must be shuffled.
    """
    if not sets_take_turns(state) or not state.last_back:
        return None
    last = state.sets[state.last_back]
    decks = setup.law.rulebook.decks
    if decks.swap_after.value == SWAP_EVERY_ROUND:
        if state.last_void and decks.void_takes_turn is not None and not decks.void_takes_turn.value:
            return None
        other_is_played = state.round is not None and state.round.played and state.round.back != back
        waits = back == last.back and not other_is_played
        return f"the {back} set was used for the last round" if waits else None
    if back == last.back:
        return None if last.in_shoe else f"the last shoe was dealt from the {back} set"
    goes_on = last.in_shoe and not state.leaves_after_round(last.back)
    return f"the {last.back} set is in the shoe and not yet at its cutting card" if goes_on else None
