"""Logs for engineers: one event a line with its fields, ours and the libraries' in one form.

Log lines may be lost; the journal holds what must not be lost. No card identity and no secret passes through here.
"""

import logging
import os
import re
import socket
import sys
from collections.abc import Mapping, MutableMapping
from enum import Enum, StrEnum
from typing import Any, TextIO

import msgspec
import structlog
from structlog.typing import Processor

from drivers.protocol.texts import plain, plain_json

WITHHELD = "[withheld]"

CARD_FIELDS = frozenset({"card", "rank", "ranks", "suit", "suits", "hand", "hole", "board", "community"})
"""Fields that name cards: withheld whatever they hold."""

COUNT_FIELDS = frozenset({"cards", "hands", "stub"})
"""Fields that hold a count as a rule; a whole number stays, anything else may name cards and is withheld."""

SECRET_FIELDS = frozenset({"password", "pin", "secret", "token", "salt"})
"""Fields that open something: withheld whatever they hold."""

LIBRARIES = {"paho": logging.WARNING, "aiomqtt": logging.WARNING, "asyncio": logging.WARNING}
"""Least levels of libraries: their retries are logged once, by us."""

JOURNAL = "/run/systemd/journal/socket"
PRIORITIES = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}
"""Level -> journald's priority."""
BOUND = ("site", "table", "round", "device", "clause")
"""Fields that journald can search: `journalctl TABLEWARDEN_ROUND=...`."""

AS_LINES = frozenset({"exception", "stack"})
"""Fields of several lines, which this process wrote itself."""

_ALL = "|".join(sorted(CARD_FIELDS | COUNT_FIELDS | SECRET_FIELDS))
_IN_TEXT = re.compile(
    rf"(?P<before>(?P<quote>['\"]?)\b(?P<field>{_ALL})(?P=quote)\s*[=:]\s*)"
    r"(?P<value>[A-Za-z_.]*\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|'[^']*'|\"[^\"]*\"|[^\s,;)\]}]+)",
    re.IGNORECASE,
)
"""A field inside a text, as a repr or a library's message has it: `card=Card(rank=14, suit='s')`, `'pin': 1234`."""
_SUIT_SIGN = re.compile(r"(?:10|[2-9TJQKA])?[\u2660-\u2667]|[\U0001F0A1-\U0001F0FF]")
"""A card as it is printed: rank and suit sign, or one sign for the whole card."""
_NAME = r"(?:\?\?|(?:10|[2-9TJQKA])[cdhs])"
_IN_WORDS = re.compile(rf"(?<![\w.]){_NAME}(?:[ ,]+{_NAME})+(?!\w)|(?P<quote>['\"]){_NAME}(?P=quote)")
"""Cards as people name them: two or more in a row, or one in quotes. A single bare word may be `As` or five seconds."""


class LogFormat(StrEnum):
    """How log lines are written."""

    AUTO = "auto"  # console on a terminal, journald's own form under systemd, JSON elsewhere
    JSON = "json"
    CONSOLE = "console"


class LogLevel(StrEnum):
    """The least level of log lines that are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """Returns a logger for events with fields: `log.warning("shoe_jam", device="shoe-1", cite="13.I")`."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def configure(
    style: LogFormat = LogFormat.AUTO,
    level: LogLevel = LogLevel.INFO,
    *,
    stream: TextIO | None = None,
    cache: bool = False,
) -> None:
    """Sets up logging of the whole process, ours and that of libraries, to `stream` (standard error).

    A second call replaces the first. `cache`: loggers keep this set-up for good, which is for the daemon only.
    """
    out = sys.stderr if stream is None else stream
    is_console = style is LogFormat.CONSOLE or (style is LogFormat.AUTO and out.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,  # as text: a traceback with local variables would show cards
        redact,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=cache,
    )
    is_journal = style is LogFormat.AUTO and _is_journal(out)
    handler = _Journal(out) if is_journal else logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *([_printable] if is_console else []),
                _datagram if is_journal else _renderer(is_console, out),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    logging.captureWarnings(True)
    for name, least in LIBRARIES.items():
        logging.getLogger(name).setLevel(least)


