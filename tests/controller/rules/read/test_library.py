"""Rulebooks are found by id, stamped with the hash of their bytes, and an unknown id is answered with the known ones."""

import errno
import hashlib
from pathlib import Path

import pytest

from controller.rules.explain.coverage import CoverageInvalid
from controller.rules.explain.house_edge import EdgesInvalid
from controller.rules.read import library
from controller.rules.read.library import RulebookUnknown, available, find, find_coverage, find_edges, shipped
from controller.rules.read.loader import (
    MOST_BYTES,
    ClausesUnusable,
    RulebookInvalid,
    clause_ids,
    load_rulebook,
    whole,
)


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
    monkeypatch.setattr(library, "INSTALLED", tmp_path / "installed" / "rulebooks")
    monkeypatch.setattr(library, "HOUSE", tmp_path / "house" / "rulebooks")
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/installed/rulebooks nor {tmp_path}/house/rulebooks"):
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


def test_a_rulebook_that_is_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    """It stands in the list of the directory, so that it is unknown would be no help."""
    path = tmp_path / "md-uth.toml"
    path.symlink_to(tmp_path / "gone.toml")
    with pytest.raises(RulebookInvalid, match="a link to nothing") as refused:
        find("md-uth", tmp_path)
    assert (refused.value.path, len(refused.value.faults)) == (path, 1)


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        ("md-uth.txt", r"clause ids .*md-uth\.txt cannot be read: Is a directory"),
        ("md-uth.coverage.toml", "cannot be read: Is a directory"),
    ],
)
def test_classes_of_clauses_that_cannot_be_read_are_refused_with_the_cause(
    tmp_path: Path, broken: str, fault: str
) -> None:
    """Whichever of the two files it is: the classes, or the clauses that they class."""
    (tmp_path / "clauses").mkdir()
    for name in ("md-uth.txt", "md-uth.coverage.toml"):
        path = tmp_path / "clauses" / name
        path.mkdir() if name == broken else path.write_bytes((shipped() / "clauses" / name).read_bytes())
    with pytest.raises(CoverageInvalid, match=fault) as refused:
        find_coverage(find("md-uth"), tmp_path)
    assert refused.value.path == str(tmp_path / "clauses" / "md-uth.coverage.toml")
    assert len(refused.value.faults) == 1


@pytest.mark.parametrize("data", [None, b"{"])
def test_figures_that_cannot_be_read_are_refused_by_the_name_of_their_file(
    tmp_path: Path, data: bytes | None
) -> None:
    """A directory in their place, and a file that was cut off."""
    path = tmp_path / "edges" / "md-uth.json"
    path.parent.mkdir()
    path.mkdir() if data is None else path.write_bytes(data)
    with pytest.raises(EdgesInvalid, match="no list of figures: ") as refused:
        find_edges(find("md-uth"), tmp_path)
    assert refused.value.path == str(path)
    assert refused.value.why == "cannot be read: Is a directory" or data is not None


def test_a_rulebook_that_cannot_be_read_is_refused_with_the_cause(tmp_path: Path) -> None:
    """It is there, so that none has this name would be a lie."""
    path = tmp_path / "md-uth.toml"
    path.mkdir()
    with pytest.raises(RulebookInvalid, match="cannot be read: Is a directory") as refused:
        load_rulebook(path)
    assert (refused.value.path, len(refused.value.faults)) == (path, 1)


def test_clause_ids_are_read_as_editors_save_them(tmp_path: Path) -> None:
    """With or without the byte order mark; anything but UTF-8 is named by its byte."""
    path = tmp_path / "md-uth.txt"
    path.write_bytes(b"\xef\xbb\xbf1.A 1.B\n2\n")
    assert clause_ids(path) == ["1.A", "1.B", "2"]
    path.write_bytes(b"1.A \xff")
    with pytest.raises(ClausesUnusable, match=f"clause ids {path}: byte 5 is no UTF-8"):
        clause_ids(path)


def test_a_file_is_read_up_to_its_longest_and_not_beyond(tmp_path: Path) -> None:
    """One that has no end, such as a device, does not fill the memory."""
    path = tmp_path / "long"
    path.write_bytes(b"x" * MOST_BYTES)
    assert len(whole(path)) == MOST_BYTES
    path.write_bytes(b"x" * (MOST_BYTES + 1))
    with pytest.raises(OSError, match=f"has more than {MOST_BYTES} bytes") as refused:
        whole(path)
    assert (refused.value.errno, refused.value.filename) == (errno.EFBIG, str(path))
    with pytest.raises(OSError, match="has more than"):
        whole(Path("/dev/zero"))
