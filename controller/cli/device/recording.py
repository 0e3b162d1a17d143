"""`tablewarden device record | replay | monitor`: the wire of a device written down, put to the driver again, and read."""

import random
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import click
from msgspec import json

from controller.cli.arguments import A_FILE, Finite, Place
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, client, end, reaching, show
from controller.control.client import ControlFailed, ControlUnreachable
from controller.devices.documents import event_document, shown_input
from controller.devices.page import event_page
from controller.devices.port import PortTrouble
from controller.devices.recordings import compare_page, replayed_document
from controller.devices.watching import follow, who_is_there
from controller.text.status_page import event_line
from drivers.catalog import Codec
from drivers.keys import KeyRefused, read_key
from drivers.protocol.constants import DEFAULT_BAUD
from drivers.protocol.host.events import HostEvent
from drivers.recording.anonymise import anonymise as without_names
from drivers.recording.format import RecordingInvalid, header_line, line_of, read_recording
from drivers.recording.pcapng import pcapng
from drivers.recording.replay import replay as run_again
from drivers.recording.tap import recorder_to
from drivers.recording.words import event_words
from drivers.transport.usb_address import USB_SCHEME, UsbAddress

SOFTWARE = f"tablewarden {version('tablewarden')}"
BAUD = click.option(
    "--baud", type=click.IntRange(1200, 4_000_000), default=DEFAULT_BAUD, show_default=True, help="Bits a second."
)
SPEAKS = click.option(
    "--speaks", type=click.Choice([codec.value for codec in Codec if codec is not Codec.MODBUS]),
    default=Codec.TDP.value, show_default=True, help="How the device speaks.",
)  # fmt: skip
FOR = click.option("--for", "for_s", type=Finite(0.1), metavar="SECONDS", help="[default: until Ctrl-C]")
ACKNOWLEDGE = click.option(
    "--acknowledge", is_flag=True,
    help="Tell the device that its reports are kept, so that more than the first eight come. Bench only.",
)  # fmt: skip


def _port(_: click.Context, __: click.Parameter, port: str | None) -> str | None:
    """The name of a port, or the address of a USB device as it must be written."""
    if port is not None and port.startswith(USB_SCHEME):
        try:
            UsbAddress.parse(port)
        except ValueError as exc:
            raise click.BadParameter(str(exc)) from None
    return port


PORT = click.argument("port", metavar="PORT", callback=_port)
KEY_FILE = click.option("--key-file", type=A_FILE, help="The device's key, where it has one.")
FILES = click.argument("files", metavar="FILE...", nargs=-1, required=True, type=A_FILE)


