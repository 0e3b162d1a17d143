"""All acts of a kind that could be accepted now, for the kinds of which somebody can list them."""

from collections.abc import Callable, Iterable
from itertools import product

from controller.games.model import Street
from controller.rules.vocabulary import Method
from controller.table.state.table import Setup, State
from controller.table.words import acts as a

BOTH = (False, True)


def alone(act: a.A) -> Callable[[Setup, State], Iterable[a.A]]:
    """This act as it is."""
    return lambda setup, state: (act,)


def each_set(made: Callable[[str], a.A]) -> Callable[[Setup, State], Iterable[a.A]]:
    """One act for each set of the table."""
    return lambda setup, state: map(made, state.sets)


def notices(setup: Setup, state: State) -> Iterable[a.PostNotice]:
    """One act for each wager of the document."""
    return map(a.PostNotice, setup.law.rulebook.wagers)


def methods(setup: Setup, state: State) -> Iterable[a.ChangeMethod]:
    """One act for each method of dealing."""
    return map(a.ChangeMethod, Method)


def streets(setup: Setup, state: State) -> Iterable[a.RevealCommunity]:
    """One act for each group of community cards."""
    return map(a.RevealCommunity, Street)


def dealer_hands(setup: Setup, state: State) -> Iterable[a.RevealDealer]:
    """All that can be said of the dealer's hand."""
    return (a.RevealDealer(qualifies, natural) for qualifies, natural in product(BOTH, BOTH))


def count_and_deal(setup: Setup, state: State) -> Iterable[a.CountAndDeal]:
    """As many chips as were accepted."""
    return (a.CountAndDeal(state.playing.chips_accepted),)


def duties(setup: Setup, state: State) -> Iterable[a.ConfirmDuty]:
    """One act for each open duty."""
    return map(a.ConfirmDuty, state.duties)


def answers(setup: Setup, state: State) -> Iterable[a.ResolveHold]:
    """Each answer to each hold."""
    return (a.ResolveHold(hold.id, choice) for hold in state.holds.values() for choice in hold.choices)


def alarms(setup: Setup, state: State) -> Iterable[a.SeeAlarm]:
    """One act for each alarm that stands."""
    return map(a.SeeAlarm, state.alarms)


def devices_out(setup: Setup, state: State) -> Iterable[a.TakeDeviceOut]:
    """Each device in each way in which it leaves service."""
    return (a.TakeDeviceOut(*how) for how in product(state.devices, a.OutOfService, BOTH))


def devices_back(setup: Setup, state: State) -> Iterable[a.ReturnDevice]:
    """One act for each device."""
    return map(a.ReturnDevice, state.devices)
