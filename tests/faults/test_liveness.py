"""A shoe that only speaks, at a whole table: whether it is there is on record, told and shown."""

import json
from pathlib import Path
from typing import Any

from controller.daemon.views.status import device_document, table_document
from controller.text.status_page import status_page
from tests.faults.rig import BASE, Rig, table
from tests.faults.virtual import run_virtual


def _last_state(rig: Rig) -> Any:
    told = [d.payload for d in rig.broker.deliveries if d.topic == f"{BASE}/state/shoe-1"]
    return json.loads(told[-1]) if told else {}


def _on_record(rig: Rig) -> list[bool]:
    return [json.loads(r.data)["known"] for r in rig.records() if r.kind == "liveness_changed" and r.cause]


def _page(rig: Rig) -> str:
    state = rig.engine.state
    devices = {"shoe-1": device_document("shoe-1", state.devices["shoe-1"])}
    return "\n".join(status_page({**table_document(rig.setup, state), "devices": devices}))


async def _silent_minute(room: Path) -> None:
    async with table(room, method="manual_shoe", reader="bee-tek") as rig:
        await rig.up()
        shoe = rig.devices["shoe-1"].simulator
        shoe.act("bring_deck", {"back": "red"})
        shoe.act("load", {"back": "red"})
        shoe.act("draw", {"cards": 1})
        await rig.until(lambda: _last_state(rig).get("online"), "it is there")
        await rig.until(rig.settled, "a card was heard of")
        assert "liveness" not in _last_state(rig)
        assert "LIVENESS UNKNOWN" not in _page(rig)
        shoe.hang()
        await rig.until(lambda: _last_state(rig).get("liveness") == "unknown", "a minute of silence", 61.0)
        assert rig.devices["shoe-1"].session.state == "online"
        assert _on_record(rig) == [False]
        assert "LIVENESS UNKNOWN" in _page(rig)
        shoe.wake()
        shoe.act("draw", {"cards": 1})
        await rig.until(lambda: _last_state(rig)["liveness"] == "known", "the next card")
        assert _on_record(rig) == [False, True]
        assert "LIVENESS UNKNOWN" not in _page(rig)


def test_a_minute_of_silence_is_on_record_told_and_shown_and_ends_with_the_next_line(room: Path) -> None:
    """Nobody can tell a shoe at rest from a dead cable, so the daemon does not say that it can."""
    run_virtual(_silent_minute(room))
