"""A small C library that is loaded before a program and stands between it and the system: how disks are made to fail in tests."""

import shutil
import subprocess
from pathlib import Path

__all__ = ["library"]


def library(source: str, directory: Path) -> Path:
    """Compiled into this directory; for `LD_PRELOAD`."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "a C compiler is needed to make a disk fail: install gcc"
    text, out = directory / "shim.c", directory / "shim.so"
    text.write_text(source)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", out, text, "-ldl"], check=True)
    return out
