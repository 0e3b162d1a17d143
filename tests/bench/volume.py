"""What a round sends to the broker: messages and bytes of events and of retained state.

    python -m tests.bench.volume [--rounds 8]

Rounds are played on the bench with all devices, every card told and every wager settled by itself. Each commit is folded again,
and each state that changed by it is counted as sent: at the pace of a real table no two changes fall together.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from controller.audit.replay import folded, setup_of
from controller.clock import rfc3339
from controller.daemon.views.state_topics import state_topics
from controller.journal.bodies import body_of
from controller.journal.opening import opened
from controller.journal.record import Record, Stream
from controller.publish.board import Board
from controller.publish.envelope import Wrapper
from controller.publish.topics import Topics
from controller.table.state.table import Setup, State
from controller.table.words.inputs import ServiceStarted
from tests.bench.record_size import play

BEFORE = 2
"""Rounds that are left out: what a table says at its opening is sent once a day."""


@dataclass(frozen=True, slots=True)
class Volume:
    """One kind of message. Bytes of payloads, a round."""

    messages: float
    payload: float


def volumes(journal: Path) -> dict[str, Volume]:
    """Worked out from a journal of some rounds: `events`, `states`, and each topic."""
    with opened(journal) as view:
        steps = list(folded(view))
        about = view.description
        (started,) = (r for r, _, _ in steps if r.kind == ServiceStarted.kind)
        told = body_of(Stream.MAIN, started, ServiceStarted)
        assert told.setup is not None
        setup = setup_of(told, told.setup, about.site, about.table)
        wrapper = Wrapper(Topics(about.site, about.table), about.id, input_body=view.input_body)
        ends = [number for number, (record, _, _) in enumerate(steps) if record.kind == "round_ended"]
        begin, end = ends[BEFORE - 1], ends[-1]
        sent: list[tuple[str, int]] = []
        for number, topic, payload in _sent(setup, wrapper, steps):
            if begin < number <= end:
                sent.append((topic, len(payload)))
    rounds = len(ends) - BEFORE

    def volume(prefix: str) -> Volume:
        sizes = [size for topic, size in sent if topic.startswith(prefix)]
        return Volume(len(sizes) / rounds, sum(sizes) / rounds)

    return {prefix: volume(prefix) for prefix in ("evt/", "state/", *sorted({topic for topic, _ in sent}))}


def _sent(
    setup: Setup, wrapper: Wrapper, steps: list[tuple[Record, State, State]]
) -> Iterator[tuple[int, str, bytes]]:
    """The messages, each with the place of the record behind it."""
    board = Board()
    for number, ((record, _, after), (following, _, _)) in enumerate(pairwise([*steps, steps[-1]])):
        yield number, f"evt/{record.stream.value}", wrapper.wrap(record).payload
        if following.cause == record.cause and following is not record:
            continue  # of one commit
        beside = {"sequence": record.sequence, "time": rfc3339(record.recorded_us)}
        states: Mapping[str, dict[str, Any] | None] = state_topics(setup, after)
        board.refresh({thing: body and {**body, **beside} for thing, body in states.items()})
        while (one := board.peek()) is not None:
            board.sent(one[0])
            board.answered(one[0])
            yield number, f"state/{one[0]}", one[1]


async def measured(directory: Path, rounds: int) -> dict[str, Volume]:
    """Plays and weighs."""
    with tempfile.TemporaryDirectory(dir=directory) as place:
        return volumes(await play(Path(place), rounds))


def report(found: Mapping[str, Volume]) -> str:
    """One topic a line, of a round."""
    return "\n".join(
        f"{topic:24} {one.messages:8.1f} messages {one.payload:10,.0f} bytes" for topic, one in found.items()
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    print(report(asyncio.run(measured(Path("/var/tmp"), parser.parse_args().rounds))))
