"""What a person reads: everything that must be done first, each with its clause, and nothing that is not there."""

from typing import Any

import pytest

from controller.daemon.views.status import device_document, state_documents, table_document
from controller.rules.elections import cautious
from controller.rules.read.library import find
from controller.rules.vocabulary import Action, Method, Role
from controller.table.state.card_set import CardSet
from controller.table.state.device import Device
from controller.table.state.table import DeviceSetup, Duty, Hold, Phase, Round, Seat, Setup, State, Wager
from controller.table.words.acts import Resolution
from controller.table.words.structs import replace
from controller.text.broker_page import outbox_page
from controller.text.status_page import event_line, status_page
from drivers.events import Capability, Defect, DeviceKind, Levels

SETUP = Setup(
    site="lv01", table="t1", seats=6, backs=("red", "blue"), method=Method.DEALING_SHOE,
    devices={"shoe-1": DeviceSetup("shoe-1", DeviceKind.SHOE), "shuffler-1": DeviceSetup("shuffler-1", DeviceKind.SHUFFLER)},
    law=cautious(find("md-uth"), "test"), offered=frozenset({"trips"}), currency="USD",
)  # fmt: skip

CHOICES = (Resolution.RETURN_WAGER, Resolution.WAGER_STANDS)
JAMMED = State(
    method=Method.DEALING_SHOE,
    open=True,
    last_back="blue",
    since_stub_count=2,
    devices={
        "shoe-1": Device(
            DeviceKind.SHOE, online=True, jammed=True, wanted={"dispensing": "inhibited"},
            levels=Levels(dispensing="allowed", jammed=True, cards_inside=47),
        ),
        "shuffler-1": Device(DeviceKind.SHUFFLER, awaited=True, capabilities=frozenset({Capability.TWO_SETS})),
    },
    sets={"red": CardSet("red", cycle_complete=True, mode_shuffle=True, count_right=True), "blue": CardSet("blue")},
    round=Round(
        "t1-7", 7, "red", Method.DEALING_SHOE, Phase.STOPPED, void=True, stacks=(5,), cards_out=5,
        accepted=frozenset({(3, 1)}),
        seats={3: Seat({"ante": Wager(1500), "trips": Wager(505)}, folded=True)},
    ),
    duties={"D6": Duty("D6", Action.CLEAR_DEVICE, Role.DEALER, "shoe-1", "", 0, ("13.I(2)",), None)},
    holds={"H5": Hold("H5", "decide the late chip", Role.FLOORPERSON, 3, "progressive", (), "R-45", CHOICES)},
)  # fmt: skip


def _document() -> dict[str, Any]:
    """As the daemon's desk puts it together, from the core's own state."""
    link = {
        "state": "online", "since_s": 190.0, "reason": "", "detail": "",
        "counters": {"frames_in": 9, "crc": 2, "duplicate": 0},
    }  # fmt: skip
    return {
        **table_document(SETUP, JAMMED),
        "version": "1.2",
        "devices": {
            "shoe-1": {**device_document("shoe-1", JAMMED.devices["shoe-1"]), "link": link},
            "shuffler-1": {
                **device_document("shuffler-1", JAMMED.devices["shuffler-1"]),
                "link": {**link, "state": "absent", "reason": "link_missing", "detail": "no such port", "counters": {}},
            },
        },
        "record": {"ok": True, "reason": "", "journal": "0f3a", "heads": {"main": 7, "diag": 2}, "order": 19},
        "broker": {
            "broker": "b:1883", "connected": False, "since": "2026-01-01T00:00:00Z", "reason": "refused",
            "streams": {
                "main": {"head": 7, "acked": 5, "lag": 2, "parked": [{"first": 3, "last": 4, "reason": "0x87"}]},
                "diag": {"head": 2, "acked": 2, "lag": 0, "parked": []},
            },
        },
    }  # fmt: skip


def _line(start: str) -> str:
    (found,) = [line for line in status_page(_document()) if line.startswith(start)]
    return found


def test_holds_come_first_in_capitals_with_what_they_rest_on_and_how_they_end() -> None:
    """Whoever is called to the table reads first why play stands still, and what to do."""
    page = status_page(_document())
    place = page.index("HELD H5: DECIDE THE LATE CHIP (seat 3, progressive) [reading R-45]")
    assert page[place + 1].strip() == (
        "a floorperson or above decides: act resolve_hold hold=H5 resolution=return_wager|wager_stands"
    )
    assert place < page.index(_line("DUTY")) < page.index(_line("round"))


