"""The shell of a simulated bus: that of any device, with the faults of a bus."""

from simulators.firmware.runtime import Simulator
from simulators.scenario.fault_kind import REMOTE_IO
from simulators.scenario.script import BUS


class BusSimulator(Simulator):
    """Runs a simulated bus in one event loop."""

    @property
    def kind(self) -> str:
        """The kind under which the simulator is started."""
        return BUS

    @property
    def faults_as(self) -> str:
        """The list of faults that can be asked for."""
        return REMOTE_IO
