"""How fast `backoffice verify` proves a store, and what memory it takes, as seen by this machine now.

python -m tests.bench.verify [--events 100000]
"""

import argparse
import resource
import tempfile
import time
from contextlib import closing
from pathlib import Path

from controller.backoffice.store.reading import opened
from controller.backoffice.verify import proofs
from tests.controller.backoffice.reading.stores import sqlite_store
from tests.support.told_table import ToldTable


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--events", type=int, default=100_000)
    count = parser.parse_args().events
    with tempfile.TemporaryDirectory() as folder:
        table = ToldTable()
        address = sqlite_store(
            Path(folder) / "store", table.grow(count, body=b'{"cards":3,"text":"%s"}' % (b"x" * 300))
        )
        del table
        before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun, cpu = time.perf_counter(), time.process_time()
        with closing(opened(address)) as store:
            (proof,) = proofs(store, {})
        took, used = time.perf_counter() - begun, time.process_time() - cpu
        grown_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib) / 1024
    assert (proof.events, proof.wrong) == (count, 0)
    print(
        f"{count / took:,.0f} events/s ({count / used:,.0f} a second of processor), memory grown by {grown_mib:.0f} MiB"
    )


if __name__ == "__main__":
    main()
