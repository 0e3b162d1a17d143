"""Builds the Debian package: a virtual environment of its own, wheels checked by hash, nothing fetched at install.

    python debian/build.py [12|13]

It needs dpkg-deb alone. Two builds of one commit are equal, byte for byte: the time of everything is that of the commit.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from email.utils import formatdate
from pathlib import Path

from pages import completions, manuals
from scripts import SCRIPTS, script_text

from supply.bill import licence_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PYTHONS = {"12": "3.11", "13": "3.13"}
"""Release of Debian -> its Python. The package is bound to it, and brings wheels for it alone."""
WHEELS_OF = {"amd64": "x86_64", "arm64": "aarch64"}
MAINTAINER = "{DEBFULLNAME} <{DEBEMAIL}>".format_map(
    {"DEBFULLNAME": "The maintainers of tablewarden", "DEBEMAIL": "maintainers@tablewarden.example"} | os.environ
)
"""Who answers for the package: these two variables, as Debian's own tools take them."""
BUNDLED = {"purelib", "platlib"}


def main(release: str) -> Path:
    """Returns the package's file, in dist/."""
    python = PYTHONS[release]
    os.environ.setdefault("SOURCE_DATE_EPOCH", _said("git", "log", "-1", "--format=%ct"))
    architecture = _said("dpkg", "--print-architecture")
    upstream = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.M)
    assert upstream
    version = f"{upstream[1]}+deb{release}"
    kept = ROOT / "build" / f"wheels-{python}"
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        home = tree / "usr/lib/tablewarden" / version
        _environment(home, python, [*_wheels(kept, python, architecture), _our_wheel(Path(folder))])
        _system(tree, version)
        _documents(tree, home, version)
        _control(tree, version, python, architecture)
        for path in sorted([tree, *tree.rglob("*")], reverse=True):
            if not path.is_symlink():
                runs = path.parent.name == "bin" or path.name in SCRIPTS
                path.chmod(0o755 if runs or path.is_dir() else 0o644)
            os.utime(path, (int(os.environ["SOURCE_DATE_EPOCH"]),) * 2, follow_symlinks=False)
        made = ROOT / "dist" / f"tablewarden_{version}_{architecture}.deb"
        made.parent.mkdir(exist_ok=True)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", str(tree), str(made)],
            check=True,
        )
    return made


def _wheels(kept: Path, python: str, architecture: str) -> list[Path]:
    """Returns the wheels of the lock, fetched once; pip checks each by its hash, kept ones too."""
    lock = HERE / "requirements.lock"
    machine = WHEELS_OF[architecture]
    platforms = [
        f"--platform=manylinux{old}_{machine}" for old in ("2014", "_2_17", "_2_26", "_2_27", "_2_28", "_2_34")
    ]
    fetch = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--disable-pip-version-check",
        "--require-hashes",
        "--no-deps",
    ]
    fetch += ["--only-binary=:all:", f"--python-version={python}", *platforms, "-r", str(lock), "-d"]
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(
            [*fetch, folder, "--no-index", f"--find-links={kept}"], capture_output=True, check=False
        ).returncode:
            subprocess.run([*fetch, folder], check=True)
            for wheel in Path(folder).iterdir():
                shutil.copy(wheel, kept)
        return sorted(kept / wheel.name for wheel in Path(folder).iterdir())


def _our_wheel(folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        check=True, cwd=ROOT, capture_output=True,
    )  # fmt: skip
    (wheel,) = folder.glob("tablewarden-*.whl")
    return wheel


def _environment(home: Path, python: str, wheels: list[Path]) -> None:
    """Lays a virtual environment as `venv` and pip do, for a Python that need not be on this machine."""
    (home / "bin").mkdir(parents=True)
    (home / "bin/python").symlink_to(f"/usr/bin/python{python}")
    (home / "pyvenv.cfg").write_text(
        f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {python}\n"
    )
    site = home / f"lib/python{python}/site-packages"
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(site)
    for data in site.glob("*.data"):  # pip moves these; scripts of others have no place beside ours
        for part in data.iterdir():
            if part.name in BUNDLED:
                shutil.copytree(part, site, dirs_exist_ok=True)
        shutil.rmtree(data)


