"""Proves tables side by side, each in one of several processes: a table needs nothing of another."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from controller.backoffice.store.reading import Reading, journals, opened
from controller.backoffice.verify import Proof, heard, keys_in, proofs
from controller.journal.proof.keys import PublicKey

_store: Reading
_keys: Mapping[str, Sequence[PublicKey]]


def side_by_side(
    address: str,
    folder: Path,
    tables: Sequence[str],
    since: str,
    until: str,
    processes: int,
    progress: Callable[[int], object],
) -> Iterator[Proof]:
    """Yields what `proofs` yields, in the same order. `folder`: of the keys; `processes`: 0 = as many as there are processors.

    Raises `StoreUnreachable` and `KeyUnusable`.
    """
    keys = keys_in(folder)
    with closing(opened(address)) as store:
        stored = sorted({source for source, _ in journals(store, tables)})
        found = [*stored, *sorted({*(tables or keys), *heard(store, tables)} - set(stored))]
        workers = min(processes or os.cpu_count() or 1, len(found))
        if workers < 2:
            yield from proofs(store, keys, tables, since, until, progress)
            return
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (address, folder)) as pool:
        for each in pool.map(partial(_prove, since, until), found):
            for proof in each:
                progress(proof.events)
                yield proof


def _begin(address: str, folder: Path) -> None:
    global _store, _keys  # of this process, as long as it lives
    _store, _keys = opened(address), keys_in(folder)


def _prove(since: str, until: str, source: str) -> list[Proof]:
    return list(proofs(_store, _keys, [source], since, until))
