"""The publisher against a broker in memory that refuses, forgets, hangs up and is away as told."""

import asyncio
import gc
import json
import tracemalloc

import pytest

from controller.publish import connection
from controller.publish.broker.link import Code, Limits
from controller.publish.broker.memory import Delivery, MemoryBroker
from controller.publish.publisher import NotParked

BASE = "tablewarden/v1/lv01/lv01-bj-017"


def sequences(broker, stream="main"):
    return [int(json.loads(d.payload)["sequence"]) for d in broker.deliveries if d.topic == f"{BASE}/evt/{stream}"]


def births(broker):
    return [json.loads(d.payload) for d in broker.deliveries if d.topic == f"{BASE}/conn"]


def is_event(delivery, sequence, stream="main"):
    return delivery.topic == f"{BASE}/evt/{stream}" and int(json.loads(delivery.payload)["sequence"]) == sequence


async def test_a_commit_is_on_the_wire_before_wake_returns(run, journal, until):
    """No polling, no task switch: the event is sent in the turn of the loop that committed it."""
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    journal.add()
    running.publisher.wake()
    assert sequences(broker) == [1]


async def test_birth_states_and_backlog_come_in_this_order(run, journal, until):
    """Whoever hears an event of this connection has been told before that the table is there, and how it stands."""
    broker = MemoryBroker(answering=True)
    journal.add(count=3)
    journal.add("diag", count=2)
    running = run(broker)
    running.states["lockout"] = {"value": "engaged", "sequence": 3}
    await until(lambda: running.publisher.status()["acked"] == 5)
    topics = [d.topic.removeprefix(BASE + "/") for d in broker.deliveries if "tele" not in d.topic]
    assert topics == ["conn", "state/lockout", *["evt/main"] * 3, *["evt/diag"] * 2]
    birth = births(broker)[0]
    assert birth["state"] == "online"
    assert birth["session"] == 1
    assert birth["journal"] == journal.id
    assert (birth["heads"], birth["oldest"]) == ({"main": 3, "diag": 2}, {"main": 1, "diag": 1})


async def test_an_event_mirrors_its_identity_in_the_properties(run, journal, until):
    """Brokers that route on properties see id, type and source without reading the payload."""
    broker = MemoryBroker()
    journal.add()
    run(broker)
    await until(lambda: sequences(broker))
    (event,) = [d for d in broker.deliveries if "evt" in d.topic]
    body = json.loads(event.payload)
    assert event.properties.content_type == "application/cloudevents+json"
    assert dict(event.properties.user) == {key: body[key] for key in ("id", "type", "source")}


async def test_a_denied_event_is_parked_reported_declared_and_can_be_released(run, journal, until):
    """Three tries, one report, the stream goes on; the hole is in status and heartbeat until a release fills it."""
    broker, tries = MemoryBroker(), []

    def judge(delivery):
        if denied and is_event(delivery, 2):
            tries.append(delivery)
            return Code.NOT_AUTHORIZED
        return Code.SUCCESS

    denied, broker.judge = True, judge
    journal.add(count=4)
    running = run(broker, heartbeat_s=0.02)
    await until(lambda: sequences(broker) == [1, 3, 4])
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    assert len(tries) == 3
    expected = {"stream": "main", "sequence": 2, "reason": "refused with 0x87"}
    assert [data for kind, data in running.reports if kind == "publish_parked"] == [expected]
    hole = {"first": 2, "last": 2, "reason": "refused with 0x87"}
    assert running.publisher.status()["streams"]["main"]["parked"] == [hole]
    beats = [d for d in broker.deliveries if d.topic.endswith("/tele/heartbeat")]
    await until(lambda: json.loads(broker.deliveries[-1].payload).get("parked") == {"main": [[2, 2]], "diag": []})
    assert all(b.qos == 0 and not b.retain for b in beats)

    with pytest.raises(NotParked):
        await running.publisher.release("main", 3)
    with pytest.raises(NotParked):
        await running.publisher.release("nonsense", 2)
    with pytest.raises(NotParked, match="none of 3 to 9 is parked"):
        await running.publisher.release("main", 3, 9)
    denied = False
    assert await running.publisher.release("main", 1, 9) == 1
    await until(lambda: sequences(broker) == [1, 3, 4, 2])
    await until(lambda: json.loads(broker.deliveries[-1].payload).get("parked") == {"main": [], "diag": []})


