"""Describes a table: one document for `status`, the retained state topics, and later the panel.

Everything is derived from the state. `next_step` is the sentence for the dealer.
"""

from collections.abc import Mapping
from typing import Any

from controller.daemon.views.meter_documents import meter_documents
from controller.daemon.views.prompts import keeps_set, stage_document, wager_documents
from controller.table.acts.possible import possible
from controller.table.card_sets.cuts import offered_to
from controller.table.questions import burns
from controller.table.questions.counting_shoe import teller
from controller.table.questions.deal_plan import deal_plan
from controller.table.questions.stub_count_and_turns import (
    full_set,
    may_be_dealt_next,
    not_its_turn,
    rounds_without_count,
    sets_take_turns,
    stub_count_waived,
)
from controller.table.settlement.unchecked import unchecked
from controller.table.state.card_set import CardSet
from controller.table.state.device import Device
from controller.table.state.disputes import Alarm, Dispute
from controller.table.state.table import Duty, Hold, LastRound, Round, Setup, State, Wager
from controller.table.words.codec import builtins
from controller.text.instructions import instruction
from controller.text.next_act import next_act
from drivers.events import DeviceKind

Document = dict[str, Any]


def table_document(setup: Setup, state: State) -> Document:
    """Returns the table without its links, record and broker: `state/table` in `docs/mqtt.md`."""
    law = setup.law.rulebook
    return {
        "site": setup.site,
        "table": setup.table,
        "rulebook": {"id": law.id, "edition": law.edition, "sha256": law.sha256},
        "open": state.open,
        "method": state.method.value,
        "held": [_demand("hold", hold) for hold in state.holds.values()],
        "duties": [{**_demand("duty", d), "do": instruction(state, d)} for d in state.duties.values()],
        "round": _round(setup, state, state.round) if state.round else None,
        "rounds": state.rounds,
        "wagers": wager_documents(setup, state.method),
        "keeps_set": keeps_set(setup),
        "sets": {back: _set(setup, state, card_set) for back, card_set in state.sets.items()},
        "stub": {
            "since": rounds_without_count(setup, state, _counted_next(state)),
            "every": law.stub.every_rounds.value if law.stub else None,
            "waived": stub_count_waived(setup, state),
            "full_set": full_set(setup),
        },
        **({"meters": meter_documents(setup, state)} if state.meters else {}),
        "disputes": [_demand("dispute", dispute) for dispute in state.disputes.values()],
        "alarms": [_demand("alarm", alarm) for alarm in state.alarms.values()],
        **_there("last_back", state.last_back),
        "last_round": _last_round(state.last_round),
        "allowed": possible(setup, state),
        "next": next_step(setup, state),
    }


def device_document(name: str, device: Device) -> Document:
    """Returns one device as the core knows it; the session adds its link."""
    liveness = {"liveness": device.liveness} if device.liveness else {}
    return {
        "device": name,
        "kind": device.kind.value,
        "online": device.online,
        "awaited": device.awaited,
        **liveness,
        "serial": device.serial,
        "jammed": device.jammed,
        "out": device.out.value if device.out else None,
        "levels": _levels(device),
        "wanted": dict(device.wanted),
        "capabilities": sorted(c.value for c in device.capabilities),
    }


def _levels(device: Device) -> Document:
    """Returns the levels as last read; null for one whose answer was lost or contradicted."""
    levels: Document = builtins(device.levels)
    return {name: None if name in device.unknown else value for name, value in levels.items()}


def state_documents(setup: Setup, state: State) -> Mapping[str, Document]:
    """Returns the bodies of the retained topics `state/*`: the table, each device, the lock-out."""
    documents = {name: device_document(name, device) for name, device in state.devices.items()}
    documents["table"] = table_document(setup, state)
    progressive = state.device_of(DeviceKind.PROGRESSIVE)
    if progressive is not None:
        name, device = progressive
        documents["lockout"] = {
            "device": name,
            "online": device.online,
            "level": _levels(device).get("lockout") if device.online else None,
            "wanted": device.wanted.get("lockout"),
        }
    return documents


def without_record(reason: str) -> Document:
    """Returns the table's description while its record cannot be written."""
    return {"held": [{"reason": reason, "least_role": "technician"}], "next": f"HELD: {reason}"}


