"""`tablewarden settle` as people type it, and docs/settle.md run as it stands."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from controller.filters.settle_schema import input_schema, output_schema
from controller.rules.elections import proposals
from controller.rules.read.library import find

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "settle.md").read_text()
EXAMPLES = re.findall(r"^```json example (\S+)$", PAGE, re.MULTILINE)
FLUSH = (ROOT / "docs" / "examples" / "settle-ma-uth.jsonl").read_text()


def _settle(given: str, *words: str) -> Result:
    return CliRunner().invoke(cli, ["settle", *words], input=given)


def _lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def _block(label: str) -> str:
    found = re.search(rf"^```json {label}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found, label
    return found[1]


def _shows(page: Any, real: Any) -> bool:
    """True where the page says nothing that is not so; keys may be left out on it, items of a list may not."""
    match page, real:
        case dict(), dict():
            return all(key in real and _shows(value, real[key]) for key, value in page.items())
        case list(), list():
            return len(page) == len(real) and all(map(_shows, page, real))
        case _:
            return bool(page == real)


@pytest.mark.parametrize("rulebook", EXAMPLES)
def test_the_worked_rounds_of_the_page_are_what_comes_out(rulebook: str) -> None:
    """Line for line, and both sides keep to their schemas."""
    given = (ROOT / "docs" / "examples" / f"settle-{rulebook}.jsonl").read_text()
    result = _settle(given, "--rulebook", rulebook)
    assert result.exit_code == 0, result.output
    page, real = [json.loads(line) for line in _block(f"example {rulebook}").splitlines()], _lines(result)
    assert len(page) == len(real)
    for shown, settled in zip(page, real, strict=True):
        assert _shows(shown, settled), f"{shown}\nis not\n{settled}"
        jsonschema.validate(settled, output_schema())
    for line in given.splitlines():
        jsonschema.validate(json.loads(line), input_schema())


def test_a_bad_line_is_answered_with_its_cause_and_the_next_one_is_settled() -> None:
    """The page's errors word for word, then a good round; the exit code says that some were bad."""
    result = _settle(_block("in ma-uth") + "\n" + FLUSH, "--rulebook", "ma-uth")
    page = [json.loads(line) for line in _block("out ma-uth").splitlines()]
    assert result.exit_code == 1
    assert _lines(result)[:-1] == page
    assert _lines(result)[-1]["settlement"]["round"] == "1207"
    for line in page:
        jsonschema.validate(line, output_schema())


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("[]", 'a line is an object such as {"seats": [{"seat": 1, "wagers": {"ante": 1000}}]}'),
        ('{"seats": [], "dealers": "Kc"}', "a line has no 'dealers' (nearest: dealer)"),
        ('{"seats": [{"seat": 1}]}', "seats needs 'wagers'"),
        ('{"seats": [{"seat": 1, "wagers": {"ante": 10.5}}]}', "'seats[0].wagers[...]': expected int, got float"),
        (
            '{"seats": [{"seat": 1, "wagers": {}, "decisions": ["raise"]}]}',
            "'seats.decisions' is 'raise' ",
        ),
        (
            '{"seats": [], "meters": {"major": {"cents": 1, "rset": 1}}}',
            "meters.major has no 'rset' (nearest: reset)",
        ),
        (
            '{"seats": [], "irregularity": {"trigger": "jam"}}',
            "'irregularity.trigger' is 'jam' (nearest: shoe_jam)",
        ),
    ],
)
def test_a_line_that_is_no_round_is_refused_with_what_would_be(line: str, error: str) -> None:
    """Unknown keys and words, wrong types and parts of a cent are named with their place."""
    result = _settle(line, "--rulebook", "ma-uth")
    assert result.exit_code == 1
    assert _lines(result)[0]["error"].startswith(error)


def test_one_round_may_be_laid_out_over_several_lines() -> None:
    """As people keep it in a file; what is no JSON as a whole either is answered line by line."""
    laid_out = json.dumps(json.loads(FLUSH), indent=2)
    assert _lines(_settle(laid_out, "--rulebook", "ma-uth")) == _lines(_settle(FLUSH, "--rulebook", "ma-uth"))
    broken = _settle('{"seats": [\n' + FLUSH, "--rulebook", "ma-uth")
    bad, good = _lines(broken)
    assert bad["error"].startswith("not a line of JSON")
    assert (good["line"], good["settlement"]["round"]) == (2, "1207")


