"""`tablewarden bench --tables N`: the traffic of many tables, to try a back office with."""

import asyncio
import sys
from typing import Any

import click
import msgspec

from controller.cli.main import end

BROKEN, CANNOT_RUN = 1, 3
PROCESSES = 2


def crowd(given: dict[str, Any], *, as_json: bool) -> bool:
    """Takes its own options out of `given`. With --tables it makes the traffic, says what came of it and returns True.

    Exit code 1 where a consumer confirmed, and not all.
    """
    tables, rate, storms, backlog, keys = (
        given.pop(name) for name in ("tables", "rate", "storms", "backlog", "keys")
    )
    if not tables:
        return False
    from simulators.bench.broker import address  # noqa: PLC0415  # only here
    from simulators.crowd.run import CrowdFailed, run, split, write_keys  # noqa: PLC0415
    from simulators.crowd.worker import Orders  # noqa: PLC0415

    at, seconds = address(given["broker"]), given["seconds"]
    if at is None:
        raise click.BadParameter(
            "--tables needs mqtt://host:port, where your consumer listens", param_hint="--broker"
        )
    if not seconds:
        raise click.BadParameter("--tables needs the seconds that it goes on", param_hint="--seconds")
    try:
        told = asyncio.run(run(split(Orders(*at, 0, tables, rate, seconds, storms, backlog), PROCESSES)))
    except CrowdFailed as exc:
        end(f"the crowd cannot run: {exc}", CANNOT_RUN)
    if keys is not None:
        write_keys(told["keys"], keys)
    del told["keys"]
    if as_json:
        click.echo(msgspec.json.encode(told).decode())
    else:
        confirmed = f"{told['unconfirmed']} not confirmed" if told["is_confirmed"] else "no consumer confirms"
        click.echo(
            f"{told['events']} events of {tables} tables in {told['seconds']:.0f} s, {confirmed}, "
            f"{told['connects']} connections"
        )
    if told["unconfirmed"]:
        sys.exit(BROKEN)
    return True