@click.command(short_help="Write down every byte at a port.")
@PORT
@click.option("--to", type=Place(dir_okay=False), required=True, help="A new file.")
@FOR
@ACKNOWLEDGE
@BAUD
@SPEAKS
@KEY_FILE
@AS_JSON
def record(
    port: str, to: Path, for_s: float | None, acknowledge: bool, baud: int, speaks: str, key_file: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Write down every byte at a port, while this command is the device's host. No level is asked for.

    In the daemon: `record = "FOLDER"` at its `[[device]]`, then the daemon does it while it serves the device.

    \b
    Example:
      tablewarden device record /dev/table/shoe-1 --to shoe.jsonl --for 60
    """
    if to.exists():
        end(f"{to}: the file is there already; choose another name", WRONG)
    if not to.parent.is_dir():
        end(f"{to.parent}: no such folder; make it, or choose another place", WRONG)
    seen: list[HostEvent] = []

    def on_event(event: HostEvent) -> None:
        seen.append(event)
        if not as_json:
            click.echo(f"{time.strftime('%H:%M:%S')}  {event_page(event)}", err=True)

    try:
        config = who_is_there(port, baud, Codec(speaks), key_file)
        stopped = follow(
            config, on_event, for_s=for_s, acknowledges=acknowledge,
            make_recorder=lambda clock: recorder_to(to, config, SOFTWARE, clock),
        )  # fmt: skip
    except PortTrouble as exc:
        end(str(exc), UNREACHABLE)
    if stopped:
        end(f"the recording {stopped}; make room, or name another place with --to", WRONG)
    size = to.stat().st_size
    told = {"file": str(to), "bytes": size, "events": len(seen)}
    show(told, lambda d: [f"{d['file']}: {d['bytes']} bytes, {d['events']} events of the link"], as_json)


@click.command(short_help="Put a recording to the driver again, and compare.")
@FILES
@click.option("--strict", is_flag=True, help="Compare all that the driver sends, byte by byte.")
@click.option("--golden", type=Place(dir_okay=False), help="Compare the events with this list.")
@click.option("--write", is_flag=True, help="Write the list of --golden anew: a decision, not a repair.")
@KEY_FILE
@AS_JSON
def replay(
    files: Sequence[Path], strict: bool, golden: Path | None, write: bool, key_file: Path | None, as_json: bool
) -> None:
    """Put a recording to the driver again, with the same chance at the same instants, and say what is different.

    Without --strict or --golden the events are printed. Exit code 1 where something differs.

    \b
    Example:
      tablewarden device replay shoe.jsonl
      tablewarden device replay shoe.jsonl --strict --golden shoe.expect
    """
    if write and golden is None:
        raise click.UsageError("--write writes the list that --golden names")
    try:
        recording = read_recording(files)
        found = run_again(recording, key_file)
        lines = [event_words(event) for _, event in found.events]
        expected = None
        if golden is not None and write:
            golden.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        elif golden is not None:
            expected = golden.read_text("utf-8").splitlines()
    except (RecordingInvalid, KeyRefused) as exc:
        end(str(exc), WRONG)
    except OSError as exc:
        end(f"{golden}: {exc.strerror}", WRONG)
    except UnicodeDecodeError:
        end(f"{golden}: this is no list of events; --golden FILE --write makes one", WRONG)
    told = replayed_document(recording, found, lines, expected, strict)
    show(told, compare_page, as_json)
    sys.exit(0 if told["same"] else WRONG)


@click.command(short_help="A recording as pcapng, for Wireshark.")
@FILES
@click.option("--pcapng", "to", type=Place(dir_okay=False), required=True, help="A new file.")
@AS_JSON
def export(files: Sequence[Path], to: Path, as_json: bool) -> None:
    """Make a pcapng file of a recording, for Wireshark, tshark and whatever else reads captures.

    TDP/1 is read by a dissector that stands in tests/wireshark/tdp.lua; Modbus RTU by Wireshark's own.

    \b
    Example:
      tablewarden device export shoe.jsonl --pcapng shoe.pcapng
      tshark -X lua_script:tests/wireshark/tdp.lua -r shoe.pcapng
    """
    try:
        data = pcapng(read_recording(files))
        with to.open("xb") as file:
            file.write(data)
    except RecordingInvalid as exc:
        end(str(exc), WRONG)
    except FileExistsError:
        end(f"{to}: the file is there already; choose another name", WRONG)
    except OSError as exc:
        end(f"{to}: {exc.strerror}", WRONG)
    show({"file": str(to), "bytes": len(data)}, lambda told: [f"{told['file']}: {told['bytes']} bytes"], as_json)


@click.command(short_help="A recording that may leave the house.")
@FILES
@click.option("--to", type=Place(dir_okay=False), required=True, help="A new file.")
@KEY_FILE
@AS_JSON
def anonymise(files: Sequence[Path], to: Path, key_file: Path | None, as_json: bool) -> None:
    """Make a recording that may leave the house: other cards, no serial number, no texts, no names of ports.

    The wire keeps its life: the result replays as the recording does. A sealed session is sealed anew with a key that
    docs/recordings.md prints, for which the device's own key is needed once.

    \b
    Example:
      tablewarden device anonymise shoe.jsonl --to for-the-maker.jsonl
    """
    try:
        key = read_key(key_file) if key_file else None
        found = without_names(read_recording(files), random.SystemRandom(), key)
        lines = [header_line(found.header), *(line_of(entry) for entry in found.entries), ""]
        with to.open("x", encoding="ascii") as file:
            file.write("\n".join(lines))
    except (RecordingInvalid, KeyRefused) as exc:
        end(str(exc), WRONG)
    except FileExistsError:
        end(f"{to}: the file is there already; choose another name", WRONG)
    except OSError as exc:
        end(f"{to}: {exc.strerror}", WRONG)
    told = {"file": str(to), "entries": len(found.entries)}
    show(told, lambda _: [f"{to}: {told['entries']} entries; look through it before it leaves the house"], as_json)


@click.command(short_help="What devices report, as it comes.")
@click.argument("port", metavar="[PORT]", required=False, callback=_port)
@FOR
@ACKNOWLEDGE
@BAUD
@SPEAKS
@KEY_FILE
@reaching
@click.option("--json", "as_json", is_flag=True, help="For a program: one JSON object a line.")
def monitor(
    port: str | None, for_s: float | None, acknowledge: bool, baud: int, speaks: str, key_file: Path | None,
    socket: Path | None, config: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Print what devices report as it comes. Cards are never shown.

    Without PORT: all devices of the table, as the daemon hears them. With PORT: one device that the daemon does not have;
    this command is then its host. No level is asked for.

    \b
    Example:
      tablewarden device monitor
      tablewarden device monitor /dev/table/shoe-1 --for 60
    """
    if port is None:
        _monitor_daemon(socket, config, as_json)
        return

    def on_event(event: HostEvent) -> None:
        if as_json:
            click.echo(json.encode(event_document(event)))
        else:
            click.echo(f"{time.strftime('%H:%M:%S')}  {event_page(event)}")

    try:
        follow(who_is_there(port, baud, Codec(speaks), key_file), on_event, for_s=for_s, acknowledges=acknowledge)
    except PortTrouble as exc:
        end(str(exc), UNREACHABLE)


def _monitor_daemon(socket: Path | None, config: Path | None, as_json: bool) -> None:
    try:
        with client(socket, config) as daemon:
            devices = set(daemon.ask("status").get("devices", {}))
            for event in daemon.watch(None, ("input",)):
                if event.get("subject") in devices:
                    told = shown_input(event)
                    click.echo(json.encode(told) if as_json else event_line(told))
    except ControlFailed as exc:
        end(f"{exc.code.replace('_', ' ')}: {exc.reason}", WRONG)
    except ControlUnreachable as exc:
        end(str(exc), UNREACHABLE)
    except KeyboardInterrupt:
        sys.exit(0)
    end("the daemon has ended", UNREACHABLE)
