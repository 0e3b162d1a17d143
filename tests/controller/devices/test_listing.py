"""What `device list` says: every device with its port, its state and what to do next, and the ports that are free."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.devices.listing import listing
from controller.devices.page import NEXT, list_page
from drivers.device import DeviceConfig
from drivers.errors import Fault
from drivers.protocol.reports import DeviceKind
from drivers.transport import ports as ports_module
from drivers.transport.ports import Holder, Port, holder_of, ports

DAEMON = Holder(77, "/usr/bin/python /usr/bin/tablewarden run --config t.toml")


@pytest.fixture
def there(tmp_path: Path) -> str:
    path = tmp_path / "ttyUSB0"
    path.touch()
    return str(path)


def _link(state: str, reason: str = "", detail: str = "", **counters: int) -> dict[str, object]:
    return {"path": "", "state": state, "since_s": 3.0, "reason": reason, "detail": detail, "counters": counters}


def _status(**links: dict[str, object]) -> dict[str, object]:
    return {
        "table": "t1",
        "devices": {name: {"kind": "shoe", "serial": "", "link": at} for name, at in links.items()},
    }


def _page(*args: object) -> str:
    return "\n".join(list_page(listing(*args)))


def test_a_device_that_serves_asks_for_nothing(there: str) -> None:
    """State, port, holder; no NEXT."""
    shoe = DeviceConfig("shoe-1", DeviceKind.SHOE, there, serial="S-9")
    port = Port(there, ("/dev/table/shoe-1",), "FTDI FT232R", "A50", "0403:6001 at 1-1.4")
    page = _page([shoe], _status(**{"shoe-1": _link("online", frames_in=9)}), "", [port], lambda _: DAEMON)
    assert "shoe-1  shoe  ONLINE since 3 s" in page
    assert "held by  the daemon (process 77)" in page
    assert "FTDI FT232R, serial number A50, 0403:6001 at 1-1.4" in page
    assert "S-9 is expected" in page
    assert "NEXT" not in page
    assert "line" not in page, "a line without faults says nothing"
    assert "without a device" not in page


def test_every_reason_of_a_lost_link_has_an_answer_to_what_next(there: str) -> None:
    """A technician gets a thing to do for each fault that a session can end with."""
    ends = [f for f in Fault if f.value.partition("_")[0] in ("link", "timeout", "auth", "proto")]
    for fault in set(ends) - {Fault.LINK_CLOSED}:
        assert fault.value in NEXT or fault.value.partition("_")[0] in NEXT, fault
        shoe = DeviceConfig("shoe-1", DeviceKind.SHOE, there)
        page = _page([shoe], _status(**{"shoe-1": _link("absent", fault.value)}), "", [], lambda _: None)
        assert "  NEXT     " in page, fault


def test_a_port_that_is_not_there_and_one_that_somebody_else_has(there: str) -> None:
    """Before anything the link says: these two keep the daemon out."""
    gone = DeviceConfig("shoe-1", DeviceKind.SHOE, "/dev/table/none")
    page = _page([gone], None, "no daemon runs here", [], lambda _: None)
    assert page.startswith("no daemon: no daemon runs here")
    assert NEXT["link_missing"] in page
    here = DeviceConfig("shoe-1", DeviceKind.SHOE, there)
    page = _page(
        [here], _status(**{"shoe-1": _link("absent", "link_busy")}), "", [], lambda _: Holder(5, "minicom")
    )
    assert "held by  process 5: minicom" in page
    assert "end process 5" in page


def test_a_port_of_no_device_is_offered_for_a_probe() -> None:
    """By its stable name where it has one."""
    free = Port("/dev/ttyUSB3", ("/dev/serial/by-id/usb-x",))
    page = _page([], None, "no", [free], lambda _: None)
    assert "tablewarden device probe /dev/serial/by-id/usb-x" in page
    assert "no device is configured" in _page([], None, "no", [], lambda _: None)


def test_a_device_on_usb_is_asked_for_by_its_link_and_not_by_a_file() -> None:
    """Its path is no name in the file system."""
    usb = DeviceConfig("shoe-1", DeviceKind.SHOE, "usb:1209:7d01/S-1@1-2")
    page = _page([usb], _status(**{"shoe-1": _link("online")}), "", [], lambda _: None)
    assert "NEXT" not in page
    page = _page([usb], _status(**{"shoe-1": _link("absent", "link_missing")}), "", [], lambda _: None)
    assert NEXT["link_missing"] in page
    page = _page([usb], None, "no daemon", [], lambda _: None)
    assert "device probe usb:1209:7d01/S-1@1-2" in page


def test_devices_are_known_from_the_daemon_alone() -> None:
    """Without a configuration at hand its status names them, and their ports."""
    link = {**_link("rejected", "auth_wrong_device", "serial number X, expected Y"), "path": "/dev/table/none"}
    found = listing([], _status(**{"shoe-1": link}), "", [], lambda _: None)
    assert [(d["device"], d["path"]) for d in found["devices"]] == [("shoe-1", "/dev/table/none")]


def test_the_holder_of_a_locked_port_is_found_for_any_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the kernel lists locks; a waiter is no holder."""
    port = tmp_path / "port"
    port.touch()
    node = port.stat()
    place = f"{node.st_dev >> 8 & 0xFFF:02x}:{node.st_dev & 0xFF:02x}:{node.st_ino}"
    locks = tmp_path / "locks"
    locks.write_text(
        f"1: POSIX  ADVISORY  WRITE 9 {place} 0 EOF\n"
        f"2: -> FLOCK  ADVISORY  WRITE 8 {place} 0 EOF\n2: FLOCK  ADVISORY  WRITE 1 {place} 0 EOF\n"
    )
    monkeypatch.setattr(ports_module, "LOCKS", locks)
    holder = holder_of(str(port))
    assert holder is not None
    assert holder.pid == 1
    assert holder_of(str(tmp_path / "none")) is None
    assert DAEMON.is_daemon
    assert not Holder(5, "/usr/bin/python -m simulators shoe").is_daemon


