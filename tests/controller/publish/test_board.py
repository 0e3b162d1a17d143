"""Retained state: what is due to be told."""

from controller.publish.board import Board


def due(board: Board) -> list[tuple[str, bytes]]:
    """Sends everything that is due and has it answered."""
    out = []
    while (one := board.peek()) is not None:
        out.append(one)
        board.sent(one[0])
    for thing, _ in out:
        board.answered(thing)
    return out


def test_a_thing_is_told_when_it_changes_and_only_then() -> None:
    """A new sequence alone tells nothing: at a busy table every topic would be sent with every event."""
    board = Board()
    board.refresh({"lockout": {"value": "engaged", "sequence": 1}, "table": {"open": True, "sequence": 1}})
    assert due(board) == [
        ("lockout", b'{"sequence":1,"value":"engaged"}'),
        ("table", b'{"open":true,"sequence":1}'),
    ]
    board.refresh({"lockout": {"value": "engaged", "sequence": 2}, "table": {"open": False, "sequence": 2}})
    assert due(board) == [("table", b'{"open":false,"sequence":2}')]


def test_a_new_connection_is_told_everything() -> None:
    """The broker may have come back empty."""
    board = Board()
    board.refresh({"table": {"open": True}})
    due(board)
    board.begin()
    assert due(board) == [("table", b'{"open":true}')]


def test_changes_while_a_message_is_on_its_way_are_told_by_the_last_of_them() -> None:
    """One message of a thing at a time, and never an old value after a new one."""
    board = Board()
    for value in range(5):
        board.refresh({"table": {"value": value}})
        if value == 0:
            board.sent("table")
    assert board.peek() is None
    board.answered("table")
    assert due(board) == [("table", b'{"value":4}')]


def test_a_thing_that_is_gone_is_deleted_at_the_broker() -> None:
    """An empty retained message: a removed device must not haunt the screens of the back office."""
    board = Board()
    board.refresh({"shoe-1": {"count": 1}})
    due(board)
    board.refresh({})
    assert due(board) == [("shoe-1", b"")]
    board.refresh({"shoe-1": {"count": 1}})
    assert due(board) == [("shoe-1", b'{"count":1}')]


def test_a_state_that_was_given_up_is_told_again_when_it_changes() -> None:
    """A refusal is not retried in a loop, and not remembered for ever."""
    board = Board()
    board.refresh({"table": {"value": 1}})
    board.skip("table")
    assert board.peek() is None
    board.refresh({"table": {"value": 2}})
    assert due(board) == [("table", b'{"value":2}')]
