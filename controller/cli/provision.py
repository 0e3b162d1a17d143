"""`tablewarden provision`: what every table of a site needs, from one list; a second run adds what is new."""

import hashlib
import html
import ipaddress
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from controller.cli.arguments import A_FILE, A_PATH
from controller.cli.certificate import (
    AUTHORITY,
    BROKER,
    CLIENT,
    DAYS,
    SERVER,
    hosts_lacking,
    issue,
    make_authority,
)
from controller.cli.main import UNREACHABLE, WRONG, end
from controller.config.site_list import PLACE, Listed, read_site
from controller.config.starter import starter
from controller.journal.vault import key_file
from controller.journal.vault.key_file import PUBLIC_MODE, KeyUnusable
from controller.publish.topics import verify_level
from controller.rules.read.library import shipped

AUTHORITY_DAYS = 3650
MANIFEST = "SHA256SUMS"
SITE_OF_EXAMPLE = "/lv01/"
"""The site that stands in the broker's list of rights as it is shipped."""
STYLE = (
    "body{font:14pt sans-serif}div{border:1px solid;width:82mm;height:44mm;padding:3mm;margin:2mm;display:inline-block;"
    "page-break-inside:avoid;vertical-align:top;overflow:hidden}b{font-size:30pt}p{margin:1mm 0;font-size:10pt}"
)


@click.command(name="provision")
@click.argument("file", metavar="SITE.csv", type=A_FILE)
@click.option("--site", required=True, help="First level of the MQTT topics.")
@click.option("--out", type=A_PATH, required=True, metavar="DIR", help="Where the files are written.")
@click.option(
    "--authority", type=A_PATH, metavar="DIR", help="An authority that is there.  [default: OUT/authority]"
)
@DAYS
@click.option(
    "--renew", multiple=True, metavar="NAME", help="Replace the certificate of this table, of broker or recorder."
)
def provision(file: Path, site: str, out: Path, authority: Path | None, days: int, renew: Sequence[str]) -> None:
    """Write what the tables of a site need, from one CSV: certificates, ACL, configurations, udev lines, labels.

    The first line of the list names its columns: table, rulebook, broker, devices, and where wanted seats, method, offered.
    A device is KIND=ADAPTER or KIND=ADAPTER,SERIAL; blanks separate devices and wagers. Run again, the command adds what
    is new and changes nothing else. A mistake in the list is named with its line, and then nothing is written.

    \b
    Example:
      tablewarden provision site.csv --site lv01 --out lv01
      tablewarden provision site.csv --site lv01 --out lv01 --renew uth-017
    """
    try:
        verify_level(site, "site")
        listed, faults = read_site(file.read_bytes(), site)
    except ValueError as exc:
        raise click.UsageError(str(exc)) from exc
    names = {BROKER, "recorder", *(each.wanted.table for each in listed)}
    faults += [f"--renew {name}: is not in the list" for name in renew if not faults and name not in names]
    if faults:
        end("\n".join([f"{file}: nothing was written", *(f"  {fault}" for fault in faults)]), WRONG)
    try:
        made = _Site(out, site, authority, days, frozenset(renew)).write(listed)
    except KeyUnusable as exc:
        end(str(exc), UNREACHABLE)
    except OSError as exc:
        end(f"{exc.filename}: {exc.strerror}", UNREACHABLE)
    click.echo("\n".join(made))


