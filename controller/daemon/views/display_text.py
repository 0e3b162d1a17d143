"""Returns the text of a device's display from the state alone: who must do what now at this device.

It decides nothing and names no card; the back office gets holds, duties and steps as well.
"""

from controller.daemon.views.status import next_step
from controller.table.card_sets.preparation import spoken
from controller.table.questions.stub_count_and_turns import may_be_dealt_next, not_its_turn
from controller.table.state.table import Duty, Setup, State
from controller.text.instructions import instruction
from drivers.events import DeviceKind

CUT = ".."


def display_text(setup: Setup, state: State, name: str) -> str:
    """Returns the most urgent instruction at this device, important words first; its end may be cut."""
    device = state.devices[name]
    if device.out is not None:
        return f"OUT OF SERVICE ({device.out})"
    if state.holds:
        hold = next(iter(state.holds.values()))
        return f"HELD {hold.id}, {hold.least_role}: {hold.reason}"
    if (alarm := next((a for a in state.alarms.values() if a.device == name and not a.seen), None)) is not None:
        return f"ALARM {alarm.id}: {spoken(alarm.reason)}; look at this device"
    if (duty := _first_duty(state, name)) is not None:
        return f"{duty.id}, {duty.least_role}: {instruction(state, duty)}"
    if device.jammed:
        return "JAMMED: clear it"
    if device.kind is DeviceKind.SHUFFLER and device.holds in state.sets and state.sets[device.holds].armed:
        return _shuffled(setup, state, device.holds)
    return next_step(setup, state)


def _shuffled(setup: Setup, state: State, back: str) -> str:
    """Returns the text of a shuffled set; READY means that `state/table` calls the set armed."""
    if may_be_dealt_next(setup, state, back):
        return f"READY: the {back} set is shuffled"
    return f"NOT ITS TURN: {not_its_turn(setup, state, back)}"


def _first_duty(state: State, name: str) -> Duty | None:
    """Returns the duty to do now, one at this device first. A duty that waits for the round's end is none yet."""
    due = [duty for duty in state.duties.values() if not state.waits_for_end(duty)]
    return next((duty for duty in due if duty.device == name), due[0] if due else None)


def fit(text: str, characters: int) -> str:
    """Returns the text for a display of so many characters: printable ASCII, visibly cut if too long."""
    plain = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    if len(plain) <= characters:
        return plain
    return plain[: max(0, characters - len(CUT))].rstrip() + CUT[:characters]
