"""The second decoder, for whoever compares with it."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def independent() -> ModuleType:
    """tests/drivers/protocol/independent.py."""
    path = Path(__file__).parents[1] / "drivers" / "protocol" / "independent.py"
    spec = importlib.util.spec_from_file_location("independent", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
