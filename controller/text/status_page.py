"""Describes the status and the records of a table as lines for a person at a terminal.

It decides nothing; missing parts are not shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from controller.table.words.codec import IDENTITIES
from controller.table.words.facts import WagerDecided, WagerPlaced
from controller.text.broker_page import broker_lines
from controller.text.money import announced_lines, corrected_lines, money, offer_lines, stake
from drivers.protocol.texts import plain

Document = Mapping[str, Any]

PREDICATES = ("cycle_complete", "mode_shuffle", "count_right", "identities_complete", "in_turn")
"""Of an armed set that is at the table; each is shown by itself, in one column for all sets."""

TRAFFIC = frozenset({"frames_in", "frames_out", "opened", "reports"})
"""Counters of a link that count its work; every other counts a trouble."""

MOST_HEX = 32
"""So much of a body that nobody can read stands on one line."""

NOBODY = (None, 0, "", "*")
"""Values of seat, wager, device and back that name none in particular."""

QUIET = frozenset(
    {
        "cite",
        "reading",
        "demands",
        "sha256",
        "says",
        "rulebook",
        "edition",
        "silent",
        "guards",
        "by",
        "role",
        "setup",
        "started",
        "folded",
        "statement",
        "signature",
    }
)
"""Fields of an event that are shown in another way, or not on one line."""


def status_page(status: Document) -> list[str]:
    """Yields the whole table on one page, the most urgent first."""
    blocks = (
        list(_to_elect(status.get("to_elect", ()))),
        list(_head(status)),
        list(_holds(status.get("held", ()))),
        list(_alarms(status.get("alarms", ()))) + list(_disputes(status.get("disputes", ()))),
        list(_duties(status.get("duties", ()))),
        list(_round(status.get("round"))),
        list(announced_lines(status.get("announce")))
        + list(offer_lines(status.get("offer")))
        + list(corrected_lines(status)),
        list(_meters(status.get("meters", {}))),
        list(_sets(status)),
        list(_devices(status.get("devices", {}))),
        list(_record(status.get("record", {}))) + list(broker_lines(status.get("broker"))),
    )
    lines: list[str] = []
    for block in blocks:
        lines += [*([""] if lines and block else []), *block]
    return lines


def event_line(event: Document) -> str:
    """Returns one record as a line: time, subject, kind, essentials, and what it rests on."""
    data = _without_seals(event)
    if "data_hex" in event:
        data = {"no_object": event["data_hex"][:MOST_HEX]}
    placed = event["kind"] in (WagerPlaced.kind, WagerDecided.kind)
    words = [_word(key, value) for key, value in data.items() if key not in QUIET]
    words += [stake(0)] if placed and not data.get("cents") else []
    words += [_demand(demand) for demand in _all(data.get("demands")) if isinstance(demand, Mapping)]
    if by := data.get("by"):
        words.append(f"by {by}")
    text = " ".join([word for word in words if word] + _rests_on(data))
    at = _time(event)
    return plain(f"{at}{'  ' if at else ''}{event['subject']:14} {event['kind']:24} {text}".rstrip())


def _without_seals(event: Document) -> Document:
    """Returns a record's body with the number of sealed cards in the place of their commitments."""
    data: Document = event.get("data") or {}
    if "sealed" not in data:
        return data
    cards = IDENTITIES.get(event["kind"], ())
    inner = data["body"] if isinstance(data.get("body"), Mapping) else data
    body = {k: f"{len(_all(v))} sealed" if k in cards and v else v for k, v in inner.items()}
    whole = body if inner is data else {**data, "body": body}
    return {key: value for key, value in whole.items() if key != "sealed"}


def _head(status: Document) -> Iterator[str]:
    if "table" not in status:
        yield f"tablewarden {status.get('version', '')}: no table is up"
        yield f"NEXT      {status.get('next', '')}"
        return
    book = status["rulebook"]
    is_open = "OPEN" if status["open"] else "CLOSED"
    yield (
        f"{status['table']} at {status['site']}  {is_open}  {book['id']} {book['edition']} ({book['sha256'][:8]})  "
        f"dealt by {spoken(status['method'])}  tablewarden {status.get('version', '')}".rstrip()
    )
    stub = status["stub"]
    since = f"{stub['since']} of at most {stub['every']} rounds since the last count"
    counted = "counted by the shuffler at each shuffle" if stub["waived"] else since
    yield f"stub      {counted}"
    yield f"NEXT      {status['next']}"
    yield f"may do    {', '.join(status['allowed']) or 'nothing'}"
    for prompt in status.get("prompts", ()):
        yield f"prompt    {prompt['text']}: act {prompt['act']} [{', '.join(prompt['cite'])}]"


