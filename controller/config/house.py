"""What several configurations say of one house: what must be alike at its tables, and what no two of them can share."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from controller.config.report import Finding
from controller.readers.fault import Fault
from controller.rules.elections import unequal


def of_one_house(findings: Sequence[Finding]) -> list[Finding]:
    """The same findings, where these files are the tables of one house: what must be alike at each of them is.

    A choice that differs is a fault of every table that it concerns, with the clause and what each table has; so is a name
    that must be one table's alone, and is another's too.
    """
    named = {_table_name(finding, findings): finding for finding in findings if finding.law is not None}
    told = []
    for finding in findings:
        alike = {name: f.law for name, f in named.items() if f.law and _same_document(f, finding)}
        faults = [Fault("[elections]", difference, "elections_unequal") for difference in unequal(alike)]
        faults += _one_client(finding, findings)
        odd = tuple(_one_place(finding, findings))
        told.append(replace(finding, faults=(*finding.faults, *faults), warnings=finding.warnings + odd))
    return told


def _table_name(finding: Finding, among: Sequence[Finding]) -> str:
    """The table's own name, or the file's where two tables call themselves the same or nothing could be read."""
    names = [f.config.table.id for f in among if f.config]
    own = finding.config.table.id if finding.config else ""
    return own if names.count(own) == 1 else str(finding.path)


def _same_document(one: Finding, other: Finding) -> bool:
    return bool(one.law and other.law and one.law.rulebook.id == other.law.rulebook.id)


def _one_client(finding: Finding, among: Sequence[Finding]) -> Iterator[Fault]:
    """A broker lets in one client of a name: the second throws the first out, which comes back and throws out the second."""
    for other in _others(finding, among):
        if finding.config and other.config and finding.config.mqtt and other.config.mqtt:
            name = finding.config.mqtt.client_id
            if name == other.config.mqtt.client_id:
                yield (
                    Fault(
                        "[mqtt] client_id",
                        f"{name!r} is also that of {_table_name(other, among)}; a broker admits only one of them; "
                        "give each table a name that is unique in the whole company",
                        "client_id_taken",
                    )
                )


def _one_place(finding: Finding, among: Sequence[Finding]) -> Iterator[Fault]:
    """No fault, as it may be meant: tables on machines of their own may have it alike."""
    for other in _others(finding, among):
        if finding.config is None or other.config is None:
            continue
        mine, its, name = finding.config, other.config, _table_name(other, among)
        if os.path.realpath(mine.journal) == os.path.realpath(its.journal):
            yield Fault(
                "[journal] path",
                f"{mine.journal} is also the record of {name}; on one machine only one can start",
                "journal_taken",
            )
        if (mine.table.site, mine.table.id) == (its.table.site, its.table.id):
            yield Fault(
                "[table] site, id",
                f"{mine.table.site}/{mine.table.id} is also {name}; rename one of them",
                "table_taken",
            )


def _others(finding: Finding, among: Sequence[Finding]) -> Iterator[Finding]:
    """Each other file; one that is given twice is no other."""
    own = os.path.realpath(finding.path)
    return (other for other in among if os.path.realpath(other.path) != own)
