"""The client of the control socket for commands: blocking, without an event loop, quick to start."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

DEFAULT_SOCKET = Path("/run/tablewarden/control.sock")
"""Where a daemon offers its socket unless its configuration says otherwise."""

ANSWER_TIMEOUT_S = 10.0
"""Longer than any answer takes: a commit that takes over 2 s has failed, and the daemon says so."""


RETRY_S = 0.05
"""Between two tries to connect where too many wait already."""

STRANGE = "what answers here is no daemon of this software; name another socket with --socket"


class ControlUnreachable(Exception):
    """No daemon answers at this socket; the text says what was seen and what to do."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class ControlFailed(Exception):
    """The daemon refused a request. `code`: an id of `ErrorCode`; `cite`: clauses, if law says so; `refusal`: the core's
    own word for a refused act (docs/codes.md), "" = none."""

    def __init__(self, code: str, reason: str, cite: tuple[str, ...] = (), refusal: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason, self.cite, self.refusal = code, reason, cite, refusal


class ControlClient:
    """One connection. Raises `ControlUnreachable` if there is no daemon, or it goes away."""

    def __init__(self, path: Path, timeout_s: float = ANSWER_TIMEOUT_S) -> None:
        self._path, self._timeout_s, self._last = path, timeout_s, 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        try:
            self._connect()
        except OSError as exc:
            self._socket.close()
            raise ControlUnreachable(path, _why(exc)) from exc
        self._lines = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the socket to the daemon."""
        self._lines.close()
        self._socket.close()

    def cut(self) -> None:
        """Ends a watch from another thread: its iterator stops."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def ask(self, do: str, **rest: object) -> dict[str, Any]:
        """Returns the result of one request. Raises `ControlFailed` with the daemon's reason."""
        self._request(do, rest)
        result = self._answer().get("result")
        if not isinstance(result, dict):
            raise ControlUnreachable(self._path, STRANGE)
        return result

    def watch(self, after: int | None = None, streams: tuple[str, ...] | None = None) -> Iterator[dict[str, Any]]:
        """Every record after that order (None = from now), for ever; `{"caught_up": order}` once, after the backlog.

        Ends when the daemon ends; the connection then serves nothing else. Raises `ControlFailed`.
        """
        rest: dict[str, object] = {} if after is None else {"after": after}
        self._request("watch", rest if streams is None else {**rest, "streams": streams})
        self._socket.settimeout(None)  # the next event may be hours away
        while (line := self._line()) is not None:
            told = self._unwrap(line)
            yield told["event"] if "event" in told else {"caught_up": told["caught_up"]}

    def _connect(self) -> None:
        """Connects; tries again on EAGAIN, which Linux returns while the socket's queue is full."""
        end = time.monotonic() + self._timeout_s
        while True:
            try:
                return self._socket.connect(str(self._path))
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(RETRY_S)

    def _request(self, do: str, rest: dict[str, object]) -> None:
        self._last += 1
        line = msgspec.json.encode({"id": self._last, "do": do, **rest}) + b"\n"
        try:
            self._socket.sendall(line)
        except OSError as exc:
            raise ControlUnreachable(self._path, _why(exc)) from exc

    def _answer(self) -> dict[str, Any]:
        line = self._line()
        if line is None:
            raise ControlUnreachable(
                self._path, "the daemon ended before it answered; what was asked may have been done"
            )
        return self._unwrap(line)

    def _unwrap(self, line: bytes) -> dict[str, Any]:
        try:
            told: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
            error = None if told["ok"] else told["error"]
            failed = error and ControlFailed(
                error["code"], error["reason"], tuple(error["cite"]), error.get("refusal", "")
            )
        except (msgspec.MsgspecError, RecursionError, KeyError, TypeError) as exc:
            raise ControlUnreachable(self._path, STRANGE) from exc
        if failed:
            raise failed
        return told

    def _line(self) -> bytes | None:
        """Returns one line; None if the daemon closed the connection."""
        try:
            line = self._lines.readline()
        except TimeoutError as exc:
            reason = f"no answer within {self._timeout_s:g} s; what was asked may still be done"
            raise ControlUnreachable(self._path, reason) from exc
        except OSError as exc:
            raise ControlUnreachable(self._path, _why(exc)) from exc
        return line if line.endswith(b"\n") else None


def _why(exc: OSError) -> str:
    match exc:
        case FileNotFoundError():
            return "no daemon runs here; start it with `tablewarden run`, or name its socket with --socket"
        case ConnectionRefusedError():
            return "a daemon was here and is gone; start it with `tablewarden run`"
        case BlockingIOError():
            return "too many wait to be served here; try again in a moment"
        case PermissionError():
            return f"this login (uid {os.geteuid()}) may not talk to the daemon; it must be in the socket's group"
        case _:
            return exc.strerror or str(exc)