async def test_holes_survive_a_restart_of_the_daemon(run, journal, until):
    """A new process neither retries the parked event nor forgets to declare it."""
    broker = MemoryBroker(judge=lambda d: Code.NOT_AUTHORIZED if is_event(d, 2) else Code.SUCCESS)
    journal.add(count=3)
    first = run(broker)
    await until(lambda: first.publisher.status()["acked"] == 2)
    await first.kill()
    journal.add()
    second = run(broker)
    await until(lambda: second.publisher.status()["streams"]["main"]["acked"] == 4)
    assert sequences(broker) == [1, 3, 4]
    assert "publish_parked" not in second.kinds()
    assert second.publisher.status()["streams"]["main"]["parked"][0]["first"] == 2


async def test_a_denied_topic_raises_one_alarm_and_not_an_alarm_about_each_alarm(run, journal, until):
    """Each report becomes a diag event, which is refused like the others: that must come to rest."""
    broker = MemoryBroker(judge=lambda d: Code.NOT_AUTHORIZED if "/evt/diag" in d.topic else Code.SUCCESS)
    running = run(broker)
    seen = 0

    def journal_reports():
        nonlocal seen
        for _ in running.reports[seen:]:
            journal.add("diag")
            running.publisher.wake()
        seen = len(running.reports)
        return running.publisher.status()["streams"]["diag"]["acked"] == journal.heads()["diag"] >= 2

    await until(journal_reports)
    assert running.kinds() == ["broker_connected", "publish_parked"]


async def test_an_event_over_the_limit_is_parked_without_being_sent(run, journal, until):
    """The broker would refuse it or hang up for it; the smaller of its limit and ours counts."""
    broker = MemoryBroker(limits=Limits(packet=4096))
    journal.add(count=2)
    journal.add(data=b'{"note":"' + b"x" * 4000 + b'"}')
    journal.add()
    running = run(broker)
    await until(lambda: sequences(broker) == [1, 2, 4])
    (report,) = [data for kind, data in running.reports if kind == "publish_parked"]
    assert report["sequence"] == 3
    assert "over the limit of 3584" in report["reason"]
    assert broker.connects == 1


async def test_the_message_that_makes_the_broker_hang_up_is_found_and_set_aside(run, journal, until):
    """One bad event among thirty: all others arrive, with fewer than ten connections, and it can be released later."""
    broker, hurt = MemoryBroker(), True
    broker.topples = lambda d: hurt and is_event(d, 11)
    journal.add(count=30)
    running = run(broker)
    await until(lambda: set(sequences(broker)) == set(range(1, 31)) - {11})
    assert broker.connects < 10
    (report,) = [data for kind, data in running.reports if kind == "publish_parked"]
    assert report == {"stream": "main", "sequence": 11, "reason": "ended the connection 3 times"}
    hurt = False
    await running.publisher.release("main", 11)
    await until(lambda: 11 in sequences(broker))


async def test_suspicion_ends_with_the_next_answer(run, journal, until):
    """After a broker died with a full window, states and events travel alone once and then in company again."""
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    broker.answering = False
    running.states.update({f"shoe-{n}": {"count": n} for n in range(3)})
    journal.add(count=30)
    await asyncio.sleep(0.26)  # the state is looked at four times a second
    running.publisher.wake()
    await until(lambda: len(running.publisher._connection._pump.on_way) == 20)
    broker.drop()
    broker.answering = True
    most = []
    broker.listeners.append(lambda d: most.append(len(running.publisher._connection._pump.on_way)))
    journal.add(count=30)
    await until(lambda: running.publisher.status()["streams"]["main"]["acked"] == 60)
    await until(lambda: not running.publisher._connection._pump.on_way)
    assert not running.publisher._backlog.suspects._suspects
    assert max(most) > 5
    assert "publish_parked" not in running.kinds()