def test_a_correction_stands_beside_the_settlement_that_it_corrects() -> None:
    """The changes say for each wager what was handed back, what it should have been, and what is owed."""
    first = _lines(_settle(FLUSH, "--rulebook", "ma-uth"))[0]["settlement"]
    corrected = json.loads(FLUSH.replace("Ah 9c", "Ac 9c")) | {"corrects": first}
    (line,) = _lines(_settle(json.dumps(corrected), "--rulebook", "ma-uth"))
    assert line["changes"] == [
        {"seat": 6, "wager": "ante", "before": 5000, "now": 0, "owed": -5000, "was": "win", "became": "lose"},
        {"seat": 6, "wager": "blind", "before": 6250, "now": 0, "owed": -6250, "was": "win", "became": "lose"},
        {"seat": 6, "wager": "play", "before": 10000, "now": 0, "owed": -10000, "was": "win", "became": "lose"},
        {"seat": 6, "wager": "trips", "before": 4000, "now": 0, "owed": -4000, "was": "win", "became": "lose"},
    ]
    jsonschema.validate(line, output_schema())
    jsonschema.validate(corrected, input_schema())


def test_a_correction_of_another_round_is_refused() -> None:
    """A settlement is compared with one of the same round under the same document alone."""
    first = _lines(_settle(FLUSH, "--rulebook", "ma-uth"))[0]["settlement"]
    other = json.loads(FLUSH) | {"id": "1208", "corrects": first}
    (line,) = _lines(_settle(json.dumps(other), "--rulebook", "ma-uth"))
    assert line["error"] == "'corrects' is round '1207' under ma-uth, and this is round '1208' under ma-uth"


