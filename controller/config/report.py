"""What a person reads about a configuration: what is wrong with it in words, and what is right, and what it leaves open."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from controller.config.here import keeps_from_serving, keeps_from_starting
from controller.config.load import read_config
from controller.config.misfits import unposted
from controller.config.model import Config
from controller.config.retention import Retention
from controller.control.desk import Person
from controller.readers.fault import Fault, together
from controller.rules.explain.house_edge import EdgesInvalid, warnings
from controller.rules.explain.questions import effect, makers_choice, new_since, newest
from controller.rules.model import HouseChoice, Law, Question, Reading
from controller.rules.read import library
from controller.rules.vocabulary import Method
from controller.table.acts.betting import MOST_CENTS
from drivers.catalog import LEAST, Approval, Codec
from drivers.device import DeviceConfig
from drivers.events import Capability, DeviceKind
from drivers.protocol.records import dataclass

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Finding:
    """`faults`: what must be mended. `notes`: what works and should be known. `open_questions`: what cannot be proved.

    `warnings`: what is allowed, and what nobody can have meant. `new`: questions that were added to the rulebook after
    `as_of`, the day up to which its questions are answered here, and that have no answer; `as_of` None = the file does not say.
    """

    path: Path
    config: Config | None
    law: Law | None
    faults: tuple[Fault, ...]
    notes: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    new: tuple[Question, ...] = ()
    as_of: str | None = None


def examine(path: Path, *, alone: bool = False, here: bool = False) -> Finding:
    """Reads the file, its rulebook and its elections, and judges all three. Never raises for what they hold.

    `alone`: without the files of keys and firmware that it names, for a login that may not read them.
    `here`: judges this machine too: keys, folders, ports and files of the broker link, under this user.
    """
    reading = read_config(path, alone=alone)
    unelected = reading.law.unelected(reading.offered) if reading.law else ()
    places = {fault.place for fault in reading.faults}
    missing = [fault for fault in map(_unelected, unelected) if fault.place not in places]
    faults = reading.faults + tuple(missing)
    if here and reading.config is not None:
        faults += (*keeps_from_starting(reading.config), *keeps_from_serving(reading.config))
    as_of = reading.questions_as_of
    new = tuple(new_since(reading.law, reading.offered, as_of)) if reading.law else ()
    if reading.config is None or reading.law is None:
        return Finding(path, reading.config, reading.law, faults, new=new, as_of=as_of)
    notes, open_questions = (
        tuple(_notes(reading.config, reading.law)),
        tuple(_unproved(reading.config, reading.law)),
    )
    try:
        edges = library.find_edges(reading.law.rulebook)
        odd = tuple(warnings(edges, reading.law, reading.config.table.offered))
    except EdgesInvalid as exc:
        notes, odd = (*notes, f"what each wager brings the house is not known: {exc}"), ()
    return Finding(path, reading.config, reading.law, faults, notes, open_questions, odd, new, as_of)


def page(finding: Finding) -> list[str]:
    """Lines for a person: every fault first, then what stands."""
    many = {0: "sound", 1: "1 fault"}.get(len(finding.faults), f"{len(finding.faults)} faults")
    lines = [f"{finding.path}: {many}", *(f"  WRONG  {text}" for text in together(finding.faults))]
    lines += [f"  ODD    {warning}" for warning in finding.warnings]
    if finding.new and finding.law is not None:
        lines += ["", *_new(finding.law, finding.new, finding.as_of)]
    if finding.config is not None and finding.law is not None:
        for title, rows in _sections(finding.config, finding.law):
            lines += ["", title, *(f"  {row}" for row in rows)]
    for title, texts in (("Note", finding.notes), ("Not provable with these devices", finding.open_questions)):
        if texts:
            lines += ["", title, *(f"  - {text}" for text in texts)]
    return lines


def document(finding: Finding) -> dict[str, Any]:
    """The same for a program."""
    law = finding.law
    return {
        "path": str(finding.path),
        "sound": not finding.faults,
        "faults": [str(fault) for fault in finding.faults],
        "fault_codes": [{"code": f.code, "place": f.place, "line": f.line} for f in finding.faults],
        "warnings": list(finding.warnings),
        "rulebook": {"id": law.rulebook.id, "edition": law.rulebook.edition, "sha256": law.rulebook.sha256}
        if law
        else None,
        "readings": [
            {"reading": r.id, "choice": law.elected(r.id), "by": law.elections[r.id].by, "cautious": r.cautious}
            for r in law.rulebook.questions.values()
            if r.id in law.elections
        ]
        if law
        else [],
        "new": [
            {
                "reading": q.id,
                "since": str(q.since),
                "closes": _must(q),
                "cautious": q.cautious,
                "effect": effect(law.rulebook, q) if law else "",
            }
            for q in finding.new
        ],
        "questions_as_of": finding.as_of,
        "notes": list(finding.notes),
        "not_provable": list(finding.open_questions),
    }


def _new(law: Law, new: Sequence[Question], as_of: str | None) -> Iterator[str]:
    """Questions that an update has brought, each with what follows for this table, and how to answer them."""
    unsaid = "the file does not say which questions it answers, as [elections] questions_as_of"
    yield f"New questions since these elections ({as_of or unsaid})"
    for question in new:
        yield f"  {question.id}  since {question.since}  {_closes(question)}  [{', '.join(question.clauses)}]"
        yield f"      {question.problem} {effect(law.rulebook, question)}"
        for choice in question.choices:
            mark = " (cautious)" if choice.id == question.cautious and not makers_choice(question) else ""
            yield f"      {choice.id}{mark}: {choice.says}"
    day = newest(law.rulebook)
    prints = f"`tablewarden rulebook readings {law.rulebook.id} --table FILE` prints the section"
    yield f"  Answer them in [elections] and set questions_as_of = {day} there; {prints}."


def _closes(question: Question) -> str:
    if makers_choice(question):
        return "the maker's choice: nothing to elect"
    return "KEEPS THIS TABLE CLOSED until it is elected" if _must(question) else "may be elected"


def _must(question: Question) -> bool:
    return isinstance(question, HouseChoice) or question.closes


def _unelected(reading: Reading | HouseChoice) -> Fault:
    choices = " | ".join(f"{c.id}{' (cautious)' if c.id == reading.cautious else ''}" for c in reading.choices)
    what = f"nobody has elected it, so the table may not open. {reading.problem} {choices}"
    return Fault(f"[elections] {reading.id}", what, "reading_unelected")


def _sections(config: Config, law: Law) -> Iterator[tuple[str, list[str]]]:
    table, book = config.table, law.rulebook
    play = "in production" if table.production else "not in production: simulators and the bench are accepted"
    dealing = book.dealing[table.method]
    yield (
        "Table",
        [
            f"{table.id} at {table.site}, {table.seats} seats, {table.currency}, {play}",
            f"{book.id}, {book.game}, {book.regulator}, edition {book.edition}, sha256 {book.sha256[:16]}",
            f"dealt by {_spoken(table.method)} [{', '.join(dealing.cite)}], sets {' and '.join(table.backs)}",
            f"optional wagers: {', '.join(table.offered) or 'none'}",
            *(
                f"{name}: {least} to {most} cents"
                for name, (least, most) in table.limits.items()
                if most < MOST_CENTS
            ),
            *([f"payouts: at most {table.payout_limit_cents} cents a hand"] if table.payout_limit_cents else []),
            *([f"payouts: in whole {table.unit_cents} cents"] if table.unit_cents > 1 else []),
            *(f"{name}: from {least} cents" for name, (least, most) in table.limits.items() if most == MOST_CENTS),
        ],
    )
    yield (
        "Devices",
        [
            f"{d.name:16}{d.kind:13}{d.path}  serial {d.serial or 'any'}  {d.baud} baud"
            f"  {'key' if d.key_file else 'no key'}{_bus(d)}"
            for d in config.devices
        ]
        or ["none: everything is recorded by people"],
    )
    yield "Readings", list(_readings(law))
    yield (
        "Record and links",
        [
            f"journal   {config.journal}",
            f"broker    {f'{config.mqtt.host}:{config.mqtt.port}, MQTT {config.mqtt.protocol}' if config.mqtt else 'none'}",
            f"control   {config.control.socket}",
            *(f"person    {p.name}: {_roles(p)}" for p in config.control.people.values()),
        ],
    )


def _roles(person: Person) -> str:
    return ", ".join(sorted(person.roles))


def _bus(device: DeviceConfig) -> str:
    """The units on a bus, by their addresses."""
    addresses = ", ".join(str(unit.address) for unit in device.units)
    return f"  units {addresses}" if addresses else ""


def _readings(law: Law) -> Iterator[str]:
    """Each reading and house choice with what was chosen and by whom; readings with one choice are the maker's."""
    for reading in law.rulebook.questions.values():
        election = law.elections.get(reading.id)
        if election is None and len(reading.choices) == 1:
            yield f"{reading.id}  {reading.choices[0].id}  the maker's choice: {reading.problem}"
        elif election is not None:
            mark = (
                "" if reading.cautious in (None, election.choice) else f" (cautious would be {reading.cautious})"
            )
            yield f"{reading.id}  {election.choice}{mark}  by {election.by}: {reading.problem}"


