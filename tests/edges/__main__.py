"""Works out the house's part of every wager anew and writes it beside the rulebooks: `make edges`.

python -m tests.edges [RULEBOOK ...]
"""

import json
import sys
import time
from collections.abc import Callable, Iterator

from controller.rules.explain.house_edge import Figure, document
from controller.rules.read import library
from tests.edges import of_colorado, of_fast_action, of_pikit, of_ultimate
from tests.edges.figures import Maker

GAMES: dict[str, Callable[[Maker], Iterator[Figure]]] = {
    "colorado": of_colorado.figures,
    "fast_action": of_fast_action.figures,
    "pikit": of_pikit.figures,
    "ultimate": of_ultimate.figures,
}


def main() -> None:
    where = library.shipped() / "edges"
    where.mkdir(exist_ok=True)
    names = sys.argv[1:] or [name for name in library.available() if "@" not in name]
    makers = {name: Maker(library.find(name)) for name in names}
    start = time.monotonic()
    of_ultimate.enumerate_all(maker for maker in makers.values() if maker.book.plays == "ultimate")
    print(f"main bets of Ultimate Texas Hold 'Em in {time.monotonic() - start:.0f} s", flush=True)
    for name, maker in makers.items():
        start = time.monotonic()
        print(f"{name}: ", end="", flush=True)
        figures = []
        for figure in GAMES[maker.book.plays](maker):
            figures.append(figure)
            print(".", end="", flush=True)
        lines = ",\n".join(json.dumps(document(figure)) for figure in figures)
        (where / f"{name}.json").write_text(f"[\n{lines}\n]\n", "utf-8")
        print(f" {len(figures)} figures in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