def _is_journal(out: TextIO) -> bool:
    """Returns True if the service manager has connected this stream to journald."""
    try:
        found = os.fstat(out.fileno())
    except (OSError, ValueError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


class _Journal(logging.Handler):
    """Writes to journald with priority and fields; to `out` where journald takes nothing."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out, self._socket = out, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)

    def emit(self, record: logging.LogRecord) -> None:
        """Sends one line; never raises."""
        try:
            text = self.format(record)
            data = text.encode("utf-8", "backslashreplace")
            try:
                self._socket.sendto(_of_lines(data), JOURNAL)
            except OSError:
                self._out.write(f"{text.partition(chr(10))[0]}\n")
                self._out.flush()
        except Exception:  # a log must never end what it tells of
            self.handleError(record)

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()
        super().close()


def _of_lines(data: bytes) -> bytes:
    """Returns journald's native form: fields with their lengths, since values may have several lines."""
    fields = (field.partition(b"=") for field in data.split(b"\0"))
    return b"".join(name + b"\n" + len(value).to_bytes(8, "little") + value + b"\n" for name, _, value in fields)


def _datagram(_logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
    """Renders an event as `NAME=value` fields with NUL between them; a log processor."""
    told = {key: value for key, value in event.items() if key not in ("timestamp", "level", "logger", "event")}
    words = [str(event["event"]), *(f"{key}={value}" for key, value in told.items())]
    bound = {f"TABLEWARDEN_{key.upper()}": str(told[key]) for key in BOUND if key in told}
    level = str(event.get("level", "info"))
    fields = {
        "MESSAGE": " ".join(words), "PRIORITY": str(PRIORITIES.get(level, 6)), "SYSLOG_IDENTIFIER": "tablewarden",
        "TABLEWARDEN_EVENT": str(event["event"]), "TABLEWARDEN_LOGGER": str(event.get("logger", "")), **bound,
    }  # fmt: skip
    return "\0".join(f"{name}={value.replace(chr(0), ' ')}" for name, value in fields.items())


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Withholds card identities and secrets, at any depth and inside texts; a log processor."""
    for key, value in event.items():
        if not key.startswith("_"):  # structlog's own bookkeeping, never shown
            event[key] = _cleaned(key, value)
    return event


def _cleaned(key: str, value: object) -> object:
    name = key.lower()
    if name in CARD_FIELDS | SECRET_FIELDS or (name in COUNT_FIELDS and not _is_count(value)):
        return WITHHELD
    match value:
        case bool() | int() | float() | StrEnum() | None:
            return value
        case str():
            return _clean_text(value)
        case Mapping():
            return {str(k): _cleaned(str(k), v) for k, v in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_cleaned(key, v) for v in value]
        case _:
            return _clean_text(str(value))


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, Enum))


def _clean_text(text: str) -> str:
    clean = _SUIT_SIGN.sub(WITHHELD, _IN_WORDS.sub(WITHHELD, _IN_TEXT.sub(_clean_field, text)))
    return clean.encode("utf-8", "backslashreplace").decode()  # a file name may hold bytes that are no text


def _clean_field(found: re.Match[str]) -> str:
    is_count = found["field"].lower() in COUNT_FIELDS and found["value"].lstrip("-").isdigit()
    return found[0] if is_count else found["before"] + WITHHELD


def _printable(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replaces characters that would move a terminal's cursor or begin a line; a log processor."""
    for key, value in event.items():
        if key not in AS_LINES:
            event[key] = plain(value) if isinstance(value, str) else value
    return event


def _renderer(is_console: bool, out: TextIO) -> Processor:
    if is_console:
        return structlog.dev.ConsoleRenderer(
            colors=out.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    return structlog.processors.JSONRenderer(serializer=_to_json)


def _to_json(event: dict[str, object], **_: object) -> str:
    first = {key: event.pop(key) for key in ("timestamp", "level", "logger", "event") if key in event}
    return plain_json(
        msgspec.json.encode({**first, **event}).decode()
    )  # what a person looks for first stands first
