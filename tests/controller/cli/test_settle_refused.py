"""What `settle` refuses of a line because it could not count, and of a table's file that was not signed so."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from controller.rules.read.library import find

ROOT = Path(__file__).resolve().parents[3]
RULEBOOKS = ("ma-uth", "md-uth", "nj-pikit", "ma-colorado", "fast-action")
MOST = 10_000_000_000_000


def _run(command: str, given: str, *words: str) -> Result:
    return CliRunner().invoke(cli, [command, *words], input=given)


def _settle(line: dict[str, Any], rulebook: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(_run("settle", json.dumps(line), "--rulebook", rulebook).stdout)
    return answer


def _example(rulebook: str) -> dict[str, Any]:
    line: dict[str, Any] = json.loads((ROOT / "docs" / "examples" / f"settle-{rulebook}.jsonl").read_text())
    return line


USED = {  # keys that a line of each document may have, beside those that each has
    "ma-uth": {"dealer", "community", "meters"}, "md-uth": {"dealer", "community", "box", "meters"},
    "nj-pikit": {"dealer", "shown"}, "ma-colorado": {"community", "played"},
    "fast-action": {"dealer", "community", "dealer_played", "played"},
}  # fmt: skip
KEYS = ("dealer", "community", "box", "dealer_played", "meters", "played", "shown")


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_key_that_the_game_has_no_use_for_is_refused(rulebook: str, key: str, whole: bool) -> None:
    """It is named with its place and why, in a round that was played and in one in which something happened."""
    line = _example(rulebook)
    line.pop("meters", None)
    value: Any = {"jackpot": {"cents": 1, "reset": 1}} if key == "meters" else "2c 2d"
    if not whole:
        line["irregularity"] = {"trigger": "round_unproven"}
    where = line["seats"][0] if key in ("played", "shown") else line
    where[key] = value
    error = _settle(line, rulebook).get("error", "")
    if key == "meters":
        assert error.startswith("'meters' has 'jackpot', from which no wager is paid as elected")
    elif key in USED[rulebook]:
        assert "has no use" not in error
    else:
        place = f"seat {where['seat']}: " if key in ("played", "shown") else ""
        assert error.startswith(f"{place}'{key}' has no use in {rulebook}, where ")
        assert error.endswith("; leave it out")


TERMS: list[tuple[dict[str, Any], str]] = [
    ({"currency": "usd"}, "'terms.currency' is 'usd', and must be three capital letters such as USD"),
    ({"currency": "$$$"}, "'terms.currency' is '$$$', and must be three capital letters such as USD"),
    ({"payout_limit": -1}, f"the payout limit is -1 cents, and must be from 1 to {MOST}"),
    ({"payout_limit": 0}, f"the payout limit is 0 cents, and must be from 1 to {MOST}"),
    ({"payout_limit": 6_000_000}, "the payout limit is 6000000 cents, and none of the house's own is elected"),
    ({"least": {"ante": -500}}, f"ante: its least is -500 cents, and must be from 0 to {MOST}"),
    ({"most": {"ante": MOST + 1}}, f"ante: its most is {MOST + 1} cents, and must be from 0 to {MOST}"),
    ({"least": {"ante": 500}, "most": {"ante": 400}}, "ante: its least is 500 cents, and more than its most of 400"),
]  # fmt: skip


@pytest.mark.parametrize(("terms", "error"), TERMS, ids=[error[:40] for _, error in TERMS])
def test_terms_that_cannot_be_are_refused_with_what_can(terms: dict[str, Any], error: str) -> None:
    """The key and what would be allowed."""
    code = "text_unfit" if "currency" in error else "round_unfit"
    assert _settle(_example("ma-uth") | {"terms": terms}, "ma-uth") == {"line": 1, "error": error, "code": code}


def _corrected(rulebook: str, **changes: Any) -> dict[str, Any]:
    line = _example(rulebook)
    first = _settle(line, rulebook)["settlement"]
    return _settle(line | {"corrects": first | changes}, rulebook)


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_correction_that_changes_nothing_says_so(rulebook: str) -> None:
    """With an empty list, as its schema has it; envy, coupons and cuts compare with themselves."""
    assert _corrected(rulebook)["changes"] == []


def test_a_settlement_that_cannot_have_been_is_not_corrected() -> None:
    """Another currency, a wager twice or none at all, and less than nothing."""
    lines = _settle(_example("ma-uth"), "ma-uth")["settlement"]["lines"]
    nameless, less = {**lines[0], "wager": ""}, {**lines[0], "paid": -1}
    place = "'corrects.lines', seat 6, wager"
    assert _corrected("ma-uth", currency="CAD")["error"] == "'corrects' is in 'CAD', and this round is in 'USD'"
    twice = _corrected("ma-uth", lines=[*lines, lines[0]])["error"]
    assert twice == f"{place} 'ante': stands there twice, and each wager has one line"
    assert _corrected("ma-uth", lines=[nameless])["error"].startswith(f"{place} '': there is no such wager (")
    assert _corrected("ma-uth", lines=[less])["error"] == f"{place} 'ante': no amount is below 0 cents"
    cut = {"seat": 6, "limit": 5, "before": 6, "cut": -1, "wagers": ["ante"], "cite": []}
    assert (
        _corrected("ma-uth", cuts=[cut])["error"]
        == "'corrects.cuts', seat 6: a limit takes off 0 to 9007199254740991 cents, not -1"
    )


@pytest.mark.parametrize("command", ["settle", "decide"])
def test_a_key_that_stands_twice_is_refused_by_its_name(command: str) -> None:
    """The last one would have counted, and whoever reads the line may take the first."""
    lines = {
        "settle": '{"seats": [{"seat": 1, "wagers": {"ante": 1000, "blind": 1000, "ante": 500}}]}',
        "decide": '{"at": 0, "subject": "table", "kind": "open_table", "body": {}, "at": 1}',
    }
    key = {"settle": "ante", "decide": "at"}[command]
    result = _run(command, lines[command], "--rulebook", "ma-uth")
    assert (result.exit_code, json.loads(result.stdout)) == (
        1, {"line": 1, "error": f"'{key}' stands twice in one object; say it once", "code": "key_twice"},
    )  # fmt: skip


def _table(folder: Path, **changes: str) -> Path:
    """The file of the Massachusetts example, with keys of its [table] added or changed."""
    text = (ROOT / "config" / "tables" / "example-ma.toml").read_text()
    for key, value in changes.items():
        text = text.replace('rulebook = "ma-uth"', f'rulebook = "{value}"') if key == "rulebook" else text.replace(
            "seats = 6", f'seats = 6\n{key} = "{value}"'
        )  # fmt: skip
    file = folder / "table.toml"
    file.write_text(text)
    return file


@pytest.mark.parametrize("command", ["settle", "decide"])
def test_a_rulebook_that_was_changed_since_it_was_signed_decides_nothing(command: str, tmp_path: Path) -> None:
    """As `check` and `run` have it: the file names the hash by which it was elected."""
    words = ("--rulebook", "ma-uth", "--elections")
    given = "" if command == "decide" else json.dumps(_example("ma-uth"))
    right = _table(tmp_path, rulebook_sha256=find("ma-uth").sha256[:16])
    assert _run(command, given, *words, str(right)).exit_code == 0
    wrong = _run(command, given, *words, str(_table(tmp_path, rulebook_sha256="0" * 64)))
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "[table] rulebook_sha256: ma-uth edition" in wrong.stderr
    assert "was changed after it was signed" in wrong.stderr


@pytest.mark.parametrize("command", ["settle", "decide"])
def test_elections_of_another_document_are_no_answers(command: str, tmp_path: Path) -> None:
    """They name the same readings, and mean other ones."""
    other = _run(command, "", "--rulebook", "ma-uth", "--elections", str(_table(tmp_path, rulebook="md-uth")))
    assert (other.exit_code, other.stdout) == (2, "")
    assert (
        "[table] rulebook: is md-uth, and its elections are no answers to ma-uth; give --rulebook md-uth"
        in " ".join(other.stderr.split())
    )


def test_a_table_has_its_money_in_a_currency(tmp_path: Path) -> None:
    """As `check` has it."""
    result = _run("settle", "", "--rulebook", "ma-uth", "--elections", str(_table(tmp_path, currency="usd")))
    assert result.exit_code == 2
    assert "[table] currency: must match [A-Z]{3}, not 'usd'" in result.stderr


def test_an_argument_of_an_act_that_is_given_twice_is_refused() -> None:
    """Before anything is asked of the daemon."""
    words = [
        "act",
        "place_wager",
        "seat=1",
        "wager=ante",
        "cents=1000",
        "cents=2000",
        "--who",
        "ada",
        "--role",
        "dealer",
    ]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert "'cents' is given twice; say it once" in result.stderr
