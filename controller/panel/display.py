"""The players' display: a second screen that anybody may look at. It gets a document of its own, made of what players may
know; no card, no count and no name can be in it, because nothing else is copied."""

import importlib
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.panel.guard import log, refused
from controller.panel.live import Live
from controller.panel.threads import beside

if TYPE_CHECKING:
    from controller.panel.app import Panel

MOST_DISPLAYS = 4
"""Displays at once. They have a share of their own, so that nobody takes the dealer's place."""
COVER_ALL = "cover_all"

Document = dict[str, Any]


def display_routes(panel: "Panel") -> list[Route]:
    """Returns the page and its stream. Neither takes a session, an act or a word from the screen."""

    async def stream(request: Request) -> Response:
        live = panel.tables[0]
        if panel.displays >= MOST_DISPLAYS:
            return refused(
                503, "streams_full", f"{MOST_DISPLAYS} displays are live already", path="/display/stream"
            )
        if not panel.payouts and live.config is not None:
            panel.payouts = await _payouts(live)
        return panel.display_stream(partial(shown, live, panel.payouts))

    async def page(request: Request) -> Response:
        return panel.display_page(request.query_params.get("lang"))

    return [Route("/display", page), Route("/display/stream", stream)]


def shown(live: Live, payouts: Document) -> Document:
    """Returns all that players may know."""
    status, round_ = live.status, live.status.get("round") or {}
    hands = _hands(live, round_)
    return {
        "table": status.get("table", ""),
        "bets": _bets(status, round_),
        "round": round_.get("number"),
        "fault": _fault(status, round_),
        "meters": [{"meter": name, **meter} for name, meter in sorted(live.meters.items())],
        "cover_all": {"hands": hands, "pays": payouts[str(hands)]} if str(hands) in payouts else None,
    }


def _bets(status: Document, round_: Document) -> str:
    if not status.get("open"):
        return "table_closed"
    if not round_:
        return "soon"
    return "open" if round_.get("phase") == "betting" and not status.get("held") else "no_more"


def _fault(status: Document, round_: Document) -> str:
    """Returns the code of what players are to know of a fault; "" = none."""
    devices = status.get("devices", {}).values()
    if round_.get("void"):
        return "void"
    if status.get("held"):
        return "held"
    broken = [d.get("kind") for d in devices if not d.get("out") and (d.get("jammed") or not d.get("online"))]
    if "progressive" in broken:
        return "progressive_dead"
    return "device" if broken else ""


def _hands(live: Live, round_: Document) -> int:
    """Returns the number of hands in play with the dealer's, where a wager is paid by it; as the shuffler shows it, if told."""
    told = any(wager.get("device_mode") == COVER_ALL for wager in live.status.get("wagers", ()))
    if not told or not round_:
        return 0
    return live.hands.get(str(round_.get("round")), 0) or len(round_.get("in_play", ())) + 1


async def _payouts(live: Live) -> Document:
    try:
        read = importlib.import_module("controller.panel.past").payouts
        found: Document = json.loads(await beside(partial(read, live.config, {})))
    except Exception as exc:
        log.warning("panel_payouts_unread", reason=str(exc))
        return {}
    return found
