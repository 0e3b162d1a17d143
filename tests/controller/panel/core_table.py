"""A control socket before the pure core: whole rounds at a panel without a daemon, a record or a device.

After each act the devices do at once what they were asked for, and report it.
"""

import contextlib
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller.control.desk import Refused
from controller.control.wire import act_from
from controller.daemon.desk import _fact
from controller.daemon.views.offer_document import announced_document, offer_document
from controller.daemon.views.status import device_document, next_document, table_document
from controller.rules.vocabulary import Role
from controller.table.acts.irregularities import reportable
from controller.table.acts.seen import marks
from controller.table.card_sets.time_in_play import change_us
from controller.table.decide import decide, fold
from controller.table.questions.deal_plan import community_left, first_deal, still_in_device
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, Input, Moment, Seen
from drivers import events as e


class CoreTable:
    """Serves one table of `tests/controller/table`. `facts`: of the acts that were done here."""

    def __init__(self, path: Path, table: Any) -> None:
        self.table, self.order, self.facts = table, 0, list[f.Fact]()
        self._lock = threading.RLock()
        self._taken: list[socket.socket] = []
        self._watching: list[Any] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen(64)
        threading.Thread(target=self._serve, daemon=True).start()

    def status(self) -> dict[str, Any]:
        setup, state = self.table.setup, self.table.state
        document = table_document(setup, state)
        for back, card_set in document["sets"].items():
            card_set["change_us"] = change_us(setup, state, back)
        return document | {
            "next_act": next_document(setup, state), "seats": setup.seats, "triggers": reportable(setup),
            "marks": marks(setup, state), "prompts": [], "announce": announced_document(setup, state),
            "offer": offer_document(setup, state), "record": {"ok": True, "journal": "j", "order": self.order},
            "devices": {name: device_document(name, device) for name, device in state.devices.items()}, "broker": {},
        }  # fmt: skip

    def change(self, do: Callable[[Any], object]) -> None:
        """Something happens at the table beside what the panel does."""
        with self._lock:
            do(self.table)
            self.go_on()
            self.order += 1
        self._tell()

    def _serve(self) -> None:
        while True:
            try:
                taken, _ = self._listening.accept()
            except OSError:
                return
            self._taken.append(taken)
            threading.Thread(target=self._talk, args=(taken,), daemon=True).start()

    def _talk(self, taken: socket.socket) -> None:
        with taken, taken.makefile("rwb") as lines:
            for line in lines:
                asked = json.loads(line)
                if asked["do"] == "watch":
                    self._watching.append((asked["id"], lines))
                    continue
                with self._lock:
                    answer = {"ok": True, "result": self.status()} if asked["do"] == "status" else self._act(asked)
                lines.write(json.dumps({"id": asked["id"], **answer}).encode() + b"\n")
                lines.flush()
                if asked["do"] == "act":
                    self._tell()

    def _tell(self) -> None:
        for number, lines in list(self._watching):
            try:
                lines.write(json.dumps({"id": number, "ok": True, "event": {}}).encode() + b"\n")
                lines.flush()
            except (OSError, ValueError):
                self._watching.remove((number, lines))

    def _act(self, asked: dict[str, Any]) -> dict[str, Any]:
        actor = Actor(asked["who"], Role(asked["role"]), "panel", asked["session"])
        try:
            act = act_from(asked["act"], asked["args"])
        except Refused as no:
            return {"ok": False, "error": {"code": "bad_request", "reason": no.reason, "cite": []}}
        seen = Seen(asked["seen"]["order"], asked["seen"]["marks"]) if "seen" in asked else None
        table = self.table
        table.pass_time(1)
        at = Moment(table.time_us, table.mono_ns, table.boot, table.clock)
        facts = decide(table.setup, table.state, Input(at, "table", act, None, actor, seen))
        for fact in facts:
            if isinstance(no := fact.event, f.InputRefused):
                error = {"code": "refused", "reason": no.reason, "cite": list(no.cite), "refusal": no.code}
                return {"ok": False, "error": error}
        if asked["do"] == "act":
            self.facts += facts
            self.order += 1
            table.state = fold(table.state, facts)
            self.go_on()
        return {"ok": True, "result": {"facts": [_fact(fact) for fact in facts]}}

    def go_on(self) -> None:
        """Devices do what is wanted of them."""
        table = self.table
        for name, device in table.state.devices.items():
            match device.wanted.get(e.Level.LOCKOUT), device.levels.lockout:
                case (e.RELEASED, e.ENGAGED):
                    table.put(e.LockoutReleased(e.Cause.COMMAND, 1), name)
                case (e.ENGAGED, e.RELEASED):
                    table.put(e.LockoutEngaged(e.Cause.COMMAND, 1), name)
        name, round_ = table.state.dispenser(), table.state.round
        if name and round_ and table.state.devices[name].wanted.get(e.Level.DISPENSING) == e.ALLOWED:
            self._dispense(name)
        in_play = table.state.round.back if table.state.round else ""
        for back, card_set in table.state.sets.items():
            if back != in_play and card_set.present and not card_set.cycle_complete and card_set.waits is None:
                table.shuffled(back)

    def _dispense(self, name: str) -> None:
        table, back = self.table, e.Back(self.table.round.back)
        plan = first_deal(table.setup, table.round)
        while table.state.round and table.round.stacks_out < len(plan):
            table.stack(table.round.stacks_out + 1)
        if table.round.live and table.round.late_let_out:
            for _ in range(community_left(table.setup, table.round)):
                table.put(e.StackDispensed(back, 1, 1), name)
            if still_in_device(table.setup, table.round):
                table.stack(table.round.stacks_out + 1)

    def close(self) -> None:
        for one in (self._listening, *self._taken):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._listening.close()
