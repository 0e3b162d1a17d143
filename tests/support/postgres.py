"""A PostgreSQL of a test's own: a cluster in a folder of its own, on a socket in it. It is never run by root."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

DEADLINE_S = 30.0


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    assert found, "PostgreSQL is not installed; .ci/system-packages installs it"
    return found[-1].parent


class Postgres:
    """A cluster with its server. `lines`: of postgresql.conf."""

    def __init__(self, *lines: str) -> None:
        self.folder = Path(
            tempfile.mkdtemp(prefix="pg-", dir="/tmp")
        )  # the path of a socket has 107 characters at most
        self._user: dict[str, Any] = (
            {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        )
        if self._user:
            entry = pwd.getpwnam("postgres")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self._data = self.folder / "data"
        self._run(
            "initdb",
            "-D",
            str(self._data),
            "-A",
            "trust",
            "-U",
            "postgres",
            "--no-sync",
            "--no-locale",
            "-E",
            "UTF8",
        )
        conf = self._data / "postgresql.auto.conf"
        conf.write_text("\n".join([
            "listen_addresses = ''", f"unix_socket_directories = '{self.folder}'", "shared_buffers = 32MB",
            "max_connections = 40", "logging_collector = off", *lines, "",
        ]))  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def url(self, name: str = "postgres") -> str:
        """The address of one of its databases."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def start(self) -> None:
        """Starts the server and waits until it takes connections."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [_programs() / "postgres", "-D", self._data], stdout=log, stderr=log, cwd="/", **self._user
            )
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url(), connect_timeout=2):
                return
            assert self._process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.02)
        raise AssertionError("PostgreSQL takes no connection")

    def stop(self, *, is_killed: bool = False) -> None:
        """Ends the server. `is_killed`: at once and without a checkpoint, as at a crash."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT if is_killed else signal.SIGINT)
            self._process.wait(DEADLINE_S)
            self._process = None

    def execute(self, *orders: str, name: str = "postgres") -> list[tuple[Any, ...]]:
        """Runs statements, each in a transaction of its own; returns the rows of the last."""
        with psycopg.connect(self.url(name), autocommit=True) as db:
            for order in orders:
                cursor = db.execute(order.encode())
            return cursor.fetchall() if cursor.description else []

    def remove(self) -> None:
        """Ends the server and removes the cluster."""
        self.stop(is_killed=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [_programs() / program, *arguments], capture_output=True, text=True, cwd="/", check=False, **self._user
        )
        assert done.returncode == 0, done.stderr
