"""Kept states of a table that screens are looked at in: statuses of a real daemon, each told by what is so in it.

python -m tests.screens.plant [RUN...]    plays benches with faults and keeps the states again (some minutes)
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller.control.client import ControlClient, ControlFailed, ControlUnreachable

STATES = Path(__file__).parent / "states"
Document = dict[str, Any]
RUNS = {
    "jammed": ("md-uth", ["--fault", "shoe_jam@2", "--fault", "something_else@3", "--fault", "count@5"]),
    "packets": ("ma-uth", ["--method", "shuffler", "--offer", "cover_all"]),
    "by_hand": ("md-uth", ["--method", "hand", "--no-count", "--speed", "40"]),
}
"""Benches by name: the rulebook, and what happens there."""
PATIENCE_S = 150.0


def _phase(status: Document) -> str:
    return str((status.get("round") or {}).get("phase", ""))


def _asks(status: Document) -> bool:
    return len(((status.get("round") or {}).get("stage") or {}).get("waiting", ())) > 2


def _closed(status: Document, act: str) -> bool:
    """Bets are closed, and this act is next; "" = none is, because something has to come first."""
    return _phase(status) == "bets_closed" and (status.get("next_act") or {"act": ""})["act"] == act


def _bets(status: Document) -> bool:
    return _phase(status) == "betting" and len(status["round"]["in_play"]) > 4


WANTED: dict[str, dict[str, Callable[[Document], bool]]] = {
    "jammed": {
        "closed": lambda s: not s["open"] and bool(s.get("next_act")),
        "between": lambda s: (
            s["open"] and not s["round"] and (s.get("next_act") or {}).get("act") == "begin_round"
        ),
        "betting": _bets,
        "locked": lambda s: _closed(s, "record_progressive_count"),
        "to_deal": lambda s: _closed(s, "start_dealing"),
        "shuffling": lambda s: _closed(s, "") and not s["sets"][s["round"]["back"]]["armed"],
        "dealing": lambda s: _phase(s) == "dealing" and not s["round"]["void"],
        "asking": _asks,
        "settling": lambda s: any(x["outcome"] == "win" for x in (s.get("offer") or {}).get("lines", ())),
        "void": lambda s: bool(s["round"] and s["round"]["void"] and s["duties"]),
        "held": lambda s: bool(s["held"] and s["round"]),
        "miscount": lambda s: any(d["action"] == "remove_set" for d in s["duties"]),
    },
    "packets": {"cover_all": lambda s: _asks(s) and bool(s["round"]["in_play"])},
    "by_hand": {
        "stub": lambda s: bool(s["round"]) and (s.get("next_act") or {}).get("act") == "record_stub_count",
    },
}
"""By bench: the planted states to look for on it, each with the condition that must hold."""


def planted() -> dict[str, Document]:
    """Returns all kept states by name."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(STATES.glob("*.json"))}


def main() -> None:
    """Plays each run until every state has been seen, and keeps them; or the runs that are named."""
    for name, (rulebook, more) in RUNS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory(prefix="tw-") as directory:
            command = [
                sys.executable,
                "-m",
                "controller.cli",
                "bench",
                "--rulebook",
                rulebook,
                "--rounds",
                "0",
                "--pays",
            ]
            command += ["--speed", "10", *more, "--broker", "memory", "--keep", directory]
            bench = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            try:
                _keep(Path(directory), dict(WANTED[name]))
            finally:
                bench.terminate()
                bench.wait()


def _keep(directory: Path, wanted: dict[str, Callable[[Document], bool]]) -> None:
    end = time.monotonic() + PATIENCE_S
    while wanted:
        assert time.monotonic() < end, f"never so: {', '.join(wanted)}"
        time.sleep(0.04)
        try:
            with ControlClient(directory / "control.sock") as client:
                status = client.ask("status")
        except (ControlFailed, ControlUnreachable):
            continue
        for name in [name for name, is_so in wanted.items() if "sets" in status and is_so(status)]:
            del wanted[name]
            text = json.dumps(status, separators=(",", ":"), ensure_ascii=False).replace(
                str(directory), "/run/table"
            )
            (STATES / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
