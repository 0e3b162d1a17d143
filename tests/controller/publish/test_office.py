"""A consumer that confirms, lies or stays away, and requests on `cmd/...`, against a broker in memory."""

import asyncio
import itertools
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.clock import rfc3339
from controller.journal.record import Stream
from controller.publish import connection
from controller.publish.broker.link import Code, Incoming
from controller.publish.broker.memory import Delivery, MemoryBroker
from controller.publish.requests import confirmations, replies
from controller.publish.requests.commands import (
    BURST,
    COMMAND_LIMIT,
    KNOWN_MOST,
    WAITING_MOST,
    Answer,
    CommandRefusal,
    Commands,
    Refused,
)
from tests.controller.publish.conftest import BASE, JOURNAL_ID

CONFIRMED = {"confirm": "consumer", "consumers": ("recorder",), "confirm_s": 0.05}
NUMBERS = itertools.count(1)


class Consumer:
    """Stores what comes on `evt/...`, and confirms all of it after each event while `confirming`."""

    def __init__(self, broker, *, confirming=True):
        self.broker, self.confirming = broker, confirming
        self.seen = {"main": [], "diag": []}
        self.bodies = {}
        broker.listeners.append(self._hear)

    def _hear(self, delivery):
        if "/evt/" not in delivery.topic:
            return
        body = json.loads(delivery.payload)
        self.seen[body["stream"]].append(int(body["sequence"]))
        assert self.bodies.setdefault(body["id"], delivery.payload) == delivery.payload
        if self.confirming:
            asyncio.get_running_loop().call_soon(self.confirm)

    def body(self, **changes):
        streams = {}
        for stream, seen in self.seen.items():
            through = next(n for n in itertools.count() if n + 1 not in seen)
            streams[stream] = {"through": through, "have": [[n, n] for n in sorted(set(seen)) if n > through]}
        return json.dumps({"consumer": "recorder", "journal": JOURNAL_ID, "streams": streams, **changes}).encode()

    def confirm(self, payload=None):
        self.broker.take(Delivery(f"{BASE}/ack/recorder", payload or self.body(), 1, True))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(connection, "LOOK_S", 0.02)
    monkeypatch.setattr(connection, "RETAINED_S", 0.2)


def settled(running, stream="main"):
    return running.publisher.status()["streams"][stream]["settled"]


async def test_only_a_confirmation_moves_the_durable_position(run, journal, until):
    """A window is sent ahead, and no more; PUBACKs settle nothing; then both streams drain in order."""
    broker = MemoryBroker()
    consumer = Consumer(broker, confirming=False)
    journal.add(count=60)
    journal.add("diag", count=30)
    running = run(broker, **{**CONFIRMED, "confirm_s": 60})
    await until(lambda: running.publisher.status()["acked"] == 20)
    await asyncio.sleep(0.05)
    assert (consumer.seen["main"], settled(running)) == (list(range(1, 16)), 0)
    consumer.confirming = True
    consumer.confirm()
    await until(lambda: settled(running) == 60 and settled(running, "diag") == 30)
    assert consumer.seen["main"] == list(range(1, 61))
    assert running.kinds() == ["broker_connected"]
    await until(lambda: journal.positions and journal.positions[Stream.MAIN].through == 60)


async def test_a_broker_that_comes_back_empty_costs_no_rewind(run, journal, until):
    """What was confirmed is not sent again, however short the connection was."""
    broker = MemoryBroker()
    consumer = Consumer(broker)
    journal.add(count=50)
    running = run(broker, **CONFIRMED, rewind_s=1800)
    await until(lambda: settled(running) == 50)
    broker.retained.clear()
    broker.drop()
    journal.add(count=3)
    await until(lambda: settled(running) == 53)
    assert consumer.seen["main"] == list(range(1, 54))


async def test_the_retained_confirmation_is_read_before_the_first_event(run, journal, until):
    """A process that was killed knows an old position; what the consumer keeps is not sent again."""
    broker = MemoryBroker()
    consumer = Consumer(broker)
    journal.add(count=50)
    first = run(broker, **CONFIRMED)
    await until(lambda: settled(first) == 50)
    await first.kill()
    journal.positions.clear()
    journal.others.clear()
    journal.add(count=5)
    second = run(broker, **CONFIRMED)
    await until(lambda: settled(second) == 55)
    assert consumer.seen["main"] == list(range(1, 56))


