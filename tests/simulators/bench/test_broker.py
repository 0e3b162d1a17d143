"""Which broker a bench takes, and that the one from pip delivers as the bench needs it: MQTT 5, QoS 1, retained."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from simulators.bench import broker as brokers
from simulators.bench.broker import NO_ACL, Broker, BrokerUnusable, choose
from simulators.bench.subscriber import Delivered, Subscriber

TOPIC = "tablewarden/v1/probe"


async def test_without_any_broker_the_bench_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brokers, "_find", lambda program: None)
    monkeypatch.setattr(brokers, "find_spec", lambda name: None)
    with pytest.raises(
        BrokerUnusable, match=r"install mosquitto, or `pip install .*--broker memory, then no recorder"
    ):
        await choose("auto", tmp_path)


async def test_memory_is_taken_only_where_it_is_asked_for_and_says_what_it_lacks(tmp_path: Path) -> None:
    assert "no recorder runs" in (await choose("memory", tmp_path)).says


async def test_the_broker_from_pip_is_taken_where_mosquitto_is_missing_and_delivers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brokers, "_find", lambda program: None)
    found = await choose("auto", tmp_path)
    assert found.child is not None
    try:
        assert (found.host, found.level) == ("127.0.0.1", 5)
        assert NO_ACL in found.says
        assert "0.0.0.0" not in (tmp_path / "iotcore.toml").read_text()
        live: list[Delivered] = []
        async with _listening(found, "live", live.append):
            (publishing := Thread(target=_publish, args=(found,))).start()
            await _until(lambda: len(live) == 2 and not publishing.is_alive())
        late: list[Delivered] = []
        async with _listening(found, "late", late.append):
            await _until(lambda: bool(late))
        assert [(one.topic, one.payload) for one in live] == [(TOPIC, b"1"), (f"{TOPIC}/state", b"kept")]
        assert [(one.payload, one.retained) for one in late] == [(b"kept", True)]
    finally:
        await found.child.stop()


class _listening:  # reads as what it does
    def __init__(self, found: Broker, name: str, hear: Callable[[Delivered], None]) -> None:
        self._subscriber = Subscriber(found.host, found.port, name, hear, found.level)

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._subscriber.run())
        async with asyncio.timeout(20):
            await self._subscriber.ready()

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def _publish(found: Broker) -> None:
    """As the daemon does: MQTT 5, QoS 1, with properties."""
    client = mqtt.Client(CallbackAPIVersion.VERSION2, "t1", protocol=mqtt.MQTTv5)
    client.connect(found.host, found.port)
    client.loop_start()
    properties = Properties(PacketTypes.PUBLISH)
    properties.UserProperty = ("id", "1")
    client.publish(TOPIC, b"1", 1, properties=properties).wait_for_publish(20)
    client.publish(f"{TOPIC}/state", b"kept", 1, retain=True, properties=properties).wait_for_publish(20)
    client.disconnect()
    client.loop_stop()


async def _until(come: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not come():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
