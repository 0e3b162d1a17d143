"""docs/control.md says what the code does: its requests are read, its codes are all there are."""

import json
import re
from pathlib import Path

from controller.control.desk import ErrorCode
from controller.control.wire import REQUESTS, STREAMS, request_from

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "control.md").read_text()


def test_every_request_of_the_document_is_read_and_every_kind_is_shown() -> None:
    """A reader who copies one gets an answer."""
    lines = re.findall(r"^\| `(\{.*?\})` \|", TEXT, re.MULTILINE)
    read = {type(request_from(line.encode())[1]) for line in lines}
    assert read == set(REQUESTS.values())
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_the_codes_and_streams_of_the_document_are_those_of_the_code() -> None:
    """None is missing, none is invented."""
    assert set(re.findall(r"^\| `(\w+)` \| ", TEXT, re.MULTILINE)) == {code.value for code in ErrorCode} | {
        "round",
        "held",
    } | (
        {
            "alarms",
            "disputes",
            "duties",
            "sets",
            "devices",
            "wagers",
            "keeps_set",
            "marks",
            "next_act",
            "offer",
            "announce",
            "last_round",
            "record",
            "broker",
            "to_elect",
        }
    )
    assert all(f"`{stream}` (" in TEXT for stream in STREAMS)