class _Site:
    """A folder of provisioned files. `added`, `renewed`: paths in it; `notes`: what a person should know."""

    def __init__(self, out: Path, site: str, authority: Path | None, days: int, renew: frozenset[str]) -> None:
        self._out, self._site, self._days, self._renew = out, site, days, renew
        self._authority = authority or out / AUTHORITY
        self._sums = _sums_of(out / MANIFEST)
        self._before = dict(self._sums)
        self._notes: list[str] = []
        self._changed = 0

    def write(self, listed: Sequence[Listed]) -> list[str]:
        """Writes what is missing; returns lines for the person. Raises `KeyUnusable`, `OSError`."""
        if self._authority != self._out / AUTHORITY:
            key_file.read(self._authority / f"{AUTHORITY}.key")
        self._out.mkdir(parents=True, exist_ok=True)
        if self._authority == self._out / AUTHORITY and not (self._authority / f"{AUTHORITY}.pem").exists():
            make_authority(self._authority, AUTHORITY_DAYS)
        self._broker(sorted({each.wanted.broker for each in listed}))
        self._certificate("recorder", self._out / "recorder" / "recorder.pem")
        for each in listed:
            self._table(each)
        self._labels(listed)
        self._manifest()
        new = len(self._sums.keys() - self._before.keys())
        return [
            f"{self._out}: {len(listed)} tables; {new} files are new, {self._changed} were replaced",
            *(f"  NOTE  {note}" for note in self._notes),
            f"keep {self._authority / f'{AUTHORITY}.key'} off tables and broker: with it, anybody is any table",
            "docs/install.md says where each file belongs; then, at each table: tablewarden check --here FILE",
        ]

    def _broker(self, hosts: Sequence[str]) -> None:
        folder = self._out / BROKER
        examples = shipped("broker")
        acl = (examples / "acl").read_text().replace(SITE_OF_EXAMPLE, f"/{self._site}/")
        self._file(folder / "acl", acl)
        self._file(folder / "mosquitto.conf", (examples / "mosquitto.conf").read_text())
        self._certificate(BROKER, folder / f"{BROKER}.pem", hosts)
        if lacks := hosts_lacking(folder / f"{BROKER}.pem", hosts):
            self._notes.append(f"the broker's certificate does not name {', '.join(lacks)}: --renew {BROKER}")

    def _table(self, each: Listed) -> None:
        wanted, folder = each.wanted, self._out / "tables" / each.wanted.table
        self._certificate(wanted.table, folder / "table.pem")
        config = folder / "table.toml"
        text = starter(wanted)
        kept = self._sums.get(self._name(config))
        if kept and kept != _sum(text.encode()):
            self._notes.append(
                f"{wanted.table}: its line, or this software, changed since {config} was written; it stays as it is"
            )
        self._file(config, text)
        self._file(folder / "61-table.rules", "\n".join(_udev(each)) + "\n")
        try:
            ipaddress.ip_address(wanted.broker)
            self._file(folder / "broker.conf", f"[Service]\nIPAddressAllow={wanted.broker}\n")
        except ValueError:
            self._notes.append(
                f"{wanted.table}: {wanted.broker} is a name; allow its address and that of the resolver"
            )

    def _certificate(self, name: str, path: Path, hosts: Sequence[str] = ()) -> None:
        """The certificate and its key, and the authority by which the other side is known."""
        path.parent.mkdir(parents=True, exist_ok=True)
        key, use = path.with_suffix(".key"), SERVER if hosts else CLIENT
        if not path.exists():
            key.unlink(missing_ok=True)  # of a run that was cut off: nobody has its certificate
            issue(self._authority, name, use, hosts, days=self._days, path=path)
        elif name in self._renew:
            issue(self._authority, name, use, hosts, days=self._days, renew=True, path=path)
            self._changed += 1
            self._sums.pop(self._name(path), None)
        self._note(path)
        self._note(key)
        ca = key_file.read(self._authority / f"{AUTHORITY}.pem").decode()
        self._file(path.with_name(f"{AUTHORITY}.pem" if hosts else "broker-ca.pem"), ca)

    def _labels(self, listed: Sequence[Listed]) -> None:
        page = self._out / "labels.html"
        text = "\n".join(_page(listed)) + "\n"
        if not page.exists() or page.read_text() != text:
            self._changed += page.exists()
            _put(page, text)
            self._sums.pop(self._name(page), None)
        self._note(page)

    def _manifest(self) -> None:
        lines = "".join(f"{said}  {name}\n" for name, said in sorted(self._sums.items()))
        if self._sums != self._before:
            _put(self._out / MANIFEST, lines)

    def _file(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _put(path, text)
        self._note(path)

    def _note(self, path: Path) -> None:
        """A file of before keeps its row, so the list shows what people changed since."""
        self._sums.setdefault(self._name(path), _sum(path.read_bytes()))

    def _name(self, path: Path) -> str:
        return path.relative_to(self._out).as_posix()


def _sums_of(path: Path) -> dict[str, str]:
    rows = path.read_text().splitlines() if path.exists() else []
    return {name: said for said, _, name in (row.partition("  ") for row in rows)}


def _put(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    key_file.write(draft, text.encode(), PUBLIC_MODE)
    draft.rename(path)


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _udev(each: Listed) -> Iterator[str]:
    yield f"# Ports of table {each.wanted.table}: /etc/udev/rules.d/61-table.rules"
    for kind, adapter in each.adapters.items():
        key = "ID_PATH" if PLACE.fullmatch(adapter) else "ID_SERIAL_SHORT"
        yield f'SUBSYSTEM=="tty", ENV{{{key}}}=="{adapter}", SYMLINK+="table/{kind}-1"'


def _page(listed: Sequence[Listed]) -> Iterator[str]:
    yield f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Labels</title><style>{STYLE}</style>'
    for each in listed:
        wanted = each.wanted
        rows = [f"{wanted.site} &middot; {wanted.rulebook.id} &middot; {wanted.seats} seats"]
        rows += [f"{kind}-1: {html.escape(adapter)}" for kind, adapter in each.adapters.items()]
        yield f"<div><b>{html.escape(wanted.table)}</b>{''.join(f'<p>{row}</p>' for row in rows)}</div>"
    yield "</html>"
