"""The tables of a site as a person lists them in a CSV file: read, judged, and every mistake named with its line. Pure."""

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from io import StringIO

from controller.config.starter import Wanted, methods_of, optional_wagers
from controller.publish.topics import verify_level
from controller.rules.model import Rulebook
from controller.rules.read.library import RulebookUnknown, available, find
from controller.rules.vocabulary import Method
from drivers.events import DeviceKind
from drivers.protocol.records import dataclass

NEEDED = ("table", "rulebook", "broker", "devices")
MAY = ("seats", "method", "offered")
RESERVED = ("authority", "broker", "recorder", "reader")
"""Names of other files and of other clients of the broker."""
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?")
SERIAL = re.compile(r"[A-Za-z0-9._:-]{1,64}")
PLACE = re.compile(r"(pci|platform)-.*")
"""An adapter without a serial number is known by the socket in which it is plugged: tables with one wiring have the same."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One table of the list. `adapters`: kind of device -> serial number, or socket, of the adapter at its cable."""

    wanted: Wanted
    adapters: dict[DeviceKind, str]


def read_site(data: bytes, site: str) -> tuple[list[Listed], list[str]]:
    """Returns the tables and the mistakes, in the order of the lines. With a mistake the tables are not all there."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = data[: exc.start].count(b"\n") + 1
        return [], [f"line {line}: is no UTF-8; save the list as CSV with UTF-8"]
    return _List(text, site).read()


class _List:
    """Reads one list. Notes what was named before: an id, an adapter, a device may stand there once."""

    def __init__(self, text: str, site: str) -> None:
        self._rows = csv.DictReader(StringIO(text, newline=""), strict=True)
        self._site = site
        self._first: dict[tuple[str, str], int] = {}
        self._books: dict[str, Rulebook] = {}

    def read(self) -> tuple[list[Listed], list[str]]:
        """Returns the tables and the mistakes."""
        tables: list[Listed] = []
        faults: list[str] = []
        try:
            faults = list(self._header())
            if faults:
                return [], faults
            for row in self._rows:
                here = self._rows.line_num
                wrong = [f"line {here}: {what}" for what in self._wrong(row, here)]
                faults += wrong
                if not wrong:
                    tables.append(self._listed(row))
        except csv.Error as exc:
            faults.append(f"line {self._rows.line_num}: is no CSV: {exc}; look at its quotation marks")
        if not tables and not faults:
            faults.append("line 2: there is no table; write one a line")
        return tables, faults

    def _header(self) -> Iterator[str]:
        names = [name.strip() for name in self._rows.fieldnames or ()]
        self._rows.fieldnames = names
        for name in NEEDED:
            if name not in names:
                yield f"line 1: column {name!r} is missing; the first line names the columns: {','.join((*NEEDED, *MAY))}"
        for name in dict.fromkeys(names):
            if name not in (*NEEDED, *MAY):
                yield f"line 1: column {name!r} is unknown; remove it, or correct its name: {', '.join((*NEEDED, *MAY))}"
            if names.count(name) > 1:
                yield f"line 1: column {name!r} stands there twice; remove one"

    def _wrong(self, row: dict[str | None, object], here: int) -> Iterator[str]:
        if None in row or None in row.values():
            yield "has more or fewer cells than the first line; separate devices by blanks, not by commas"
            return
        cells = {str(name): str(value).strip() for name, value in row.items()}
        yield from self._wrong_names(cells, here)
        yield from self._wrong_devices(cells["devices"], here)
        name = cells["rulebook"]
        try:
            if name not in self._books:
                self._books[name] = find(name)
        except RulebookUnknown:
            yield f"rulebook {name!r} is unknown; take one of {', '.join(available())}"
            return
        yield from _wrong_play(cells, self._books[name])

    def _wrong_names(self, cells: dict[str, str], here: int) -> Iterator[str]:
        table, broker = cells["table"], cells["broker"]
        try:
            verify_level(table, "table")
        except ValueError:
            yield f'table {table!r} is no id; write 1 to 32 of a-z, 0-9 and "-"'
        if table in RESERVED:
            yield f"table {table!r} is the name of another client or file; choose another id"
        yield from self._once("table", table, here, "give each table an id of its own")
        if not HOST.fullmatch(broker):
            yield f"broker {broker!r} is no host name or address; write one, such as broker.example or 10.20.0.5"

    def _wrong_devices(self, cell: str, here: int) -> Iterator[str]:
        kinds, sockets = [], []
        for word in cell.split():
            kind, sign, rest = word.partition("=")
            adapter, comma, serial = rest.partition(",")
            if not sign or kind not in [*DeviceKind]:
                yield f"device {word!r} is not KIND=ADAPTER or KIND=ADAPTER,SERIAL, with KIND of {', '.join(DeviceKind)}"
                continue
            if kind in kinds:
                yield f"kind {kind!r} stands there twice; list one here, and add the other to the table's files by hand"
            kinds.append(kind)
            if PLACE.fullmatch(adapter):
                if adapter in sockets:
                    yield f"socket {adapter!r} stands there twice; look where each cable is plugged in, and correct one"
                sockets.append(adapter)
            for what, value in (("adapter", adapter), *([("device serial", serial)] if comma else [])):
                if not SERIAL.fullmatch(value):
                    yield f'{what} {value!r} of {kind} is no serial number; write 1 to 64 of A-Z, a-z, 0-9, ".", "_", ":", "-"'
                elif not PLACE.fullmatch(value):
                    yield from self._once(what, value, here, "look at both labels, and correct one")

    def _once(self, what: str, value: str, here: int, remedy: str) -> Iterator[str]:
        first = self._first.get((what, value))
        if first is not None:
            yield f"{what} {value!r} stands in line {first} too; {remedy}"
        self._first.setdefault((what, value), here)

    def _listed(self, row: dict[str | None, object]) -> Listed:
        cells = {str(name): str(value).strip() for name, value in row.items()}
        book = self._books[cells["rulebook"]]
        ports: dict[DeviceKind, tuple[str, str]] = {}
        adapters: dict[DeviceKind, str] = {}
        for word in cells["devices"].split():
            name, _, rest = word.partition("=")
            kind = DeviceKind(name)
            adapters[kind], _, serial = rest.partition(",")
            ports[kind] = (f"/dev/table/{kind}-1", serial)
        seats, method = cells.get("seats"), cells.get("method")
        wanted = Wanted(
            book, self._site, cells["table"], int(seats) if seats else book.seats.value,
            Method(method) if method else methods_of(book)[0], tuple(cells.get("offered", "").split()), ports,
            bench=False, broker=cells["broker"],
        )  # fmt: skip
        return Listed(wanted, adapters)


def _wrong_play(cells: dict[str, str], book: Rulebook) -> Iterator[str]:
    seats, method = cells.get("seats", ""), cells.get("method", "")
    most = book.seats.value
    if seats and not (seats.isascii() and seats.isdecimal() and 1 <= int(seats) <= most):
        yield f"seats {seats!r} is not 1 to {most}, as {book.id} has; leave it empty for {most}"
    if method and method not in book.dealing:
        yield f"method {method!r} is none of {book.id}; it has {', '.join(book.dealing)}"
    yield from _wrong_wagers(cells.get("offered", "").split(), optional_wagers(book), book.id)


def _wrong_wagers(offered: Sequence[str], may: Collection[str], book: str) -> Iterator[str]:
    for wager in offered:
        if wager not in may:
            yield f"wager {wager!r} is no optional one of {book}; it has {', '.join(may) or 'none'}"
