"""Why no evidence can be given of a round: each says what is missing and what to do."""

__all__ = ["EvidenceError"]


class EvidenceError(Exception):
    """The record is not damaged, but what was asked for cannot be taken from it as it is."""