def test_a_table_file_gives_elections_and_currency(tmp_path: Path) -> None:
    """What was elected decides, and nothing is said of cautious readings."""
    table = (ROOT / "config" / "tables" / "example-ma.toml").read_text()
    file = tmp_path / "table.toml"
    file.write_text(
        table.replace('trips_table = { choice = "A"', 'trips_table = { choice = "B"').replace(
            "seats = 6", 'seats = 6\ncurrency = "CAD"'
        )
    )
    result = _settle(FLUSH, "--rulebook", "ma-uth", "--elections", str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    posted = tmp_path / "posted.toml"
    posted.write_text(file.read_text().replace("ante  = { least = 500,", "ante  = { least = 5000,"))
    below = _lines(_settle(FLUSH, "--rulebook", "ma-uth", "--elections", str(posted)))[0]
    assert below["error"] == "seat 2, ante: is 1000 cents, below the least wager of 5000 [1, 6(b)]"
    settlement = _lines(result)[0]["settlement"]
    assert settlement["currency"] == "CAD"
    assert next(line["pays"] for line in settlement["lines"] if line["wager"] == "trips") == "6 to 1"


def test_without_an_election_its_wager_is_refused(tmp_path: Path) -> None:
    """A pay table that nobody elected settles nothing; rounds without that wager are settled all the same."""
    file = _elections(tmp_path, without=("trips_table",))
    without = json.loads(FLUSH)
    del without["seats"][1]["wagers"]["trips"]
    result = _settle(FLUSH + json.dumps(without), "--rulebook", "ma-uth", "--elections", str(file))
    refused, settled = _lines(result)
    assert refused["error"] == "seat 6, trips: no pay table is elected: trips_table is one of A, B, C, D [11(d)]"
    assert len(settled["settlement"]["lines"]) == 6


def test_without_what_every_round_needs_nothing_is_settled(tmp_path: Path) -> None:
    """Nothing is elected by silence: each reading on payment that is missing is named with its choices."""
    file = _elections(tmp_path, without=("R-98", "R-107", "R-01"))
    result = _settle(FLUSH, "--rulebook", "ma-uth", "--elections", str(file))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "refused for 2 fault(s)" in result.stderr
    assert "R-98: nobody has elected it (choices: winnings, handed_back)" in result.stderr
    assert "R-107: nobody has elected it (choices: up, down)" in result.stderr


def _elections(folder: Path, without: tuple[str, ...]) -> Path:
    chosen = {id_: choice for id_, choice in proposals(find("ma-uth")).items() if id_ not in without}
    file = folder / "elections.toml"
    file.write_text(
        "[elections]\n" + "".join(f'"{id_}" = {{ choice = "{c}", by = "J. Doe" }}\n' for id_, c in chosen.items())
    )
    return file


@pytest.mark.parametrize(("which", "made"), [("input", input_schema), ("output", output_schema)])
def test_the_printed_schema_is_the_kept_one(which: str, made: Any) -> None:
    """What the command prints, what the code makes and what lies in docs/schema are one."""
    printed = json.loads(_settle("", "--schema", which).stdout)
    assert printed == made() == json.loads((ROOT / "docs" / "schema" / f"settle-{which}.json").read_text())


ONE = {"id": "1", "dealer": "Kc Qd", "community": "Kh 7c 7h 5s 2d"}
SEAT = {"seat": 1, "cards": "Ks Ad", "wagers": {"ante": 1000, "blind": 1000, "play": 3000}, "decisions": ["play"]}
REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    # changes to the round, changes to the seat, what is answered
    ({"terms": {"least": {"ante": 1500}}}, {}, "seat 1, ante: is 1000 cents, below the least wager of 1500 [1, 6(b)]"),
    ({"terms": {"most": {"play": 2500}}}, {}, "seat 1, play: is 3000 cents, above the most wager of 2500"),
    ({"terms": {"least": {"antes": 1500}}}, {}, "antes: the terms name no known wager (nearest: ante)"),
    ({"terms": {"unit": 0}}, {}, "the least unit that is paid is 0 cents, and must be from 1 to 10000000000000"),
    ({}, {"seat": 7}, "seat 7: there are seats 1 to 6"),
    ({}, {"cards": "Ks"}, "seat 1 has 1 cards, and a hand has 2; report the irregularity [7(d)(1), "),
    ({"community": "Kh 7c 7h 5s"}, {}, "the community has 4 cards, and a hand has 5; report the irregularity [10(b), "),
    ({"dealer": ""}, {}, "the dealer has 0 cards, and a hand has 2; report the irregularity [7(d)(2), "),
    ({}, {"wagers": {"ante": 1000, "play": 3000}}, "seat 1, blind: is not placed, and nobody is dealt in without it [1, 6(b)]"),
    ({}, {"wagers": {"ante": -5, "blind": -5}}, "seat 1, ante: is -5 cents; a wager is from 0 to 10000000000000"),
    ({}, {"wagers": SEAT["wagers"] | {"tripps": 5}}, "seat 1, tripps: the document knows no such wager (nearest: trips)"),
    ({}, {"decisions": []}, "seat 1: has not answered in pre_flop (one of check, play)"),
    ({}, {"decisions": ["play", "play"]}, "seat 1: play comes after the player's last answer"),
    ({}, {"decisions": ["check", "check", "fold"]}, "seat 1, play: is there, and no answer of the player places it ["),
    ({}, {"wagers": {"ante": 1000, "blind": 1000}}, "seat 1, play: the player placed it, and its amount is missing [10(a)]"),
    ({}, {"decisions": ["check", "play"]}, "seat 1, play: is 3000 cents, and must be 2 times the ante of 1000 [10(c)]"),
    ({"irregularity": {"trigger": "shoe_jam", "state": ["several"]}}, {},
     "several is no condition of shoe_jam (it has: round_live, bets_open, none_left_to_deal, self_cleared)"),
    ({"irregularity": {"trigger": "wrong_count_player"}}, {},
     "say at which seat it happened: wrong_count_player concerns one [15(d)]"),
    ({"irregularity": {"trigger": "wrong_count_player", "seat": 3}}, {},
     "seat 3: what happened there concerns a seat that is not in this round"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "of_seat", "error"), REFUSED, ids=[case[2][:40] for case in REFUSED])
def test_a_round_that_cannot_be_is_refused_with_seat_wager_and_clause(
    changes: dict[str, Any], of_seat: dict[str, Any], error: str
) -> None:
    """What was given, what is allowed, and where it stands: enough to mend the line at once."""
    line = ONE | changes | {"seats": [SEAT | of_seat]}
    result = _settle(json.dumps(line), "--rulebook", "ma-uth")
    assert result.exit_code == 1
    assert _lines(result)[0]["error"].startswith(error)


def test_an_unfit_card_may_be_found_at_a_seat_that_nobody_plays() -> None:
    """No wager hangs on where it was found: the whole round is held, as the reading has it."""
    line = ONE | {"seats": [SEAT], "irregularity": {"trigger": "unfit_card", "seat": 2}}
    result = _settle(json.dumps(line), "--rulebook", "ma-uth")
    assert result.exit_code == 0, result.output
    assert {told["outcome"] for told in _lines(result)[0]["settlement"]["lines"]} == {"held"}


def test_a_wager_at_its_very_limits_is_taken() -> None:
    """The least and the most are allowed themselves."""
    line = ONE | {"terms": {"least": {"ante": 1000}, "most": {"play": 3000}}, "seats": [SEAT]}
    assert _settle(json.dumps(line), "--rulebook", "ma-uth").exit_code == 0


