"""`tablewarden outbox`: what goes to the broker, as the daemon tells it."""

from pathlib import Path

import click

from controller.cli.arguments import LARGEST
from controller.cli.groups import Sentences
from controller.cli.main import AS_JSON, acting, ask, client, reaching, show
from controller.text.broker_page import outbox_page


@click.group(cls=Sentences)
def outbox() -> None:
    """Show how far events are at the broker, and send parked ones again."""


@outbox.command(name="status")
@reaching
@AS_JSON
def outbox_status(socket: Path | None, config: Path | None, as_json: bool) -> None:
    """Show what the broker has, what waits, and what was set aside and why.

    \b
    Example:
      tablewarden outbox status
    """
    show(ask(client(socket, config), "outbox_status"), outbox_page, as_json)


@outbox.command()
@click.argument("stream", type=click.Choice(["main", "diag"]))
@click.argument("first", type=click.IntRange(1, LARGEST))
@click.option(
    "--last", type=click.IntRange(1, LARGEST), help="The end of a range, itself included.  [default: FIRST]"
)
@acting
@reaching
def release(
    stream: str, first: int, last: int | None, who: str, role: str, socket: Path | None, config: Path | None
) -> None:
    """Send again what was set aside, once the cause is mended: one event, or all of a range.

    \b
    Example:
      tablewarden outbox release main 17 --who tess --role technician
      tablewarden outbox release main 17 --last 240 --who tess --role technician
    """
    if last is not None and last < first:
        raise click.BadParameter(f"{last} comes before {first}", param_hint="--last")
    asked = {"stream": stream, "sequence": first, "who": who, "role": role}
    if last is not None:
        asked["last"] = last
    found = ask(client(socket, config), "outbox_release", **asked)
    through = "" if last is None else f" to {last}: {found['released']} events"
    click.echo(f"{stream} {first}{through}, sent again")
