"""A configuration is read strictly: what is wrong is named with its key and its remedy, all of it at once."""

import inspect
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.config import amounts, journal, load
from controller.config.load import load_config, read_config, socket_of
from controller.config.model import Config, ConfigInvalid
from controller.control.client import DEFAULT_SOCKET
from controller.control.desk import Voucher
from controller.log import LogFormat, LogLevel
from controller.rules.read import library
from controller.rules.vocabulary import Method, Role
from drivers.events import DeviceKind
from drivers.session.assembly import device_transport

TABLES = Path(__file__).resolve().parents[3] / "config" / "tables"
LIST = TABLES.parent / "devices" / "approved.toml"
EXAMPLES = sorted(TABLES.glob("*.toml"))

LEAST = """
[table]
site = "lv01"
id = "t1"
seats = 6
rulebook = "md-uth"
method = "manual_shoe"
backs = ["red"]

[journal]
path = "t1.journal"
"""

SEALED = '[journal]\nkey = "journal.key"\nvault = "vault.key"'
SIGNED = f'rulebook_sha256 = "{library.find("md-uth").sha256}"\napproved_devices = "{LIST}"\n'
DEVICES = """
[[device]]
name = "shuffler-1"
kind = "shuffler"
key_file = "shuffler-1.key"
path = "/dev/table/shuffler-1"
serial = "A-1"

[[device]]
name = "shoe-1"
kind = "shoe"
key_file = "shoe-1.key"
path = "/dev/table/shoe-1"
serial = "B-1"
"""


def _write(folder: Path, text: str) -> Path:
    """The file, beside it a key for each device of `DEVICES`."""
    path = folder / "table.toml"
    path.write_text(text)
    for number, name in enumerate(("shuffler-1", "shoe-1")):
        key = folder / f"{name}.key"
        if not key.exists():
            key.write_bytes(bytes([number, *range(1, 32)]))
            key.chmod(0o600)
    return path


def _faults(folder: Path, text: str) -> tuple[str, ...]:
    reading = read_config(_write(folder, text))
    assert (reading.config is None) is bool(reading.faults)
    return reading.faults


def _changed(old: str, new: str, text: str = LEAST + DEVICES) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_each_example_is_sound_and_may_open(path: Path) -> None:
    """What a newcomer copies has no fault, and each reading that moves money is elected, by the bench."""
    config = load_config(path)
    law = config.setup().law
    assert law.unelected(config.table.offered) == ()
    assert {by for _, by in config.elections.values()} == {"bench"}
    assert {device.serial for device in config.devices} == {f"SIM-{Path(d.path).name}" for d in config.devices}


def test_the_example_shows_every_key() -> None:
    """A key that the reader knows and the example does not mention would be one that nobody finds."""
    text = (TABLES / "example.toml").read_text()
    keys = re.findall(
        r'(?:section|entry|table)\.\w+\(\s*"(\w+)"', "".join(map(inspect.getsource, (load, amounts, journal)))
    )
    known = {*keys, "ca", "cert", "key"} - {"device"}
    assert len(known) > 30
    shown = {key for key in known if re.search(rf"^(# )?\[*(control\.)?{key}\b|[{{,] {key} =", text, re.M)}
    assert shown == known


def test_the_least_configuration_has_cautious_defaults(tmp_path: Path) -> None:
    """No broker, nobody who may act, no optional wager, not in production."""
    config = load_config(_write(tmp_path, LEAST))
    assert (config.mqtt, config.devices, config.elections, config.control.people) == (None, (), {}, {})
    assert config.journal == tmp_path / "t1.journal"
    assert config.control.socket == DEFAULT_SOCKET
    assert (config.table.offered, config.table.currency, config.table.production) == ((), "USD", False)
    assert (config.log.format, config.log.level) == (LogFormat.AUTO, LogLevel.INFO)
    assert config.publish("1.0") is None


def test_a_usb_address_stays_as_it_is_and_its_socket_is_for_one_device(tmp_path: Path) -> None:
    """It is no path from the folder of the file; and two devices cannot be plugged into one socket."""
    text = (LEAST + DEVICES).replace('"/dev/table/shoe-1"', '"usb:1209:0002/B-1@1-2.3"')
    assert load_config(_write(tmp_path, text)).devices[1].path == "usb:1209:0002/B-1@1-2.3"
    faults = _faults(tmp_path, text.replace('"/dev/table/shuffler-1"', '"usb:1209:0001/A-1@1-2.3"'))
    assert faults == ("[[device]] path: 'USB socket 1-2.3' stands at 2 devices",)


