"""Names on the wire."""

import pytest

from controller.publish.topics import Topics, verify_level


def test_the_topics_of_a_table_are_those_of_the_contract() -> None:
    """Consumers subscribe to these names; none of them may ever move."""
    topics = Topics("lv01", "lv01-bj-017")
    assert topics.conn == "tablewarden/v1/lv01/lv01-bj-017/conn"
    assert topics.events("main") == "tablewarden/v1/lv01/lv01-bj-017/evt/main"
    assert topics.state("shuffler-1") == "tablewarden/v1/lv01/lv01-bj-017/state/shuffler-1"
    assert topics.heartbeat == "tablewarden/v1/lv01/lv01-bj-017/tele/heartbeat"
    assert topics.source == "urn:tablewarden:lv01:lv01-bj-017"


@pytest.mark.parametrize("level", ["", "a/b", "+", "#", "LV01", "a b", "x" * 33, "ä", "a\n", "１"])
def test_what_would_break_a_topic_or_an_acl_pattern_is_no_level(level: str) -> None:
    """Wildcards, slashes, capitals, digits of other scripts and line ends never get into a topic."""
    with pytest.raises(ValueError, match="cannot stand in a topic"):
        verify_level(level, "site")
    with pytest.raises(ValueError, match="cannot stand in a topic"):
        Topics("lv01", level)


@pytest.mark.parametrize("level", ["a", "0", "lv01-bj-017", "x" * 32])
def test_short_lower_case_words_are_levels(level: str) -> None:
    """What the pattern allows is given back unchanged."""
    assert verify_level(level, "thing") == level
