"""A snapshot is text that runs nothing, and is read by the software that made it alone."""

import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import controller
from controller.config.load import load_config
from controller.daemon.record import snapshot as snapshots
from controller.daemon.record.snapshot import Snapshots, sources
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.store import Journal
from controller.journal.vault.vault_keys import VaultKeys, make_vault
from controller.table.fold.fold import evolve
from controller.table.state.table import State
from controller.table.words.codec import decode_fact
from tests.support.played_day import played_day

EXAMPLE = Path(__file__).resolve().parents[4] / "config" / "tables" / "example.toml"
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


@pytest.mark.parametrize(
    "before", ["", "0" * 64, "ours"], ids=["before the maker was named", "another maker", "ours"]
)
def test_nothing_that_an_earlier_release_pickled_is_unpickled(
    made: Callable[[], Snapshots], journal: Journal, key: SigningKey, vault: VaultKeys | None, before: str
) -> None:
    """The table's own key signed it, so the signature does not hold it off. Unpickled, it would end the start, and each one
    after it."""
    file, body = _file(journal), pickle.dumps(_Strange(), pickle.HIGHEST_PROTOCOL)
    if before == "ours":
        made().save(journal, STATE)
        before = file.read_bytes()[snapshots.SIGNATURE_BYTES :][:64].decode()
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
    told = "import sys, controller.table.fold.fold, controller.table.words.codec; "
    told += "print(*(m.__file__ for m in sys.modules.values() if m.__name__.startswith(('controller', 'drivers'))), sep='\\n')"
    run = subprocess.run((sys.executable, "-c", told), cwd=TREE, capture_output=True, text=True, check=True)
    loaded = {Path(line) for line in run.stdout.splitlines()}
    assert TREE / "controller" / "table" / "fold" / "fold.py" in loaded
    no_code = {TREE / room / "__init__.py" for room in ("controller", "drivers", "drivers/protocol")}
    assert not loaded - {*sources()} - no_code


def test_a_state_comes_back_as_it_was(journal: Journal, key: SigningKey) -> None:
    """After days of play, with everything that a table gathers; in a round there is no text of it."""
    setup, lines = played_day()
    state, kept = State.initial(setup), 0
    for line in lines:
        for fact in line["facts"]:
            state = evolve(state, decode_fact(fact["kind"], fact["subject"], msgspec.json.encode(fact["data"])))
        if state.round is None and line is not lines[-1] and kept < 20:
            kept += 1
            Snapshots(journal.path, key, setup).save(journal, state)
            found = Snapshots(journal.path, key, setup).load(journal)
            assert found is not None
            assert found.state == state
        elif state.round is not None and kept == 20:
            with pytest.raises(ValueError, match="between two rounds"):
                Snapshots(journal.path, key, setup).save(journal, state)
            break
    assert kept == 20


def test_no_pickle_is_read_anywhere() -> None:
    """A text that runs code is none of ours."""
    for room in ("controller", "drivers", "simulators"):
        for source in sorted((TREE / room).rglob("*.py")):
            assert not re.search(
                r"^\s*(import|from) (pickle|marshal|shelve)\b", source.read_text(), re.MULTILINE
            ), source


def test_a_text_that_is_none_is_passed_over(
    made: Callable[[], Snapshots], journal: Journal, key: SigningKey
) -> None:
    """Signed by our own key and of this very software: a release that wrote something else under the same name."""
    made().save(journal, STATE)
    maker = _file(journal).read_bytes()[snapshots.SIGNATURE_BYTES :][:64]
    for text in (b"{}", b"[]", b"{", b'{"journal":"x","heads":{},"order":1,"folded":["{}"]}'):
        _file(journal).write_bytes(key.sign(maker + text) + maker + text)
        assert Snapshots(journal.path, key, SETUP).load(journal) is None


def _file(journal: Journal) -> Path:
    return journal.path.with_name(journal.path.name + ".snapshot")
