"""Tells the log what happened at the table: one line a fact, with its clause, as a warning where a person must act.

The record has the facts; the log has what an engineer on call asks first. No card passes: only the fields of `FIELDS` are
written, and a card's name inside a text is withheld.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import structlog

from controller.log import WITHHELD
from controller.table.words.facts import Fact

log = structlog.get_logger("table")

ERROR, WARNING, INFO = "error", "warning", "info"

LEVELS: Mapping[str, str] = {
    "decision_failed": ERROR, "security_alarm": ERROR,
    "disposition_made": WARNING, "hold_placed": WARNING, "duty_opened": WARNING, "round_voided": WARNING,
    "hand_voided": WARNING, "set_suspected": WARNING, "something_else_reported": WARNING, "dispute_raised": WARNING,
    "device_offline": WARNING, "device_rejected": WARNING, "events_lost": WARNING, "lines_damaged": WARNING,
    "level_unknown": WARNING, "liveness_changed": INFO, "device_suspect": INFO, "device_online": INFO,
    "device_taken_out": INFO, "device_returned": INFO, "hold_lifted": INFO, "duty_closed": INFO, "input_refused": INFO,
    "alarm_seen": INFO, "alarm_cleared": INFO, "dispute_closed": INFO, "bookmark_named": INFO, "method_changed": INFO,
    "table_opened": INFO, "table_closed": INFO, "round_begun": INFO, "round_ended": INFO, "set_removed": INFO,
    "set_brought": INFO, "set_disarmed": INFO, "shuffle_directed": INFO,
    "jammed": WARNING, "jam_cleared": INFO, "deal_stopped": WARNING, "shuffle_stopped": WARNING, "self_test_failed": WARNING,
    "alarm_raised": WARNING, "door_opened": WARNING, "door_closed": INFO, "mode_changed": INFO, "powered_up": INFO,
    "line_unparsed": WARNING, "lockout_engaged": WARNING, "dispensing_inhibited": WARNING,
}  # fmt: skip
"""Kinds of facts that the log has, each with its level. Others are the ordinary course, and stand in the record alone."""

SAFE_SIDES, WATCHDOG = ("lockout_engaged", "dispensing_inhibited"), "watchdog"
"""A device took its safe side by itself; by command or button it is the ordinary course."""
OF_LINK: Mapping[str, str] = {
    "identity_shared": ERROR, "publisher_failed": ERROR,
    **dict.fromkeys((
        "broker_lost", "publish_parked", "publish_refused", "publish_delayed", "subscribe_refused", "nobody_listening",
        "conn_overwritten", "conn_head_differs", "outbox_position_unreadable", "commands_refused", "confirmations_refused",
        "consumer_late", "certificate_expiring",
    ), WARNING),
}  # fmt: skip
"""News of the broker link that a person must see; all other news of it is for information."""

FIELDS = (
    "trigger", "hold", "duty", "dispute", "alarm", "action", "reason", "detail", "code", "choices", "resolution", "least_role",
    "seat", "wager", "back", "verdict", "refused", "input", "error", "reading", "by", "role", "first", "last", "method",
    "liveness", "half_dead", "serial", "mode", "cause", "severity",
)  # fmt: skip
CARD = re.compile(r"(?<!\w)(?:10|[2-9TJQKA])[cdhs](?!\w)")


def line_of(fact: Fact, round_id: str = "") -> tuple[str, str, dict[str, Any]] | None:
    """Returns level, event and fields of a fact's line; None where the record alone has it. `round_id`: in play."""
    event, kind = fact.event, fact.event.kind
    level = LEVELS.get(kind)
    if level is None or (kind in SAFE_SIDES and getattr(event, "cause", None) != WATCHDOG):
        return None
    about = {
        "round": getattr(event, "round", "") or round_id,
        "device": getattr(event, "device", "") or _device(fact),
    }
    about["clause"] = ", ".join(getattr(event, "cite", ()))
    fields = {name: _plain(getattr(event, name, None)) for name in FIELDS}
    if demands := getattr(event, "demands", ()):
        fields["do"] = ", ".join(demand.action for demand in demands)
    return level, kind, {name: value for name, value in {**about, **fields}.items() if value}


def tell(facts: Iterable[Fact], round_id: str = "", write: Callable[..., Any] | None = None) -> None:
    """Writes the lines of durable facts. `write(level, event)`: a log's call, with the fields in structlog's context."""
    for fact in facts:
        line = line_of(fact, round_id)
        if line is not None:
            level, event, fields = line
            with structlog.contextvars.bound_contextvars(**fields):
                (write or _write)(level, event)


def _write(level: str, event: str) -> None:
    getattr(log, level)(event)


def _device(fact: Fact) -> str:
    return "" if fact.subject == "table" else fact.subject


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int():
            return value
        case list() | tuple():
            return ", ".join(map(str, value))
        case _:
            return CARD.sub(WITHHELD, str(value))
