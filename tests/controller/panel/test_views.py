"""Views by role, several tables, and a second person."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from controller.panel.app import Panel
from controller.panel.live import Live
from controller.panel.people import HASHER, Staff
from controller.panel.views import VIEWS
from tests.controller.panel.conftest import HOST, ORIGIN
from tests.controller.panel.test_refusals import log_in

SEEN = {"order": 7, "marks": {}}


@pytest.fixture
def staff(staff):
    """One person of each role, one of whom is known by two numbers."""
    more = {"1002": ("flora", "floorperson"), "1003": ("tec", "technician"), "4712": ("sam", "supervisor")}
    return [*staff, *(Staff(n, name, (role,), HASHER.hash("1234")) for n, (name, role) in more.items())]


@pytest.mark.parametrize(("number", "role"), [("1001", "dealer"), ("1002", "floorperson"), ("1003", "technician")])
def test_a_role_opens_its_views_and_no_other(browser, panel, number, role):
    log_in(browser, panel, number)
    for view in VIEWS:
        answer = browser.get(view.path)
        assert (answer.status_code == 200) == (role in view.roles), view.name
        if answer.status_code == 200:
            assert f"/static/{view.name}.js" in answer.text
            assert "style=" not in answer.text


def test_a_log_in_leads_to_the_view_that_was_asked_for_if_the_role_may(browser):
    assert browser.get("/floor").headers["location"] == "/login?next=/floor"
    ways = {("1002", "/floor"): "/floor", ("1001", "/floor"): "/", ("1003", ""): "/technician"}
    for (number, wanted), led in {**ways, ("1002", "//evil.example"): "/"}.items():
        answer = browser.post("/login", data={"number": number, "pin": "1234", "next": wanted})
        assert answer.headers["location"] == led


def test_an_act_goes_to_the_table_that_it_names(people, daemon, tmp_path):
    panel = Panel(Live(tmp_path / "away.sock"), people, secure=False, others=[Live(tmp_path / "c.sock")])
    with TestClient(panel.app(frozenset({HOST})), base_url=ORIGIN, headers={"origin": ORIGIN}) as browser:
        headers = _in(browser, panel)
        while not panel.tables[1].name:
            browser.get("/login")
        asks = {"act": "end_round", "args": {}, "seen": SEEN}
        known = browser.post("/act", headers=headers, json={**asks, "table": "t1", "touch": "01234567"})
        unknown = browser.post("/act", headers=headers, json={**asks, "table": "t2", "touch": "01234568"})
    assert (known.status_code, unknown.status_code) == (200, 404)
    assert [asked["act"] for asked in daemon.asked] == ["end_round"]


def _in(browser, panel):
    browser.post("/login", data={"number": "1001", "pin": "1234"}, follow_redirects=False)
    return {"x-csrf": next(iter(panel.sessions._open.values())).csrf}


@pytest.mark.parametrize(
    ("number", "pin", "by", "said"),
    [
        ("4711", "987654", "sam", None),
        ("4711", "1111", None, "login.wrong"),
        ("1002", "1234", None, "same_person"),
        ("", "", None, "login.wrong"),
    ],
)
def test_a_second_person_acts_by_a_pin_and_is_another_person(browser, panel, daemon, number, pin, by, said):
    headers = log_in(browser, panel, "1002")
    act = {"act": "resolve_hold", "args": {"hold": "H1"}, "seen": SEEN, "touch": "0123456789"}
    answer = browser.post("/act", headers=headers, json={**act, "second": {"number": number, "pin": pin}})
    assert answer.json().get("error", {}).get("code") == said
    assert [(asked["who"], asked["role"]) for asked in daemon.asked] == ([(by, "supervisor")] if by else [])


def test_past_and_check_are_for_their_roles_and_need_a_configuration(browser, panel):
    assert browser.get("/past/rounds").status_code == 401
    log_in(browser, panel, "1003")
    assert browser.get("/past/evidence?round=1").status_code == 403
    assert browser.get("/check").json()["error"]["code"] == "no_config"
    panel.tables[0].config = Path("/nowhere/table.toml")
    assert "cannot be read" in browser.get("/past/rounds").json()["error"]["reason"]
