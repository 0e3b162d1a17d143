"""The lines of an existing card-reading shoe, Bee-Tek by name: RS-232, 9600 8N1, ASCII, CR LF, and nothing to answer it with.

    [Game]<Card:4S>                   a card was read; rank and suit stand in either order, a ten is T or 10
    [Game]<Game>   [Game]<>           a card went by and could not be read
    [Manual Burn Cards]<Card:H3>      the same, while the shoe is set to burn cards
    [Game]<Alarm:E3 Card Not Read>    an alarm with its number; the mode may be written GameAlarm
    [Game]<W0x01>                     a warning by number, with or without a mode

As four programs of others that read such a shoe agree; its maker has published nothing. No line has a number, so that none is
missing cannot be proven. **Which card it was ends here**: a report says that a card was drawn and whether it was read. Lines
that mean nothing here are kept as they came, but for whatever looks like a card.
"""

import re

from drivers.catalog import BEETEK_VENDOR
from drivers.lines.faces import CARD, withheld
from drivers.lines.line import LineLink
from drivers.protocol.messages import Identity
from drivers.protocol.reports import (
    AlarmRaised,
    Back,
    Capability,
    CardDrawn,
    DeviceKind,
    LineUnparsed,
    Recognition,
    Report,
    Severity,
)

BAUD = 9600

REPEAT_S = 0.15
"""The same line again within this time may be one line told twice. In eight decks two equal cards may follow each other, and
no hand draws them that fast; so it is kept, and marked."""

_LINE = re.compile(r"\s*(?:\[(?P<mode>[^][<>]*)\])?\s*<(?P<said>[^<>]*)>\s*")
_ALARM = re.compile(r"alarm:\s*(?:[A-Z]?(?P<code>\d{1,4})\b)?\s*(?P<text>.*)", re.IGNORECASE)
_WARNING = re.compile(r"W0x(?P<code>[0-9A-F]{1,4})", re.IGNORECASE)
GAME, BURN = ("game",), ("manual burn cards", "manual burn")


class BeeTek:
    """Reads the lines of a Bee-Tek shoe; remembers the last line, to recognise a repeat."""

    def __init__(self) -> None:
        self._last: tuple[str, float] | None = None

    def read(self, line: str, now: float) -> Report:
        """Returns the report of a whole line; `LineUnparsed` if the line has no known meaning. `now`: monotonic
        seconds. Never raises."""
        again = self._last is not None and self._last[0] == line and now - self._last[1] <= REPEAT_S
        self._last = (line, now)
        found = _LINE.fullmatch(line)
        mode = (found["mode"] or "").strip().lower() if found else ""
        said = found["said"].strip() if found else ""
        if found and (alarm := _ALARM.fullmatch(said)):
            return AlarmRaised(Severity.ALARM, int(alarm["code"] or 0), withheld(alarm["text"].strip()))
        if found and (warning := _WARNING.fullmatch(said)):
            return AlarmRaised(Severity.WARNING, int(warning["code"], 16), "")
        recognition = _recognition(said, mode)
        if found is None or recognition is None or mode not in GAME + BURN:
            return LineUnparsed(withheld(line))
        return CardDrawn(Back.UNKNOWN, recognition, mode in BURN, again, None)


def _recognition(said: str, mode: str) -> Recognition | None:
    """Returns whether a card was read; None if the line is not about a card."""
    if said.lower() in ("", "card:", "game", mode):
        return Recognition.UNREADABLE
    word, sign, face = said.partition(":")
    is_card = sign and word.strip().lower() == "card" and CARD.fullmatch(face.strip())
    return Recognition.READ if is_card else None


def beetek_link(serial: str, *, boot: int, byte_time_s: float = 0.0) -> LineLink:
    """Returns a link end for one Bee-Tek shoe; it lives as long as the daemon."""
    able = (Capability.READS_CARDS, Capability.TELLS_DRAWS)
    identity = Identity(DeviceKind.SHOE, BEETEK_VENDOR, "reading shoe", "", serial, "", capabilities=able)
    return LineLink(identity, boot=boot, read=BeeTek().read, byte_time_s=byte_time_s)