async def test_without_confirmations_the_stream_goes_back_and_repeats_a_window(run, journal, until):
    """The broker acknowledged and lost; the same ids come again until the consumer has them."""
    broker = MemoryBroker()
    consumer = Consumer(broker, confirming=False)
    journal.add(count=30)
    running = run(broker, **CONFIRMED)
    await until(lambda: consumer.seen["main"].count(1) == 3)
    assert 15 < max(consumer.seen["main"]) <= 18, "one more each time, so that a confirmation comes of it"
    assert running.publisher.status()["back_office"]["rewinds"] >= 2
    consumer.confirming = True
    await until(lambda: settled(running) == 30)


async def test_a_copy_counts_as_sent(run, journal, until):
    """A consumer that sees heads beyond the window asks for the tail, and confirms what it got by copy."""
    broker = MemoryBroker()
    consumer = Consumer(broker, confirming=False)
    running = run(broker, **{**CONFIRMED, "confirm_s": 60})
    await until(lambda: running.publisher.status()["connected"])
    journal.add(count=40)
    running.publisher.wake()
    await until(lambda: running.publisher.status()["acked"] == 15)
    consumer.confirm(consumer.body(streams={"main": {"through": 40}}))
    await until(lambda: running.publisher.status()["back_office"]["confirmations_refused"])
    ask(broker, body=request(**{"from": 16, "to": 40}))
    await until(lambda: len(copies(broker)) == 25)
    consumer.confirm(consumer.body(streams={"main": {"through": 40}}))
    await until(lambda: settled(running) == 40)
    assert max(consumer.seen["main"]) == 15, "what was confirmed is not sent again"


async def test_two_consumers_must_both_have_it(run, journal, until):
    """The slower one holds the position."""
    broker = MemoryBroker()
    Consumer(broker)
    journal.add(count=4)
    running = run(broker, **{**CONFIRMED, "consumers": ("recorder", "mirror")})
    await until(lambda: "confirmed" in running.publisher.status()["back_office"])
    await until(lambda: running.publisher.status()["back_office"]["confirmed"]["recorder"]["main"] == 4)
    assert settled(running) == 0
    mirror = {"consumer": "mirror", "journal": JOURNAL_ID, "streams": {"main": {"through": 4}}}
    broker.take(Delivery(f"{BASE}/ack/mirror", json.dumps(mirror).encode(), 1, True))
    await until(lambda: settled(running) == 4)


async def test_a_lying_consumer_is_refused_counted_and_recorded_once(run, journal, until):
    """Five kinds of lies, a hundred of each: five facts, and the position stands."""
    broker = MemoryBroker()
    consumer = Consumer(broker, confirming=False)
    journal.add(count=10)
    running = run(broker, **{**CONFIRMED, "confirm_s": 60})
    await until(lambda: len(consumer.seen["main"]) == 10)
    consumer.confirm(consumer.body(streams={"main": {"through": 5}}))
    await until(lambda: settled(running) == 5)
    for _ in range(100):
        for lie in (
            {"streams": {"main": {"through": 11}}},
            {"streams": {"main": {"through": 4}}},
            {"journal": "f" * 16},
            {"consumer": "somebody"},
            {"streams": 7},
        ):
            consumer.confirm(consumer.body(**lie))
        await asyncio.sleep(0)
    await until(lambda: sum(running.publisher.status()["back_office"]["confirmations_refused"].values()) == 500)
    codes = [data["code"] for kind, data in running.reports if kind == "confirmations_refused"]
    assert sorted(codes) == sorted(code.value for code in confirmations.AckRefusal)
    assert settled(running) == 5


