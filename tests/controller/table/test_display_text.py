"""What the display of a device says: the most urgent thing for whoever stands there, cut so that this is still to be read."""

import re
from pathlib import Path

import pytest

from controller.daemon.views.display_text import display_text, fit
from controller.daemon.views.status import state_documents
from controller.rules.vocabulary import Action, Role
from controller.table.decide import decided
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words.inputs import SetDue
from drivers import events as e
from tests.kept.days import FOLDER, inputs_of, read

CARD = re.compile(r"\b(?:10|[2-9TJQKA])[cdhs]\b")


def shown(table, name, characters=64):
    return fit(display_text(table.setup, table.state, name), characters)


def test_a_table_that_waits_says_so_at_each_device(make_table):
    """Nothing is open yet: the next step, as `status` says it."""
    table = make_table("md-uth")
    assert {shown(table, name) for name in table.setup.devices} == {"Open the table (open_table)."}


def test_a_shuffler_says_that_its_set_is_ready_and_the_shoe_what_comes_next(make_table):
    """The set that it shuffled last is armed; as soon as it begins another cycle it says so no more."""
    table = make_table("md-uth").ready()
    assert "READY" not in shown(table, "shuffler-1"), "it never said which set is in it"
    table.put(e.ShuffleStarted(e.Back.BLUE, e.Mode.SHUFFLE), "shuffler-1")
    assert "READY" not in shown(table, "shuffler-1")
    table.shuffled("blue")
    assert shown(table, "shuffler-1") == "READY: the blue set is shuffled"
    assert shown(table, "shoe-1", 99) == "Open the betting of the next round with the red set (begin_round)."


def test_a_set_whose_turn_it_is_not_is_never_ready_and_the_display_says_why(make_table):
    """READY at the shuffler is `armed` in `state/table`, to the letter: whoever reads both must not find them at odds."""
    table = make_table("md-uth").ready()
    table.begin("blue").let_out().deal().to_showdown().end()
    table.put(e.ShuffleStarted(e.Back.BLUE, e.Mode.SHUFFLE), "shuffler-1")
    table.shuffled("blue")
    assert set_of(table, "blue") == (False, "the blue set was used for the last round")
    assert shown(table, "shuffler-1") == "NOT ITS TURN: the blue set was used for the last round"
    assert shown(table, "shuffler-1", 16) == "NOT ITS TURN:.."
    table.begin("red")
    assert shown(table, "shuffler-1").startswith("NOT ITS TURN"), "nothing of the red set is out yet"
    table.let_out().deal(1)
    assert set_of(table, "blue") == (True, None), "it is dealt after the red one"
    assert shown(table, "shuffler-1") == "READY: the blue set is shuffled"
    assert set_of(table, "red") == (True, None), "the one in play is dealt on"


def set_of(table, back):
    """What `state/table` says of a set: whether it is armed, and why it is not its turn."""
    card_set = state_documents(table.setup, table.state)["table"]["sets"][back]
    return card_set["armed"], card_set["out_of_turn"]


def test_a_hold_is_on_every_display_with_who_may_lift_it_before_why(make_table):
    """Also where a display is so short that the reason is cut."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    table.put(e.EventsLost("SIM-shoe-1", "0" * 16, 5, 7), "shoe-1")
    (hold,) = table.state.holds.values()
    for name in table.setup.devices:
        assert shown(table, name, 400) == f"HELD {hold.id}, floorperson: {hold.reason}"
        assert shown(table, name, 24) == f"HELD {hold.id}, floorperson:.."
    table.act(a.ResolveHold(hold.id, a.Resolution.GO_ON, "counted"))
    assert "HELD" not in shown(table, "shoe-1")


def test_a_jam_is_a_duty_at_its_device_first(make_table):
    """At the shoe that jammed its own duty comes before what is to be done elsewhere; there it says where."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    table.put(e.Jammed(e.Back.RED, e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 40), "shoe-1")
    clear = next(d for d in table.state.duties.values() if d.action is Action.CLEAR_DEVICE)
    first = next(iter(table.state.duties.values()))
    assert first is not clear
    assert shown(table, "shoe-1") == f"{clear.id}, {clear.least_role}: Take all cards out of shoe-1."
    assert shown(table, "progressive-1").startswith(f"{first.id}, {first.least_role}: Return Ante")


