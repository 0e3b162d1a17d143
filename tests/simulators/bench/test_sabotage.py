"""Five deliberately broken daemons: the observer must catch each, and name the promise that it broke."""

import pytest

pytestmark = pytest.mark.timeout(160)
FAST = ("--speed", "40", "--rounds", "2")


def test_acknowledging_before_the_commit_is_caught(sabotaged):
    """A device that is told "durable" before it is would drop a report that a power cut then loses for good."""
    ran = sabotaged(
        "controller/daemon/engine.py",
        "            records = await self._commit(transactions)\n",
        "            for waiting in group:\n"
        "                self._acknowledge(waiting.given)\n"
        "            records = await self._commit(transactions)\n",
        *FAST, "--slow-sync", "60",
    )  # fmt: skip
    assert ran.code == 1, ran.errors
    assert "9 durable before acknowledged or told" in ran.broken, ran.why()


def test_skipping_an_event_is_caught(sabotaged):
    """A report that is acknowledged and never recorded is missing in the journal, though the numbers go on."""
    ran = sabotaged(
        "controller/daemon/engine.py",
        "            (repeats if key in here or ",
        '            (repeats if waiting.given.body.kind == "cards_loaded" or key in here or ',
        *FAST,
    )
    assert ran.code == 1, ran.errors
    assert "6 no gap in device events is silent" in ran.broken, ran.why()


def test_citing_the_wrong_clause_is_caught(sabotaged):
    """Two things done under each other's clause, as no loader can see: the observer's own table says where they stand."""
    ran = sabotaged(
        "config/rulebooks/md-uth.toml",
        '"return_all_wagers", cite = "13.I(1)" },\n  { action = "clear_device", cite = "13.I(2)" }',
        '"return_all_wagers", cite = "13.I(2)" },\n  { action = "clear_device", cite = "13.I(1)" }',
        *FAST, "--fault", "shoe_jam@1",
    )  # fmt: skip
    assert ran.code == 1, ran.errors
    assert ran.broken == ["3 the document's demand, cited"], ran.why()


def test_releasing_the_lockout_early_is_caught(sabotaged):
    """Betting is opened by the dealer, not by the end of the round before."""
    ran = sabotaged(
        "controller/table/acts/rounds.py",
        '    draft.make_safe("no round is in play")\n',
        '    draft.make_safe("no round is in play")\n'
        '    if progressive:\n        draft.want(progressive[0], Level.LOCKOUT, "released", "ready for the next round")\n',
        *FAST,
    )
    assert ran.code == 1, ran.errors
    assert "9 lock-out: released only by a person's act, before no more bets" in ran.broken, ran.why()


def test_doubling_a_command_is_caught(sabotaged):
    """A second command to the same end that nobody decided."""
    ran = sabotaged(
        "controller/daemon/engine.py",
        "            session.want(wanted)\n",
        "            session.want(wanted)\n"
        "            session.want(WantedLevel(wanted.device, wanted.level, wanted.value, wanted.operation + 7))\n",
        *FAST,
    )
    assert ran.code == 1, ran.errors
    assert "7 commands once, durable, read back" in ran.broken, ran.why()
