"""The observer judges: a sound record holds every promise, and each way of breaking one is named."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from simulators.bench.observer.commands import lockout, told
from simulators.bench.observer.events import delivery, nothing_lost
from simulators.bench.observer.evidence import Evidence, Line, Verdict
from simulators.bench.observer.instant import AtOnce, recorded_first
from simulators.bench.observer.law import citations, remedies, silence
from simulators.bench.observer.money import wagers
from simulators.bench.observer.people import alarms
from simulators.bench.observer.record import Row
from simulators.bench.observer.sets import cards_stay, sets_armed
from simulators.bench.subscriber import Delivered

JOURNAL = "0123456789abcdef"
SERIALS = {"SIM-shuffler": "shuffler-1", "SIM-shoe": "shoe-1", "SIM-progressive": "progressive-1"}
BOOT = "00000000000000aa"


class Case:
    """Evidence that a test writes down record by record and line by line."""

    def __init__(self, rulebook: str = "md-uth", **elections: str) -> None:
        chosen = {"R-30": "jam", **{name.replace("_", "-"): choice for name, choice in elections.items()}}
        self.evidence = Evidence(rulebook, "dealing_shoe", chosen, SERIALS, journal_id=JOURNAL)
        self._numbers: dict[str, Iterator[int]] = {
            s: iter(range(1, 1000)) for s in ("input", "main", "diag", "order", "t")
        }
        self._cause = ""

    def _row(self, stream: str, kind: str, subject: str, data: Mapping[str, Any], origin: Any = None) -> Row:
        sequence, order = next(self._numbers[stream]), next(self._numbers["order"])
        raw = repr(data).replace("'", '"').encode()
        about = (
            order,
            kind,
            subject,
            data.get("round", ""),
            self._cause,
            0,
            order,
            (),
            b"",
            b"%d" % order,
            b"",
            raw,
        )
        row = Row(stream, sequence, *about, data, origin)
        self.evidence.rows.append(row)
        return row

    def given(self, kind: str, subject: str = "table", who: str = "", role: str = "", **body: Any) -> "Case":
        """An input; the facts that follow in the test were decided from it."""
        actor = {"actor": {"who": who, "role": role}} if who else {}
        self._cause = ""
        row = self._row("input", kind, subject, {"body": body, **actor})
        self._cause = f"{JOURNAL}-input-{row.sequence}"
        return self

    def report(self, counter: int, kind: str, device: str = "shoe-1", **body: Any) -> "Case":
        """A device's report as the journal has it."""
        serial = next(serial for serial, name in SERIALS.items() if name == device)
        self._cause = ""
        row = self._row("input", kind, device, {"body": body}, (serial, BOOT, counter))
        self._cause = f"{JOURNAL}-input-{row.sequence}"
        return self

    def fact(self, kind: str, subject: str = "table", stream: str = "main", **data: Any) -> "Case":
        self._row(stream, kind, subject, data)
        return self

    def did(self, device: str, what: str, **data: Any) -> "Case":
        """A line of a device's own record."""
        self.evidence.lines.append(Line(device, next(self._numbers["t"]), what, data))
        return self

    def reported(self, counter: int, kind: str, device: str = "shoe-1", **body: Any) -> "Case":
        return self.did(device, "report", boot=BOOT, counter=counter, tick_us=0, kind=kind, body=body)

    def made(
        self, trigger: str, *demands: dict[str, Any], guards: tuple[str, ...] = (), silent: bool = False
    ) -> "Case":
        about = {"trigger": trigger, "guards": list(guards), "demands": list(demands), "silent": silent}
        return self.fact("disposition_made", rulebook=self.evidence.rulebook, round="", **about)


def by(action: str, *cite: str) -> dict[str, Any]:
    return {"action": action, "cite": list(cite)}


def under(action: str, reading: str) -> dict[str, Any]:
    return {"action": action, "cite": [], "reading": reading}


SHOE_JAM = (
    by("void_round", "13.I"),
    by("return_all_wagers", "13.I(1)"),
    by("clear_device", "13.I(2)"),
    by("reshuffle_with_dealt", "13.I(3)"),
)


