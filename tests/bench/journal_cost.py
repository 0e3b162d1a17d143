"""What the record costs, as ratios to what the file system and the JSON parser cost in the same run.

usage: journal_cost.py [DIR] [--events 1500] [--reps 5] [--records 200000] [--json]

DIR must lie on the disk to be measured, not in memory. An event is one input with one fact, hashed, numbered and
committed; the raw append writes the same two bodies to a plain file and calls fdatasync. Repetitions are interleaved
and the medians are shown, because the disk's own speed wanders.
"""

import argparse
import gzip
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec

from controller.audit.day_rounds import VERDICTS, DayRounds, by_set, known_days, note_open_day, write_day
from controller.audit.lookback import lookback
from controller.audit.rounds_of_set import Touched, empty_table, touched_in
from controller.cli.filters.decide import example_setup
from controller.cli.journal.lookback import _document, _page
from controller.clock import SystemClock
from controller.daemon.record.snapshot import Snapshots
from controller.journal.archive.shelf import beside
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.proof.verify import verify
from controller.journal.record import FACTS, Draft, Stream, Transaction
from controller.journal.store import Journal, opened
from controller.journal.vault.vault_keys import make_vault
from controller.rules.elections import proposals
from controller.rules.read.library import find
from controller.rules.vocabulary import Area, Role
from controller.table.state.table import Setup, State
from controller.table.words.acts import RecordHand
from controller.table.words.codec import encode, encode_input
from controller.table.words.facts import HandRecorded
from controller.table.words.inputs import Actor, Input, Moment, ServiceStarted

BODY = (
    b'{"back":"red","activity":"dealing","place":"output","stack":3,"cards_inside":27,"cites":["15(f)"],"n":%9d}'
)
IN_FLIGHT = 64
INPUTS_A_ROUND, HANDS_A_ROUND = 100, 7
"""Of a bench that tells each hand, six seats, dealer and community; each is one transaction."""
PLAYS_A_DAY, PLAYS_AN_HOUR = 300, 15
"""Of four rounds: 60 rounds an hour, 20 hours."""
clock = SystemClock()


def event(counter: int) -> Transaction:
    body = BODY % counter
    said = Draft(Stream.INPUT, "device_report", 1, "shoe-1", None, body)
    fact = Draft(Stream.MAIN, "device_jammed", 1, "shoe-1", "20260101-0421", body)
    return Transaction(clock.stamp(), said, ("SHOE-0042", "00000000000000d1", counter), (fact,))


@contextmanager
def fresh(directory: Path) -> Iterator[Journal]:
    with tempfile.TemporaryDirectory(dir=directory) as place:
        journal = Journal.open(Path(place) / "journal.db", site="bench", table="t-1")
        try:
            yield journal
        finally:
            journal.close()


def raw_append(directory: Path, events: int) -> list[float]:
    with tempfile.TemporaryFile(dir=directory, buffering=0) as file:
        return [
            _timed(lambda n=n: (file.write((BODY % n + b"\n") * 2), os.fdatasync(file.fileno())))
            for n in range(events)
        ]


def append(directory: Path, events: int, group: int) -> list[float]:
    """Microseconds of each commit of `group` events."""
    with fresh(directory) as journal:
        groups = ([event(n + k) for k in range(group)] for n in range(0, events * group, group))
        return [_timed(lambda g=g: journal.append(g, clock.stamp())) for g in groups]


def hand(n: int) -> Transaction:
    """A hand that a dealer told, as it is recorded: the dearest thing to seal."""
    act = RecordHand(Area.PLAYER, "As Kd 10h 9c 2s", seat=n % 6 + 1)
    said = encode_input(Input(Moment(1, 1, "b"), "table", act, None, Actor("ada", Role.DEALER)))
    fact = encode(HandRecorded("t-1-7", act.area, act.seat, act.cards, "", "", "ada"))
    facts = (Draft(Stream.MAIN, HandRecorded.kind, 1, "table", "t-1-7", fact),)
    return Transaction(clock.stamp(), Draft(Stream.INPUT, act.kind, 1, "table", "t-1-7", said), None, facts)


