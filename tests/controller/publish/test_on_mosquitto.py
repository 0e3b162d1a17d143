"""The publisher against a real broker: what stands on the wire, refusals, and the ends of the daemon."""

import json

BASE = "tablewarden/v1/lv01/lv01-bj-017"


async def test_every_event_arrives_once_in_order_and_a_commit_is_sent_at_once(
    mosquitto, listen, run, journal, until
):
    """A backlog drains in order; what is committed later follows on the next wake-up."""
    heard = await listen(mosquitto.port)
    journal.add(count=300)
    running = run(mosquitto.port)
    await until(lambda: len(heard.sequences()) >= 300)
    journal.add()
    running.publisher.wake()
    await until(lambda: len(heard.sequences()) >= 301)
    await running.stop()
    assert heard.sequences() == list(range(1, 302))


async def test_topics_qos_and_retain_are_those_of_the_contract(mosquitto, listen, run, journal, until):
    """Only conn and state are retained; events are QoS 1, the heartbeat is QoS 0; nothing else is published."""
    journal.add("main")
    journal.add("diag")
    live = await listen(mosquitto.port)
    running = run(mosquitto.port)
    running.states["shuffler-1"] = {"levels": {"lockout": "engaged"}, "sequence": 1}
    await until(lambda: {"main", "diag"} <= {t.rpartition("/")[2] for t, *_ in live.messages})
    running.publisher.wake()
    await until(lambda: f"{BASE}/state/shuffler-1" in [t for t, *_ in live.messages])
    qos = {topic: qos for topic, _, qos, _ in live.messages}
    assert qos == {
        f"{BASE}/conn": 1,
        f"{BASE}/evt/main": 1,
        f"{BASE}/evt/diag": 1,
        f"{BASE}/state/shuffler-1": 1,
        f"{BASE}/tele/heartbeat": 0,
    }
    await running.stop()
    late = await listen_late(mosquitto.port)
    assert sorted(late) == [f"{BASE}/conn", f"{BASE}/state/shuffler-1"]
    assert json.loads(late[f"{BASE}/conn"])["state"] == "offline"


async def listen_late(port: int) -> dict[str, bytes]:
    """What a newcomer is given at once: the retained messages."""
    import asyncio

    out = await asyncio.create_subprocess_exec(
        "mosquitto_sub", "-p", str(port), "-h", "127.0.0.1", "-t", "tablewarden/#", "-W", "1", "-F", "%t %p",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    text, _ = await out.communicate()
    pairs = [line.split(b" ", 1) for line in text.splitlines()]
    return {topic.decode(): payload for topic, payload in pairs}
