"""The Debian package, built and installed in a clean root: `pytest -m full tests/debian`, some minutes, as root."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = version("tablewarden")
CACHE = ROOT / "build" / "roots"
SUITES = {"12": "bookworm", "13": "trixie"}
ROOT_FETCHES = '--aptopt=APT::Sandbox::User "root"'
NEEDS = "python3,systemd,udev,libusb-1.0-0,mosquitto"
INSIDE = """
root=$1; shift
mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; mount -t tmpfs tmpfs "$root/run"
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
"""
OPEN_ROUND = """
import os, socket
os.makedirs("/run/tablewarden", exist_ok=True)
socket.socket(socket.AF_UNIX).bind("/run/tablewarden/control.sock")
"""
STUB = """#!/bin/sh
echo '{"round": {"round": "R1"}}'
"""
"""Stands for the command, and says what `tablewarden status --json` says in a round."""
BOOTED = r"""#!/bin/sh
exec > /root/said 2>&1
cd "$(mktemp -d)"; tablewarden init --bench
sed -e 's#"table.journal"#"/var/lib/tablewarden/table.journal"#' -e 's#"control.sock"#"/run/tablewarden/control.sock"#' \
  table.toml > /etc/tablewarden/table.toml
keys=/run/credentials/tablewarden.service
sed -i "/^\[journal\]/a key = \"$keys/journal-key\"\nvault = \"$keys/vault-key\"" /etc/tablewarden/table.toml
tablewarden journal key --new /etc/credstore/tablewarden.journal-key
tablewarden vault key --new /etc/credstore/tablewarden.vault-key
printf '1234\n1234\n' | runuser -u tablewarden-panel -- \
  tablewarden panel person --people /var/lib/tablewarden-panel/people.json --add sam --number 4711 --role supervisor
echo 'broken' > /etc/tablewarden/t2.toml
systemctl start mosquitto tablewarden tablewarden-panel tablewarden-recorder tablewarden@t2
sleep 5
for unit in tablewarden tablewarden-panel tablewarden-recorder tablewarden@t2; do
  echo "$unit $(systemctl is-active $unit) $(systemctl show -p NRestarts --value $unit)"
done
tablewarden status
ls /run/credentials/tablewarden.service
runuser -u tablewarden-panel -- cat /run/credentials/tablewarden.service/vault-key /etc/credstore/tablewarden.vault-key
systemctl stop tablewarden
tablewarden journal verify /var/lib/tablewarden/table.journal --key /etc/credstore/tablewarden.journal-key.pub
journalctl --no-pager -u tablewarden-panel | tail -9
systemctl poweroff
"""
"""Runs in a booted root: a table, panel, recorder, and a second table by name whose configuration is refused."""
pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module", params=SUITES)
def package(request):
    """A release of Debian, and the package for it."""
    return request.param, build(request.param)


def build(release):
    made = subprocess.run(
        [sys.executable, "debian/build.py", release], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT), "TZ": "UTC"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ROOT / made.stdout.split()[-1]


def needed(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.fail(
            f"this machine cannot judge the package without {', '.join(missing)}: apt-get install {' '.join(missing)}"
        )


@pytest.fixture(scope="module")
def clean(package, tmp_path_factory):
    """A function that runs shell lines in a clean root of the package's Debian, without any network."""
    needed("mmdebstrap", "unshare")
    release, made = package
    kept = CACHE / f"{SUITES[release]}.tar"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part.tar")
        subprocess.run(
            ["mmdebstrap", "--variant=minbase", f"--include={NEEDS}", ROOT_FETCHES, SUITES[release], part], check=True
        )  # fmt: skip
        part.rename(kept)
    root = tmp_path_factory.mktemp("root")
    subprocess.run(["tar", "-xf", kept, "-C", root], check=True)
    shutil.copy(made, root / "tmp/tablewarden.deb")

    def run(lines, code=0):
        ask = ["unshare", "--mount", "--net", "bash", "-ec", INSIDE, "_", root, "sh", "-ec", lines]
        done = subprocess.run(ask, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    run.root = root
    run.put = lambda place, text: (root / place).write_text(text)
    yield run
    shutil.rmtree(root)


def test_two_builds_are_equal_byte_for_byte(package):
    """Another umask and another time of each source change nothing."""
    release, made = package
    first = made.read_bytes()
    before = os.umask(0o077)
    try:
        for path in (ROOT / "debian").iterdir():
            path.touch()
        assert build(release).read_bytes() == first
    finally:
        os.umask(before)


def test_lintian_finds_no_error(package):
    """Debian's own judge; its warnings are about systemctl and about scripts inside packages of others."""
    needed("lintian")
    judged = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error", package[1]], capture_output=True, text=True, check=False
    )
    assert judged.returncode == 0, judged.stdout