def sealing(directory: Path, events: int) -> dict[str, float]:
    """Microseconds of processor time for a told hand, sealed and in the clear, interleaved; and what a round of play pays."""
    with fresh(directory) as plain, tempfile.TemporaryDirectory(dir=directory) as place:
        vault = make_vault(Path(place) / "vault")
        sealed = Journal.open(Path(place) / "journal.db", site="bench", table="t-1", vault=vault)
        took: dict[Journal, list[float]] = {plain: [], sealed: []}
        for n in range(events):
            for journal, times in took.items():
                begun = time.process_time_ns()
                journal.append([hand(n)], clock.stamp())
                times.append((time.process_time_ns() - begun) / 1e3)
        sealed.close()
    clear_us, sealed_us = (statistics.median(times) for times in took.values())
    in_play = (clear_us * INPUTS_A_ROUND + (sealed_us - clear_us) * HANDS_A_ROUND) / (clear_us * INPUTS_A_ROUND)
    return {"hand_clear_cpu_us": clear_us, "hand_sealed_cpu_us": sealed_us, "seal_in_play_ratio": in_play}


def audit(directory: Path, records: int) -> dict[str, float]:
    """Milliseconds to prove a big journal, to parse its bodies, to read its records, and to open it and an empty one."""
    with fresh(directory) as journal:
        for n in range(0, records // 2, 1000):
            journal.append([event(n + k) for k in range(1000)], clock.stamp())
        empty_ms = _open_ms(directory, None)
        proof = _timed(lambda: verify(journal.path)) / 1e3
        read = _timed(lambda: [0 for _ in journal.records(list(Stream), {})]) / 1e3
        bodies = [r.data for r in journal.records(list(Stream), {})]
        parse = _timed(lambda: [json.loads(body) for body in bodies]) / 1e3
        size = journal.path.stat().st_size / len(bodies)
        journal.close()
        full_ms = _open_ms(directory, journal.path)
    return {"proof_ms": proof, "read_ms": read, "json_loads_ms": parse, "open_empty_ms": empty_ms,
            "open_full_ms": full_ms, "bytes_a_record": size}  # fmt: skip


def _open_ms(directory: Path, path: Path | None) -> float:
    """A start: open the journal, take the state from the snapshot, fold what is left."""
    key, setup = _key(directory), _setup()

    def once(at: Path) -> float:
        journals: list[Journal] = []

        def start() -> None:
            journal = Journal.open(at, site="bench", table="t-1")
            journals.append(journal)
            snapshot = Snapshots(at, key, setup).load(journal)
            after = {s: snapshot.heads[s].sequence for s in FACTS} if snapshot else {}
            assert not list(journal.records(FACTS, after))

        took = _timed(start)
        journals[0].close()
        return took / 1e3

    with tempfile.TemporaryDirectory(dir=directory) as place:
        at = path or Path(place) / "journal.db"
        with closing(Journal.open(at, site="bench", table="t-1")) as journal:
            if journal.order == 0:
                journal.append([event(0)], clock.stamp())
            Snapshots(at, key, setup).save(journal, State.initial(setup))
        once(at)
        return statistics.median(once(at) for _ in range(5))


def _key(directory: Path) -> SigningKey:
    with tempfile.TemporaryDirectory(dir=directory) as place:
        make_key(Path(place) / "key")
        return SigningKey.load(Path(place) / "key")


def _setup() -> Setup:
    book = find("md-uth")
    return example_setup(book, {question: (choice, "bench") for question, choice in proposals(book).items()})


def _play(directory: Path) -> list[Transaction]:
    """What the kept journal of a release recorded, to be recorded again as often as it takes."""
    kept = next(Path(__file__).parents[1].glob("journals/*/md-uth.journal.gz"))
    with tempfile.TemporaryDirectory(dir=directory) as place:
        path = Path(place) / "kept"
        path.write_bytes(gzip.decompress(kept.read_bytes()))
        with opened(path) as view:
            records = list(view.merged(Stream))
    played: list[Transaction] = []
    for record in records:
        draft = Draft(record.stream, record.kind, 1, record.subject, record.round_id, record.data)
        if record.stream is Stream.INPUT:
            played.append(Transaction(clock.stamp(), draft))
        elif record.kind != "checkpoint_signed":
            last = played[-1]
            played[-1] = Transaction(last.at, last.input, None, (*last.facts, draft))
    return played


def look_back(directory: Path, records: int) -> dict[str, float]:
    """Milliseconds until the rounds of a set since its last good verdict are found, at the end of so many records of play."""
    played = _play(directory)
    with fresh(directory) as journal:
        while journal.order < records:
            journal.append(played, clock.stamp())
        rounds: list[int] = []
        with opened(journal.path) as view:
            took = _timed(lambda: rounds.extend(len(lookback(view, back).rounds) for back in ("red", "blue")))
    assert sum(rounds)
    return {"lookback_records": float(journal.order), "lookback_ms": took / 2e3}


def look_back_month(directory: Path, plays: int, days: int = 30) -> dict[str, float]:
    """Milliseconds of the worst look-back: the last good verdict on a set is a month old, and the open day is at its end.

    The open day is played, and was worked out an hour ago; the closed ones before it are that day again. `plays`: of four
    rounds each, a day. `lookback_month_ms`: until the page stands there; `lookback_unread_day_ms`: to fold all of the open day.
    """
    played = _play(directory)
    first, quiet = _without(played, VERDICTS), _without(played, (*VERDICTS, ServiceStarted.kind))
    with fresh(directory) as journal:
        journal.append(first, clock.stamp())
        for _ in range(plays - PLAYS_AN_HOUR - 1):
            journal.append(quiet, clock.stamp())
        folder = beside(journal.path, journal.id)
        with opened(journal.path) as view:
            assert note_open_day(view, folder)
        for _ in range(PLAYS_AN_HOUR):
            journal.append(quiet, clock.stamp())
        with opened(journal.path) as view:
            through = view.last()[0][Stream.MAIN].sequence
            state = empty_table(view)
            rounds = tuple(touched_in(view, state, state.sets, 0, through))
            for back in range(1, days + 1):
                _worked_out(folder, rounds, through, back, is_oldest=back == days)
            pages: list[int] = []
            day = _timed(lambda: list(touched_in(view, state, ("red",), 0, through)))

            def command() -> None:
                document = _document(lookback(view, "red", days=known_days(view, folder)), journal.id)
                pages.append(len("\n".join(_page(document))))
                pages.append(len(document["rounds"]))

            month = min(_timed(command) for _ in range(3))
        size = sum(path.stat().st_size for path in folder.glob("*-*.rounds")) / days
    return {"lookback_month_rounds": float(pages[1]), "lookback_month_ms": month / 1e3, "lookback_unread_day_ms": day / 1e3,
            "day_worked_out_kb": size / 1e3}  # fmt: skip


def _without(played: list[Transaction], kinds: tuple[str, ...]) -> list[Transaction]:
    return [replace(t, facts=tuple(fact for fact in t.facts if fact.kind not in kinds)) for t in played]


def _worked_out(folder: Path, rounds: tuple[Touched, ...], through: int, back: int, *, is_oldest: bool) -> None:
    """A closed day before the open one, with numbers of its own; the oldest begins with a good verdict."""
    shift = through * back
    name = f"2026-01-{31 - back:02d}-{10**9 - shift:012d}-{10**9 - shift + through - 1:012d}-{back:016x}.segment"
    (folder / name).touch()
    good = (1 - shift, "set_checked", 1, "table", None, 0, '{"back":"red","count_right":true}')
    own = by_set(msgspec.structs.replace(r, begun=r.begun - shift) for r in rounds)
    day = DayRounds(name, -shift, through - shift, (good,) if is_oldest else (), own)
    write_day((folder / name).with_suffix(".rounds"), day)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start) / 1e3


