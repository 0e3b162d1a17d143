"""Bodies of the first version, raised to the second: what their words became. Pure.

What was 0 or an empty text there, where there was none, needs no step: the program has it so, and leaves it out as it writes.
"""

from collections.abc import Callable
from typing import Any

from controller.rules.named_wagers import parted
from controller.rules.vocabulary import Action
from controller.table.words.facts.demands import DispositionMade, DutyClosed, DutyOpened
from controller.table.words.facts.round import RoundBegun

BodyJson = dict[str, Any]

SECOND = frozenset({
    # acts
    "place_wager", "record_decision", "record_stub_count", "report_irregularity", "resolve_hold", "record_cut", "settle_wager",
    "correct_settlement", "validate_progressive", "raise_dispute",
    # play and law
    "input_refused", "round_begun", "wager_placed", "decision_recorded", "wager_decided", "wager_settled", "settlement_corrected",
    "round_settled", "disposition_made", "something_else_reported", "duty_opened", "duty_closed", "hold_placed", "hold_lifted",
    "set_cut", "dispute_raised", "security_alarm",
    # devices and their links
    "jammed", "lockout_engaged", "lockout_released", "dispensing_inhibited", "dispensing_allowed", "alarm_raised",
    "device_offline", "device_rejected", "events_lost",
    # the service
    "service_started", "set_due", "signing_key_changed", "record_checked", "record_replaced", "round_opened", "cards_erased",
    "record_day_closed",
})  # fmt: skip
"""Kinds whose body is of the second version."""
THIRD = frozenset({"record_hand", "hand_recorded"})
"""Kinds whose body names cards: 2 is the first version sealed, 3 the second one, and 4 is that sealed."""
VERSIONS = dict.fromkeys(SECOND, 2) | dict.fromkeys(THIRD, 3)
"""Kind -> the version of its body now, 1 where none stands here."""


def duty_named(part: BodyJson) -> BodyJson:
    """One demand or duty with action and wager apart. What is no action stays as it is, for its reader to refuse."""
    word = part.get("action")
    if isinstance(word, str) and word not in list(Action):
        try:
            action, part["wager"] = parted(word)
        except ValueError:
            return part
        part["action"] = action.value
    return part


def _demands_named(body: BodyJson) -> BodyJson:
    for demand in body.get("demands", ()):
        duty_named(demand)
    return body


def _renamed(old: str, new: str) -> Callable[[BodyJson], BodyJson]:
    """Gives a value its own key, where in other kinds one of another type has the old one."""
    return lambda body: {new if key == old else key: value for key, value in body.items()}


UPCASTS: dict[tuple[str, int], Callable[[BodyJson], BodyJson]] = {
    (DispositionMade.kind, 1): _demands_named,
    (DutyOpened.kind, 1): duty_named,
    (DutyClosed.kind, 1): duty_named,
    (RoundBegun.kind, 1): _renamed("chips", "sensed_wager"),
    ("record_checked", 1): _renamed("first", "first_fault"),
}
"""(kind, version) -> what makes of a body of that version one of the next, where more changed than what is absent."""
