"""The pages of the `device` commands: short lines, words instead of codes, and what to do next."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from controller.devices.documents import report_document
from controller.devices.listing import UP
from controller.text.status_page import ago, levels_words, spoken
from drivers.protocol.host.events import Failed, HostEvent, LevelsRead, Lost, Online, Reported, Reused, Welcomed
from drivers.protocol.texts import plain
from drivers.recording.words import event_words

Document = Mapping[str, Any]

NEXT = {
    "link_missing": "nothing is plugged in there: plug the device in, or correct `path` in the configuration",
    "link_busy": "another program has the port: end it",
    "link_forbidden": "put the daemon's user into the group that owns the port (often dialout)",
    "link_open_failed": "the driver does not open it: unplug the device, and plug it in again",
    "link_eof": "the device went away: look at its cable and its power",
    "link_io_error": "the cable or the driver failed: unplug the device, and plug it in again",
    "link_restarted": "the device started anew: watch whether it stays up; if not, look at its power supply",
    "timeout_handshake": "nobody answers: is the device switched on, is it the right cable, the right baud rate?",
    "timeout_request": "the device stopped answering: look at its display, then switch it off and on",
    "timeout_liveness": "the device stopped answering: look at its display, then switch it off and on",
    "timeout_fill": "the device does not give its log: switch it off and on; if it stays so, keep it for its maker",
    "auth_version": "its firmware is too new or too old for this daemon: ask its maker",
    "auth_wrong_device": "another device stands at this port: put the right one there, or correct `serial`",
    "auth_wrong_port": "the device was moved to another socket: find out by whom, and put it back where it belongs",
    "auth_not_approved": "this device or its firmware may not serve this table: ask the supervisor",
    "auth_key_file": "the key file cannot be used: the line above says what to change",
    "auth_chain": "its log was changed, or the device is not what it was: look at its seals, and call the supervisor",
    "auth": "it could not prove that it is the right device: take it out of play, and call the supervisor",
    "device": "the device says that it is out of order: read its display, and its manual for what that means",
    "link": "look at its cable and its power, then plug it in again",
    "timeout": "switch the device off and on; if it stays so, record it (`tablewarden device record`)",
    "proto": "the device breaks the protocol: record it (`tablewarden device record`), and ask its maker",
}
"""By the id of a fault, or by its family where one answer does for all."""


def list_page(found: Document) -> list[str]:
    """Yields the devices first, each with its fault and remedy; then ports of no device."""
    daemon = found["daemon"]
    state = f"the daemon serves table {daemon['table']}" if daemon["running"] else f"no daemon: {daemon['reason']}"
    lines = [state]
    for device in found["devices"]:
        lines += ["", *_device(device, daemon["running"])]
    if found["ports"]:
        lines += ["", "ports without a device of this table"]
        for port in found["ports"]:
            lines += list(_port(port))
    elif not found["devices"]:
        lines += ["", "no device is configured, and this machine has no serial port"]
    return lines


def _device(device: Document, has_daemon: bool) -> Iterator[str]:
    link, holder = device["link"], device["holder"]
    state = _link_state(link, device["path"]) if link else "not looked after: no daemon"
    yield f"{device['device']}  {device['kind']}  {state}"
    leads = f" -> {device['leads_to']}" if device["leads_to"] not in ("", device["path"]) else ""
    yield f"  port     {device['path'] or 'not known'}{leads}"
    if device["expected_serial"]:
        yield f"  serial   {device['expected_serial']} is expected"
    if device["port"] and device["port"]["usb"]:
        yield f"  usb      {_usb(device['port'])}"
    if (port := device["port"]) and port["path"] == device["path"] and port["names"]:
        yield f"  NAME     this may be another device after a replug; write `path` as {port['names'][0]}"
    if holder:
        yield f"  held by  {_holder(holder)}"
    if link and (trouble := _trouble(link["counters"] or {})):
        yield f"  line     {trouble}"
    if what := _next(device, has_daemon):
        yield f"  NEXT     {what}"


def _link_state(link: Document, path: str) -> str:
    """Returns the session's words, without path and remedy, which stand below."""
    parts = [f"{link['state'].upper()} since {ago(link['since_s'])}"]
    parts += [spoken(link["reason"])] if link["reason"] else []
    return ", ".join(parts + ([link["detail"]] if link["detail"] and not link["detail"].startswith(path) else []))