def _to_elect(questions: list[Document]) -> Iterator[str]:
    if questions:
        yield f"MAY NOT OPEN before these are in [elections] of the configuration, and the daemon is restarted: {len(questions)}"
    for question in questions:
        marked = (f"{c} (cautious)" if c == question["cautious"] else c for c in question["choices"])
        yield f"ELECT     {question['reading']} = {' | '.join(marked)}: {question['problem']}"


def _holds(holds: list[Document]) -> Iterator[str]:
    for hold in holds:
        concerns, name = _concerns(hold, "seat", "wager"), hold.get("hold")
        named = " ".join(part for part in ("HELD", name) if part)
        yield " ".join([f"{named}: {hold['reason'].upper()}{concerns}", *_rests_on(hold)])
        if name:
            choices = "|".join(hold.get("choices", ()))
            yield f"          a {hold['least_role']} or above decides: act resolve_hold hold={name} resolution={choices}"


def _alarms(alarms: list[Document]) -> Iterator[str]:
    for alarm in alarms:
        often = f", {alarm['times']} times" if alarm["times"] > 1 else ""
        yield f"ALARM {alarm['alarm']}: {alarm['device']} {spoken(alarm['reason'])}{often}: {alarm['detail']}"
        seen = ", ".join(alarm["seen"])
        told = f"seen by {seen}" if seen else f"nobody has seen it: act see_alarm alarm={alarm['alarm']}"
        yield f"          {told}; a supervisor clears it: act clear_alarm alarm={alarm['alarm']} found=..."


def _meters(meters: Mapping[str, Document]) -> Iterator[str]:
    for name, meter in meters.items():
        paid = f"{meter['hits']} hits, {money(meter['paid'])} paid"
        yield f"METER     {name}: {money(meter['cents'])} {meter['currency']}, generation {meter['generation']}, {paid}"
        for claim in meter["claims"]:
            waits = (
                f"; act validate_progressive seat={claim['seat']} light_on=true"
                if claim["stage"] == "seen"
                else ""
            )
            yield f"CLAIM     seat {claim['seat']} of {claim['round']}: {money(claim['cents'])}, {claim['stage']}{waits}"


def _disputes(disputes: list[Document]) -> Iterator[str]:
    for dispute in disputes:
        name = dispute["dispute"]
        yield f"DISPUTE {name} of round {dispute['round']}{_concerns(dispute, 'seat')}: {dispute['reason']}"
        yield f"          {_of_bookmark(name, dispute)}"


def _of_bookmark(name: str, dispute: Document) -> str:
    bookmark = dispute.get("bookmark")
    if bookmark is None:
        told = f"act name_bookmark dispute={name} reference=... begins=... ends=..."
        return f"ask surveillance for its pictures now: {told}"
    if dispute["keeps"]:
        return f"cards and devices are kept as they are; pictures: {bookmark['reference']}"
    return f"pictures: {bookmark['reference']}; a supervisor ends it: act close_dispute dispute={name} found=..."


def _duties(duties: list[Document]) -> Iterator[str]:
    for duty in duties:
        who = f"Confirmed by a {duty['least_role']} or above"
        yield " ".join([f"DUTY {duty['duty']}: {duty['do']} {who}", *_rests_on(duty)])


