"""From a TOML file to a `Config`, strictly: every fault of the file is found and told together."""

import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from controller.config.amounts import MAX_CENTS, limits_in, meters_in, payouts_in
from controller.config.approved_firmware import read_approved
from controller.config.device import verify_device
from controller.config.gaming_day import read_calendar
from controller.config.journal import journal_in
from controller.config.modbus_units import read_units
from controller.config.model import Config, ConfigInvalid, Elections, LogConfig, law_of, not_kept
from controller.config.retention import read_retention
from controller.config.table import TableConfig
from controller.control.client import DEFAULT_SOCKET
from controller.control.desk import NAME, ControlConfig, Person, Voucher
from controller.control.endpoint import MAX_PATH
from controller.log import LogFormat, LogLevel
from controller.publish.config import PublishConfig, Tls
from controller.readers.fault import Fault
from controller.readers.table import Scope, Table
from controller.readers.toml import TomlInvalid, parse_toml
from controller.rules.amounts import CURRENCY
from controller.rules.elections import BENCH
from controller.rules.explain.questions import newest
from controller.rules.model import Law
from controller.rules.read.loader import whole
from controller.rules.vocabulary import Method, Role
from drivers.catalog import Codec, Firmware, codec_of
from drivers.device import DeviceConfig
from drivers.events import Back, DeviceKind
from drivers.lines.bee_tek import BAUD as BEETEK_BAUD
from drivers.modbus.timing import DEFAULT_BAUD as BUS_BAUD
from drivers.protocol.constants import DEFAULT_BAUD
from drivers.protocol.records import dataclass
from drivers.transport.usb_address import USB_SCHEME, UsbAddress

MAX_SEATS = 12
"""No felt has more; what the rulebook allows is checked against the rulebook."""

BAUD = (1_200, 4_000_000)
USUAL_BAUD = {Codec.MODBUS: BUS_BAUD, Codec.BEETEK: BEETEK_BAUD}
"""Where a device speaks slower than TDP does."""

