"""Codes of holds and of alarms: why play stands still, and what a person looks at."""

from collections.abc import Mapping

__all__ = ["ALARMS", "HOLDS"]

HOLDS: Mapping[str, tuple[str, str]] = {
    "answer_revoked": ("A hand is not what its player declared, and it is too late to set it.", "Decide about its wager."),
    "card_face_up": ("A device and a person each report a card face up.", "Look whether it is the same card."),
    "cards_contradict": ("Recorded cards contradict what was recorded before.", "Look at the cards and correct the record."),
    "cards_dispensed": ("Cards left a device when none should.", "Gather the cards and look at the device."),
    "cards_miscounted": ("The shoe reports another number of cards than the deal has.", "Count the hands."),
    "cards_unreadable": ("Cards of this round are sealed under a missing key.", "Record them again, and put the key back."),
    "cent_undecided": ("A stake cannot be halved in whole cents.", "Decide who keeps the cent."),
    "dealer_hand_short": ("The dealer's hand is short, and the set may not be whole.", "Count all cards."),
    "decision_failed": ("The software could not decide.", "Look at the table by hand, and report the fault."),
    "device_cards_unknown": ("It is not known where a device's cards are.", "Look for them."),
    "dispute": ("A player disputes a round.", "A supervisor decides and lifts the hold."),
    "earlier_rounds": ("Earlier rounds were played with a set that is not whole.", "Look at what was paid in them."),
    "floor_decides": ("A dealer settled what a floorperson decides.", "Look at the wagers, and correct what is wrong."),
    "given_up_before_void": ("Wagers were given up before the round was void.", "Decide what becomes of them."),
    "hands_contradict": ("The shuffler found another number of hands.", "Look at what it pays by."),
    "irregularity_contradicts": ("A report that contradicts itself was repeated.", "Look, and report what is wrong."),
    "level_opened": ("A device opened its lock-out or its deal by itself.", "Look who touched it."),
    "limit_asked": ("It is asked each time whether a payout is limited.", "Decide, and correct the settlement if needed."),
    "lost_before_void": ("Wagers were lost before the round was void.", "Decide what becomes of them."),
    "natural_denied": ("The dealer's hand is no natural, and wagers were settled as if it were.", "Correct them."),
    "natural_found": ("The dealer's hand is a natural, and wagers were settled as if it were none.", "Correct them."),
    "natural_with_too_many": ("A natural was dealt too many cards.", "Decide whether it stands."),
    "no_such_seat": ("A sensor reports a seat that the table does not have.", "Look at the sensor."),
    "notice_missing": ("A wager is not offered any more, and no notice was posted.", "Post the notice."),
    "progressive_not_offered": ("A chip lies on a sensor, and no progressive wager is offered.", "Give the chip back."),
    "record_begun_anew": ("The record before this one was set aside.", "Look at the table: rounds and sets are unknown."),
    "record_damaged": ("The record is not as it was written.", "Keep the file, and call the supervisor."),
    "round_unproven": ("A device was away while cards were dealt.", "Look at the hands."),
    "self_test_failed": ("A device failed its self-test.", "Take it out of service."),
    "settled_before_one_hand": ("A hand with too many cards was settled as two.", "Correct it, or let it stand."),
    "settled_before_revoked": ("A wager was settled by an answer that does not hold.", "Correct it, or let it stand."),
    "settled_before_short": ("A hand with too few cards was settled as given up.", "Correct it, or let it stand."),
    "settled_before_void": ("Wagers were settled before the round was void.", "Decide what becomes of them."),
    "settled_otherwise": ("A wager was settled otherwise than cards and pay table say.", "Correct it, or let it stand."),
    "settled_otherwise_in_sum": ("The round paid another sum than cards and pay tables say.", "Correct what was wrong."),
    "settlement_contradicts": ("A settlement that contradicts itself was repeated.", "Look, and settle it again."),
    "settlement_impossible": ("The cards cannot lead to this settlement.", "Look at the cards."),
    "shoe_key_turned": ("The shoe is set to burn cards while hands are dealt.", "Look who turned its key."),
    "signing_key_changed": ("The key that signs the record was changed and not announced.", "Find out who changed it."),
    "split_with_too_many": ("A hand with too many cards was split.", "Decide about its wager."),
    "stack_too_many": ("A device dispensed more stacks than the deal has.", "Gather the cards, and look at the device."),
    "stored_set_taken_out": ("The stored set was outside the shuffler.", "Look at its cards, and shuffle it again."),
    "stub_count_contradicts": ("A stub count that contradicts itself was repeated.", "Count again."),
    "unknown_set": ("The shuffler shuffled cards of a back that is not here.", "Look, and shuffle again."),
    "wager_held": ("The document holds a wager.", "Decide what becomes of it."),
    "wager_needs_another": ("A progressive wager lies without the one that it needs.", "Give it back."),
}  # fmt: skip
"""Code -> why play is held, and what to do. A hold that a row of the rulebook demands has the row's trigger as its code."""

ALARMS: Mapping[str, tuple[str, str]] = {
    "cleared_in_dispute": ("A device was cleared although a dispute keeps it as it is.", "Find out by whom."),
    "device_alarm": ("The device reports an alarm of its own.", "Do what its manual says of its code."),
    "device_changed": ("Serial number, model, firmware or settings are not those of last time.", "Find out who changed it."),
    "device_rebooted": ("The device restarted while the table was open.", "Look at its power and its seals."),
}  # fmt: skip
"""`reason` of an alarm -> what it says, and what to do. An `auth_...` reason is the id of a device's fault."""