def _round(round_: Document | None) -> Iterator[str]:
    if round_ is None:
        yield "round     none in play"
        return
    void = "  VOID" if round_["void"] else ""
    yield f"round     {round_['round']}, number {round_['number']}, {round_['back']} set, {spoken(round_['phase'])}{void}"
    plan = " ".join(_stack(stack, n < round_["stacks_out"]) for n, stack in enumerate(round_["plan"]))
    if plan:
        yield f"dealt     {round_['stacks_out']} of {len(round_['plan'])} stacks, {round_['cards_out']} cards: {plan}"
    elif round_["cards_out"]:
        yield f"dealt     {round_['cards_out']} cards"
    done = [
        _yes("cards collected", round_["collected"]),
        _yes("stub counted", round_["stub_counted"]),
        _yes("progressive counted", round_["progressive_counted"]),
    ]
    yield f"          {', '.join(done)}"
    if round_["accepted"]:
        yield f"accepted  progressive at seats {', '.join(str(seat) for seat, _ in round_['accepted'])}"
    for number, seat in sorted(round_["seats"].items(), key=lambda item: int(item[0])):
        wagers = ", ".join(f"{name} {stake(w.get('cents', 0))} {w['fate']}" for name, w in seat["wagers"].items())
        wagers += "".join(f", coupon {money(c['cents'])} on {name}" for name, c in seat.get("coupons", {}).items())
        said = [word for word in ("decided", "folded", "void") if seat[word]]
        asked = f" (asked: {spoken(seat['asked'])})" if seat.get("asked") and not said else ""
        yield f"seat {number:<5}{wagers or 'no wager'}{'; ' + ', '.join(said) if said else ''}{asked}"


def _sets(status: Document) -> Iterator[str]:
    for back, card_set in status.get("sets", {}).items():
        if not card_set["present"]:
            yield f"set       {back:6} not at the table"
            continue
        state = "ARMED" if card_set["armed"] else "not armed"
        if card_set.get("by_hand"):
            state += ", shuffled by hand"
        predicates = [f"{spoken(name)}: {_known(card_set.get(name))}" for name in PREDICATES]
        yield f"set       {back:6} {state:10} {', '.join(predicates)}"
        why = [spoken(defect) for defect in card_set.get("defects", ())]
        why += [card_set["out_of_turn"]] if card_set.get("out_of_turn") else []
        if why:
            yield f"          {', '.join(why)}"


def _devices(devices: Mapping[str, Document]) -> Iterator[str]:
    for name, device in devices.items():
        link = device.get("link")
        state = "no session"
        if link:
            state = f"{link['state'].upper():8} since {ago(link['since_s'])}"
            state += "".join(f", {spoken(link[key])}" for key in ("reason", "detail") if link.get(key))
            state += ", key proven" if link.get("authenticated") else ""
        marks = [mark for mark in ("jammed", "awaited") if device.get(mark)]
        marks += ["liveness unknown"] if device["online"] and device.get("liveness") == "unknown" else []
        marks += [f"out of service: {device['out']}"] if device.get("out") else []
        yield f"device    {name:15} {device['kind']:12} {state}{''.join('  ' + mark.upper() for mark in marks)}"
        levels = levels_words(device.get("levels") or {}, device.get("wanted") or {})
        if levels:
            yield f"          {levels}"
        if display := device.get("display"):
            yield f"          display: {display['text'] or 'dark'}{'' if display['shown'] else '  NOT YET SHOWN'}"
        if recording := (link or {}).get("recording"):
            missed = f", {recording['missed']} entries MISSED" if recording["missed"] else ""
            yield f"          recording of the wire: {recording['state'].replace('stopped', 'STOPPED') or 'off'}{missed}"
        trouble = _trouble((link or {}).get("counters") or {})
        if trouble:
            yield f"          {trouble}"


def levels_words(levels: Document, wanted: Document) -> str:
    """Returns the device's levels in words; in capitals those that differ from what is wanted."""
    said = {name: _level(name, value) for name, value in levels.items()}
    told = [" ".join(filter(None, (spoken(name), value))) for name, value in said.items() if value is not None]
    unmet = [f"WANTED {name} {value}" for name, value in wanted.items() if (said.get(name) or "") != value]
    return ", ".join(told + unmet)


