"""The observer's own law: what the five rule documents demand, written by hand from their texts, never from the
rulebooks."""

from simulators.bench.expected.case import Case, Document
from simulators.bench.expected.colorado import COLORADO
from simulators.bench.expected.fast_action import FAST_ACTION
from simulators.bench.expected.pikit import PIKIT
from simulators.bench.expected.ultimate import MARYLAND, MASSACHUSETTS

__all__ = ["EXPECTED", "Case", "Document"]

EXPECTED: dict[str, Document] = {
    "md-uth": MARYLAND, "ma-uth": MASSACHUSETTS, "nj-pikit": PIKIT, "fast-action": FAST_ACTION, "ma-colorado": COLORADO,
}  # fmt: skip
