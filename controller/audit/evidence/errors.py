"""Why a round has no evidence: each error says what is missing and what to do."""


class EvidenceError(Exception):
    """The record is not damaged, but the requested evidence cannot be taken from it."""
