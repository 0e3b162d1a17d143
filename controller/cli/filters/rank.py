"""`tablewarden rank`: what cards are by a rule document. No table, no record, no clock."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import json

from controller.cards.cards import CardError, names, parse
from controller.cli.filters.stdin import lines_of
from controller.cli.main import AS_JSON, WRONG, end
from controller.cli.rulebook.choice import EVERYWHERE, find_book
from controller.readers.json import MAX_LINE
from controller.rules.model import Rulebook
from controller.rules.ranked import Dealt, NoHand, Ranked, decks, ranked

ORDERS = {"five": "hand", "six": "six card bonus", "three": "three cards"}


@click.command()
@click.option("--rulebook", "rulebook_id", metavar="ID", required=True, help="By which rule document to rank.")
@EVERYWHERE
@click.argument("hands", metavar="[CARDS]...", nargs=-1)
@AS_JSON
def rank(rulebook_id: str, directory: Path | None, hands: Sequence[str], as_json: bool) -> None:
    """Say what cards are by a rule document: the hand, its clause, the cards that make it, and its value.

    Each CARDS is one hand, such as "As Kd Th": a rank of A K Q J T 9 ... 2 (10 for T will do) and a suit of c d h s. Values
    of one kind compare between hands: the larger one is the better hand, equal ones tie. Without CARDS, hands are read
    from standard input, one a line; a line that is no hand is answered with its number and the cause, the next one is
    read, and the exit code is then 1. With --json each hand is one line.

    \b
    Example:
      tablewarden rank --rulebook md-uth "As Kd Kh Ks 9c 9d 2h"
      tablewarden rank --rulebook nj-pikit "9h 8c 7d 2h 3h" --json
      tablewarden rank --rulebook fast-action "Ah Th Kd Qd"
    """
    book = find_book(rulebook_id, directory)
    if hands:
        for hand in hands:
            _put(_ranked(book, hand), as_json)
        return
    refused = 0
    for number, line in enumerate(lines_of(sys.stdin.buffer), start=1):
        if not line.strip():
            continue
        try:
            _put(_document(book, _text(line)), as_json)
        except (CardError, NoHand) as exc:
            refused += 1
            _put({"line": number, "error": str(exc)}, as_json)
    if refused:
        end(f"{refused} line(s) were refused", WRONG)


def _text(line: bytes) -> str:
    """Raises `CardError` for a line that is longer than any hand."""
    if len(line) > MAX_LINE:
        raise CardError(f"a line has at most {MAX_LINE} bytes, and this one has more")
    return line.decode("utf-8", "backslashreplace")


def _ranked(book: Rulebook, text: str) -> dict[str, Any]:
    try:
        return _document(book, text)
    except (CardError, NoHand) as exc:
        raise click.UsageError(str(exc)) from exc


def _document(book: Rulebook, text: str) -> dict[str, Any]:
    """One hand as JSON has it. Raises `CardError` and `NoHand`."""
    cards = parse(text, decks(book))
    found = ranked(book, cards)
    document: dict[str, Any] = {"rulebook": book.id, "cards": names(cards)}
    document["hands"] = [_hand(hand) for hand in found if isinstance(hand, Ranked)]
    for dealt in found:
        if isinstance(dealt, Dealt):
            document["dealt"] = _dealt(dealt)
    return document


def _hand(hand: Ranked) -> dict[str, Any]:
    return {
        "order": hand.order, "hand": hand.hand, "says": hand.says, "cards": names(hand.cards), "value": hand.value,
        "cite": list(hand.cite), "asks": hand.asks,
    }  # fmt: skip


def _dealt(dealt: Dealt) -> dict[str, Any]:
    if dealt.setting is None:
        return {"natural": True, "cite": list(dealt.natural)}
    plays = [
        {"plays": names(p), "discards": names(d)} for p, d in zip(dealt.setting.plays, dealt.discards, strict=True)
    ]
    return {"natural": False, "says": dealt.setting.says, "cite": [dealt.setting.cite], "dealer": plays}


def _put(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.encode(document).decode())
        return
    for line in _page(document):
        click.echo(line)


def _page(document: dict[str, Any]) -> Iterator[str]:
    if "error" in document:
        yield f"line {document['line']}: {document['error']}"
        return
    yield document["cards"]
    for hand in document["hands"]:
        cite = ", ".join(hand["cite"])
        of = (
            ""
            if hand["hand"]
            else ", which the document does not list" + (" and ranks by its cards" if cite else "")
        )
        yield f"  {ORDERS[hand['order']]}: {hand['says']}{of}" + (f"  [{cite}]" if cite else "")
        if hand["asks"]:
            yield f"    whether it counts is a reading: {hand['asks']}"
        yield f"    cards {hand['cards']}, value {hand['value']}"
    match document.get("dealt"):
        case {"natural": True, "cite": cites}:
            yield f"  a natural: it is not set, and ends at once  [{', '.join(cites)}]"
        case {"says": says, "cite": cites, "dealer": plays}:
            yield f"  the dealer sets: {says}  [{', '.join(cites)}]"
            for play in plays:
                yield f"    plays {play['plays']}, discards {play['discards']}"
        case _:
            pass