def test_a_bus_over_usbip_is_for_benches(tmp_path: Path) -> None:
    """Simulated devices stand behind it: refused in production, by the file and by the driver."""
    text = (LEAST + DEVICES).replace('"/dev/table/shoe-1"', '"usb:1209:0002/B-1@1-2?usbip=/run/bench/shoe-1"')
    device = load_config(_write(tmp_path, text)).devices[1]
    assert device.path.endswith("?usbip=/run/bench/shoe-1")
    faults = _faults(tmp_path, text.replace('backs = ["red"]', 'backs = ["red"]\nproduction = true'))
    assert any("[[device]] 2 (shoe-1) path: a bus over USB/IP is for benches" in fault for fault in faults)
    device_transport(device, lambda _: None, lambda *_: None)
    with pytest.raises(ValueError, match="never for a table in play"):
        device_transport(replace(device, accept_test_only=False), lambda _: None, lambda *_: None)


def test_everything_that_is_set_arrives(tmp_path: Path) -> None:
    """Each key ends where the daemon looks for it, paths meant from the folder of the file."""
    text = LEAST + DEVICES + (
        '[[device]]\nname = "prog-1"\nkind = "progressive"\npath = "ports/p"\nbaud = 57600\n'
        '[elections]\n"R-01" = { choice = "hold", by = "M. Ortiz" }\n'
        '[mqtt]\nhost = "broker"\nca = "ca.pem"\ncert = "c.pem"\nkey = "/k.pem"\nprotocol = "3.1.1"\nwindow = 5\n'
        'username = "u"\npassword_file = "pw"\nkeepalive_s = 20\nrewind_s = 0\nclient_id = "c"\n'
        '[control]\nsocket = "c.sock"\n[[control.people]]\nname = "ada"\nroles = ["dealer", "supervisor"]\nuid = 1000\n'
        '[[control.voucher]]\nname = "panel"\nuid = 990\nroles = ["dealer"]\n'
        '[log]\nformat = "json"\nlevel = "debug"\n'
    )  # fmt: skip
    text = text.replace(
        'backs = ["red"]', 'offered = ["trips", "progressive"]\nprogressive_cents = 500\ncurrency = "CAD"'
    )
    config = load_config(_write(tmp_path, text))
    prog = config.devices[2]
    assert (prog.name, prog.kind, prog.path) == ("prog-1", DeviceKind.PROGRESSIVE, str(tmp_path / "ports/p"))
    assert (prog.serial, prog.baud, prog.accept_test_only) == (None, 57600, True)
    mqtt = config.publish("9.9")
    assert mqtt is not None
    assert mqtt.tls is not None
    assert (mqtt.site, mqtt.table, mqtt.host, mqtt.port, mqtt.client_id) == ("lv01", "t1", "broker", 8883, "c")
    assert (mqtt.protocol, mqtt.window, mqtt.keepalive_s, mqtt.rewind_s) == ("3.1.1", 5, 20, 0)
    assert (mqtt.username, mqtt.password_file, mqtt.version) == ("u", tmp_path / "pw", "9.9")
    assert (mqtt.tls.ca, mqtt.tls.cert, mqtt.tls.key) == (tmp_path / "ca.pem", tmp_path / "c.pem", Path("/k.pem"))
    assert config.control.socket == tmp_path / "c.sock"
    ada = config.control.people["ada"]
    assert config.control.vouchers == (Voucher("panel", 990, frozenset({Role.DEALER})),)
    assert (ada.roles, ada.uid) == (frozenset({Role.DEALER, Role.SUPERVISOR}), 1000)
    assert (config.log.format, config.log.level) == (LogFormat.JSON, LogLevel.DEBUG)
    setup = config.setup()
    assert (setup.site, setup.table, setup.seats, setup.currency) == ("lv01", "t1", 6, "CAD")
    assert (setup.method, setup.backs, setup.progressive_cents) == (Method.MANUAL_SHOE, ("red", "blue"), 500)
    assert setup.offered == frozenset({"trips", "progressive"})
    assert {name: device.kind.value for name, device in setup.devices.items()} == {
        "shuffler-1": "shuffler", "shoe-1": "shoe", "prog-1": "progressive"
    }  # fmt: skip
    assert setup.law.elected("R-01") == "hold"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("seats = 6", "seats = 6\nseat = 6", "[table] seat: key_unknown"),
        ("[journal]", "[jurnal]\n[journal]", "jurnal: key_unknown"),
        ("serial = ", "seral = ", "[[device]] 1 (shuffler-1) seral: key_unknown"),
        ("seats = 6\n", "", "[table] seats: key_missing"),
        ("seats = 6", 'seats = "6"', "[table] seats: type_wrong"),
        ("seats = 6", "seats = true", "[table] seats: type_wrong"),
        ("seats = 6", "seats = 0", "[table] seats: number_out_of_range"),
        ("seats = 6", "seats = 7", "[table] seats: too_many_seats"),
        ('"lv01"', '"LV 01"', "[table] site: text_unfit"),
        ('"lv01"', '""', "[table] site: text_unfit"),
        ('"md-uth"', '"md-uht"', "[table] rulebook: rulebook_unknown"),
        ('"manual_shoe"', '"manual_sho"', "[table] method: word_unknown"),
        (
            '"manual_shoe"', '"electronic"',
            "[table] method: word_refused",
        ),
        ('backs = ["red"]', "backs = []", "[table] backs: too_few"),
        ('backs = ["red"]', 'backs = ["red", "red"]', "[table] backs: named_twice"),
        ('backs = ["red"]', 'backs = ["rde"]', "[table] backs: word_unknown"),
        ('backs = ["red"]', 'backs = ["unknown"]', "[table] backs: word_refused"),
        ('backs = ["red"]', 'backs = "red"', "[table] backs: type_wrong"),
        ('backs = ["red"]', 'offered = ["tripps"]', "[table] offered: wager_unknown"),
        ('backs = ["red"]', 'currency = "usd"', "[table] currency: text_unfit"),
        ('backs = ["red"]', "progressive_cents = -1", "[table] progressive_cents: number_out_of_range"),
        ('backs = ["red"]', 'production = "no"', "[table] production: type_wrong"),
        ('path = "t1.journal"', "", "[journal] path: key_missing"),
        ('[journal]\npath = "t1.journal"\n', 'journal = "t1.journal"\n', "[table] journal: key_unknown"),
        ('"shoe-1"\nkind', '"shuffler-1"\nkind', "[[device]] name: named_twice"),
        ('"/dev/table/shoe-1"', '"/dev/table/../table/shuffler-1"', "[[device]] path: named_twice"),
        ('"/dev/table/shoe-1"', '"usb:1209:0002/B-1"', "[[device]] 2 (shoe-1) path: text_unfit"),
        (
            'path = "/dev/table/shuffler-1"\n', 'path = "usb:1209:1/A@1-2"\n',
            "[[device]] 1 (shuffler-1) path: text_unfit",
        ),
        ('"B-1"', '"A-1"', "[[device]] serial: named_twice"),
        ('kind = "shoe"', 'kind = "shuffler"', "[[device]] kind: named_twice"),
        ('kind = "shoe"', 'kind = "show"', "[[device]] 2 (shoe-1) kind: word_unknown"),
        ('name = "shoe-1"', 'name = "table"', "[[device]] 2 (table) name: word_refused"),
        ('serial = "B-1"', "baud = 300", "[[device]] 2 (shoe-1) baud: number_out_of_range"),
        ("[journal]", '[elections]\nR-1 = "x"\n[journal]', "[elections] R-1: type_wrong"),
        ("[journal]", '[elections]\nR-01.choice = "hold"\n[journal]', "[elections] R-01 by: key_missing"),
        ("[journal]", '[elections]\nR-99 = {choice="a", by="b"}\n[journal]', "[elections] R-99: reading_unknown"),
        (
            "[journal]", '[elections]\nR-01 = {choice="hodl", by="b"}\n[journal]',
            "[elections] R-01: choice_unknown",
        ),
        ("[journal]", "[mqtt]\n[journal]", "[mqtt] host: key_missing"),
        ("[journal]", '[mqtt]\nhost="b"\nport=0\n[journal]', "[mqtt] port: number_out_of_range"),
        ("[journal]", '[mqtt]\nhost="b"\nprotocol="4"\n[journal]', "[mqtt] protocol: word_unknown"),
        ("[journal]", '[mqtt]\nhost="b"\nconfirm="consumer"\n[journal]', "[mqtt] consumers: consumers_missing"),
        ("[journal]", '[mqtt]\nhost="b"\nconfirm="all"\n[journal]', "[mqtt] confirm: word_unknown"),
        ("[journal]", '[mqtt]\nhost="b"\nconsumers=["r"]\n[journal]', "[mqtt] consumers: keys_together"),
        (
            "[journal]",
            '[mqtt]\nhost="b"\nconfirm="consumer"\nconsumers=["a/b"]\n[journal]',
            "[mqtt] consumers: text_unfit",
        ),
        (
            "[journal]",
            '[mqtt]\nhost="b"\nconfirm="consumer"\nconsumers=[]\n[journal]',
            "[mqtt] consumers: too_few",
        ),
        ("[journal]", '[mqtt]\nhost="b"\ncert="c"\n[journal]', "[mqtt] cert: keys_together"),
        ("[journal]", '[mqtt]\nhost="b"\ncert="c"\nkey="k"\n[journal]', "[mqtt] cert: keys_together"),
        ("[journal]", '[mqtt]\nhost="b"\npassword_file="p"\n[journal]', "[mqtt] password_file: keys_together"),
        ("[journal]", f'[control]\nsocket="/{"x" * 107}"\n[journal]', "[control] socket: text_unfit"),
        ("[journal]", '[[control.people]]\nname="A L"\n[journal]', "[[control.people]] 1 (A L) name: text_unfit"),
        ("[journal]", '[[control.voucher]]\nname="p"\nroles=["dealer"]\n[journal]',
         "[[control.voucher]] 1 (p) uid: key_missing"),
        ("[journal]", '[[control.people]]\nname="ada"\nroles=[]\n[journal]', "[[control.people]] 1 (ada) roles: too_few"),
        ("[journal]", '[[control.people]]\nname="ada"\nroles=["deeler"]\n[journal]',
         "[[control.people]] 1 (ada) roles: word_unknown"),
        ("[journal]", '[control]\npeople=["ada"]\n[journal]', "[control] people: type_wrong"),
        ("[journal]", '[log]\nlevel="inof"\n[journal]', "[log] level: word_unknown"),
        ("[journal]", '[log]\nformat=1\n[journal]', "[log] format: type_wrong"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_place_and_the_nearest_word(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    """One thing wrong in a sound file gives the fault that says so, in words and with the key."""
    faults = _faults(tmp_path, _changed(old, new))
    assert fault in [f"{found.place}: {found.code}" for found in faults]


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    """File, rulebook and elections in one list: nobody mends one fault to meet the next."""
    text = _changed("seats = 6", 'seats = 9\nsaets = 9\noffered = ["tripps"]')
    text += '[elections]\n"R-99" = { choice = "x", by = "y" }\n"R-01" = { choice = "y", by = "y" }\n'
    text += '[log]\nlevel = "loud"\n'
    faults = _faults(tmp_path, text)
    with pytest.raises(ConfigInvalid) as caught:
        load_config(tmp_path / "table.toml")
    assert caught.value.faults == faults
    assert sorted(fault.partition(":")[0] for fault in faults) == [
        "[elections] R-01", "[elections] R-99", "[log] level", "[table] offered", "[table] saets", "[table] seats",
    ]  # fmt: skip
    assert str(tmp_path / "table.toml") in str(caught.value)


@pytest.mark.parametrize(
    ("method", "devices", "fault"),
    [
        ("dealing_shoe", "", "[table] method: device_missing"),
        ("shuffler", "", "[table] method: device_missing"),
        ("hand", "", "[table] method: device_missing"),
    ],
)
def test_a_method_without_its_device_is_refused_with_the_clause(
    tmp_path: Path, method: str, devices: str, fault: str
) -> None:
    """What the document demands of a way of dealing must stand at the table."""
    faults = _faults(tmp_path, LEAST.replace("manual_shoe", method) + devices)
    assert [f"{found.place}: {found.code}" for found in faults] == [fault]
    assert _faults(tmp_path, LEAST.replace("manual_shoe", method) + DEVICES) == ()


def test_a_device_that_cannot_be_read_is_not_called_missing(tmp_path: Path) -> None:
    """One mistake is one fault: nothing is concluded from what could not be read."""
    text = (LEAST + DEVICES).replace("manual_shoe", "dealing_shoe")
    assert _faults(tmp_path, text) == ()
    assert len(_faults(tmp_path, text.replace('serial = "B-1"', "baud = 1"))) == 1
    assert len(_faults(tmp_path, text.replace('serial = "B-1"', "buad = 9600"))) == 1
    assert (
        len(_faults(tmp_path, text.replace("seats = 6", "seats = 99").replace('["red"]', '["blue", "red"]'))) == 1
    )


def test_a_second_set_needs_a_shuffler(tmp_path: Path) -> None:
    """Two sets alternate only where a shuffler shuffles one while the other is in play."""
    text = LEAST.replace('["red"]', '["red", "blue"]')
    assert _faults(tmp_path, text) == ("[table] backs: a second set is allowed only with a shuffler (3.B)",)
    assert _faults(tmp_path, text + DEVICES) == ()


def test_a_progressive_needs_its_device_and_the_worth_of_a_chip(tmp_path: Path) -> None:
    """A wager that only a sensor takes cannot be offered without one, nor returned without its amount."""
    text = LEAST.replace("[journal]", 'offered = ["progressive"]\n[journal]')
    assert [fault.partition(":")[0] for fault in _faults(tmp_path, text)] == [
        "[table] offered", "[table] progressive_cents",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"/dev/table/shoe-1"', '"/dev/ttyUSB0"', "[[device]] 2 (shoe-1) path: path_unstable"),
        ('"/dev/table/shoe-1"', '"/dev/ttyACM12"', "[[device]] 2 (shoe-1) path: path_unstable"),
        ('"B-1"', '"SIM-shoe-1"', "[[device]] 2 (shoe-1) serial: bench_only"),
        ('serial = "B-1"', "", "[[device]] 2 (shoe-1) serial: needed_in_production"),
        ('kind = "shoe"\nkey_file = "shoe-1.key"', 'kind = "line"', "[[device]] 2 (shoe-1) kind: bench_only"),
        ('key_file = "shoe-1.key"', "", "[[device]] 2 (shoe-1) key_file: needed_in_production"),
    ],
)
def test_in_production_a_device_must_be_a_known_machine(tmp_path: Path, old: str, new: str, fault: str) -> None:
    """What a bench may do freely is refused for real play, and only there."""
    text = _changed(old, new)
    assert _faults(tmp_path, text) == ()
    (found,) = _faults(tmp_path, text.replace("[journal]", f"production = true\n{SIGNED}{SEALED}"))
    assert f"{found.place}: {found.code}" == fault


def test_in_production_whoever_is_above_a_dealer_acts_from_one_login(tmp_path: Path) -> None:
    """Each person concerned is named; dealers and players may share the login of the table."""
    people = {"ada": "dealer", "flo": "floorperson", "sam": "supervisor", "tek": "technician", "p": "player"}
    rows = [f'[[control.people]]\nname = "{name}"\nroles = ["{role}"]\n' for name, role in people.items()]
    rows.append('[[control.people]]\nname = "own"\nroles = ["dealer", "supervisor"]\nuid = 1001\n')
    text = LEAST + "".join(rows)
    assert _faults(tmp_path, text) == ()
    signed = f"production = true\n{SIGNED}{SEALED}"
    found = [f for f in _faults(tmp_path, text.replace("[journal]", signed)) if "uid" in f]
    assert found == [
        f"[[control.people]] {at} ({name}) uid: is missing; in production a {people[name]} acts from one login only"
        " (`id -u NAME`)"
        for at, name in ((2, "flo"), (3, "sam"), (4, "tek"))
    ]


def test_in_production_the_list_of_approved_devices_is_named(tmp_path: Path) -> None:
    """Without it no device could serve, and nobody would know before the table opens."""
    text = (LEAST + DEVICES).replace("[journal]", f"production = true\n{SIGNED.splitlines()[0]}\n{SEALED}")
    assert _faults(tmp_path, text) == (
        "[table] approved_devices: is missing; in production a device serves only with firmware of that list",
    )


def test_faults_of_the_list_are_faults_of_the_table(tmp_path: Path) -> None:
    """Named with the file they stand in."""
    (tmp_path / "list.toml").write_text(
        '[[firmware]]\nvendor = "M"\nmodel = "S"\nkind = "shoe"\nstatus = "aproved"\n'
    )
    found = _faults(tmp_path, LEAST.replace("[journal]", 'approved_devices = "list.toml"\n[journal]'))
    assert len(found) == 2
    places = [(fault.place, fault.code, fault.line) for fault in found]
    assert places == [
        ("list.toml [[firmware]] 1 (S) status", "word_unknown", 5), ("list.toml [[firmware]] 1 (S) sha256", "key_missing", 1),
    ]  # fmt: skip


def test_a_key_that_others_can_read_is_refused_with_its_remedy(tmp_path: Path) -> None:
    """The file is named, what is wrong with it, and what to type; the key itself never is."""
    path = _write(tmp_path, LEAST + DEVICES)
    (tmp_path / "shoe-1.key").chmod(0o640)
    (found,) = read_config(path).faults
    assert found.startswith(f"[[device]] 2 (shoe-1) key_file: key file {tmp_path}/shoe-1.key may be read")
    assert found.endswith(f"chmod 400 {tmp_path}/shoe-1.key")
    assert load_config(_write(tmp_path, LEAST)).devices == ()


def test_a_device_that_writes_lines_has_no_key(tmp_path: Path) -> None:
    """A key that nothing proves would only look like protection."""
    (found,) = _faults(tmp_path, _changed('kind = "shoe"', 'kind = "line"'))
    assert found == "[[device]] 2 (shoe-1) key_file: a device that speaks line has no key"


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ('kind = "line"\nmodem_line = "dcd"', "[[device]] 2 (shoe-1) modem_line: word_unknown"),
        (
            'kind = "shoe"\nmodem_line = "dsr"',
            "[[device]] 2 (shoe-1) modem_line: key_unfit",
        ),
    ],
)
def test_a_modem_line_is_one_of_two_and_of_a_device_that_never_answers(
    tmp_path: Path, entry: str, fault: str
) -> None:
    """Whoever answers says more by that than a voltage does."""
    found = _faults(tmp_path, _changed('kind = "shoe"', entry))
    assert fault in [f"{one.place}: {one.code}" for one in found]


