"""Files for what people already use: each is run by the tool itself where it can be installed, and looked through where not."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from paho.mqtt import publish
from paho.mqtt.client import topic_matches_sub

from controller.backoffice.figures import families
from controller.backoffice.store.reading import opened
from controller.cli.main import cli
from controller.cli.store.home_assistant import discovery
from controller.cli.store.metrics import server_at
from controller.clock import microseconds
from controller.config.load import load_config
from controller.daemon.views.state_topics import state_topics
from controller.daemon.views.status import device_document, table_document
from controller.publish.presence import Birth
from controller.table.state.table import State
from controller.text.prometheus import daemon_families, exposition
from tests.controller.backoffice.reading.captured import kept_days
from tests.controller.backoffice.reading.stores import sqlite_store
from tests.controller.publish.conftest import Mosquitto, free_port

FOLDER = Path(__file__).resolve().parents[4] / "config" / "backoffice"
TOPICS = [
    f"tablewarden/v1/lv01/t-1/{rest}" for rest in ("conn", "tele/heartbeat", "evt/main", "evt/diag", "state/table")
]
BEAT = {
    "time": "2027-01-15T08:00:00.000000Z", "session": 7, "journal": "0" * 16, "heads": {"main": 3, "diag": 1},
    "parked": {"main": [[2, 2]], "diag": []},
}  # fmt: skip


def _program(name: str, made_by: str) -> str:
    places = {"promtool": "promtool/usr/bin/promtool", "node-red": "node-red/node_modules/.bin/node-red"}
    found = Path(sys.prefix) / places[name]
    program = str(found) if found.exists() else shutil.which(name)
    assert program, f"{name} is not there; {made_by} {Path(sys.prefix) / name} installs it"
    return program


def _promtool(*arguments: str, cwd: Path = FOLDER, stdin: str = "") -> subprocess.CompletedProcess[str]:
    program = _program("promtool", ".ci/promtool")
    return subprocess.run([program, *arguments], cwd=cwd, input=stdin, capture_output=True, text=True, check=False)


# -- Prometheus -----------------------------------------------------------------------------------------------------------


def test_the_alert_rules_do_what_their_tests_say() -> None:
    done = _promtool("test", "rules", "prometheus-rules.test.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    alerts = set(re.findall(r"- alert: (\w+)", (FOLDER / "prometheus-rules.yml").read_text()))
    tried = (FOLDER / "prometheus-rules.test.yml").read_text().split("alertname: ")[1:]
    fired = {text.split()[0].rstrip("}") for text in tried if "exp_alerts" in text}
    assert alerts == fired, "each rule is seen to fire"


def test_a_rule_that_is_wrong_fails_its_test(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "rules")
    rules = tmp_path / "rules" / "prometheus-rules.yml"
    rules.write_text(rules.read_text().replace("tablewarden_held > 0", "tablewarden_held > 1"))
    assert _promtool("test", "rules", "prometheus-rules.test.yml", cwd=rules.parent).returncode == 1


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two tables: one lacks three events and declares two of them, and an alarm is open."""
    folder = tmp_path_factory.mktemp("figures")
    sqlite_store(folder / "store", kept_days(["md-uth-1", "nj-pikit-4"], folder, 40))
    with closing(sqlite3.connect(folder / "store", isolation_level=None)) as db:
        db.execute("UPDATE stream_position SET head = head + 3 WHERE source LIKE '%t-1' AND stream = 'main'")
        (source, journal, stream, through) = db.execute(
            "SELECT source, journal, stream, through FROM stream_position WHERE source LIKE '%t-1' AND stream = 'main'"
        ).fetchone()
        parked = (source, journal, stream, through + 1, through + 2, "parked", BEAT["time"])
        db.execute(
            "INSERT INTO parked (source, journal, stream, first, last, reason, declared) VALUES (?,?,?,?,?,?,?)",
            parked,
        )
        db.execute(
            "INSERT INTO alarm (source, code, detail, opened) VALUES (?, 'gap', 'x', ?)", (source, BEAT["time"])
        )
    return folder / "store"


def test_the_back_office_tells_prometheus_what_it_holds(store: Path) -> None:
    with closing(opened(f"sqlite:{store}")) as reading:
        text = "\n".join([*exposition(families(reading, microseconds("2027-01-15T08:00:17.000000Z"))), ""])
    done = _promtool("check", "metrics", stdin=text)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = set(text.splitlines())
    assert {
        "tablewarden_backoffice_up 1",
        'tablewarden_backoffice_tables{state="online"} 2',
        'tablewarden_backoffice_heard_seconds{site="lv01",table="t-2"} 7',
        'tablewarden_backoffice_missing_events{site="lv01",table="t-1",stream="main"} 1',
        'tablewarden_backoffice_missing_events{site="lv01",table="t-2",stream="main"} 0',
        'tablewarden_backoffice_parked_events{site="lv01",table="t-1",stream="main"} 2',
        'tablewarden_backoffice_alarms_open{code="gap"} 1',
    } <= lines


