"""A topic that the broker does not take, on a real mosquitto that hangs up over it: named, and no other waits for it."""

import asyncio
import contextlib
import json
import signal

import pytest

from controller.publish.broker.link import Limits
from controller.publish.broker.memory import MemoryBroker
from controller.publish.outboxes.denied import STATES, Denied
from controller.publish.outboxes.suspects import OnWay, Suspects
from controller.publish.publisher import NotParked
from controller.publish.topics import Topics

BASE = "tablewarden/v1/lv01/lv01-bj-017"
ALL = ("conn", "evt/main", "evt/diag", "tele/heartbeat", "state/#")
S = 1_000_000_000


@pytest.fixture
def broker_that_denies(make_mosquitto):
    """A mosquitto with `max_queued_messages 0`, as docs/mqtt.md wants it: it hangs up after each publish that it denies."""

    def make(*topics: str):
        broker = make_mosquitto(start=False)
        broker.acl("topic read tablewarden/#", *(f"topic readwrite {BASE}/{t}" for t in ALL if t not in topics))
        broker.start()
        return broker

    return make


def parked(running):
    return {p["topic"].removeprefix(f"{BASE}/"): p for p in running.publisher.status()["parked_topics"]}


def named(running):
    """Topic and missing ACL line of each parked topic that was reported."""
    return [(d["topic"], d.get("acl")) for k, d in running.reports if k in ("publish_parked", "publish_refused")]


@pytest.mark.parametrize(("protocol", "most"), [("5", 5), ("3.1.1", 7)])
@pytest.mark.parametrize(("topic", "other"), [("evt/diag", "main"), ("evt/main", "diag")])
async def test_one_denied_stream_does_not_silence_the_other(
    broker_that_denies, listen, run, journal, until, topic, other, protocol, most
):
    """The ACL line that is missing is named; once it is there, all comes by itself, in order."""
    broker, denied = broker_that_denies(topic), topic.removeprefix("evt/")
    heard = await listen(broker.port)
    journal.add(other, count=60)
    journal.add(denied, count=60)
    running = run(broker.port, protocol=protocol, rewind_s=1800)
    await until(lambda: topic in parked(running) and len(set(heard.sequences(other))) == 60)
    assert running.publisher.status()["connects"] <= most
    assert parked(running)[topic]["acl"] == f"topic write {BASE}/{topic}"
    assert named(running) == [(f"{BASE}/{topic}", f"topic write {BASE}/{topic}")]
    assert heard.sequences(denied) == []
    journal.add(denied, count=10)
    running.publisher.wake()
    await until(lambda: running.publisher.status()["streams"][denied]["lag"] == 0)
    holes = running.publisher.status()["streams"][denied]["parked"]
    assert [(h["first"], h["last"]) for h in holes] == [(1, 70)]
    await running.kill()
    broker.acl("topic readwrite tablewarden/#")
    broker.send_signal(signal.SIGHUP)
    retry = {"denied_first_s": 0.1, "denied_most_s": 0.1, "heartbeat_s": 0.05}
    again = run(broker.port, protocol=protocol, rewind_s=1800, **retry)
    await until(lambda: heard.first_seen(denied) == list(range(1, 71)))
    await until(lambda: parked(again) == {})
    assert again.publisher.status()["streams"][denied]["parked"] == []


async def test_a_release_tries_a_denied_stream_at_once_and_the_rest_follows(
    broker_that_denies, listen, run, journal, until
):
    """In vain at first: nothing is lost by it. Then in time: one number releases all."""
    broker = broker_that_denies("evt/main")
    heard = await listen(broker.port)
    journal.add("main", count=30)
    running = run(broker.port)
    lag = lambda: running.publisher.status()["streams"]["main"]["lag"]  # noqa: E731
    await until(lambda: "evt/main" in parked(running) and lag() == 0)
    assert await running.publisher.release("main", 1, 5) == 5
    holes = lambda: running.publisher.status()["streams"]["main"]["parked"]  # noqa: E731
    await until(lambda: [(h["first"], h["last"]) for h in holes()] == [(1, 30)])
    assert len(named(running)) == 1
    broker.acl("topic readwrite tablewarden/#")
    broker.send_signal(signal.SIGHUP)
    while heard.sequences() == []:  # mosquitto gives no sign that it has read its list again
        with contextlib.suppress(NotParked):
            await running.publisher.release("main", 1)
        await asyncio.sleep(0.02)
    await until(lambda: heard.first_seen() == list(range(1, 31)))
    await until(lambda: holes() == [] and parked(running) == {})


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
@pytest.mark.parametrize("topic", ["tele/heartbeat", "conn"])
async def test_a_denied_heartbeat_or_birth_does_not_silence_the_events(
    broker_that_denies, listen, run, journal, until, topic, protocol
):
    """A heartbeat has no answer at all, and a birth comes before everything else."""
    broker = broker_that_denies(topic)
    heard = await listen(broker.port)
    journal.add(count=60)
    running = run(broker.port, protocol=protocol, heartbeat_s=0.05)
    await until(lambda: topic in parked(running) and len(set(heard.sequences())) == 60)
    assert running.publisher.status()["connects"] <= 6
    may = "readwrite" if topic == "conn" else "write"
    assert named(running) == [(f"{BASE}/{topic}", f"topic {may} {BASE}/{topic}")]
    connects = running.publisher.status()["connects"]
    journal.add(count=10)
    running.publisher.wake()
    await until(lambda: len(set(heard.sequences())) == 70)
    assert running.publisher.status()["connects"] == connects


