"""The import names are general words: the daemon starts only with packages that say that they are its own."""

import os
import subprocess
import sys

import pytest

from controller.cli.own_packages import ForeignPackage, verify_own_packages


def test_our_own_packages_are_recognised():
    """The packages of this tree pass, with or without the simulators."""
    verify_own_packages()
    verify_own_packages(("controller", "drivers"))


def test_a_foreign_package_of_the_same_name_is_refused_before_anything_of_it_runs(tmp_path):
    """Somebody installed another `drivers` over ours: the message names it, its path and the remedy."""
    foreign = tmp_path / "drivers"
    foreign.mkdir()
    (foreign / "__init__.py").write_text("")
    code = "from controller.cli.own_packages import verify_own_packages; verify_own_packages(('drivers',))"
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"{foreign}/__init__.py is not part of tablewarden" in done.stderr
    assert "new virtual environment" in done.stderr


def test_a_package_that_must_be_there_and_is_not_is_an_error():
    """Only the simulators may be absent."""
    with pytest.raises(ModuleNotFoundError):
        verify_own_packages(("no_such_package_of_ours",))


def test_the_refusal_names_package_and_path():
    """What a technician reads."""
    assert "the package drivers at /x" in str(ForeignPackage("drivers", "/x"))
