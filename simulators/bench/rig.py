"""The private directory of a run: sockets, links, configuration, and the commands that start everything."""

import json
import os
import sys
from pathlib import Path

from controller.journal.proof.keys import make_key
from controller.journal.vault.vault_keys import make_vault
from controller.rules.vocabulary import Method
from drivers.events import DeviceKind
from drivers.protocol.records import dataclass
from simulators.bench.broker import Broker
from simulators.bench.options import SITE, TABLE, Options
from simulators.bench.possible import cannot
from simulators.bus.terminals import described, wired
from simulators.usb.descriptors import PRODUCTS, TEST_VENDOR

RUN_CLI = "from controller.cli.main import main; main()"
"""The same interpreter and the same code as ours, installed or not."""
BUS_UNITS = 3
"""Remote I/O units of a progressive on a bus: relay, button and lamps at one, sensors at two."""


@dataclass(frozen=True, slots=True)
class Rig:
    """The names and commands of one run. `directory` is short enough for Unix socket names."""

    options: Options
    directory: Path

    @property
    def journal(self) -> Path:
        """The path of the record."""
        return self.options.journal or self.directory / "journal.sqlite"

    @property
    def key(self) -> Path:
        """The path of the signing key, beside the journal, because both outlive a run with a kept journal."""
        return self.journal.with_name(self.journal.name + ".key")

    @property
    def vault(self) -> Path:
        """The path of the vault beside the record."""
        return self.journal.with_name(self.journal.name + ".vault")

    @property
    def keys(self) -> tuple[Path, ...]:
        """Every key file that a run puts beside a kept journal."""
        return self.key, self.key.with_name(self.key.name + ".pub"), self.vault

    @property
    def control(self) -> Path:
        """The path of the daemon's control socket."""
        return self.directory / "control.sock"

    @property
    def strip(self) -> Path:
        """The path of the socket over which the bench strip of the panel speaks to the people."""
        return self.directory / "people.ctl"

    @property
    def config(self) -> Path:
        """The path of the table's configuration."""
        return self.directory / "table.toml"

    def link(self, kind: str) -> Path:
        """Returns the path under which the daemon opens a device's port."""
        return self.directory / f"{kind}-1"

    def path(self, kind: str) -> str:
        """Returns a device's path in the daemon's configuration."""
        if not self._is_usb(kind):
            return str(self.link(kind))
        product = PRODUCTS[DeviceKind(kind)]
        return f"usb:{TEST_VENDOR:04x}:{product:04x}/{serial(kind)}@{usb_place(kind)}?usbip={self.link(kind)}"

    def device_socket(self, kind: str) -> Path:
        """Returns the path of the socket that drives a simulated device."""
        return self.directory / f"{kind}-1.ctl"

    def device_command(self, kind: str, *, seeded: bool) -> list[str]:
        """Returns the command of a device simulator. `seeded`: repeatable, boot ids included; for a fresh journal
        only."""
        options = self.options
        is_bus = self._is_bus(kind)
        command = [
            sys.executable, "-m", "simulators", "remote-io" if is_bus else kind, "--link", str(self.link(kind)),
            "--speed", f"{options.speed:g}",
        ]  # fmt: skip
        command += ["--units", str(BUS_UNITS)] if is_bus else ["--serial", serial(kind)]
        command += ["--seed", str(options.seed)] * seeded
        command += ["--usb", usb_place(kind)] * self._is_usb(kind)
        match kind:
            case "shuffler":
                plan = options.plan if options.dealt_by is Method.SHUFFLER else "none"
                command += ["--plan", plan, "--backs", ",".join(options.backs), "--decks", str(options.decks)]
                command += ["--recognition"] * options.recognition + ["--no-count"] * (not options.counting)
            case "shoe" if options.reader == "bee-tek":
                command = [
                    sys.executable, "-m", "simulators", "bee-tek", "--link", str(self.link(kind)),
                    "--decks", str(options.decks), "--speed", f"{options.speed:g}",
                    *["--seed", str(options.seed)] * seeded,
                ]  # fmt: skip
            case "shoe" if options.reader:
                command += ["--reading", "--recognition", "--backs", "none", "--decks", str(options.decks)]
            case "shoe":
                command += ["--plan", options.plan, "--backs", "none", "--decks", str(options.decks)]
                command += ["--deal-on"] * options.keeps_set
                if options.reshuffles:
                    command += ["--reshuffles", *["--recognition"] * options.recognition]
                    command += ["--no-count"] * (not options.counting)
            case "progressive":
                command += ["--seats", str(options.seats)]
        return command + ["--scenario", str(options.scenario)] * options.scripted(kind)

    def _is_bus(self, kind: str) -> bool:
        return kind == "progressive" and self.options.progressive == "modbus"

    def _is_usb(self, kind: str) -> bool:
        """Returns True for a device behind USB; a Modbus bus is always a serial line."""
        return self.options.link == "usb" and not self._is_bus(kind) and not self._writes_lines(kind)

    def _writes_lines(self, kind: str) -> bool:
        return kind == "shoe" and self.options.reader == "bee-tek"

    def _speaks(self, kind: str) -> list[str]:
        """Returns the configuration lines that say how a device is recognised and addressed."""
        if self._is_bus(kind):
            return ['speaks = "modbus"', *described(wired(self.options.seats, 1, BUS_UNITS))]
        return [f'serial = "{serial(kind)}"', *['speaks = "bee-tek"'] * self._writes_lines(kind)]

    def daemon_command(self) -> list[str]:
        """Returns the command that starts the daemon."""
        return [sys.executable, "-c", RUN_CLI, "run", "--config", str(self.config)]

    def people_command(self) -> list[str]:
        """Returns the command that starts the simulated people."""
        options = self.options
        command = [
            sys.executable, "-m", "simulators.crew.people", "--control", str(self.control),
            "--seats", str(options.seats), "--rounds", str(options.rounds),
            "--speed", f"{options.speed:g}", "--seed", str(options.seed),
        ]  # fmt: skip
        for kind in options.kinds:
            command += ["--device", f"{kind}={kind}-1={self.device_socket(kind)}"]
        for mishap in options.mishaps:
            command += ["--mishap", mishap]
        if options.panel:
            command += ["--strip", str(self.strip), "--cannot", cannot(options)]
        return command + ["--pays"] * options.pays

    def write_config(self, broker: Broker) -> None:
        """Writes the daemon's configuration: this table, elected readings, simulators as devices.

        Makes the signing key and the vault if they are missing.
        """
        if not self.key.exists():
            make_key(self.key)
        if not self.vault.exists():
            make_vault(self.vault)
        lines = [
            "[table]", f'site = "{SITE}"', f'id = "{TABLE}"', f"seats = {self.options.seats}",
            f'rulebook = "{self.options.rulebook}"', f'method = "{self.options.dealt_by}"',
            f"backs = {json.dumps(list(self.options.backs))}", f"offered = {json.dumps(list(self.options.offered))}",
            "progressive_cents = 500", "production = false", "", "[elections]",
        ]  # fmt: skip
        lines += [
            f'"{name}" = {{ choice = "{choice}", by = "bench" }}' for name, choice in self.options.elected.items()
        ]
        for kind in self.options.kinds:
            lines += [
                "", "[[device]]", f'name = "{kind}-1"', f'kind = "{kind}"',
                f"path = {json.dumps(self.path(kind))}", *self._speaks(kind),
            ]  # fmt: skip
        record = {"path": self.journal, "key": self.key, "vault": self.vault}
        lines += ["", "[journal]", *(f"{name} = {json.dumps(str(file))}" for name, file in record.items())]
        if broker.host:
            lines += ["", "[mqtt]", f'host = "{broker.host}"', f"port = {broker.port}", f'client_id = "{TABLE}"']
            lines += ['confirm = "consumer"', 'consumers = ["recorder"]'] * self.options.recorder
        lines += ["", "[control]", f"socket = {json.dumps(str(self.control))}"]
        people = [("dealer", "dealer"), ("floorperson", "floorperson"), ("supervisor", "supervisor")]
        people += [("technician", "technician")]
        people += [(f"player-{seat}", "player") for seat in range(1, self.options.seats + 1)]
        for name, role in people:
            lines += ["", "[[control.people]]", f'name = "{name}"', f'roles = ["{role}"]']
        roles = json.dumps([role for _, role in people[:4]])
        lines += ["", "[[control.voucher]]", 'name = "panel"', f"uid = {os.getuid()}", f"roles = {roles}"]
        lines += ["", "[log]", 'format = "json"', 'level = "info"', ""]
        self.config.write_text("\n".join(lines))


def usb_place(kind: str) -> str:
    """Returns the USB place of a kind of device: its socket on a hub in the PC's first socket."""
    return f"1-1.{PRODUCTS[DeviceKind(kind)]}"


def serial(kind: str) -> str:
    """Returns the serial number of the bench's device of this kind."""
    return f"SIM-{kind}"
