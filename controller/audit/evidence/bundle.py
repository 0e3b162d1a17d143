"""Makes one zip of all parts with a manifest of their hashes. Equal parts give equal bytes."""

import io
import re
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from controller.audit.evidence.errors import EvidenceError
from controller.journal.proof.keys import SigningKey

FORMAT = 1
MANIFEST, SIGNATURE = "manifest.sha256", "manifest.sig"
NAMEABLE = re.compile(r"[A-Za-z0-9._-]+")
SCRIPTS = {"verify.sh": "verify-evidence.sh", "verify-record.sh": "verify-record.sh"}
"""Name in the file -> name in docs/, for readers who do not trust the scripts in a file."""
NO_TIME = (1980, 1, 1, 0, 0, 0)
PLACES = (Path(__file__).resolve().parent / "_docs", Path(__file__).resolve().parents[3] / "docs")
"""In an installed package, and in a source tree."""


def scripts() -> dict[str, bytes]:
    """Returns the scripts that prove the file without this software."""
    place = next((place for place in PLACES if all((place / name).is_file() for name in SCRIPTS.values())), None)
    if place is None:
        raise EvidenceError(f"{' and '.join(SCRIPTS.values())} are missing: install tablewarden again")
    return {name: (place / source).read_bytes() for name, source in SCRIPTS.items()}


def archive(journal: str, round_id: str, parts: Mapping[str, bytes], signer: SigningKey | None) -> bytes:
    """Returns the zip. `parts`: name -> bytes; all lie in a folder named after the round. Raises `EvidenceError`."""
    if not NAMEABLE.fullmatch(round_id):
        raise EvidenceError(f"round {round_id!r} has a name that no file can have")
    lines = [f"# tablewarden evidence {FORMAT} {journal} {round_id}"]
    lines += [f"{sha256(data).hexdigest()}  {name}" for name, data in sorted(parts.items())]
    manifest = "\n".join([*lines, ""]).encode()
    whole = {**parts, MANIFEST: manifest}
    if signer is not None:
        whole[SIGNATURE] = signer.sign(manifest)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, data in sorted(whole.items()):
            about = zipfile.ZipInfo(f"evidence-{round_id}/{name}", NO_TIME)
            about.external_attr, about.create_system = 0o100640 << 16, 3
            file.writestr(about, data, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()
