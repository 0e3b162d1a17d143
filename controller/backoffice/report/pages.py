"""Writes the report of a day as a page for people and as CSV. The page has no script, nothing from elsewhere, and is escaped."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from controller.text.money import money
from drivers.protocol.texts import plain

COMPLETE, NOT_PROVEN = "complete and as published", "not as published"
Document = Mapping[str, Any]
Row = Mapping[str, Any]

STYLE = """
body{font:15px/1.45 sans-serif;max-width:72em;margin:1em auto;padding:0 1em;color:#111}h1{font-size:1.5em;margin-bottom:.2em}
h2{font-size:1.15em;border-bottom:1px solid #999;margin-top:1.8em}table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:.15em .8em .15em 0;border-bottom:1px solid #ddd;vertical-align:top;overflow-wrap:anywhere}
th{white-space:nowrap;font-weight:600}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}th.n{text-align:right}
td.t{white-space:nowrap}.bad{color:#a00}p.bad{font-weight:bold}.none{color:#555}
@media print{body{font-size:11px;max-width:none}tr{break-inside:avoid}}
"""

SECTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "completeness": ("Is anything missing?", {
        "table": "table", "state": "state", "events": "events", "checkpoints": "signed", "unsigned": "not signed yet",
        "first": "from", "last": "to", "holes": "findings",
    }),
    "voids": ("Voids, and what had been paid by then", {
        "time": "time (UTC)", "table": "table", "round": "round", "seat": "seat", "rests_on": "rests on",
        "paid_before_cents": "paid by then",
    }),
    "miscounts": ("Miscounts", {
        "time": "time (UTC)", "table": "table", "round": "round", "set": "set", "what": "what", "found": "found",
        "expected": "expected",
    }),
    "progressive": ("Progressive: accepted and counted", {
        "time": "time (UTC)", "table": "table", "round": "round", "accepted": "accepted", "counted": "counted",
        "difference": "difference", "by": "counted by",
    }),
    "alarms": ("Alarms and holds, and how long until a person answered", {
        "raised": "raised (UTC)", "table": "table", "round": "round", "what": "what", "seconds": "seconds to answer",
        "by": "answered by", "ended": "ended",
    }),
    "dispositions": ("Dispositions by clause", {
        "rulebook": "rulebook", "rests_on": "rests on", "trigger": "what happened", "action": "what was demanded",
        "times": "times", "rounds": "where",
    }),
    "readings": ("Rulebooks and readings in force", {
        "since": "since (UTC)", "table": "table", "rulebook": "rulebook", "edition": "edition", "elections": "elected",
        "software": "software", "sha256": "SHA-256",
    }),
    "rounds": ("Rounds", {
        "begun": "begun (UTC)", "table": "table", "round": "round", "game": "game", "wagers": "wagers",
        "staked_cents": "staked", "handed_back_cents": "handed back", "outcome": "outcome", "unchecked": "could not be checked",
    }),
}  # fmt: skip
"""Key of the document -> heading, and its columns: key of a row -> heading. The most urgent first."""

COLUMNS = ("section", "table", "time", "round", "name", "value")
"""Of the CSV: one line for each value of each row, so that a later release can add values and no reader breaks."""
TIMES = ("time", "begun", "raised", "since", "first", "begins")
WHOLE = frozenset({*TIMES, "last", "ended", "ends", "table", "round", "by"})
"""Columns whose words stay on one line."""
NUMBERS = frozenset({
    "events", "checkpoints", "unsigned", "seat", "paid_before_cents", "found", "expected", "accepted", "counted", "difference",
    "seconds", "times", "wagers", "staked_cents", "handed_back_cents",
})  # fmt: skip


def page(document: Document) -> str:
    """Returns the page. Equal input gives equal text."""
    title = f"Report of {document['day']}"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{_text(title)}</title><style>{STYLE}</style></head><body><h1>{_text(title)}</h1>",
        *_summary(document),
    ]
    for key, (heading, columns) in SECTIONS.items():
        parts.append(f"<h2>{_text(heading)}</h2>")
        parts += _rows(document[key], columns)
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _summary(document: Document) -> Iterator[str]:
    wrong = [row for row in document["completeness"] if row["state"] == NOT_PROVEN]
    outcomes: dict[str, int] = {}
    for row in document["rounds"]:
        outcome = row.get("outcome") or "not ended"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    told = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in sorted(outcomes.items()))
    yield f"<p>Tables: {len(document['tables'])}. Rounds: {len(document['rounds'])}{': ' if told else ''}{_text(told)}.</p>"
    spans: dict[str, list[str]] = {}
    for table in document["tables"]:
        span = f"{_time(table['begins'])} to {_time(table['ends'])} UTC"
        spans.setdefault(span, []).append(table["table"])
    for span, names in spans.items():
        whose = "" if len(spans) == 1 else f" at {', '.join(names)}"
        yield f'<p class="none">The day{_text(whose)}: {span}.</p>'
    if wrong:
        whom = ", ".join(sorted({row["table"] for row in wrong}))
        yield f'<p class="bad">The events of {_text(whom)} are not as published, or some are missing. See the findings.</p>'
    elif any(row["state"] != COMPLETE for row in document["completeness"]):
        yield "<p>No fault was found, but not all is proven. See the findings.</p>"
    else:
        yield "<p>Complete: every event is as its table published it, and a signature of the table covers all but the newest.</p>"


def _rows(rows: Sequence[Row], columns: Mapping[str, str]) -> Iterator[str]:
    if not rows:
        yield '<p class="none">None.</p>'
        return
    heads = "".join(f"<th{_class(key)}>{_text(head)}</th>" for key, head in columns.items())
    yield f"<table><tr>{heads}</tr>"
    for row in rows:
        cells = "".join(f"<td{_class(key)}>{_cell(key, row)}</td>" for key in columns)
        yield f"<tr{_alert(row)}>{cells}</tr>"
    yield "</table>"


def _alert(row: Row) -> str:
    is_bad = row.get("state") == NOT_PROVEN or row.get("difference") or ("raised" in row and not row.get("seen"))
    return ' class="bad"' if is_bad else ""


def _class(key: str) -> str:
    return ' class="n"' if key in NUMBERS else ' class="t"' if key in WHOLE else ""


def _cell(key: str, row: Row) -> str:
    value = row.get(key)
    if key == "seconds" and value is None:
        return "not answered"
    if key.endswith("_cents") and value is not None:
        return _text(f"{money(value)} {row.get('currency', '')}".rstrip())
    if key == "elections":
        return _text("; ".join(_items(dict(sorted((value or {}).items(), key=_numbered)))))
    if key in ("holes", "rounds"):
        return "<br>".join(map(_text, _items(value)))
    return _text(_spoken(key, value))


def _numbered(question: tuple[str, Any]) -> tuple[str, int]:
    """Returns what sorts R-9 before R-10."""
    name, _, number = question[0].rpartition("-")
    return (name, int(number)) if number.isdecimal() else (question[0], 0)


def _spoken(key: str, value: Any) -> str:
    if value is None:
        return ""
    if key in (*TIMES, "last", "ended", "ends"):
        return _time(value)
    if key in ("action", "trigger", "outcome", "game", "unchecked"):
        return ", ".join(_items(value)).replace("_", " ")
    return ", ".join(_items(value))


def _items(value: Any) -> list[str]:
    match value:
        case None:
            return []
        case Mapping():
            return [f"{key}: {', by '.join(map(str, inner))}" for key, inner in value.items()]
        case list() | tuple():
            return [str(inner) for inner in value]
        case _:
            return [str(value)]


def _time(text: str) -> str:
    """Returns `2026-01-31 18:04:05` of an RFC 3339 time."""
    return text[:19].replace("T", " ")


def _text(text: str) -> str:
    return escape(plain(text))


def csv_text(document: Document) -> str:
    """Returns the report as CSV: section, table, time, round, name, value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_lines(document))
    return out.getvalue()


def _lines(document: Document) -> Iterator[tuple[str, ...]]:
    for section in ("tables", *SECTIONS):
        for row in document[section]:
            time = next((row[key] for key in TIMES if row.get(key)), "")
            place = (section, row.get("table", ""), time, row.get("round", ""))
            for name, value in row.items():
                if name not in ("table", "round") and value not in (None, ""):
                    yield (*map(_safe, place), name, _safe("; ".join(_items(value))))


def _safe(text: str) -> str:
    """Returns text that a spreadsheet does not take for a formula."""
    text = plain(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") and not text[1:].isdecimal() else text