def test_in_production_the_rulebook_is_the_file_that_was_signed(tmp_path: Path) -> None:
    """Without its hash nobody knows which file that is; the fault says where it is shown."""
    listed = f'approved_devices = "{LIST}"\nproduction = true\n{SEALED}'
    (found,) = _faults(tmp_path, (LEAST + DEVICES).replace("[journal]", listed))
    assert found.startswith("[table] rulebook_sha256: is missing; in production")
    assert "rulebook list" in found


def test_in_production_the_record_is_signed_and_its_cards_are_sealed(tmp_path: Path) -> None:
    """Without a key nobody could ever prove that it was not written anew; the fault says how to make one."""
    text = (LEAST + DEVICES).replace("[journal]", f"production = true\n{SIGNED}[journal]")
    signs, seals = _faults(tmp_path, text)
    assert signs.startswith("[journal] key: is missing; in production the record is signed")
    assert "journal key --new" in signs
    assert seals.startswith("[journal] vault: is missing; in production no card is recorded in the clear")
    assert "vault key --new" in seals
    config = load_config(_write(tmp_path, text.replace("[journal]", SEALED)))
    assert (config.journal_key, config.vault) == (tmp_path / "journal.key", tmp_path / "vault.key")
    bare = load_config(_write(tmp_path, LEAST))
    assert bare.journal_key is bare.vault is None


