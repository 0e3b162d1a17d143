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

CORE = ("controller.table", "controller.games", "controller.rules", "controller.cards")
REPORTS = ("drivers.events", "drivers.commands")
"""The words in which a device reports, and what may be wanted of it."""
RECORDS = "drivers.protocol.records"
"""How records are made, of the standard library alone: every room may."""
OURS = ("controller", "drivers", "simulators")

# Room -> what of ours it may import. A room may always import from itself; a name stands for all that is in it.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "controller.cli": OURS,
    "controller.daemon.app": OURS,
    "controller.daemon": (
        "controller.config", "controller.control", "controller.publish", "controller.journal", *CORE,
        "controller.text", "controller.limits", "controller.clock", "controller.log", "drivers",
    ),
    "controller.config": (
        "controller.readers",
        "controller.control", "controller.publish", "controller.journal", *CORE,
        "controller.clock", "controller.log", "drivers",
    ),
    "controller.audit": (
        "controller.readers",
        "controller.journal", *CORE, "controller.text", "controller.clock", *REPORTS,
        "drivers.protocol.texts", "drivers.recording", "drivers.catalog",
    ),
    "controller.filters": ("controller.readers", *CORE, "controller.text", "drivers.protocol.texts", *REPORTS),
    "controller.catalogue": (
        "controller.filters", "controller.publish", "controller.journal.vault.sealing", *CORE, *REPORTS,
    ),
    "controller.doctor": (
        "controller.config", "controller.publish", "controller.journal", "controller.readers", "controller.daemon.story", *CORE,
        "controller.control", "controller.clock", "controller.log", "drivers",
    ),
    "controller.devices": ("controller.text", "drivers"),
    "controller.control": (
        "controller.readers",
        *CORE, "controller.limits", "controller.clock", "controller.log", "drivers.protocol.texts", *REPORTS,
    ),
    "controller.backoffice": (
        "controller.readers", "controller.journal", *CORE, "controller.text", "controller.clock", "controller.log",
        "drivers.protocol.texts",
    ),
    "controller.panel": ("controller.control.client", "controller.log", "drivers.protocol.texts"),
    "controller.panel.past": (  # loaded with the first question about the past, in the panel's own process
        "controller.audit", "controller.config", "controller.journal", "controller.rules", "controller.table", "controller.clock",
        "controller.panel",
    ),
    "controller.publish": (*CORE, "controller.clock", "controller.log", *REPORTS),
    "controller.journal": (*CORE, "controller.clock", *REPORTS),
    "controller.text": ("controller.readers", *CORE, "controller.clock", "drivers.protocol.texts", *REPORTS),
    "controller.table": (*CORE[1:], *REPORTS),
    "controller.readers": ("drivers.protocol.texts",),
    "controller.games": (*CORE[2:], "controller.readers"),
    "controller.rules": (*CORE[3:], "controller.readers"),
    "controller.cards": (),
    "controller.limits": ("controller.log",),
    "controller.clock": (),
    "controller.log": ("drivers.protocol.texts",),
    "drivers": (),
    "drivers.protocol": (),
    "simulators": ("drivers.protocol", "controller.readers"),
    "simulators.bench": (
        "simulators", "controller.cli", "controller.control", "controller.journal", "controller.panel.people", *CORE, "drivers",
    ),
    "simulators.crowd": (
        "controller.catalogue.seen", "controller.journal", "controller.publish", "controller.clock", *CORE,
    ),
}  # fmt: skip
FLOORS: tuple[tuple[str, ...], ...] = (
    ("words",), ("state",), ("fold",), ("questions",), ("irregularities", "settlement"), ("card_sets",),
    ("course",), ("acts",), ("decide",),
)  # fmt: skip
"""The rooms of `controller/table` from the ground up. Each imports from the floors below it alone."""
LOADERS = {
    "controller/rules/read/loader.py",
    "controller/rules/read/library.py",
}  # the only files of the core that read files
PURE_ROOMS = (
    "controller.readers", "controller.cards", "controller.rules", "controller.games", "controller.table",
)  # fmt: skip
PURE_MODULES = tuple(f"controller.backoffice.{name}" for name in ("envelope", "proof", "chains", "numbers"))
PACKAGES = set(OURS)  # each holds nothing but a docstring


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
    return max((room for room in MAY_IMPORT if name == room or name.startswith(room + ".")), key=len, default="")


def _ours(path: Path, name: str) -> list[str]:
    """The modules of ours that it imports; of a module from which it takes names, the module."""
    known = {module for module, _ in _modules()}
    found = {i if i in known else i.rpartition(".")[0] for i in _imports(path, name) if i.split(".")[0] in OURS}
    return sorted(found - PACKAGES)


def test_every_module_stands_in_a_room() -> None:
    """A new one that belongs nowhere would be free to import everything."""
    assert [name for name, _ in _modules() if not _room(name) and name not in PACKAGES] == []


def test_each_module_imports_only_from_the_rooms_below_it() -> None:
    """A driver knows no rule, the core knows no device, and no reader of the journal knows another."""
    bad = set()
    for name, path in _modules():
        if name not in PACKAGES:
            room = _room(name)
            wrong = [
                i for i in _ours(path, name) if not any(_within(i, a) for a in (room, RECORDS, *MAY_IMPORT[room]))
            ]
            bad |= {(name, i) for i in wrong}
    assert not bad, "\n".join(f"{name} imports {i}" for name, i in sorted(bad))


def test_no_room_of_the_table_imports_from_its_own_floor_or_above() -> None:
    """Who reads a room needs to know nothing but what lies below it."""
    height = {f"controller.table.{room}": floor for floor, rooms in enumerate(FLOORS) for room in rooms}

    def at(name: str) -> str:
        return next((room for room in height if name == room or name.startswith(room + ".")), "")

    modules = [(name, path) for name, path in _modules() if name.startswith("controller.table.")]
    assert [name for name, _ in modules if not at(name)] == []
    bad = [
        f"{name} imports {i}"
        for name, path in modules
        for i in _ours(path, name)
        if at(i) not in ("", at(name)) and height[at(i)] >= height[at(name)]
    ]
    assert not bad, "\n".join(bad)


def test_the_pure_core_has_no_clock_no_chance_and_no_io() -> None:
    """What decides must give the same answer for ever: no time, no randomness, no file, no socket, no log."""
    bad = []
    for name, path in _modules():
        pure = _room(name) in PURE_ROOMS or name in PURE_MODULES
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


def test_only_publish_and_the_back_office_know_mqtt() -> None:
    """aiomqtt and paho stand behind one port, so that another client can take their place."""
    for name, path in _modules():
        if name.startswith(("controller.publish", "controller.backoffice")):
            continue
        assert not {"aiomqtt", "paho"} & {i.split(".")[0] for i in _imports(path, name)}, path
