"""Turns duties into instructions: a verb first, then the wagers, seats, sets and devices.

A clause may say "return all wagers" and except some; the sentence names both.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from controller.rules.explain.words import action_in_words, spoken_wager
from controller.rules.vocabulary import Action
from controller.table.state.table import Duty, Fate, Seat, State

Named = dict[tuple[tuple[str, bool], ...], list[int]]
"""Wagers, each with whether a coupon lies beside it, and the seats at which they are."""
STAY = (Fate.LIVE, Fate.STANDS, Fate.HELD, Fate.TO_SETTLE)
OF_SET = {
    Action.RESHUFFLE: "Shuffle the {} set",
    Action.RESHUFFLE_WITH_DEALT: "Shuffle the {} set together with the cards already dealt",
    Action.RESHUFFLE_IDLE_SET: "Shuffle the {} set, which is not in play",
    Action.RESHUFFLE_AFTER_ROUND: "Shuffle the {} set",
    Action.SWAP_SET_AFTER_ROUND: "Put the {} set away for the other one",
    Action.REMOVE_SET: "Take the whole {} set from the table",
    Action.CHANGE_SET: "Change the {} set",
}
OF_DEVICE = {
    Action.CLEAR_DEVICE: "Take all cards out of {}",
    Action.REMOVE_DEVICE: "Take {} from the table",
    Action.COVER_OR_SIGN_DEVICE: "Cover {}, or mark it out of order",
}
OF_SEAT = {
    Action.CALL_FLOORPERSON: "Call a floorperson to seat {}",
    Action.DISCARD_EXCESS: "Lay away the cards that seat {} has too many",
    Action.ASK_VOID_OR_COMPLETE: "Ask seat {}: a void hand, or the missing cards",
}


def instruction(state: State, duty: Duty) -> str:
    """Returns what the person does, as sentences that begin with the verb."""
    seats = _seats(state)
    match duty.action:
        case Action.RETURN_ALL_WAGERS:
            return _returned(seats)
        case Action.COLLECT if duty.wager and duty.seat:
            return f"Collect {spoken_wager(duty.wager)} at seat {duty.seat}."
        case Action.COLLECT_SEAT_WAGERS if lost := _named(seats, (Fate.LOST,), duty.seat):
            return f"Collect {_list(lost)}."
        case Action.SETTLE if spared := _named(seats, (Fate.TO_SETTLE,)):
            return f"Settle {_list(spared)} by the cards."
    for words, named in ((OF_SET, duty.back), (OF_DEVICE, duty.device), (OF_SEAT, duty.seat)):
        if duty.action in words and named:
            later = " once this round has ended" if state.waits_for_end(duty) else ""
            return f"{words[duty.action].format(named)}{later}."
    return _plain(duty)


def _plain(duty: Duty) -> str:
    words = action_in_words(duty.word)
    return f"{words[0].upper()}{words[1:]}."


def _seats(state: State) -> Mapping[int, Seat]:
    """Returns the seats of the round in play, or of the last round if its duties are open."""
    found = state.round or state.last_round
    return found.seats if found else {}


def _returned(seats: Mapping[int, Seat]) -> str:
    """Yields the wagers to return, then those that stay on the layout."""
    back = _named(seats, (Fate.RETURNED,))
    stays = _named(seats, STAY)
    if not back:
        return "Return the wagers that go back."
    return f"Return {_list(back)}." + (f" Leave {_list(stays)}." if stays else "")


def wagers_of(state: State, duty: Duty) -> dict[str, list[dict[str, Any]]]:
    """Returns the wagers that the sentence of a duty names, as data: a screen says them in the language of its page.

    `does`: wagers to return, collect or settle; `stay`: wagers to leave. Each entry has `wagers` ({wager, coupon}) and `seats`.
    """
    seats = _seats(state)
    match duty.action:
        case Action.RETURN_ALL_WAGERS:
            does, stay = _named(seats, (Fate.RETURNED,)), _named(seats, STAY)
        case Action.COLLECT_SEAT_WAGERS:
            does, stay = _named(seats, (Fate.LOST,), duty.seat), {}
        case Action.SETTLE:
            does, stay = _named(seats, (Fate.TO_SETTLE,)), {}
        case _:
            return {}
    return {"does": _documents(does), "stay": _documents(stay)}


def _documents(named: Named) -> list[dict[str, Any]]:
    return [
        {"wagers": [{"wager": name, "coupon": coupon} for name, coupon in names], "seats": seats}
        for names, seats in named.items()
    ]


def _named(seats: Mapping[int, Seat], fates: tuple[Fate, ...], only: int = 0) -> Named:
    """Returns wagers with one of these fates that are still there, with their seats."""
    found: Named = {}
    for number, seat in sorted(seats.items()):
        if only and number != only:
            continue
        names = [
            (name, name in seat.coupons)
            for name, wager in seat.wagers.items()
            if wager.fate in fates and not wager.handed
        ]
        if names:
            found.setdefault(tuple(names), []).append(number)
    return found


def _list(named: Named) -> str:
    return "; ".join(f"{_and(map(_spoken, names))} at {_at(seats)}" for names, seats in named.items())


def _spoken(named: tuple[str, bool]) -> str:
    name, has_coupon = named
    return spoken_wager(name) + (" with its coupon" if has_coupon else "")


def _at(seats: list[int]) -> str:
    return f"seat {seats[0]}" if len(seats) == 1 else f"seats {_and(map(str, seats))}"


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
