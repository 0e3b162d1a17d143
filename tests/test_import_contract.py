"""Who may import whom. The rooms of the house stay apart, so that each can be read, tested and replaced alone."""

import ast
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PURE = (
    "asyncio",
    "time",
    "datetime",
    "random",
    "secrets",
    "logging",
    "structlog",
    "os",
    "socket",
    "sqlite3",
    "pathlib",
)

# Room -> rooms of our own that it may import from. A room may always import from itself.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "drivers.protocol": (),
    "drivers": ("drivers.protocol",),
    "simulators": ("drivers.protocol",),
    "controller.cards": (),
    "controller.rules": ("controller.cards",),
    "controller.games": ("controller.cards", "controller.rules"),
    "controller.table": (
        "controller.cards", "controller.rules", "controller.games", "drivers.events", "drivers.commands",
    ),
    "controller.journal": (
        "controller.table", "controller.games", "controller.rules", "controller.cards",
        "controller.clock", "drivers.events", "drivers.commands",
    ),
    "controller.publish": (
        "controller.table", "controller.games", "controller.rules", "controller.cards",
        "controller.clock", "controller.log", "drivers.events", "drivers.commands",
    ),
    "controller.control": (
        "controller.table", "controller.games", "controller.rules", "controller.cards",
        "controller.limits.token_bucket", "controller.clock", "controller.log", "controller.limits.descriptors", "controller.limits.limited_log",
        "drivers.events", "drivers.commands", "drivers.protocol.texts",
    ),
}  # fmt: skip
LOADERS = {
    "controller/rules/read/loader.py",
    "controller/rules/read/library.py",
}  # the only files of the core that read files
SHELL = ("controller",)  # app, cli, bench, config, clock, log: may import everything


@cache
def _modules() -> list[tuple[str, Path]]:
    found = []
    for room in ("controller", "drivers", "simulators"):
        for path in sorted((ROOT / room).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found.append((name.removesuffix(".__init__"), path))
    return found


@cache
def _imports(path: Path, name: str) -> set[str]:
    out: set[str] = set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            out.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package.split(".")[: len(package.split(".")) - node.level + 1], base]).strip(".")
            out.add(base)
            out.update(f"{base}.{alias.name}" for alias in node.names)
    return out


def _within(imported: str, allowed: str) -> bool:
    """True for the allowed module, anything in it, and the bare package on the way to it."""
    on_the_way = allowed.startswith(imported + ".")  # packages hold nothing but a docstring
    return imported == allowed or imported.startswith(allowed + ".") or on_the_way


def _room(name: str) -> str:
    rooms = [r for r in (*MAY_IMPORT, *SHELL) if name == r or name.startswith(r + ".")]
    return max(rooms, key=len)


def test_each_module_imports_only_from_the_rooms_below_it() -> None:
    """A driver knows no rule, the core knows no device, and no reader of the journal knows another."""
    bad = []
    for name, path in _modules():
        if (room := _room(name)) not in SHELL:
            ours = [i for i in _imports(path, name) if i.split(".")[0] in ("controller", "drivers", "simulators")]
            allowed = (room, *MAY_IMPORT[room])
            wrong = sorted(i for i in ours if not any(_within(i, a) for a in allowed))
            bad += [f"{path.relative_to(ROOT)} imports {i}; {room} may import {allowed}" for i in wrong]
    assert not bad, "\n".join(bad)


def test_the_pure_core_has_no_clock_no_chance_and_no_io() -> None:
    """What decides must give the same answer for ever: no time, no randomness, no file, no socket, no log."""
    bad = []
    for name, path in _modules():
        pure = _room(name) in ("controller.cards", "controller.rules", "controller.games", "controller.table")
        if pure and str(path.relative_to(ROOT)) not in LOADERS:
            wrong = sorted({i.split(".")[0] for i in _imports(path, name)} & set(PURE))
            bad += [f"{path.relative_to(ROOT)} imports {i}" for i in wrong]
    assert not bad, "\n".join(bad)


def test_the_protocol_needs_only_the_standard_library_and_no_io() -> None:
    """TDP/1 can be taken out and built into a device or another host as it is."""
    bad = []
    for name, path in _modules():
        if name.startswith("drivers.protocol"):
            tops = {i.split(".")[0] for i in _imports(path, name)}
            foreign = {t for t in tops if t not in sys.stdlib_module_names and t != "drivers"}
            io = tops & {"asyncio", "time", "os", "logging", "socket", "threading", "random"}
            bad += [f"{path.relative_to(ROOT)} imports {i}" for i in sorted(foreign | io)]
    assert not bad, "\n".join(bad)


def test_only_drivers_transport_touches_a_port() -> None:
    """One place holds descriptors of devices; everything above it works on bytes and time."""
    for name, path in _modules():
        if name.startswith("drivers.transport"):
            continue
        assert "serial" not in {i.split(".")[0] for i in _imports(path, name)}, path
        is_port_of_simulators = name.startswith("simulators.usb")
        assert is_port_of_simulators or "usb" not in {i.split(".")[0] for i in _imports(path, name)}, path


def test_only_publish_knows_mqtt() -> None:
    """aiomqtt and paho stand behind one port, so that another client can take their place."""
    for name, path in _modules():
        if name.startswith("controller.publish"):
            continue
        assert not {"aiomqtt", "paho"} & {i.split(".")[0] for i in _imports(path, name)}, path
