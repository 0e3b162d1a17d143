"""Draws the hands as they lay at the table: SVG, seen from the players' side."""

import math
import re
from collections.abc import Mapping, Sequence
from html import escape as escape_html

import msgspec

from controller.cards.cards import RANKS
from controller.journal.proof.prove import Told
from controller.rules.vocabulary import Area
from drivers.protocol.records import dataclass
from drivers.protocol.texts import plain

SUITS = {"c": ("♣", "#111"), "d": ("♦", "#b00"), "h": ("♥", "#b00"), "s": ("♠", "#111")}
CARD = re.compile(rf"(10|[{RANKS}])([cdhs])", re.IGNORECASE)
WIDTH, HEIGHT = 1000, 620
CARD_W, CARD_H, STEP = 44, 62, 30


@dataclass(frozen=True, slots=True)
class Laid:
    """One hand. `cards`: as recorded, () = sealed; `marked`: the played or shown ones; `sealed`: why they are
    unknown, and their number."""

    cards: tuple[str, ...] = ()
    marked: frozenset[str] = frozenset()
    sealed: str = ""
    count: int = 0


def laid(hands: Sequence[Told]) -> dict[tuple[str, int], Laid]:
    """Returns the last recorded hand of each area and seat."""
    found = {}
    for hand in hands:
        body = msgspec.json.decode(hand.record.data)
        if hand.sealed:
            there = Laid(sealed=hand.sealed, count=len(body["cards"]))
        elif hand.clear:
            there = Laid(
                _words(body["cards"]), frozenset(_words(body.get("played", "")) + _words(body.get("shown", "")))
            )
        else:
            marked = frozenset(card.card for card in hand.cards if card.field != "cards")
            there = Laid(tuple(card.card for card in hand.cards if card.field == "cards"), marked)
        found[body["area"], body.get("seat", 0)] = there
    return found


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def picture(hands: Mapping[tuple[str, int], Laid], seats: int, in_play: Sequence[int]) -> str:
    """Returns the picture: the dealer above, common cards in the middle, seat 1 at the dealer's left."""
    right, low = WIDTH - 20, HEIGHT - 20
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="The hands as they lay at the table">',
        f'<path d="M20 40 H{right} Q{right} {low} {WIDTH // 2} {low} Q20 {low} 20 40Z" class="felt"/>',
        _hand(WIDTH / 2, 110, "dealer", hands.get((Area.DEALER.value, 0))),
    ]
    others = [(key, hand) for key, hand in sorted(hands.items()) if key[0] not in (Area.DEALER, Area.PLAYER)]
    for number, ((area, _), hand) in enumerate(others):
        parts.append(_hand(WIDTH / 2, 235 + 110 * number, area.replace("_", " "), hand))
    for seat in range(1, seats + 1):
        angle = math.pi * (0.08 + 0.84 * (seat - 1) / max(seats - 1, 1))
        x, y = WIDTH / 2 + 410 * math.cos(angle), 220 + 330 * math.sin(angle)
        if seat in in_play:
            parts.append(_hand(x, y, f"seat {seat}", hands.get((Area.PLAYER.value, seat))))
        else:
            parts.append(f'<text x="{x:.0f}" y="{y:.0f}" class="empty">seat {seat}: not in play</text>')
    return "\n".join([*parts, "</svg>"])


def escape(text: str) -> str:
    """Returns the text fit for a page: no markup, and no character that moves a cursor or turns the direction."""
    return escape_html(plain(text))


def _hand(x: float, y: float, name: str, hand: Laid | None) -> str:
    """Draws a hand centred at `x`, `y`, its name below."""
    if hand is None:
        return f'<text x="{x:.0f}" y="{y:.0f}" class="empty">{escape(name)}: cards not told</text>'
    count = hand.count if hand.sealed else len(hand.cards)
    left = x - (STEP * (count - 1) + CARD_W) / 2
    faces = [("", False)] * count if hand.sealed else [(card, card in hand.marked) for card in hand.cards]
    drawn = [_card(left + STEP * place, y - CARD_H / 2, card, mark) for place, (card, mark) in enumerate(faces)]
    text = f"{name}: sealed" if hand.sealed else f"{name}: {' '.join(hand.cards)}"
    return "".join([*drawn, f'<text x="{x:.0f}" y="{y + CARD_H / 2 + 18:.0f}">{escape(text)}</text>'])


def _card(x: float, y: float, card: str, is_marked: bool) -> str:
    """Draws a card, face down if it is unknown."""
    frame = f'<rect x="{x:.0f}" y="{y:.0f}" width="{CARD_W}" height="{CARD_H}" rx="5" class="%s"/>'
    if not card:
        return frame % "back"
    known = CARD.fullmatch(card)
    rank, (glyph, colour) = (known[1].upper(), SUITS[known[2].lower()]) if known else ("?", ("", "#111"))
    return (
        frame % ("face marked" if is_marked else "face")
        + f'<text x="{x + 15:.0f}" y="{y + 22:.0f}" class="rank" fill="{colour}">{rank.replace("T", "10")}</text>'
        + f'<text x="{x + 15:.0f}" y="{y + 48:.0f}" class="suit" fill="{colour}">{glyph}</text>'
    )