def test_a_rulebook_that_was_changed_after_it_was_signed_is_refused(tmp_path: Path) -> None:
    """The whole hash or its first sixteen digits must be those of the file; the fault says both and what may be done. R-24."""
    signed = library.find("md-uth").sha256
    for right in (signed, signed[:16]):
        _write(tmp_path, LEAST.replace("[journal]", f'rulebook_sha256 = "{right}"\n[journal]'))
        assert read_config(tmp_path / "table.toml").config is not None
    changed = ("0" if signed[0] != "0" else "1") + signed[1:]
    (found,) = _faults(tmp_path, LEAST.replace("[journal]", f'rulebook_sha256 = "{changed}"\n[journal]'))
    assert found.startswith("[table] rulebook_sha256: md-uth edition 1.4 was changed after it was signed")
    assert changed[:16] in found
    assert signed[:16] in found
    assert "md-uth@1.4.toml" in found


def test_a_hash_is_no_other_text(tmp_path: Path) -> None:
    """Fewer than sixteen digits prove nothing."""
    (found,) = _faults(tmp_path, LEAST.replace("[journal]", 'rulebook_sha256 = "0123456789abcde"\n[journal]'))
    assert found.startswith("[table] rulebook_sha256: must match [0-9a-f]{16,64}")


def test_in_production_nothing_is_elected_by_the_bench_and_no_test_device_is_taken(tmp_path: Path) -> None:
    """A person answers for each reading; simulators are turned away at their handshake too."""
    text = LEAST + DEVICES + '[elections]\n"R-01" = { choice = "hold", by = " Bench" }\n'
    assert _faults(tmp_path, text) == ()
    text = text.replace("[journal]", f"production = true\n{SIGNED}{SEALED}")
    assert _faults(tmp_path, text) == (
        "[elections] R-01 by: in production a person answers for each reading, not the bench",
    )
    config = load_config(_write(tmp_path, text.replace(" Bench", "M. Ortiz")))
    assert [device.accept_test_only for device in config.devices] == [False, False]


