"""Describes payments, collections, returns and corrections as lines for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

Document = Mapping[str, Any]


def offer_lines(offer: Document | None) -> Iterator[str]:
    """Yields the offered settlement wager by wager, then what is still needed."""
    if not offer:
        return
    if offer["refused"]:
        yield f"settle    cannot be told: {offer['refused']}"
    for line in offer["lines"]:
        yield f"settle    {_line(line)}"
    if offer.get("uncounted"):
        seats = ", ".join(map(str, offer["uncounted"]))
        yield f"          seat {seats}: chips that nobody counted; settle them by hand, nothing is compared"
    for cut in offer["cuts"]:
        takes = "is asked each time, and would take" if cut.get("held") else "takes"
        yield f"          seat {cut['seat']}: a limit {takes} {money(cut['cut'])} off {', '.join(cut['wagers'])}{_by(cut)}"
    asked = [_asked(ask) for ask in offer["asks"]]
    if asked:
        yield f"          still to be told: {'; '.join(asked)}"


def announced_lines(announce: Document | None) -> Iterator[str]:
    """Yields what the dealer announces of the dealer's hand."""
    if announce:
        yield f"announce  the dealer has {' and '.join(announce['hands'])}{_by(announce)}"


def corrected_lines(status: Document) -> Iterator[str]:
    """Yields wagers of this and the last round that were settled again, and their present result."""
    round_, last = status.get("round"), status.get("last_round")
    seats = {n: seat["wagers"] for n, seat in round_["seats"].items()} if round_ else {}
    for name, found in (
        (round_["round"] if round_ else "", seats),
        *([(last["round"], last["seats"])] if last else []),
    ):
        for number, wagers in found.items():
            for wager, now in wagers.items():
                if now.get("corrected"):
                    back = f", {money(now['returned'] + now['paid'])} handed back" if now.get("cents") else ""
                    yield f"CORRECTED {name} seat {number} {wager}: {now['outcome']}{back}"


def money(cents: int) -> str:
    """Returns whole cents as people read them: 12.50, and -12.50 below zero."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


def stake(cents: int) -> str:
    """Returns what lies there: an amount, or chips of unknown number."""
    return money(cents) if cents else "not counted"


def _line(line: Document) -> str:
    what = line["outcome"].replace("_", " ")
    if line["outcome"] == "win":
        what += f", pay {money(line['paid'])}" + (f" ({line['pays']})" if "pays" in line else "")
    elif line["returned"]:
        what += f", {money(line['returned'])} back"
    of = f" for seat {line['holder']}" if line.get("holder") else " coupon" if line.get("coupon") else ""
    note = f"; {line['note']}" if line.get("note") else ""
    return f"seat {line['seat']} {line['wager']}{of} {money(line.get('coupon') or line['stake'])}: {what}{_by(line)}{note}"


def _by(thing: Document) -> str:
    parts = [*thing.get("cite", ()), *([f"reading {thing['reading']}"] if thing.get("reading") else [])]
    return f" [{', '.join(parts)}]" if parts else ""


def _asked(ask: Document) -> str:
    if "meter" in ask:
        return f"the meter {ask['meter']} ({ask['act']})"
    seat = ask.get("seat")
    whose = f"hand of seat {seat}" if seat else ask["area"].replace("_", " ")
    return f"{whose} ({ask['act']} area={ask['area']}{f' seat={seat}' if seat else ''})"
