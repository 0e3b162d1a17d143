"""Words in both languages: of pages and scripts, and of the core, whose sentences the Spanish page looks up by code."""

import json
import re
import tomllib
from pathlib import Path

import controller.panel
from controller.panel.views import VIEWS
from controller.rules.vocabulary import CONFIRMED, Trigger
from controller.table.acts.seen import rests_on
from controller.table.words import acts as a
from controller.text.codes.devices import DEVICES
from controller.text.codes.holds import HOLDS
from controller.text.codes.refusals import REFUSALS
from controller.text.codes.requests import REQUESTS
from simulators.crew.scenario import MISHAPS
from simulators.scenario.faults import FAULTS

ROOM = Path(controller.panel.__file__).parent
RULEBOOKS = Path(__file__).resolve().parents[3] / "config" / "rulebooks"
PANEL_ONLY = (
    *("host_foreign", "length_missing", "not_logged_in", "not_read"),
    *("origin_foreign", "token_wrong", "unreachable", "type_wrong"),
)
"""Codes of refusals of the panel itself, which the page does not know by other words."""
PARTS = ("phase", "held", "seat", "set", "duty", "hold", "last", "waiting", "offer")
NAMED = ("return_all_wagers", "collect_seat_wagers", "settle")
"""Duties whose sentence names the wagers of several seats."""


def _messages(name):
    return json.loads((ROOM / f"static/messages/{name}.json").read_text())


def test_each_text_of_a_page_or_script_is_there_in_both_languages():
    english, spanish = _messages("en"), _messages("es")
    assert english.keys() == spanish.keys()
    scripts = {file.name: file.read_text() for file in (ROOM / "static").glob("*.js")}
    pages = {file.name: file.read_text() for file in (ROOM / "pages").glob("*.html")}
    used = {(name, code) for name, text in scripts.items() for code in re.findall(r'\bsay\("([\w.]+)"', text)}
    used |= {(name, code) for name, text in scripts.items() for code in re.findall(r'"(often\.[\w.]+)"', text)}
    used |= {(name, code) for name, text in scripts.items() for code in re.findall(r'\["(tech\.[\w.]+)",', text)}
    used |= {(name, code) for name, text in pages.items() for code in re.findall(r'words\["([\w.]+)"\]', text)}
    used |= {("views", f"{view.name}.title") for view in VIEWS}
    assert sorted((name, code) for name, code in used if code not in english) == []
    for code, text in english.items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", spanish[code])), code


def test_spanish_names_a_supervisor_only_where_english_does():
    """The floor and a supervisor are two roles; a player or dealer who is sent to the wrong one waits."""
    english, spanish = _messages("en"), _messages("es")
    assert [
        code for code in english if "supervisor" in spanish[code] and "supervisor" not in english[code].lower()
    ] == []


def test_spanish_says_each_way_in_which_a_hand_was_settled():
    """A hand with too many cards was split or given up before; the hold has one code for both."""
    text = _messages("core.es")["hold.settled_before_one_hand"]
    assert "dividida" in text
    assert "abandonada" in text


def _fingerprint(text):
    """As words.js makes it."""
    found = 0x811C9DC5
    for char in text:
        found = (found ^ ord(char)) * 0x01000193 & 0xFFFFFFFF
    return f"law.{found:08x}"


def _of_rulebooks():
    """Returns the sentences of all books that a dealer can read, and those that the readings in force alone show."""
    dealt, problems = set(), set()
    for path in RULEBOOKS.glob("*.toml"):
        book = tomllib.loads(path.read_text())
        dealt |= {row["says"] for row in (*book["outcome"], *book["silent"])}
        problems |= {row["problem"] for row in (*book["reading"], *book["choice"])}
    for path in RULEBOOKS.glob("clauses/*.coverage.toml"):
        dealt |= {row["text"] for row in tomllib.loads(path.read_text()).get("prompted", ())}
    return {_fingerprint(text) for text in dealt}, {_fingerprint(text) for text in problems}


def test_each_sentence_of_the_core_is_there_in_spanish():
    """English stands as the core says it. A code without a translation, or a rulebook sentence that was changed, fails here."""
    dealt, problems = _of_rulebooks()
    english = _messages("en").keys()
    duties = {f"duty.{action}" for action in CONFIRMED} - english
    wanted = {
        "core": {f"refusal.{code}" for code in (*REFUSALS, *REQUESTS, *PANEL_ONLY)}
        | {f"hold.{code}" for code in HOLDS}
        | {f"part.{part}" for part in PARTS}
        | {f"duty.{action}.named" for action in NAMED}
        | {"duty.stay", "out_of_turn", "trigger", "wait.other", *dealt, *duties},
        "office": problems | {f"device.{code}" for code in DEVICES},
        "bench": {f"scene.{name}" for name in MISHAPS} | {f"fault.{name}" for name in FAULTS},
    }
    for name, codes in wanted.items():
        there = _messages(f"{name}.es").keys()
        where = f"controller/panel/static/messages/{name}.es.json"
        assert sorted(codes - there) == [], f"translate these in {where}"
        assert sorted(there - codes) == [], f"take these out of {where}"
    assert {f"trigger.{trigger}" for trigger in Trigger} <= english


def test_parts_that_have_changed_are_known_to_the_page():
    """The page reads them out of the reason of `view_stale`."""
    acts = (
        a.ConfirmDuty("D1"),
        a.ResolveHold("H1", "go_on"),
        a.SettleWager(3, "ante", "win"),
        a.BeginRound("red"),
    )
    acts += (a.WagersAsBefore(), a.RecordDecisions("rest check"), a.SettleRound())
    assert {part.split(" ")[0] for act in acts for part in rests_on(act)} == set(PARTS)
