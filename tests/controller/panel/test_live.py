"""The stream tells the truth: a whole table first, how old it is, who is silent; and it ends with the panel."""

import asyncio
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controller.panel.live import Live
from controller.panel.serve import Address, MayNotListen

RUN = "from controller.cli.main import main; main()"
STATIC = Path(__file__).resolve().parents[3] / "controller" / "panel" / "static"


async def first(live, last="", count=1):
    """The first events of a stream, as (id, event, data)."""
    found = []
    async for chunk in live.events(last, lambda: True):
        lines = dict(line.split(": ", 1) for line in chunk.decode().strip().splitlines())
        found.append((lines.get("id"), lines["event"], json.loads(lines["data"])))
        if len(found) == count:
            return found
    return found


async def following(tmp_path):
    live = Live(tmp_path / "c.sock")
    task = asyncio.create_task(live.run())
    async with asyncio.timeout(5):
        while not live.status:  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.01)
    return live, task


async def test_a_stream_begins_with_the_whole_table_and_its_age(daemon, tmp_path):
    live, task = await following(tmp_path)
    table, beat = await first(live, count=2)
    assert table[:2] == ("j:7", "table")
    assert table[2]["marks"] == {"phase": "0a"}
    assert beat[1:] == ("beat", {"daemon": "ok", "age_ms": pytest.approx(0, abs=1500)})
    live.stop()
    await task


async def test_who_comes_back_hears_what_was_missed(daemon, tmp_path):
    live, task = await following(tmp_path)
    assert (await first(live, "j:3"))[0][1:] == ("since", {"missed": 4})
    assert (await first(live, "other:3"))[0][1:] == ("since", {"missed": None})
    live.stop()
    await task


async def test_a_daemon_that_ends_is_away_and_the_table_grows_old(daemon, tmp_path):
    live, task = await following(tmp_path)
    daemon.close()
    os.unlink(tmp_path / "c.sock")
    async with asyncio.timeout(3):
        while live.daemon == "ok":  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.02)
    assert live.daemon == "away"
    live.stop()
    await task


async def test_text_of_a_device_cannot_end_an_event(daemon, tmp_path):
    daemon.status["devices"] = {"shoe-1": {"link": {"state": "up", "reason": "a\n\nevent: beat\u202e<script>"}}}
    live, task = await following(tmp_path)
    (_, event, data), *_ = await first(live)
    assert event == "table"
    assert "\n" in data["devices"]["shoe-1"]["link"]["reason"]
    assert "\u202e" not in live.body
    live.stop()
    await task


def test_another_address_needs_a_certificate():
    with pytest.raises(MayNotListen, match="--cert"):
        Address("0.0.0.0", 8420).verify()
    Address("127.0.0.1", 8420).verify()
    Address("::1", 8420).verify()


