"""Rulebooks are found by id, stamped with the hash of their bytes, and an unknown id is answered with the known ones."""

import hashlib
from pathlib import Path

import pytest

from controller.rules import library
from controller.rules.library import RulebookUnknown, available, find, find_edges, shipped


def test_the_hash_is_of_the_bytes_of_the_file() -> None:
    """A decision can be traced to the very file it was made by."""
    data = (shipped() / "ma-uth.toml").read_bytes()
    assert find("ma-uth").sha256 == hashlib.sha256(data).hexdigest()


def test_five_rulebooks_are_shipped() -> None:
    """The names that `find` takes."""
    assert set(available()) == {"ma-uth", "md-uth", "nj-pikit", "fast-action", "ma-colorado"}


def test_an_unknown_id_names_the_nearest() -> None:
    """A slip of the pen costs a look at the message, not a search of the disk."""
    with pytest.raises(RulebookUnknown, match=r"no rulebook 'md_uth' in .* \(nearest: md-uth\)"):
        find("md_uth")


def test_an_edition_kept_beside_a_later_one_is_found_by_its_full_name(tmp_path: Path) -> None:
    """`md-uth@1.4` shares the clause ids of its document and carries the id of the document."""
    (tmp_path / "clauses").mkdir()
    (tmp_path / "clauses" / "md-uth.txt").write_text((shipped() / "clauses" / "md-uth.txt").read_text())
    (tmp_path / "md-uth@1.4.toml").write_bytes((shipped() / "md-uth.toml").read_bytes())
    assert available(tmp_path) == ("md-uth@1.4",)
    assert find("md-uth@1.4", tmp_path).id == "md-uth"


def test_where_no_rulebooks_came_with_the_software_it_says_where_it_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that was put together wrongly is known by the two places."""
    monkeypatch.setattr(library, "INSTALLED", tmp_path / "installed")
    monkeypatch.setattr(library, "HOUSE", tmp_path / "house")
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/installed or {tmp_path}/house"):
        shipped()


def test_a_name_can_not_lead_out_of_the_directory(tmp_path: Path) -> None:
    """Only what lies in the directory is a rulebook."""
    with pytest.raises(RulebookUnknown):
        find("../rulebooks/md-uth", tmp_path)


def test_a_directory_without_figures_has_none_and_says_of_which_tables(tmp_path: Path) -> None:
    """An edition of a house's own lies without the figures shipped for ours, and is not given them."""
    book = find("nj-pikit")
    found = find_edges(book, tmp_path)
    assert found.figures == ()
    assert found.stale == tuple(book.pay)
