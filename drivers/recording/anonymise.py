"""A recording that may leave the house: the same life of the wire, without serial number, texts and cards.

Cards in lines of text become other cards, each the same one throughout, so that repeats stay repeats. Everything keeps its
length; checks are computed anew. A sealed session is sealed anew with a key that everybody knows, for which the device's own
key is needed once.
"""

import hashlib
import hmac
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace

from drivers.catalog import Codec
from drivers.protocol import messages as m
from drivers.protocol.auth import SessionKeys
from drivers.protocol.chain import LogChain
from drivers.protocol.codec import decode, encode
from drivers.protocol.constants import HEADER_SIZE, KEY_SIZE, MAC_SIZE, NUMBER_SIZE, SEAL_SIZE
from drivers.protocol.framing import FrameError, decode_piece, encode_frame
from drivers.protocol.payloads import PayloadError
from drivers.protocol.records import dataclass
from drivers.protocol.reports import AlarmRaised, Level, LineUnparsed
from drivers.recording.format import IN, OUT, Entry, Header, Recording, RecordingInvalid, durable_in, durable_words
from drivers.recording.rechain import rechained, records_in

PUBLIC_KEY = bytes(range(KEY_SIZE))
"""What sealed sessions are sealed with afterwards: a replay of the result takes it, and it proves nothing."""

RANKS, SUITS = "23456789TJQKA", "CDHS"
CARD = re.compile(
    r"(?<![A-Za-z0-9])(?:(10|[2-9TJQKA])([CDHS])|([CDHS])(10|[2-9TJQKA]))(?![A-Za-z0-9])", re.IGNORECASE
)
HIDDEN = "x"
READABLE = re.compile(rb"[ -~]{3,}")
"""In a damaged frame: a serial number with one bit flipped is still a serial number."""

Rewrite = Callable[[bytes], bytes]


def anonymise(recording: Recording, rng: random.Random, key: bytes | None = None) -> Recording:
    """`rng`: draws the other cards; nothing of it stands in the result. `key`: the device's, 32 bytes.

    Raises `RecordingInvalid` for a sealed session without its key.
    """
    cards = _Cards(rng)
    if key and recording.header.speaks is Codec.TDP:
        cards.chains = _chains(recording, key, cards)
    keys = _session_keys(recording, key, cards) if key else {}
    entries = list(recording.entries)
    is_tdp = recording.header.speaks is Codec.TDP
    for kind in (IN, OUT):
        places = [n for n, entry in enumerate(entries) if entry.kind == kind]
        seals = {session: pair[kind == IN] for session, pair in keys.items()}
        cut = _frames(lambda piece, seals=seals: _frame(piece, cards, seals)) if is_tdp else _lines(cards)  # type: ignore[misc]
        for place, data in zip(places, cut(entries[n].data for n in places), strict=True):
            entries[place] = replace(entries[place], data=data)
    entries = [_told(entry, cards.chains) for entry in entries]
    return Recording(_header(recording.header), tuple(entries), recording.is_torn)


@dataclass(slots=True)
class _Cards:
    """Each card becomes another; the same one always the same other. Tens are kept apart, as they may take two letters.

    `chains`: the new value for each one of the chain over the device's log.
    """

    rng: random.Random
    chains: Mapping[bytes, bytes] = field(default_factory=dict)
    _known: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        plain = [rank + suit for rank in RANKS if rank != "T" for suit in SUITS]
        tens = list(SUITS)
        self._known = dict(zip(plain, self.rng.sample(plain, len(plain)), strict=True))
        self._known |= {f"T{a}": f"T{b}" for a, b in zip(tens, self.rng.sample(tens, len(tens)), strict=True)}

    def changed(self, text: str) -> str:
        """The text with other cards, as long as before."""
        return CARD.sub(self._other, text)

    def _other(self, found: re.Match[str]) -> str:
        rank, suit = (found[1], found[2]) if found[1] else (found[4], found[3])
        other = self._known[("T" if rank == "10" else rank.upper()) + suit.upper()]
        face = rank if other[0] == "T" else other[0]
        return face + other[1] if found[1] else other[1] + face


