"""Bill, licences and advisories of a release."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from email.message import Message
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from supply import audit
from supply.bill import PINNED, ROOT, SHIPPED, SupplyError, bill, is_allowed, licence_of, packages

LOCK = f"one==1.0 \\\n    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'b' * 64}\ntwo==2.0 \\\n    --hash=sha256:{'c' * 64}\n"
WHEN = datetime(2026, 12, 1, tzinfo=UTC)


def said(name, version, licence="MIT"):
    message = Message()
    message["Name"], message["Version"], message["License-Expression"] = name, version, licence
    return message


def locked(tmp_path, text=LOCK):
    path = tmp_path / "x.lock"
    path.write_text(text)
    return path


@pytest.mark.parametrize("lock", [ROOT / "requirements.lock", SHIPPED], ids=lambda path: path.parent.name)
def test_each_package_of_a_lock_has_a_licence_that_is_allowed(lock):
    """The real locks, as they are installed here."""
    found = packages(lock)
    assert len(found) == len(PINNED.findall(lock.read_text())) > 20
    assert all(one.hashes for one in found)


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        (said("one", "1.0", "AGPL-3.0-only"), "one 1.0: the licence 'AGPL-3.0-only' is not allowed; supply"),
        (said("one", "1.0", "MIT AND SSPL-1.0"), "one 1.0: the licence 'MIT AND SSPL-1.0' is not allowed"),
        (said("one", "1.0", ""), "one 1.0: the licence 'none is named' is not allowed"),
        (said("one", "1.1"), "one 1.0: 1.1 is installed; run make setup"),
        (None, "one 1.0: not installed; run make setup"),
    ],
)
def test_a_planted_package_that_may_not_come_in_is_named(planted, fault, tmp_path):
    def metadata(name):
        if name == "one" and planted is None:
            raise PackageNotFoundError(name)
        return planted if name == "one" else said(name, "2.0")

    with pytest.raises(SupplyError) as caught:
        packages(locked(tmp_path), metadata)
    assert str(caught.value).startswith(fault)


def test_a_package_of_a_lock_without_hash_is_a_fault(tmp_path):
    with pytest.raises(SupplyError, match="without version or hash"):
        packages(
            locked(tmp_path, LOCK + "three==3.0\n"), lambda name: said(name, {"one": "1.0", "two": "2.0"}[name])
        )


@pytest.mark.parametrize(
    ("expression", "may"),
    [
        ("MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND GPL-3.0-only", False),
        ("(GPL-3.0-only OR MIT) AND PSF-2.0", True),
        ("MIT OR (Apache-2.0 AND GPL-3.0-only)", True),
        ("BSD License", False),
        ("", False),
    ],
)
def test_one_choice_of_a_licence_is_enough(expression, may):
    assert is_allowed(expression) is may


def test_a_classifier_stands_for_a_licence_where_no_expression_is_there():
    message = said("three", "1", "")
    message["Classifier"] = "License :: OSI Approved :: MIT License"
    assert licence_of(message) == "MIT"


def test_the_bill_names_each_package_that_is_shipped():
    """With version, address and licence, and the same bytes for the same commit."""
    shipped = packages(SHIPPED)
    made = bill("0.2.0", WHEN, shipped)
    assert made == bill("0.2.0", WHEN, packages(SHIPPED))
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert {(one["name"], one["version"]) for one in made["components"]} == {
        (name, version) for name, version, _ in PINNED.findall(SHIPPED.read_text())
    }
    assert all(
        one["purl"] == one["bom-ref"] == f"pkg:pypi/{one['name']}@{one['version']}" for one in made["components"]
    )
    assert all(is_allowed(one["licenses"][0]["expression"]) for one in made["components"])
    assert sorted(made["dependencies"][0]["dependsOn"]) == sorted(one["bom-ref"] for one in made["components"])


def row(name, *ids, **more):
    return {"name": name, "version": "1.0", "vulns": [{"id": one, "fix_versions": ["1.1"]} for one in ids], **more}


@pytest.mark.parametrize(
    ("answer", "code", "line"),
    [
        (
            {"dependencies": [row("one"), row("two")]},
            0,
            "advisories: 2 entries of 1 locks looked up, none is known",
        ),
        ({"dependencies": [row("one", "CVE-1"), row("two")]}, 1, "one 1.0: CVE-1; mended in 1.1"),
        ({"dependencies": [row("one")]}, 3, "NOT RUN: no source of advisories answered for 1 packages: two 2.0"),
        (
            {"dependencies": [row("one"), {"name": "two", "skip_reason": "not found"}]},
            3,
            "NOT RUN: no source of advisories answered for 1 packages: two 2.0",
        ),
        (None, 3, "NOT RUN: no source of advisories answered for 2 packages: one 1.0, two 2.0"),
    ],
)
def test_an_audit_is_clean_only_where_every_package_was_answered_for(answer, code, line, tmp_path, capsys):
    """pip-audit ends with 0 where it could look nothing up."""
    tool = tmp_path / "pip-audit"
    tool.write_text(f"#!/bin/sh\ncat <<'E'\n{json.dumps(answer)}\nE\n" if answer else "#!/bin/sh\nexit 1\n")
    tool.chmod(0o755)
    assert audit.main([str(tool), str(locked(tmp_path))]) == code
    assert line in capsys.readouterr().out


def test_without_the_tool_the_audit_is_not_run(tmp_path):
    """As a command, with its exit code."""
    command = [sys.executable, "-m", "supply.audit", str(tmp_path / "none"), str(locked(tmp_path))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:7]) == (3, "NOT RUN")
    assert Path(ROOT / "requirements-audit.lock").is_file()
