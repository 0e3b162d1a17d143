"""Which lines of the core somebody runs: a change is put only to those who run the statement that it changes.

mutmut keeps each function as it was beside its changes, under mangled names in one file. The lines of the former are watched;
the latter are compared with it as text.
"""

import ast
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from tests.mutants.forked import function_of

ORIGINAL = "__mutmut_orig"

Line = tuple[str, int]
"""A file as the interpreter names it, and a line in it."""

Tracer = Callable[[FrameType, str, object], object]


class Function:
    """One function as it was. `lines`: first and last; `text`: without its name."""

    def __init__(self, node: ast.FunctionDef, text: Sequence[str]) -> None:
        self.lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        self.text = [line.replace(node.name, "", 1) for line in text[node.lineno - 1 : node.end_lineno]]
        self.statements = list(_statements(node))

    def running(self, changed: range) -> set[int]:
        """Lines of which one must have run for a change of these lines to matter; all where the signature is changed."""
        wanted = {self.lines.start + offset for offset in changed}
        own = [lines for lines in self.statements if lines & wanted]
        covered = set().union(*own)
        return covered if wanted <= covered else set(self.lines)


def _statements(node: ast.stmt) -> Iterator[set[int]]:
    """The lines of each statement below this one, without those of the statements within it."""
    for child in ast.walk(node):
        if isinstance(child, ast.stmt) and child is not node:
            lines = set(range(child.lineno, (child.end_lineno or child.lineno) + 1))
            for inner in ast.walk(child):
                if isinstance(inner, ast.stmt) and inner is not child:
                    lines -= set(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1))
            yield lines


@cache
def functions(path: Path) -> Mapping[str, Function]:
    """All functions of a file that mutmut made, by mangled name."""
    source = path.read_text(encoding="utf-8")
    text = source.splitlines()
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return {node.name: Function(node, text) for node in found if "__mutmut_" in node.name}


def must_run(path: Path, key: str) -> set[Line]:
    """Lines of this file, of which one has to run before the change can be noticed. `key`: mutmut's name of the change."""
    known = functions(path)
    was = known[function_of(key).rpartition(".")[2] + ORIGINAL]
    now = known[key.rpartition(".")[2]]
    return {(str(path.resolve()), line) for line in was.running(_difference(was.text, now.text))}


def _difference(was: Sequence[str], now: Sequence[str]) -> range:
    """Where the first text differs from the other, from its first such line to its last one."""
    shorter = min(len(was), len(now))
    same = next((n for n in range(shorter) if was[n] != now[n]), shorter)
    after = next((n for n in range(shorter - same) if was[-1 - n] != now[-1 - n]), shorter - same)
    return range(same, max(same + 1, len(was) - after))


class Watched:
    """Who has run which lines of functions as they were. Functions that were changed are not looked at."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.by_line: dict[Line, list[int]] = defaultdict(list)
        self._originals = {
            (str(path.resolve()), line)
            for path in paths
            for name, function in functions(path).items()
            if name.endswith(ORIGINAL)
            for line in function.lines
        }
        self._known: dict[CodeType, bool] = {}

    @contextmanager
    def by(self, who: int) -> Iterator[None]:
        """What is run within is run by this one."""
        seen: set[Line] = set()

        def local(frame: FrameType, event: str, _: object) -> Tracer:
            seen.add((frame.f_code.co_filename, frame.f_lineno))
            return local

        def called(frame: FrameType, event: str, _: object) -> Tracer | None:
            code = frame.f_code
            known = self._known.get(code)
            if known is None:
                known = self._known[code] = (code.co_filename, code.co_firstlineno) in self._originals
            return local(frame, event, _) if known else None

        threading.settrace(called)  # type: ignore[arg-type]
        sys.settrace(called)  # type: ignore[arg-type]
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            for line in seen:
                self.by_line[line].append(who)

    def who_runs(self, path: Path, key: str) -> set[int]:
        """Those whom this change can concern."""
        return {who for line in must_run(path, key) for who in self.by_line.get(line, ())}