def broken(verdict: Verdict, *words: str) -> bool:
    """True if the promise is broken and the first problem says so in these words."""
    assert verdict.state == "broken", verdict
    return all(word in verdict.problems[0] for word in words)


# ---- 1: cards

LEAKS = [b'{"hand":["As","Td"]}', b'{"x":"4c/red/SIM-shuffler.3"}', b'{"uid":"SIM-shuffler.17"}', "♠".encode()]


@pytest.mark.parametrize("payload", LEAKS)
def test_a_card_in_a_payload_is_a_leak(payload):
    """A face, a written card, its uid or a suit sign: none may reach a subscriber."""
    case = Case().did("shuffler-1", "brought", cards=["4c/red/SIM-shuffler.3"], to="table")
    case.evidence.delivered = [Delivered(1, "tablewarden/v1/bench/uth-1/evt/main", False, b'{"cards":2}')]
    assert cards_stay(case.evidence).state == "held"
    case.evidence.delivered.append(Delivered(2, "tablewarden/v1/bench/uth-1/evt/main", False, payload))
    assert broken(cards_stay(case.evidence), "evt/main")


def test_a_card_in_the_journal_or_the_log_is_a_leak():
    """Nobody told the daemon a card, so wherever one stands it came by a way that must not be."""
    case = Case().did("shuffler-1", "brought", cards=["4c/red/SIM-shuffler.3"], to="table")
    assert broken(cards_stay(case.evidence, b'card="As"'), "log")
    assert broken(cards_stay(case.evidence, b'{"cards":"?? Kd 10h"}'), "log")
    shut = case.given("record_hand", cards=["c0ffee"]).fact("hand_recorded", cards=["c0ffee"])
    assert cards_stay(shut.evidence).state == "held"
    shut.evidence.rows[-1] = replace(shut.evidence.rows[-1], fault="cards")
    assert broken(cards_stay(shut.evidence), "hand_recorded: cards")
    told = Case().did("shuffler-1", "brought", cards=["4c/red/SIM-shuffler.3"], to="table")
    assert broken(cards_stay(told.given("record_hand", cards="As Kd").evidence), 'record_hand: "As Kd"')
    case = Case().did("shuffler-1", "brought", cards=["4c/red/SIM-shuffler.3"], to="table")
    assert broken(cards_stay(case.fact("odd", cards=["As"]).evidence), "odd")
    thing = Case().did("shuffler-1", "brought", cards=["4c/red/SIM-shuffler.3"], to="table")
    assert broken(cards_stay(thing.given("record_hand", cards="4c/red/SIM-shuffler.3").evidence), "record_hand")


def test_a_card_on_a_display_is_a_leak():
    """Also within a sentence; what a display says otherwise is nobody's business here."""
    case = Case().did("shuffler-1", "brought", cards=["4c/red/SIM-shuffler.3"], to="table")
    assert cards_stay(shown(case, "HELD H2, floorperson: 3 cards face up").evidence).state == "held"
    assert broken(cards_stay(shown(case, "HELD: the 4c lies face up").evidence), "display of shoe-1", "4c")


def shown(case: Case, text: str) -> Case:
    asked = {"level": "display", "value": text, "operation": len(case.evidence.lines)}
    return case.did("shoe-1", "command", **asked, outcome="executed", holds=True)


# ---- 2: sets


def deck(back: str) -> list[str]:
    return [f"{rank}{suit}/{back}/S.{back}{rank}{suit}" for suit in "cdhs" for rank in "23456789TJQKA"]


def shuffled(case: Case, back: str, cards: int = 52, *, jammed: bool = False, **changes: Any) -> Case:
    """A cycle of the shuffler with that many real cards."""
    case.did("shuffler-1", "moved", cards=deck(back)[:cards], **{"from": "feeder", "to": "rack"})
    case.reported(1, "shuffle_started", "shuffler-1", back=back, mode="shuffle")
    if jammed:
        case.reported(2, "jammed", "shuffler-1", back=back)
    body = {"back": back, "mode": "shuffle", "count": cards, "identities": "not_read", **changes}
    case.reported(3, "shuffle_completed", "shuffler-1", **body)
    return case.did("shuffler-1", "moved", cards=deck(back)[:cards], **{"from": "rack", "to": "table"})


