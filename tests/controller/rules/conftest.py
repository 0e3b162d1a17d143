"""The shipped rulebooks, and a way to break one on purpose and load what is left."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.rules.library import find, shipped
from controller.rules.loader import RulebookInvalid, load_rulebook
from controller.rules.model import Rulebook


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
    """Replaces text in a copy of a shipped rulebook (each old text must be there) and gives the faults found then."""

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
        return refused.value.faults

    return load
