"""Which message makes the broker hang up."""

from controller.publish.outboxes.suspects import Suspects

GUILTY, OTHERS = ("main", 11), [("main", n) for n in range(12, 30)]


def test_the_one_that_is_alone_three_times_when_the_broker_hangs_up_is_convicted() -> None:
    """After a crowd was on its way each travels alone, so the third strike names the right one."""
    suspects = Suspects()
    assert suspects.ended([GUILTY, *OTHERS], accusing=True) is None
    assert suspects.may_go(OTHERS[0], []) is True
    assert suspects.may_go(OTHERS[0], [("main", 40)]) is False
    suspects.clear(OTHERS[0])
    assert suspects.may_go(("main", 40), [GUILTY]) is False, "nobody travels with a suspect"
    assert suspects.ended([GUILTY], accusing=True) is None
    assert suspects.ended([GUILTY], accusing=True) is None
    assert suspects.ended([GUILTY], accusing=True) == GUILTY
    assert suspects.may_go(("main", 40), [GUILTY]) is True, "a convicted message casts no suspicion any more"


def test_a_dead_network_accuses_nobody() -> None:
    """Silence ends connections too, whatever was on its way."""
    suspects = Suspects()
    for _ in range(10):
        assert suspects.ended([GUILTY], accusing=False) is None
    assert suspects.may_go(GUILTY, OTHERS) is True


def test_an_answer_clears_a_suspect_and_its_strikes() -> None:
    """Strikes count in a row only."""
    suspects = Suspects()
    for _ in range(5):
        assert suspects.ended([GUILTY], accusing=True) is None
        suspects.clear(GUILTY)
    assert suspects.may_go(GUILTY, OTHERS) is True
