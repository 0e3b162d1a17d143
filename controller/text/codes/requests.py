"""Codes of requests on the control socket, and of lines of `decide` and `settle`, that were not done."""

from collections.abc import Mapping

REQUESTS: Mapping[str, tuple[str, str]] = {
    "bad_request": ("The request cannot be read.", "Correct it as the reason says."),
    "too_large": ("The request is longer than allowed.", "Shorten it."),
    "unknown_act": ("There is no such act.", "Use one that `do --help` lists."),
    "unknown_person": ("The person is not listed, not in this role, or at another login.", "Correct [control] people."),
    "refused": ("The law, the moment of play or a missing right forbids it.", "Do what the reason says; see `refusal`."),
    "held": ("Play is held.", "Lift the hold with `resolve_hold`."),
    "record_failed": ("The record could not be written, so nothing was done.", "Look at the disk and the daemon's log."),
    "failed": ("The software failed.", "Look at the daemon's log, and report the fault."),
}  # fmt: skip
"""`code` of an answer -> what it means, and what to do."""

LINES: Mapping[str, tuple[str, str]] = {
    "line_too_long": ("The line is longer than allowed.", "Shorten it."),
    "not_json": ("The line is not JSON.", "Write one JSON object a line."),
    "not_object": ("The line is not an object.", "Write an object as the message shows."),
    "key_twice": ("A key is there twice in one object.", "Remove one of the two."),
    "key_unknown": ("Nothing reads this key.", "Correct its spelling, or remove it."),
    "key_missing": ("The key must be there.", "Add it."),
    "key_unused": ("The game has no use for this key.", "Leave it out."),
    "null": ("The value is null.", "Leave out what is not known."),
    "type_wrong": ("The value has another type.", "Write a value of the type that is named."),
    "number_out_of_range": ("The number lies outside its bounds.", "Write one within them."),
    "word_unknown": ("The word is not one of those that this key knows.", "Write one that is named."),
    "text_unfit": ("The text does not have the form that is named.", "Write it in that form."),
    "control_character": ("The text has a control character.", "Write it in plain words, on one line."),
    "not_an_input": ("The record is no input.", "Tail with `--stream input`."),
    "cards_sealed": ("The cards of the record are sealed.", "Use `journal replay --verify`."),
    "version_unknown": ("The record has a version that this software does not read.", "Use the version that wrote it."),
    "correction_unfit": ("The settlement cannot be corrected by this round.", "Give the settlement of the same round."),
    "round_unfit": ("The round cannot be, or cannot be settled.", "Correct the round as the message says."),
    "card_unfit": ("A card cannot be read, or is there twice.", "Correct the cards as the message says."),
}  # fmt: skip
"""`code` of a line that was not taken -> what it means, and what to do."""
