"""A table on a real broker, without a daemon: it publishes in order, begins anew after each connect, and answers replays."""

import json
import threading
import time
from typing import Any

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.support.told_table import ToldTable


class FarTable:
    """Publishes what `told` has. `drops`: sequences of main that its first sending leaves out."""

    def __init__(self, told: ToldTable, port: int, drops: frozenset[int] = frozenset()) -> None:
        self.told, self.drops = told, drops
        self.confirmed: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.answers = True
        self._sent = {"main": 0, "diag": 0}
        self._connected = threading.Event()
        self._client = self._made()
        self._client.connect_async("127.0.0.1", port, 10)
        self._client.loop_start()

    def _made(self) -> paho.Client:
        client = paho.Client(CallbackAPIVersion.VERSION2, self.told.name, clean_session=True)
        client.reconnect_delay_set(1, 1)
        client.max_inflight_messages_set(100)
        base = self.told.topics.base
        client.will_set(f"{base}/conn", json.dumps({"state": "lost", "session": 1}), 1, True)
        client.on_connect, client.on_message = self._on_connect, self._on_message
        return client

    def _on_connect(self, client: paho.Client, *_: Any) -> None:
        base = self.told.topics.base
        client.subscribe([(f"{base}/cmd/#", 1), (f"{base}/ack/#", 1)])
        self.told.session += 1
        client.publish(f"{base}/conn", self.told.birth(), 1, True)
        confirmed = self.confirmed[-1]["streams"] if self.confirmed else {}
        self._sent = {stream: confirmed.get(stream, {}).get("through", 0) for stream in self._sent}
        self._connected.set()

    def _on_message(self, client: paho.Client, _data: Any, message: paho.MQTTMessage) -> None:
        said = json.loads(message.payload)
        if "/ack/" in message.topic:
            self.confirmed.append(said)
            return
        self.asked.append(said)
        base = self.told.topics.base
        if self.answers:
            for sequence in range(said["from"], said["to"] + 1):
                client.publish(f"{base}/rpl/{said['consumer']}", self.told.event(sequence, said["stream"]), 1)
            answer = {"id": said["id"], "verb": "replay", "state": "done"}
            client.publish(f"{base}/rsp/{said['consumer']}", json.dumps(answer), 1)

    def publish(self, *, within_s: float = 10.0) -> None:
        """Sends what was not sent on this connection. Returns when the client has handed it to the broker or lost the broker."""
        assert self._connected.wait(within_s)
        for stream, rows in self.told.records.items():
            while self._sent[stream] < len(rows):
                self._sent[stream] += 1
                if str(stream) != "main" or self._sent[stream] not in self.drops:
                    self.send(f"evt/{stream}", self.told.event(self._sent[stream], stream))

    def beat(self, **changes: Any) -> None:
        self.send("tele/heartbeat", self.told.heartbeat(**changes), 0)

    def send(self, rest: str, payload: bytes, qos: int = 1, *, is_retained: bool = False) -> None:
        self._client.publish(f"{self.told.topics.base}/{rest}", payload, qos, is_retained)

    def through(self, stream: str = "main") -> int:
        """What the recorder has confirmed."""
        streams = self.confirmed[-1]["streams"] if self.confirmed else {}
        return int(streams.get(stream, {}).get("through", 0))

    def crash(self) -> None:
        """Ends as a process does that is killed: without goodbye. Use another FarTable afterwards."""
        self._client.on_disconnect = None
        if (line := self._client.socket()) is not None:
            line.close()
        self.end()

    def end(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


def until(condition: Any, within_s: float = 20.0) -> None:
    """Returns as soon as `condition` holds; fails when it does not within the deadline."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, f"not within {within_s} s"
        time.sleep(0.01)
