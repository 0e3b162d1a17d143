"""The strip of a bench: who is logged in at a simulated table stops its people, lets them play, and makes faults happen."""

import json
import socket
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from controller.panel.guard import log, refused
from controller.panel.threads import beside

if TYPE_CHECKING:
    from controller.panel.app import Panel

ANSWER_S = 2.0
"""People who do not answer for so long are away."""
LONGEST = 1 << 18
"""Bytes of an answer."""

Document = dict[str, Any]


class Bench:
    """Passes what the strip asks for on to the simulated people."""

    def __init__(self, path: Path, panel: "Panel") -> None:
        self._path, self._panel = path, panel
        self.routes = (Route("/bench", self.state), Route("/bench", self.do, methods=["POST"]))

    async def state(self, request: Request) -> JSONResponse:
        """Who acts, and what may go wrong."""
        if self._panel.session(request, touch=False) is None:
            return refused(401, "not_logged_in", "log in first", path="/bench")
        return await self._told({"act": "state"})

    async def do(self, request: Request) -> JSONResponse:
        """Does what a key of the strip says."""
        session = self._panel.session(request, touch=True)
        if (no := self._panel.why_not(request, session)) is not None:
            return no
        try:
            asked = msgspec.json.decode(await request.body(), type=Document)
        except msgspec.MsgspecError:
            return refused(400, "bad_request", "the strip is asked in JSON")
        log.info("panel_bench", asked=asked, who=session.staff.name if session else "")
        return await self._told(asked)

    async def _told(self, asked: Document) -> JSONResponse:
        try:
            answer = await beside(lambda: self._ask(asked))
        except (OSError, ValueError) as exc:
            return JSONResponse({"ok": False, "error": f"the people of the bench do not answer ({exc})"}, 503)
        return JSONResponse(answer, 200 if answer.get("ok") else 409)

    def _ask(self, asked: Document) -> Document:
        with closing(socket.socket(socket.AF_UNIX)) as talk:
            talk.settimeout(ANSWER_S)
            talk.connect(str(self._path))
            talk.sendall(json.dumps(asked).encode() + b"\n")
            answer = talk.makefile("rb").readline(LONGEST)
        found: Document = json.loads(answer)
        return found