async def test_a_consumer_that_never_comes_back_is_seen_and_told(run, journal, until, monkeypatch):
    """Status and heartbeat name it, a fact is recorded; its return is a fact as well."""
    monkeypatch.setattr(confirmations, "LATE_NS", 50_000_000)
    broker = MemoryBroker()
    consumer = Consumer(broker, confirming=False)
    journal.add(count=3)
    running = run(broker, **CONFIRMED, heartbeat_s=0.02)
    await until(lambda: "consumer_late" in running.kinds())
    late = next(data for kind, data in running.reports if kind == "consumer_late")
    assert late == {"consumer": "recorder", "stream": "main", "through": 0, "head": 3}
    assert running.publisher.status()["back_office"]["late"] == ["recorder"]
    beats = [d for d in broker.deliveries if d.topic.endswith("/heartbeat")]
    await until(lambda: b'"late":["recorder"]' in broker.deliveries[-1].payload)
    assert beats
    consumer.confirm()
    await until(lambda: "consumer_back" in running.kinds())
    assert "late" not in running.publisher.status()["back_office"]


async def test_a_broker_that_doubles_swaps_and_withholds_confirmations_costs_nothing(run, journal, until):
    """An old confirmation behind a newer one is a step back: refused, and the newer one stands."""
    broker = MemoryBroker()
    consumer = Consumer(broker, confirming=False)
    journal.add(count=100)
    running = run(broker, **CONFIRMED)
    held = []
    while settled(running) < 100:
        await asyncio.sleep(0.01)
        held.append(consumer.body())
        if len(held) == 3:
            for payload in (held[2], held[0], held[2], held[1]):
                consumer.confirm(payload)
            held.clear()
    assert list(dict.fromkeys(consumer.seen["main"])) == list(range(1, 101))


# -- requests ---------------------------------------------------------------------------------------------------------