def test_each_duty_names_its_thing_its_closer_and_its_clause() -> None:
    """What must be done, at what, by whom, and where it stands."""
    assert _line("DUTY") == "DUTY D6: Take all cards out of shoe-1. Confirmed by a dealer or above [13.I(2)]"


def test_the_head_says_where_which_law_and_what_is_next() -> None:
    """One look tells the table, its state, its rulebook with the hash, and the next step."""
    assert _line("t1 at lv01").startswith("t1 at lv01  OPEN  md-uth 1.4 (")
    assert (
        _line("NEXT")
        == "NEXT      HELD: decide the late chip. A floorperson resolves hold H5: return_wager or wager_stands (resolve_hold)."
    )
    assert "resolve_hold" in _line("may do")
    assert "confirm_duty" not in _line(
        "may do"
    )  # the shoe senses cards inside, so nobody can say that they are out
    assert _line("stub") == "stub      2 of at most 5 rounds since the last count"


def test_the_round_shows_phase_plan_and_the_fate_of_each_wager() -> None:
    """Each wager has its own fate; stacks that are out are marked."""
    assert _line("round") == "round     t1-7, number 7, red set, stopped  VOID"
    assert _line("dealt") == "dealt     1 of 3 stacks, 5 cards: *community:5 -dealer:2 -seat 3:2"
    assert _line("seat 3") == "seat 3    ante 15.00 live, trips 5.05 live; folded"
    assert _line("accepted") == "accepted  progressive at seats 3"


def test_the_predicates_of_a_set_stand_each_by_itself() -> None:
    """ "Armed" is five things; what cannot be known is not called right, and what is wrong is in capitals."""
    assert _line("set       red") == (
        "set       red    ARMED      cycle complete: yes, mode shuffle: yes, count right: yes, "
        "identities complete: not known, in turn: yes"
    )
    assert _line("set       blue") == (
        "set       blue   not armed  cycle complete: NO, mode shuffle: NO, count right: not known, "
        "identities complete: not known, in turn: yes"
    ), "cards of the red one are out, so the blue one is next"
    page = status_page({**_document(), **table_document(SETUP, replace(JAMMED, round=None))})
    place = next(number for number, line in enumerate(page) if line.startswith("set       blue"))
    assert page[place].endswith("in turn: NO")
    assert page[place + 1].strip() == "the blue set was used for the last round"


WHOLE = {"cycle_complete": True, "mode_shuffle": True, "count_right": True, "identities_complete": True}


@pytest.mark.parametrize(
    ("changes", "last_back", "said"),
    [
        ({"cycle_complete": False}, "", "cycle complete: NO"),
        ({"mode_shuffle": False}, "", "mode shuffle: NO"),
        ({"count_right": False}, "", "count right: NO"),
        ({"identities_complete": False, "defects": (Defect.MISSING, Defect.FOREIGN_BACK)}, "", "identities complete: NO"),
        ({}, "red", "in turn: NO"),
    ],
)  # fmt: skip
def test_each_predicate_that_is_wrong_alone_is_seen_alone(
    changes: dict[str, Any], last_back: str, said: str
) -> None:
    """In the document, in the state topic and on the page: not armed, one NO, and why."""
    sets = {"red": CardSet("red", **{**WHOLE, **changes}), "blue": CardSet("blue", **WHOLE)}
    state = replace(JAMMED, round=None, sets=sets, last_back=last_back)
    document = table_document(SETUP, state)
    assert state_documents(SETUP, state)["table"]["sets"] == document["sets"]
    red = document["sets"]["red"]
    asked = (*WHOLE, "in_turn")
    assert [name for name in asked if red[name] is False] == [said.removesuffix(": NO").replace(" ", "_")]
    assert not red["armed"]
    assert document["sets"]["blue"]["armed"]
    page = status_page(document)
    (line,) = [line for line in page if line.startswith("set       red")]
    assert "not armed" in line
    assert line.count("NO") == 1
    assert said in line
    if red["defects"]:
        assert page[page.index(line) + 1].strip() == "missing, foreign back"


