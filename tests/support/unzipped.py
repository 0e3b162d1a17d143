"""Parts of an evidence file."""

import io
import zipfile


def part(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        (found,) = [n for n in packed.namelist() if n.endswith(f"/{name}")]
        return packed.read(found)
