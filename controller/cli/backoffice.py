"""`tablewarden backoffice`: the consumer of what tables publish. It reaches tables through the broker alone."""

import signal
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

import click

from controller.backoffice.store.batch import Occupied, Store, StoreAway
from controller.backoffice.store.database import database, store
from controller.backoffice.store.schema import SchemaUnknown
from controller.backoffice.store.upkeep import KEPT_DAYS, Alarm, acknowledge, alarms, prune
from controller.cli.arguments import A_FILE, LARGEST
from controller.cli.groups import Sentences
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.cli.store.home_assistant import home_assistant
from controller.cli.store.metrics import metrics
from controller.cli.store.report import report
from controller.cli.store.verify import verify
from controller.publish.topics import verify_level

RESTART_S = 5.0
"""How long a start waits for the lock of a recorder that has just ended."""

STORE = click.option(
    "--to",
    "url",
    required=True,
    envvar="TABLEWARDEN_STORE",
    metavar="sqlite:FILE|postgresql://...",
    help="The store.",
)


@click.group(cls=Sentences)
def backoffice() -> None:
    """Keep what the tables publish, prove it, report it, and tell what is missing.

    \b
    Example:
      tablewarden backoffice record --from mqtt://127.0.0.1 --to sqlite:events.sqlite
    """


@backoffice.command()
@click.option("--from", "broker", required=True, envvar="TABLEWARDEN_BROKER", metavar="mqtt[s]://HOST[:PORT]")
@STORE
@click.option("--name", default="recorder", show_default=True, help="Of this consumer: ack/NAME, rpl/NAME.")
@click.option(
    "--shares",
    type=click.IntRange(1, 1_000),
    default=1,
    show_default=True,
    help="How many recorders by this name share the tables. Each takes a share that is free.",
)
@click.option("--standby", is_flag=True, help="Wait until a share is free, instead of ending.")
@click.option("--ca", type=A_FILE, help="Certificates that the broker's must be signed by.")
@click.option("--certificate", type=A_FILE, help="Of this recorder.")
@click.option("--key", type=A_FILE, help="Of the certificate.")
@click.option("--password", envvar="TABLEWARDEN_BROKER_PASSWORD", help="Better by the environment.")
@click.option("--old-mqtt", is_flag=True, help="Speak MQTT 3.1.1 instead of 5.")
def record(
    broker: str,
    url: str,
    name: str,
    shares: int,
    standby: bool,
    ca: str | None,
    certificate: str | None,
    key: str | None,
    password: str | None,
    old_mqtt: bool,
) -> None:
    """Store each event of all tables, acknowledge it, confirm it; ask again for what is missing. Until stopped.

    \b
    Example:
      tablewarden backoffice record --from mqtt://127.0.0.1 --to sqlite:house.db
      tablewarden backoffice record --from mqtts://broker.example --to postgresql:///house --shares 3 --standby
    """
    from controller.backoffice.intake import Broker, Intake
    from controller.backoffice.recorder import Recorder, Superseded
    from controller.log import LogFormat, LogLevel, configure

    stopped: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: stopped.append(number))
    configure(LogFormat.AUTO, LogLevel.INFO, cache=True)
    try:
        paths = {"ca": ca, "certificate": certificate, "key": key}
        where = Broker.of(
            broker, password=password, is_old=old_mqtt, **{k: v and str(v) for k, v in paths.items()}
        )
        verify_level(name, "--name")
        made, share = _share(url, name, shares, standby, lambda: bool(stopped))
        if made is None:
            return
        client = name if shares == 1 else f"{name}-{share}of{shares}"
        recorder = Recorder(lambda filters: Intake(where, client, filters), made, name, share, shares)
        click.echo(f"{client} records from {where.host}:{where.port} since now", err=True)
        recorder.run(lambda: bool(stopped))
    except (ValueError, SchemaUnknown, Occupied, Superseded) as exc:
        end(str(exc), WRONG)
    except StoreAway as exc:
        end(f"the store: {exc}", UNREACHABLE)
    counted = recorder.counters
    click.echo(
        f"{counted.stored} events stored, {counted.repeats} repeats, {counted.refused} messages refused", err=True
    )