def _notes(config: Config, law: Law) -> Iterator[str]:
    if config.mqtt is None:
        yield "no [mqtt]: nothing leaves this machine; events wait in the journal"
    elif config.mqtt.tls is None and config.mqtt.host not in LOOPBACK:
        yield f"the link to {config.mqtt.host} is not encrypted: name its authority with `ca`"
    if not config.control.people:
        yield "no [[control.people]]: nobody may act, so the table can be watched and never opened"
    if config.table.production:
        for person in config.control.people.values():
            if person.uid is None:
                yield f"{person.name} has no `uid`: everybody who reaches the socket may act in this name, as {_roles(person)}"
    if config.table.production:
        yield from _not_kept(config.retention)
    for missing in unposted(config.table, law.rulebook):
        yield f"{missing}: no amount is refused for it; name it in [limits]"
    each_day = law.rulebook.deck_change.each_gaming_day
    if each_day is not None and each_day.value and config.table.calendar is None:
        yield f"no `gaming_day`: sets are due for change 24 hours after they came [{', '.join(each_day.cite)}]"
    kinds = {device.kind for device in config.devices}
    if DeviceKind.PROGRESSIVE in kinds and "progressive" not in config.table.offered:
        yield "a progressive device stands here, and no progressive wager is offered: it stays locked"