def _lines(cards: _Cards) -> Callable[[Iterable[bytes]], list[bytes]]:
    """The whole text at once, as a card may lie across two reads; cut again where it was cut."""

    def cut(parts: Iterable[bytes]) -> list[bytes]:
        kept = list(parts)
        text = cards.changed(b"".join(kept).decode("latin-1")).encode("latin-1")
        found, at = [], 0
        for part in kept:
            found.append(text[at : at + len(part)])
            at += len(part)
        return found

    return cut


def _frames(rewrite: Rewrite) -> Callable[[Iterable[bytes]], list[bytes]]:
    """Frame by frame: what a frame becomes stands where it ended; what it began with before stays as long as it was."""

    def cut(parts: Iterable[bytes]) -> list[bytes]:
        kept = [bytearray(part) for part in parts]
        begun: list[tuple[int, int]] = []  # (part, place) of the bytes of the piece that is open
        for number, part in enumerate([bytes(part) for part in kept]):
            shift = 0
            for place, byte in enumerate(part):
                if byte:
                    begun.append((number, place + shift))
                    continue
                shift += _put(kept, begun, rewrite)
                begun = []
        _put(kept, begun, rewrite)
        return [bytes(part) for part in kept]

    return cut


def _put(kept: list[bytearray], begun: list[tuple[int, int]], rewrite: Rewrite) -> int:
    """Puts the new bytes of one piece in place of its old ones. Gives by how much its last part grew."""
    if not begun:
        return 0
    old = bytes(kept[part][place] for part, place in begun)
    new = rewrite(old)
    for (part, place), byte in zip(begun, new, strict=False):
        kept[part][place] = byte
    last, end = begun[-1][0], begun[-1][1] + 1
    if len(new) > len(old):
        kept[last][end:end] = new[len(old) :]
    elif len(new) < len(old):
        for part, place in reversed(begun[len(new) :]):
            del kept[part][place]
    return (len(new) - len(old)) if len(new) >= len(old) else -sum(part == last for part, _ in begun[len(new) :])


@dataclass(frozen=True, slots=True)
class _Side:
    """What one end of one session proves and seals with, in the result."""

    proof: bytes
    seal: bytes

    def sealed(self, frame: m.Frame) -> bytes:
        """The body, under the number that it had."""
        marked = encode(replace(frame, seal=bytes(SEAL_SIZE)))[:-SEAL_SIZE] + frame.seal[:NUMBER_SIZE]
        return marked + hmac.digest(self.seal, marked, "sha256")[:MAC_SIZE]


def _session_keys(recording: Recording, key: bytes, cards: _Cards) -> dict[int, tuple[_Side, _Side]]:
    """The host's and the device's side of each session. Raises `RecordingInvalid` where `key` is not the device's."""
    hellos: dict[int, bytes] = {}
    found: dict[int, tuple[_Side, _Side]] = {}
    for frame, body in _read(recording):
        match frame.message:
            case m.Hello():
                hellos[frame.session] = body[HEADER_SIZE:]
            case m.Welcome() if frame.session in hellos:
                anew = encode(replace(frame, message=_message(frame.message, cards)))[HEADER_SIZE:]
                keys = SessionKeys(PUBLIC_KEY, frame.session, hellos[frame.session], anew)
                host, device = _Side(keys.host_proof, keys.host_seal), _Side(keys.device_proof, keys.device_seal)
                found[frame.session] = host, device
                was = SessionKeys(key, frame.session, hellos[frame.session], body[HEADER_SIZE:])
            case m.Auth(proof) if frame.session in found and proof != was.host_proof:
                raise RecordingInvalid("this key is not the one that the recording was sealed with")
    return found


