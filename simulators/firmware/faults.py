"""The faults of a device's firmware by name: commands, boots, log and identity."""

from collections.abc import Mapping

from simulators.scenario.fault_kind import ALL, PROGRESSIVE, FaultKind


def _kind(effect: str, parameters: Mapping[str, str] | None = None) -> FaultKind:
    return FaultKind(effect, ALL, parameters or {})


FIRMWARE_FAULTS: dict[str, FaultKind] = {
    "hang_on_command": _kind(
        "It hangs when the next command comes, before it is done, for `for` s (0: until woken).", {"for": "0"}
    ),
    "no_answer": _kind("It does the next command and never answers it."),
    "not_done": _kind("It says that the next command is done, and does nothing."),
    "done_twice": _kind("It does the next command twice: it opens, shuts and opens, or reports it again."),
    "lock_slow": FaultKind(
        "The next lock-out command is done and answered `by` s late, as a slow relay does.",
        (PROGRESSIVE,),
        {"by": "0.3"},
    ),
    "boot_loop": _kind("It restarts each `every` s, `times` times.", {"every": "2.0", "times": "5"}),
    "boot_kept": _kind("The next boot has the id of the one before."),
    "log_kept": _kind("The log outlives the next restart or power cut."),
    "log_small": _kind("From the next restart on its log holds `reports` reports only.", {"reports": "4"}),
    "log_edited": _kind(
        "The newest report in its log is another one than was written, or the one before it was left_out.",
        {"what": "changed|left_out"},
    ),
    "counter_at": _kind("The reports of the next boot begin at `counter`.", {"counter": "65530"}),
    "identity": _kind(
        "After the next restart it says another `serial` or `firmware`, or `lacks` a capability (none: as it is).",
        {
            "serial": "none|other",
            "firmware": "none|other",
            "lacks": "none|event_log|lockout|dispenses_stacks|chains_log",
        },
    ),
    "key_wrong": _kind("From the next restart on it has another key."),
    "image_swapped": _kind(
        "From now on it runs another image than the one whose hash it told, without a restart."
    ),
    "image_wrong": _kind("From the next restart on it runs another image than the one whose hash it tells."),
    "flood": _kind(
        "It reports that service is due `rate` times a second, for `for` s.", {"rate": "1000", "for": "5"}
    ),
    "chatter": _kind(
        "It reports its safe level again and again, each `every` s, `times` times.",
        {"every": "0.5", "times": "10"},
    ),
}
"""Those without an occasion of their own happen at the next command, restart or moment."""