def _not_kept(retention: Retention) -> Iterator[str]:
    """What of the record a loss takes, or the disk will not hold for ever."""
    if retention.copy is None:
        yield (
            "[retention] copy is missing: the record is on this machine alone and goes with its disk; name a folder on another "
            "disk or medium, and let the unit write there (docs/record.md)"
        )
    if retention.keep_days is None:
        yield (
            "[retention] keep_days is missing: the live file grows with each gaming day and is never pruned; say how many days "
            "stay in it, such as 35"
        )


def _unproved(config: Config, law: Law) -> Iterator[str]:
    """What rests on people's word, or becomes known only when a device says what it can."""
    kinds = {device.kind for device in config.devices}
    book = law.rulebook
    yield "what the wagers on the layout are worth: amounts are as people record them"
    if config.devices:
        yield from _unmeasured(config)
    if keyless := [d.name for d in config.devices if d.key_file is None]:
        yield f"that nobody speaks on the cable in the place of {', '.join(keyless)}: no key_file"
        yield f"that nobody changed the log of {', '.join(keyless)} while the daemon was away: no key holds it together"
    if config.vault is None:
        yield "that the record's file alone shows nobody the faces of cards: no vault"
    if DeviceKind.SHUFFLER not in kinds:
        yield "that a set was shuffled, and that it is whole: both are as people record them"
    else:
        if book.stub and not _surely(DeviceKind.SHUFFLER, Capability.COUNTS_EACH_SHUFFLE):
            every = book.stub.every_rounds
            yield (
                "that each shuffled set is whole, unless the shuffler says that it counts; else people count the stub "
                f"every {every.value} rounds [{', '.join(book.cite_for(every.cite, config.table.method))}]"
            )
        if not _surely(DeviceKind.SHUFFLER, Capability.READS_CARDS):
            yield "that no card of a set is missing, doubled or foreign, unless the shuffler says that it reads cards"
    if config.table.method in (Method.HAND, Method.MANUAL_SHOE):
        yield "how many cards left the set: dealing is as people record it"
    for device in config.devices:
        if device.kind is DeviceKind.LINE:
            yield f"that no report of {device.name} is missing: its lines carry no number"
        elif device.codec is Codec.BEETEK:
            yield (
                f"that {device.name} reported each card once, and that it is connected while it is silent: its lines "
                "carry no number"
            )
        elif device.codec is Codec.MODBUS:
            yield (
                f"that no chip came and went at {device.name} between two looks, or while a unit did not answer: remote I/O "
                "counts nothing and keeps no log"
            )
        elif not _surely(device.kind, Capability.KEEPS_LOG):
            yield f"what {device.name} did before a power cut that it had not yet reported, unless it keeps its log"


def _unmeasured(config: Config) -> Iterator[str]:
    """Devices whose firmware is known by their own word: no key, or a model of which the list has no image."""
    for device in config.devices:
        rows = [row for row in device.approved if row.kind is device.kind and row.approval is not Approval.REVOKED]
        if device.key_file is None or not rows or any(row.image is None for row in rows):
            yield f"that the firmware of {device.name} is an approved one: it is known by its own word, not measured"


def _surely(kind: DeviceKind, capability: Capability) -> bool:
    """Every device of this kind must have it to serve."""
    return capability in LEAST[kind]


def _spoken(word: str) -> str:
    return word.replace("_", " ")