def _next(device: Document, has_daemon: bool) -> str:
    link, holder = device["link"], device["holder"]
    if link and link["state"] in UP:
        return ""
    if not device["present"]:
        return NEXT["link_missing"]
    if holder and not holder["is_daemon"]:
        return f"end process {holder['pid']}: it has the port, so the daemon cannot"
    if link and link["reason"]:
        return NEXT.get(link["reason"]) or NEXT.get(link["reason"].partition("_")[0], "")
    return "" if has_daemon else f"look at it: tablewarden device probe {device['path']}"


def _port(port: Document) -> Iterator[str]:
    yield f"  {port['path']}  {_usb(port) or 'no USB port'}"
    for name in port["names"]:
        yield f"    also   {name}"
    if port["holder"]:
        yield f"    held by {_holder(port['holder'])}"
    else:
        yield f"    look at it: tablewarden device probe {port['names'][0] if port['names'] else port['path']}"


def _usb(port: Document) -> str:
    serial = f"serial number {port['serial']}" if port["serial"] else ""
    return ", ".join(part for part in (port["product"], serial, port["usb"]) if part)


def _holder(holder: Document) -> str:
    if holder["is_daemon"]:
        return f"the daemon (process {holder['pid']})"
    return f"process {holder['pid']}" + (f": {holder['command']}" if holder["command"] else "")


def _trouble(counters: Mapping[str, int]) -> str:
    quiet = ("frames_in", "frames_out", "opened", "reports", "lines")
    return ", ".join(f"{spoken(name)} {n}" for name, n in counters.items() if n and name not in quiet)


def probe_page(seen: Document) -> list[str]:
    """Yields one device as it is now."""
    who, log, line = seen["identity"], seen["log"], seen["line"]
    measured = f"image {who['firmware_hash'][:16]}" if who["firmware_hash"].strip("0") else "image not measured"
    lines = [
        f"{seen['port']}  {who['kind']}, serial number {who['serial']}",
        f"  maker    {who['vendor'] or 'not said'}, model {who['model'] or 'not said'}",
        f"  version  hardware {who['hardware'] or 'not said'}, firmware {who['firmware'] or 'not said'}, {measured}",
        f"  running  {_running(seen)}",
        f"  can      {', '.join([*map(spoken, who['capabilities']), _display(who)]).strip(', ')}",
        f"  now      {levels_words(seen['levels'], {}) if seen['levels'] else 'NOT KNOWN: ' + seen['why_not']}",
        f"  log      {_log(log)}",
    ]
    if not seen["needs_key"]:
        lines += [f"  line     {_line(line)}", f"  clock    {_clock(seen['clock'])}"]
    if seen["key_proven"]:
        sealed = (
            f"{seen['bad_seals']} frames WITHOUT a right seal" if seen["bad_seals"] else "every frame was sealed"
        )
        lines.append(f"  key      proven by both ends; {sealed}")
    for report in seen["reports"]:
        lines.append(f"  waits    report {report['counter']}: {_report(report)}")
    if seen["reports"]:
        lines.append("           the daemon will fetch these; nothing was acknowledged")
    return [*lines, "", _advice(seen)]


def _display(who: Document) -> str:
    return f"display of {who['display']} characters" if who["display"] else "no display"