ABOVE_DEALER = frozenset({Role.FLOORPERSON, Role.SUPERVISOR, Role.TECHNICIAN})
LEVEL = re.compile(r"[a-z0-9-]{1,32}")
"""Names that become levels of MQTT topics; the same pattern as in `controller.publish.topics`."""
SHA256 = re.compile(r"[0-9a-f]{16,64}( [0-9a-f]{16,64})?")
"""A whole hash, or its beginning as the commands print it."""
MAX_UID = 2**32 - 2


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of a file: the configuration if it is sound, its law where that can be told, and every fault.

    `offered`: optional wagers of the table, also where something else is wrong with the file; None: not known.
    `questions_as_of`: the day of the newest question that the elections answer; None: they do not say.
    """

    path: Path
    config: Config | None
    law: Law | None
    faults: tuple[Fault, ...]
    offered: tuple[str, ...] | None = None
    questions_as_of: str | None = None


def load_config(path: Path, *, alone: bool = False) -> Config:
    """The configuration in this file, fitting its rulebook; `alone`: see there. Raises `ConfigInvalid` with all faults."""
    reading = read_config(path, alone=alone)
    if reading.config is None or reading.faults:
        raise ConfigInvalid(path, reading.faults)
    return reading.config


def read_config(path: Path, *, alone: bool = False) -> Reading:
    """Returns as much of a configuration as can be read, and its faults. Raises nothing, also where no file is there.

    `alone`: does not open the key files and the firmware list that the file names, so that `decide` and `settle` can use a
    configuration on any machine. No daemon may serve devices by the result.
    """
    try:
        raw, data = toml_of(path)
    except ConfigInvalid as exc:
        return Reading(path, None, None, exc.faults)
    return _File(path, raw, data, alone=alone).read()


def socket_of(path: Path) -> Path:
    """The control socket that a file names, whatever else is wrong with it. Raises `ConfigInvalid`, where it names none."""
    control = toml_of(path)[0].get("control", {})
    named = control.get("socket", str(DEFAULT_SOCKET)) if isinstance(control, dict) else None
    if not isinstance(named, str):
        raise ConfigInvalid(path, [Fault("[control] socket", "must be text", "type_wrong")])
    return path.absolute().parent / named


def toml_of(path: Path) -> tuple[dict[str, Any], bytes]:
    """What is written in a file of TOML, and its bytes. Raises `ConfigInvalid`."""
    try:
        data = whole(path)
        return parse_toml(data), data
    except OSError as exc:
        raise ConfigInvalid(path, [Fault("file", f"cannot be read: {exc.strerror}", "not_readable")]) from exc
    except TomlInvalid as exc:
        raise ConfigInvalid(path, [Fault("file", f"no TOML: {exc}", "not_toml", exc.line)]) from exc


class _File:
    """The sections of one file, read in turn."""

    def __init__(self, path: Path, raw: dict[str, Any], data: bytes, *, alone: bool) -> None:
        self.path, self.base, self.alone = path, path.absolute().parent, alone
        self.scope = Scope(data)
        self.root = Table(raw, "", self.scope)
        self.approved_devices: Path | None = None
        self.questions_as_of: str | None = None
        self.can_compare = True
        """Table and devices could be read: else what does not fit the rulebook might only be what could not be read."""

    def read(self) -> Reading:
        table = self._table()
        devices = self._devices(table.production, self._approved(table.production))
        elections = self._elections(table.production)
        journal = journal_in(self.root, self.base, production=table.production)
        retention = read_retention(self.root.table("retention"), self.base, table.calendar)
        mqtt = self._mqtt(table)
        control, log = self._control(table.production and not self.alone), self._log()
        self.root.close()
        law: Law | None = None
        if table.rulebook:
            kinds = {device.kind for device in devices} if self.can_compare else None
            law, faults = law_of(table, elections, kinds)
            if law is not None and (known := self._known(elections, law)) != elections:
                elections = known
                law, faults = law_of(table, elections, kinds)
            self.scope.add(faults)
        keys = journal.key, journal.vault
        config = Config(self.path, table, devices, journal.path, control, elections, mqtt, log, *keys, retention)
        return Reading(
            self.path,
            None if self.scope.faults else config,
            law,
            tuple(self.scope.faults),
            table.offered,
            self.questions_as_of,
        )

    def _table(self) -> TableConfig:
        section = self.root.table("table")
        signed = section.maybe_text("rulebook_sha256", SHA256)
        self.approved_devices = section.maybe_path("approved_devices", self.base)
        payout_limit, unit = payouts_in(section)
        local, meters = meters_in(self.root, section)
        rulebook = section.text("rulebook")
        table = TableConfig(
            site=section.text("site", pattern=LEVEL),
            id=section.text("id", pattern=LEVEL),
            seats=section.whole("seats", 1, MAX_SEATS),
            rulebook=rulebook,
            method=section.word("method", Method, refused=not_kept(rulebook)),
            backs=section.words("backs", Back, (Back.RED, Back.BLUE)),
            offered=section.texts("offered", ()),
            currency=section.text("currency", "USD", CURRENCY),
            progressive_cents=section.whole("progressive_cents", 0, MAX_CENTS, 0),
            production=section.flag("production", False),
            calendar=read_calendar(section),
            limits=limits_in(self.root),
            payout_limit_cents=payout_limit,
            unit_cents=unit,
            computes_meters=local,
            meters=meters,
            rulebook_sha256=signed if signed and SHA256.fullmatch(signed) else None,
        )
        if table.production and signed is None:
            section.fault(
                "rulebook_sha256",
                "is missing; in production the rulebook is the file that was signed (`rulebook list` shows its hash)",
                "needed_in_production",
            )
        if Back.UNKNOWN in table.backs:
            section.fault("backs", "a set is known by its colour, so that must be one", "word_refused")
        self.can_compare &= section.is_sound
        section.close()
        return table

    def _elections(self, production: bool) -> Elections:
        elections: dict[str, tuple[str, str]] = {}
        elected = self.root.table("elections")
        self.questions_as_of = elected.maybe_day("questions_as_of")
        for reading, section in elected.entries():
            choice, by = section.text("choice"), section.text("by")
            section.close()
            if production and by.strip().lower() == BENCH:
                section.fault(
                    "by", "in production a person answers for each reading, not the bench", "bench_elected"
                )
            if section.is_sound:
                elections[reading] = (choice, by)
        return elections

    def _known(self, elections: Elections, law: Law) -> Elections:
        """Returns the elections of questions that this version knows.

        The others are a fault, unless the file answers questions up to a day after this version's newest one: then it is
        ready for an update, or this version was gone back to.
        """
        if (self.questions_as_of or "") <= (newest(law.rulebook) or ""):
            return elections
        return {id_: made for id_, made in elections.items() if id_ in law.rulebook.questions}

    def _approved(self, production: bool) -> tuple[Firmware, ...]:
        """The list of approved firmware; its faults are this file's. Without one only what is for tests can serve."""
        if self.approved_devices is None:
            if production and "device" in self.root:
                what = "is missing; in production a device serves only with firmware of that list"
                self.scope.fault("[table] approved_devices", what, "needed_in_production", ("table",))
            return ()
        if self.alone:
            return ()
        rows, faults = read_approved(self.approved_devices)
        self.scope.add(faults)
        return rows

    def _devices(self, production: bool, approved: tuple[Firmware, ...]) -> tuple[DeviceConfig, ...]:
        devices = []
        for section in self.root.tables("device", "name"):
            kind = section.word("kind", DeviceKind)
            speaks = section.word("speaks", Codec, codec_of(kind))
            device = DeviceConfig(
                name=section.text("name", pattern=LEVEL),
                kind=kind,
                path=_port(section, self.base),
                serial=section.maybe_text("serial"),
                baud=section.whole("baud", *BAUD, USUAL_BAUD.get(speaks, DEFAULT_BAUD)),
                accept_test_only=not production,
                speaks=speaks,
                key_file=section.maybe_path("key_file", self.base),
                approved=approved,
                record=section.maybe_path("record", self.base),
                units=read_units(section),
                modem_line=section.maybe_text("modem_line") or "",
            )
            is_readable = section.is_sound
            section.close()
            self.can_compare &= is_readable
            if is_readable:
                devices.append(device)
                verify_device(section, device, production, reads_key=not self.alone)
        self._verify_apart(devices)
        return tuple(devices)

    def _verify_apart(self, devices: list[DeviceConfig]) -> None:
        """One name, one port, one serial number, one place at the table for each device."""
        self._once("name", (d.name for d in devices))
        self._once("path", (_place(d.path) for d in devices))
        self._once("serial", (d.serial for d in devices if d.serial))
        self._once("kind", (d.kind.value for d in devices if d.kind is not DeviceKind.LINE))

    def _once(self, key: str, values: Iterable[str]) -> None:
        self.scope.add(
            Fault(f"[[device]] {key}", f"{value!r} stands at {n} devices", "named_twice")
            for value, n in Counter(values).items()
            if n > 1
        )

    def _mqtt(self, table: TableConfig) -> PublishConfig | None:
        if "mqtt" not in self.root:
            self.root.table("mqtt")
            return None
        section = self.root.table("mqtt")
        tls = self._tls(section)
        username, password_file = section.maybe_text("username"), section.maybe_path("password_file", self.base)
        if password_file is not None and username is None:
            section.fault("password_file", "a password needs a 'username' beside it", "keys_together")
        host, port = section.text("host"), section.whole("port", 1, 65535, 8883 if tls else 1883)
        client_id = section.text("client_id", table.id)
        is_old = section.one_of("protocol", ("5", "3.1.1"), "5") == "3.1.1"
        keepalive_s, window = section.whole("keepalive_s", 2, 600, 10), section.whole("window", 1, 1000, 20)
        rewind_s = section.whole("rewind_s", 0, 86_400, 1800)
        is_consumers = section.one_of("confirm", ("broker", "consumer"), "broker") == "consumer"
        consumers, confirm_s = self._consumers(section, is_consumers), section.whole("confirm_s", 1, 600, 5)
        goes_out = section.one_of("identities", ("never", "after_round"), "never") == "after_round"
        section.close()
        if self.scope.faults:
            return None
        return PublishConfig(
            site=table.site,
            table=table.id,
            host=host,
            port=port,
            client_id=client_id,
            protocol="3.1.1" if is_old else "5",
            username=username,
            password_file=password_file,
            tls=tls,
            keepalive_s=keepalive_s,
            window=window,
            rewind_s=rewind_s,
            confirm="consumer" if is_consumers else "broker",
            consumers=consumers,
            confirm_s=confirm_s,
            identities="after_round" if goes_out else "never",
        )

    def _consumers(self, section: Table, is_wanted: bool) -> tuple[str, ...]:
        """Returns who must confirm events; names are levels of topics."""
        if "consumers" not in section:
            if is_wanted:
                section.fault(
                    "consumers", 'confirm = "consumer" needs the names of the consumers', "consumers_missing"
                )
            return ()
        names = section.texts("consumers", least=1)
        for name in names:
            if not LEVEL.fullmatch(name):
                section.fault(
                    "consumers", f"{name!r} cannot stand in a topic: 1 to 32 of a-z, 0-9, '-'", "text_unfit"
                )
        if not is_wanted:
            section.fault("consumers", 'belongs to confirm = "consumer"', "keys_together")
        return names

    def _tls(self, section: Table) -> Tls | None:
        ca, cert, key = (section.maybe_path(name, self.base) for name in ("ca", "cert", "key"))
        if (cert is None) != (key is None):
            section.fault("cert" if cert else "key", "'cert' and 'key' belong together", "keys_together")
        if ca is None and cert is not None:
            section.fault("cert", "needs 'ca': who presents a certificate must know whom to", "keys_together")
        is_old = section.one_of("tls_minimum", ("1.3", "1.2"), "1.3") == "1.2"
        return Tls(ca, cert, key, "1.2" if is_old else "1.3") if ca else None

    def _control(self, logins_matter: bool) -> ControlConfig:
        section = self.root.table("control")
        socket = section.path("socket", self.base, str(DEFAULT_SOCKET))
        if len(os.fsencode(socket)) > MAX_PATH:
            section.fault(
                "socket",
                f"a Unix socket's path has at most {MAX_PATH} bytes, and this has more: {socket}",
                "text_unfit",
            )
        people: dict[str, Person] = {}
        for entry in section.tables("people", "name"):
            name, roles = entry.text("name", None, NAME), entry.words("roles", Role)
            uid = entry.maybe_whole("uid", 0, MAX_UID)
            entry.close()
            if name in people:
                entry.fault("name", f"{name!r} is listed already", "named_twice")
            if logins_matter and uid is None and (above := sorted(set(roles) & ABOVE_DEALER)):
                entry.fault(
                    "uid",
                    f"is missing; in production a {above[0]} acts from one login only (`id -u NAME`)",
                    "needed_in_production",
                )
            people[name] = Person(name, frozenset(roles), uid)
        control = ControlConfig(socket, people, self._vouchers(section))
        section.close()
        return control

    def _vouchers(self, section: Table) -> tuple[Voucher, ...]:
        """Returns the programs that answer for their people."""
        vouchers = []
        for entry in section.tables("voucher", "name"):
            name, uid = entry.text("name", None, NAME), entry.whole("uid", 0, MAX_UID)
            vouchers.append(Voucher(name, uid, frozenset(entry.words("roles", Role))))
            entry.close()
        return tuple(vouchers)

    def _log(self) -> LogConfig:
        section = self.root.table("log")
        log = LogConfig(
            section.word("format", LogFormat, LogFormat.AUTO), section.word("level", LogLevel, LogLevel.INFO)
        )
        section.close()
        return log


def _port(section: Table, base: Path) -> str:
    """Where a device is connected: a USB address, or the path of a port."""
    text = section.text("path")
    if not text.startswith(USB_SCHEME):
        return str(base / text)
    try:
        return str(UsbAddress.parse(text))
    except ValueError as exc:
        section.fault("path", str(exc), "text_unfit")
        return text


def _place(path: str) -> str:
    """What no two devices can share: the tty that a path leads to, or a socket of the bus."""
    return f"USB socket {UsbAddress.parse(path).place}" if path.startswith(USB_SCHEME) else os.path.realpath(path)
