"""A snapshot is read by the software that made it alone; any other one is thrown away before anything of it is unpickled."""

import io
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from inspect import getfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

import controller
from controller import snapshot as snapshots
from controller.config_file import load_config
from controller.journal.keys import SigningKey, make_key
from controller.journal.store import Journal
from controller.journal.vault_keys import VaultKeys, make_vault
from controller.snapshot import Snapshots, sources
from controller.table.state import State

EXAMPLE = Path(__file__).resolve().parents[2] / "config" / "tables" / "example.toml"
SETUP = load_config(EXAMPLE).setup()
STATE = State.initial(SETUP)
TREE = Path(controller.__file__).parents[1]


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    make_key(tmp_path / "key")
    return SigningKey.load(tmp_path / "key")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal.open(tmp_path / "t.journal", site="bench", table="example")) as opened:
        yield opened


@pytest.fixture(params=[False, True], ids=["clear", "vault"])
def vault(tmp_path: Path, request: pytest.FixtureRequest) -> VaultKeys | None:
    return make_vault(tmp_path / "vault") if request.param else None


@pytest.fixture
def made(journal: Journal, key: SigningKey, vault: VaultKeys | None) -> Callable[[], Snapshots]:
    """The snapshot beside the journal, as each start looks for it."""
    return lambda: Snapshots(journal.path, key, SETUP, vault)


class _Strange:
    """What an object of other software may do when it is unpickled here: the module is gone, the class of another kind."""

    def __reduce__(self) -> Any:
        return (exec, ("raise SystemExit('unpickled')",))


def test_the_software_that_made_it_reads_it(made: Callable[[], Snapshots], journal: Journal) -> None:
    made().save(journal, STATE)
    found = made().load(journal)
    assert found is not None
    assert found.state == STATE


@pytest.mark.parametrize("before", ["", "0" * 64], ids=["before the maker was named", "another maker"])
def test_nothing_that_other_software_pickled_is_unpickled(
    made: Callable[[], Snapshots], journal: Journal, key: SigningKey, vault: VaultKeys | None, before: str
) -> None:
    """The table's own key signed it, so the signature does not hold it off. Unpickled, it would end the start, and each one
    after it."""
    file, body = _file(journal), pickle.dumps(_Strange(), pickle.HIGHEST_PROTOCOL)
    if vault is not None:
        name, wrapped = vault.wrap(body, snapshots.ABOUT)
        body = name.encode() + wrapped
    whole = before.encode() + body
    file.write_bytes(key.sign(whole) + whole)
    assert made().load(journal) is None
    assert not file.exists(), "nobody reads it any more, and it may say in the clear what is sealed now"


def test_software_that_knew_no_maker_finds_no_pickle_where_it_looks_for_one(
    made: Callable[[], Snapshots], journal: Journal
) -> None:
    """An update that is taken back must start, too: before, the pickle or the id of its vault stood behind the signature."""
    made().save(journal, STATE)
    assert _file(journal).read_bytes()[snapshots.SIGNATURE_BYTES :][:64].decode().isalnum()


@pytest.mark.parametrize("other", ["9.9", None], ids=["msgspec", "source"])
def test_it_is_of_other_software_where_the_library_or_any_file_that_folds_is_another(
    made: Callable[[], Snapshots],
    journal: Journal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    other: str | None,
) -> None:
    made().save(journal, STATE)
    if other is not None:
        monkeypatch.setattr(msgspec, "__version__", other)
    else:
        (tmp_path / "new.py").write_text("changed = True\n")
        monkeypatch.setattr(snapshots, "sources", lambda: iter([*sources(), tmp_path / "new.py"]))
    assert made().load(journal) is None


def test_its_maker_has_all_files_that_fold_a_record() -> None:
    told = "import sys, controller.table.evolve, controller.table.codec; "
    told += "print(*(m.__file__ for m in sys.modules.values() if m.__name__.startswith(('controller', 'drivers'))), sep='\\n')"
    run = subprocess.run((sys.executable, "-c", told), cwd=TREE, capture_output=True, text=True, check=True)
    loaded = {Path(line) for line in run.stdout.splitlines()}
    assert TREE / "controller" / "table" / "evolve.py" in loaded
    no_code = {TREE / room / "__init__.py" for room in ("controller", "drivers", "drivers/protocol")}
    assert not loaded - {*sources()} - no_code


def test_its_maker_has_all_files_whose_classes_are_in_it(journal: Journal, key: SigningKey) -> None:
    Snapshots(journal.path, key, SETUP).save(journal, STATE)
    pickled = _file(journal).read_bytes()
    unpickler = _Noting(io.BytesIO(pickled[pickled.index(pickle.PROTO, snapshots.SIGNATURE_BYTES + 64) :]))
    unpickler.load()
    ours = {path for path in map(Path, map(getfile, unpickler.classes)) if path.is_relative_to(TREE)}
    assert TREE / "controller" / "snapshot.py" in ours
    assert not ours - {*sources()}


class _Noting(pickle.Unpickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.classes: list[Any] = []

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        if module.startswith(("controller", "drivers")):
            self.classes.append(found)
        return found


def _file(journal: Journal) -> Path:
    return journal.path.with_name(journal.path.name + ".snapshot")