def dealt(case: Case, back: str) -> Case:
    case.reported(1, "stack_dispensed", back=back, stack=1, cards=2)
    return case.reported(2, "deal_completed", back=back, stacks=1, cards_left=50)


def both(case: Case) -> Case:
    return case.did("shuffler-1", "brought", cards=deck("red") + deck("blue"), to="table")


def test_whole_sets_in_turn_are_dealt_rightly():
    """Red, blue, red, each shuffled since it was dealt last."""
    case = both(Case())
    for back in ("red", "blue", "red"):
        dealt(shuffled(case, back), back)
    assert sets_armed(case.evidence).state == "held"
    assert sets_armed(case.evidence).checked == 3


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"cards": 51}, "counted 51"),
        ({"count": 51}, "counted 51"),
        ({"mode": "sort"}, "not a shuffle"),
        ({"identities": "incomplete"}, "counted"),
        ({"jammed": True}, "jammed"),
    ],
)
def test_a_set_that_was_not_armed_must_not_be_dealt(changes, word):
    """The devices' own records say what was wrong with it, whatever the daemon believed."""
    case = dealt(shuffled(both(Case()), "red", **changes), "red")
    assert broken(sets_armed(case.evidence), "red", word)


def test_a_jam_that_cleared_itself_is_no_matter_where_the_licensee_elected_so():
    """R-30 decides; the observer follows the election that it was given."""
    case = dealt(shuffled(both(Case(R_30="not_a_jam")), "red", jammed=True), "red")
    assert sets_armed(case.evidence).state == "held"


def test_a_set_is_dealt_once_for_each_shuffle_and_not_twice_running():
    """The second deal from the same shuffle, and the same set twice with the other one at the table."""
    unshuffled = dealt(dealt(shuffled(both(Case()), "red"), "red"), "blue")
    assert broken(sets_armed(unshuffled.evidence), "never shuffled")
    twice = dealt(shuffled(dealt(shuffled(both(Case()), "red"), "red"), "red"), "red")
    assert broken(sets_armed(twice.evidence), "twice running")


def test_the_only_set_at_the_table_may_be_dealt_twice():
    """The other one was taken away."""
    case = dealt(shuffled(both(Case()), "red"), "red")
    case.did("shuffler-1", "moved", cards=deck("blue"), **{"from": "table", "to": "retired"})
    assert sets_armed(dealt(shuffled(case, "red"), "red").evidence).state == "held"


# ---- 3, 4, 10: law


def jam(*demands: dict[str, Any], guards: tuple[str, ...] = ("round_live",)) -> Case:
    return Case().report(1, "jammed", back="red").made("shoe_jam", *demands, guards=guards)


def test_the_law_as_it_is_printed_holds():
    """Clause: md-uth 13.I, word by word."""
    case = jam(*SHOE_JAM)
    assert citations(case.evidence).state == "held"
    assert silence(case.evidence).state == "held"


@pytest.mark.parametrize(
    ("demands", "words"),
    [
        ((*SHOE_JAM[:1], by("return_all_wagers", "13.H(2)"), *SHOE_JAM[2:]), ("13.H(2)", "13.I(1)")),
        (SHOE_JAM[:3], ("reshuffle_with_dealt is missing", "13.I(3)")),
        ((*SHOE_JAM, by("remove_set", "10.E(2)")), ("remove_set is no remedy here",)),
        ((*SHOE_JAM[:3], under("reshuffle_with_dealt", "R-25")), ("cites nothing", "13.I(3)")),
    ],
)
def test_another_demand_or_another_clause_is_caught(demands, words):
    """A wrong clause, a missing demand, one too many, a reading in a clause's place."""
    assert broken(citations(jam(*demands).evidence), *words)


def test_an_event_that_the_law_answers_must_be_answered():
    """A jam with nothing decided, and a wrong count likewise."""
    assert broken(citations(Case().report(1, "jammed", back="red").evidence), "led to no shoe_jam")
    wrong = Case().report(1, "shuffle_completed", "shuffler-1", back="red", count=51)
    assert broken(citations(wrong.evidence), "led to no shuffler_count_wrong")


