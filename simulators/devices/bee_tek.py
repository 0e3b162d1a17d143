"""A reading shoe that writes Bee-Tek lines: it never listens, numbers nothing, and forgets what nobody reads.

Its mechanics are those of a reading shoe that speaks TDP/1 (`drivers/lines/bee_tek.py` has the grammar).
"""

from collections.abc import Mapping

from drivers.protocol.reports import ResetCause
from simulators.devices.cards import Witness
from simulators.devices.model import ActImpossible, Done
from simulators.devices.reading_shoe import Key, ReadingShoe
from simulators.scenario.faults import OWN_FAULTS, Fault

MODES = {Key.GAME: "Game", Key.BURN: "Manual Burn Cards", Key.DIAGNOSTIC: "Diagnostic"}
LINE_END = "\r\n"


class BeeTekShoe:
    """The shoe as the simulator runs it: no session, no boot, no acknowledgement."""

    boot = ""
    host_here = False
    acknowledged = 0

    def __init__(self, model: ReadingShoe, log: Witness, *, now: float) -> None:
        self.model = model
        self.is_on = self.is_hung = False
        self.reported = 0
        self._log, self._started_at = log, now
        self._out = bytearray()

    @property
    def counters(self) -> dict[str, int]:
        """How many lines the shoe has written."""
        return {"lines": self.reported}

    def power_on(self, now: float, cause: ResetCause = ResetCause.POWER) -> None:
        """Switches the device on. Raises ActImpossible if it is on."""
        if self.is_on:
            raise ActImpossible("the power is on")
        self.is_on = True
        self._log("power", {"state": "on", "boot": self.boot, "cause": cause.value})
        self.model.power_up(now - self._started_at, cause)

    def power_off(self, now: float) -> None:
        """Cuts the device's power. Raises ActImpossible if it is off."""
        self._powered()
        self.is_on = self.is_hung = False
        self._out.clear()
        self.model.power_down(now - self._started_at)
        self._log("power", {"state": "off", "boot": self.boot, "link": self.counters})

    def reboot(self, now: float, cause: ResetCause) -> None:
        """Cuts the power and switches the device on again, for this cause."""
        self.power_off(now)
        self.power_on(now, cause)

    def hang(self, now: float) -> None:
        """Stops the firmware; the device then neither hears nor answers."""
        self._powered()
        self.is_hung = True
        self._log("link", {"state": "hung"})

    def wake(self, now: float) -> None:
        """Ends a hang of the firmware. Raises ActImpossible if nothing hangs."""
        if not self.is_hung:
            raise ActImpossible("it does not hang")
        self.is_hung = False
        self._log("link", {"state": "awake"})

    def receive(self, data: bytes, now: float) -> None:
        """Ignores the bytes: the shoe does not listen."""

    def tick(self, now: float) -> None:
        """Does nothing: no part of the shoe moves by itself."""

    def next_deadline(self) -> float | None:
        """Returns when `tick` must be called next, in seconds; None: not before something happens."""
        model = self.model
        due = model.faults.next_timed(OWN_FAULTS, model.occasion, model.occasion_since)
        return None if due is None or not self.is_on or self.is_hung else self._started_at + due

    def due_fault(self, now: float) -> Fault | None:
        """Takes the next fault of the link or the power that is due; None if none is."""
        if not self.is_on or self.is_hung:
            return None
        model, time = self.model, now - self._started_at
        return model.faults.take_first(OWN_FAULTS, model.occasion, model.occasion_since, time)

    def arm(self, fault: Fault, now: float) -> bool:
        """Arms a fault; each fault of this shoe waits for its occasion."""
        self.model.faults.arm(fault)
        return False

    def calm(self) -> None:
        """Disarms the faults that have not happened."""
        self.model.faults.disarm()

    def data_to_send(self) -> bytes:
        """Takes the bytes that the port must send now."""
        data = b"" if self.is_hung or not self.is_on else bytes(self._out)
        self._out.clear()
        return data

    def act(self, name: str, given: Mapping[str, object], now: float) -> Done:
        """Does what hands do and logs it, also if it is impossible. `say`: writes a maker's line. Raises
        `ActImpossible`."""
        written = {"name": name, "given": dict(given)}
        try:
            done = Done() if name == "say" else self.model.act(name, given, now - self._started_at)
        except ActImpossible as exc:
            self._log("act", {**written, "ok": False, "error": str(exc)})
            raise
        self._log("act", {**written, "ok": True, "note": done.note})
        if name == "say":
            self._write(str(given.get("text", "")), tells="words")
            return done
        for key, face in self.model.told:
            self._tell(MODES[key], face)
        return done

    def _tell(self, mode: str, face: str) -> None:
        if face:
            self._write(f" [{mode}]<Card:{face[0]}{face[1].upper()}> ", tells="card")
            return
        self._write(f" [{mode}]<{mode}> ", tells="card")
        self._write(f" [{mode}]<Alarm:E3 Card Not Read> ", tells="alarm")

    def _write(self, line: str, *, tells: str) -> None:
        """Writes a line. `tells`: card, alarm or words; the log does not say which card."""
        if self.is_on and not self.is_hung:
            self.reported += 1
            self._log("line", {"number": self.reported, "tells": tells})
            self._out += (line + LINE_END).encode("ascii", "replace")

    def state(self) -> dict[str, object]:
        """Returns the shoe's state for the simulator's socket."""
        link = {"host": False, "hung": self.is_hung, "reported": self.reported, "acknowledged": self.reported}
        return {**self.model.state(), "link": link}

    def _powered(self) -> None:
        if not self.is_on:
            raise ActImpossible("the power is off")
