"""Opens a record for reading: a live file, a segment, a folder of segments, or a file with its earlier segments."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.journal.archive.segment import is_segment
from controller.journal.archive.shelf import Named, all_in, before, beside
from controller.journal.archive.span import Span
from controller.journal.disk.file import LOG, connect_readonly, examine
from controller.journal.errors import JournalDamaged, JournalForeign, JournalMissing, JournalWriteFailed
from controller.journal.proof.verify import check_tail
from controller.journal.reading import Reading
from controller.journal.view import JournalView, Progress, quiet


def of_one_file(path: Path) -> Path:
    """Returns the path of a record for its writer, with the links of its folder resolved.

    Raises `JournalWriteFailed` where something else than a file stands there: a link leads away from the log and the side
    files, and to open a pipe waits for ever.
    """
    path = path.parent.resolve() / path.name
    kinds = (
        (path.is_symlink(), "a link"),
        (path.is_dir(), "a folder"),
        (path.exists() and not path.is_file(), "no file"),
    )
    if (what := next((kind for is_so, kind in kinds if is_so), None)) is not None:
        raise JournalWriteFailed(
            path, f"{what} stands in its place; bring the record and its {LOG} back, or take {what} away"
        )
    return path


@contextmanager
def opened(path: Path, told: Progress = quiet) -> Iterator[Reading]:
    """Returns the reading side of any record; pruned days come from the segments beside it.

    `told`: receives the progress of a reader of many records. Raises as `Journal.open_readonly` does.
    """
    path = _there(path).resolve()
    view = _segments_at(path) or _with_past(path, told)
    view.told = told
    try:
        yield view
    finally:
        view.close()


@contextmanager
def opened_alone(path: Path, told: Progress = quiet) -> Iterator[JournalView]:
    """Returns the live file without its pruned days; `told` receives progress. Raises as `Journal.open_readonly`
    does."""
    view = open_view(_there(path).resolve(), None, None)
    view.told = told
    try:
        yield view
    finally:
        view.close()


def past_of(view: JournalView) -> Span | None:
    """Returns everything from the first segment on; None if nothing was pruned, or its segments are missing."""
    order = view.description.order_before
    segments = before(all_in(beside(view.path, view.description.id)), order) if order else []
    return Span(segments, view) if segments else None


def open_view(path: Path, site: str | None, table: str | None) -> JournalView:
    """Returns a proved reading side of a live file; `site` and `table` None = of any table."""
    try:
        db = connect_readonly(path)
    except sqlite3.DatabaseError as exc:
        raise JournalDamaged(path, str(exc)) from exc
    try:
        about = examine(db, path)
        anchors = check_tail(db, path, about)
        if site is not None and (about.site, about.table) != (site, table):
            raise JournalForeign(path, f"the journal of {about.site}/{about.table}", f"of {site}/{table}")
        return JournalView(db, path, about, anchors)
    except BaseException:
        db.close()
        raise


def _segments_at(path: Path) -> Span | None:
    if is_segment(path):
        return Span([Named("", 0, 0, path)], None)
    if not path.is_dir():
        return None
    segments = all_in(path)
    if not segments:
        raise JournalMissing(path)
    chain = before(segments, segments[-1].last)
    if len(chain) < len(segments):
        raise JournalDamaged(path, f"the segment before {chain[0].path.name} is not there")
    return Span(chain, None)


def _with_past(path: Path, told: Progress) -> Reading:
    view = open_view(path, None, None)
    view.told = told
    try:
        return past_of(view) or view
    except BaseException:
        view.close()
        raise


def _there(path: Path) -> Path:
    if not path.exists():
        raise JournalMissing(path)
    return path
