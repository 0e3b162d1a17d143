"""The shipped rulebooks, and a way to break one on purpose and load what is left."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.rules.model import Rulebook
from controller.rules.read.library import find, shipped
from controller.rules.read.loader import RulebookInvalid, load_rulebook


@pytest.fixture(scope="session")
def ma() -> Rulebook:
    return find("ma-uth")


@pytest.fixture(scope="session")
def md() -> Rulebook:
    return find("md-uth")


@pytest.fixture(scope="session")
def nj() -> Rulebook:
    return find("nj-pikit")


@pytest.fixture(scope="session")
def fa() -> Rulebook:
    return find("fast-action")


@pytest.fixture(scope="session")
def co() -> Rulebook:
    return find("ma-colorado")


@pytest.fixture
def faults_of(tmp_path: Path) -> Callable[..., tuple[str, ...]]:
    """Replaces text in a copy of a shipped rulebook (each old text must be there) and gives the faults found then.

    Each fault is its place and its code. In a place, `N` stands for the number of a row or reading, as each new row moves it.
    """

    def load(*swaps: tuple[str, str], book: str = "md-uth") -> tuple[str, ...]:
        text = (shipped() / f"{book}.toml").read_text()
        for old, new in swaps:
            assert old in text, f"the shipped {book} no longer has {old!r}"
            text = text.replace(old, new, 1)
        (tmp_path / "clauses").mkdir(exist_ok=True)
        clauses = (shipped() / "clauses" / f"{book}.txt").read_text()
        (tmp_path / "clauses" / f"{book}.txt").write_text(clauses)
        path = tmp_path / f"{book}.toml"
        path.write_text(text)
        with pytest.raises(RulebookInvalid) as refused:
            load_rulebook(path)
        assert refused.value.path == path
        assert all(fault.line is None or 1 <= fault.line <= text.count("\n") + 1 for fault in refused.value.faults)
        places = (
            re.sub(r"(\[\[(?:reading|outcome|silent)\]\]) \d+", r"\1 N", f.place) for f in refused.value.faults
        )
        return tuple(f"{place}: {f.code}" for place, f in zip(places, refused.value.faults, strict=True))

    return load
