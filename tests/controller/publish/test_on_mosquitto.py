"""The publisher against a real broker: what stands on the wire, refusals, outages, and the ends of the daemon."""

import asyncio
import contextlib
import json
import signal
import time

import pytest

from controller.publish.publisher import NotParked

BASE = "tablewarden/v1/lv01/lv01-bj-017"


async def retained(port: int) -> dict[str, bytes]:
    """What a newcomer is given at once."""
    out = await asyncio.create_subprocess_exec(
        *("mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-t", "tablewarden/#", "-W", "1", "-F", "%t %p"),
        stdout=asyncio.subprocess.PIPE,
    )
    text, _ = await out.communicate()
    return {t.decode(): p for t, p in (line.split(b" ", 1) for line in text.splitlines())}


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_every_event_arrives_once_in_order(mosquitto, listen, run, journal, until, protocol):
    """A backlog drains in order; what is committed later follows on the next wake-up; both versions of MQTT."""
    heard = await listen(mosquitto.port)
    journal.add(count=300)
    running = run(mosquitto.port, protocol=protocol)
    await until(lambda: len(heard.sequences()) >= 300)
    journal.add()
    running.publisher.wake()
    await until(lambda: len(heard.sequences()) >= 301)
    await running.stop("closing time")
    await until(lambda: heard.conn()[-1]["state"] == "offline")
    assert heard.sequences() == list(range(1, 302))
    assert heard.conn()[-1] == {"session": 1, "reason": "closing time", "state": "offline"}


async def test_topics_qos_and_retain_are_those_of_the_contract(mosquitto, listen, run, journal, until):
    """Only conn and state are retained; events are QoS 1, the heartbeat is QoS 0; nothing else is published."""
    journal.add("main")
    journal.add("diag")
    live = await listen(mosquitto.port)
    running = run(mosquitto.port)
    running.states["shuffler-1"] = {"levels": {"lockout": "engaged"}, "sequence": 1}
    await until(lambda: {"main", "diag", "shuffler-1"} <= {t.rpartition("/")[2] for t, *_ in live.messages})
    await until(lambda: "heartbeat" in {t.rpartition("/")[2] for t, *_ in live.messages})
    assert {topic: qos for topic, _, qos, _ in live.messages} == {
        f"{BASE}/conn": 1,
        f"{BASE}/evt/main": 1,
        f"{BASE}/evt/diag": 1,
        f"{BASE}/state/shuffler-1": 1,
        f"{BASE}/tele/heartbeat": 0,
    }
    await running.stop()
    left = await retained(mosquitto.port)
    assert sorted(left) == [f"{BASE}/conn", f"{BASE}/state/shuffler-1"]
    assert json.loads(left[f"{BASE}/conn"])["state"] == "offline"


async def test_an_event_that_the_acl_denies_is_parked_and_the_rest_goes_on(
    make_mosquitto, listen, run, journal, until
):
    """aiomqtt takes the broker's 'not authorized' for success; we see it, park, and go on with what is allowed."""
    broker = make_mosquitto(start=False)
    broker.acl(
        "topic read tablewarden/#", *(f"topic readwrite {BASE}/{t}" for t in ("conn", "tele/#", "evt/diag"))
    )
    broker.start()
    heard = await listen(broker.port)
    journal.add("main", count=3)
    journal.add("diag", count=3)
    running = run(broker.port)
    await until(lambda: heard.sequences("diag") == [1, 2, 3])
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    hole = {"first": 1, "last": 3, "reason": "refused with 0x87"}
    assert running.publisher.status()["streams"]["main"]["parked"] == [hole]
    assert heard.sequences() == []
    assert running.kinds().count("publish_parked") == 1

    broker.acl("topic readwrite tablewarden/#")
    broker.send_signal(signal.SIGHUP)
    async with asyncio.timeout(20):
        while heard.sequences() != [1, 2, 3]:  # mosquitto gives no sign that it has read its list again
            with contextlib.suppress(NotParked):
                await running.publisher.release("main", 1, 3)
            await asyncio.sleep(0.02)
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    assert running.publisher.status()["streams"]["main"]["parked"] == []


async def test_a_table_without_listeners_says_so(mosquitto, run, journal, until):
    """mosquitto marks such an acknowledgement; after its patience the stream goes on without."""
    journal.add(count=3)
    running = run(mosquitto.port, patience_s=0)
    await until(lambda: running.publisher.status()["acked"] == 3)
    assert running.kinds() == ["broker_connected", "nobody_listening"]


async def test_a_broker_that_freezes_dies_and_comes_back_empty_costs_nothing(
    mosquitto, listen, run, journal, until
):
    """Fifty before, fifty during: all arrive, first appearances in order, repeats only with the same id."""
    heard = await listen(mosquitto.port)
    running = run(mosquitto.port, keepalive_s=2, rewind_s=1800)
    journal.add(count=25)
    await until(lambda: running.publisher.status()["acked"] == 25)
    mosquitto.send_signal(signal.SIGSTOP)
    journal.add(count=25)
    running.publisher.wake()
    await until(lambda: not running.publisher.status()["connected"])
    mosquitto.stop()
    journal.add(count=50)
    running.publisher.wake()
    mosquitto.start()
    await until(lambda: len(heard.first_seen()) == 100)
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    assert heard.first_seen() == list(range(1, 101))
    ids = {int(e["sequence"]): e["id"] for e in heard.events()}
    assert all(e["id"] == ids[int(e["sequence"])] for e in heard.events())
    assert running.publisher.status()["streams"]["main"]["settled"] == 0, "what is not settled is not called kept"
    lost = [data["reason"] for kind, data in running.reports if kind == "broker_lost"]
    assert len(lost) == 1
    assert "silent" in lost[0] or "PING" in lost[0]


