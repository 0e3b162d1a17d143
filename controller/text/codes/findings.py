"""Codes of what a back office finds in the messages of tables."""

from collections.abc import Mapping

FINDINGS: Mapping[str, tuple[str, str]] = {
    "message_unreadable": (
        "The message is not one that a table publishes.", "Keep it, and find out who writes to this topic.",
    ),
    "event_changed": (
        "The event is not as it was recorded.", "Keep it, ask the table for it again, and look for who changed it.",
    ),
    "body_missing": (
        "The event came without its body, and tables publish this body.", "Ask the table for the event again.",
    ),
    "open_key_wrong": (
        "The key is not the one of this round's cards.", "Ask the table for the event again.",
    ),
    "table_foreign": (
        "The message is of another table than it says.", "Look at the broker's ACL, and find the machine that sent it.",
    ),
    "journal_new": (
        "The table writes a new journal.", "Ask at the table whether its record was replaced, and confirm it.",
    ),
    "chain_forked": (
        "Two histories of one table contradict each other.", "Keep both, and have the table's record proved at once.",
    ),
    "numbers_missing": ("Events are missing.", "Ask the table for them again."),
    "tail_missing": (
        "The table has recorded more than came.", "Ask the table for the rest; look at the line and the broker.",
    ),
    "signature_wrong": (
        "The checkpoint is not signed by the table's key.", "Keep it, and have the table's record proved at once.",
    ),
    "key_unknown": (
        "The checkpoint is signed by a key that is not known here.",
        "Add the table's public key, or ask who changed it.",
    ),
}  # fmt: skip
"""`code` of a finding -> what it means, and what to do."""
