"""An update: refused while it would close a table, and cut at any step of its scripts one whole version runs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "debian"))

from scripts import SCRIPTS, added, script_text  # noqa: E402  # a script of debian/, in no package

from controller.config.load import SHA256, read_config  # noqa: E402
from controller.rules.read.library import available, find  # noqa: E402

OLD, NEW = "1+deb12", "2+deb12"
FILES = ("bin/python", "lib/a.py", "lib/b.py", "lib/c.py")
CUT = """#!/bin/sh
n=$(($(cat {count}) + 1)); echo $n > {count}
if [ $n = {at} ]; then {half}kill -9 $PPID; exit 9; fi
exec {real} "$@"
"""
"""Stands for one command of a script: at the wanted step the power goes."""
UNPACKED = ("files", "", ())
STEPS = (
    ("prerm", OLD, ("upgrade", NEW)),
    ("preinst", NEW, ("upgrade", OLD)),
    UNPACKED,
    ("postrm", OLD, ("upgrade", NEW)),
    ("postinst", NEW, ("configure", OLD)),
)
"""What dpkg runs in an upgrade, in its order."""
HALF_COPY = 'if [ "${0##*/}" = cp ]; then mkdir -p "$3/bin"; fi; '
PLAIN = ("systemd-sysusers", "systemd-tmpfiles", "systemctl", "udevadm", "timeout")


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """The check that the package carries, with questions of this test: a function from a table's text to its refusal."""
    folder = tmp_path_factory.mktemp("etc")
    question = {"id": "R-900", "since": "2027-01-01", "wager": None, "problem": "Why?", "choices": ["a: This."]}
    coupon = question | {"id": "R-901", "wager": "trips"}
    books = {"md-uth": {"sha256": "ab" * 32, "questions": [question, coupon]}}
    text = (ROOT / "debian/update_check.py").read_text().replace("@ADDED@", json.dumps(books))

    def run(config):
        (folder / "table.toml").write_text(config)
        ask = [sys.executable, "-I", "-", str(folder)]
        done = subprocess.run(ask, input=text, capture_output=True, text=True, check=False)
        assert (done.returncode == 1) == bool(done.stdout), done.stderr
        warns = "Version 0.2.0 does not" in done.stderr  # that version takes no answers of a later one
        assert warns == bool(done.stdout)
        return done.stdout

    return run


TABLE = '[table]\nrulebook = "md-uth"\n'


@pytest.mark.parametrize(
    ("config", "names"),
    [
        (TABLE, ["R-900"]),
        (TABLE + 'offered = ["trips"]\n', ["R-900", "R-901"]),
        (TABLE + '[elections]\n"R-900" = { choice = "a", by = "sam" }\n', []),
        (TABLE + "[elections]\nquestions_as_of = 2027-01-01\n", []),
        (TABLE + "[elections]\nquestions_as_of = 2026-12-31\n", ["R-900"]),
        (TABLE + 'rulebook_sha256 = "0123456789abcdef"\n[elections]\nquestions_as_of = 2027-01-01\n', ["rulebook_sha256"]),
        (TABLE + f'rulebook_sha256 = "0123456789abcdef {"ab" * 8}"\n[elections]\nquestions_as_of = 2027-01-01\n', []),
        ('[table]\nrulebook = "another"\n', []),
        ("no toml", []),
    ],
)  # fmt: skip
def test_an_update_is_refused_while_a_question_that_it_adds_is_open(check, config, names):
    said = check(config)
    assert [name for name in ("R-900", "R-901", "rulebook_sha256") if name in said] == names


@pytest.mark.parametrize("signed", ["01" * 8, f"{'01' * 8} {'23' * 8}"])
def test_the_line_to_sign_is_one_that_a_table_takes(check, signed):
    """After an update two hashes stand there; a third one is a fault, and the table would stay closed."""
    said = check(TABLE + f'rulebook_sha256 = "{signed}"\n[elections]\nquestions_as_of = 2027-01-01\n')
    line = said.partition('rulebook_sha256 = "')[2].partition('"')[0]
    assert line.split()[1:] == ["ab" * 8]
    assert SHA256.fullmatch(line.replace("HASH-OF-NOW", "01" * 8))


def test_the_package_asks_what_the_rulebooks_ask():
    """Each question that was added and closes a table is in the script, and the shell takes the script."""
    found = added()
    assert set(found) == set(available())
    for name in available():
        book = find(name)
        closes = {r.id for r in book.readings.values() if r.since and r.closes and len(r.choices) > 1}
        assert closes <= {question["id"] for question in found[name]["questions"]}
        assert found[name]["sha256"] == book.sha256
    assert any(each["questions"] for each in found.values())
    script = script_text("preinst", NEW)
    assert all(each["sha256"] in script for each in found.values())
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)


