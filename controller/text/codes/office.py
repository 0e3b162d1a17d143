"""Codes of requests and confirmations on MQTT that a table refused."""

from collections.abc import Mapping

COMMANDS: Mapping[str, tuple[str, str]] = {
    "command_event_gone": ("The live file does not have some of these events any more.", "Take them from the segments."),
    "command_expired": ("The request came after its `expires`.", "Send it anew with a later time; compare the clocks."),
    "command_expires_late": ("The request expires too late.", "Let it expire within five minutes."),
    "command_flood": ("Too many requests came.", "Send at most one a second, and ten at once."),
    "command_id_used": ("The id was used for another request.", "Use a new id for each request."),
    "command_interrupted": ("The table was restarted before it was done.", "Ask again with a new id."),
    "command_malformed": ("The request cannot be read.", "Correct it as the reason says."),
    "command_not_taken": ("The broker does not take some of the copies.", "Mend its ACL or its size limit, and ask again."),
    "command_other_journal": ("The table has another journal.", "Name the journal of its last birth on `conn`."),
    "command_range_unfit": ("The range is too long, empty, or ends behind the last event.", "Ask for less."),
    "command_response_foreign": ("The response topic is none of this table.", "Use `rsp/{client}` of this table."),
    "command_retained": ("The request was retained.", "Publish it without the retain flag, and clear the topic."),
    "command_too_large": ("The request is longer than allowed.", "Shorten it."),
    "command_too_many_waiting": ("Too many replays wait.", "Ask again when some are done."),
    "command_unknown": ("There is no such verb.", "Use one that docs/mqtt.md names."),
}  # fmt: skip
"""`code` of an answer on `rsp/{client}` and of the fact `commands_refused` -> what it means, and what to do."""

CONFIRMATIONS: Mapping[str, tuple[str, str]] = {
    "ack_backward": (
        "A consumer confirmed less than before.",
        "Find out what it lost; let it ask for a replay, or give it a new name.",
    ),
    "ack_beyond_sent": ("A consumer confirmed what the table has never sent.", "Find out who writes this topic."),
    "ack_foreign": ("A confirmation names another consumer than its topic.", "Find out who writes this topic."),
    "ack_malformed": ("A confirmation cannot be read.", "Correct the consumer."),
    "ack_other_journal": (
        "A confirmation is of another journal.",
        "Right after the table got a new journal: nothing. Otherwise find out who writes this topic.",
    ),
}
"""`code` of the fact `confirmations_refused` -> what it means, and what to do."""