def test_what_is_not_asked_at_a_table_is_no_predicate() -> None:
    """One set, or no shuffler in service: nothing alternates, and nothing is called right that nobody looked at."""
    alone = {"red": CardSet("red", cycle_complete=True, mode_shuffle=True, by_hand=True)}
    red = table_document(SETUP, replace(JAMMED, round=None, sets=alone, last_back="red"))["sets"]["red"]
    assert red["armed"]
    assert (red["count_right"], red["identities_complete"], red["in_turn"], red["out_of_turn"]) == (None,) * 4


def test_a_device_shows_what_its_display_says_and_whether_its_key_is_proven() -> None:
    """Without a display there is no line; what the device has not said to show stands out."""
    document = _document()
    shoe = document["devices"]["shoe-1"]
    assert not any("display:" in line for line in status_page(document))
    shoe["display"], shoe["link"]["authenticated"] = {"text": "D3, dealer: clear device", "shown": True}, True
    page = status_page(document)
    assert "          display: D3, dealer: clear device" in page
    assert "device    shoe-1          shoe         ONLINE   since 3 min, key proven  JAMMED" in page
    shoe["display"]["shown"] = False
    assert "          display: D3, dealer: clear device  NOT YET SHOWN" in status_page(document)


def test_a_device_shows_its_link_since_when_why_and_what_it_should_be_and_is_not() -> None:
    """A wanted level that does not hold stands out; counters show only trouble."""
    page = status_page(_document())
    place = page.index(_line("device    shoe-1"))
    assert page[place] == "device    shoe-1          shoe         ONLINE   since 3 min  JAMMED"
    assert page[place + 1].strip() == "dispensing allowed, jammed, cards inside 47, WANTED dispensing inhibited"
    assert page[place + 2].strip() == "line: crc 2"
    assert _line("device    shuffler-1") == (
        "device    shuffler-1      shuffler     ABSENT   since 3 min, link missing, no such port  AWAITED"
    )


@pytest.mark.parametrize(
    ("lamps", "wanted", "met"), [(9, "1,4", True), (1, "1,4", False), (0, "", True), (0, "1", False)]
)
def test_lamps_are_compared_by_seat(lamps: int, wanted: str, met: bool) -> None:
    """The device says bits, the daemon wants seats: the page shows a difference only where there is one."""
    device = Device(DeviceKind.PROGRESSIVE, levels=Levels(lamps=lamps, wagers=0b1001), wanted={"lamps": wanted})
    page = "\n".join(status_page({**_document(), "devices": {"p": device_document("p", device)}}))
    assert ("WANTED lamps" not in page) is met
    assert "wagers at seats 1,2" in page


def test_record_and_broker_say_how_far_they_are_and_what_was_set_aside() -> None:
    """What a technician looks for."""
    assert _line("record") == "record    0f3a, 19 records: main 7, diag 2"
    assert _line("broker") == "broker    b:1883 AWAY since 2026-01-01T00:00:00Z: refused"
    assert "          main: 5 of 7 acknowledged, 2 waiting, 2 SET ASIDE" in status_page(_document())


def test_a_table_without_its_record_says_so_and_nothing_else() -> None:
    """While the journal cannot be written there is no table to show, and the page is still a page."""
    reason = "the record cannot be written: disk full"
    page = status_page({
        "version": "1.2", "held": [{"hold": "", "reason": reason, "least_role": "technician"}],
        "record": {"ok": False, "reason": reason}, "next": f"HELD: {reason}",
    })  # fmt: skip
    assert "HELD: THE RECORD CANNOT BE WRITTEN: DISK FULL" in page
    assert f"RECORD    FAILED: {reason}" in page


def test_a_prompt_is_told_with_its_act_and_its_clauses() -> None:
    """Below what may be done: what the document wants done before it."""
    prompt = {"act": "collect_cards", "text": "Put the stub into the rack", "cite": ["8.F", "9.D"]}
    page = status_page({**_document(), "prompts": [prompt]})
    assert "prompt    Put the stub into the rack: act collect_cards [8.F, 9.D]" in page


def test_a_table_at_rest_is_short() -> None:
    """No round, no holds, no duties: those lines are not there."""
    page = status_page(table_document(SETUP, State.initial(SETUP)))
    assert "round     none in play" in page
    assert not [line for line in page if line.startswith(("HELD", "DUTY", "broker", "record"))]