def _there(name: str, value: int | str) -> Document:
    """Returns the value by its name; nothing where there is none."""
    return {name: value} if value else {}


def _demand(name: str, demand: Hold | Duty | Dispute | Alarm) -> Document:
    """Returns a waiting hold or duty under the name that acts use."""
    document: Document = builtins(demand)
    return {name: document.pop("id"), **document}


def _set(setup: Setup, state: State, card_set: CardSet) -> Document:
    out_of_turn = not_its_turn(setup, state, card_set.back)
    alternates = sets_take_turns(state)
    return {
        "present": card_set.present,
        "armed": may_be_dealt_next(setup, state, card_set.back),
        "cycle_complete": card_set.cycle_complete,
        "mode_shuffle": card_set.mode_shuffle,
        "count_right": card_set.count_right,
        "identities_complete": card_set.identities_complete,
        "defects": [defect.value for defect in card_set.defects],
        "in_turn": out_of_turn is None if alternates else None,
        "out_of_turn": out_of_turn,
        "by_hand": card_set.by_hand,
        "since_us": card_set.since.wall_us if card_set.since else None,
        "due": card_set.due,
        "cut_due": card_set.cut_due,
        "mark_due": card_set.mark_due,
        "cut_by": setup.law.rulebook.cut.by.value,
        "cut_offered_to": list(offered_to(setup, state)),
        "gone": card_set.gone,
        "procedure": card_set.procedure.value if card_set.procedure else None,
        "steps": [{"step": s.step.value, "by": s.by.value, "cite": list(s.cite)} for s in card_set.steps],
    }


def _round(setup: Setup, state: State, round_: Round) -> Document:
    return {
        "round": round_.id,
        "number": round_.number,
        "back": round_.back,
        "phase": round_.phase.value,
        "void": round_.void,
        "accepted": sorted([seat, sensor] for seat, sensor in round_.accepted),
        "burn_due": burns.due(setup, state),
        "progressive_counted": round_.progressive_counted,
        "stacks_out": round_.stacks_out,
        "plan": [
            {"to": s.area.value, **_there("seat", s.seat), "cards": s.cards} for s in deal_plan(setup, round_)
        ],
        "cards_out": round_.cards_out,
        "drawn": round_.drawn if teller(state) else None,
        "in_play": list(round_.in_play),
        "stage": stage_document(setup, round_),
        "streets": round_.streets,
        "collected": round_.collected,
        "stub_counted": round_.stub_counted,
        "unchecked": [check.value for check in unchecked(setup, state)],
        "seats": {
            str(number): {
                "wagers": {name: _wager(wager) for name, wager in seat.wagers.items()},
                "coupons": {name: _wager(coupon) for name, coupon in seat.coupons.items()},
                "decided": seat.decided,
                "folded": seat.folded,
                "void": seat.void,
                "asked": seat.asked.value if seat.asked else None,
            }
            for number, seat in round_.seats.items()
        },
    }


def _wager(wager: Wager) -> Document:
    """Returns a wager, and its settlement if it was settled by itself."""
    document: Document = {**_there("cents", wager.cents), "fate": wager.fate.value}
    if wager.outcome is None:
        return document
    settled = {"outcome": wager.outcome.value, "returned": wager.returned, "paid": wager.paid}
    return {**document, **settled, "corrected": wager.corrected}


def _last_round(last: LastRound | None) -> Document | None:
    """Returns the ended round's wagers, so that people can check their settlement."""
    if last is None:
        return None
    seats = {str(n): {name: _wager(w) for name, w in seat.wagers.items()} for n, seat in last.seats.items()}
    return {"round": last.id, "seats": seats}


def _counted_next(state: State) -> str:
    """Returns the back colour of the set whose stub is counted next."""
    return state.round.back if state.round is not None else state.last_back


def next_document(setup: Setup, state: State) -> Document | None:
    """Returns the act that `next` asks for, with its arguments and the least role; None if play waits for something else."""
    found = next_act(setup, state)
    if found.act is None or found.role is None:
        return None
    return {"act": found.act.kind, "args": builtins(found.act), "role": found.role.value}


def next_step(setup: Setup, state: State) -> str:
    """Returns one sentence: what stands in the way, or what comes next."""
    return next_act(setup, state).says
