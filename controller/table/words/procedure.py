"""Why a set of cards goes through the steps that make it ready."""

from enum import StrEnum


class Procedure(StrEnum):
    """Why a set goes through steps. All but `new_set` stand before every round, that one before those with its set."""

    OPENING = "opening"  # the table was opened
    NEW_SET = "new_set"  # the set came while the table was open
    IDLE = "idle"  # there was no play for a while