def test_an_event_is_one_line_with_its_clauses_last() -> None:
    """Time, subject, kind, the essentials, who, and what it rests on."""
    event = {
        "time_us": 1_767_225_600_123_456, "subject": "table", "kind": "wager_decided",
        "data": {"round": "t1-7", "seat": 3, "wager": "ante", "cents": 1500, "fate": "returned", "cite": ["13.I(1)"]},
    }  # fmt: skip
    line = event_line(event)
    assert line[2] == line[5] == ":"
    assert line[8:12] == ".123"
    assert (
        line[14:]
        == "table          wager_decided            round t1-7 seat 3 wager ante 15.00 fate returned [13.I(1)]"
    )


def test_a_wager_that_nobody_counted_is_told_without_an_amount() -> None:
    data: dict[str, object] = {"seat": 3, "wager": "ante", "cents": 0}
    for kind in ("wager_placed", "wager_decided"):
        assert event_line({"subject": "table", "kind": kind, "data": data}).endswith(
            "seat 3 wager ante not counted"
        )


def test_nothing_in_a_record_moves_the_cursor_of_who_reads_it() -> None:
    """Whoever wrote it, and wherever it was written: a copy of a record may come from anybody."""
    event = {"subject": "t\r", "kind": "dispute_raised", "data": {"reason": "a\x1b[2J\nb\u202e", "by": "c\x9b2J"}}
    line = event_line(event)
    assert line.isprintable()
    assert "reason a\ufffd[2J\ufffdb\ufffd" in line


def test_a_disposition_names_each_demand_with_its_own_clause_or_reading() -> None:
    """Two things of one event may rest on different grounds."""
    event = {
        "time": "12:00", "subject": "table", "kind": "disposition_made",
        "data": {
            "trigger": "shoe_jam", "sha256": "ab", "says": "long", "cite": ["15(f)"],
            "demands": [
                {"action": "void_round", "cite": ["15(f)"]}, {"action": "hold_all_wagers", "reading": "R-22"},
            ],
        },
    }  # fmt: skip
    line = event_line(event)
    assert line.endswith("trigger shoe_jam void round [15(f)]; hold all wagers [reading R-22]; [15(f)]")
    assert "long" not in line


def test_the_outbox_page_says_how_to_release_what_was_set_aside() -> None:
    """The reason, and the command to copy once it is mended."""
    page = outbox_page(_document()["broker"])
    assert "SET ASIDE main 3 to 4: 0x87" in page
    assert "          tablewarden outbox release main 3 --last 4 --who NAME --role technician" in page
    assert outbox_page({"connected": False, "reason": "the daemon is starting"}) == [
        "broker    AWAY: the daemon is starting"
    ]


def test_the_outbox_page_says_how_far_each_consumer_has_confirmed() -> None:
    """The late one is marked."""
    office = {
        "confirmed": {"recorder": {"main": 7, "diag": 2}, "mirror": {"main": 9, "diag": 2}},
        "late": ["recorder"],
    }
    page = outbox_page({**_document()["broker"], "back_office": office})
    assert "LATE      recorder has confirmed main 7, diag 2" in page
    assert "          mirror has confirmed main 9, diag 2" in page


def test_the_outbox_page_names_a_topic_that_the_broker_does_not_take() -> None:
    """With the line of the ACL to copy, and when it is tried again; one that is too large has neither."""
    topic = "tablewarden/v1/lv01/lv01-bj-017/evt/diag"
    denied = {"topic": topic, "reason": "refused with 0x87", "acl": f"topic write {topic}", "again_s": 60}
    large = {"topic": topic.replace("evt/diag", "state/table"), "reason": "70000 bytes, over the limit of 65536"}
    page = outbox_page({**_document()["broker"], "parked_topics": [denied, large]})
    assert f"NOT TAKEN {topic}: refused with 0x87; tried again in 60 s" in page
    assert f"          the broker's ACL needs: topic write {topic}" in page
    assert (
        page.count("NOT TAKEN tablewarden/v1/lv01/lv01-bj-017/state/table: 70000 bytes, over the limit of 65536")
        == 1
    )


