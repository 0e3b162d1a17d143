"""Makes the publisher of a running table: retained states, reports, and the record's heads."""

import hashlib
import random
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import structlog

from controller.clock import Clock, rfc3339
from controller.config.model import Config
from controller.daemon.engine import Engine
from controller.daemon.record.heads_outside import HeadsOutside
from controller.daemon.story import INFO, OF_LINK
from controller.daemon.views.state_topics import state_topics
from controller.daemon.views.status import without_record
from controller.journal.proof.keys import PublicKey
from controller.journal.record import Stream
from controller.journal.store import Journal
from controller.publish.broker.link import LinkFactory
from controller.publish.broker.memory import MemoryBroker
from controller.publish.broker.mqtt import MqttLink
from controller.publish.config import PublishConfig
from controller.publish.publisher import Publisher
from controller.table.words.back_office_news import BACK_OFFICE_NEWS
from controller.table.words.link_news import LINK_NEWS

log = structlog.get_logger()
ROOT = Path(__file__).resolve().parents[2]


def publisher_of(
    config: Config,
    version: str,
    engine: Engine,
    journal: Journal,
    clock: Clock,
    rng: random.Random,
    key: PublicKey | None,
    in_words: Callable[[object], str],
) -> Publisher:
    """Returns the publisher. `key`: signs the record; `in_words`: says why the record failed."""
    wanted = config.publish(version)
    if wanted is not None:
        wanted = replace(wanted, api=contract_hash())
    link_factory: LinkFactory = _memory() if wanted is None else lambda will: MqttLink(wanted, will)
    if wanted is None:
        log.warning("no_broker", note="no [mqtt] in the configuration: events stay in memory and in the journal")

    def states() -> dict[str, dict[str, object] | None]:
        """Each with the number of the last event in `evt/main` that it is folded from, and the present time."""
        beside = {"sequence": journal.heads()[Stream.MAIN], "time": rfc3339(clock.stamp().wall_us)}
        topics = state_topics(engine.setup, engine.state)
        if engine.failed:
            topics["table"] = {**(topics["table"] or {}), **without_record(in_words(engine.failed))}
        return {thing: None if body is None else {**body, **beside} for thing, body in topics.items()}

    def report(kind: str, **data: Any) -> None:
        getattr(log, OF_LINK.get(kind, INFO))(kind, **data)
        engine.submit("table", {**LINK_NEWS, **BACK_OFFICE_NEWS}[kind](**data))

    setup = engine.setup
    fallback = PublishConfig(setup.site, setup.table, "memory", setup.table)
    goes_out = wanted is not None and wanted.identities == "after_round"
    open_keys = journal.view.open_keys if goes_out else None
    heads = HeadsOutside(engine, journal, key, report)
    return Publisher(wanted or fallback, journal, states, clock, link_factory, rng, report, open_keys, heads)


def contract_hash() -> str:
    """Returns the SHA-256 of the packaged AsyncAPI document, in hex; empty = this installation has none."""
    packaged = files("controller.daemon") / "_docs" / "asyncapi.json"
    document = packaged if packaged.is_file() else ROOT / "docs" / "schema" / "asyncapi.json"
    return hashlib.sha256(document.read_bytes()).hexdigest() if document.is_file() else ""


def _memory() -> LinkFactory:
    broker = MemoryBroker()
    return broker.link
