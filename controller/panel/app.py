"""The panel's pages: log-in, the dealer's view, its stream, and the acts that people press."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from jinja2 import Environment, FileSystemLoader
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from controller.control.client import ControlClient, ControlFailed, ControlUnreachable
from controller.panel.bench import Bench
from controller.panel.display import display_routes
from controller.panel.guard import App, Guard, Message, Receive, Send, log, refused
from controller.panel.live import Live, in_short
from controller.panel.past_routes import past_routes
from controller.panel.people import DIGITS, PeopleFile, PeopleUnreadable, Staff
from controller.panel.sessions import KEPT_TOUCHES, Guesses, Session, Sessions, role_of
from controller.panel.threads import beside
from controller.panel.views import FLOOR, SERVICE, VIEWS, View, home_of, views_of

HERE = Path(__file__).parent
LANGUAGES = ("en", "es")
MOST_STREAMS = 16
"""Live streams at once: a table has a dealer, a floor and a few screens."""
SEND_S = 10.0
"""A browser that takes nothing for so long is gone."""
NO_LOGIN = {"login.locked": 429, "login.unreadable": 503, "login.wrong": 403}
"""Why nobody is logged in, by the code of its message: the status of the answer."""
TOUCH = re.compile(r"[A-Za-z0-9-]{8,64}")


class Panel:
    """One panel: its people, its sessions, and the tables that it follows, the dealer's own first."""

    def __init__(
        self,
        live: Live,
        people: PeopleFile,
        *,
        secure: bool,
        others: Sequence[Live] = (),
        bench: Path | None = None,
    ) -> None:
        self.tables, self.people = (live, *others), people
        self.sessions, self.guesses = Sessions(), Guesses()
        self.streams = self.displays = 0
        self.payouts: dict[str, Any] = {}
        self._secure, self._cookie = secure, "__Host-tablewarden" if secure else "tablewarden"
        self._one_guess = asyncio.Lock()
        self._pages = Environment(loader=FileSystemLoader(HERE / "pages"), autoescape=True)
        self._pages.globals["bench"] = bench is not None
        self._bench = Bench(bench, self) if bench else None
        self._words = {
            lang: msgspec.json.decode((HERE / "static" / "messages" / f"{lang}.json").read_bytes())
            for lang in LANGUAGES
        }

    def app(self, hosts: frozenset[str]) -> App:
        """Returns the ASGI application for these names of the panel."""
        routes = [
            *(Route(view.path, self._shows(view)) for view in VIEWS),
            Route("/login", self.login_page),
            Route("/login", self.login, methods=["POST"]),
            Route("/logout", self.logout, methods=["POST"]),
            Route("/stream", self.stream),
            Route("/act", self.act, methods=["POST"]),
            Route("/try", self.act, methods=["POST"]),
            *past_routes(self),
            *display_routes(self),
            *(self._bench.routes if self._bench else ()),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ]
        return Guard(Starlette(routes=routes, lifespan=self._lifespan), hosts, "https" if self._secure else "http")

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        following = [asyncio.create_task(live.run(), name="live") for live in self.tables]
        try:
            yield
        finally:
            for live, task in zip(self.tables, following, strict=True):
                live.stop()
                task.cancel()
            await asyncio.gather(*following, return_exceptions=True)

    def table(self, name: object) -> Live | None:
        """Returns the table of this name, "" = the first one; None where none or several are called so."""
        if not name:
            return self.tables[0]
        found = [live for live in self.tables if live.name == name]
        return found[0] if len(found) == 1 else None

    def session(self, request: Request, *, touch: bool) -> Session | None:
        """Returns the session of a request; None once it is over. `touch`: a person did something."""
        return self.sessions.find(request.cookies.get(self._cookie, ""), touch=touch)

    def _page(self, name: str, lang: str, status: int = 200, **values: object) -> HTMLResponse:
        words = self._words[lang]
        page = self._pages.get_template(name).render(lang=lang, words=words, languages=LANGUAGES, **values)
        return HTMLResponse(page, status)

    def _shows(self, view: View) -> Callable[[Request], Awaitable[Response]]:
        """Returns the answer to anybody who opens this view."""

        async def page(request: Request) -> Response:
            session = self.session(request, touch=True)
            if session is None:
                return RedirectResponse(f"/login?next={view.path}" if view.path != "/" else "/login", 303)
            if session.role not in view.roles:
                log.warning("panel_view_refused", view=view.name, who=session.staff.name, role=session.role)
                return RedirectResponse(home_of(session.role), 303)
            views = [other for other in views_of(session.role) if other is not view]
            return self._page(f"{view.name}.html", session.lang, view=view.name, session=session, views=views)

        return page

    async def login_page(self, request: Request) -> Response:
        """The log-in."""
        asked = request.query_params
        return self._page("login.html", _lang(asked.get("lang")), wrong="", next=_path(asked.get("next")))

    async def login(self, request: Request) -> Response:
        """Checks a staff number and a PIN, one at a time."""
        form = dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
        lang, after = _lang(form.get("lang")), _path(form.get("next"))
        found = await self._matching(form.get("number", ""), form.get("pin", ""), request)
        if isinstance(found, str):
            return self._page("login.html", lang, NO_LOGIN[found], wrong=found, next=after)
        staff = found
        token = self.sessions.begin(staff, lang)
        answer = RedirectResponse(home_of(role_of(staff), after), 303)
        answer.set_cookie(self._cookie, token, httponly=True, samesite="strict", secure=self._secure, path="/")
        log.info("panel_login", who=staff.name)
        return answer

    async def _matching(self, number: str, pin: str, request: Request) -> Staff | str:
        """Returns the person with this number and PIN, checked one at a time; the code of a message where there is none."""
        address = request.client.host if request.client else ""
        if self.guesses.locked(number, address):
            log.warning("panel_login_locked", number=number[:12], address=address)
            return "login.locked"
        if not (number.isdecimal() and pin.isdecimal() and len(number) in DIGITS and len(pin) in DIGITS):
            number = ""  # nobody's
        try:
            async with self._one_guess:
                staff = await beside(lambda: self.people.matching(number, pin))
        except PeopleUnreadable as exc:
            log.error("panel_people_unreadable", reason=str(exc))
            return "login.unreadable"
        if staff is None:
            self.guesses.missed(number, address)
            log.warning("panel_login_refused", number=number, address=address)
            return "login.wrong"
        self.guesses.cleared(number)
        return staff

    async def logout(self, request: Request) -> Response:
        """Ends the session."""
        if (no := self.why_not(request, session := self.session(request, touch=False))) is not None:
            return no
        assert session is not None
        log.info("panel_logout", who=session.staff.name)
        self.sessions.end(request.cookies[self._cookie])
        return JSONResponse({})

    async def stream(self, request: Request) -> Response:
        """Server-sent events of the table, for a logged-in person."""
        session = self.session(request, touch=False)
        if session is None:
            return refused(401, "not_logged_in", "log in first", path="/stream")
        if (live := self.table(request.query_params.get("table"))) is None:
            return refused(404, "table_unknown", "the panel follows no such table, or several", path="/stream")
        if self.streams >= MOST_STREAMS:
            return refused(
                503, "streams_full", f"{MOST_STREAMS} screens are live already; close one", path="/stream"
            )
        last = request.headers.get("last-event-id", "")[:64]
        more = partial(self._more, live) if session.role in FLOOR | SERVICE else dict
        events = live.events(last, lambda: self.session(request, touch=False) is not None, more)
        return _Stream(self, "streams", events)

    def display_page(self, lang: object) -> Response:
        """The players' display."""
        return self._page("display.html", _lang(lang))

    def display_stream(self, public: Callable[[], dict[str, Any]]) -> Response:
        """Server-sent events of what players may know, for anybody."""
        return _Stream(self, "displays", self.tables[0].events("", lambda: True, dict, public))

    def _more(self, live: Live) -> dict[str, Any]:
        """Returns what the floor and technicians hear each second: all tables in short, and the links of this one."""
        return {"tables": [in_short(other) for other in self.tables], "links": live.links}

    def why_not(self, request: Request, session: Session | None) -> JSONResponse | None:
        """Returns why a request in somebody's name is refused; None if it may go on."""
        if session is None:
            return refused(401, "not_logged_in", "the session is over; log in again", path=request.url.path)
        if request.headers.get("x-csrf") != session.csrf:
            return refused(
                403, "token_wrong", "the request does not carry the page's token", who=session.staff.name
            )
        return None

    async def act(self, request: Request) -> Response:
        """Does an act in the person's name, or tries it; a touch that is sent twice acts once."""
        session = self.session(request, touch=True)
        if (no := self.why_not(request, session)) is not None:
            return no
        assert session is not None
        try:
            asked = msgspec.json.decode(await request.body(), type=dict[str, Any])
            act, args, touch = str(asked["act"]), dict(asked.get("args", {})), str(asked["touch"])
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
            return refused(400, "bad_request", "an act is JSON with act, args, touch", who=session.staff.name)
        if not TOUCH.fullmatch(touch):
            return refused(400, "bad_request", "`touch` is 8 to 64 letters or digits", who=session.staff.name)
        does = request.url.path == "/act"
        if does and not isinstance(asked.get("seen"), dict):
            return refused(400, "bad_request", "an act says what its person saw", who=session.staff.name)
        if (live := self.table(asked.get("table"))) is None:
            return refused(404, "table_unknown", "the panel follows no such table", who=session.staff.name)
        who, role = session.staff.name, session.role
        if isinstance(second := asked.get("second"), dict):
            found = await self._matching(str(second.get("number", "")), str(second.get("pin", "")), request)
            if isinstance(found, str):
                return refused(403, found, "the second person is not known by this number and PIN", who=who)
            if found.name == who:
                return refused(403, "same_person", "a second person is another person", who=who)
            log.info("panel_second", who=found.name, at_the_screen_of=who, act=act)
            who, role = found.name, role_of(found)
        asks = {"act": act, "args": args, "who": who, "role": role, "session": session.id}
        if not does:
            return await self._answer(live, "try", asks)
        if (before := session.answers.get(touch)) is None:
            before = session.answers[touch] = asyncio.ensure_future(
                self._answer(live, "act", {**asks, "seen": asked["seen"]})
            )
            while len(session.answers) > KEPT_TOUCHES:
                session.answers.pop(next(iter(session.answers)))
        answer: JSONResponse = await asyncio.shield(before)
        return Response(answer.body, answer.status_code, media_type="application/json")

    async def _answer(self, live: Live, do: str, asks: dict[str, Any]) -> JSONResponse:
        def ask() -> dict[str, Any]:
            with ControlClient(live.socket) as client:
                return client.ask(do, **asks)

        try:
            return JSONResponse(await beside(ask))
        except ControlFailed as exc:
            about = {"act": asks["act"], "who": asks["who"]}
            answer = refused(409, exc.code, str(exc), **about) if do == "act" else JSONResponse({}, 409)
            error = {"code": exc.code, "reason": str(exc), "cite": list(exc.cite), "refusal": exc.refusal}
            return JSONResponse({"error": error}, answer.status_code)
        except ControlUnreachable as exc:
            log.warning("panel_daemon_unreachable", reason=str(exc))
            return JSONResponse({"error": {"code": "unreachable", "reason": exc.reason, "cite": []}}, 503)


class _Stream(Response):
    """One live stream. It ends with the browser, the session or the panel, and leaves nothing behind."""

    def __init__(self, panel: Panel, kind: str, events: AsyncIterator[bytes]) -> None:
        super().__init__(media_type="text/event-stream")
        self._panel, self._kind, self._events = panel, kind, events

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Sends events until one side is gone."""
        self._count(1)
        sides = [asyncio.create_task(self._send(send)), asyncio.create_task(_gone(receive))]
        try:
            await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._count(-1)
            for side in sides:
                side.cancel()
            await asyncio.gather(*sides, return_exceptions=True)

    def _count(self, by: int) -> None:
        setattr(self._panel, self._kind, getattr(self._panel, self._kind) + by)

    async def _send(self, send: Send) -> None:
        headers = [(key, value) for key, value in self.raw_headers if key != b"content-length"]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for chunk in self._events:
            async with asyncio.timeout(SEND_S):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _lang(wanted: object) -> str:
    return wanted if isinstance(wanted, str) and wanted in LANGUAGES else LANGUAGES[0]


def _path(wanted: object) -> str:
    return wanted if wanted in {view.path for view in VIEWS} and isinstance(wanted, str) else ""
