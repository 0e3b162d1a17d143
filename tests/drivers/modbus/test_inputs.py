"""What counts as a change of an input, and what as a wire that nobody can believe."""

from collections.abc import Iterable

from drivers.modbus.inputs import Edge, Input
from drivers.modbus.timing import POLL_S, UNSTEADY_S


def looked(one: Input, levels: Iterable[bool], begin: float = 0.0) -> list[Edge]:
    """The changes that these looks make, one every `POLL_S`."""
    found = (one.look(on, begin + number * POLL_S) for number, on in enumerate(levels))
    return [edge for edge in found if edge is not None]


def test_a_change_counts_at_the_second_look_and_is_dated_by_the_first() -> None:
    one = Input()
    assert looked(one, [False, False, True, True]) == [Edge(True, 2 * POLL_S)]


def test_a_hand_that_puts_a_chip_down_and_lifts_it_again_and_again_is_believed() -> None:
    """Each level holds for two looks: ten changes a second, and nothing is broken."""
    one = Input()
    edges = looked(one, [False, False, *[True, True, False, False] * 10])
    assert [edge.on for edge in edges] == [True, False] * 10
    assert not one.restless


def test_levels_that_do_not_hold_are_a_broken_input_until_it_has_rested() -> None:
    """No change is told meanwhile; afterwards it is as it is."""
    one = Input()
    looked(one, [False, False])
    assert looked(one, [True, False] * 4, begin=1.0) == []
    assert one.restless
    still = [False] * round(UNSTEADY_S / POLL_S)
    assert [edge.on for edge in looked(one, [*still, True, True], begin=1.4)] == [True]
    assert not one.restless


def test_a_few_bounces_as_a_chip_comes_down_are_none() -> None:
    one = Input()
    edges = looked(one, [False, False, True, False, True, False, True, True])
    assert [edge.on for edge in edges] == [True]
    assert not one.restless


def test_a_button_counts_at_its_first_look_so_that_quick_presses_break_nothing() -> None:
    """Six presses in a second and a half, each seen once."""
    one = Input(rise_reads=1)
    edges = looked(one, [False, False, *[True, False, False] * 6])
    assert [edge.on for edge in edges] == [True, False] * 6
    assert not one.restless
