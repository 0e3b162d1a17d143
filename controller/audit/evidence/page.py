"""Writes the page for people: what happened in a round, by whom, by which clause, and what was not checked.

Text and pictures only: no script, nothing from elsewhere, all recorded text escaped.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from controller.audit.evidence.hands_svg import escape, laid, picture
from controller.audit.evidence.resettled import by_cards
from controller.audit.evidence.selection import Told as Device
from controller.audit.replay import Seen
from controller.clock import rfc3339
from controller.games.settling.settled import Line, Outcome
from controller.journal.proof.prove import Told
from controller.journal.record import Record
from controller.table.settlement.unchecked import Check
from controller.table.state.table import Wager
from controller.table.words import facts as f
from controller.table.words.inputs import ServiceStarted
from controller.text.money import money, stake
from controller.text.status_page import event_line
from drivers.protocol.records import dataclass

NOT_CHECKED = {
    Check.PLAYERS: "that one person has no more positions than are allowed: wagers name nobody",
    Check.CARDS_DEALT: "that each hand got the right number of cards: no device counted them",
    Check.SET_COUNT: "that the set was whole: nothing counted it",
    Check.SET_CARDS: "that it was the right cards: nothing read them",
    Check.DEVICE_MODE: "that the shuffler was set to the mode that a wager needs: it does not say",
    Check.AMOUNTS: "that each wager is of an amount that is allowed: nobody counted some, or all, of the chips",
    Check.OUTCOMES: "how each wager was settled: some, or all, were settled as a whole",
    Check.PAYMENTS: "that each wager came to what the cards make of it: not each was compared with them at the table",
}
STYLE = """
body{font:15px/1.45 sans-serif;max-width:62em;margin:1em auto;padding:0 1em;color:#111}h1{font-size:1.5em}h2{font-size:1.15em;
border-bottom:1px solid #999;margin-top:1.6em}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.15em .6em
.15em 0;border-bottom:1px solid #ddd;vertical-align:top}
svg{width:100%;height:auto}svg text{font:15px sans-serif;text-anchor:middle}.felt{fill:#e6efe6;stroke:#797}
.face{fill:#fff;stroke:#333}.marked{stroke-width:3}.back{fill:#678;stroke:#333}svg .rank{font-weight:bold}
svg .suit{font-size:22px}
.empty{fill:#666}.bad{font-weight:bold;color:#a00}td{overflow-wrap:break-word}td:first-child{white-space:nowrap}
td:last-child{overflow-wrap:anywhere}
@media print{body{font-size:11px;max-width:none}tr,svg{break-inside:avoid}}
"""


@dataclass(frozen=True, slots=True)
class Matter:
    """The page's content. `facts`: about the round, in order; `loose`: unsigned records; `frames`: names of wire
    recordings in the file."""

    journal: str
    seen: Seen
    facts: Sequence[Record]
    hands: Sequence[Told]
    started: ServiceStarted
    devices: Sequence[Device]
    loose: int
    frames: Sequence[str] = ()


def page(matter: Matter) -> bytes:
    """Returns the page in UTF-8. Equal input gives equal bytes."""
    round_, setup = matter.seen.state.round, matter.seen.setup
    assert round_ is not None, "the table as it was in the round"
    title = f"Round {round_.id} at table {setup.site}/{setup.table}"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><h1>{escape(title)}</h1>",
        *_head(matter),
        "<h2>The hands as they lay</h2>",
        picture(laid(matter.hands), setup.seats, tuple(round_.in_play)),
        *_sealed(matter.hands),
        "<h2>Wagers</h2>",
        *_rows(
            ("seat", "wager", "stake", "fate", "outcome", "stake back", "paid", "rests on"),
            _wagers(matter),
        ),
        *_cards_make(matter),
        "<h2>Disputes and alarms</h2>",
        *_rows(("when", "what", "who", "words"), _disputes(matter)),
        "<h2>What could not be checked</h2>",
        *_list(_unchecked(matter)),
        "<h2>What played this round</h2>",
        *_rows(("device", "record", "as it said"), _devices(matter)),
        *_frames(matter),
        "<h2>Everything that is on record about it</h2>",
        *_rows(("time (UTC)", "clock", "record", "what"), _timeline(matter)),
        *_proving(matter),
        "</body></html>\n",
    ]
    return "\n".join(parts).encode()


def _head(matter: Matter) -> Iterator[str]:
    round_, started = matter.seen.state.round, matter.started
    assert round_ is not None
    ended = next((r for r in matter.facts if r.kind == f.RoundEnded.kind), None)
    began = next(r for r in matter.facts if r.kind == f.RoundBegun.kind)
    outcome = str(_body(ended)["outcome"]) if ended else "not ended yet"
    yield from _rows(
        (),
        [
            ("number", str(round_.number)),
            ("began", f"{rfc3339(began.time_us)} (clock {began.clock})"),
            ("ended", f"{rfc3339(ended.time_us)} (clock {ended.clock})" if ended else "not yet"),
            ("outcome", outcome if ended or not round_.void else "void, and not ended yet"),
            ("set and dealing", f"{round_.back}, {round_.method.value.replace('_', ' ')}"),
            ("rulebook", f"{started.rulebook}, edition {started.edition}, SHA-256 {started.sha256}"),
            ("software", f"tablewarden {started.version}"),
            ("record", f"journal {matter.journal}"),
        ],
    )
    if matter.loose:
        yield f'<p class="bad">{matter.loose} records of it were not signed yet when this was made.</p>'


def _wagers(matter: Matter) -> Iterator[tuple[str, ...]]:
    round_ = matter.seen.state.round
    assert round_ is not None
    rests = {}
    for record in matter.facts:
        body = _body(record)
        if "wager" in body and (body.get("cite") or body.get("reading")):
            rests[body.get("seat"), body["wager"]] = _rests_on(body)
    for number, seat in sorted(round_.seats.items()):
        for name, wager in seat.wagers.items():
            sums = wager.outcome is not None and wager.cents > 0  # of chips that nobody counted none is known
            yield (
                f"{number}{' (' + wager.player + ')' if wager.player else ''}", name, stake(wager.cents),
                wager.fate.value + (", corrected" if wager.corrected else ""),
                wager.outcome.value if wager.outcome else "", money(wager.returned) if sums else "",
                money(wager.paid) if sums else "", rests.get((number, name), ""),
            )  # fmt: skip
    for record in matter.facts:
        if record.kind == f.SettlementCorrected.kind:
            body = _body(record)
            beside = bool(body.get("coupon") or body.get("holder"))
            laid = body.get("stake", 0)
            sums = beside or laid > 0
            yield (
                str(body["seat"]), body["wager"], money(laid) if beside else stake(laid), "corrected",
                body["outcome"], money(body["returned"]) if sums else "", money(body["paid"]) if sums else "",
                f"{_rests_on(body)} {body['reason']} ({body['by']})",
            )  # fmt: skip


def _cards_make(matter: Matter) -> Iterator[str]:
    """Returns each wager's result by the cards, beside the recorded one."""
    round_, setup = matter.seen.state.round, matter.seen.setup
    assert round_ is not None
    found = by_cards(setup, round_, matter.hands)
    if found is None:
        return
    yield "<h2>What the cards make of it</h2><p>Worked out when this page was made, from the cards above, the rulebook and the "
    yield "house choices in this file. Nobody recorded it, and where a card is not known it says so.</p>"
    if found.refused:
        yield f"<p>{escape(found.refused)}</p>"
    if found.uncounted:
        seats = ", ".join(map(str, found.uncounted))
        yield f"<p>Seat {seats}: chips that nobody counted, so that nothing is worked out.</p>"
    if not found.lines:
        return
    rows = [(line, round_.seats[line.seat].wagers.get(line.wager)) for line in found.lines]
    yield from _rows(
        ("seat", "wager", "stake", "outcome", "stake back", "paid", "as recorded", "by"),
        [(*_line(line), _as_recorded(line, wager), _by(line)) for line, wager in rows],
    )


def _line(line: Line) -> tuple[str, ...]:
    wager = line.wager + (" coupon" if line.coupon else "") + (f" of seat {line.holder}" if line.holder else "")
    return (
        str(line.seat), wager, money(line.stake or line.coupon), line.outcome.value, money(line.returned), money(line.paid)
    )  # fmt: skip


def _as_recorded(line: Line, wager: Wager | None) -> str:
    if line.coupon or line.holder or wager is None or wager.outcome is None or line.outcome is Outcome.HELD:
        return ""
    same = (wager.outcome, wager.returned, wager.paid) == (line.outcome, line.returned, line.paid)
    return "the same" if same else "NOT the same"


def _by(line: Line) -> str:
    reading = f"reading {line.reading}" if line.reading else ""
    hand = line.hand.replace("_", " ")
    return ", ".join(filter(None, (hand, line.pays, *line.cite, reading, line.note)))


def _rests_on(body: dict[str, Any]) -> str:
    reading = f"reading {body['reading']}" if body.get("reading") else ""
    return ", ".join([*body.get("cite", ()), *([reading] if reading else [])])


def _disputes(matter: Matter) -> Iterator[tuple[str, ...]]:
    kinds = {
        f.DisputeRaised.kind: "disputed", f.BookmarkNamed.kind: "pictures of surveillance", f.DisputeClosed.kind: "closed",
        f.ClearingAllowed.kind: "clearing allowed", f.AlarmSeen.kind: "alarm seen", f.AlarmCleared.kind: "alarm cleared",
        f.SecurityAlarm.kind: "alarm", "alarm_raised": "alarm",
    }  # fmt: skip
    for record in matter.facts:
        if (what := kinds.get(record.kind)) is not None:
            body = _body(record)
            named = body.get("dispute") or body.get("alarm") or record.subject
            words = body.get("reason") or body.get("found") or body.get("reference") or body.get("detail") or ""
            if record.kind == f.BookmarkNamed.kind:
                words += f", {rfc3339(body['begins_us'])} to {rfc3339(body['ends_us'])}"
            by = f"{body.get('by', '')} {body.get('role', '')}".strip()
            yield (f"{rfc3339(record.time_us)}", f"{what} {named}", by, str(words))


def _unchecked(matter: Matter) -> list[str]:
    ended = next((r for r in matter.facts if r.kind == f.RoundEnded.kind), None)
    if ended is None:
        return ["The round has not ended; this is said with its end."]
    open_ = [NOT_CHECKED.get(Check(name), name) for name in _body(ended).get("unchecked", ())]
    return open_ or ["Nothing: every check that the document asks for was made."]


def _devices(matter: Matter) -> Iterator[tuple[str, ...]]:
    for told in matter.devices:
        body = msgspec.json.decode(told.body)
        wanted = ("model", "serial", "firmware", "firmware_sha256", "config_sha256", "authenticated", "sha256")
        said = ", ".join(f"{name} {body[name]}" for name in wanted if name in body)
        yield (told.subject, told.kind.replace("_", " "), said)


def _frames(matter: Matter) -> Iterator[str]:
    if matter.frames:
        yield from _list([f"Frames on the wire: {name}" for name in matter.frames])
    else:
        yield "<p>No recording of the wire was given for this file; what devices reported stands in the records.</p>"


def _sealed(hands: Sequence[Told]) -> list[str]:
    sealed = [f"{h.record.stream.value}/{h.record.sequence}: sealed, {h.sealed}" for h in hands if h.sealed]
    return _list(sealed) if sealed else []


def _timeline(matter: Matter) -> Iterator[tuple[str, ...]]:
    for r in matter.facts:
        line = " ".join(event_line({"subject": r.subject, "kind": r.kind, "data": _body(r)}).split())
        yield (rfc3339(r.time_us), r.clock, f"{r.stream.value}/{r.sequence}", line)


def _proving(matter: Matter) -> Iterator[str]:
    yield "<h2>How to prove it</h2><p>Unpack the file that this page came in, and with bash, sha256sum and openssl:</p>"
    yield "<pre>bash verify.sh table.pub</pre><p>Take table.pub from the house or the regulator. This page is bound by the "
    yield "signature of the manifest, the records by their own chain and checkpoints: they count where the two differ.</p>"


def _body(record: Record) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.json.decode(record.data)
    return body


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Returns a table with all text escaped."""
    yield "<table>"
    if head:
        yield "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"
    count = 0
    for count, row in enumerate(rows, start=1):  # noqa: B007
        yield "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>"
    yield "</table>" if count else "</table><p>None.</p>"


def _list(items: Iterable[str]) -> list[str]:
    return ["<ul>", *(f"<li>{escape(item)}</li>" for item in items), "</ul>"]