def test_installed_offline_it_plays_a_round_is_upgraded_and_keeps_the_record(package, clean):
    """From a clean root to a round; then the next version, an open round, removal, purge, and purge as asked."""
    done = clean(
        "dpkg -i /tmp/tablewarden.deb; id tablewarden-panel; stat -c '%U %G %a' /etc/tablewarden /var/lib/tablewarden"
    )
    assert "nothing runs yet" in done
    assert "(tablewarden)" in done
    assert "root tablewarden 750\ntablewarden tablewarden 750\n" in done
    done = clean("cd $(mktemp -d); tablewarden --version; tablewarden init --bench; tablewarden check table.toml; "
                 "tablewarden bench --rounds 1 --broker memory --speed 200")  # fmt: skip
    assert "PASS  chain: the record is whole" in done
    assert " 0 FAIL" in done
    clean(
        "dpkg -V tablewarden; echo evidence > /var/lib/tablewarden/t.journal; echo law > /etc/tablewarden/table.toml"
    )

    clean(
        "cd $(mktemp -d); dpkg-deb -R /tmp/tablewarden.deb t; was=$(sed -n 's/^Version: //p' t/DEBIAN/control)\n"
        'sed -i "s/$was/$was.1/g" t/DEBIAN/*; mv t/usr/lib/tablewarden/$was t/usr/lib/tablewarden/$was.1\n'
        "dpkg-deb -b t /tmp/newer.deb"
    )
    clean.put("tmp/stub", STUB)
    done = clean(
        f"python3 -c '{OPEN_ROUND}'; cp /usr/bin/tablewarden /tmp/kept; cp /tmp/stub /usr/bin/tablewarden\n"
        "! dpkg -i /tmp/newer.deb\n"
        "cp /tmp/kept /usr/bin/tablewarden; readlink /usr/lib/tablewarden/current; tablewarden --version"
    )
    assert "a round is open at /run/tablewarden/control.sock. Nothing was changed." in done
    assert f"\n{VERSION}+deb{package[0]}\n" in done
    clean.put("etc/tablewarden/unanswered.toml", '[table]\nrulebook = "md-uth"\n')
    done = clean(
        "! dpkg -i /tmp/newer.deb; readlink /usr/lib/tablewarden/current; rm /etc/tablewarden/unanswered.toml"
    )
    assert "unanswered.toml [elections] R-204, new since 2026-11-30, keeps this table closed" in done
    assert ".1\n" not in done
    # The moment between the old files and the new ones set up: the old version still runs.
    done = clean("dpkg --unpack /tmp/newer.deb; readlink /usr/lib/tablewarden/current; tablewarden --version")
    assert f"\nprevious\ntablewarden {VERSION}\n" in done
    done = clean("dpkg --configure -a; readlink /usr/lib/tablewarden/current; tablewarden --version")
    assert f"{VERSION}+deb{package[0]}.1\n" in done
    done = clean("dpkg -i /tmp/tablewarden.deb; readlink /usr/lib/tablewarden/current; tablewarden --version")
    assert f"\n{VERSION}+deb{package[0]}\n" in done

    clean("dpkg -r tablewarden; test ! -e /usr/lib/tablewarden; grep evidence /var/lib/tablewarden/t.journal")
    done = clean(
        "dpkg -P tablewarden; grep evidence /var/lib/tablewarden/t.journal; grep law /etc/tablewarden/table.toml"
    )
    assert "the record in /var/lib/tablewarden stays" in done
    done = clean("touch /etc/tablewarden/delete-the-record; dpkg -i /tmp/tablewarden.deb; dpkg -P tablewarden")
    assert "are deleted" in done
    clean("test ! -e /var/lib/tablewarden; test ! -e /etc/tablewarden")


def test_its_units_run_under_systemd(clean):
    """Booted by systemd-nspawn: all start and stay; keys come as credentials; a refused configuration is not tried again."""
    needed("systemd-nspawn")
    clean("dpkg -i /tmp/tablewarden.deb")
    clean.put("root/try.sh", BOOTED)
    clean.put(
        "etc/systemd/system/try.service",
        "[Service]\nExecStart=/bin/sh /root/try.sh\n[Install]\nWantedBy=multi-user.target\n",
    )
    clean("systemctl enable try.service")
    boot = [
        "systemd-nspawn",
        "-D",
        clean.root,
        "--boot",
        "--register=no",
        "--keep-unit",
        "--private-network",
        "--console=read-only",
    ]
    booted = subprocess.run(
        boot, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
    )
    kept = clean.root / "root/said"
    assert kept.exists(), "systemd does not boot in systemd-nspawn here: " + booted.stdout + booted.stderr
    said = kept.read_text()
    assert "tablewarden active 0\ntablewarden-panel active 0\ntablewarden-recorder active 0\n" in said, said
    assert "tablewarden@t2 failed 0\n" in said, said
    assert "Open the table (open_table)" in said, said
    # Keys come from systemd alone: those that are there, for this service alone, and they sign.
    assert "\njournal-key\nvault-key\n" in said, said
    assert said.count("Permission denied") == 2, said  # the copy, and the file it is made from
    key = re.search(r"journal-key: key (\w+);", said)
    assert key, said
    assert re.search(rf"signed (\d+) of \1 checkpoints by {key[1]}", said), said