def _level(name: str, value: Any) -> str | None:
    """Returns a level's value in words; None if there is nothing to say."""
    match name, value:
        case _, None | False | "":
            return None
        case _, True:
            return ""
        case "lamps", int():
            return ",".join(str(bit + 1) for bit in _bits(value)) or None
        case "wagers", int():
            return "at seats " + ",".join(str(bit // 3 + 1) for bit in _bits(value)) if value else None
        case _:
            return str(value)


def _bits(value: int) -> list[int]:
    return [bit for bit in range(value.bit_length()) if value >> bit & 1]


def _trouble(counters: Mapping[str, int]) -> str:
    """Returns only the faults of the line."""
    seen = [f"{spoken(name)} {n}" for name, n in counters.items() if n and name not in TRAFFIC]
    return f"line: {', '.join(seen)}" if seen else ""


def _record(record: Document) -> Iterator[str]:
    if not record:
        return
    if not record["ok"]:
        yield f"RECORD    FAILED: {record['reason']}"
        return
    heads = ", ".join(f"{stream} {head}" for stream, head in record["heads"].items())
    yield f"record    {record['journal']}, {record['order']} records: {heads}"
    yield from (f"ROOM      {problem}" for problem in (record.get("room"),) if problem)
    yield from _kept(record.get("kept"))


def _kept(kept: Document | None) -> Iterator[str]:
    """Returns how far the copies of closed days are behind, and what to do."""
    if kept is None:
        return
    if kept["problem"]:
        yield f"NOT COPIED {kept['problem']}"
    if kept["behind_days"]:
        where = f"not at {kept['place']}" if kept["place"] else "in no second place (`copy` in [retention])"
        yield f"          {kept['behind_days']} gaming days of the record are {where}, from {kept['oldest_not_copied']} on"
    if kept["same_disk"]:
        yield f"          {kept['place']} lies on the same disk as the record: what takes one takes both"
    if kept["kept_by"]:
        yield f"          nothing is pruned from the live record: {kept['kept_by']}"


def _all(value: object) -> Sequence[Any]:
    """Returns a list unchanged; [] for anything else."""
    return value if isinstance(value, list | tuple) else ()


def _rests_on(thing: Document) -> list[str]:
    """Returns clauses and reading as printed after what rests on them."""
    reading = [f"reading {thing['reading']}"] if thing.get("reading") else []
    parts = [*map(str, _all(thing.get("cite"))), *reading]
    return [f"[{', '.join(parts)}]"] if parts else []


def _concerns(thing: Document, *keys: str) -> str:
    said = [
        f"seat {thing[key]}" if key == "seat" else str(thing[key]) for key in keys if thing.get(key) not in NOBODY
    ]
    return f" ({', '.join(said)})" if said else ""


def _demand(demand: Document) -> str:
    wager = [spoken(demand["wager"])] if demand.get("wager") else []
    return " ".join([spoken(demand["action"]), *wager, *_rests_on(demand)]) + ";"


def _word(key: str, value: object) -> str:
    match value:
        case None | "" | [] | ():
            return ""
        case True:
            return spoken(key)
        case False:
            return f"not {spoken(key)}"
        case int() if key == "cents":
            return money(value) if value else ""
        case Mapping() if key == "levels":
            return f"({levels_words(value, {})})"
        case Mapping():
            inner = " ".join(word for k, v in value.items() if (word := _word(k, v)))
            return f"{spoken(key)} ({inner})" if inner else ""
        case list() | tuple():
            return f"{spoken(key)} {_value(value)}"
        case _:
            return f"{spoken(key)} {value}"


def _stack(stack: Document, is_out: bool) -> str:
    to = f"seat {stack['seat']}" if stack.get("seat") else spoken(stack["to"])
    return f"{'*' if is_out else '-'}{to}:{stack['cards']}"


def _value(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _yes(what: str, done: bool) -> str:
    return what if done else f"{what}: no"


def _known(value: bool | None) -> str:
    return {True: "yes", False: "NO", None: "not known"}[value]


def ago(seconds: float) -> str:
    """Returns a duration in words: seconds below two minutes, minutes below two hours, then hours."""
    whole = int(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h"


def _time(event: Document) -> str:
    if "time_us" not in event:
        return str(event.get("time", ""))
    at = datetime.fromtimestamp(event["time_us"] / 1e6, tz=UTC).astimezone()
    return at.strftime("%H:%M:%S.") + f"{event['time_us'] // 1000 % 1000:03}"


def spoken(word: object) -> str:
    """Returns a word of the record as people read it: with spaces for underscores."""
    return str(word).replace("_", " ")
