"""Availability and half-open connections: a relay between the table and the broker falls silent without closing."""

import asyncio
import time

BASE = "tablewarden/v1/lv01/lv01-bj-017"


async def test_a_half_open_connection_is_noticed_and_nothing_is_lost(
    mosquitto, listen, run, journal, until, make_relay
):
    """Within one and a half keep-alives plus a few seconds the link counts as down; back again, all arrive."""
    heard = await listen(mosquitto.port)
    relay = await make_relay(mosquitto.port)
    running = run(relay.port, keepalive_s=2, rewind_s=1800)
    journal.add(count=5)
    await until(lambda: len(heard.sequences()) == 5)
    relay.mute = True
    relay.swallow()
    silent = time.monotonic()
    for _ in range(40):
        journal.add()
        running.publisher.wake()
    await until(lambda: not running.publisher.status()["connected"])
    assert time.monotonic() - silent < 1.5 * 2 + 5
    await until(lambda: relay.connections >= 2)
    relay.mute = False
    await until(lambda: len(heard.first_seen()) == 45)
    assert heard.first_seen() == list(range(1, 46))
    assert running.kinds().count("broker_lost") == 1
    assert running.kinds()[-1] == "broker_connected"


async def test_the_dead_sessions_will_does_not_overwrite_the_living(mosquitto, listen, run, until, make_relay):
    """The old connection dies late, after the new birth: the retained availability ends as online all the same."""
    heard = await listen(mosquitto.port, f"{BASE}/conn")
    relay = await make_relay(mosquitto.port)
    # Two client ids, as when a site changes the identity in its configuration: the broker then keeps both sessions.
    old = run(relay.port, keepalive_s=2, client_id="old-name", will_delay_s=0)
    await until(heard.conn)
    relay.swallow()
    await old.kill()
    running = run(mosquitto.port, keepalive_s=2)
    await until(lambda: heard.conn()[-1].get("session") == 2)
    relay.cut()
    await until(lambda: {"session": 1, "state": "lost"} in heard.conn())
    await until(lambda: heard.conn()[-1]["state"] == "online")
    assert heard.conn()[-1]["session"] == 2
    overwritten = [data for kind, data in running.reports if kind == "conn_overwritten"]
    assert overwritten == [{"state": "lost", "session": 1, "journal": None, "ours": 2}]


async def test_a_silent_relay_never_leaves_the_table_offline(mosquitto, listen, run, until, make_relay):
    """The same client id takes the old session over: from the reconnect on the retained value is online and stays so."""
    heard = await listen(mosquitto.port, f"{BASE}/conn")
    relay = await make_relay(mosquitto.port)
    running = run(relay.port, keepalive_s=1, will_delay_s=0)
    await until(heard.conn)
    relay.swallow()
    await until(lambda: heard.conn()[-1].get("session") == 2 and heard.conn()[-1]["state"] == "online")
    relay.cut()
    await until(lambda: running.publisher.status()["connected"])
    await asyncio.sleep(
        2.0
    )  # one and a half keep-alives and more: the broker's own view of the old session has ended
    assert heard.conn()[-1]["state"] == "online"
    await running.stop()
    await until(lambda: heard.conn()[-1]["state"] == "offline")