def test_a_version_takes_answers_to_questions_of_the_next_one(tmp_path):
    """Before an update and after it was undone; a misspelt id in a file of this version stays a fault."""
    path = tmp_path / "table.toml"
    text = (ROOT / "config/tables/example.toml").read_text()
    at = text.index("[elections]") + len("[elections]")
    day = text.index("questions_as_of")
    text = text[:day] + text[text.index("\n", day) + 1 :]
    answer = '\n"R-9999" = { choice = "a", by = "sam" }\n'
    path.write_text(text[:at] + "\nquestions_as_of = 2099-01-01" + answer + text[at:])
    ready = read_config(path)
    assert not ready.faults
    assert ready.config is not None
    assert "R-9999" not in ready.config.elections
    path.write_text(text[:at] + "\nquestions_as_of = 2026-01-01" + answer + text[at:])
    assert [fault.code for fault in read_config(path).faults] == ["reading_unknown"]


class Machine:
    """A folder that stands for a PC with the old version; steps of an update as dpkg takes them, each killed where wanted."""

    def __init__(self, folder):
        self.folder, self.home, self.count = folder, folder / "lib", folder / "count"
        self.lay(OLD)
        (self.home / "current").symlink_to(OLD)
        for script in SCRIPTS:
            for version in (OLD, NEW):
                text = script_text(script, version).replace("home=/usr/lib/tablewarden", f"home={self.home}")
                text = text.replace("/run/", f"{folder}/run/").replace("/etc/tablewarden", f"{folder}/etc")
                (folder / f"{script}-{version}").write_text(text)

    def lay(self, version):
        for name in FILES:
            path = self.home / version / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("#!/bin/sh\ncat > /dev/null\n" if name == "bin/python" else version)
            path.chmod(0o755)

    def script(self, name, version, *words, cut=0, half=False):
        """Runs one; True where it was not cut."""
        shims = self.folder / "shims"
        shims.mkdir(exist_ok=True)
        self.count.write_text("0")
        for command in ("rm", "cp", "mv", "ln", "readlink", "find"):
            shim = CUT.format(count=self.count, at=cut, real=shutil.which(command), half=HALF_COPY if half else "")
            (shims / command).write_text(shim)
        for command in PLAIN:
            (shims / command).write_text("#!/bin/sh\nexit 0\n")
        for path in shims.iterdir():
            path.chmod(0o755)
        done = subprocess.run(
            ["sh", str(self.folder / f"{name}-{version}"), *words],
            env=os.environ | {"PATH": f"{shims}:{os.environ['PATH']}"}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in ((0,) if not cut else (0, -9)), done.stderr
        return done.returncode == 0

    def update(self, cut=0, half=False, begin=0):
        """Goes the way of dpkg from step `begin`; `cut`: at which command of the scripts the power goes.

        Returns the step that was cut, or None at its end.
        """
        for number, (name, version, words) in list(enumerate(STEPS))[begin:]:
            if name == "files":
                self.lay(NEW)
                self.runs()
                for path in FILES:
                    (self.home / OLD / path).unlink(missing_ok=True)
                    self.runs()
                continue
            if not self.script(name, version, *words, cut=cut, half=half):
                return number
            cut = max(0, cut - int(self.count.read_text()))
            self.runs()
        return None

    def runs(self):
        """Returns the version that `current` leads to; it must be whole."""
        current = self.home / "current"
        found = {(current / name).read_text() for name in FILES[1:]}
        assert os.access(current / FILES[0], os.X_OK)
        assert len(found) == 1, found
        return found.pop()


@pytest.mark.parametrize("half", [False, True])
def test_cut_at_any_command_of_its_scripts_a_whole_version_runs_and_the_update_goes_on(tmp_path, half):
    """`half`: the copy of the old version is cut in its middle. Nothing is ever missing, and the next try ends the update."""
    seen, cuts = set(), 0
    while True:
        cuts += 1
        machine = Machine(tmp_path / str(cuts))
        step = machine.update(cuts, half)
        if step is None:
            break
        seen.add(machine.runs())
        # dpkg begins again where files were not replaced yet; after that `dpkg --configure -a` goes on.
        assert machine.update(begin=0 if step < STEPS.index(UNPACKED) else len(STEPS) - 1) is None
        assert machine.runs() == NEW
    assert cuts > 10
    assert seen == {OLD}