def started(people, folder, *more):
    """A panel in a process of its own; returns it and its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", RUN, "panel", "serve", "--people", str(people.path), "--port", str(port)]
    return subprocess.Popen([*command, "--socket", str(folder / "c.sock"), *more], stderr=subprocess.PIPE), port


@pytest.mark.parametrize("dropped", [64, pytest.param(2000, marks=pytest.mark.full)])
def test_sigterm_with_ten_open_streams_ends_at_once(daemon, people, tmp_path, dropped):
    """And before it, streams that were dropped leave no descriptor."""
    process, port = started(people, tmp_path)
    try:
        cookie = logged_in(port)
        before = descriptors(process.pid)
        for _ in range(dropped // 16):
            for stream in [opened(port, cookie) for _ in range(16)]:
                stream.close()
            until(lambda: descriptors(process.pid) <= before + 2)
        streams = [opened(port, cookie) for _ in range(10)]
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(2) in (0, -signal.SIGTERM)
        assert time.monotonic() - began < 2
        for stream in streams:
            stream.close()
    finally:
        process.kill()
        process.communicate()


def test_a_certificate_makes_it_speak_tls_1_3_alone(daemon, people, tmp_path):
    """And then the session's cookie is sent to nobody else, and never in the clear."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=panel -addext subjectAltName=IP:127.0.0.1"
    subprocess.run(["openssl", *made.split(), "-out", cert, "-keyout", key], check=True, capture_output=True)
    process, port = started(people, tmp_path, "--cert", str(cert), "--key", str(key))
    try:
        context = ssl.create_default_context(cafile=cert)
        with context.wrap_socket(sent(port, ""), server_hostname="127.0.0.1") as spoken:
            assert spoken.version() == "TLSv1.3"
            body, home = "number=1001&pin=1234", f"127.0.0.1:{port}"
            head = f"POST /login HTTP/1.1\nHost: {home}\nOrigin: https://{home}\nContent-Length: {len(body)}\n"
            head += "Connection: close\n\n"
            spoken.sendall((head.replace("\n", "\r\n") + body).encode())
            cookie = re.search(r"set-cookie: ([^\r]+)", b"".join(iter(lambda: spoken.recv(65536), b"")).decode())
        assert cookie
        assert cookie[1].startswith("__Host-tablewarden=")
        assert {"secure", "httponly", "samesite=strict", "path=/"} <= set(cookie[1].lower().split("; "))
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with pytest.raises(ssl.SSLError), sent(port, "") as old:
            context.wrap_socket(old, server_hostname="127.0.0.1")
        with sent(port, f"GET /login HTTP/1.1\nHost: {home}\n\n") as clear:
            assert b"200" not in clear.recv(4096)
    finally:
        process.kill()
        process.communicate()


def until(done):
    end = time.monotonic() + 5
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def sent(port, text):
    """A connection on which this was sent; tries until the panel listens."""
    end = time.monotonic() + 10
    while True:
        try:
            made = socket.create_connection(("127.0.0.1", port), 5)
            break
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)
    made.sendall(text.replace("\n", "\r\n").encode())
    return made


def logged_in(port):
    body = "number=1001&pin=1234"
    head = f"POST /login HTTP/1.1\nHost: 127.0.0.1:{port}\nOrigin: http://127.0.0.1:{port}\nContent-Length: {len(body)}\n"
    with sent(port, f"{head}Connection: close\n\n{body}") as made:
        answer = b"".join(iter(lambda: made.recv(65536), b"")).decode()
    found = re.search(r"set-cookie: ([^;]+);", answer)
    assert found, answer
    return found[1]


def opened(port, cookie):
    made = sent(port, f"GET /stream HTTP/1.1\nHost: 127.0.0.1:{port}\nCookie: {cookie}\n\n")
    assert b"200 OK" in made.recv(4096)
    return made


def test_every_language_has_every_text():
    texts = {path.stem: json.loads(path.read_text()) for path in (STATIC / "messages").glob("??.json")}
    assert set(texts) == {"en", "es"}
    assert texts["en"].keys() == texts["es"].keys()
    for code, text in texts["en"].items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", texts["es"][code])), code


def test_acts_phases_and_irregularities_have_words():
    """A new one without words in both languages fails here."""
    from controller.games.model import Decision, Phase
    from controller.rules.vocabulary import Trigger
    from controller.table.words.acts import ACTS, Resolution

    texts = json.loads((STATIC / "messages" / "en.json").read_text())
    wanted = [f"act.{kind}" for kind in ACTS]
    for name, words in (
        ("phase", Phase),
        ("decision", Decision),
        ("trigger", Trigger),
        ("resolution", Resolution),
    ):
        wanted += [f"{name}.{word}" for word in words]
    assert [code for code in wanted if code not in texts] == []


def test_every_text_that_a_page_names_is_there():
    texts = json.loads((STATIC / "messages" / "en.json").read_text())
    pages = [*STATIC.glob("*.js"), *(STATIC.parent / "pages").glob("*.html")]
    named = {code for page in pages for code in re.findall(r"(?:say\(|words\[)\"([\w.]+)\"", page.read_text())}
    assert named
    assert sorted(named - texts.keys()) == []