def _share(
    url: str, name: str, shares: int, standby: bool, is_stopped: Callable[[], bool]
) -> tuple[Store | None, int]:
    """Returns an open store with the lock of the first share that is free. `None` if stopped before. Raises Occupied."""
    until = time.monotonic() + RESTART_S
    while not is_stopped():
        occupied: list[str] = []
        for share in range(1, shares + 1):
            made = store(url, name, share, shares)
            try:
                made.open()
                return made, share
            except Occupied as exc:
                made.close()
                occupied.append(str(exc))
        if not standby and time.monotonic() > until:
            raise Occupied(
                "\n".join(occupied) + "\ngive this one another --name, or --standby to wait until one ends"
            )
        time.sleep(0.5)
    return None, 0


@backoffice.command(name="alarms")
@STORE
@click.option("--all", "is_all", is_flag=True, help="Closed ones, too.")
@click.option("--ack", "number", type=click.IntRange(1, LARGEST), help="Acknowledge the alarm with this number.")
@click.option("--who", envvar="TABLEWARDEN_WHO", help="Who acknowledges, by name.")
@AS_JSON
def show_alarms(url: str, is_all: bool, number: int | None, who: str | None, as_json: bool) -> None:
    """Show what is missing or wrong and not closed yet; exit code 1 if there is anything. Or acknowledge one.

    An alarm is closed when a person has acknowledged it and, where it can end by itself, when it has ended.

    \b
    Example:
      tablewarden backoffice alarms --to sqlite:house.db
      tablewarden backoffice alarms --to sqlite:house.db --ack 17 --who ada
    """
    if (number is None) != (who is None):
        raise click.UsageError("--ack and --who belong together")
    try:
        with database(url) as db:
            if number is not None and who is not None:
                if not acknowledge(db, number, who):
                    end(f"there is no alarm {number}, or somebody has acknowledged it", WRONG)
                click.echo(f"alarm {number} acknowledged by {who}")
                return
            found = alarms(db, is_all=is_all)
    except (ValueError, StoreAway) as exc:
        _fail(exc)
    show([each._asdict() for each in found] if as_json else found, _page, as_json)
    if any(each.closed is None for each in found):
        raise SystemExit(WRONG)


def _page(found: Sequence[Alarm]) -> Iterable[str]:
    for each in found:
        life = [
            ("asked", each.asked),
            ("ended", each.filled),
            ("seen", each.acknowledged),
            ("closed", each.closed),
        ]
        steps = ", ".join(f"{word} {at}" for word, at in life if at)
        by = f" by {each.acknowledged_by}" if each.acknowledged_by else ""
        yield f"{each.id:>6}  {each.opened}  {each.source}  {each.code}: {each.detail}"
        if steps:
            yield f"        {steps}{by}"
    if not found:
        yield "no alarms"


@backoffice.command(name="prune")
@STORE
@click.option("--main-days", type=click.IntRange(1), default=KEPT_DAYS["main"], show_default=True)
@click.option("--diag-days", type=click.IntRange(1), default=KEPT_DAYS["diag"], show_default=True)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
def prune_days(url: str, main_days: int, diag_days: int, dry_run: bool) -> None:
    """Take out whole days of events that are old enough. Alarms and checkpoints stay.

    \b
    Example:
      tablewarden backoffice prune --to sqlite:house.db --diag-days 28 --dry-run
    """
    try:
        with database(url) as db:
            found = prune(db, {"main": main_days, "diag": diag_days}, is_only_asked=dry_run)
    except (ValueError, StoreAway) as exc:
        _fail(exc)
    for name, day, count in found:
        click.echo(f"{name} {day}: {count} events {'would go' if dry_run else 'gone'}")
    click.echo(f"{sum(count for _, _, count in found)} events")


def _fail(exc: Exception) -> NoReturn:
    end(f"the store: {exc}", UNREACHABLE if isinstance(exc, StoreAway) else WRONG)


for _command in (home_assistant, metrics, report, verify):
    backoffice.add_command(_command)
