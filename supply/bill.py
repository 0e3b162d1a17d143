"""Writes bill of materials (CycloneDX) and list of licences of a release, from its lock: `python -m supply.bill [--check]`.

Exit code 1: a package of a lock is not installed at its version, or its licence is not one of licences.toml.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, cast
from uuid import NAMESPACE_URL, uuid5

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SHIPPED = ROOT / "debian" / "requirements.lock"
"""What a release brings along; requirements.lock holds that and the tools of the tests."""
RULES: dict[str, Any] = tomllib.loads((HERE / "licences.toml").read_text("utf-8"))
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M)

ALLOWED = "a part in brackets that is allowed"
"""Stands for that part in an SPDX expression."""


class SupplyError(Exception):
    """Packages that may not come in, one fault a line."""


@dataclass(frozen=True)
class Package:
    """One package of a lock. `licence`: an SPDX expression; `hashes`: SHA-256 of each file that pip may take."""

    name: str
    version: str
    licence: str
    hashes: tuple[str, ...] = ()

    @property
    def purl(self) -> str:
        """Its package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def licence_of(said: Message) -> str:
    """Returns the licence that metadata of a package names, as an SPDX expression where it can be one."""
    name = said["Name"].lower().replace("_", "-")
    if name in RULES["read"]:
        return str(RULES["read"][name])
    if said["License-Expression"]:
        return str(said["License-Expression"])
    rows = [row.rpartition(" :: ")[2] for row in said.get_all("Classifier", []) if row.startswith("License ::")]
    known = [RULES["classifiers"][row] for row in rows if row in RULES["classifiers"]]
    return " OR ".join(known) or ", ".join(rows) or " ".join((said["License"] or "none is named").split())


def is_allowed(expression: str) -> bool:
    """Whether each licence that an SPDX expression names is allowed; of those joined by OR one is enough."""
    while (inner := re.search(r"\(([^()]*)\)", expression)) is not None:
        expression = expression.replace(inner[0], ALLOWED if is_allowed(inner[1]) else "", 1)
    allowed = {*RULES["allowed"], ALLOWED}
    return any(all(one.strip() in allowed for one in choice.split(" AND ")) for choice in expression.split(" OR "))


def _installed(name: str) -> Message:
    return cast(Message, distribution(name).metadata)


def packages(lock: Path, metadata: Callable[[str], Message] = _installed) -> list[Package]:
    """Returns the packages of a lock with their licences; raises `SupplyError` with each fault."""
    found, faults = [], []
    text = lock.read_text("utf-8")
    for name, version, hashes in PINNED.findall(text):
        try:
            said = metadata(name)
        except PackageNotFoundError:
            faults.append(f"{name} {version}: not installed; run make setup")
            continue
        licence = licence_of(said)
        if said["Version"] != version:
            faults.append(f"{name} {version}: {said['Version']} is installed; run make setup")
        if not is_allowed(licence):
            faults.append(
                f"{name} {version}: the licence {licence!r} is not allowed; supply/licences.toml lists those that are"
            )
        found.append(Package(name, version, licence, tuple(re.findall(r"[0-9a-f]{64}", hashes))))
    lines = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    if len(lines) != len(found) + sum("not installed" in fault for fault in faults):
        faults.append(f"{lock.name}: a package without version or hash")
    if faults:
        raise SupplyError("\n".join(faults))
    return found


def bill(version: str, when: datetime, brought: Iterable[Package]) -> dict[str, Any]:
    """Returns the CycloneDX document of a release."""
    ours = {
        "type": "application", "bom-ref": "tablewarden", "name": "tablewarden", "version": version,
        "licenses": [{"expression": "Apache-2.0"}],
    }  # fmt: skip
    components = [
        {
            "type": "library", "bom-ref": one.purl, "name": one.name, "version": one.version, "purl": one.purl,
            "licenses": [{"expression": one.licence}],
            "properties": [{"name": "tablewarden:lock:sha256", "value": value} for value in one.hashes],
        }
        for one in brought
    ]  # fmt: skip
    names = [str(one["bom-ref"]) for one in components]
    serial = uuid5(NAMESPACE_URL, json.dumps([version, when.isoformat(), components]))
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1,
        "metadata": {"timestamp": when.isoformat().replace("+00:00", "Z"), "component": ours},
        "components": components,
        "dependencies": [{"ref": "tablewarden", "dependsOn": names}, *({"ref": name} for name in names)],
    }  # fmt: skip


def main(arguments: Collection[str]) -> int:
    """Checks both locks, then writes both files to dist/."""
    try:
        checked = packages(ROOT / "requirements.lock")
        brought = packages(SHIPPED)
    except SupplyError as exc:
        print(exc, file=sys.stderr)
        return 1
    print(
        f"licences: {len(checked)} packages, {len(brought)} of them shipped, each under a licence that is allowed"
    )
    if "--check" in arguments:
        return 0
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    stamp = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.check_output(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True
    )
    made = ROOT / "dist"
    made.mkdir(exist_ok=True)
    document = bill(version, datetime.fromtimestamp(int(stamp), UTC), brought)
    (made / f"tablewarden-{version}.cdx.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    lines = [f"{one.name} {one.version}: {one.licence}\n" for one in brought]
    (made / f"tablewarden-{version}.licences.txt").write_text("".join(lines), "utf-8")
    print(f"dist/tablewarden-{version}.cdx.json, dist/tablewarden-{version}.licences.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
