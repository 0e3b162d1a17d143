"""What a release recorded is read by every later one: proved, folded, and decided as it was decided then.

A difference is accepted only where `<release>.toml` names it with a reason; one that is named and not there is a fault too.
"""

import gzip
import tomllib
from pathlib import Path

import pytest

from controller.audit import replay
from controller.audit.replay import Difference, Sealed, differences, table_at
from controller.journal.proof.keys import PublicKey
from controller.journal.proof.verify import verify
from controller.journal.record import Stream
from controller.journal.store import opened
from controller.rules.model import Rulebook
from controller.rules.read.library import find
from controller.table.words.inputs import ServiceStarted

FOLDER = Path(__file__).parent
KEPT = sorted(FOLDER.glob("*/*.journal.gz"))


@pytest.fixture(params=KEPT, ids=[f"{p.parent.name}-{p.name.partition('.')[0]}" for p in KEPT])
def kept(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def todays_rulebook(started: ServiceStarted) -> Rulebook:
    """As `journal replay --config` takes it: a rulebook whose file has another hash by now is that of today."""
    return find(started.rulebook)


@pytest.fixture
def journal(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(replay, "_rulebook_of", todays_rulebook)
    path = tmp_path / "kept.journal"
    path.write_bytes(gzip.decompress(kept.read_bytes()))
    return path


def accepted(kept: Path) -> dict[int, str]:
    """Sequence of the input -> why it is decided differently now."""
    named = tomllib.loads((FOLDER / f"{kept.parent.name}.toml").read_text())
    entries = [d for d in named.get("difference", []) if d["journal"] == kept.name.partition(".")[0]]
    assert all(entry["reason"].strip() for entry in entries), "a difference is named with its reason"
    return {number: entry["reason"] for entry in entries for number in range(entry["first"], entry["last"] + 1)}


def test_a_journal_of_a_release_is_proved_by_its_key(journal: Path, kept: Path) -> None:
    """Format and signature stay readable."""
    name = kept.name.partition(".")[0]
    report = verify(journal, keys=[PublicKey.load(kept.with_name(f"{name}.pub"))])
    assert report.ok, report.faults
    assert report.seals.proved == report.seals.found > 3


def test_a_journal_of_a_release_is_decided_as_it_was(journal: Path, kept: Path) -> None:
    """Every input of it, from the state as it was recorded."""
    with opened(journal) as view:
        outcomes = [(said.sequence, d) for said, d in differences(view)]
    assert not any(isinstance(d, Sealed) for _, d in outcomes)
    found = {number: d for number, d in outcomes if isinstance(d, Difference)}
    reasons = accepted(kept)
    new = [line for number, d in found.items() if number not in reasons for line in d.lines()]
    remedy = f"name it with its reason in tests/journals/{kept.parent.name}.toml"
    assert not new, "\n".join([*new[:20], f"{len(new)} lines; where that is meant, {remedy}"])
    assert not reasons.keys() - found.keys(), "these are decided as they were; strike them out"


def test_each_round_of_a_journal_of_a_release_is_shown_as_it_was(journal: Path) -> None:
    """Its wagers have all come to their end, and the round is the one that was asked for."""
    with opened(journal) as view:
        rounds = [r for r in view.merged([Stream.MAIN]) if r.kind == "round_ended"]
        for record in rounds:
            assert record.round_id
            seen = table_at(view, round_id=record.round_id)
            assert seen.state.round is not None
            assert seen.state.round.id == record.round_id
            assert seen.record.order < record.order
        late = table_at(view, time_us=rounds[-1].time_us)
    assert len(rounds) >= 3
    assert late.state.rounds == len(rounds)