def test_a_seat_stands_once_and_a_round_has_one() -> None:
    """A second hand at one seat, and a round without any, are slips of whoever wrote the line."""
    twice = json.dumps(ONE | {"seats": [SEAT, SEAT | {"cards": "2c 3c"}]})
    nobody = json.dumps(ONE | {"seats": []})
    first, second = _lines(_settle(f"{twice}\n{nobody}", "--rulebook", "ma-uth"))
    assert first["error"] == "seat 1: stands twice in this round"
    assert second["error"] == "no seat is in this round"


def test_a_void_round_needs_no_meter() -> None:
    """The progressive goes back; where it would be paid from a meter that is not told, the line is refused."""
    seat = {"seat": 1, "cards": "Ah Kh", "wagers": {"ante": 1000, "blind": 1000, "progressive": 500}}
    void = {"seats": [seat], "irregularity": {"trigger": "card_face_up", "state": ["several"]}}
    (line,) = _lines(_settle(json.dumps(void), "--rulebook", "md-uth"))
    assert {each["outcome"] for each in line["settlement"]["lines"]} == {"void"}
    answered = seat | {"decisions": ["play"], "wagers": seat["wagers"] | {"play": 4000}}
    played = {
        "seats": [answered],
        "community": "Qh Jh Th 2c 3d", "dealer": "7s 8s", "irregularity": {"trigger": "card_drawn_unexposed"},
    }  # fmt: skip
    (line,) = _lines(_settle(json.dumps(played), "--rulebook", "md-uth"))
    assert (
        line["error"]
        == "seat 1, progressive: `meters` has no 'meter', from which the elected table pays [12.D(1)(a)(i)]"
    )


def test_payouts_of_a_table_hold_for_its_rounds(tmp_path: Path) -> None:
    """The file of a table that pays in whole units of 1.00: a flush on a blind of 10.10 wins 16.00 at 3 to 2, not 15.15."""
    text = (ROOT / "config" / "tables" / "example.toml").read_text()
    seat = SEAT | {"cards": "7h 3h", "wagers": {"ante": 1010, "blind": 1010, "play": 1010}}
    seat["decisions"] = ["check", "check", "play"]
    given = json.dumps({"community": "Ah Kh 8h 4c 2d", "dealer": "Ks 9d", "seats": [seat]})
    paid = []
    for unit in (1, 100):
        path = tmp_path / "table.toml"
        path.write_text(text.replace("unit_cents = 1 ", f"unit_cents = {unit} "))
        (line,) = _lines(_settle(given, "--rulebook", "md-uth", "--elections", str(path)))
        paid += [x["paid"] for x in line["settlement"]["lines"] if x["wager"] == "blind"]
    assert paid == [1515, 1600]


@pytest.mark.parametrize(
    ("rulebook", "wagers", "decisions", "error"),
    [
        ("nj-pikit", {"ante": 1000, "five_card_bonus": 1000, "play_3": 1000, "play_5": 1000}, ["play_3"],
         "seat 1, play_3: excludes play_5, which is placed too ["),
        ("ma-colorado", {"ante": 1000, "bonus": 200, "bet": 1000}, ["bet"],
         "seat 1, bonus: is 200 cents, and can only be 100 ["),
    ],
)  # fmt: skip
def test_wagers_that_cannot_lie_together_or_be_so_much_are_refused(
    rulebook: str, wagers: dict[str, int], decisions: list[str], error: str
) -> None:
    """One play beside the ante, and a bonus of exactly one. Clause: nj-pikit 39.10(c), ma-colorado 6a(a)."""
    line = {"seats": [{"seat": 1, "wagers": wagers, "decisions": decisions}]}
    (answer,) = _lines(_settle(json.dumps(line), "--rulebook", rulebook))
    assert answer["error"].startswith(error)


def test_limits_of_a_wager_that_the_document_has_not_are_told_once(tmp_path: Path) -> None:
    """Before the first line, with the file and the nearest name; no line is answered."""
    table = tmp_path / "table.toml"
    table.write_text(
        (ROOT / "config" / "tables" / "example-ma.toml").read_text().replace("\ntrips = {", "\ntrip = {")
    )
    result = _settle(FLUSH, "--rulebook", "ma-uth", "--elections", str(table))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{table}" in result.stderr
    assert "[limits] trip: ma-uth has no such wager (nearest: trips)" in result.stderr