@pytest.mark.parametrize("data", [b"[table", b"\xff\xfe", b"a = 1\na = 2"])
def test_what_is_no_toml_is_one_fault(tmp_path: Path, data: bytes) -> None:
    """The parser's own words say where."""
    path = tmp_path / "table.toml"
    path.write_bytes(data)
    (found,) = read_config(path).faults
    assert (found.place, found.code) == ("file", "not_toml")


def test_a_missing_file_is_one_fault(tmp_path: Path) -> None:
    """It is told like any other, with its path."""
    with pytest.raises(
        ConfigInvalid, match=r"none\.toml: refused for 1 fault\n  file: cannot be read: No such file"
    ):
        load_config(tmp_path / "none.toml")


def test_a_configuration_built_by_a_program_is_checked_against_its_rulebook(tmp_path: Path) -> None:
    """A bench that makes its own `Config` meets the same faults when the core is set up."""
    config = load_config(_write(tmp_path, LEAST))
    wrong: Config = replace(config, table=replace(config.table, seats=9, method=Method.HAND))
    with pytest.raises(ConfigInvalid) as caught:
        wrong.setup()
    assert len(caught.value.faults) == 2


@pytest.mark.parametrize(
    ("text", "socket"),
    [
        ('[control]\nsocket = "c.sock"\n[table]\nseats = "many"\n', "c.sock"),
        ('[control]\nsocket = "/run/x.sock"\n', "/run/x.sock"),
        ("", str(DEFAULT_SOCKET)),
    ],
)
def test_the_socket_is_found_whatever_else_is_wrong(tmp_path: Path, text: str, socket: str) -> None:
    """A person at a held table must reach the daemon even while somebody edits its configuration."""
    assert socket_of(_write(tmp_path, text)) == tmp_path / socket


