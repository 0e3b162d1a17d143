"""`python -m tests.faults.page > docs/faults.md`: the table of faults as a page for people."""

import sys

from simulators.cable.wire_faults import WIRE_FAULTS
from simulators.firmware.faults import FIRMWARE_FAULTS
from simulators.scenario.faults import FAULTS
from tests.faults.catalogue import Row, load

HEAD = """# Faults and their results

Everything that is known to go wrong with a device, its cable or the computer it hangs on, and what the daemon must make
of it. The table is `tests/faults/catalogue.toml`; this page is made from it (`python -m tests.faults.page`), and a test
holds the two equal. `make test` injects each row into a running simulator on a real port, with a round going on, and judges
it at the device's own record, at the journal and at the subscriber. `python -m tests.faults.gaps` names
what nothing shows yet. `make faults` injects each fault in each state of a session (opening, hello,
auth, measure, sync, online, suspect; a bus has no auth and measure, a shoe that writes lines only opening and online), judged by
what holds after every fault; plays each row of the table again with a real mosquitto between daemon and subscriber; then it
lets a day of faults befall four tables by chance. A day of remote I/O would take hours to play, so one such table has a
quarter of an hour, and a fault each ten seconds.
`make test` does a handful of the first, one of each class of the second and a minute of the third.

How to read a row: *injected by* is what `--fault` and the control socket's `inject` take, or a verb of the test rig.
*On record* are the facts that must stand in the journal and that the subscriber must have got; those in brackets may.
Where nothing stands there, nothing out of the ordinary may be told: it was repaired. *Unproven*: the round is held for a
floorperson.

After every fault, whatever it was:

- what is on record is what the device reported, in its order, but for what is declared lost; nothing stands there twice;
- no command was carried out twice, and nothing was released or allowed that the record did not want first;
- the subscriber holds exactly the journal's events; the journal verifies;
- the device is online again within 10 seconds, a refused one after its minute, and a button that is pressed is recorded;
- the loop does not spin, the host does not flood the line, and no descriptor, thread or task is left.

Where it says *a shoe that writes lines*, hands deal from a reading shoe with the Bee-Tek lines. It has no check, no counter and
no log: what a damaged line said is gone. So nothing that it did not write is ever a card, nothing on record names
one or does something to a terminal, and where the cable is whole each card is on record. All that came and was no line is on
record by its number and cause (`lines_damaged`), and a round that went on meanwhile is unproven. The daemon says at every link
that no gap is closed: a line that is lost whole leaves nothing, and one that is damaged and still text is recorded as it came.

Where it says *remote I/O*, the progressive is units on a bus. They number nothing, so their chips and their relay are what the
record is compared with; and on a bus that nobody serves the relay is engaged within four seconds.
"""
SCOPES = {
    "byte": "Bytes on the line",
    "frame": "Frames on the line",
    "device": "The device",
    "host": "The computer and its operating system",
    "modbus": "Remote I/O on a bus",
}
TAIL = """
## The faults by name

A fault is written `NAME[@N][:key=value]...`; `@N` is the N-th shuffle, deal, set or lock-out. `tablewarden sim KIND --help`
lists those that a simulator can have. The first of several words is the default. A number out of its range is refused
(`simulators/scenario/fault_values.py`), and so are a unit and a seat that the bus does not have. A fault that is named before
it can happen waits: `log_edited` until the log holds the report, `image_swapped` until the power is on.
`tests/simulators/scenario/test_every_fault.py` runs each of them.

| name and particulars | what it does |
|---|---|
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    rows = load().rows
    for scope, title in SCOPES.items():
        parts.append(
            f"\n## {title}\n\n| id | what happens | injected by | on record | why |\n|---|---|---|---|---|\n"
        )
        parts += [_line(row) for row in rows if row.scope == scope]
    parts += [TAIL]
    for name in dict.fromkeys((*WIRE_FAULTS, *FIRMWARE_FAULTS, *FAULTS)):
        kind = FAULTS[name]
        given = "".join(f":{key}={_first(value)}" for key, value in kind.parameters.items())
        parts.append(f"| `{name}{given}` | {kind.effect} |\n")
    return "".join(parts)


def _first(parameter: str) -> str:
    first, *others = parameter.split("|")
    return first if not others or len(others) > 3 else f"{first} ({', '.join(others)})"


def _line(row: Row) -> str:
    verdict = row.verdict
    told = [f"`{fact}`" for fact in verdict.facts]
    told += [f"(`{'`, `'.join(verdict.may)}`)"] if verdict.may else []
    told += ["**unproven**"] * verdict.unproven
    told += [f"ends {verdict.ends}"] * (verdict.ends != "online")
    how = ", ".join(f"`{line}`" for line in row.inject)
    if row.progressive == "modbus":
        how += " on remote I/O"
    if row.reader:
        how += " on a shoe that writes lines"
    if row.full:
        how += ", by `make faults` only"
    if row.on != "progressive-1" and not row.reader:
        how += f" on {row.on}"
    if row.shown_by:
        how = f"[{row.shown_by.rpartition('::')[2]}](../{row.shown_by.partition('::')[0]}): {row.elsewhere}"
    if row.open:
        how = f"**open**: {row.open}"
    return f"| {row.id} | {row.does} | {how} | {', '.join(told)} | {verdict.because} |\n"


if __name__ == "__main__":
    sys.stdout.write(page())