def test_the_figures_are_served(store: Path, tmp_path: Path) -> None:
    """While the store is away they say so, and the exporter stays."""
    shutil.copy(store, tmp_path / "store")
    with server_at("127.0.0.1:0", f"sqlite:{tmp_path / 'store'}") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            at = f"http://127.0.0.1:{server.server_port}"
            with urllib.request.urlopen(f"{at}/metrics") as answer:
                assert "tablewarden_backoffice_up 1" in answer.read().decode()
            (tmp_path / "store").rename(tmp_path / "away")
            with urllib.request.urlopen(f"{at}/metrics") as answer:
                assert answer.read() == b"tablewarden_backoffice_up 0\n"
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{at}/other")
        finally:
            server.shutdown()
            thread.join()


def test_a_daemon_tells_prometheus_of_its_table() -> None:
    setup = load_config(FOLDER.parent / "tables" / "example.toml").setup()
    state = State.initial(setup)
    status = {
        **table_document(setup, state), "version": "1.0", "record": {"ok": True},
        "devices": {name: device_document(name, device) for name, device in state.devices.items()},
        "broker": {"connected": True, "streams": {"main": {"lag": 4, "parked": [{"first": 2, "last": 3}]}}},
    }  # fmt: skip
    text = "\n".join([*exposition(daemon_families(status)), ""])
    done = _promtool("check", "metrics", stdin=text)
    assert done.returncode == 0, done.stdout + done.stderr
    at = f'site="{setup.site}",table="{setup.table}"'
    assert {
        f"tablewarden_record_ok{{{at}}} 1", f"tablewarden_open{{{at}}} 0", f"tablewarden_held{{{at}}} 0",
        f'tablewarden_broker_lag_events{{{at},stream="main"}} 4', f'tablewarden_broker_parked_events{{{at},stream="main"}} 2',
        f'tablewarden_device_online{{{at},device="shoe-1"}} 0',
    } <= set(text.splitlines())  # fmt: skip
    failed = {"version": "1.0", "record": {"ok": False}, "held": [], "next": "HELD"}
    assert "tablewarden_record_ok 0" in "\n".join(exposition(daemon_families(failed)))


def test_each_figure_of_a_rule_is_one_that_is_told(store: Path) -> None:
    """A rule over a name that nobody tells would never fire."""
    told = (FOLDER.parents[1] / "controller" / file for file in ("text/prometheus.py", "backoffice/figures.py"))
    sources = "".join(path.read_text() for path in told)
    rules = (FOLDER / "prometheus-rules.yml").read_text()
    for name in set(re.findall(r"\btablewarden_(?:backoffice_)?(\w+)", rules)) - {"metrics"}:
        assert f'"{name}"' in sources, name


# -- Telegraf, Home Assistant ---------------------------------------------------------------------------------------------------


def _told(topic: str, schema: dict[str, Any]) -> set[str]:
    if topic.endswith("heartbeat"):
        return {*BEAT, *(f"heads.{stream}" for stream in BEAT["heads"])}  # type: ignore[attr-defined]
    return set(schema["properties"])


def test_telegraf_reads_what_tables_publish() -> None:
    """Its paths stand in the messages of its topics, and no tag makes a series of its own for each event."""
    told = tomllib.loads((FOLDER / "telegraf.conf").read_text())
    schema = json.loads((FOLDER.parents[1] / "docs/schema/envelope.json").read_text())
    for given in told["inputs"]["mqtt_consumer"]:
        for filter_ in given["topics"]:
            assert any(topic_matches_sub(filter_, topic) for topic in TOPICS)
            (parsed,) = given["json_v2"]
            tags = [tag["path"] for tag in parsed.get("tag", ())]
            paths = [parsed["timestamp_path"], *(field["path"] for field in parsed["field"]), *tags]
            assert set(paths) <= _told(filter_, schema)
        for parsing in given["topic_parsing"]:
            assert len(parsing["tags"].split("/")) == len(parsing["topic"].split("/"))
        assert not {"id", "sequence", "roundid", "recordhash"} & {
            tag["path"] for tag in given["json_v2"][0].get("tag", ())
        }
    events = told["inputs"]["mqtt_consumer"][1]
    assert (events["qos"], events["persistent_session"]) == (1, True)


