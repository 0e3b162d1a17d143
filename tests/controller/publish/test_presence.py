"""What stands on a table's topic of presence may be anybody's: it is ours, or it is nothing."""

import pytest

from controller.publish.presence import names_session


@pytest.mark.parametrize(
    "payload",
    [b"", b"x", b"\xff", b"[]", b"1", b"{}", b'{"state": 1, "session": 1}', b"[" * 9999, b'{"a":' * 9999],
)
def test_what_is_none_of_ours_is_nothing(payload: bytes) -> None:
    """A retained message nested without end ends no link to the broker."""
    assert names_session(payload) is None


def test_what_is_ours_is_named() -> None:
    """State, session and journal."""
    assert names_session(b'{"state": "online", "session": 7, "journal": "j"}') == ("online", 7, "j")
    assert names_session(b'{"state": "online", "session": 7}') == ("online", 7, None)
