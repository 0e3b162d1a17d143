"""What a bad cable does to bytes: loses them, flips a bit, brings them twice; by chance, from a seed."""

from collections.abc import Iterable
from random import Random

from .faults import WIRE, Fault


class Wire:
    """Both directions of one cable. `towards_device`: the host's bytes."""

    def __init__(self, faults: Iterable[Fault], rng: Random) -> None:
        self._rng = rng
        self._rates = {True: dict.fromkeys(WIRE, 0.0), False: dict.fromkeys(WIRE, 0.0)}
        for fault in faults:
            self.add(fault)

    def add(self, fault: Fault) -> None:
        """From now on this happens as well; a rate of 0 ends it."""
        for towards_device in {"in": (True,), "out": (False,), "both": (True, False)}[fault.text("dir")]:
            self._rates[towards_device][fault.name] = fault.real("rate")

    def carry(self, data: bytes, *, towards_device: bool) -> bytes:
        """What arrives of `data` at the other end."""
        rates = self._rates[towards_device]
        if not any(rates.values()):
            return data
        arrived = bytearray()
        for byte in data:
            if self._happens(rates["wire_drop"]):
                continue
            flip = 1 << self._rng.randrange(8) if self._happens(rates["wire_corrupt"]) else 0
            arrived += bytes([byte ^ flip]) * (2 if self._happens(rates["wire_double"]) else 1)
        return bytes(arrived)

    def _happens(self, rate: float) -> bool:
        return rate > 0 and self._rng.random() < rate