async def test_an_event_that_is_never_answered_on_a_living_link_is_set_aside_too(run, journal, until):
    """A broker that swallows one message must not stop the stream for ever."""
    broker = MemoryBroker()
    broker.judge = lambda d: Code.SUCCESS
    swallowed = []

    def listener(delivery):
        broker.losing = is_event(delivery, 2)
        swallowed.extend([delivery] if broker.losing else [])

    broker.listeners.append(listener)
    journal.add(count=2)
    running = run(broker, keepalive_s=1)
    await until(lambda: "publish_parked" in running.kinds())
    journal.add()
    running.publisher.wake()
    await until(lambda: 3 in sequences(broker))
    assert len(swallowed) <= 4


async def test_a_broker_out_of_means_is_waited_for_in_order(run, journal, until):
    """Quota exceeded is no fault of the event: it is told once, nothing is parked, nothing overtakes."""
    broker, refusals = MemoryBroker(), 0

    def judge(delivery):
        nonlocal refusals
        if is_event(delivery, 2) and refusals < 5:
            refusals += 1
            return Code.QUOTA
        return Code.SUCCESS

    broker.judge = judge
    journal.add(count=3)
    running = run(broker, window=1)
    await until(lambda: sequences(broker) == [1, 2, 3])
    assert running.kinds() == ["broker_connected", "publish_delayed"]


async def test_nobody_listening_is_said_once_until_somebody_does(run, journal, until):
    """The warning is news when it begins, not with each event."""
    broker = MemoryBroker(judge=lambda d: Code.NO_SUBSCRIBERS)
    journal.add(count=5)
    running = run(broker, patience_s=0)
    await until(lambda: running.publisher.status()["acked"] == 5)
    assert running.publisher.status()["nobody_listening"] == ["main"]
    broker.judge = lambda d: Code.SUCCESS
    journal.add()
    running.publisher.wake()
    await until(lambda: running.publisher.status()["acked"] == 6)
    assert running.kinds() == ["broker_connected", "nobody_listening"]
    assert running.publisher.status()["nobody_listening"] == []


async def test_consumers_that_come_back_after_us_miss_nothing(run, journal, until):
    """While nobody listens the stream waits, and goes on in order when somebody does."""
    broker = MemoryBroker(judge=lambda d: Code.NO_SUBSCRIBERS)
    journal.add(count=50)
    running = run(broker)
    await until(lambda: "nobody_listening" in running.kinds())
    assert running.publisher.status()["acked"] == 0
    broker.deliveries.clear()
    broker.judge = lambda d: Code.SUCCESS
    await until(lambda: list(dict.fromkeys(sequences(broker))) == list(range(1, 51)))


async def test_the_window_keeps_to_what_the_broker_takes(run, journal, until):
    """Retained messages and events together fill the broker's Receive Maximum and never exceed it."""
    broker = MemoryBroker(limits=Limits(receive_maximum=3))
    journal.add(count=10)
    running = run(broker)
    running.states.update({f"shoe-{n}": {"count": n} for n in range(6)})
    on_way = []
    broker.listeners.append(
        lambda d: on_way.append(1 + len(running.publisher._connection._pump.on_way)) if d.qos else None
    )
    await until(lambda: sequences(broker) == list(range(1, 11)))
    assert max(on_way) == 3


async def test_a_lost_broker_is_told_once_and_its_return_once(run, journal, until):
    """However many tries lie between: the journal holds two facts of one outage."""
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    broker.away = True
    broker.drop("power cut")
    await until(lambda: not running.publisher.status()["connected"])
    assert running.publisher.status()["reason"] is not None
    journal.add(count=5)
    running.publisher.wake()
    await asyncio.sleep(0.2)  # time for several tries; nothing to wait on, as nothing may happen
    broker.away = False
    await until(lambda: sequences(broker) == [1, 2, 3, 4, 5])
    assert running.kinds() == ["broker_connected", "broker_lost", "broker_connected"]
    assert [b["session"] for b in births(broker) if b["state"] == "online"] == [1, 2], (
        "tries in vain cost no session"
    )


