"""Lets a supervisor open sealed cards before the rules do, and erase them after their time."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from controller.control.desk import ErrorCode, Refused
from controller.journal.store import Journal
from controller.table.state.disputes import Dispute
from controller.table.words.inputs import Actor, CardsErased, RoundOpened

KEPT = timedelta(days=7)
"""Cards of so many days are never erased: disputes are still heard, and surveillance still has its pictures."""


KEYS_AT_ONCE = 20_000
"""Keys that one commit erases: a fraction of a second, and a fortnight of play. Who has more to erase asks again."""


def opening(journal: Journal, round_id: str, reason: str, actor: Actor) -> RoundOpened:
    """Returns the order to open all sealed cards of a round. Raises `Refused`."""
    shut = [row for row in journal.view.round_keys(round_id) if row.wrapped is not None and row.opened is None]
    readable = [row.commitment.hex() for row in shut if journal.can_open(row)]
    if readable:
        return RoundOpened(round_id, tuple(readable), reason, actor.who, actor.role)
    name = f"round {round_id}" if round_id else "what was recorded outside of rounds"
    if shut:
        missing = ", ".join(sorted({row.vault for row in shut}))
        raise Refused(
            ErrorCode.REFUSED,
            f"{name} is sealed under vault key {missing}, which is not in the vault's file: put it back",
        )
    raise Refused(
        ErrorCode.REFUSED,
        f"{name} has nothing that is still sealed: no card was recorded, or it was opened or erased",
    )


def erasure(
    journal: Journal,
    before_us: int,
    reason: str,
    actor: Actor,
    disputes: Mapping[str, Dispute],
    now: datetime | None = None,
) -> CardsErased:
    """Returns the order to erase the cards of all rounds before a time. `disputes`: open ones. Raises `Refused`."""
    limit = (now or datetime.now(UTC)) - KEPT
    if before_us > limit.timestamp() * 1_000_000:
        raise Refused(
            ErrorCode.REFUSED,
            f"cards of the last {KEPT.days} days are not erased: give a time before {limit:%Y-%m-%d %H:%M} UTC",
        )
    through = journal.view.order_before(before_us)
    if not through:
        raise Refused(ErrorCode.REFUSED, "nothing was on record by then")
    for dispute in disputes.values():
        if any(row.made <= through and not row.is_erased for row in journal.view.round_keys(dispute.round)):
            raise Refused(
                ErrorCode.REFUSED,
                f"round {dispute.round} is disputed ({dispute.id}): its cards are kept until that is closed",
            )
    step, _ = journal.view.made_through(through, KEYS_AT_ONCE)
    return CardsErased(step, reason, actor.who, actor.role)


def more_to_erase(journal: Journal, before_us: int) -> bool:
    """Returns True if keys of rounds before a time are left."""
    _, is_more = journal.view.made_through(journal.view.order_before(before_us), 0)
    return is_more
