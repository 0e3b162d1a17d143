"""The list of acts for people: what each does, who may do it, and how it is typed."""

from collections.abc import Iterator
from enum import StrEnum
from typing import get_args, get_type_hints

from msgspec.structs import fields

from controller.table.acts.registry import REGISTRY
from controller.table.words.acts import ACTS

FEW = 6
"""Words that are listed beside their argument; more stand on a line of their own."""

SENTENCES = {
    "open_table": "Open the table for play.",
    "close_table": "Close the table.",
    "begin_round": "Open the betting of a round with the set of this back colour.",
    "place_wager": "Place a wager at a seat; amount=0.00 if nobody counted the chips.",
    "wagers_as_before": "Place the wagers of the last round again where none lies yet.",
    "withdraw_wager": "Take a wager back before no more bets, and its coupon with it.",
    "announce_no_more_bets": "End the betting of the round.",
    "release_lockout": "Open the progressive again during betting, after a restart has shut it.",
    "record_progressive_count": "Record the progressive chips that were collected and counted.",
    "start_dealing": "Let the device dispense cards.",
    "count_and_deal": "Record as many progressive chips as were accepted, and deal.",
    "record_initial_deal": "Record that hands dealt the first cards to all seats.",
    "record_decision": "Record a player's answer; multiple says how many times the Ante a raise is.",
    "record_decisions": "Record several answers in one line, as '1 check, 2 play 4, rest fold'.",
    "reveal_community": "Record that the next community cards lie face up.",
    "reveal_dealer": "Record that the dealer's hand lies face up.",
    "record_hands_found": "Record how many hands the shuffler found.",
    "settle_offered": "Settle each wager that waits as the cards make it, and the round.",
    "settle_round": "Record that all wagers left are paid, collected or returned.",
    "record_stub_count": "Record how many cards the stub has.",
    "collect_cards": "Record that all cards of the round lie in the discard rack.",
    "next_round": "Settle, collect the cards, end the round, and open the next one.",
    "end_round": "End the round.",
    "report_irregularity": "Report what went wrong; the table says what follows.",
    "confirm_duty": "Confirm that a duty is done.",
    "resolve_hold": "Decide a hold, so that play goes on or the round is void.",
    "record_shuffle": "Record that a set was shuffled by hand.",
    "bring_set": "Bring a new set to the table.",
    "confirm_step": "Confirm the next step of preparing a set.",
    "idle_table": "Record that nobody plays at the open table.",
    "request_spread": "Ask to have the cards spread.",
    "direct_shuffle": "Direct that this set be shuffled.",
    "record_cut": "Record who cut a set; seat=0 is the dealer.",
    "place_cutting_card": "Record that the cutting card is in the stack.",
    "post_notice": "Record the notice that an optional wager will be withdrawn.",
    "recut": "Direct that the cut be made again.",
    "new_dealer": "Take the dealer's place.",
    "burn_card": "Record that a card was burned unseen.",
    "take_set_away": "Take a set off the table.",
    "report_set_due": "Report that the house's time for this set is over.",
    "record_hand": "Record the cards of a hand, as in cards='As Kd'.",
    "record_meter": "Record a progressive meter before the first payment of the round.",
    "settle_wager": "Record what one wager came to.",
    "correct_settlement": "Correct what a wager of this or the last round came to.",
    "validate_progressive": "Record that a progressive payout was checked.",
    "raise_dispute": "Keep a round as it is, because somebody doubts it.",
    "name_bookmark": "Record where surveillance keeps the pictures of a dispute.",
    "allow_clearing": "Let a device be cleared, or a set taken up, in a dispute.",
    "close_dispute": "End a dispute with what was found.",
    "see_alarm": "Record that you have seen an alarm.",
    "clear_alarm": "Clear an alarm with what was found.",
    "take_device_out": "Take a device out of service.",
    "return_device": "Return a device to service.",
    "change_method": "Change how cards are dealt from now on.",
}
"""Act -> what a person does with it."""

MONEY_FORM = "10.00"


def act_lines(amounts: tuple[str, ...]) -> Iterator[str]:
    """Yields each act with its sentence, the least role, and its arguments. `amounts`: arguments that are money.

    A rulebook may ask for a higher role (`act_roles`), and duties and steps name their own.
    """
    for name, cls in ACTS.items():
        types, words, long = get_type_hints(cls), [name], []
        for f in fields(cls):
            shown, list_ = _shown(f.name, types[f.name], amounts)
            long += [list_] if list_ else []
            key = "amount" if f.name == "cents" else f.name
            words.append(f"{key}={shown}" if f.required else f"[{key}={shown}]")
        row = REGISTRY[name]
        also = ", or a technician" if row.for_technicians else ""
        yield " ".join(words)
        yield f"    {SENTENCES[name]} By a {row.least_role} or above{also}."
        yield from long


def _shown(name: str, typed: object, amounts: tuple[str, ...]) -> tuple[str, str]:
    """Returns the form of an argument, and the line of its words where they are many."""
    if name in amounts and typed is not bool:
        return MONEY_FORM, ""
    if name.endswith("_us"):
        return "YYYY-MM-DDTHH:MM:SS+HH:MM", ""
    if isinstance(typed, type) and issubclass(typed, StrEnum):
        if len(typed) <= FEW:
            return "|".join(typed), ""
        return name.upper(), f"    {name.upper()}: {', '.join(typed)}"
    return {int: "N", str: "TEXT", bool: "true|false"}.get(typed, "N" if int in get_args(typed) else "TEXT"), ""  # type: ignore[call-overload]
