"""What each request must fulfil before a page sees it: our host, our origin, a small body; and headers for each answer."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from controller.log import get_logger

MAX_BODY = 16 * 1024
"""Bytes of a request's body; the longest act has under 2 KiB."""
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer a form of our own would say `Origin: null`
    "cache-control": "no-store",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

log = get_logger("panel")


def refused(status: int, code: str, reason: str, **about: object) -> JSONResponse:
    """Returns a refusal, and logs it. `about`: for the log only."""
    log.warning("panel_refused", code=code, reason=reason, **about)
    return JSONResponse({"error": {"code": code, "reason": reason}}, status)


class Guard:
    """An ASGI layer around the pages. `hosts`: names and ports under which people reach the panel."""

    def __init__(self, app: App, hosts: frozenset[str], scheme: str) -> None:
        self._app, self._hosts = app, hosts
        self._origins = frozenset(f"{scheme}://{host}" for host in hosts)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", ()), *((k.encode(), v.encode()) for k, v in HEADERS.items())
                ]  # fmt: skip
            await send(message)

        no = self._no(scope)
        return await (no or self._app)(scope, receive, with_headers)

    def _no(self, scope: Message) -> JSONResponse | None:
        headers = Headers(scope=scope)
        about = {"path": scope["path"], "address": scope["client"][0] if scope.get("client") else ""}
        if headers.get("host") not in self._hosts:
            return refused(421, "host_foreign", "this is not the panel's address", **about)
        if scope["method"] in ("GET", "HEAD"):
            return None
        if headers.get("origin") not in self._origins:
            return refused(403, "origin_foreign", "the request does not come from the panel's page", **about)
        length = headers.get("content-length", "")
        if not length.isdecimal():
            return refused(411, "length_missing", "the request does not say its length", **about)
        if int(length) > MAX_BODY:
            return refused(413, "too_large", f"a request has at most {MAX_BODY} bytes", **about)
        return None
