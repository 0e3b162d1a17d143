"""Describes the link to the back office as lines for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

Document = Mapping[str, Any]


def outbox_page(outbox: Document) -> list[str]:
    """Yields what has reached the broker, what waits, and what was parked and why."""
    lines = list(broker_lines(outbox)) or ["broker    no link"]
    for name, stream in outbox.get("streams", {}).items():
        for hole in stream.get("parked", ()):
            through = f" to {hole['last']}" if hole["last"] != hole["first"] else ""
            lines.append(f"SET ASIDE {name} {hole['first']}{through}: {hole['reason']}")
            upto = f" --last {hole['last']}" if through else ""
            lines.append(
                f"          tablewarden outbox release {name} {hole['first']}{upto} --who NAME --role technician"
            )
    for parked in outbox.get("parked_topics", ()):
        if "acl" in parked:
            lines.append(f"          the broker's ACL needs: {parked['acl']}")
    return lines


def broker_lines(broker: Document | None) -> Iterator[str]:
    """Yields how far each stream is at the broker, and which topics the broker refuses."""
    if not broker:
        return
    state = "connected" if broker.get("connected") else "AWAY"
    since = f" since {broker['since']}" if broker.get("since") else ""
    reason = f": {broker['reason']}" if broker.get("reason") else ""
    yield f"broker    {' '.join(filter(None, (broker.get('broker'), state)))}{since}{reason}"
    if identity := broker.get("identity"):
        which = ", ".join(f"{key} {identity[key]}" for key in ("machine", "journal", "session") if key in identity)
        told = f" ({which})" if which else ""
        yield f"ALARM     {identity['reason']}{told}: find it in the broker's log and stop it"
    for name, stream in broker.get("streams", {}).items():
        holes = sum(hole["last"] - hole["first"] + 1 for hole in stream["parked"])
        aside = f", {holes} SET ASIDE" if holes else ""
        yield f"          {name}: {stream['acked']} of {stream['head']} acknowledged, {stream['lag']} waiting{aside}"
    office = broker.get("back_office", {})
    for consumer, streams in office.get("confirmed", {}).items():
        through = ", ".join(f"{name} {number}" for name, number in streams.items())
        late = "LATE      " if consumer in office.get("late", ()) else "          "
        yield f"{late}{consumer} has confirmed {through}"
    for parked in broker.get("parked_topics", ()):
        again = f"; tried again in {parked['again_s']} s" if "again_s" in parked else ""
        yield f"NOT TAKEN {parked['topic']}: {parked['reason']}{again}"