async def test_denied_states_are_not_asked_one_by_one(broker_that_denies, listen, run, journal, until):
    """Two denied in a row name the whole line of the ACL; when it is there, every state is told again."""
    broker = broker_that_denies("state/#")
    heard = await listen(broker.port)
    journal.add(count=60)
    running = run(broker.port, heartbeat_s=0.05, denied_first_s=0.1, denied_most_s=0.1)
    running.states.update({f"shoe-{n}": {"count": n} for n in range(8)})
    await until(lambda: STATES in parked(running) and len(set(heard.sequences())) == 60)
    assert named(running)[-1] == (f"{BASE}/state/#", f"topic write {BASE}/state/#")
    broker.acl("topic readwrite tablewarden/#")
    broker.send_signal(signal.SIGHUP)
    await until(lambda: len({t for t, *_ in heard.messages if "/state/" in t}) == 8)
    await until(lambda: parked(running) == {})


@pytest.mark.parametrize(
    ("protocol", "size"), [("5", "over the limit"), ("3.1.1", "ended the connection 3 times")]
)
async def test_a_state_over_the_brokers_limit_is_parked_and_named(
    make_mosquitto, listen, run, journal, until, protocol, size
):
    """As an event is: told once, however often it changes, and sent once it fits; the heartbeat says so too."""
    broker = make_mosquitto("max_packet_size 4096")
    heard = await listen(broker.port)
    journal.add(count=60)
    running = run(broker.port, protocol=protocol, heartbeat_s=0.05, denied_first_s=0.2, denied_most_s=0.2)
    running.states.update({"table": {"note": "x" * 10_000}, "lockout": {"value": "engaged"}})
    await until(lambda: "state/table" in parked(running))
    assert size in parked(running)["state/table"]["reason"]
    await until(lambda: len(set(heard.sequences())) == 60)
    await until(lambda: any(t == f"{BASE}/state/lockout" for t, *_ in heard.messages))
    beats = lambda: [json.loads(p) for t, p, *_ in heard.messages if t.endswith("/tele/heartbeat")]  # noqa: E731
    await until(lambda: any(beat.get("parked_topics") == ["state/table"] for beat in beats()))
    running.states["table"] = {"note": "y" * 10_000}
    running.publisher.wake()
    running.states["table"] = {"note": "short"}
    running.publisher.wake()
    await until(lambda: any(t == f"{BASE}/state/table" for t, *_ in heard.messages))
    await until(lambda: parked(running) == {})
    assert [topic for topic, _ in named(running)] == [f"{BASE}/state/table"]


async def test_a_large_state_that_changes_is_told_once(run, journal, until):
    """Each report becomes an event: a state that is too large and changes ten times a second must not make ten a second."""
    broker = MemoryBroker(limits=Limits(packet=4096))
    running = run(broker)
    for n in range(4):
        running.states["table"] = {"note": str(n) * 10_000}
        running.publisher.wake()
        await until(lambda n=n: str(n).encode() * 9 in running.publisher._backlog.board._wanted.get("table", b""))
    assert [kind for kind in running.kinds() if kind == "publish_refused"] == ["publish_refused"]


def test_an_answer_with_nothing_answered_behind_it_clears_nobody() -> None:
    """mosquitto acknowledges what it denies on 3.1.1, and hangs up: the last one that was answered is a suspect too."""
    on_way = OnWay()
    for n in (1, 2, 3):
        on_way.sent(("main", n), 0)
    on_way.sent(("tele/heartbeat", 0), 0, is_answered=False)
    on_way.answered(("main", 1), is_refused=False)
    on_way.answered(("main", 2), is_refused=False)
    assert on_way.suspected() == [("main", 3), ("tele/heartbeat", 0), ("main", 2)]
    on_way.answered(("main", 3), is_refused=True)
    assert on_way.suspected() == [], "it said what it did not like, and hung up over that"
    on_way.sent(("main", 4), 0)
    on_way.answered(("main", 4), is_refused=False)
    assert on_way.suspected() == [("main", 4)]


def test_a_suspect_waits_for_what_is_not_proven() -> None:
    """Two that could both be to blame tell nothing."""
    suspects = Suspects()
    suspects.accuse(("main", 1))
    assert suspects.may_go(("main", 1), [], [("diag", 1)]) is False
    assert suspects.may_go(("main", 2), [], [("main", 1)]) is False
    assert suspects.may_go(("main", 2), [], [("diag", 1)]) is True


def test_a_denied_topic_is_tried_later_each_time() -> None:
    """The wait doubles to its limit, a try is one message, and a taken one ends it."""
    denied = Denied(Topics("lv01", "lv01-bj-017"), first_s=60, most_s=200)
    assert denied.park("evt/main", "refused with 0x87", 0) is True
    assert denied.holds("evt/main")
    waits, now = [], 0
    for _ in range(4):
        while not denied.due(now):
            now += S
        assert not denied.holds("evt/main")
        waits.append(now)
        assert denied.park("evt/main", "refused with 0x87", now) is False
    assert [b - a for a, b in zip([0, *waits], waits, strict=False)] == [60 * S, 120 * S, 200 * S, 200 * S]
    assert denied.taken("evt/main") is not None
    assert not denied.holds("evt/main")