def test_home_assistant_finds_a_table() -> None:
    """Each entity reads a topic that tables publish, and keys that stand in it."""
    topic, message = discovery("lv01", "uth-017", "homeassistant")
    assert topic == "homeassistant/device/tablewarden_lv01_uth_017/config"
    setup = load_config(FOLDER.parent / "tables" / "example.toml").setup()
    keys = {
        "state/table": set(state_topics(setup, State.initial(setup))["table"] or ()),
        "tele/heartbeat": set(BEAT), "conn": set(Birth.__annotations__),
    }  # fmt: skip
    available = {"state_topic": message["availability_topic"], "value_template": message["availability_template"]}
    told = [*message["components"].values(), available]
    for entity in told:
        place = entity["state_topic"].removeprefix("tablewarden/v1/lv01/uth-017/")
        used = set(re.findall(r"value_json\.(\w+)", entity["value_template"]))
        assert used
        assert used <= keys[place]
    assert (
        len({entity["unique_id"] for entity in message["components"].values()}) == len(message["components"]) >= 6
    )
    assert {"device", "origin", "components"} <= message.keys()
    done = CliRunner().invoke(cli, ["backoffice", "home-assistant", "lv01/uth-017", "--remove"])
    assert (done.exit_code, done.output) == (0, f"{topic}\t\n")


# -- Node-RED -------------------------------------------------------------------------------------------------------------------

FLOW = json.loads((FOLDER / "node-red-flow.json").read_text())


def test_the_flow_of_node_red_is_whole() -> None:
    """Each wire ends at a node, and each subscription is one for topics of tables, with a session that lasts."""
    ids = {node["id"] for node in FLOW}
    assert len(ids) == len(FLOW)
    assert all(end in ids for node in FLOW for wires in node.get("wires", ()) for end in wires)
    inputs = [node for node in FLOW if node["type"] == "mqtt in"]
    assert all(any(topic_matches_sub(node["topic"], topic) for topic in TOPICS) for node in inputs)
    (broker,) = [node for node in FLOW if node["type"] == "mqtt-broker"]
    assert (broker["cleansession"], broker["autoUnsubscribe"]) == (False, False)
    assert {node["broker"] for node in inputs} == {broker["id"]}


@pytest.fixture
def node_red(mosquitto: Mosquitto, tmp_path: Path) -> Iterator[str]:
    """Node-RED with the flow, on the broker; its address."""
    port = free_port()
    shutil.copy(FOLDER / "node-red-flow.json", tmp_path / "flow.json")
    (tmp_path / "settings.js").write_text(
        f"module.exports = {{uiPort: {port}, uiHost: '127.0.0.1', httpAdminRoot: false}};"
    )
    environment = {**os.environ, "TABLEWARDEN_BROKER": "127.0.0.1", "TABLEWARDEN_PORT": str(mosquitto.port)}
    child = subprocess.Popen(
        [_program("node-red", ".ci/node-red"), "--userDir", tmp_path, "--settings", tmp_path / "settings.js", "flow.json"],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path,
    )  # fmt: skip
    yield f"http://127.0.0.1:{port}"
    child.terminate()
    child.wait(10)


def _until(look: Callable[[], Any]) -> Any:
    end = time.monotonic() + 60
    while True:
        try:
            if found := look():
                return found
        except OSError:
            pass
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.full
@pytest.mark.timeout(150)
def test_node_red_shows_the_tables(node_red: str, mosquitto: Mosquitto, tmp_path: Path) -> None:
    """Presence and news of a table; a repeat is shown once, and text of a table is no HTML."""

    def rows() -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{node_red}/tables") as answer:
            found: list[dict[str, Any]] = json.load(answer)
            return found

    def say(rest: str, payload: bytes) -> None:
        publish.single(
            f"tablewarden/v1/lv01/t-1/{rest}", payload, qos=1, hostname="127.0.0.1", port=mosquitto.port
        )

    _until(lambda: rows() == [])
    say("conn", b'{"state":"online","session":7}')
    say("conn", b'{"state":"lost","session":6}')
    say("tele/heartbeat", json.dumps(BEAT).encode())
    events = [
        text
        for text in kept_days(["md-uth-1"], tmp_path)
        if b'"stream":"main"' in text and b".hold_placed." in text
    ]
    spoilt = json.loads(events[0])
    spoilt["data"]["reason"] = "<script>alert(1)</script>"
    for text in (events[0], events[0], json.dumps({**spoilt, "id": "x"}).encode()):
        say("evt/main", text)
    (row,) = _until(lambda: [one for one in rows() if len(one["news"]) >= 2])
    assert (row["table"], row["state"], row["heads"], len(row["news"])) == ("lv01/t-1", "online", BEAT["heads"], 2)
    with urllib.request.urlopen(f"{node_red}/board") as answer:
        page = answer.read().decode()
    assert "lv01/t-1" in page
    assert "<script" not in page
