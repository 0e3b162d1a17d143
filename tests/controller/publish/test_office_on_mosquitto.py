"""Confirmations and requests over a real broker, with both versions of MQTT."""

import asyncio
import json
import signal
import time

import pytest

from controller.clock import rfc3339
from tests.controller.publish.conftest import BASE, JOURNAL_ID

LAPSE_S = 0.3


async def publish(port, topic, body, *more):
    """One message by a client of its own."""
    where = ("-h", "127.0.0.1", "-p", str(port), "-t", f"{BASE}/{topic}", "-q", "1", "-m", json.dumps(body), *more)
    sending = await asyncio.create_subprocess_exec("mosquitto_pub", *where)
    assert await sending.wait() == 0


def ack(through):
    return {"consumer": "recorder", "journal": JOURNAL_ID, "streams": {"main": {"through": through}}}


def request(number, **changes):
    expires = rfc3339(time.time_ns() // 1000 + 60_000_000)
    body = {"id": number, "consumer": "recorder", "stream": "main", "journal": JOURNAL_ID, "from": 2, "to": 4}
    return {**body, "expires": expires, **changes}


def said(heard, topic):
    return [payload for name, payload, *_ in heard.messages if name == f"{BASE}/{topic}"]


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_a_broker_that_dies_with_all_it_acknowledged_costs_a_window(
    mosquitto, listen, run, journal, until, protocol
):
    """The consumer keeps ten of twenty; the broker is killed; the table begins behind the ten, also as a new process."""
    wanted = {"confirm": "consumer", "consumers": ("recorder",), "confirm_s": 1, "protocol": protocol}
    heard = await listen(mosquitto.port)
    journal.add(count=20)
    running = run(mosquitto.port, **wanted)
    await until(lambda: heard.sequences() == list(range(1, 16)))
    await publish(mosquitto.port, "ack/recorder", ack(10), "-r")
    await until(lambda: running.publisher.status()["streams"]["main"]["settled"] == 10)
    await until(lambda: heard.sequences() == list(range(1, 21)))
    await running.kill()
    journal.positions.clear()
    journal.others.clear()
    heard.messages.clear()
    again = run(mosquitto.port, **wanted)
    await until(lambda: len(heard.sequences()) >= 10)
    assert heard.sequences()[:10] == list(range(11, 21)), "the retained confirmation came before the first event"
    mosquitto.stop(signal.SIGKILL)
    await until(lambda: not again.publisher.status()["connected"])
    heard.messages.clear()
    mosquitto.start()
    await until(lambda: set(heard.sequences()) == set(range(11, 21)))
    await publish(mosquitto.port, "ack/recorder", ack(20), "-r")
    await until(lambda: again.publisher.status()["streams"]["main"]["settled"] == 20)


async def test_a_request_by_mqtt_5_is_answered_where_it_asks(mosquitto, listen, run, journal, until):
    """Response topic and correlation data are properties of the request; the copies are the same bytes."""
    heard = await listen(mosquitto.port)
    journal.add(count=5)
    running = run(mosquitto.port)
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    asked = (
        "-V",
        "5",
        "-D",
        "PUBLISH",
        "response-topic",
        f"{BASE}/rsp/desk",
        "-D",
        "PUBLISH",
        "correlation-data",
        "x",
    )
    await publish(mosquitto.port, "cmd/replay", request("one"), *asked)
    await until(lambda: len(said(heard, "rsp/desk")) == 2)
    assert [json.loads(a)["state"] for a in said(heard, "rsp/desk")] == ["accepted", "done"]
    assert said(heard, "rpl/recorder") == said(heard, "evt/main")[1:4]
    foreign = ("-V", "5", "-D", "PUBLISH", "response-topic", "tablewarden/v1/lv01/other/rsp/x")
    await publish(mosquitto.port, "cmd/replay", request("two"), *foreign)
    await until(lambda: said(heard, "rsp/recorder"))
    assert json.loads(said(heard, "rsp/recorder")[0])["code"] == "command_response_foreign"
    assert not [topic for topic, *_ in heard.messages if "/other/" in topic]


async def test_a_request_by_mqtt_3_1_1_has_it_in_the_payload(mosquitto, listen, run, journal, until):
    """So a client without properties can ask, too."""
    heard = await listen(mosquitto.port)
    journal.add(count=5)
    running = run(mosquitto.port, protocol="3.1.1")
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    await publish(mosquitto.port, "cmd/replay", request("one", response=f"{BASE}/rsp/desk", correlation="y"))
    await until(lambda: len(said(heard, "rsp/desk")) == 2)
    assert [json.loads(a)["correlation"] for a in said(heard, "rsp/desk")] == ["y", "y"]
    assert said(heard, "rpl/recorder") == said(heard, "evt/main")[1:4]


async def test_a_retained_request_is_refused_live_and_at_each_connect(mosquitto, listen, run, journal, until):
    """It would run late, and again at every reconnect."""
    heard = await listen(mosquitto.port)
    journal.add(count=5)
    running = run(mosquitto.port)
    await until(lambda: running.publisher.status()["connected"])
    await publish(mosquitto.port, "cmd/replay", request("one"), "-r")

    def refused(publisher):
        return publisher.status()["back_office"]["commands"]["refused"]

    await until(lambda: refused(running.publisher) == {"command_retained": 1})
    await running.kill()
    second = run(mosquitto.port)
    await until(lambda: refused(second.publisher) == {"command_retained": 1})
    await asyncio.sleep(LAPSE_S)
    assert said(heard, "rpl/recorder") == said(heard, "rsp/recorder") == []


async def test_with_the_acl_of_the_manual_requests_and_answers_pass_and_nothing_else(
    make_mosquitto, listen, run, journal, until
):
    """The lines of docs/mqtt.md 1: what the table writes and reads, and the recorder beside it."""
    broker = make_mosquitto(start=False)
    written = [f"topic write {BASE}/{t}" for t in ("evt/#", "state/#", "tele/#", "rsp/#", "rpl/#", "api")]
    read = [f"topic read {BASE}/{t}" for t in ("ack/#", "cmd/#")]
    recorder = [
        "user recorder",
        f"topic read {BASE}/#",
        f"topic write {BASE}/ack/recorder",
        f"topic write {BASE}/cmd/#",
    ]
    broker.acl("user table", *written, *read, f"topic readwrite {BASE}/conn", *recorder)
    broker.lines.remove("allow_anonymous true")
    passwords = broker.folder / "passwords"
    for user in ("table", "recorder"):
        made = ["mosquitto_passwd", "-b", *(() if passwords.exists() else ("-c",)), str(passwords), user, "p"]
        assert await (await asyncio.create_subprocess_exec(*made)).wait() == 0
    passwords.chmod(0o644)
    broker.lines += ["allow_anonymous false", f"password_file {passwords}"]
    broker.start()
    secret = broker.folder / "secret"
    secret.write_text("p")
    journal.add(count=5)
    wanted = {
        "confirm": "consumer",
        "consumers": ("recorder",),
        "confirm_s": 60,
        "patience_s": 0,
        "api": "ab" * 32,
    }
    running = run(broker.port, username="table", password_file=secret, **wanted)
    await until(lambda: running.publisher.status()["acked"] == 5)
    me = ("-u", "recorder", "-P", "p")
    await publish(broker.port, "ack/recorder", ack(5), "-r", *me)
    await until(lambda: running.publisher.status()["streams"]["main"]["settled"] == 5)
    await publish(broker.port, "cmd/replay", request("one"), *me)
    await until(lambda: running.publisher.status()["back_office"]["commands"]["taken"] == {"replay": 1})
    await until(lambda: running.publisher.status()["back_office"]["replays"] == 0)
    await asyncio.sleep(LAPSE_S)
    assert running.publisher.status()["refused"] == 0
    assert running.publisher.status()["parked_topics"] == []
    assert "publish_refused" not in running.kinds()