def request(**changes):
    body = {
        "id": f"r-{next(NUMBERS)}",
        "consumer": "recorder",
        "stream": "main",
        "journal": JOURNAL_ID,
        "from": 1,
        "to": 3,
        "expires": rfc3339(time.time_ns() // 1000 + 60_000_000),
        **changes,
    }
    return {key: value for key, value in body.items() if value is not None}


def ask(broker, verb="replay", body=None, *, retained=False, response="", correlation=b"", raw=None):
    payload = raw if raw is not None else json.dumps(body or request()).encode()
    broker.pass_on(Incoming(f"{BASE}/cmd/{verb}", payload, retained, response, correlation))


def answers(broker, client="recorder"):
    return [json.loads(d.payload) for d in broker.deliveries if d.topic == f"{BASE}/rsp/{client}"]


def copies(broker, consumer="recorder"):
    return [d.payload for d in broker.deliveries if d.topic == f"{BASE}/rpl/{consumer}"]


async def up(run, broker, journal, until, count=5, **changes):
    journal.add(count=count)
    running = run(broker, **changes)
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    return running


async def test_a_replay_gives_the_same_bytes_to_the_one_who_asked(run, journal, until):
    """Accepted at once, then the copies, then done; correlation and content type go along; nobody else is bothered."""
    broker = MemoryBroker()
    await up(run, broker, journal, until)
    events = [d.payload for d in broker.deliveries if d.topic == f"{BASE}/evt/main"]
    asked = request(**{"from": 2, "to": 4}, correlation="mine")
    ask(broker, body=asked, response=f"{BASE}/rsp/desk-1", correlation=b"\x00\x01")
    await until(lambda: len(answers(broker, "desk-1")) == 2)
    assert answers(broker, "desk-1") == [
        {"id": asked["id"], "verb": "replay", "state": "accepted", "correlation": "mine"},
        {"id": asked["id"], "verb": "replay", "state": "done", "sent": 3, "correlation": "mine"},
    ]
    assert copies(broker) == events[1:4]
    assert [d.payload for d in broker.deliveries if d.topic == f"{BASE}/evt/main"] == events
    sent = [d for d in broker.deliveries if "/rsp/" in d.topic or "/rpl/" in d.topic]
    assert all(d.properties.correlation == b"\x00\x01" and d.qos == 1 and not d.retain for d in sent)


async def test_parked_events_can_be_replayed(run, journal, until):
    """A declared hole is closed on the topic of the one who asks."""
    broker = MemoryBroker(
        judge=lambda d: Code.NOT_AUTHORIZED if "/evt/main" in d.topic and b"main-2" in d.payload else Code.SUCCESS
    )
    running = await up(run, broker, journal, until)
    assert running.publisher.status()["streams"]["main"]["parked"]
    ask(broker, body=request(**{"from": 2, "to": 2}))
    await until(lambda: copies(broker))
    assert json.loads(copies(broker)[0])["id"] == f"{JOURNAL_ID}-main-2"


async def test_a_refresh_sends_every_retained_message_again(run, journal, until):
    """Birth and states; a consumer that came late need not wait for a change."""
    broker = MemoryBroker()
    running = await up(run, broker, journal, until)
    running.states["table"] = {"open": True, "sequence": 5}
    running.publisher.wake()
    await until(lambda: f"{BASE}/state/table" in broker.retained)
    broker.deliveries.clear()
    ask(broker, "refresh", {k: v for k, v in request().items() if k in ("id", "consumer", "expires")})
    await until(lambda: answers(broker))
    await until(lambda: {f"{BASE}/conn", f"{BASE}/state/table"} <= {d.topic for d in broker.deliveries})
    assert answers(broker)[0]["state"] == "done"


async def test_the_contract_in_force_is_retained(run, journal, until):
    """Name, version and hash of the document; nothing where the installation has none."""
    broker = MemoryBroker()
    await up(run, broker, journal, until, api="ab" * 32, version="1.2")
    await until(lambda: f"{BASE}/api" in broker.retained)
    assert json.loads(broker.retained[f"{BASE}/api"]) == {
        "name": "tablewarden",
        "version": "1.2",
        "sha256": "ab" * 32,
    }


@pytest.mark.parametrize(
    ("verb", "changes", "more", "code", "is_answered"),
    [
        ("replay", {}, {"retained": True}, "command_retained", False),
        ("replay", {}, {"raw": b" " * (COMMAND_LIMIT + 1)}, "command_too_large", False),
        ("replay", {}, {"raw": b"\xff"}, "command_malformed", False),
        ("replay", {}, {"raw": b"[" * 60_000}, "command_malformed", False),
        ("replay", {"id": "x" * 65}, {}, "command_malformed", False),
        ("replay", {"consumer": "a/b"}, {}, "command_malformed", False),
        ("replay", {"expires": "soon"}, {}, "command_malformed", False),
        ("replay", {"expires": "2026-02-30T00:00:00Z"}, {}, "command_malformed", True),
        ("replay", {"stream": "input"}, {}, "command_malformed", True),
        ("replay", {"journal": None}, {}, "command_malformed", True),
        ("replay", {"to": None}, {}, "command_malformed", True),
        ("release_lockout", {}, {}, "command_unknown", True),
        ("replay", {"expires": "2020-01-01T00:00:00Z"}, {}, "command_expired", True),
        ("replay", {"expires": "2999-01-01T00:00:00Z"}, {}, "command_expires_late", True),
        ("replay", {}, {"response": "tablewarden/v1/lv01/another/rsp/x"}, "command_response_foreign", True),
        ("replay", {}, {"response": f"{BASE}/evt/main"}, "command_response_foreign", True),
        ("replay", {}, {"response": f"{BASE}/rsp/+"}, "command_response_foreign", True),
        ("replay", {"response": f"{BASE}/cmd/replay"}, {}, "command_response_foreign", True),
        ("replay", {"journal": "f" * 16}, {}, "command_other_journal", True),
        ("replay", {"to": 6}, {}, "command_range_unfit", True),
        ("replay", {"from": 4, "to": 3}, {}, "command_range_unfit", True),
        ("replay", {"from": 1, "to": 10_001}, {}, "command_range_unfit", True),
        ("replay", {"stream": "diag", "to": 1}, {}, "command_range_unfit", True),
    ],
)
async def test_what_may_not_be_done_is_refused_counted_and_recorded(
    run, journal, until, verb, changes, more, code, is_answered
):
    """Each with its code; no copy leaves, and nothing goes to a foreign topic."""
    broker = MemoryBroker()
    running = await up(run, broker, journal, until)
    ask(broker, verb, request(**changes), **more)
    await until(lambda: running.publisher.status()["back_office"]["commands"]["refused"] == {code: 1})
    facts = [data for kind, data in running.reports if kind == "commands_refused"]
    assert [(f["code"], f["count"]) for f in facts] == [(code, 1)]
    if is_answered:
        await until(lambda: answers(broker))
        assert (answers(broker)[0]["state"], answers(broker)[0]["code"]) == ("failed", code)
    await asyncio.sleep(0.02)
    assert len(answers(broker)) == is_answered
    assert copies(broker) == []
    assert all("another" not in d.topic for d in broker.deliveries)


async def test_one_id_has_one_effect_and_one_answer_also_after_a_restart(run, journal, until):
    """A repeat gets the answer that stands; the same id with other content gets none of it."""
    broker = MemoryBroker()
    running = await up(run, broker, journal, until)
    asked = request()
    ask(broker, body=asked)
    await until(lambda: [a["state"] for a in answers(broker)] == ["accepted", "done"])
    ask(broker, body=asked)
    await until(lambda: len(answers(broker)) == 3)
    ask(broker, body={**asked, "to": 2})
    await until(lambda: len(answers(broker)) == 4)
    assert answers(broker)[2] == answers(broker)[1]
    assert answers(broker)[3]["code"] == "command_id_used"
    await running.kill()
    await up(run, broker, journal, until)
    ask(broker, body=asked)
    await until(lambda: len(answers(broker)) == 5)
    assert answers(broker)[4] == answers(broker)[1]
    assert len(copies(broker)) == 3


async def test_a_replay_goes_on_over_a_reconnect_and_is_called_off_by_a_restart(run, journal, until):
    """The same process finishes it; a new one says that it was interrupted."""
    broker = MemoryBroker()
    running = await up(run, broker, journal, until)
    broker.losing = True
    asked = request()
    ask(broker, body=asked)
    await until(lambda: copies(broker))
    broker.losing = False
    broker.drop()
    await until(lambda: answers(broker)[-1:] and answers(broker)[-1]["state"] == "done")
    assert [json.loads(c)["sequence"][-1] for c in copies(broker)] == ["1", "1", "2", "3"]
    broker.losing = True
    second = request()
    ask(broker, body=second)
    await until(lambda: len(copies(broker)) == 5)
    await running.kill()
    broker.losing = False
    await up(run, broker, journal, until, count=1)
    ask(broker, body=second)
    await until(lambda: answers(broker)[-1].get("code") == "command_interrupted")


async def test_a_flood_is_stopped_at_the_door_and_fills_no_record(run, journal, until):
    """Ten go through, the rest is counted: one fact for what was taken, one for the flood."""
    broker = MemoryBroker()
    running = await up(run, broker, journal, until)
    for _ in range(500):
        ask(broker, body=request(to=1))
    await until(
        lambda: sum(running.publisher.status()["back_office"]["commands"]["refused"].values()) >= 500 - BURST - 1
    )
    kinds = running.kinds()
    assert kinds.count("commands_taken") == 1
    assert kinds.count("commands_refused") <= 2
    assert len(copies(broker)) <= BURST + 1


async def test_too_many_replays_wait_for_nobody(run, journal, until):
    """A ninth is refused while eight wait."""
    broker = MemoryBroker()
    await up(run, broker, journal, until)
    broker.losing = True  # the first copy stays under way
    for _ in range(WAITING_MOST + 1):
        ask(broker)
    broker.losing = False
    await until(lambda: any("code" in a for a in answers(broker)))
    (refused,) = [a for a in answers(broker) if "code" in a]
    assert refused["code"] == "command_too_many_waiting"


async def test_a_new_event_is_never_behind_copies(run, journal, until):
    """Ten thousand are asked for; each commit is on the wire in its own turn of the loop, and the rate is bounded."""
    broker = MemoryBroker()
    running = await up(run, broker, journal, until, count=2_000)
    ask(broker, body=request(to=2_000))
    await until(lambda: copies(broker))
    began = time.monotonic()
    for _ in range(50):
        journal.add()
        running.publisher.wake()
        newest = [d for d in list(broker.deliveries)[-2:] if d.topic == f"{BASE}/evt/main"]
        assert [int(json.loads(d.payload)["sequence"]) for d in newest] == [journal.heads()["main"]]
        await asyncio.sleep(0.002)
    bytes_sent = sum(len(c) for c in copies(broker))
    assert bytes_sent <= replies.COPY_BURST + replies.COPY_BYTES_S * (time.monotonic() - began + 0.5)


async def test_copies_take_turns_with_a_backlog(run, journal, until):
    """A gap is filled though a day waits to be sent."""
    broker = MemoryBroker(keep=None)
    await up(run, broker, journal, until)
    journal.add(count=400)
    ask(broker, body=request(to=5))
    await until(lambda: len(copies(broker)) == 5)
    topics = [d.topic.rpartition("/")[0].rpartition("/")[2] for d in broker.deliveries]
    assert topics.count("evt") < 405


async def test_an_answer_that_the_broker_refuses_is_dropped_and_names_the_acl_line(run, journal, until):
    """Events go on; the topic is tried again with a later answer."""
    broker = MemoryBroker(judge=lambda d: Code.NOT_AUTHORIZED if "/rsp/" in d.topic else Code.SUCCESS)
    running = await up(run, broker, journal, until)
    ask(broker)
    await until(lambda: len(copies(broker)) == 3)
    refused = [data for kind, data in running.reports if kind == "publish_refused"]
    assert refused == [
        {
            "topic": f"{BASE}/rsp/recorder",
            "reason": "refused with 0x87",
            "acl": f"topic write {BASE}/rsp/recorder",
        }
    ]
    journal.add()
    running.publisher.wake()
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)


