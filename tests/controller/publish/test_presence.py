"""What stands on a table's topic of presence may be anybody's: it is ours, or it is nothing."""

import pytest

from controller.publish.presence import read


@pytest.mark.parametrize(
    "payload",
    [b"", b"x", b"\xff", b"[]", b"1", b"{}", b'{"state": 1, "session": 1}', b"[" * 9999, b'{"a":' * 9999],
)
def test_what_is_none_of_ours_is_nothing(payload: bytes) -> None:
    """A retained message nested without end ends no link to the broker."""
    assert read(payload) is None


def test_what_is_ours_is_named() -> None:
    """State, session and journal."""
    said = read(b'{"state": "online", "session": 7, "journal": "j"}')
    assert said is not None
    assert (said.state, said.session, said.journal) == ("online", 7, "j")
    unnamed = read(b'{"state": "online", "session": 7}')
    assert unnamed is not None
    assert unnamed.journal is None