def test_what_the_text_leaves_open_rests_on_its_own_reading():
    """ma-uth never says that wagers go back: R-22 may, no other reading does."""
    void = [
        by(a, "15(f)") for a in ("void_round", "clear_device", "reshuffle_with_dealt", "by_approved_procedures")
    ]
    for reading, state in (("R-22", "held"), ("R-25", "broken")):
        case = Case("ma-uth").report(1, "jammed", back="red")
        case.made("shoe_jam", *void, under("return_all_wagers", reading), guards=("round_live",))
        assert citations(case.evidence).state == state


def test_a_silence_acts_by_an_elected_reading_alone():
    """A demand with a clause in a silent row, with neither, or with a reading that nobody elected."""
    late = ("progressive_late", under("hold_late_wager", "R-45"))
    elected = Case(R_45="hold").given("wager_sensed").made(*late, silent=True)
    assert silence(elected.evidence).state == "held"
    assert broken(silence(Case().given("wager_sensed").made(*late, silent=True).evidence), "nobody elected")
    cited = Case().given("wager_sensed").made("progressive_late", by("hold_late_wager", "2.C(2)"), silent=True)
    assert broken(silence(cited.evidence), "without a reading")


def test_a_hold_is_lifted_by_a_person_on_record():
    """Not by the software, and not in another's name."""
    case = Case().given("resolve_hold", who="flo", role="floorperson").fact("hold_lifted", hold="H1", by="flo")
    assert silence(case.evidence).state == "held"
    assert broken(silence(Case().given("jammed").fact("hold_lifted", hold="H1", by="flo").evidence), "H1")
    other = Case().given("resolve_hold", who="ada", role="dealer").fact("hold_lifted", hold="H1", by="flo")
    assert broken(silence(other.evidence), "H1")


def test_a_remedy_that_nothing_demands_is_caught():
    """A duty or a fate out of nowhere is itself a violation."""
    case = jam(*SHOE_JAM).fact("duty_opened", duty="D1", action="clear_device", least_role="dealer")
    case.fact("wager_decided", seat=1, wager="ante", cents=100, fate="returned")
    assert remedies(case.evidence).state == "held"
    assert broken(
        remedies(jam(*SHOE_JAM).fact("duty_opened", duty="D1", action="remove_set").evidence), "remove_set"
    )
    taken = jam(*SHOE_JAM).fact("wager_decided", seat=1, wager="trips", cents=100, fate="to_settle")
    assert broken(remedies(taken.evidence), "trips to_settle")


# ---- 5: wagers


def betting(case: Case | None = None) -> Case:
    case = (case or Case()).given("begin_round").fact("round_begun", round="uth-1-1", number=1)
    return case.fact("wager_placed", round="uth-1-1", seat=1, wager="ante", cents=500, currency="USD")


def ended(case: Case, outcome: str = "played") -> Case:
    return case.given("end_round").fact("round_ended", round="uth-1-1", outcome=outcome)


def fate(case: Case, what: str) -> Case:
    return case.fact("wager_decided", round="uth-1-1", seat=1, wager="ante", cents=500, fate=what)


def test_a_wager_is_settled_or_returned_once():
    """Either way is one fate; a held one that goes back has had one too."""
    assert wagers(ended(betting().fact("round_settled", round="uth-1-1")).evidence).state == "held"
    assert wagers(ended(fate(betting(), "returned"), "void").evidence).state == "held"
    assert wagers(ended(fate(fate(betting(), "held"), "returned"), "void").evidence).state == "held"


@pytest.mark.parametrize("decided", [(), ("held",), ("returned", "returned"), ("returned", "stands")])
def test_a_wager_without_an_end_or_with_two_is_caught(decided):
    """Nobody's money may lie there when the round is over, and none goes back twice."""
    case = betting()
    for what in decided:
        fate(case, what)
    assert broken(wagers(ended(case).evidence), "seat 1 ante")


def test_a_wager_given_back_and_then_settled_is_caught():
    """Returned wagers are out of the settlement; a second placing after a return would show as two fates."""
    case = fate(betting(), "returned").fact("round_settled", round="uth-1-1")
    fate(case, "settled")
    assert broken(wagers(ended(case).evidence), "returned, settled")


