"""The addresses of what is read from records and configurations: in a thread, one question at a time.

The code that reads them is loaded with the first question: a dealer's screen never needs it.
"""

import asyncio
import importlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.panel.guard import log, refused
from controller.panel.threads import beside
from controller.panel.views import FLOOR, SERVICE

if TYPE_CHECKING:
    from controller.panel.app import Panel

READS = {
    "/past/rounds": ("rounds", FLOOR | SERVICE),
    "/past/round": ("round_", FLOOR | SERVICE),
    "/past/set": ("set_", FLOOR),
    "/past/law": ("law", FLOOR | SERVICE),
    "/past/evidence": ("evidence", FLOOR),
    "/check": ("check", SERVICE),
}
"""Address -> function in `past`, and the roles that may ask."""


class NotRead(Exception):
    """The record or the configuration could not be read, in words for the person who asked."""


def past_routes(panel: "Panel") -> list[Route]:
    """Returns the routes of the history, the look-back, the law, the evidence and the check of the configuration."""
    one = asyncio.Lock()

    async def answer(request: Request) -> Response:
        path = request.url.path
        does, roles = READS[path]
        session = panel.session(request, touch=True)
        if session is None:
            return refused(401, "not_logged_in", "the session is over; log in again", path=path)
        who = session.staff.name
        if session.role not in roles:
            return refused(403, "role_too_low", f"{path} is not for a {session.role}", who=who)
        asked = dict(request.query_params)
        live = panel.table(asked.pop("table", ""))
        if live is None or live.config is None:
            return refused(404, "no_config", "start the panel with --config of this table", who=who)
        try:
            async with one:
                found = await beside(partial(_read, does, live.config, asked))
        except NotRead as exc:
            return refused(409, "not_read", str(exc), who=who)
        log.info("panel_read", path=path, who=who, asked=asked)
        if does != "evidence":
            return Response(found, media_type="application/json")
        name = "".join(c for c in asked.get("round", "") if c.isalnum() or c in "-_")
        saved = {"content-disposition": f'attachment; filename="evidence-{name}.zip"'}
        return Response(found, media_type="application/zip", headers=saved)

    return [Route(path, answer) for path in READS]


def _read(does: str, config: Path, asked: dict[str, str]) -> bytes:
    found: bytes = getattr(importlib.import_module("controller.panel.past"), does)(config, asked)
    return found
