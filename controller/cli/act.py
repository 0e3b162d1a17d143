"""`tablewarden act`: what a person does at the table."""

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import to_builtins

from controller.cli.main import AS_JSON, acting, ask, client, reaching, show
from controller.control.desk import Refused
from controller.control.typed import MONEY, typed_act
from controller.text.status_page import event_line


def _list_acts(ctx: click.Context, parameter: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        from controller.text.act_list import act_lines  # the registry of acts; an act itself needs none of it

        click.echo("\n".join(act_lines(MONEY)))
        ctx.exit()


@click.command()
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_acts,
    help="List the acts with role and sentence.",
)
@click.argument("name")
@click.argument("arguments", metavar="[KEY=VALUE]...", nargs=-1)
@acting
@reaching
@AS_JSON
def act(
    name: str,
    arguments: Sequence[str],
    who: str,
    role: str,
    socket: Path | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Do something at the table, as a person in a role. Prints what followed, once it is on record.

    Amounts are typed as amount=10.00. --list names each act with its role and its arguments.

    \b
    Example:
      tablewarden act --list
      tablewarden act begin_round back=red --who ada --role dealer
      tablewarden act place_wager seat=3 wager=ante amount=10.00 --who ada --role dealer
      tablewarden act confirm_duty duty=d3 --who flora --role floorperson
    """
    pairs = [argument.partition("=") for argument in arguments]
    if wrong := [argument for argument, (_, sign, _) in zip(arguments, pairs, strict=True) if not sign]:
        raise click.UsageError(f"{wrong[0]!r} is not KEY=VALUE, as in back=red")
    keys = [key for key, _, _ in pairs]
    if twice := [key for number, key in enumerate(keys) if key in keys[:number]]:
        raise click.UsageError(f"{twice[0]!r} is given twice; say it once")
    try:
        made, notices = typed_act(name, {key: value for key, _, value in pairs})
    except Refused as exc:
        raise click.UsageError(exc.reason) from exc
    for notice in notices:
        click.echo(notice, err=True)
    args = to_builtins(made)
    told = ask(client(socket, config), "act", act=name, args=args, who=who, role=role)["facts"]
    show(told, lambda facts: map(event_line, facts), as_json)