def folded(case: Case, *cite: str, wager: str = "ante") -> Case:
    """Seat 1 folds, and its wager is collected under this clause."""
    case.given("record_decision", seat=1, decision="fold").fact("decision_recorded", seat=1, decision="fold")
    if not cite:
        return case
    return case.fact(
        "wager_decided", round="uth-1-1", seat=1, wager=wager, cents=500, fate="collected", cite=list(cite)
    )


def test_a_wager_collected_at_a_fold_has_had_its_fate():
    """The settlement no longer touches it; a void may give it back, once."""
    case = folded(betting(), "11.F(2)")
    assert remedies(case.evidence).state == "held"
    assert wagers(ended(case.fact("round_settled", round="uth-1-1")).evidence).state == "held"
    assert wagers(ended(fate(folded(betting(), "11.F(2)"), "returned"), "void").evidence).state == "held"


def test_a_fold_without_its_collection_is_caught():
    """The clause has the dealer collect at once: a wager that is settled with the others was left lying."""
    case = folded(betting()).fact("round_settled", round="uth-1-1")
    assert broken(wagers(ended(case).evidence), "not collected at the fold")


def test_a_collection_without_a_fold_or_under_another_clause_is_caught():
    """Only ante and blind, only by the clause on folding, only of the player who folds."""
    assert broken(remedies(folded(betting(), "11.F(1)").evidence), "ante collected")
    assert broken(remedies(folded(betting(), "11.F(2)", wager="trips").evidence), "trips collected")
    case = betting().given("record_decision", seat=1, decision="check")
    assert broken(remedies(fate(case, "collected").evidence), "ante collected")


def test_a_collected_wager_goes_back_only_with_a_void_and_under_its_reading():
    """Returned out of nowhere is a violation; with a void it rests on R-71."""
    back = {"round": "uth-1-1", "seat": 1, "wager": "ante", "cents": 500, "fate": "returned", "reading": "R-71"}
    assert remedies(jam(*SHOE_JAM).fact("wager_decided", **back).evidence).state == "held"
    assert broken(remedies(betting().given("end_round").fact("wager_decided", **back).evidence), "ante returned")


def test_each_accepted_chip_is_a_wager():
    """The device accepted seats 1 and 2; the record has a progressive wager for seat 1 only."""
    case = betting().fact("wager_placed", round="uth-1-1", seat=1, wager="progressive", cents=500, currency="USD")
    case.fact("bets_closed", round="uth-1-1", accepted=[1, 2])
    assert broken(wagers(ended(case.fact("round_settled", round="uth-1-1")).evidence), "[1, 2]", "[1]")


# ---- 6: events, delivery


def two_reports() -> Case:
    case = Case()
    for counter in (1, 2):
        case.reported(counter, "button_pressed", button="green", extra=None)
        case.report(counter, "button_pressed", button="green")
    return case


def test_what_was_reported_is_on_record():
    """Unknown fields are absent in the record and None in the device's own."""
    assert nothing_lost(two_reports().evidence).state == "held"


def test_a_missing_a_repeated_a_late_and_an_altered_report_are_caught():
    """Each in its own words."""
    assert broken(nothing_lost(two_reports().reported(3, "door_opened").evidence), "shoe-1 3", "not on record")
    twice = two_reports().report(2, "button_pressed", button="green")
    assert broken(nothing_lost(twice.evidence), "twice")
    late = two_reports().report(4, "door_opened").report(3, "door_closed")
    assert broken(nothing_lost(late.evidence), "behind 4")
    other = Case().reported(1, "stack_dispensed", back="red", stack=1, cards=3)
    other.report(1, "stack_dispensed", back="red", stack=1, cards=2)
    assert broken(nothing_lost(other.evidence), "is on record as")