def test_an_alarm_stands_at_its_own_device_until_somebody_has_seen_it(make_table):
    """Whoever looks for what is wrong looks there; elsewhere play goes on."""
    table = make_table("md-uth").ready()
    before = shown(table, "shoe-1")
    table.put(e.DeviceRejected("auth_wrong_device", "another serial number"), "shoe-1")
    (alarm,) = table.state.alarms.values()
    assert shown(table, "shoe-1") == f"ALARM {alarm.id}: auth wrong device; look at this device"
    assert "ALARM" not in shown(table, "progressive-1")
    table.act(a.SeeAlarm(alarm.id), Role.FLOORPERSON)
    assert shown(table, "shoe-1") == before


def test_what_waits_for_the_end_of_the_round_is_not_asked_for_in_it(make_table):
    """The set is due for change; the players go on with it, and the display with them."""
    table = make_table("md-uth").ready().begin()
    table.pass_time(24 * 3600)
    table.put(SetDue("red"))
    assert [d.action for d in table.state.duties.values()] == [Action.CHANGE_SET]
    assert shown(table, "shoe-1", 99) == "Take the wagers, then announce no more bets (announce_no_more_bets)."


def test_a_device_that_is_out_of_service_says_nothing_else(make_table):
    """Whoever stands before it must not begin to work with it, whatever is held elsewhere."""
    table = make_table("md-uth").ready()
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.COVERED))
    assert shown(table, "shuffler-1") == "OUT OF SERVICE (covered)"


@pytest.mark.parametrize(
    ("text", "characters", "shows"),
    [
        ("Deal", 4, "Deal"),
        ("Deal on", 5, "Dea.."),
        ("Deal on", 7, "Deal on"),
        ("Deal now on", 8, "Deal n.."),
        ("Deal now on", 7, "Deal.."),
        ("Deal", 2, ".."),
        ("Deal", 1, "."),
        ("müde\n\x1b[2J", 64, "m?de??[2J"),
        ("", 64, ""),
    ],
)
def test_a_text_is_made_to_fit(text, characters, shows):
    """Never longer than the display, nothing but printable ASCII, and a cut can be seen."""
    assert fit(text, characters) == shows


@pytest.mark.parametrize("day", ["md-uth-1", "ma-colorado-3", "nj-pikit-2", "fast-action-5"])
def test_no_display_names_a_card_on_any_kept_day(day):
    """Whatever happens at a table: the text fits the protocol, says something, and no face stands in it."""
    setup, lines = read(Path(FOLDER / f"{day}.jsonl.gz"))
    state, texts = State.initial(setup), set()
    for given in inputs_of(lines):
        state = decided(setup, state, given).state
        texts |= {fit(display_text(setup, state, name), 400) for name in state.devices}
    assert len(texts) > 20
    assert any(text.startswith("HELD ") for text in texts)
    assert [text for text in texts if CARD.search(text) or not text.isascii() or not text.isprintable()] == []


@pytest.mark.parametrize("day", ["md-uth-1", "ma-colorado-3", "nj-pikit-2", "fast-action-5"])
def test_what_a_display_says_is_in_the_state_topics_too(day):
    """Whoever follows `state/*` at the back office sees what the people at the table are told, and from where it comes."""
    setup, lines = read(Path(FOLDER / f"{day}.jsonl.gz"))
    state, kinds = State.initial(setup), set()
    for given in inputs_of(lines):
        state = decided(setup, state, given).state
        documents = state_documents(setup, state)
        for name in state.devices:
            text = display_text(setup, state, name)
            said = _said(documents["table"], documents[name])
            assert text in said, f"{text!r} is on the display of {name} and in no state topic"
            kinds.add(said[text])
    assert {"held", "duties", "next"} <= kinds


def _said(table, device):
    """Each text that follows from the documents of two state topics, with the key that it comes from."""
    said = {table["next"]: "next"}
    said |= {f"HELD {h['hold']}, {h['least_role']}: {h['reason']}": "held" for h in table["held"]}
    for alarm in table["alarms"]:
        if alarm["device"] == device["device"] and not alarm["seen"]:
            said[f"ALARM {alarm['alarm']}: {alarm['reason'].replace('_', ' ')}; look at this device"] = "alarms"
    for duty in table["duties"]:
        said[f"{duty['duty']}, {duty['least_role']}: {duty['do']}"] = "duties"
    said |= {f"READY: the {back} set is shuffled": "sets" for back, s in table["sets"].items() if s["armed"]}
    said |= {f"NOT ITS TURN: {s['out_of_turn']}": "sets" for s in table["sets"].values() if s["out_of_turn"]}
    said |= {"JAMMED: clear it": "jammed"} if device["jammed"] else {}
    return said | ({f"OUT OF SERVICE ({device['out']})": "out"} if device["out"] else {})
