"""The recorder reads each message of `conn` as the table's own code writes it."""

import pytest

from controller.backoffice import said
from controller.publish.presence import Birth, Lost, Offline, encode

BIRTH = Birth(
    session=7, bootid="b1", version="1", journal="0123456789abcdef", created="2026-01-01T00:00:00.000001Z",
    heads={"main": 3}, oldest={"main": 1}, machine="m", process="p",
)  # fmt: skip


@pytest.mark.parametrize(
    "body", [BIRTH, Offline(session=7, reason="update"), Lost(session=7)], ids=lambda body: body.state
)
def test_a_message_of_conn_is_read(body: Birth | Offline | Lost) -> None:
    told = said.conn(encode(body))
    assert (told.state, told.session, told.created or "") == (body.state, 7, getattr(body, "created", ""))