async def test_a_broker_that_is_away_from_the_start_is_told_once(run, until):
    """The table starts without its broker, says so, and goes on trying."""
    broker = MemoryBroker(away=True)
    running = run(broker)
    await until(lambda: running.reports)
    await asyncio.sleep(0.1)
    assert running.reports == [("broker_lost", {"reason": "the broker is away"})]


async def test_a_greeting_that_may_have_been_heard_uses_its_session_up(run, journal, until):
    """The broker may publish the will of that session any time later: no birth may bear the same number."""
    broker = MemoryBroker(mute=True)
    running = run(broker)
    await until(lambda: running.reports)
    broker.mute = False
    await until(lambda: births(broker))
    assert births(broker)[0]["session"] >= 2


async def test_the_rewind_is_repeated_after_each_reconnect(run, journal, until):
    """A broker that forgot what it had acknowledged is given it again, with the same ids."""
    broker = MemoryBroker()
    journal.add(count=3)
    running = run(broker, rewind_s=1800)
    await until(lambda: running.publisher.status()["acked"] == 3)
    broker.drop()
    await until(lambda: sequences(broker) == [1, 2, 3, 1, 2, 3])
    ids = [json.loads(d.payload)["id"] for d in broker.deliveries if "evt" in d.topic]
    assert ids[:3] == ids[3:]
    assert running.reports[-1] == ("broker_connected", {"session": 2, "repeats": {"main": 3, "diag": 0}})


async def test_a_foreign_word_on_our_conn_is_answered_with_the_birth(run, until):
    """A late will, a second machine, a deleted topic: each is reported, and the truth stands again."""
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    (link,) = broker.links
    other = broker.link(type(link)(broker, link._will)._will)
    await other.connect()
    other.send(f"{BASE}/conn", b'{"state":"lost","session":0}', qos=1, retain=True)
    await until(lambda: "conn_overwritten" in running.kinds())
    await until(lambda: json.loads(broker.retained[f"{BASE}/conn"])["state"] == "online")
    assert running.reports[-1][1] == {"state": "lost", "session": 0, "journal": None, "ours": 1}
    await other.close()


async def test_our_own_will_on_a_living_connection_is_answered_and_is_no_news(run, until, monkeypatch):
    """It is no second machine's word; where the connection goes on all the same, the birth stands again."""
    monkeypatch.setattr(connection, "REBIRTH_S", 0.01)
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    (link,) = broker.links
    broker.take(Delivery(link._will.topic, link._will.payload, 1, True))
    await until(lambda: [conn["state"] for conn in births(broker)] == ["online", "lost", "online"])
    assert running.kinds() == ["broker_connected"]


async def test_two_machines_with_one_identity_do_not_shout_each_other_down(run, journal, until):
    """The second answer waits seconds, the next longer: an alarm, not a flood."""
    broker = MemoryBroker()
    one = run(broker)
    await until(lambda: one.publisher.status()["connected"])
    two = run(broker)
    await until(lambda: one.kinds().count("conn_overwritten") + two.kinds().count("conn_overwritten") >= 2)
    shouted = len(births(broker))
    await asyncio.sleep(0.3)
    assert len(births(broker)) == shouted


async def test_a_clean_stop_lets_the_last_events_out_and_says_offline_before_goodbye(run, journal, until):
    """The will is not published, and the reason stands in the retained message."""
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    broker.answering = False
    journal.add(count=50)
    running.publisher.wake()
    running.publisher.stop("update")
    await asyncio.sleep(0.05)  # it is leaving by now, and has nothing to do but to wait for answers
    assert not running.task.done()
    broker.answer_held()
    async with asyncio.timeout(5):
        await running.task
    assert sequences(broker) == list(range(1, 51))
    assert births(broker)[-1] == {"session": 1, "reason": "update", "state": "offline"}
    assert json.loads(broker.retained[f"{BASE}/conn"])["state"] == "offline"
    assert journal.positions["main"].through == 50