async def test_a_replay_that_the_broker_refuses_fails_with_its_code(run, journal, until):
    """The one who asked learns why nothing comes."""
    broker = MemoryBroker(judge=lambda d: Code.NOT_AUTHORIZED if "/rpl/" in d.topic else Code.SUCCESS)
    await up(run, broker, journal, until)
    ask(broker)
    await until(lambda: answers(broker)[-1:] and answers(broker)[-1]["state"] == "failed")
    assert answers(broker)[-1]["code"] == "command_not_taken"


async def test_an_event_that_is_gone_or_too_large_is_said(run, journal, until):
    """Nothing is left out without a word."""
    broker = MemoryBroker()
    journal.add(count=2)
    journal.add(data=b'{"note":"' + b"x" * 70_000 + b'"}')
    running = run(broker)
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    ask(broker)
    await until(lambda: answers(broker)[-1:] and answers(broker)[-1]["state"] == "failed")
    assert (answers(broker)[-1]["code"], answers(broker)[-1]["sent"]) == ("command_not_taken", 2)
    journal.oldest = lambda: {stream: 2 for stream in journal.rows}
    ask(broker)
    await until(lambda: answers(broker)[-1]["code"] == "command_event_gone")


@settings(max_examples=60, deadline=None)
@given(payload=st.binary(max_size=300) | st.from_regex(rb'\{"id":"[a-z]{1,4}","consumer":.*\}', fullmatch=True))
def test_junk_is_refused_and_never_raises_anything_else(payload):
    """Whoever may write there may write anything."""
    commands = Commands()
    with pytest.raises(Refused):
        commands.judge("replay", commands.read(payload), 0)


def test_only_so_many_ids_are_remembered_and_junk_in_the_journal_is_forgotten():
    """Unexpired ones stay; above that a request is refused rather than forgotten."""
    commands, now_us = Commands(b"junk"), 1_767_225_600_000_000
    read = [
        commands.read(json.dumps(request(expires="2026-01-01T00:01:00Z")).encode()) for _ in range(KNOWN_MOST + 1)
    ]
    for one in read[:-1]:
        assert commands.judge("replay", one, now_us) is None
        commands.answered("replay", one, Answer(one.id, "replay", "done"))
    with pytest.raises(Refused) as refused:
        commands.judge("replay", read[-1], now_us)
    assert refused.value.code is CommandRefusal.FLOOD
    again = Commands(commands.keep())
    assert again.judge("replay", read[0], now_us).state == "done"
    later = commands.read(json.dumps(request(expires="2026-01-01T00:02:00Z")).encode())
    assert again.judge("replay", later, now_us + 61_000_000) is None
