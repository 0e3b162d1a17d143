"""The shell of a simulated bus: like that of any device, but with the faults of a bus."""

from .fault_kind import REMOTE_IO
from .faults import WIRE, parse
from .runtime import Simulator
from .script import BUS


class BusSimulator(Simulator):
    """See `Simulator`."""

    @property
    def kind(self) -> str:
        return BUS

    def inject(self, text: str) -> None:
        """Arms a fault written as on the command line. Raises `FaultError`."""
        fault = parse(text, REMOTE_IO)
        if fault.name in WIRE:
            self.port.wire.add(fault)
        else:
            self.device.model.faults.arm(fault)
        self._settle()
