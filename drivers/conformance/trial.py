"""What every check works with: a bare host at the device's port, and the three results of a check."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum

from drivers.conformance.bare_host import ANSWER_S, BareHost, Heard
from drivers.protocol import messages as m
from drivers.protocol.constants import PING_PERIOD_S, UNACKED_WINDOW
from drivers.protocol.framing import CAUSES, Cause, encode_frame
from drivers.protocol.payloads import decode_levels
from drivers.protocol.records import dataclass
from drivers.protocol.reports import ALLOWED, ENGAGED, INHIBITED, RELEASED, Level, Levels, Mode

QUIET_S = 0.35
"""How long nothing may come where a device has to be silent: its answer to a good frame comes in less."""


class Outcome(StrEnum):
    """The result of one check of a device's conformance."""

    MEETS = "meets"
    FAILS = "fails"
    NOT_TRIED = "not_tried"


class Fails(Exception):
    """The device breaks the clause. The text says what the device did."""


class NotTried(Exception):
    """The clause cannot be tried on this device. The text says why."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `clause`: section of docs/protocol.md, with the item's number in a list. `says`: the check in one
    sentence."""

    clause: str
    says: str
    run: Callable[["Trial"], Awaitable[None]]

    @property
    def name(self) -> str:
        """The check's name: that of its function."""
        return self.run.__name__


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one check. `detail`: what was seen, if the clause is broken or could not be tried."""

    check: Check
    outcome: Outcome
    detail: str = ""


def check(clause: str, says: str) -> Callable[[Callable[["Trial"], Awaitable[None]]], Check]:
    """Makes a check of a coroutine that raises `Fails` or `NotTried`."""
    return lambda run: Check(clause, says, run)


class Trial:
    """One device under test. Every method that asks the device raises `Fails` if no answer comes.

    `person`: tells somebody at the device what to do, and returns False where nobody is there. `image`: its firmware, None =
    nobody has it.
    """

    def __init__(
        self, host: BareHost, person: Callable[[str], Awaitable[bool]], image: bytes | None = None
    ) -> None:
        self.host, self.person, self.image = host, person, image
        self.welcome: m.Welcome | None = None

    async def fresh(self, *, acknowledge: bool = True, **hello: int) -> m.Welcome:
        """Starts a new session and acknowledges all reports so far."""
        welcome = await self.host.greet(ANSWER_S, 3, **hello)
        if welcome is None:
            raise Fails("no WELCOME came for three HELLOs")
        self.welcome = welcome
        await self.ping()
        if acknowledge and welcome.log_last:
            self.host.send(m.EventAck(welcome.boot, welcome.log_last))
        return welcome

    async def ping(self) -> m.Pong:
        """Checks that the device answers in this session."""
        if (echo := await self.host.ping()) is None:
            if trouble := self.host.key_trouble:
                raise NotTried(f"{trouble}: name the right one with --key-file")
            raise Fails("a PING was not echoed")
        return echo[0]

    def frame(self, message: m.Message, seq: int = 0, **header: object) -> bytes:
        """Returns a frame's bytes with both delimiters."""
        return encode_frame(self.host.body(message, seq, **header))

    async def silent(self, why: str, seconds: float = QUIET_S) -> None:
        """Checks for a while that nothing comes but reports, which a device sends by itself."""
        since = self.host.mark
        await self.host.quiet(seconds)
        for heard in self.since(since):
            if not isinstance(heard.frame.message, m.Event):
                raise Fails(f"{type(heard.frame.message).__name__} came where {why}")

    async def live(self, seconds: float) -> None:
        """Waits as a host that is there: it keeps sending PINGs."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while (left := end - loop.time()) > 0:
            await self.ping()
            await self.host.quiet(min(left, PING_PERIOD_S))

    def since(self, mark: int) -> list[Heard]:
        """Returns the frames that came after a mark."""
        return [heard for heard in self.host.heard if heard.number > mark]

    async def dropped(self, send: Callable[[], None], cause: Cause, what: str) -> None:
        """Checks that the device drops what `send` wrote: no answer, counted as `cause`, and the next frame is
        taken."""
        before = (await self.ping()).dropped
        send()
        await self.silent(f"{what} must be dropped in silence")
        after = (await self.ping()).dropped
        counted = [c for c, then, now in zip(CAUSES, before, after, strict=True) if now > then]
        if cause not in counted:
            told = ", ".join(c.value for c in counted) or "nothing"
            raise Fails(f"{what} was not counted as {cause.value} (counted: {told})")

    async def levels(self) -> tuple[Levels, bytes]:
        """Returns the device's levels and their bytes."""
        answer = await self.host.ask(m.Request(m.GetLevels()), m.Response)
        if answer is None or answer.levels is None:
            raise Fails("a read of the levels was not answered with levels")
        return decode_levels(answer.levels), answer.levels

    async def set(self, level: Level, value: str, operation: int | None = None) -> m.Response | m.Error:
        """Asks for a level under a new number and returns the answer."""
        seq, since = self.host.next_seq(), self.host.mark
        wish = m.Request(m.SetLevel(level, value, self.operation() if operation is None else operation))
        self.host.send(wish, seq)
        return await self.answer(seq, since)

    async def answer(self, seq: int, since: int) -> m.Response | m.Error:
        """Returns the RSP or ERR with this number from the control channel."""
        found = await self.host.wait(m.Response, since, ANSWER_S / 2, lambda h: h.frame.seq == seq)
        if found is not None:
            return found[1]
        refused = await self.host.wait(m.Error, since, ANSWER_S / 2, lambda h: h.frame.seq == seq)
        if refused is None:
            raise Fails(f"request {seq} was not answered within {ANSWER_S:g} s")
        return refused[1]

    def operation(self) -> int:
        """Returns a new operation number for a command."""
        return int.from_bytes(self.host.entropy(8), "little")

    async def latch(self) -> tuple[Level, str, str]:
        """Returns a level of this device that has a safe side, its safe value and its other value."""
        levels, _ = await self.levels()
        if levels.lockout is not None:
            return Level.LOCKOUT, ENGAGED, RELEASED
        if levels.dispensing is not None:
            return Level.DISPENSING, INHIBITED, ALLOWED
        raise NotTried("the device has neither a lock-out nor dispensing")

    async def movable(self) -> tuple[Level, str, str]:
        """Returns a level whose changes are reported, and two values of it."""
        levels, _ = await self.levels()
        if levels.lockout is None and levels.dispensing is None and levels.mode is not None:
            return Level.MODE, Mode.SHUFFLE.value, Mode.COUNT.value
        return await self.latch()

    def value_of(self, levels: Levels, level: Level) -> str:
        """Returns the present value of a level, in the words of a command."""
        found: str | None = getattr(levels, level.value)
        return found or ""

    async def reports(self, count: int) -> None:
        """Makes the device send this many reports, by moving a level to and fro."""
        level, one, other = await self.movable()
        for _ in range(count):
            levels, _ = await self.levels()
            wanted = other if self.value_of(levels, level) == one else one
            if not isinstance(answer := await self.set(level, wanted), m.Response):
                raise NotTried(f"{level.value} does not become {wanted}: {answer.text or answer.code}")

    def events(self, since: int) -> list[Heard]:
        """Returns the EVENTs of this session that came after a mark."""
        session = self.host.session
        return [h for h in self.since(since) if isinstance(h.frame.message, m.Event) and h.session == session]

    async def open_window(self) -> int:
        """Makes the device hold more open reports than a window; returns the mark from before."""
        since = self.host.mark
        await self.reports(UNACKED_WINDOW + 4)
        return since


def counter_of(heard: Heard) -> int:
    """Returns the counter of an EVENT."""
    message = heard.frame.message
    assert isinstance(message, m.Event)
    return message.record.counter
