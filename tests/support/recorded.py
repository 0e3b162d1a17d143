"""A table of the pure core whose inputs and facts go into a record as its daemon would write them: sealed, chained, signed."""

from pathlib import Path

from controller.clock import Stamp
from controller.config.load import load_config
from controller.journal.archive.boundary import Boundary, Mark, closed_day, read_boundary
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.seal import Head
from controller.journal.store import Journal
from controller.journal.vault.vault_keys import make_vault
from controller.rules.vocabulary import Area, Role
from controller.table.decide import decide, fold
from controller.table.settlement.offer import offer
from controller.table.state.recorded_setup import setup_told
from controller.table.state.state_json import carried
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import encode, encode_input, stream_of
from controller.table.words.inputs import (
    Actor,
    Body,
    CheckpointSigned,
    Input,
    Moment,
    RecordDayClosed,
    RecordPruned,
    RoundOpened,
    ServiceStarted,
)
from controller.table.words.structs import replace
from drivers import events as e
from tests.controller.table.conftest import Table

CONFIG = Path(__file__).resolve().parents[2] / "config" / "tables" / "example.toml"
BEGINS, ENDS = 1_800_000_100_000_000, 1_800_000_400_000_000
Hands = dict[tuple[Area, int], str]
FLUSH: Hands = {
    (Area.COMMUNITY, 0): "Qs Js Ts 4c 2d", (Area.DEALER, 0): "9d 9h", (Area.PLAYER, 1): "As Ks", (Area.PLAYER, 3): "Jh 3c",
}  # fmt: skip
PLAIN: Hands = {
    (Area.COMMUNITY, 0): "2c 7d 8h 9c Jd", (Area.DEALER, 0): "3c 3d", (Area.PLAYER, 1): "Ad Kd", (Area.PLAYER, 3): "4h 4s",
}  # fmt: skip


class Recorded(Table):
    """`folder`: where record, key and vault lie. `signs`, `seals`: it has a key and a vault, as a table in production."""

    def __init__(self, folder: Path, *, signs: bool = True, seals: bool = True, table: str = "uth-017") -> None:
        super().__init__(replace(load_config(CONFIG).setup(), site="lv01", table=table))
        self.path, self.key = folder / "j", folder / "table.key"
        make_key(self.key)
        self.public = folder / "table.key.pub"
        self.signer = SigningKey.load(self.key) if signs else None
        vault = make_vault(folder / "vault") if seals else None
        self.journal = Journal.open(self.path, site="lv01", table=table, vault=vault)
        book = self.setup.law.rulebook
        self.genesis, _ = self.journal.last()
        self.started = ServiceStarted("0.1.0", book.id, book.edition, book.sha256, setup_told(self.setup))
        self.put(self.started)
        self.checkpoint()

    def put(self, body: Body, subject: str = "table", actor: Actor | None = None) -> list[f.Event]:
        """As the engine records it."""
        self.pass_time(0.25)
        at = Moment(self.time_us, self.mono_ns, self.boot, "synced")
        given, before = Input(at, subject, body, None, actor), self.state
        facts = decide(self.setup, before, given)
        self.state = fold(before, facts)
        round_id = before.round.id if before.round else None
        drafts = []
        for fact in facts:
            round_id = getattr(fact.event, "round", "") or round_id
            drafts.append(
                Draft(Stream(stream_of(fact)), fact.event.kind, 1, fact.subject, round_id, encode(fact.event))
            )
        said = Draft(Stream.INPUT, body.kind, 1, subject, round_id, encode_input(given))
        stamp = Stamp(self.time_us, self.mono_ns, self.boot, "synced")
        self.journal.append([Transaction(stamp, said, None, tuple(drafts))], stamp)
        return self.keep(facts)

    def checkpoint(self) -> None:
        if self.signer is None:
            return
        heads, order = self.journal.last()
        at = Stamp(self.time_us, self.mono_ns, self.boot, "synced")
        name = self.setup.table
        self.put(CheckpointSigned(*signed_statement(self.signer, self.journal.id, "lv01", name, heads, order, at)))

    def tell(self, hands: Hands) -> None:
        for (area, seat), cards in hands.items():
            self.act(a.RecordHand(area, cards, seat=seat), Role.DEALER)

    def settle(self, less: int = 0) -> None:
        """Wager by wager, as it is offered. `less`: cents that are kept back of what is won, and a person lets it stand."""
        offered = offer(self.setup, self.round)
        for line in offered.lines if offered else ():
            paid = max(0, line.paid - less)
            self.act(a.SettleWager(line.seat, line.wager, line.outcome, paid), Role.DEALER)
            for hold in list(self.state.holds):
                self.act(a.ResolveHold(hold, a.Resolution.GO_ON))

    def open_cards(self) -> None:
        """As the rules do once the cards lie in the discard rack."""
        for round_id, keys in self.journal.shut().items():
            self.put(RoundOpened(round_id, tuple(keys), "the cards lie in the discard rack"))

    def round_of(
        self, back: str, hands: Hands = PLAIN, *, is_open: bool = True, whole: bool = False, less: int = 0
    ) -> str:
        """A round of seats 1 and 3 whose cards are told; its id. `whole`: nobody says what each wager came to; `less`: cents
        that each winner gets too little."""
        self.begin(back).let_out().deal().to_showdown()
        name = self.round.id
        self.tell(hands)
        if not whole:
            self.settle(less)
        self.act(a.SettleRound())
        self.act(a.CollectCards())
        if is_open:
            self.open_cards()
        self.act(a.EndRound())
        self.checkpoint()
        self.shuffled(back)
        return name

    def dispute(self, name: str, reason: str = "seat 1 says royal flush, was paid a straight") -> str:
        """Raised by a floorperson, with the pictures of surveillance, looked into and closed; its id."""
        raised = next(
            x
            for x in self.act(a.RaiseDispute(reason, name, 1), Role.FLOORPERSON)
            if isinstance(x, f.DisputeRaised)
        )
        self.act(a.NameBookmark(raised.dispute, "camera 7, 4711", BEGINS, ENDS), Role.FLOORPERSON)
        if raised.hold:
            self.act(a.ResolveHold(raised.hold, a.Resolution.GO_ON))
        self.act(a.CloseDispute(raised.dispute, "a royal flush it was"))
        self.checkpoint()
        return raised.dispute

    def close_day(self) -> Boundary:
        """What was recorded so far is a gaming day, and the next one begins."""
        begin = Mark({stream: Head(*head) for stream, head in self.genesis.items()}, 0)
        at = Stamp(self.time_us, self.mono_ns, self.boot, "synced")
        heads, order = self.journal.last()
        text, signature = closed_day(
            self.signer, self.journal.description, "2026-01-01", begin, Mark(heads, order), at
        )
        self.put(RecordDayClosed("2026-01-01", self.started, carried(self.state), text, signature))
        day = read_boundary(text)
        self.put(RecordPruned(day.order, day.file_name))
        return day

    def alarm(self) -> str:
        self.put(e.AlarmRaised(e.Severity.ALARM, 7, "the cover was opened"), "shoe-1")
        return [*self.state.alarms][-1]


def disputed(folder: Path) -> tuple[Recorded, str]:
    """Three rounds; in the second one seat 1 has a royal flush, which is disputed after the third."""
    table = Recorded(folder)
    table.ready()
    table.round_of("red")
    name = table.round_of("blue", FLUSH)
    table.round_of("red")
    table.dispute(name)
    table.round_of("blue")
    table.journal.close()
    return table, name
