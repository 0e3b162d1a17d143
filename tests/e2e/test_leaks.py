"""No card is known before its time: everything that leaves a running table is searched for what its people told it.

Tables play on the bench with cards told, wagers settled by them, a real broker, a daemon that is killed, and somebody who tells
hands that are not turned up. What the hands were is taken from the record with the vault, as nobody else could.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.journal.record import Stream
from controller.journal.store import opened
from controller.journal.vault.vault import StillSealed
from controller.journal.vault.vault_keys import VaultKeys
from simulators.bench.expected import EXPECTED
from simulators.bench.observer.evidence import State
from simulators.bench.options import Options
from simulators.bench.run import Outcome, run

PEEKED = ("9h 9d 9s 9c Jh Jd Js Jc Qh", "Th Td Ts Tc 8h 8d 8s 8c 7h")
"""Hands that nobody has: told at any time, and never taken, since no hand of any game has so many cards."""
POLL_S = 0.1


class Watcher:
    """Someone at the control socket: asks for the status, watches all streams, and tells what must be refused."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self.seen: list[bytes] = []
        self.announced: set[str] = set()
        self.refused = 0

    async def run(self) -> None:
        """Until cancelled; a daemon that is away is waited for."""
        number = 0
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(str(self._socket), limit=1 << 26)
            except OSError:
                await asyncio.sleep(POLL_S)
                continue
            try:
                writer.write(b'{"id":0,"do":"watch","after":0,"streams":["main","diag","input"]}\n')
                asking = asyncio.create_task(self._ask(writer, number))
                number += 1
                while line := await reader.readline():
                    self._take(line)
            except OSError:
                pass
            finally:
                asking.cancel()
                writer.close()

    async def _ask(self, writer: asyncio.StreamWriter, number: int) -> None:
        while True:
            number += 1
            peek = {"area": "dealer", "cards": PEEKED[number % len(PEEKED)]}
            act = {"id": 2, "do": "act", "act": "record_hand", "args": peek, "who": "dealer", "role": "dealer"}
            for request in ({"id": 1, "do": "status"}, act):
                writer.write(json.dumps(request).encode() + b"\n")
            await asyncio.sleep(POLL_S)

    def _take(self, line: bytes) -> None:
        told = json.loads(line)
        self.refused += told["id"] == 2 and not told["ok"]
        assert told["id"] != 2 or not told["ok"], "nobody has this hand"
        self.seen.append(line)
        if told["id"] == 1 and told["ok"] and (says := told["result"].get("announce")):
            self.announced.update(says["hands"])


def hands_of(journal: Path) -> dict[str, list[str]]:
    """Round -> every text of cards that was told in it, refused ones too."""
    keys = VaultKeys.load(journal.with_name(journal.name + ".vault"))
    found: dict[str, list[str]] = {}
    with opened(journal) as view:
        unsealer = view.unsealer(keys)
        for record in view.merged((Stream.INPUT,)):
            if record.kind == "record_hand":
                body = json.loads(unsealer.clear(record).data)["body"]
                found.setdefault(record.round_id or "", []).extend(
                    body[k] for k in ("cards", "played") if body.get(k)
                )
    return found


def files_of(directory: Path) -> Iterator[tuple[str, bytes]]:
    """What the daemon wrote: record, log of the record, snapshot, frames, its own log. Not what people and devices know."""
    for path in sorted(directory.rglob("*")):
        is_daemons = path.name.startswith("journal.") or path.name == "daemon.log" or ".frames" in str(path)
        if path.is_file() and is_daemons and not path.name.endswith((".vault", ".key")):
            yield path.name, path.read_bytes()


def outputs(outcome: Outcome, watcher: Watcher, directory: Path) -> Iterator[tuple[str, bytes]]:
    """Everything that left the daemon, by name."""
    yield from files_of(directory)
    assert outcome.evidence.delivered, "a broker was there"
    yield from ((message.topic, message.payload) for message in outcome.evidence.delivered)
    yield from (("status or watch", line) for line in watcher.seen)
    journal = str(outcome.journal)
    for command in (["export", journal], ["tail", journal, "--all", "--json"], ["tail", journal, "--all"]):
        yield " ".join(command[:1]), CliRunner().invoke(cli, ["journal", *command]).output.encode()


async def played(options: Options) -> tuple[Outcome, Watcher]:
    assert options.keep
    watcher = Watcher(options.keep / "control.sock")
    watching = asyncio.create_task(watcher.run())
    try:
        return await run(options), watcher
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def search(options: Options) -> None:
    """Plays, and looks for every hand that was told in everything that left the daemon."""
    assert options.keep
    outcome, watcher = await played(options)
    assert not outcome.failed, outcome.failed
    assert watcher.refused > 10, "hands that are not turned up were told"
    told = sorted({text for texts in hands_of(outcome.journal).values() for text in texts if " " in text})
    assert {*PEEKED} < {*told}
    assert len(told) > len(PEEKED) + options.rounds // 2, "hands were told"
    faces = re.compile("|".join(rf"\b{re.escape(text)}" for text in told).encode())
    assert faces.search(json.dumps({"cards": told[0]}).encode()), "the search finds what it is for"
    searched = list(outputs(outcome, watcher, options.keep))
    leaks = [f"{name}: {found.group().decode()}" for name, data in searched if (found := faces.search(data))]
    assert not leaks, leaks[:20]
    assert {"journal.sqlite", "journal.sqlite.snapshot", "daemon.log"} <= {name for name, _ in searched}
    said_aloud_stays(outcome, watcher, options.keep)
    assert set(still_sealed(outcome)) == {"record_hand"}, "what was taken was let out, what was refused was not"
    assert not any(v.state == State.BROKEN and v.name.startswith("1 ") for v in outcome.verdicts)


def said_aloud_stays(outcome: Outcome, watcher: Watcher, directory: Path) -> None:
    """What the dealer announces is in the status of the table, and neither in its log nor at the broker."""
    if not watcher.announced:
        return
    words = re.compile("|".join(map(re.escape, watcher.announced)).encode())
    assert any(words.search(line) for line in watcher.seen)
    for name, data in files_of(directory):
        assert name != "daemon.log" or not words.search(data)
    for message in outcome.evidence.delivered or ():
        assert not words.search(message.payload), message.topic


def still_sealed(outcome: Outcome) -> list[str]:
    """The kinds of what nobody can read without the vault."""
    with opened(outcome.journal) as view:
        unsealer, found = view.unsealer(), []
        for record in view.merged((Stream.INPUT, Stream.MAIN)):
            try:
                unsealer.clear(record)
            except StillSealed:
                found.append(record.kind)
    return found


@pytest.mark.timeout(180)
async def test_nothing_that_leaves_a_table_names_a_card_that_was_told_at_it(tmp_path: Path) -> None:
    """A few rounds with a jam, over a daemon that is killed in their midst."""
    await search(
        Options("md-uth", rounds=3, pays=True, keep=tmp_path, kills=1, mishaps=("shoe_jam@2",), seconds=150)
    )


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("rulebook", sorted(EXPECTED))
async def test_a_long_run_of_each_document_names_no_card_outside(tmp_path: Path, rulebook: str) -> None:
    """Sixty rounds of each game, killed now and then."""
    await search(Options(rulebook, rounds=60, pays=True, keep=tmp_path, kills=8, seconds=1500))
