"""The players' display: anybody may look, nobody may act, and no card, count or name is in its bytes."""

import json

import pytest

from controller.panel.display import MOST_DISPLAYS, shown
from controller.panel.live import Live

CARDS = ("Qh", "As", "7d")
SECRET = {
    "held": [{"hold": "h1", "reason": "card Qh lay face up", "least_role": "floorperson", "says": "Qh"}],
    "next": "turn up As",
    "round": {
        "round": "t1-4", "number": 4, "phase": "dealing", "in_play": [1, 2], "void": False,
        "cards": ["7d"], "seen": {"dealer": "As"}, "seats": {"1": {"wagers": {"ante": {"cents": 500}}, "hand": ["Qh"]}},
    },
    "sets": {"red": {"defects": ["7d twice"]}},
    "offer": {"lines": [{"seat": 1, "hand": "Qh As"}]},
    "devices": {"shoe-1": {"kind": "shoe", "online": True, "jammed": False, "detail": "7d stuck"}},
    "last_round": {"hand": "As"},
}  # fmt: skip


@pytest.fixture
def live(tmp_path):
    live = Live(tmp_path / "c.sock")
    live.status = {"table": "t1", "open": True, "wagers": [], **SECRET}
    return live


def test_no_card_is_in_what_players_see(live):
    """Whatever the status holds: only named keys are copied."""
    body = json.dumps(shown(live, {}))
    assert [card for card in CARDS if card in body] == []
    assert set(json.loads(body)) == {"table", "bets", "round", "fault", "meters", "cover_all"}


@pytest.mark.parametrize(
    ("change", "bets", "fault"),
    [
        ({}, "no_more", "held"),
        ({"held": []}, "no_more", ""),
        ({"held": [], "open": False}, "table_closed", ""),
        ({"held": [], "round": None}, "soon", ""),
        ({"held": [], "round": {"phase": "betting"}}, "open", ""),
        ({"round": {"phase": "betting"}}, "no_more", "held"),
        ({"round": {"phase": "stopped", "void": True}}, "no_more", "void"),
        ({"held": [], "devices": {"p": {"kind": "progressive", "online": False}}}, "no_more", "progressive_dead"),
        ({"held": [], "devices": {"s": {"kind": "shoe", "online": True, "jammed": True}}}, "no_more", "device"),
        ({"held": [], "devices": {"s": {"kind": "shoe", "online": False, "out": "covered"}}}, "no_more", ""),
    ],
)
def test_bets_and_faults_in_words_for_players(live, change, bets, fault):
    live.status |= change
    found = shown(live, {})
    assert (found["bets"], found["fault"]) == (bets, fault)


def test_a_meter_says_when_it_was_recorded(live):
    live._note(
        {
            "kind": "meter_recorded",
            "time_us": 7,
            "data": {"meter": "a", "cents": 12345, "currency": "USD", "by": "ada"},
        }
    )
    assert shown(live, {})["meters"] == [{"meter": "a", "cents": 12345, "currency": "USD", "at_us": 7}]


def test_cover_all_is_paid_by_the_hands_that_the_shuffler_shows(live):
    live.status["wagers"] = [{"wager": "cover_all", "device_mode": "cover_all"}]
    pays = {"3": [["royal_flush", "150 to 1"]], "4": [["royal_flush", "125 to 1"]]}
    assert shown(live, pays)["cover_all"] == {"hands": 3, "pays": pays["3"]}
    live._note({"kind": "hands_found", "data": {"round": "t1-4", "hands": 4}})
    assert shown(live, pays)["cover_all"] == {"hands": 4, "pays": pays["4"]}
    live.status["wagers"] = []
    assert shown(live, pays)["cover_all"] is None


def test_anybody_may_look_and_nobody_may_act(browser, panel, daemon):
    assert browser.get("/display").status_code == 200
    assert "csrf" not in browser.get("/display").text
    act = {"act": "end_round", "args": {}, "seen": {}, "touch": "0123456789"}
    assert browser.post("/act", json=act).status_code == 401
    assert daemon.asked == []
    panel.displays = MOST_DISPLAYS
    assert browser.get("/display/stream").json()["error"]["code"] == "streams_full"