@pytest.mark.parametrize("text", ["[control]\nsocket = 7\n", "control = 1\n", "[control"])
def test_a_socket_that_is_no_path_is_said(tmp_path: Path, text: str) -> None:
    """Not a traceback."""
    with pytest.raises(ConfigInvalid):
        socket_of(_write(tmp_path, text))


_VALUES = st.recursive(
    st.booleans() | st.integers(-5, 70000) | st.sampled_from(["", "red", "hand", "x", "md-uth"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    section=st.sampled_from(["table", "journal", "mqtt", "control", "log", "elections", "device"]),
    key=st.sampled_from(
        ["site", "seats", "method", "backs", "path", "host", "people", "name", "kind", "level", "R-01"]
    ),
    value=_VALUES,
)
def test_no_value_of_any_key_is_a_crash(tmp_path: Path, section: str, key: str, value: object) -> None:
    """Whatever stands where, the file is read to its end and each fault is a sentence."""
    header = "[[device]]" if section == "device" else f"[{section}]"
    reading = read_config(_write(tmp_path, f"{header}\n{key} = {_toml(value)}\n"))
    assert reading.faults
    assert all(isinstance(fault, str) and ":" in fault for fault in reading.faults)


def _toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return f'"{value}"'
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + "}"
        case _:
            raise AssertionError(value)


FAST_ACTION = LEAST.replace("md-uth", "fast-action")
HOUSE_PROCEDURE = '[elections]\nR-18 = { choice = "house_procedure", by = "J. Doe" }\n'


def test_a_device_without_a_rule_is_refused_until_the_house_has_one(tmp_path: Path) -> None:
    """Clause fast-action (i): nothing is said of devices that fail, so none is put into service without an election."""
    two_sets = FAST_ACTION.replace('["red"]', '["red", "blue"]') + DEVICES
    refused = _faults(tmp_path, two_sets)
    assert "[[device]] kind: no shuffler may be in service at this table by R-18 ((b)(4), (i))" in refused
    assert "[[device]] kind: no shoe may be in service at this table by R-18 ((d)(5), (k)(1), (i))" in refused
    assert not [fault for fault in _faults(tmp_path, two_sets + HOUSE_PROCEDURE) if "in service" in fault]
    assert not [fault for fault in _faults(tmp_path, FAST_ACTION) if "in service" in fault]


def test_a_shuffler_may_ask_for_two_sets(tmp_path: Path) -> None:
    """Clause fast-action (b)(4): with a shuffler the second set is a duty there, elsewhere a permission."""
    required = "[table] backs: with a shuffler two sets are required ((b)(4), (b)(4)(ii))"
    assert required in _faults(tmp_path, FAST_ACTION + DEVICES)
    assert required not in _faults(tmp_path, FAST_ACTION)
    assert not _faults(tmp_path, LEAST + DEVICES)


def test_a_rulebook_whose_clauses_have_no_sound_classes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people are told at the table comes from that file; each of its faults is named with it."""
    shutil.copytree(library.shipped(), tmp_path / "rulebooks")
    monkeypatch.setattr(library, "shipped", lambda: tmp_path / "rulebooks")
    path = tmp_path / "rulebooks" / "clauses" / "md-uth.coverage.toml"
    path.write_text(path.read_text().replace("[[physical]]", "[[phisical]]"))
    faults = _faults(tmp_path, LEAST + DEVICES)
    assert (f"{path} phisical", "key_unknown") in [(fault.place, fault.code) for fault in faults]


def test_an_electronic_table_is_no_word_where_the_document_does_not_permit_one(tmp_path: Path) -> None:
    """Other documents know no such table; nothing is cited that they do not say."""
    for rulebook in ("ma-uth", "nj-pikit", "fast-action", "ma-colorado"):
        text = _changed('"manual_shoe"', '"electronic"', LEAST).replace("md-uth", rulebook)
        assert ("[table] method", "word_unknown") in [(f.place, f.code) for f in _faults(tmp_path, text)]


LIMITS = "[limits]\nante = { least = 500, most = 50000 }\ntrips = { most = 10000 }\n"


def test_posted_limits_reach_the_core_and_settlement(tmp_path: Path) -> None:
    """By wager, in cents; what is not posted is bounded by what a wager can be at all."""
    config = load_config(_write(tmp_path, LEAST + LIMITS))
    assert config.table.limits == {"ante": (500, 50_000), "trips": (1, 10_000)}


def test_in_production_limits_that_the_document_has_posted_are_set(tmp_path: Path) -> None:
    """Those of each wager that is offered and whose amount the player chooses. Clause: nj-pikit 39.3(a)."""
    bench = LEAST.replace("md-uth", "nj-pikit").replace("[journal]", 'offered = ["three_card_bonus"]\n[journal]')
    signed = f'production = true\nrulebook_sha256 = "{library.find("nj-pikit").sha256}"\n'
    text = bench.replace("[journal]", f"{signed}{SEALED}")
    both, most = (
        f"{lacks} (39.3(a)); in production it must be there" for lacks in ("no least and no most", "no most")
    )
    ante, bonus = "ante = { least = 500, most = 50000 }\n", "three_card_bonus = { least = 100, most = 10000 }\n"
    assert _faults(tmp_path, bench) == ()
    assert _faults(tmp_path, text) == (f"[limits]: ante has {both}", f"[limits]: three_card_bonus has {both}")
    assert _faults(tmp_path, f"{text}[limits]\n{ante}") == (f"[limits]: three_card_bonus has {both}",)
    half = ante.replace(", most = 50000", "")
    assert _faults(tmp_path, f"{text}[limits]\n{half}{bonus}") == (f"[limits]: ante has {most}",)
    assert _faults(tmp_path, f"{text}[limits]\n{ante}{bonus}") == ()
    not_offered = text.replace('offered = ["three_card_bonus"]', "")
    assert _faults(tmp_path, f"{not_offered}[limits]\n{ante}") == ()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("ante", "play", "[limits] play: limits_unfit"),
        (
            "trips",
            "progressive",
            "[limits] progressive: limits_unfit",
        ),
        ("ante", "antes", "[limits] antes: wager_unknown"),
        ("least = 500", "least = 50001", "[limits] ante least: limits_unfit"),
        (
            "{ most = 10000 }",
            "10000",
            "[limits] trips: type_wrong",
        ),
        ("most = 10000", "mots = 10000", "[limits] trips mots: key_unknown"),
    ],
)
def test_limits_that_cannot_be_are_named(tmp_path: Path, old: str, new: str, fault: str) -> None:
    """A limit of a wager that is not there would bound nothing, and nobody would see it."""
    assert old in LIMITS
    with pytest.raises(ConfigInvalid) as refused:
        load_config(_write(tmp_path, LEAST + LIMITS.replace(old, new, 1)))
    assert fault in [f"{found.place}: {found.code}" for found in refused.value.faults]


def elected(**choices: str) -> str:
    """Elections of one rulebook's questions, as they stand in a file."""
    lines = [f'"{question}" = {{ choice = "{choice}", by = "someone" }}' for question, choice in choices.items()]
    return "\n".join(["[elections]", *lines, ""])


def test_payouts_reach_the_core(tmp_path: Path) -> None:
    """A limit of the house's own that the document allows, and the least amount that is paid. Clause: md-uth 12.F."""
    payouts = "payout_limit_cents = 6000000\nunit_cents = 25\n[journal]"
    text = LEAST.replace("[journal]", payouts) + elected(payout_limit="higher")
    setup = load_config(_write(tmp_path, text)).setup()
    assert (setup.payout_limit, setup.unit) == (6_000_000, 25)
    assert load_config(_write(tmp_path, LEAST)).table.payout_limit_cents is None


@pytest.mark.parametrize(
    ("rulebook", "payouts", "choice", "fault"),
    [
        ("md-uth", "payout_limit_cents = 6000000", "least", "[table] payout_limit_cents: payout_unfit"),
        ("md-uth", "payout_limit_cents = 4999999", "higher", "[table] payout_limit_cents: payout_unfit"),
        ("md-uth", "unit_cents = 25", "higher", "[table] payout_limit_cents: key_missing"),
        ("nj-pikit", "payout_limit_cents = 6000000", "", "[table] payout_limit_cents: payout_unfit"),
        ("nj-pikit", "unit_cents = 25", "", "[table] unit_cents: payout_unfit"),
        ("md-uth", "unit_cents = 0", "least", "[table] unit_cents: number_out_of_range"),
        ("md-uth", "payout_limit_cents = 0", "least", "[table] payout_limit_cents: number_out_of_range"),
    ],
)  # fmt: skip
def test_payouts_that_cannot_be_honoured_are_named(tmp_path, rulebook, payouts, choice, fault) -> None:
    """A limit that nobody elected or that is too low, and a unit that no rule of breakage makes whole."""
    text = LEAST.replace("md-uth", rulebook).replace("[journal]", f"{payouts}\n[journal]")
    found = _faults(tmp_path, text + (elected(payout_limit=choice) if choice else ""))
    assert fault in [f"{each.place}: {each.code}" for each in found]


def test_cards_leave_the_machine_only_where_the_house_says_so(tmp_path: Path) -> None:
    """`never` unless it is said; any other word is a fault."""
    mqtt = '[mqtt]\nhost = "b"\n'
    for text, wanted in (
        ("", "never"),
        ('identities = "never"\n', "never"),
        ('identities = "after_round"\n', "after_round"),
    ):
        found = load_config(_write(tmp_path, LEAST.replace("[journal]", f"{mqtt}{text}[journal]"))).mqtt
        assert found is not None
        assert found.identities == wanted
    (fault,) = _faults(tmp_path, LEAST.replace("[journal]", f'{mqtt}identities = "after_deal"\n[journal]'))
    assert (fault.place, fault.code) == ("[mqtt] identities", "word_unknown")


def test_consumers_that_must_confirm_are_read(tmp_path: Path) -> None:
    """`broker` unless it is said."""
    mqtt = '[mqtt]\nhost = "b"\n'
    plain = load_config(_write(tmp_path, LEAST.replace("[journal]", f"{mqtt}[journal]"))).mqtt
    assert plain is not None
    assert (plain.confirm, plain.consumers, plain.confirm_s) == ("broker", (), 5)
    text = f'{mqtt}confirm = "consumer"\nconsumers = ["recorder", "mirror"]\nconfirm_s = 2\n'
    found = load_config(_write(tmp_path, LEAST.replace("[journal]", f"{text}[journal]"))).mqtt
    assert found is not None
    assert (found.confirm, found.consumers, found.confirm_s) == ("consumer", ("recorder", "mirror"), 2)
