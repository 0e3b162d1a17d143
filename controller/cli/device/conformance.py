"""`tablewarden device conformance`: does a device keep docs/protocol.md? Clause by clause, on a bench."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from controller.cli.arguments import A_FILE
from controller.cli.device.recording import BAUD, KEY_FILE, PORT
from controller.cli.main import AS_JSON, UNREACHABLE, WRONG, end, show
from controller.devices.port import PortTrouble, on_port
from drivers.conformance.bare_host import BareHost
from drivers.conformance.run import CHECKS, run_checks
from drivers.conformance.trial import Check, Outcome, Result
from drivers.protocol.texts import plain

MARKS = {Outcome.MEETS: "meets", Outcome.FAILS: "FAILS", Outcome.NOT_TRIED: "left out"}

WARNING = (
    "This moves the device's levels: its lock-out is released, or dispensing is allowed, and its reports are acknowledged. "
    "It must stand on a bench. Go on?"
)


@click.command(short_help="Try a device against the protocol, on a bench.")
@PORT
@click.option("--clause", "clauses", multiple=True, help="Only this clause or section; may be repeated.")
@click.option("--with-reboot", is_flag=True, help="Somebody is there who switches it off and on when asked to.")
@click.option("--yes", is_flag=True, help="The device stands on a bench; do not ask.")
@KEY_FILE
@click.option("--image", type=A_FILE, help="The image of its firmware, to hold MEASURE against; needs --key-file.")
@BAUD
@AS_JSON
def conformance(
    port: str,
    clauses: Sequence[str],
    with_reboot: bool,
    yes: bool,
    key_file: Path | None,
    image: Path | None,
    baud: int,
    as_json: bool,
) -> None:
    """Try a TDP/1 device against docs/protocol.md, clause by clause. On a bench only: it moves the device's levels.

    Takes about a minute. Exit code 1 if a clause is not met. docs/conformance.md says what each check does.

    \b
    Example:
      tablewarden device conformance /dev/ttyUSB0 --yes
      tablewarden device conformance /dev/ttyUSB0 --yes --key-file bench.key --image firmware.bin
      tablewarden device conformance /dev/ttyUSB0 --yes --clause 6.3 --clause "6.2(3)"
    """
    checks, firmware = _chosen(clauses), _firmware(image, key_file)
    if not yes:
        if as_json:
            raise click.UsageError("--json asks nothing, so it needs --yes")
        try:
            click.confirm(WARNING, abort=True, err=True)
        except click.Abort:  # its exit code would say that a clause is not met
            raise click.UsageError("nothing was tried; --yes says that the device stands on a bench") from None

    async def work(host: BareHost) -> list[Result]:
        async def person(wish: str) -> bool:
            if with_reboot:
                click.echo(f"NOW: {wish}", err=True)
            return with_reboot

        def on_result(result: Result) -> None:
            if not as_json:
                click.echo("\n".join(_lines(_document(result))))

        return await run_checks(host, on_result, person=person, image=firmware, checks=checks)

    try:
        results = on_port(port, baud, work, key_file=key_file)
    except PortTrouble as exc:
        end(str(exc), UNREACHABLE)
    told = {
        "port": port,
        "results": [_document(result) for result in results],
        **{outcome.value: sum(r.outcome is outcome for r in results) for outcome in Outcome},
    }
    show(told, _summary, as_json)
    sys.exit(WRONG if told["fails"] else 0)


def _chosen(clauses: Sequence[str]) -> tuple[Check, ...]:
    """The checks of these clauses; a section stands for all its items."""
    if not clauses:
        return CHECKS
    known = {check.clause for check in CHECKS} | {check.clause.partition("(")[0] for check in CHECKS}
    for clause in clauses:
        if clause not in known:
            raise click.UsageError(f"no check of clause {clause!r}; there are {', '.join(sorted(known))}")
    return tuple(c for c in CHECKS if c.clause in clauses or c.clause.partition("(")[0] in clauses)


def _firmware(image: Path | None, key_file: Path | None) -> bytes | None:
    if image is None:
        return None
    if key_file is None:
        raise click.UsageError("--image needs --key-file: only a device with a key can be measured")
    if not (firmware := image.read_bytes()):
        raise click.UsageError(f"{image} is empty")
    return firmware


def _document(result: Result) -> dict[str, Any]:
    return {
        "clause": result.check.clause,
        "check": result.check.name,
        "says": result.check.says,
        "outcome": result.outcome.value,
        "detail": plain(result.detail),
    }


def _lines(told: dict[str, Any]) -> list[str]:
    line = f"{MARKS[Outcome(told['outcome'])]:9}{told['clause']:8}{told['says']}"
    return [line, *([f"{'':17}-> {told['detail']}"] if told["detail"] else [])]


def _summary(told: dict[str, Any]) -> list[str]:
    met, failed, left = told["meets"], told["fails"], told["not_tried"]
    lines = ["", f"{told['port']}: {met} checks met, {failed} failed, {left} left out"]
    if failed:
        clauses = sorted({r["clause"] for r in told["results"] if r["outcome"] == Outcome.FAILS})
        return [*lines, f"NOT CONFORMING: clauses {', '.join(clauses)} of docs/protocol.md"]
    return [*lines, "no clause that was tried is broken"]
