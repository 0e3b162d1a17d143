"""Each fact that somebody on call must know gives one line, with its clause; a warning where a person must act."""

import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest
import structlog

from controller.daemon.story import LEVELS, OF_LINK, line_of, tell
from controller.rules.vocabulary import Action, Role
from controller.table.words.back_office_news import BACK_OFFICE_NEWS
from controller.table.words.codec import decode_fact
from controller.table.words.facts import CONCLUSIONS, DutyOpened, Fact, HoldPlaced, RoundVoided
from controller.table.words.link_news import LINK_NEWS
from drivers.events import LINK_EVENTS, DeviceOffline
from drivers.protocol.reports import REPORTS
from tests.kept.days import FOLDER, read


def line(event: msgspec.Struct, subject: str = "table") -> tuple[str, str, dict]:
    found = line_of(Fact(subject, event), "r7")
    assert found is not None
    return found


def test_a_hold_is_a_warning_with_its_clause_and_who_decides() -> None:
    level, event, fields = line(HoldPlaced("h1", "the shoe jammed", Role.FLOORPERSON, cite=("13.I", "13.J")))
    assert (level, event) == ("warning", "hold_placed")
    assert fields == {
        "round": "r7", "clause": "13.I, 13.J", "hold": "h1", "reason": "the shoe jammed", "choices": "go_on, void",
        "least_role": "floorperson",
    }  # fmt: skip


def test_a_void_and_a_duty_name_round_and_device() -> None:
    assert line(RoundVoided("r8", ("13.I",)))[2] == {"round": "r8", "clause": "13.I"}
    assert line(DutyOpened("d1", Action.COLLECT, Role.DEALER, device="shoe-1"))[2]["device"] == "shoe-1"


def test_a_lost_link_is_told_by_its_device() -> None:
    level, event, fields = line(DeviceOffline("link_eof", "gone"), "shoe-1")
    assert (level, event, fields["device"], fields["reason"]) == (
        "warning",
        "device_offline",
        "shoe-1",
        "link_eof",
    )


def test_a_card_inside_a_text_is_withheld() -> None:
    assert line(HoldPlaced("h1", "the 10h came twice, Qs too", Role.DEALER))[2]["reason"] == (
        "the [withheld] came twice, [withheld] too"
    )


def test_table_round_device_and_clause_are_bound_for_the_line_alone() -> None:
    seen = []
    tell(
        [Fact("table", RoundVoided("r8", ("13.I",)))],
        write=lambda level, event: seen.append((level, event, dict(structlog.contextvars.get_contextvars()))),
    )
    assert seen == [("warning", "round_voided", {"round": "r8", "clause": "13.I"})]
    assert "round" not in structlog.contextvars.get_contextvars()


def test_each_kind_is_one_that_there_is() -> None:
    assert set(LEVELS) <= {*CONCLUSIONS, *LINK_EVENTS, *REPORTS}
    assert set(OF_LINK) <= {*LINK_NEWS, *BACK_OFFICE_NEWS}


DAYS = [path for path in sorted(FOLDER.glob("*.jsonl.gz")) if re.search(r"-1\.", path.name)]
CITED = ("disposition_made", "duty_opened", "hold_placed", "round_voided", "hand_voided")
CARDS = re.compile(r"(?<!\w)(?:10|[2-9TJQKA])[cdhs](?!\w)")


@pytest.mark.parametrize("path", DAYS, ids=lambda path: path.name.partition(".")[0])
def test_a_day_with_incidents_is_told_line_by_line_with_its_clauses_and_without_a_card(path: Path) -> None:
    """Whole days of tables on which everything goes wrong: holds, dispositions, voids, duties, alarms, refused acts."""
    seen: Counter[str] = Counter()
    for told in (fact for row in read(path)[1] for fact in row["facts"]):
        if told["kind"] not in LEVELS:
            continue
        fact = decode_fact(told["kind"], told["subject"], msgspec.json.encode(told["data"]))
        found = line_of(fact, "r7")
        if found is None:
            continue
        level, kind, fields = found
        seen[kind] += 1
        text = " ".join(map(str, fields.values()))
        assert not CARDS.search(text), text
        if kind in CITED:
            assert level == "warning"
            cited = getattr(fact.event, "cite", ())
            assert fields.get("clause", "") == ", ".join(cited)
            assert cited or fields.get("reading") or fields.get("reason") or fields.get("do"), (kind, fields)
    assert {"disposition_made", "hold_placed", "duty_opened", "input_refused"} <= set(seen)
