"""`python -m tests.codes.page > docs/codes.md`: every stable code as a page for people."""

from collections.abc import Iterator, Mapping

from controller.publish.broker.tls_faults import TLS_FAULTS
from controller.rules.vocabulary import CONFIRMED, Trigger
from controller.text.codes.devices import DEVICES
from controller.text.codes.faults import FAULTS
from controller.text.codes.findings import FINDINGS
from controller.text.codes.holds import ALARMS, HOLDS
from controller.text.codes.office import COMMANDS, CONFIRMATIONS
from controller.text.codes.refusals import REFUSALS
from controller.text.codes.requests import LINES, REQUESTS

HEAD = """# Codes

Each refusal, hold, duty, alarm and fault has a short word that stays the same. Programs compare the code; people read the
text beside it, and that text may change. The page is made by `python -m tests.codes.page > docs/codes.md`.

A code is found: in `error.code` and `error.refusal` of an answer of the control socket ([control.md](control.md)); in `code`
of the facts `input_refused` and `hold_placed`, in the record and on MQTT; in `code` of an error line of `decide` and `settle`;
in `fault_codes` of `check --json`. Records of earlier versions have facts without `code`.
"""
SECTIONS: tuple[tuple[str, str, Mapping[str, tuple[str, str]]], ...] = (
    ("Refused acts", "`refusal` of an answer, `code` of the fact `input_refused`.", REFUSALS),
    (
        "Holds",
        "`code` of the fact `hold_placed`. A hold that a row of the rulebook demands has one of the triggers below.",
        HOLDS,
    ),
    ("Alarms", "`reason` of the fact `security_alarm`; an `auth_...` reason is a fault of a device.", ALARMS),
    ("Requests", "`code` of an answer of the control socket.", REQUESTS),
    (
        "Commands of the back office",
        "`code` of an answer on `rsp/...`, and of the fact `commands_refused`.",
        COMMANDS,
    ),
    ("Confirmations", "`code` of the fact `confirmations_refused`.", CONFIRMATIONS),
    ("Lines", "`code` of an error line of `decide` and `settle`.", LINES),
    (
        "Faults in files",
        "Configurations, rulebooks, elections, lists of firmware and scenarios; `code` in `check --json`.",
        FAULTS,
    ),
    (
        "Findings of a back office",
        "`code` of what it finds in the messages of tables ([mqtt.md](mqtt.md) 4).",
        FINDINGS,
    ),
    (
        "Faults of the broker link",
        "The first word of `reason`, where the broker is not reached: in `outbox status`, and in news of the link.",
        TLS_FAULTS,
    ),
    ("Faults of devices", "`fault` in the health of a device.", DEVICES),
)


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for title, where, codes in SECTIONS:
        lines += [f"## {title}\n", f"{where}\n", *_table(codes)]
    lines += ["## Duties\n", "A duty's code is its `action`; `confirm_duty` closes it.\n"]
    lines += [", ".join(f"`{action}`" for action in sorted(CONFIRMED)) + "\n"]
    lines += ["## Triggers\n", "A row of the rulebook answers a trigger; its hold has the trigger as code.\n"]
    lines += [", ".join(f"`{trigger}`" for trigger in sorted(Trigger))]
    return "\n".join(lines) + "\n"


def _table(codes: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    yield "| code | meaning | what to do |\n|---|---|---|"
    yield from (f"| `{code}` | {meaning} | {remedy} |" for code, (meaning, remedy) in sorted(codes.items()))
    yield ""


if __name__ == "__main__":
    print(page(), end="")