def _read(recording: Recording) -> Iterable[tuple[m.Frame, bytes]]:
    """Every frame of both directions, in the order in which they ended."""
    held = {IN: b"", OUT: b""}
    for entry in recording.entries:
        if entry.kind not in held:
            continue
        *pieces, held[entry.kind] = (held[entry.kind] + entry.data).split(b"\0")
        for piece in filter(None, pieces):
            try:
                body = decode_piece(piece)
                yield decode(body), body
            except FrameError:
                continue  # noise


def _frame(piece: bytes, cards: _Cards, seals: dict[int, _Side]) -> bytes:
    """The piece with its texts changed. One that is no frame stays none, and loses whatever can be read in it."""
    try:
        frame = decode(decode_piece(piece))
    except FrameError:
        return READABLE.sub(lambda found: HIDDEN.encode() * len(found[0]), piece)
    side = seals.get(frame.session)
    if frame.seal and side is None:
        raise RecordingInvalid(
            "its seals prove every byte of this recording; name the device's key with --key-file"
        )
    changed = _message(frame.message, cards)
    if side is not None and isinstance(changed, m.Auth | m.AuthOk):
        changed = replace(changed, proof=side.proof)
    if changed == frame.message and not frame.seal:
        return piece
    frame = replace(frame, message=changed)
    try:
        return encode_frame(side.sealed(frame) if side and frame.seal else encode(frame)).strip(b"\0")
    except (PayloadError, ValueError) as exc:
        raise RecordingInvalid(f"a frame of this recording cannot be written anew: {exc}") from exc


def _message(message: m.Message, cards: _Cards) -> m.Message:
    match message:
        case m.Welcome(identity=who):
            return replace(message, identity=replace(who, serial=_pseudonym(who.serial), extra=()))
        case m.Event(record=record):
            return replace(message, record=_record(record, cards))
        case m.LogData(records=records):
            return replace(message, records=tuple(_record(record, cards) for record in records))
        case m.Request(m.SetLevel(Level.DISPLAY, value, operation)):
            return m.Request(m.SetLevel(Level.DISPLAY, HIDDEN * len(value), operation))
        case m.Error(text=text):
            return replace(message, text=HIDDEN * len(text))
    return message


def _chains(recording: Recording, key: bytes, cards: _Cards) -> Mapping[bytes, bytes]:
    durable = [place for entry in recording.entries if (place := durable_in(entry)) is not None]
    told = records_in(frame.message for frame, _ in _read(recording))
    anew = LogChain(PUBLIC_KEY)
    return rechained(told, durable, LogChain(key), anew, lambda record: replace(_record(record, cards), raw=b""))


def _record(record: m.Record, cards: _Cards) -> m.Record:
    record = replace(record, chain=cards.chains.get(record.chain, record.chain))
    match record.report:
        case LineUnparsed(text):
            return replace(record, report=LineUnparsed(cards.changed(text)))
        case AlarmRaised(severity, code, text):
            return replace(record, report=AlarmRaised(severity, code, cards.changed(text)))
    return record


def _told(entry: Entry, chains: Mapping[bytes, bytes]) -> Entry:
    """Returns the host's calls and the port's path without identities."""
    given = dict(entry.given)
    if (place := durable_in(entry)) is not None:
        given["durable"] = durable_words(place._replace(chain=chains.get(place.chain, place.chain)))
    if given.get("level") == Level.DISPLAY.value:
        given["value"] = HIDDEN * len(str(given["value"]))
    for key in ("path", "leads_to", "detail"):
        if key in given:
            given[key] = HIDDEN
    return replace(entry, given=given)


def _header(header: Header) -> Header:
    serial = None if header.serial is None else _pseudonym(header.serial)
    return replace(header, device=header.kind.value, path=HIDDEN, serial=serial, wall="1970-01-01T00:00:00Z")


def _pseudonym(serial: str) -> str:
    """As long as the serial number, and the same for the same one: two recordings of one device stay of one device."""
    digest = hashlib.sha256(b"tablewarden recording\0" + serial.encode()).hexdigest()
    return (digest * 2)[: len(serial.encode())]
