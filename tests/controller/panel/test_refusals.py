"""What the panel refuses: who is not ours, who guesses, who is too late, too big or there twice."""

import pytest

from controller.panel.app import MOST_STREAMS
from controller.panel.people import PeopleUnreadable
from controller.panel.sessions import IDLE_S, LOCKED_S, OF_A_PERSON, OF_AN_ADDRESS, Guesses, Sessions

ACT = {"act": "end_round", "args": {}, "seen": {"order": 7, "marks": {}}, "touch": "0123456789"}


def log_in(browser, panel, number="1001", pin="1234"):
    """Logs in; returns the headers of the page's requests."""
    answer = browser.post("/login", data={"number": number, "pin": pin})
    assert answer.status_code == 303, answer.text
    (session,) = panel.sessions._open.values()
    return {"x-csrf": session.csrf}


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_the_session_cookie_is_kept_from_scripts_and_sites(browser, panel):
    log_in(browser, panel)
    cookie = browser.post("/login", data={"number": "1001", "pin": "1234"}).headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
    panel._secure = True
    assert "secure" in browser.post("/login", data={"number": "1001", "pin": "1234"}).headers["set-cookie"].lower()


def test_every_answer_forbids_inline_scripts_and_frames(browser):
    for path in ("/login", "/static/dealer.js", "/nothing"):
        policy = browser.get(path).headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_no_page_of_ours_has_an_inline_script(browser, panel):
    log_in(browser, panel)
    for path in ("/", "/login"):
        page = browser.get(path).text
        assert page.count("<script") == page.count('<script type="module" src=')
        assert "onclick" not in page
        assert "style=" not in page


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"host": "evil.example"}, (421, "host_foreign")),
        ({"origin": "http://evil.example"}, (403, "origin_foreign")),
        ({"origin": "null"}, (403, "origin_foreign")),
        ({"x-csrf": "stolen"}, (403, "token_wrong")),
        ({"x-csrf": ""}, (403, "token_wrong")),
        ({"cookie": "tablewarden=guessed"}, (401, "not_logged_in")),
    ],
)
def test_a_foreign_request_never_reaches_the_daemon(browser, panel, daemon, headers, refused):
    mine = log_in(browser, panel)
    if "cookie" in headers:
        browser.cookies.clear()
    assert code(browser.post("/act", json=ACT, headers={**mine, **headers})) == refused
    assert daemon.asked == []


def test_a_large_or_endless_body_is_refused(browser, panel, daemon):
    mine = log_in(browser, panel)
    assert code(browser.post("/act", content=b"x" * 16385, headers=mine)) == (413, "too_large")
    assert code(browser.post("/act", content=iter([b"x"]), headers=mine)) == (411, "length_missing")
    assert daemon.asked == []


@pytest.mark.parametrize("change", [{"touch": "x"}, {"seen": None}, {"args": 7}, {"act": None, "touch": None}])
def test_an_act_that_says_too_little_is_refused(browser, panel, daemon, change):
    mine = log_in(browser, panel)
    assert code(browser.post("/act", json={**ACT, **change}, headers=mine)) == (400, "bad_request")
    assert daemon.asked == []


def test_an_act_carries_person_role_session_and_view(browser, panel, daemon):
    mine = log_in(browser, panel)
    assert browser.post("/act", json=ACT, headers=mine).json() == {"facts": []}
    (asked,) = daemon.asked
    (session,) = panel.sessions._open.values()
    assert (asked["who"], asked["role"], asked["session"], asked["seen"]) == (
        "ada",
        "dealer",
        session.id,
        ACT["seen"],
    )


def test_a_touch_that_is_sent_twice_acts_once(browser, panel, daemon):
    mine = log_in(browser, panel)
    answers = [browser.post("/act", json=ACT, headers=mine).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(daemon.asked) == 1


def test_a_refusal_of_the_daemon_keeps_its_clause(browser, panel, daemon):
    mine = log_in(browser, panel)
    daemon.answer = {"ok": False, "error": {"code": "refused", "reason": "not yet", "cite": ["8.E"]}}
    answer = browser.post("/act", json=ACT, headers=mine)
    assert (answer.status_code, answer.json()["error"]["cite"]) == (409, ["8.E"])


def test_a_guesser_is_locked_out_by_person(browser, panel):
    for _ in range(OF_A_PERSON):
        assert browser.post("/login", data={"number": "1001", "pin": "0000"}).status_code == 403
    assert browser.post("/login", data={"number": "1001", "pin": "1234"}).status_code == 429
    assert browser.post("/login", data={"number": "4711", "pin": "987654"}).status_code == 303


def test_a_guesser_is_locked_out_by_address_and_let_in_later():
    now = [0.0]
    guesses = Guesses(lambda: now[0])
    for n in range(OF_AN_ADDRESS):
        assert not guesses.locked("1001", "10.0.0.1")
        guesses.missed(f"2{n:03}", "10.0.0.1")
    assert guesses.locked("1001", "10.0.0.1")
    assert not guesses.locked("1001", "10.0.0.2")
    now[0] += LOCKED_S
    assert not guesses.locked("1001", "10.0.0.1")


def test_a_session_ends_when_nobody_touches_it(staff):
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    token = sessions.begin(staff[1], "en")
    now[0] += IDLE_S["supervisor"]
    assert sessions.find(token, touch=True)
    now[0] += IDLE_S["supervisor"] + 1
    assert sessions.find(token, touch=False) is None


def test_people_whose_hashes_others_can_read_log_in_nobody(people):
    people.path.chmod(0o640)
    with pytest.raises(PeopleUnreadable, match="chmod 600"):
        people.read()


def test_a_stream_needs_a_login_and_the_seventeenth_is_refused(browser, panel):
    assert code(browser.get("/stream")) == (401, "not_logged_in")
    log_in(browser, panel)
    panel.streams = MOST_STREAMS
    assert code(browser.get("/stream")) == (503, "streams_full")
