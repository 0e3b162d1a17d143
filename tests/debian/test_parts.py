"""The parts of the Debian package, looked at without a build: scripts, manual pages, completion, wheels."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "debian"
sys.path.append(str(DEBIAN))

from pages import completions, manuals  # noqa: E402  # a script of debian/, in no package

from controller.cli.main import SECTIONS  # noqa: E402


@pytest.mark.parametrize("script", ["preinst", "postinst", "prerm", "postrm", "tablewarden"])
def test_each_script_is_one_that_the_shell_of_debian_takes(script):
    """A maintainer script that does not parse leaves a package that can be neither installed nor removed."""
    subprocess.run(["sh", "-n", DEBIAN / script], check=True)


def test_each_command_has_a_manual_page_with_all_that_its_help_says():
    """A line that begins with a dot or holds a backslash would be taken as an order of troff, and lost."""
    found = manuals("tablewarden test")
    assert set(found) == {"tablewarden", *(f"tablewarden-{name}" for names in SECTIONS.values() for name in names)}
    run = found["tablewarden-run"].replace("\\-", "-").replace("\\&", "")
    assert "  tablewarden run --config config/tables/example.toml" in run
    assert '.SH "TABLEWARDEN JOURNAL VERIFY"' in found["tablewarden-journal"]
    orders = {line.split()[0] for page in found.values() for line in page.splitlines() if line[:1] in ".'"}
    assert orders == {".TH", ".SH", ".nf", ".fi", ".BR"}


def test_three_shells_complete_commands():
    """Each script asks the program, by the variable that the program looks at."""
    assert len(completions()) == 3
    assert all("_TABLEWARDEN_COMPLETE=" in script for script in completions().values())


def test_the_wheels_of_the_package_are_those_that_are_tested():
    """Each is in requirements.lock at the same version, and has a hash."""
    pinned = re.compile(r"^([a-z0-9-]+==\S+) \\\n    --hash=", re.M)
    tested = set(pinned.findall((ROOT / "requirements.lock").read_text()))
    shipped = set(pinned.findall((DEBIAN / "requirements.lock").read_text()))
    assert len(shipped) > 15
    assert not shipped - tested
    assert not [name for name in shipped if name.startswith(("pytest", "hatchling", "pip=="))]
