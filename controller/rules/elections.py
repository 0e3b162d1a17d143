"""The licensee's choices for what a document leaves open, checked against the readings of its rulebook."""

from collections.abc import Collection, Mapping

from controller.rules.model import Election, Law, Reading, Rulebook
from controller.rules.reader import nearest


class ElectionsInvalid(Exception):
    """Elections are refused. `faults`: every fault, each with the reading that it is about."""

    def __init__(self, rulebook: str, faults: Collection[str]) -> None:
        super().__init__(
            f"elections for {rulebook}: refused for {len(faults)} fault(s)\n" + "\n".join(f"  {f}" for f in faults)
        )
        self.rulebook, self.faults = rulebook, tuple(faults)


def elect(rulebook: Rulebook, elections: Mapping[str, tuple[str, str]]) -> Law:
    """The law of a table: its rulebook with the licensee's elections, reading id -> (choice, name of who elected it).

    A reading that nobody elected is no fault here: `Law.unelected` lists those without which the table may not open.
    Raises `ElectionsInvalid` with all faults.
    """
    faults: list[str] = []
    for reading_id, (choice, by) in elections.items():
        reading = rulebook.readings.get(reading_id)
        if reading is None:
            faults.append(
                f"{reading_id}: {rulebook.id} has no such reading {nearest(reading_id, rulebook.readings)}"
            )
            continue
        if choice not in (choices := [c.id for c in reading.choices]):
            faults.append(f"{reading_id}: unknown choice {choice!r} (choices: {', '.join(choices)})")
        if not by.strip():
            faults.append(f"{reading_id}: 'by' must name who elected {choice!r}")
    if faults:
        raise ElectionsInvalid(rulebook.id, faults)
    return Law(rulebook, {r: Election(r, choice, by) for r, (choice, by) in elections.items()})


def cautious(rulebook: Rulebook, by: str) -> Law:
    """The law with the cautious choice elected everywhere, in the name of `by`: for benches and tests, not for play."""
    return elect(rulebook, {r.id: (r.cautious, by) for r in rulebook.readings.values()})


def ask(reading: Reading) -> list[str]:
    """A reading as the question it is: the problem with its clauses, then each choice, the cautious one marked."""
    lines = [f"{reading.id} ({', '.join(reading.clauses)}): {reading.problem}"]
    for choice in reading.choices:
        mark = " [cautious]" if choice.id == reading.cautious else ""
        lines.append(f"  {choice.id}{mark}: {choice.says}")
    return lines