def event_page(event: HostEvent) -> str:
    """Returns one event of a link in words."""
    match event:
        case Welcomed(who, _, _, first, last):
            log = f"log {first} to {last}" if first <= last else "an empty log"
            said = (
                f"{who.kind.value} {who.serial} answers: {who.vendor} {who.model}, firmware {who.firmware}, {log}"
            )
        case Online(_, levels):
            said = f"online: {levels_words(asdict(levels), {}) or 'no levels'}"
        case LevelsRead(levels):
            said = f"is now: {levels_words(asdict(levels), {}) or 'no levels'}"
        case Reported(_, counter, _, report, from_log):
            said = f"report {counter}{' (out of its log)' if from_log else ''}: {_report(report_document(report))}"
        case Lost(_, first, last):
            said = f"LOST: reports {first} to {last or 'the end'} of a boot cannot be had any more"
        case Reused(_, first, last):
            said = f"LOST: its count went back; what else it reports under {first} to {last} cannot be had"
        case Failed(fault, detail):
            said = f"LINK LOST: {spoken(fault)}, {detail}"
        case _:
            said = spoken(event_words(event))
    return plain(said)


def _running(seen: Document) -> str:
    cause = {
        "power": "power came on",
        "watchdog": "its own watchdog restarted it",
        "software": "it restarted itself",
    }
    since = f"for {ago(seen['up_s'])}, since " if seen["up_s"] is not None else "since "
    return f"{since}{cause.get(seen['reset_cause'], 'a start of unknown cause')} (boot {seen['boot']})"


def _log(log: Document) -> str:
    held = f"reports {log['first']} to {log['last']}" if log["first"] <= log["last"] else "no reports"
    former = f", and {len(log['former'])} former boots" if log["former"] else ""
    return f"{held} of this boot{former}; room for {log['depth']}"


def _line(line: Document) -> str:
    if not line["echoed"]:
        return f"NONE of {line['pings']} pings was answered"
    mine, peer = line["dropped"], line["peer_dropped"]
    parts = [
        f"{line['echoed']} of {line['pings']} pings answered in {line['least_ms']:g} to {line['most_ms']:g} ms",
        f"from the device {_damage(mine)}",
        f"to the device {_damage(peer)}",
    ]
    return "; ".join(parts)


def _damage(dropped: Mapping[str, int]) -> str:
    return ", ".join(f"{n} bad ({spoken(cause)})" for cause, n in dropped.items()) or "none bad"


def _clock(clock: Document) -> str:
    if clock["ppm"] is None:
        return "too few echoes to compare it"
    off, bound = abs(clock["ppm"]), clock["error_ppm"]
    if off <= bound:
        return f"agrees with this machine's to {bound / 10_000:.3f} %"
    way = "fast" if clock["ppm"] > 0 else "slow"
    return f"{off / 10_000:.3f} % {way} beside this machine's (sure to {bound / 10_000:.3f} %)"


def _report(report: Document) -> str:
    shown = {k: v for k, v in report.items() if k not in ("counter", "kind", "tick_us") and v is not None}
    if not shown.get("operation"):
        shown.pop("operation", None)  # nobody asked for it
    return " ".join([spoken(report["kind"]), *(f"{spoken(k)} {spoken(v)}" for k, v in shown.items())])


def _advice(seen: Document) -> str:
    line = seen["line"]
    if seen["needs_key"]:
        return "NEXT: probe again with --key-file and the key of this device."
    if not seen["levels"]:
        return "NEXT: it is there but does not say its levels: switch it off and on, and probe again."
    if seen["bad_seals"]:
        return "NEXT: somebody else speaks on this cable: look at its whole length, and call the person responsible for security."
    if line["dropped"] or line["peer_dropped"] or line["echoed"] < line["pings"]:
        return "NEXT: the line is not clean: look at cable and plugs, then probe again."
    return "Nothing is wrong, and nothing was changed."


def silence_page(port: str, baud: int, seen: Document) -> list[str]:
    """Yields the page for a silent port: what came anyway, and what to try."""
    if not seen["bytes_in"]:
        return [
            f"{port}: nobody answers, and not one byte came",
            "  NEXT     switch the device on; look at both ends of the cable; is it the right port?",
        ]
    causes = ", ".join(f"{n} {spoken(cause)}" for cause, n in seen["dropped"].items())
    return [
        f"{port}: {seen['bytes_in']} bytes came, and no answer of TDP/1 among them{f' ({causes})' if causes else ''}",
        f"  NEXT     another baud rate than {baud}? a device that speaks otherwise (lines, Modbus)? a bad cable?",
    ]
