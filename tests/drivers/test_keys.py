"""A key file is used only where nobody else could have read or changed it; a refusal says what to type."""

import os
from pathlib import Path

import pytest

from drivers.keys import KeyRefused, read_key

KEY = bytes(range(32))


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "shoe.key"
    path.write_bytes(KEY)
    path.chmod(0o400)
    return path


def test_a_key_that_is_its_owners_alone_is_read(key_file: Path) -> None:
    """Readable by its owner, writable or not."""
    assert read_key(key_file) == KEY
    key_file.chmod(0o600)
    assert read_key(key_file) == KEY


@pytest.mark.parametrize("mode", [0o440, 0o404, 0o420, 0o402, 0o410, 0o401, 0o644])
def test_any_right_of_another_is_refused(key_file: Path, mode: int) -> None:
    """Whoever could read it may have it; whoever could write it may have put in his own."""
    key_file.chmod(mode)
    with pytest.raises(
        KeyRefused, match=rf"{key_file} may be read or changed by others \(mode {mode:o}\); chmod 400"
    ):
        read_key(key_file)


@pytest.mark.parametrize(
    ("content", "wrong"),
    [(b"", "has 0 bytes"), (KEY[:31], "has 31 bytes"), (KEY + b"\n", "has more"), (bytes(32), "is one byte over")],
)
def test_what_is_no_key_is_refused(key_file: Path, content: bytes, wrong: str) -> None:
    """Too short, a line end behind it, or nothing but zeros."""
    key_file.chmod(0o600)
    key_file.write_bytes(content)
    with pytest.raises(KeyRefused, match=f"shoe.key {wrong}.*32 random bytes"):
        read_key(key_file)


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    """As every other that cannot be read."""
    with pytest.raises(KeyRefused, match="cannot be read \\(File name too long\\)"):
        read_key(tmp_path / ("x" * 300))


def test_a_link_is_refused(key_file: Path) -> None:
    """Who can change the link chooses the key."""
    link = key_file.with_name("link.key")
    link.symlink_to(key_file)
    with pytest.raises(KeyRefused, match="is a symbolic link; name the file"):
        read_key(link)


def test_a_pipe_a_folder_and_a_missing_file_are_refused_at_once(tmp_path: Path) -> None:
    """A pipe without a writer would else hold the daemon for ever."""
    pipe = tmp_path / "pipe.key"
    os.mkfifo(pipe, 0o400)
    for path, wrong in (
        (pipe, "is no regular file"),
        (tmp_path, "is no regular file"),
        (tmp_path / "no", "is missing"),
    ):
        with pytest.raises(KeyRefused, match=wrong):
            read_key(path)


def test_a_folder_that_others_write_to_is_refused(key_file: Path) -> None:
    """There the file can be replaced, whatever its own rights are."""
    key_file.parent.chmod(0o777)
    with pytest.raises(KeyRefused, match=f"chmod go-w {key_file.parent}"):
        read_key(key_file)
    key_file.parent.chmod(0o700)


def test_a_key_of_another_user_is_refused(key_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That one could change it at any time. Root may, as root may do everything."""
    owner = key_file.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1000)
    if owner != 0:
        with pytest.raises(KeyRefused, match=f"belongs to user {owner}; chown it"):
            read_key(key_file)
    else:
        assert read_key(key_file) == KEY
        os.chown(key_file, 4711, -1)
        with pytest.raises(KeyRefused, match="belongs to user 4711; chown it"):
            read_key(key_file)


def test_a_refusal_never_tells_the_key(key_file: Path) -> None:
    """Neither as bytes nor as hex digits."""
    key_file.chmod(0o644)
    with pytest.raises(KeyRefused) as refused:
        read_key(key_file)
    assert KEY.hex()[:8] not in repr(refused.value)
    assert repr(KEY[:8])[2:-1] not in repr(refused.value)
