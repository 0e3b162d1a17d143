"""Each message that a test's broker or subscriber receives from a table is held against the catalogue.

Closed here: a key that no schema names is a fault, though a consumer ignores it. `tests/conftest.py` installs it for all tests.
"""

import gzip
import json
import re
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from controller.catalogue.entries import schemas, state_name
from controller.catalogue.seen import released
from controller.publish.broker.memory import Delivery, MemoryBroker
from simulators.bench.subscriber import OLD, Delivered, Subscriber

SCHEMAS = Path(__file__).parents[1] / "schemas"
OURS = re.compile(r"tablewarden/v1/[a-z0-9-]+/[a-z0-9-]+/(.+)")
BASE = "tablewarden/v1/lv01/lv01-bj-017"
FROM_OTHERS = ("ack/", "cmd/")
"""What consumers say: tests say what is unfit, too."""
INVENTED = frozenset({"shuffler_jammed.v1"})
"""Types of events that a test made up, to be of no kind: their envelope alone is looked at."""
INVENTED_STATES = ({"open", "sequence"}, {"count"}, {"round"}, {"value", "sequence"})
"""Keys of states that tests of the publisher made up: it carries any state."""

Validator = Callable[[Any], Iterator[Any]]


@cache
def official(name: str) -> Validator:
    """A schema by others, of tests/schemas."""
    data = (SCHEMAS / name).read_bytes()
    schema = json.loads(gzip.decompress(data) if name.endswith(".gz") else data)
    return jsonschema_rs.Draft7Validator(schema, validate_formats=True).iter_errors


@cache
def _validator(name: str) -> Validator:
    schema = {**released().schemas, **schemas()}[name]
    return jsonschema_rs.Draft202012Validator(closed(schema), validate_formats=True).iter_errors


def closed(schema: Any) -> Any:
    """The schema without any key that it does not name."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(part) for key, part in schema.items()}
    return {**made, "additionalProperties": False} if "properties" in schema and "type" in schema else made


def faults_of(topic: str, payload: bytes) -> list[str]:
    """What is wrong with a message by the catalogue; nothing for one that no table sends."""
    found = OURS.fullmatch(topic)
    if found is None or not payload or found[1].startswith(FROM_OTHERS):
        return []
    try:
        body = json.loads(payload)
        return [f"{topic}: {fault}" for fault in _faults(found[1], body)]
    except (ValueError, LookupError, TypeError) as exc:
        return [f"{topic}: {exc!r}: {payload[:200]!r}"]


def _faults(last: str, body: Any) -> Iterator[str]:
    match last.split("/"):
        case ["evt" | "rpl", _]:
            yield from _said("envelope", body)
            yield from (str(error) for error in official("cloudevents-1.0.json")(body))
            name = body["type"].rpartition(".tg.")[2].partition(".")[2]
            if "data" in body and name not in INVENTED:
                yield from _said(name, body["data"])
        case ["state", _] if body.keys() in INVENTED_STATES:
            return
        case ["state", thing]:
            yield from _said(state_name(thing), body)
        case ["conn"]:
            yield from _said(f"conn_{body['state']}", body)
        case ["rsp", _]:
            yield from _said("answer", body)
        case ["api"]:
            yield from _said("api", body)
        case ["tele", "heartbeat"]:
            yield from _said("heartbeat", body)
        case _:
            yield "no topic of the catalogue"


def _said(name: str, body: Any) -> Iterator[str]:
    yield from (
        f"{name}: {'/'.join(map(str, error.instance_path))}: {error.message}" for error in _validator(name)(body)
    )


@contextmanager
def watched(faults: list[str]) -> Iterator[None]:
    """Collects the faults of what brokers in memory take from tables, and of what subscribers of ours receive."""
    take, begin = MemoryBroker.take, Subscriber.__init__

    def checked_take(broker: MemoryBroker, delivery: Delivery) -> None:
        if not tracemalloc.is_tracing():  # a test that weighs memory
            faults.extend(faults_of(delivery.topic, delivery.payload))
        take(broker, delivery)

    def hear(on_message: Callable[[Delivered], None], message: Delivered) -> None:
        faults.extend(faults_of(message.topic, message.payload))
        on_message(message)

    def checked_begin(
        self: Subscriber,
        host: str,
        port: int,
        client_id: str,
        on_message: Callable[[Delivered], None],
        level: int = OLD,
    ) -> None:
        begin(self, host, port, client_id, partial(hear, on_message), level)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MemoryBroker, "take", checked_take)
        patch.setattr(Subscriber, "__init__", checked_begin)
        yield
