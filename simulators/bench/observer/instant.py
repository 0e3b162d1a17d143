"""Checks in the moment itself that the record was there before a device was acknowledged or commanded."""

from simulators.bench.observer.commands import LOCKOUT, SAFE, TOLD, UNRECORDED
from simulators.bench.observer.evidence import Evidence, Line, Verdict
from simulators.bench.observer.record import RecordReader

RECORD = "9 durable before acknowledged or told"


class AtOnce:
    """Looks into the journal file the moment a device's log has a new line."""

    def __init__(self, evidence: Evidence, record: RecordReader) -> None:
        self._evidence, self._record = evidence, record

    def see(self, line: Line, serial: str) -> None:
        """Compares one line of a simulator's log with what the record held at that moment."""
        match line.what:
            case "acknowledged":
                self._acknowledged(line, serial)
            case "command" if (
                line.data["level"] != UNRECORDED and SAFE.get(line.data["level"]) != line.data["value"]
            ):
                self._told(line)
            case _:
                pass

    def _count(self, name: str) -> None:
        self._evidence.looked_at_once[name] = self._evidence.looked_at_once.get(name, 0) + 1

    def _problem(self, name: str, problem: str) -> None:
        self._evidence.at_once.setdefault(name, []).append(problem)

    def _acknowledged(self, line: Line, serial: str) -> None:
        self._count(RECORD)
        counter, boot = line.data["counter"], line.data["boot"]
        recorded = self._record.last_counter(serial, boot)
        if recorded < counter:
            self._problem(RECORD, f"{line.device} {counter} was acknowledged with {recorded} on record")

    def _told(self, line: Line) -> None:
        """Checks that a command away from the safe side is durable already."""
        self._count(RECORD)
        level, value, operation = line.data["level"], line.data["value"], line.data["operation"]
        if self._record.wanted(operation) is None:
            what = f"{line.device} received {level} {value} (operation {operation}) before it was on record"
            self._problem(RECORD, what)
            self._problem(LOCKOUT if level == "lockout" else TOLD, what)


def recorded_first(evidence: Evidence) -> Verdict:
    """Checks that the journal held the row at each acknowledgement and each command away from the safe side."""
    checked = evidence.looked_at_once.get(RECORD, 0)
    return Verdict.of(RECORD, checked, evidence.at_once.get(RECORD, []), "no device was acknowledged")