@pytest.mark.parametrize(("protocol", "will_delay_s"), [("5", 0), ("5", 5), ("3.1.1", 0)])
async def test_an_ordinary_stop_of_the_broker_is_no_second_machine(mosquitto, run, until, protocol, will_delay_s):
    """It hands the table its own will before it closes the connection; that is the news of a loss and of nothing else."""
    running = run(mosquitto.port, protocol=protocol, will_delay_s=will_delay_s)
    for stops in (1, 2):
        await until(lambda stops=stops: running.kinds().count("broker_connected") == stops)
        mosquitto.stop(signal.SIGTERM)
        await until(lambda: not running.publisher.status()["connected"])
        mosquitto.start()
    await until(lambda: running.publisher.status()["connected"])
    assert running.kinds() == [*(["broker_connected", "broker_lost"] * 2), "broker_connected"]


async def test_a_killed_daemon_goes_on_where_it_was_and_is_declared_lost(mosquitto, listen, run, journal, until):
    """The will names the dead session; the next process repeats what is not settled and leaves no gap."""
    heard = await listen(mosquitto.port)
    journal.add(count=200)
    first = run(mosquitto.port, keepalive_s=2, will_delay_s=0)
    await until(lambda: len(heard.sequences()) >= 50)
    await first.kill()
    await until(lambda: heard.conn()[-1] == {"session": 1, "state": "lost"})
    second = run(mosquitto.port)
    await until(lambda: len(heard.first_seen()) == 200)
    assert heard.first_seen() == list(range(1, 201))
    await until(lambda: heard.conn()[-1]["state"] == "online")
    assert heard.conn()[-1]["session"] == 2
    await second.stop()


async def test_the_will_waits_for_a_quick_reconnect(mosquitto, listen, run, until):
    """A network blip shorter than the will's delay is no death: nobody is told of one."""
    heard = await listen(mosquitto.port)
    first = run(mosquitto.port, will_delay_s=5)
    await until(heard.conn)
    await first.kill()
    second = run(mosquitto.port, will_delay_s=5)
    await until(lambda: len(heard.conn()) == 2)
    await second.stop()
    await until(lambda: len(heard.conn()) == 3)
    assert [c["state"] for c in heard.conn()] == ["online", "online", "offline"]


@pytest.mark.parametrize(
    ("protocol", "reason"), [("3.1.1", "ended the connection 3 times"), ("5", "over the limit of 3584")]
)
async def test_one_event_beyond_the_brokers_packet_size_does_not_stop_the_others(
    make_mosquitto, listen, run, journal, until, protocol, reason
):
    """MQTT 5 tells the limit beforehand; on 3.1.1 the broker just hangs up, and the culprit has to be found."""
    broker = make_mosquitto("max_packet_size 4096")
    heard = await listen(broker.port)
    journal.add(count=10)
    journal.add(data=b'{"note":"' + b"x" * 10_000 + b'"}')
    journal.add(count=19)
    running = run(broker.port, protocol=protocol)
    await until(lambda: set(heard.sequences()) == set(range(1, 31)) - {11})
    assert heard.first_seen() == [n for n in range(1, 31) if n != 11]
    (report,) = [data for kind, data in running.reports if kind == "publish_parked"]
    assert report["sequence"] == 11
    assert reason in report["reason"]
    assert running.publisher.status()["connects"] < 10


async def test_what_the_outbox_calls_settled_is_kept_across_processes(mosquitto, listen, run, journal, until):
    """With a broker that is trusted on PUBACK, a second process sends nothing twice after a clean stop."""
    heard = await listen(mosquitto.port)
    journal.add(count=100)
    first = run(mosquitto.port, rewind_s=0)
    await until(lambda: first.publisher.status()["acked"] == 100)
    await first.stop()
    journal.add(count=5)
    run(mosquitto.port, rewind_s=0)
    await until(lambda: len(heard.sequences()) >= 105)
    assert heard.sequences() == list(range(1, 106))


async def test_a_backlog_drains_fast(mosquitto, listen, run, journal, until):
    """Thousands of events a second of processor, so that a day without a broker is caught up in a minute; a fifth suffices."""
    heard = await listen(mosquitto.port, f"{BASE}/conn")
    journal.add(count=12_000, data=b'{"note":"' + b"x" * 100 + b'"}')
    assert heard.messages == []
    begun_s = time.process_time()
    running = run(mosquitto.port, patience_s=0)
    await until(lambda: running.publisher.status()["acked"] == 12_000, 60)
    assert time.process_time() - begun_s < 10