class Acm:
    """A USB serial port as the kernel lists it."""

    manufacturer, product, serial_number, vid, pid, location = "Acme", "Stacker", "PS-1", 0x1209, 0x0002, "1-1.4"

    def __init__(self, device: Path) -> None:
        self.device = str(device)


@pytest.fixture
def acm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], str]:
    """A CDC-ACM device that the kernel has given this number, with the names that udev makes for it; its node."""
    folders = [tmp_path / name for name in ("table", "by-id", "by-path")]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setattr(ports_module, "STABLE", tuple(folders))

    def number(n: int) -> str:
        node = tmp_path / f"ttyACM{n}"
        node.touch()
        names = ("shoe-1", "usb-Acme_Stacker_PS-1-if00", "pci-0000:00:14.0-usb-0:1.4:1.0")
        for folder, name in zip(folders, names, strict=True):
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(node)
        monkeypatch.setattr(ports_module.list_ports, "comports", lambda: [Acm(node)])
        return str(node)

    return number


def test_a_usb_serial_port_is_listed_with_every_name_that_stays(acm: Callable[[int], str], tmp_path: Path) -> None:
    """That of this table first, then by serial number, then by socket; they follow it when it is numbered anew."""
    for n in (0, 1):
        (port,) = [port for port in (acm(n), *ports()) if isinstance(port, Port)]
        assert port.path == str(tmp_path / f"ttyACM{n}")
        assert [Path(name).parent.name for name in port.names] == ["table", "by-id", "by-path"]
        assert (port.product, port.serial, port.usb) == ("Acme Stacker", "PS-1", "1209:0002 at 1-1.4")
        shoe = DeviceConfig("shoe-1", DeviceKind.SHOE, port.names[2], serial="PS-1")
        page = _page([shoe], _status(**{"shoe-1": _link("online")}), "", ports(), lambda _: DAEMON)
        assert f"by-path/pci-0000:00:14.0-usb-0:1.4:1.0 -> {port.path}" in page
        assert "Acme Stacker, serial number PS-1, 1209:0002 at 1-1.4" in page
        assert "NAME" not in page


def test_a_number_that_may_be_another_devices_tomorrow_is_no_name(acm: Callable[[int], str]) -> None:
    """Whoever wrote the kernel's number is told a name that stays."""
    shoe = DeviceConfig("shoe-1", DeviceKind.SHOE, acm(0))
    (port,) = ports()
    page = _page([shoe], _status(**{"shoe-1": _link("online")}), "", [port], lambda _: DAEMON)
    assert f"NAME     this may be another device after a replug; write `path` as {port.names[0]}" in page


def test_what_a_usb_device_says_of_itself_cannot_move_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes its own name, of any length."""

    class Seen:
        device, manufacturer, product, serial_number = "/dev/ttyUSB0", "a\x1b[2J", "b\n" + "x" * 99, None
        vid, pid, location = 0x403, 0x6001, "1-1"

    monkeypatch.setattr(ports_module.list_ports, "comports", lambda: [Seen()])
    (port,) = ports()
    assert port.product.isprintable()
    assert len(port.product) <= 60
    assert port.usb == "0403:6001 at 1-1"