def test_a_declared_loss_and_the_tail_after_the_stop_are_no_silence():
    """The record says itself what is gone; what came after the stop waits in the device's log."""
    case = two_reports().reported(3, "door_opened").given("events_lost", "shoe-1")
    case.fact("events_lost", "shoe-1", serial="SIM-shoe", boot=BOOT, first=3, last=3)
    assert nothing_lost(case.evidence).state == "held"
    other = two_reports().reported(3, "door_opened").report(3, "door_closed").given("events_lost", "shoe-1")
    other.fact("events_lost", "shoe-1", serial="SIM-shoe", boot=BOOT, first=3, last=3, reused=True)
    assert nothing_lost(other.evidence).state == "held"
    assert broken(nothing_lost(case.report(3, "door_closed").evidence), "is on record as")
    tail = two_reports().reported(3, "door_opened")
    tail.evidence.stop_ns = tail.evidence.lines[-1].at_ns
    assert nothing_lost(tail.evidence).state == "held"
    tail.evidence.stop_ns += 1
    assert nothing_lost(tail.evidence).state == "broken"


def deliver(case: Case, *numbers: int, retained: bool = False, **changes: Any) -> Case:
    """The main records of these places as a broker would deliver them."""
    rows = [row for row in case.evidence.rows if row.stream == "main"]
    messages = case.evidence.delivered or []
    for number in numbers:
        row = rows[number - 1]
        before = rows[number - 2].recordhash.hex() if number > 1 else "00"
        event = {
            "id": f"{JOURNAL}-main-{row.sequence}", "journal": JOURNAL, "stream": "main",
            "sequence": f"{row.sequence:020d}", "type": f"org.tablewarden.tg.table.{row.kind}.v1",
            "recordhash": row.recordhash.hex(), "prevhash": before, "data": dict(row.data), **changes,
        }  # fmt: skip
        payload = json.dumps({name: value for name, value in event.items() if value is not None}).encode()
        messages.append(Delivered(number, "tablewarden/v1/bench/uth-1/evt/main", retained, payload))
    case.evidence.delivered = messages
    return case


def three_facts() -> Case:
    return Case().given("open_table").fact("table_opened", by="flo").fact("odd", n=1).fact("odd", n=2)


def test_deliveries_with_repeats_are_the_record():
    """At least once, in order of first sight."""
    assert delivery(deliver(three_facts(), 1, 2, 1, 2, 3).evidence).state == "held"


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"data": None, "withheld": True, "datahash": "aa"}, "held"),
        ({}, "broken"),
        ({"withheld": True, "datahash": "aa"}, "broken"),
        ({"data": None, "withheld": True, "datahash": "bb"}, "broken"),
    ],
)
def test_a_fact_that_names_cards_is_delivered_by_its_hash_alone(changes, state):
    """With its body, or with another hash, it is not as it should be."""
    case = Case().given("open_table").fact("hand_recorded", cards="As Kd")
    case.evidence.rows[-1] = replace(case.evidence.rows[-1], datahash=b"\xaa")
    assert delivery(deliver(case, 1, **changes).evidence).state == state


@pytest.mark.parametrize(
    ("numbers", "changes", "word"),
    [
        ((1, 3), {}, "missing or out of place"),
        ((2, 1, 3), {}, "missing or out of place"),
        ((1, 2), {}, "3 on record before the stop, 2 delivered"),
        ((1, 2, 3), {"retained": True}, "retained"),
        ((1, 2, 3), {"data": {}}, "otherwise than it is on record"),
        ((1, 2, 3), {"prevhash": "ff"}, "does not follow"),
        ((1, 2, 3), {"type": "org.tablewarden.tg.table.strange.v1"}, "is called"),
    ],
)
def test_a_hole_a_swap_a_change_or_a_broken_chain_is_caught(numbers, changes, word):
    """What a consumer in the back office would have to find out by itself."""
    assert broken(delivery(deliver(three_facts(), *numbers, **changes).evidence), word)


# ---- 7, 9: commands and the lock-out


def opened(case: Case | None = None, act: str = "begin_round", operation: int = 5) -> Case:
    case = (case or Case()).given(act, who="ada", role="dealer")
    if act == "begin_round":
        case.fact("round_begun", round="uth-1-1", number=1)
    wish = {"device": "progressive-1", "level": "lockout", "value": "released", "operation": operation}
    return case.fact("level_wanted", **wish)