def measure(directory: Path, events: int, reps: int, records: int, plays: int = PLAYS_A_DAY) -> dict[str, float]:
    """All figures of the record. `plays`: of a day, where `records` are to be told of at all."""
    runs = []
    for _ in range(reps):
        raw, one = raw_append(directory, events), append(directory, events, 1)
        many = append(directory, max(events // IN_FLIGHT, 20), IN_FLIGHT)
        floor, p50 = statistics.median(raw), statistics.median(one)
        runs.append(
            {
                "raw_p50_us": floor,
                "append_p50_us": p50,
                "append_p99_us": statistics.quantiles(one, n=100)[98],
                "append_ratio": p50 / floor,
                "in_flight_ratio": statistics.median(many) / IN_FLIGHT / floor,
            }
        )
    out = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    out |= sealing(directory, min(events, 300))
    if records:
        big = audit(directory, records)
        out |= big | {
            "proof_ratio": big["proof_ms"] / big["json_loads_ms"],
            "open_ratio": big["open_full_ms"] / big["open_empty_ms"],
        }
        out |= look_back(directory, records)
        out |= look_back_month(directory, plays)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", nargs="?", type=Path, default=Path("/var/tmp"))
    parser.add_argument("--events", type=int, default=1500)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument(
        "--records", type=int, default=200_000, help="size of the journal that is audited; 0 = none"
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    out = measure(args.dir, args.events, args.reps, args.records)
    if args.json:
        print(json.dumps(out))
        return
    print(report(out))


def report(out: dict[str, float]) -> str:
    """One figure a line; a ratio is to what the file system or the JSON parser took in the same run."""
    return "\n".join(f"{key:18} {value:10.3f}" for key, value in out.items())


if __name__ == "__main__":
    main()
