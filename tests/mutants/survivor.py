"""A change that no test noticed, and what kinds of it no test has to notice."""

import ast
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
STRICT = re.compile(r", (strict=(True|False|None))?\)")


@dataclass(frozen=True, slots=True)
class Survivor:
    """`was`, `now`: the changed lines, without their indentation."""

    function: str
    was: str
    now: str

    @property
    def words_only(self) -> bool:
        """True where nothing but a text with spaces in it is another one: no key, no kind, no name."""
        was, now = LITERAL.findall(self.was), LITERAL.findall(self.now)
        changed = [old for old, new in zip(was, now, strict=False) if old != new]
        same_code = LITERAL.sub("''", self.was) == LITERAL.sub("''", self.now)
        return same_code and len(was) == len(now) and bool(changed) and all(" " in old for old in changed)

    @property
    def strict_only(self) -> bool:
        """True where nothing but `strict=True` of a `zip` is another one: it says that both are as long, and makes nothing so."""
        same_code = STRICT.sub(")", self.was) == STRICT.sub(")", self.now)
        return "strict=True)" in self.was and self.was != self.now and same_code


def changes(source: str, keys: Sequence[str]) -> Iterator[tuple[str, Survivor]]:
    """What each of these changes is, in a file as mutmut made it: there every function stands once for each change of it."""
    functions = {node.name: node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
    for key in keys:
        changed = key.rpartition(".")[2]
        function = changed.rpartition("__mutmut_")[0]
        lines = list(difflib.ndiff(_text(functions[f"{function}__mutmut_orig"]), _text(functions[changed])))
        was, now = (" ".join(line[2:].strip() for line in lines if line.startswith(sign)) for sign in ("- ", "+ "))
        yield key, Survivor(function, was, now)


def _text(function: ast.FunctionDef) -> list[str]:
    return ast.unparse(ast.Module(function.body, [])).splitlines()
