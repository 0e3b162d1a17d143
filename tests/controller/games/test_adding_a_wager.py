"""docs/adding-a-wager.md, done: its blocks go into a copy of the tree, and the wager of the page is settled there."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SETTLE = (
    "import sys; from controller.cli.main import main; sys.argv = ['tablewarden', 'settle', *sys.argv[1:]]; main()"
)
ROUND: dict[str, Any] = {
    "seats": [
        {
            "seat": 1,
            "cards": "Ah Ac",
            "wagers": {"ante": 1000, "blind": 1000, "lucky_two": 500, "play": 4000},
            "decisions": ["play"],
        },
    ],
    "dealer": "Kd Qd",
    "community": "2c 3d 7h 9s Jc",
}


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in docs/ that are marked with this language, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.M | re.S)


def put(path: Path, anchor: str, text: str) -> None:
    """Puts a block into a file before the one place where the anchor stands."""
    source = path.read_text()
    assert source.count(anchor) == 1, f"{anchor!r} stands {source.count(anchor)} times in {path.name}"
    path.write_text(source.replace(anchor, text + anchor))


def copy_of_the_tree(to: Path) -> Path:
    """A copy of the product in which a page's steps can be carried out."""
    for room in ("controller", "drivers", "config"):
        shutil.copytree(ROOT / room, to / room, ignore=shutil.ignore_patterns("__pycache__"))
    return to


def settle(tree: Path, rulebook: str, *rounds: dict[str, Any]) -> list[dict[str, Any]]:
    """What `tablewarden settle` of that tree answers, a line for each round."""
    lines = "".join(json.dumps(each) + "\n" for each in rounds)
    command = [sys.executable, "-c", SETTLE, "--rulebook", rulebook]
    done = subprocess.run(
        command, cwd=tree, env={"PYTHONPATH": str(tree)}, input=lines, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with the wager of the page."""
    tree = copy_of_the_tree(tmp_path_factory.mktemp("wager"))
    wager, pays, step = blocks("adding-a-wager.md", "toml")
    book, side = tree / "config/rulebooks/ma-uth.toml", tree / "controller/games/settling/side.py"
    put(book, '[[wager]]\nname        = "progressive"', wager + "\n")
    book.write_text(
        re.sub(r'^  \{ wagers = \["trips", "progressive"\].*\n', step, book.read_text(), flags=re.M) + "\n" + pays
    )
    known, method = blocks("adding-a-wager.md", "python")
    put(side, '            "bad_beat": self._bad_beat,\n', known)
    put(side, "    def _pairs(self", method + "\n")
    return tree


def _line(answer: dict[str, Any]) -> dict[str, Any]:
    (line,) = [each for each in answer["settlement"]["lines"] if each["wager"] == "lucky_two"]
    return dict(line)


def test_the_wager_of_the_page_is_paid_as_the_page_says(tree: Path) -> None:
    """A pair of aces wins 25 to 1; a card that was not read holds the wager; without a pair it loses."""
    unread = json.loads(json.dumps(ROUND).replace("Ah Ac", "?? Ac"))
    no_pair = json.loads(json.dumps(ROUND).replace("Ah Ac", "Ah 4c"))
    paid, held, lost = (_line(answer) for answer in settle(tree, "ma-uth", ROUND, unread, no_pair))
    (shown,) = re.findall(r'^\{"seat".*\}$', (ROOT / "docs/adding-a-wager.md").read_text(), re.M)
    assert paid == json.loads(shown)
    assert (held["outcome"], lost["outcome"]) == ("held", "lose")


def test_the_wager_of_the_page_is_refused_with_another_amount(tree: Path) -> None:
    """The page says 5.00 exactly, and never without Ante and Blind."""
    wrong = json.loads(json.dumps(ROUND).replace('"lucky_two": 500', '"lucky_two": 600'))
    done = subprocess.run(
        [sys.executable, "-c", SETTLE, "--rulebook", "ma-uth"], cwd=tree, env={"PYTHONPATH": str(tree)},
        input=json.dumps(wrong) + "\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "lucky_two" in json.loads(done.stdout)["error"]
