"""The faults of a cable by name: of its bytes, of its timing, and of the frames on it.

All of them begin when they are injected. `dir` in = towards the device. Faults of bytes and of timing last until the
wire is healed; a fault of frames picks each `every`-th frame of its `type` after the first `skip`, `times` times
(0: until the wire is healed). A frame that was changed has a right check again, unless the check is what is wrong.
"""

from collections.abc import Mapping

from simulators.scenario.fault_kind import ALL, FaultKind

_RATE = {"rate": "0.001", "dir": "both|in|out"}
_TIMING = {"dir": "out|in|both"}
TYPES = (
    "any|hello|welcome|request|response|error|event|event_ack|log_read|log_data|log_gone|ping|pong|bye|restarted"
)
"""Frames that a fault can be of, as section 3 of the protocol names them."""


def _kind(effect: str, parameters: Mapping[str, str]) -> FaultKind:
    return FaultKind(effect, ALL, parameters)


def _frames(effect: str, frame_type: str = "any", direction: str = "out|in|both", **more: str) -> FaultKind:
    first, *rest = sorted(TYPES.split("|"), key=lambda name: name != frame_type)
    picked = {"type": "|".join((first, *rest)), "dir": direction, "skip": "0", "every": "1", "times": "1"}
    return FaultKind(effect, ALL, {**picked, **more})


WIRE_FAULTS: dict[str, FaultKind] = {
    # bytes, by chance
    "wire_drop": _kind("Each byte is lost with probability `rate`.", _RATE),
    "wire_corrupt": _kind("Each byte has `bits` bits flipped with probability `rate`.", {**_RATE, "bits": "1"}),
    "wire_double": _kind("Each byte comes twice with probability `rate`.", _RATE),
    "wire_insert": _kind("Before each byte comes a random one with probability `rate`.", _RATE),
    "wire_swap": _kind("Each byte changes places with the next one with probability `rate`.", _RATE),
    "wire_zero": _kind("Each byte becomes 00 with probability `rate`.", _RATE),
    "wire_ones": _kind("Each byte becomes FF with probability `rate`.", _RATE),
    "wire_mark": _kind("Each byte has the mark FF 00 of a parity error before it with probability `rate`.", _RATE),
    "wire_flow": _kind("Before each byte comes XON or XOFF with probability `rate`.", _RATE),
    "wire_undelimit": _kind("Each 00 between frames is lost with probability `rate`.", {**_RATE, "rate": "0.2"}),
    "wire_redelimit": _kind(
        "Each 00 between frames comes twice with probability `rate`.", {**_RATE, "rate": "1.0"}
    ),
    # bytes that nobody sent
    "wire_noise": _kind(
        "`bytes` bytes of `text` come at once: modem commands, the words of a boot loader, the wrong speed.",
        {"text": "baud|modem|boot", "bytes": "300", **_TIMING},
    ),
    "wire_stuck": _kind(
        "The line reads `as` for good: `bytes` of them come for whatever is sent, and nothing else.",
        {"as": "00|ff", "bytes": "1000", **_TIMING},
    ),
    "wire_echo": _kind("What goes to the device comes back to the host as well.", {}),
    "wire_ghosts": _kind("The last 4095 bytes that came from the device come once more, first of all.", {}),
    # bytes at the wrong time
    "wire_gap": _kind(
        "Each frame, or line, stops for `for` s after `bytes` bytes.", {"bytes": "7", "for": "0.2", **_TIMING}
    ),
    "wire_trickle": _kind("Bytes come one at a time, `apart` s apart.", {"apart": "0.001", **_TIMING}),
    "wire_bunch": _kind("Bytes come in bunches, each `every` s.", {"every": "0.016", **_TIMING}),
    "wire_slow": _kind("Only `rate` bytes a second get through.", {"rate": "400.0", **_TIMING}),
    # frames that get lost, or come at the wrong time
    "frame_drop": _frames("The frame is lost."),
    "frame_duplicate": _frames("The frame comes again `after` s later.", after="0.0"),
    "frame_reorder": _frames("The frame comes behind the next one."),
    "frame_delay": _frames("The frame comes `by` s late; others pass it.", by="0.5"),
    "frame_replay": _frames("A frame of its type out of the session before comes first."),
    "frame_mirror": _frames("The frame goes back to where it came from, too.", direction="in|out|both"),
    # frames that are not what they were
    "frame_crc": _frames("The check of the frame is wrong."),
    "frame_mac": _frames("The frame has a seal that nobody made with the key."),
    "frame_session": _frames("The frame is of a session that nobody opened."),
    "frame_truncate": _frames("Only the first `bytes` bytes of the frame come.", bytes="9"),
    "frame_oversize": _frames("The frame is 600 bytes long."),
    "frame_length": _frames("The header says `by` bytes more than there are.", by="3"),
    "frame_type": _frames("The frame has a type that nobody knows."),
    "frame_version": _frames("The frame is of the next major version."),
    "frame_tag": _frames("The frame carries a tagged value that nobody knows.", "welcome"),
    "frame_fragment": _frames("The frame says that another part follows, and none does."),
    "frame_answer": _frames("An answer to a request that nobody made comes with the frame.", "pong"),
    "frame_ack": _frames("The frame acknowledges a request of the future.", "pong"),
    "frame_seq": _frames("The number of the frame is `by` too high.", "response", by="100"),
    "frame_counter": _frames("The counter of a report is off by `by`.", "event", by="1"),
    "frame_reuse": _frames("A second report comes under the same counter.", "event"),
    "frame_log_last": _frames("The log is said to end `by` reports too early.", "welcome", by="5"),
    "frame_error": _frames("The answer is an error of code `code`.", "response", code="999"),
    "frame_restarted": _frames("The device says with the frame that it does not know the session.", "pong"),
    "frame_nonce": _frames("The echo has a nonce that nobody sent.", "pong"),
    "frame_tick": _frames(
        "The device's clock runs `rate` times as fast from now on (0: it stands), after a jump of `jump` s.",
        rate="1.0",
        jump="0.0",
        times="0",
    ),
}
"""Every fault of the cable. A name is either `wire_...`, of bytes, or `frame_...`, of frames."""
