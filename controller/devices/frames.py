"""Describes frames of TDP/1 in words, for people who look at a wire."""

from typing import Any

from drivers.protocol import messages as m
from drivers.protocol.codec import decode
from drivers.protocol.framing import FrameError, decode_piece
from drivers.protocol.texts import plain
from drivers.recording.words import fields_words, report_words

SHORT: dict[type[m.Message], str] = {m.Request: "REQ", m.Response: "RSP", m.Error: "ERR"}
"""Names in docs/protocol.md that are not those of the records."""


def pieces_in_words(data: bytes) -> list[str]:
    """Returns one line for each frame in a wire's bytes; what is no frame is named by its cause."""
    return [_piece(piece) for piece in data.split(b"\0") if piece]


def _piece(piece: bytes) -> str:
    try:
        return frame_words(decode(decode_piece(piece)))
    except FrameError as error:
        return f"no frame ({error.cause.value}): {piece.hex()}"


def frame_words(frame: m.Frame) -> str:
    """Returns a frame in words: message, header, contents."""
    again = " again" if frame.retransmit else ""
    seal = " sealed" if frame.seal else ""
    kind = type(frame.message)
    name = SHORT.get(kind) or "".join(f"_{c}" if c.isupper() else c.upper() for c in kind.__name__).lstrip("_")
    head = f"{name}{again}{seal} seq={frame.seq} ack={frame.ack} session={frame.session:08x}"
    return plain(f"{head} {_message(frame.message)}".rstrip())


def _message(message: Any) -> str:
    match message:
        case m.Event(boot, record):
            return f"boot={boot:016x} {_record(record)}"
        case m.LogData(boot, records):
            return f"boot={boot:016x} " + "; ".join(map(_record, records))
        case m.Request(what) if not isinstance(what, m.UnknownRequest):
            return f"{type(what).__name__} {fields_words(what)}".rstrip()
        case _:
            return fields_words(message)


def _record(record: m.Record) -> str:
    return f"{record.counter} at={record.tick_us} {report_words(record.report)}"
