"""What goes on at the table while a fault lasts, and what has to be done before it may."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from controller.daemon.engine import refusal
from controller.rules.vocabulary import Role
from controller.table.questions.deal_plan import first_deal
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from simulators.devices.model import ActImpossible
from tests.faults.machine import Device
from tests.faults.rig import Rig

HAND_S = 0.3
"""How long hands take for one thing."""

Step = Callable[[Rig, Device], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Drive:
    """`prepare`: brings the table into the state in which the fault comes. `go_on`: what people do while it lasts."""

    prepare: Step
    go_on: Step


async def betting(rig: Rig, device: Device) -> None:
    """A round in which wagers are taken and the lock-out is released."""
    await rig.open_betting()


async def before_play(rig: Rig, device: Device) -> None:
    """No round, and nobody has opened the table."""


async def dealing(rig: Rig, device: Device) -> None:
    """Bets are closed, a set lies in the shoe, and the dealer may let the cards out."""
    await rig.open_betting()
    await rig.act(a.AnnounceNoMoreBets())
    lock = rig.devices["progressive-1"]
    await rig.until(lambda: lock.state("lockout") == "engaged", "the lock-out is engaged")
    await rig.act(a.RecordCut("red", cards=20))
    shoe = rig.devices["shoe-1"].simulator
    shoe.act("bring_deck", {"back": "red"})
    shoe.act("wash", {"back": "red"})
    round_ = rig.engine.state.round
    assert round_ is not None
    shoe.act("plan", {"plan": [stack.cards for stack in first_deal(rig.setup, round_)]})


async def nothing(rig: Rig, device: Device) -> None:
    """Nobody touches anything."""


async def chips(rig: Rig, device: Device) -> None:
    """Players put chips down and lift them while the lock-out is released."""
    unit = rig.devices["progressive-1"].simulator
    turn = 0
    while True:
        if unit.state()["lockout"] == "released":
            with contextlib.suppress(ActImpossible):  # it lies there already, or nobody is at home
                unit.act("put_chip" if turn // 3 % 2 == 0 else "lift_chip", {"seat": turn % 3 + 1})
            turn += 1
        await asyncio.sleep(HAND_S)


async def presses(rig: Rig, device: Device) -> None:
    """Somebody presses the device's button again and again."""
    while True:
        with contextlib.suppress(ActImpossible):
            device.press()
        await asyncio.sleep(HAND_S)


async def releases(rig: Rig, device: Device) -> None:
    """The dealer locks by the button and releases again, each second: commands go out."""
    unit = rig.devices["progressive-1"].simulator
    while True:
        with contextlib.suppress(ActImpossible):
            if unit.state()["lockout"] == "released":
                unit.act("lockout", {})
        await asyncio.sleep(HAND_S)
        await rig.engine.act(a.ReleaseLockout(), Actor("dealer", Role.DEALER))  # it may be refused
        await asyncio.sleep(HAND_S)


async def one_release(rig: Rig, device: Device) -> None:
    """The dealer locks by the button and releases again, once."""
    rig.devices["progressive-1"].simulator.act("lockout", {})
    await asyncio.sleep(HAND_S)
    await rig.act(a.ReleaseLockout())


async def deal(rig: Rig, device: Device) -> None:
    """The dealer loads the shoe, lets the cards out, and takes each stack as it comes."""
    shoe = rig.devices["shoe-1"].simulator
    shoe.act("load", {"back": "red"})
    await asyncio.sleep(HAND_S)
    refused = refusal(told.fact for told in await rig.engine.act(a.StartDealing(), Actor("dealer", Role.DEALER)))
    assert refused is None, refused
    await rig.until(lambda: shoe.state()["dispensing"] == "allowed", "cards may come")
    shoe.act("green", {})
    while True:
        await asyncio.sleep(HAND_S)
        with contextlib.suppress(ActImpossible):
            shoe.act("take", {})


async def deals(rig: Rig, device: Device) -> None:
    """As `deal`, by a dealer who asks again until it is allowed, and who bears it where it never is."""
    shoe = rig.devices["shoe-1"].simulator
    while True:
        await asyncio.sleep(HAND_S)
        if rig.devices["shoe-1"].state("dispensing") != "allowed":
            await rig.engine.act(a.StartDealing(), Actor("dealer", Role.DEALER))
        for act, given in (("load", {"back": "red"}), ("green", {}), ("take", {})):
            with contextlib.suppress(ActImpossible):
                shoe.act(act, given)


async def loaded(rig: Rig, device: Device) -> None:
    """A round in which wagers are taken, and a set in the shoe from which hands deal."""
    await rig.open_betting()
    shoe = rig.devices["shoe-1"].simulator
    shoe.act("bring_deck", {"back": "red"})
    shoe.act("load", {"back": "red"})


async def draws(rig: Rig, device: Device) -> None:
    """The dealer draws card after card."""
    while True:
        with contextlib.suppress(ActImpossible):
            device.simulator.act("draw", {"cards": 1})
        await asyncio.sleep(HAND_S)


async def shuffle(rig: Rig, device: Device) -> None:
    """The dealer has the blue set shuffled while the red one is in play."""
    machine = rig.devices["shuffler-1"].simulator
    machine.act("load", {"back": "blue"})
    machine.act("green", {})
    await nothing(rig, device)


DRIVES: dict[str, Drive] = {
    "chips": Drive(betting, chips),
    "idle": Drive(before_play, nothing),
    "betting": Drive(betting, nothing),
    "presses": Drive(betting, presses),
    "releases": Drive(betting, releases),
    "one_release": Drive(betting, one_release),
    "deal": Drive(dealing, deal),
    "deals": Drive(dealing, deals),
    "shuffle": Drive(betting, shuffle),
    "draws": Drive(loaded, draws),
}
