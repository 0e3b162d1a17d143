"""docs/adding-a-game.md, done: its blocks go into a copy of the tree, and a round of that game is settled there."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.controller.games.test_adding_a_wager import blocks, copy_of_the_tree, put, settle

DECIDE = (
    "import sys; from controller.cli.main import main; sys.argv = ['tablewarden', 'decide', *sys.argv[1:]]; main()"
)
ROUND: dict[str, Any] = {
    "seats": [
        {"seat": 1, "cards": "Ah Ac 2d", "played": "Ah Ac", "wagers": {"ante": 1000, "bet": 1000}, "decisions": ["bet"]},
        {"seat": 2, "cards": "5h 9c Jd", "wagers": {"ante": 1000}, "decisions": ["fold"]},
        {"seat": 3, "cards": "4h 9d Js", "played": "9d Js", "wagers": {"ante": 500, "bet": 500}, "decisions": ["bet"]},
    ],
    "community": "2c 3d 7h",
}  # fmt: skip
OPEN = {
    "at": 1767225660000000, "subject": "table", "kind": "open_table", "body": {},
    "actor": {"who": "sam", "role": "supervisor"},
}  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with the game of the page, and a rulebook that plays it."""
    tree = copy_of_the_tree(tmp_path_factory.mktemp("game"))
    (plays,) = blocks("adding-a-game.md", "toml")
    books = tree / "config/rulebooks"
    text = (books / "ma-colorado.toml").read_text().replace('"ma-colorado"', '"toy-hold"')
    text = text.replace('plays     = "colorado"\n', plays)
    lines = [line for line in text.splitlines() if not line.startswith('not_with = { value = ["declare"]')]
    (books / "toy-hold.toml").write_text("\n".join(lines) + "\n")
    (books / "clauses/toy-hold.txt").write_text((books / "clauses/ma-colorado.txt").read_text())
    coverage = (books / "clauses/ma-colorado.coverage.toml").read_text()
    (books / "clauses/toy-hold.coverage.toml").write_text(coverage.replace('"ma-colorado"', '"toy-hold"'))
    game, named, settling, settled = blocks("adding-a-game.md", "python")
    (tree / "controller/games/toy_hold.py").write_text(game)
    (tree / "controller/games/settling/toy_hold.py").write_text(settling)
    registry, engine = tree / "controller/games/registry.py", tree / "controller/games/settling/engine.py"
    put(registry, "from controller.games.ultimate import", named)
    put(registry, ")}\n", ", TOY_HOLD")
    put(engine, "from controller.games.settling.ultimate import", settled)
    put(engine, '    "fast_action": FastAction,\n', '    "toy_hold": ToyHold,\n')
    return tree


def test_a_round_of_the_game_of_the_page_is_settled(tree: Path) -> None:
    """Aces pay even money, a fold loses, a hand without a pair loses."""
    (answer,) = settle(tree, "toy-hold", ROUND)
    lines = [(x["seat"], x["wager"], x["outcome"], x["paid"]) for x in answer["settlement"]["lines"]]
    assert lines == [
        (1, "ante", "win", 1000), (1, "bet", "win", 1000), (2, "ante", "lose", 0),
        (3, "ante", "lose", 0), (3, "bet", "lose", 0),
    ]  # fmt: skip


def test_a_table_with_the_game_of_the_page_opens(tree: Path) -> None:
    """Rulebook and stages fit each other, so that the core takes the act that opens the table."""
    done = subprocess.run(
        [sys.executable, "-c", DECIDE, "--rulebook", "toy-hold"], cwd=tree, env={"PYTHONPATH": str(tree)},
        input=json.dumps(OPEN) + "\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
    assert "table_opened" in kinds
    assert "input_refused" not in kinds