async def test_the_position_is_kept_while_the_connection_lasts(run, journal, until):
    """A killed daemon must not begin where the last connection began: the heartbeat keeps what has settled."""
    broker = MemoryBroker()
    journal.add(count=5)
    running = run(broker, heartbeat_s=0.02)
    await until(lambda: journal.positions.get("main") and journal.positions["main"].through == 5)
    assert running.publisher.status()["connected"]


async def test_a_killed_daemon_leaves_its_will(run, until):
    """`lost` names the session that died."""
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    await running.kill()
    assert json.loads(broker.retained[f"{BASE}/conn"]) == {"session": 1, "state": "lost"}


async def test_a_stop_while_the_broker_is_away_is_prompt(run, until):
    """Neither a wait between tries nor a try holds up the end of the daemon."""
    broker = MemoryBroker(away=True)
    running = run(broker, backoff_first_s=60, backoff_most_s=60)
    await until(lambda: running.reports)
    running.publisher.stop()
    async with asyncio.timeout(1):
        await running.task


async def test_a_journal_that_cannot_be_read_ends_the_connection_and_not_the_daemon(run, journal, until):
    """The core that wakes the publisher must not fall over the publisher's trouble; it is told and retried."""
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    real, journal.read = journal.read, lambda *args: (_ for _ in ()).throw(OSError("disk gone"))
    journal.add()
    running.publisher.wake()
    await until(lambda: "publisher_failed" in running.kinds())
    journal.read = real
    await until(lambda: sequences(broker) == [1])


async def test_the_same_fault_after_a_recovery_is_told_again(run, journal, until):
    """What is told once for each outage is told for the next one too."""
    broker = MemoryBroker()
    running = run(broker)
    real = journal.read
    for times in (1, 2):
        await until(lambda: running.publisher.status()["connected"])
        journal.read = lambda *args: (_ for _ in ()).throw(OSError("disk gone"))
        journal.add()
        running.publisher.wake()
        await until(lambda: running.kinds().count("publisher_failed") == times)  # noqa: B023
        await until(lambda: running.kinds().count("broker_lost") == times)  # noqa: B023
        journal.read = real
    await until(lambda: running.publisher.status()["connected"])


async def test_a_report_that_fails_ends_the_connection_and_not_the_reader(run, journal, until):
    """An answer is handled inside the socket's reader: a fault there must not leave a link that nobody reads."""
    broker = MemoryBroker(judge=lambda d: Code.QUOTA if is_event(d, 1) else Code.SUCCESS)
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    backlog = running.publisher._backlog
    real = backlog.report
    backlog.report = lambda kind, **data: (_ for _ in ()).throw(OSError("queue gone"))
    journal.add()
    running.publisher.wake()
    await until(lambda: "publisher_failed" in running.kinds())
    backlog.report, broker.judge = real, lambda d: Code.SUCCESS
    await until(lambda: sequences(broker) == [1])


async def test_states_that_change_fast_are_told_by_their_last_value(run, until):
    """A hundred changes in a moment cost a few messages, and the last value is the one that stays."""
    broker = MemoryBroker()
    running = run(broker)
    await until(lambda: running.publisher.status()["connected"])
    for value in range(100):
        running.states["table"] = {"round": value}
        running.publisher.wake()
    await until(lambda: broker.retained.get(f"{BASE}/state/table") == b'{"round":99}')
    assert sum("state/table" in d.topic for d in broker.deliveries) <= 3


async def test_memory_is_flat_while_the_broker_is_away_and_while_a_backlog_drains(run, journal, until):
    """The backlog is a number in a table: a window of events is the most that is ever read at once."""
    broker = MemoryBroker(keep=1, away=True)
    journal.add(count=8_000)
    running = run(broker)
    await until(lambda: running.reports)
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(2_000):
            running.publisher.wake()
        before = tracemalloc.get_traced_memory()[0]
        broker.away = False
        await until(lambda: running.publisher.status()["acked"] == 8_000, 40)
        held = running.publisher._backlog.boxes["main"]
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert before < 300_000
    assert peak < 1_500_000
    assert max(journal.reads) <= 20
    assert len(held._buffer) <= 20
    assert len(held._ahead) <= 20