def obeyed(case: Case, value: str = "released", operation: int = 5, outcome: str = "executed") -> Case:
    asked = {"level": "lockout", "value": value, "operation": operation}
    return case.did("progressive-1", "command", **asked, outcome=outcome, holds=True)


def test_a_recorded_command_that_was_told_once_is_right():
    """And the safe side, or a text, may be told without a record."""
    case = obeyed(obeyed(opened()), "engaged", 1 << 52)
    assert told(case.evidence).state == "held"
    assert told(shown(case, "Deal").evidence).state == "held", "nor does a record hold texts"
    assert lockout(case.evidence).state == "held"


def test_a_command_that_is_not_on_record_or_told_twice_is_caught():
    """Another operation, another value, the same one twice in a session."""
    assert broken(told(obeyed(opened(), operation=12).evidence), "not on record")
    assert broken(told(obeyed(opened(), "engaged").evidence), "on record as")
    assert broken(told(obeyed(obeyed(opened()), outcome="duplicate").evidence), "twice in one session")


def test_the_links_own_repeats_and_a_new_session_are_no_second_command():
    """A retransmission is answered by the link; after a lost link the same wish may be told again, and is not obeyed again."""
    case = obeyed(opened())
    asked = {"level": "lockout", "value": "released", "operation": 5}
    case.did("progressive-1", "command", **asked, outcome="duplicate", holds=None)
    case.did("progressive-1", "link", state="host_found")
    assert told(obeyed(case, outcome="duplicate").evidence).state == "held"
    assert broken(told(obeyed(case).evidence), "twice")


@pytest.mark.parametrize("act", ["end_round", "announce_no_more_bets", "start_dealing"])
def test_the_lockout_is_released_by_the_acts_for_it_alone(act):
    """Whatever else happens, betting is opened by a person who means it."""
    assert broken(lockout(opened(act=act).evidence), "released follows from", act)


def test_the_lockout_is_not_released_after_no_more_bets():
    """The right act in the wrong phase."""
    case = opened().fact("bets_closed", round="uth-1-1", accepted=[])
    assert broken(lockout(opened(case, "release_lockout", 6).evidence), "no bets were open")


def test_nothing_relies_on_a_lockout_of_unknown_state():
    """Its answer was lost: it is read back before a card is let out."""
    case = opened().fact("level_unknown", "progressive-1", "diag", level="lockout", value="engaged", operation=6)
    case.given("start_dealing").fact("dealing_allowed", by="ada", resumed=False)
    assert broken(told(obeyed(case).evidence), "unknown")
    read = opened().fact("level_unknown", "progressive-1", "diag", level="lockout", value="engaged", operation=6)
    read.fact("levels_read", "progressive-1", "diag", levels={}).given("start_dealing").fact("dealing_allowed")
    assert told(obeyed(read).evidence).state == "held"


def test_a_lockout_that_is_away_is_relied_on_by_nobody():
    """It locks by itself and the base game goes on; from its return on it has to be read again."""
    away = opened().fact("device_offline", "progressive-1", "diag", reason="link_eof")
    away.fact("level_unknown", "progressive-1", "diag", level="lockout", value="engaged", operation=6)
    away.given("start_dealing").fact("dealing_allowed", by="ada", resumed=False)
    assert told(obeyed(away).evidence).state == "held"


class Record:
    """A journal at one instant."""

    def __init__(self, counter: int, *operations: int) -> None:
        self.counter, self.operations = counter, operations

    def last_counter(self, serial: str, boot: str) -> int:
        return self.counter

    def wanted(self, operation: int) -> dict[str, Any] | None:
        return {} if operation in self.operations else None


def test_what_is_not_on_record_at_its_instant_is_caught():
    """An acknowledgement or a release that was there before the row."""
    case = opened()
    see = AtOnce(case.evidence, Record(6, 5)).see  # type: ignore[arg-type]
    see(Line("shoe-1", 1, "acknowledged", {"boot": BOOT, "counter": 6}), "SIM-shoe")
    see(Line("progressive-1", 2, "command", {"level": "lockout", "value": "released", "operation": 5}), "")
    see(Line("progressive-1", 3, "command", {"level": "lockout", "value": "engaged", "operation": 9}), "")
    assert recorded_first(case.evidence).state == "held"
    assert recorded_first(case.evidence).checked == 2
    see(Line("shoe-1", 4, "acknowledged", {"boot": BOOT, "counter": 7}), "SIM-shoe")
    assert broken(recorded_first(case.evidence), "7 was acknowledged with 6")
    see(Line("progressive-1", 5, "command", {"level": "lockout", "value": "released", "operation": 6}), "")
    assert broken(lockout(case.evidence), "before it was on record")


