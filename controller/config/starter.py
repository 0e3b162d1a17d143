"""Writes the first configuration of a table, as commented text: what is known already filled in, the rest named. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from json import dumps
from textwrap import wrap

from controller.config.table import DISPENSERS
from controller.rules.elections import elect, proposals
from controller.rules.explain.questions import effect, newest, open_at, to_paste
from controller.rules.model import Question, Rulebook
from controller.rules.vocabulary import Method
from drivers.events import DeviceKind
from drivers.protocol.records import dataclass

WIDTH = 110
PEOPLE = {"dealer": "dealer", "floorperson": "floorperson", "supervisor": "supervisor", "technician": "technician"}
"""Of a bench: name -> role."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person has said about the table. `offered`: optional wagers. `ports`: kind of device -> (path, serial number).

    `bench`: simulators, elections as the maker of the rulebook proposes them, every path in the folder of the file.
    `broker`: host of the broker; empty where nobody has named it.
    """

    rulebook: Rulebook
    site: str
    table: str
    seats: int
    method: Method
    offered: tuple[str, ...]
    ports: dict[DeviceKind, tuple[str, str]]
    bench: bool
    broker: str = ""

    @property
    def kinds(self) -> tuple[DeviceKind, ...]:
        """The devices: those that were named, else those that this way of dealing, and an offered progressive, need."""
        dealt_by = DISPENSERS.get(self.method)
        needed = (
            *_shufflers(self.rulebook, self.method), *([dealt_by] if dealt_by else []),
            *([DeviceKind.PROGRESSIVE] if "progressive" in self.offered else []),
        )  # fmt: skip
        return tuple(dict.fromkeys((*needed, *self.ports)))


def methods_of(rulebook: Rulebook) -> tuple[Method, ...]:
    """Returns the ways of dealing that a bench can use, by devices first."""
    proposed = elect(rulebook, _proposed(rulebook)).rulebook
    closed = {method for method, rule in proposed.devices.items() if not rule.value}
    first = (Method.DEALING_SHOE, Method.SHUFFLER, Method.MANUAL_SHOE, Method.HAND)
    return tuple(method for method in first if method in rulebook.dealing and method not in closed)


def optional_wagers(rulebook: Rulebook) -> tuple[str, ...]:
    """Returns the wagers that a house may offer or not, placed before the deal."""
    placed = rulebook.wagers.items()
    return tuple(name for name, wager in placed if wager.optional and wager.placed == "before_deal")


def starter(wanted: Wanted, ports: Sequence[str] = ()) -> str:
    """Returns the text of the file. `ports`: serial ports that were found on this machine, one line each."""
    parts = [
        _head(wanted), _table(wanted), _elections(wanted), _devices(wanted, ports), _record(wanted), _mqtt(wanted),
        _control(wanted),
    ]  # fmt: skip
    return "\n".join("\n".join(part) + "\n" for part in parts)


def _head(wanted: Wanted) -> Iterator[str]:
    book = wanted.rulebook
    yield f"# {book.game}, {book.regulator}, edition {book.edition}."
    if wanted.bench:
        yield "# A bench: simulated devices, no broker, nothing of it is real play."
    else:
        yield "# For real play. Fill in what is named below; `tablewarden check FILE` says what is missing."
    yield "# config/tables/example.toml shows every key with its default."


def _table(wanted: Wanted) -> Iterator[str]:
    book = wanted.rulebook
    yield "[table]"
    yield f'site     = {dumps(wanted.site)}    # levels of every MQTT topic: 1 to 32 of a-z, 0-9 and "-"'
    yield f"id       = {dumps(wanted.table)}"
    yield f"seats    = {wanted.seats}"
    yield f'rulebook = "{book.id}"'
    yield f'method   = "{wanted.method}"    # {" | ".join(book.dealing)}'
    backs = ["red", "blue"] if _two_sets(wanted) else ["red"]
    yield f"backs    = {_list(backs)}    # back colours of the sets at the table"
    yield f"offered  = {_list(wanted.offered)}    # of: {', '.join(optional_wagers(book)) or 'none'}"
    if "progressive" in wanted.offered:
        yield "progressive_cents = 500    # what one progressive chip is worth"
    if wanted.bench:
        yield "production = false"
        return
    yield f'rulebook_sha256 = "{book.sha256[:16]}"    # the file that was signed'
    yield "production = true"
    yield '# approved_devices = "/etc/tablewarden/approved.toml"    # firmware that may serve; needed in production'
    yield '# gaming_day = "06:00"    # when the gaming day begins, in the time of:'
    yield '# time_zone  = "America/New_York"'
    yield ""
    yield "# The posted limits of wagers, in cents."
    yield "[limits]"
    yield from (f"# {name} = {{ least = 500, most = 50000 }}" for name in book.wagers if name in _posted(wanted))


def _elections(wanted: Wanted) -> Iterator[str]:
    book = wanted.rulebook
    if wanted.bench:
        yield "# Every open question as the maker of the rulebook proposes it; `tablewarden rulebook readings` tells them."
        yield from to_paste(book, (), {id_: (choice, "bench") for id_, choice in proposals(book).items()})
        return
    asked = open_at(elect(book, {}), wanted.offered)
    yield f"# The document leaves {len(asked)} questions open at this table. For each, take the # off its last line, choose, and"
    yield "# put your name behind `by`. The cautious choice stands there. A table stays closed without answers that move money."
    yield "[elections]"
    day = newest(book)
    yield from [f"questions_as_of = {day}"] if day else []
    for question in asked:
        yield ""
        yield from _question(book, question)


def _question(book: Rulebook, question: Question) -> Iterator[str]:
    yield from _comment(f"{question.id} [{', '.join(question.clauses)}]: {question.problem}")
    yield from _comment(effect(book, question))
    for choice in question.choices:
        mark = "*" if choice.id == question.cautious else "-"
        yield from _comment(f"  {mark} {choice.id}: {choice.says}")
    yield f'# "{question.id}" = {{ choice = "{question.cautious or question.choices[0].id}", by = "" }}'


def _devices(wanted: Wanted, ports: Sequence[str]) -> Iterator[str]:
    if ports and not wanted.bench:
        yield "# Ports of this machine; systemd/60-tablewarden.rules gives each a name under /dev/table that stays:"
        yield from (f"#   {port}" for port in ports)
    if not wanted.kinds:
        yield "# No device: people deal and report everything."
    for kind in wanted.kinds:
        name = f"{kind}-1"
        path, serial = wanted.ports.get(kind, (name if wanted.bench else f"/dev/table/{name}", ""))
        serial = serial or (f"SIM-{name}" if wanted.bench else "")
        yield "[[device]]"
        yield f'name   = "{name}"'
        yield f'kind   = "{kind}"'
        yield f"path   = {dumps(path)}"
        yield f"serial = {dumps(serial)}" if serial else '# serial = ""    # what the device says in its handshake'
        if not wanted.bench:
            yield f'# key_file = "/etc/tablewarden/{name}.key"    # 32 bytes that the device has too; needed in production'
        yield ""


def _record(wanted: Wanted) -> Iterator[str]:
    folder = "" if wanted.bench else "/var/lib/tablewarden/"
    yield "[journal]"
    yield f'path = "{folder}{wanted.table}.journal"'
    if not wanted.bench:
        yield '# key   = "/run/credentials/tablewarden.service/journal-key"    # `tablewarden journal key --new FILE` makes one'
        yield '# vault = "/run/credentials/tablewarden.service/vault-key"      # `tablewarden vault key --new FILE` makes one'
        yield ""
        yield "[retention]"
        yield '# copy = "/media/record/tables"    # a folder on another disk'
        yield "# keep_days = 35"


def _mqtt(wanted: Wanted) -> Iterator[str]:
    off = "" if wanted.broker else "# "
    yield "# Without [mqtt] nothing leaves this machine; events wait in the record."
    yield f"{off}[mqtt]"
    yield f"{off}host = {dumps(wanted.broker or ('127.0.0.1' if wanted.bench else 'broker.example'))}"
    yield f'{off}client_id = "{wanted.table}"    # unique in the whole company'
    if not wanted.bench:
        yield f'{off}ca   = "/etc/tablewarden/broker-ca.pem"'
        yield f'{off}cert = "/etc/tablewarden/table.pem"'
        yield f'{off}key  = "/run/credentials/tablewarden.service/table-key"'


def _control(wanted: Wanted) -> Iterator[str]:
    yield "[control]"
    yield 'socket = "control.sock"' if wanted.bench else 'socket = "/run/tablewarden/control.sock"'
    if wanted.bench:
        for name, role in PEOPLE.items():
            yield from ("", "[[control.people]]", f'name  = "{name}"', f'roles = ["{role}"]')
        return
    yield ""
    yield "# Who may act, one entry a person; `uid` is their login, needed for all but dealers and players."
    yield from (
        "# [[control.people]]",
        '# name  = "sam"',
        '# roles = ["supervisor", "floorperson"]',
        "# uid   = 1001",
    )


def _shufflers(rulebook: Rulebook, method: Method) -> list[DeviceKind]:
    rule, needs = rulebook.devices.get(Method.SHUFFLER), rulebook.dealing[method].needs_shuffler
    may = rule is None or (rule.by_choice is None and rule.value)
    return [DeviceKind.SHUFFLER] if may or (needs is not None and needs.value) else []


def _two_sets(wanted: Wanted) -> bool:
    return wanted.rulebook.decks.second_set.value != "no" and DeviceKind.SHUFFLER in wanted.kinds


def _posted(wanted: Wanted) -> set[str]:
    wagers = wanted.rulebook.wagers.items()
    return {name for name, wager in wagers if wager.placed == "before_deal" and name != "progressive"} & {
        *(name for name, wager in wagers if not wager.optional), *wanted.offered,
    }  # fmt: skip


def _proposed(rulebook: Rulebook) -> dict[str, tuple[str, str]]:
    return {id_: (choice, "bench") for id_, choice in proposals(rulebook).items()}


def _list(words: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def _comment(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent="# ", subsequent_indent="#     ", break_on_hyphens=False)
