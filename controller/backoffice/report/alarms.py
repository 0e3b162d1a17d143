"""The life of each alarm and hold, from the events alone: raised, seen, ended, and how long a person took."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from controller.backoffice.report.fact import Fact
from controller.clock import microseconds

KINDS = (
    "alarm_raised", "security_alarm", "record_room", "alarm_seen", "alarm_cleared", "hold_placed", "hold_lifted",
)  # fmt: skip
"""All kinds that this fold reads; others pass by."""
US_IN_S = 1_000_000


@dataclass(slots=True)
class Life:
    """`seen`, `ended`: RFC 3339, "" = not yet; a hold is seen by who lifts it. `again`: when it came while it stood."""

    table: str
    what: str
    raised: str
    round: str = ""
    again: list[str] = field(default_factory=list)
    seen: str = ""
    by: str = ""
    role: str = ""
    ended: str = ""

    @property
    def seconds(self) -> int | None:
        """Whole seconds from the (last) raising to the first person who saw it; None as long as nobody has."""
        if not self.seen:
            return None
        return (microseconds(self.seen) - microseconds(self.again[-1] if self.again else self.raised)) // US_IN_S


def lives(facts: Iterable[Fact]) -> list[Life]:
    """Returns alarms and holds of any number of tables, in the order in which they began. `facts`: in order in each journal.

    Of one device and reason only one alarm stands at a time, as at the table; records of earlier versions do not say whose
    alarm a person saw, and it stays unseen here.
    """
    told: list[Life] = []
    standing: dict[tuple[str, str, str, str], Life] = {}
    for fact in facts:
        data = fact.data
        match fact.kind:
            case "alarm_raised" if data.get("severity") == "alarm":
                about = (fact.subject, "device_alarm", f"{data.get('code', '')} {data.get('text', '')}".strip())
            case "security_alarm":
                about = (fact.subject, data.get("reason", ""), data.get("detail", ""))
            case "record_room" if data.get("low"):
                about = (fact.subject, "record_room", f"{data.get('free_mib')} MiB left")
            case "hold_placed":
                about = ("hold", data.get("hold", ""), data.get("reason", ""))
            case "alarm_seen" | "alarm_cleared" | "hold_lifted":
                _by_a_person(fact, standing)
                continue
            case _:
                continue
        at = (fact.source, fact.journal, about[0], about[1])
        if (life := standing.get(at)) is not None:
            life.again.append(fact.time)
            life.seen = life.by = life.role = ""
        else:
            standing[at] = life = Life(fact.table, ": ".join(filter(None, about)), fact.time, fact.round)
            told.append(life)
    return told


def _by_a_person(fact: Fact, standing: dict[tuple[str, str, str, str], Life]) -> None:
    data = fact.data
    about = (
        ("hold", data.get("hold", ""))
        if fact.kind == "hold_lifted"
        else (data.get("device", ""), data.get("reason", ""))
    )
    at = (fact.source, fact.journal, *about)
    if (life := standing.get(at)) is None:
        return
    if not life.seen:
        life.seen, life.by, life.role = fact.time, data.get("by", ""), data.get("role", "")
    if fact.kind != "alarm_seen":
        life.ended = fact.time
        del standing[at]