def test_a_second_machine_with_this_identity_is_an_alarm_of_the_status() -> None:
    """Which one it is, as far as it said so."""
    other = {"reason": "another machine uses this identity", "machine": "ab12", "session": 9}
    page = status_page(_document() | {"broker": {**_document()["broker"], "identity": other}})
    assert any("another machine uses this identity (machine ab12, session 9)" in line for line in page)


OFFER = {
    "refused": "",
    "lines": [
        {"seat": 3, "wager": "ante", "stake": 1000, "outcome": "win", "returned": 1000, "paid": 1000, "pays": "1 to 1",
         "cite": ["12.A"]},
        {"seat": 3, "wager": "blind", "stake": 1000, "outcome": "push", "returned": 1000, "paid": 0, "cite": ["11.H(3)(d)"]},
        {"seat": 1, "wager": "trips", "stake": 500, "outcome": "held", "returned": 0, "paid": 0, "note": "not provable"},
        {"seat": 1, "wager": "envy", "stake": 0, "outcome": "win", "returned": 0, "paid": 150000, "holder": 3,
         "reading": "R-109"},
    ],
    "cuts": [{"seat": 3, "cut": 2500, "wagers": ["ante", "blind"], "cite": ["12.H"]}],
    "asks": [
        {"act": "record_hand", "area": "player", "seat": 1}, {"act": "record_hand", "area": "dealer", "seat": 0},
        {"act": "record_meter", "meter": "major"},
    ],
}  # fmt: skip


def test_what_the_dealer_announces_stands_before_what_is_paid() -> None:
    """In words, with the clause that has it announced."""
    announce = {"hands": ["straight, ten high", "pair of nines, with ten"], "cite": ["39.10(d)"]}
    page = status_page({**_document(), "announce": announce, "offer": OFFER})
    told = page.index("announce  the dealer has straight, ten high and pair of nines, with ten [39.10(d)]")
    assert page[told + 1].startswith("settle ")


def test_the_offer_says_what_is_paid_and_what_is_still_to_be_told() -> None:
    """Wager by wager in the order of settlement, each with its clause or reading; then cuts, and what to tell by which act."""
    page = status_page({**_document(), "offer": OFFER})
    first = page.index("settle    seat 3 ante 10.00: win, pay 10.00 (1 to 1) [12.A]")
    assert page[first + 1 : first + 6] == [
        "settle    seat 3 blind 10.00: push, 10.00 back [11.H(3)(d)]",
        "settle    seat 1 trips 5.00: held; not provable",
        "settle    seat 1 envy for seat 3 0.00: win, pay 1500.00 [reading R-109]",
        "          seat 3: a limit takes 25.00 off ante, blind [12.H]",
        "          still to be told: hand of seat 1 (record_hand area=player seat=1); dealer (record_hand area=dealer); "
        "the meter major (record_meter)",
    ]
    refused = status_page({**_document(), "offer": {"refused": "why", "lines": [], "cuts": [], "asks": []}})
    assert "settle    cannot be told: why" in refused
    asked = {**OFFER, "cuts": [{**OFFER["cuts"][0], "held": True, "reading": "R-03"}]}
    (line,) = [line for line in status_page({**_document(), "offer": asked}) if "a limit" in line]
    assert "seat 3: a limit is asked each time, and would take 25.00 off ante, blind" in line


def test_a_correction_is_shown_with_its_round() -> None:
    """In the round in play and in the last one: what stands now, in capitals before it."""
    wager = {"cents": 1000, "fate": "settled", "outcome": "push", "returned": 1000, "paid": 0, "corrected": True}
    document = _document()
    document["last_round"] = {
        "round": "t1-6",
        "seats": {"4": {"blind": wager, "ante": {**wager, "corrected": False}}},
    }
    assert [line for line in status_page(document) if line.startswith("CORRECTED")] == [
        "CORRECTED t1-6 seat 4 blind: push, 10.00 handed back"
    ]
    document["round"]["seats"]["3"]["wagers"]["ante"] = wager
    assert "CORRECTED t1-7 seat 3 ante: push, 10.00 handed back" in status_page(document)
    document["round"]["seats"]["3"]["wagers"]["ante"] = {**wager, "cents": 0, "returned": 0}
    assert "CORRECTED t1-7 seat 3 ante: push" in status_page(document)