def _system(tree: Path, version: str) -> None:
    """Units, logins, folders, udev rules, the command and what a shell completes of it."""
    units = ROOT / "systemd"
    named = (units / "tablewarden@.service").read_text()
    put = {
        "usr/lib/systemd/system/tablewarden.service": named.replace("%i.toml", "table.toml").replace(" %i\n", "\n")
    }
    for path in [*units.glob("*.service"), *units.glob("*.timer")]:
        put[f"usr/lib/systemd/system/{path.name}"] = path.read_text()
    put["usr/lib/udev/rules.d/60-tablewarden.rules"] = (units / "60-tablewarden.rules").read_text()
    put["usr/lib/sysusers.d/tablewarden.conf"] = (units / "sysusers.conf").read_text()
    put["usr/lib/tmpfiles.d/tablewarden.conf"] = (units / "tmpfiles.conf").read_text()
    put["usr/bin/tablewarden"] = (HERE / "tablewarden").read_text()
    put["usr/share/lintian/overrides/tablewarden"] = (HERE / "lintian-overrides").read_text()
    put |= completions()
    for place, text in put.items():
        _write(tree / place, text)
    for name, text in manuals(f"tablewarden {version}").items():
        _zip(tree / f"usr/share/man/man1/{name}.1.gz", text)


def _documents(tree: Path, home: Path, version: str) -> None:
    documents = tree / "usr/share/doc/tablewarden"
    for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*.sh"), ROOT / "README.md"]:
        _write(documents / path.name, path.read_text())
    for folder in ("broker", "backoffice", "tables"):
        shutil.copytree(ROOT / "config" / folder, documents / "examples" / folder)
    _zip(documents / "NEWS.gz", (ROOT / "CHANGELOG.md").read_text())
    day = formatdate(int(os.environ["SOURCE_DATE_EPOCH"]))
    entry = f"tablewarden ({version}) stable; urgency=medium\n\n  * See NEWS.gz.\n\n -- {MAINTAINER}  {day}\n"
    _zip(documents / "changelog.gz", entry)
    head = "tablewarden: Apache License 2.0, see /usr/share/common-licenses/Apache-2.0\n\n"
    head += "Copyright 2026 the authors of tablewarden\n\nIt brings these packages, whose whole licences are beside them in\n"
    head += f"/{home.relative_to(tree)}/lib:\n\n"
    _write(documents / "copyright", head + "".join(f"  {line}\n" for line in _licences(home)))


def _licences(home: Path) -> Iterator[str]:
    for path in sorted(home.glob("lib/*/site-packages/*.dist-info/METADATA")):
        said = HeaderParser().parsestr(path.read_text())
        yield f"{said['Name']} {said['Version']}: {licence_of(said)}"


def _control(tree: Path, version: str, python: str, architecture: str) -> None:
    size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    text = (HERE / "control").read_text()
    for name, value in {
        "VERSION": version, "PYTHON": python, "ARCHITECTURE": architecture, "SIZE": str(size // 1024), "MAINTAINER": MAINTAINER,
    }.items():  # fmt: skip
        text = text.replace(f"@{name}@", value)
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files)  # noqa: S324
    _write(tree / "DEBIAN/control", text)
    _write(tree / "DEBIAN/md5sums", sums)
    for script in SCRIPTS:
        _write(tree / "DEBIAN" / script, script_text(script, version))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _zip(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _said(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


if __name__ == "__main__":
    if "DEBEMAIL" not in os.environ:
        print("DEBEMAIL is not set: the package names an address that takes no mail", file=sys.stderr)
    for wanted in sys.argv[1:] or PYTHONS:
        print(main(wanted).relative_to(ROOT))