# ---- 8: holds and duties


def held_table(role: str = "floorperson") -> Case:
    case = Case().given("jammed").fact("hold_placed", hold="H1", reason="look", least_role=role)
    return case.fact("duty_opened", duty="D1", action="clear_device", least_role="dealer")


def test_holds_and_duties_end_by_who_may_end_them():
    """A floorperson lifts, a dealer confirms, the device's own proof counts."""
    case = held_table().given("resolve_hold", who="flo", role="floorperson").fact("hold_lifted", hold="H1")
    case.given("cards_removed", "shoe-1").fact("duty_closed", duty="D1", action="clear_device")
    assert alarms(case.given("begin_round").fact("round_begun", round="r", number=2).evidence).state == "held"


def test_play_under_a_hold_is_caught():
    """A restart that forgets a hold would show exactly so."""
    assert broken(alarms(held_table().fact("dealing_allowed").evidence), "H1 was in force")
    lifted = held_table().given("resolve_hold", who="flo", role="floorperson").fact("hold_lifted", hold="H1")
    assert broken(alarms(lifted.fact("round_begun", round="r", number=2).evidence), "D1 open")


def test_a_hold_that_ended_by_the_wrong_hand_is_caught():
    """Too low a role, nobody at all, or something that was never in force."""
    low = held_table("supervisor").given("resolve_hold", who="ada", role="dealer").fact("hold_lifted", hold="H1")
    assert broken(alarms(low.evidence), "dealer is no supervisor")
    assert broken(alarms(held_table().fact("hold_lifted", hold="H1").evidence), "ended by jammed")
    assert broken(
        alarms(held_table().given("resolve_hold").fact("hold_lifted", hold="H9").evidence), "not in force"
    )


def _asked(deed):
    action, _, wager = deed.partition(" ")
    return {"action": action, **({"wager": wager} if wager else {})}


@pytest.mark.parametrize(
    ("demanded", "held"),
    [(["return_all_wagers"], True), (["settle trips", "return_others"], False), (["reshuffle"], False)],
)
def test_what_was_to_be_done_for_a_spared_wager_falls_with_it_and_not_otherwise(demanded, held):
    """A later demand of the document that spares no wager ends the duty; nothing else that happens does."""
    case = (
        Case()
        .given("report_irregularity")
        .fact("duty_opened", duty="D1", action="settle", wager="trips", least_role="dealer")
    )
    case.given("report_irregularity").fact("disposition_made", demands=[_asked(deed) for deed in demanded])
    found = alarms(case.fact("duty_closed", duty="D1", action="settle", wager="trips").evidence)
    assert (found.state == "held") is held


def test_a_promise_nobody_could_test_is_not_called_held():
    """An empty run proves nothing."""
    empty = Case().evidence
    for judged in (
        cards_stay,
        sets_armed,
        citations,
        silence,
        wagers,
        nothing_lost,
        told,
        alarms,
        lockout,
        remedies,
    ):
        assert judged(empty).state == "not_checked", judged
    assert recorded_first(empty).state == "not_checked"
    assert delivery(empty).state == "not_checked"


@pytest.mark.parametrize(("cite", "state"), [([], "held"), (["13"], "broken")])
def test_what_no_document_knows_is_held_and_cites_nothing(cite, state):
    """A clause beside it would be invented; without a hold nobody was asked."""
    case = Case().given("report_irregularity", trigger="something_else", note="a glass fell")
    case.fact("something_else_reported", note="a glass fell").fact("hold_placed", hold="H1", cite=cite)
    assert citations(case.evidence).state == state
    silent = Case().given("report_irregularity", trigger="something_else", note="a glass fell")
    assert citations(silent.evidence).state == "broken"
