"""The package's scripts, and what this version adds to the rulebooks: asked of every table before a file is unpacked."""

import json
from pathlib import Path
from typing import Any

from controller.rules.explain.questions import makers_choice
from controller.rules.model import HouseChoice
from controller.rules.read.library import available, find

HERE = Path(__file__).resolve().parent
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")


def added() -> dict[str, Any]:
    """Returns of each rulebook its hash, and the questions added to it that keep a table closed."""
    found: dict[str, Any] = {}
    for name in available():
        book = find(name)
        asked = [
            {
                "id": q.id, "since": q.since, "wager": q.wager, "problem": q.problem,
                "choices": [f"{c.id}{' (cautious)' if c.id == q.cautious else ''}: {c.says}" for c in q.choices],
            }
            for q in book.questions.values()
            if q.since is not None and not makers_choice(q) and (isinstance(q, HouseChoice) or q.closes)
        ]  # fmt: skip
        found[name] = {"sha256": book.sha256, "questions": asked}
    return found


def script_text(script: str, version: str) -> str:
    """Returns a maintainer script; `preinst` carries what this version asks of a table."""
    text = (HERE / script).read_text()
    if "@UPDATE_CHECK@" in text:
        check = (
            (HERE / "update_check.py")
            .read_text()
            .replace("@ADDED@", json.dumps(added(), indent=1, sort_keys=True))
        )
        text = text.replace("@UPDATE_CHECK@", check)
    return text.replace("@VERSION@", version)
