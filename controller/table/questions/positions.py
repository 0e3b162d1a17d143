"""Who sits where: the positions of one player, and where the cards of a hand go that is over."""

from collections.abc import Iterator

from controller.games.model import Decision
from controller.rules.parts import LaidAway
from controller.rules.vocabulary import Area, Settle
from controller.table.state.table import Fate, Round, Setup
from controller.table.words.acts import RecordHand
from controller.table.words.refusal import Refusal

LONGEST_NAME = 64
UNDER, RECORDED = "under_wager", "rack_recorded"
"""Where the cards of a folded hand stay: under a wager that they decide, or in sight until they were recorded."""
OF_OTHERS = {"cover_all": Settle.FOLDED_HAND, "progressive": Settle.ENVY_FOLDED}
"""By wagers that the hand of another seat may decide: the point by which a folded hand counts for them."""


def positions(setup: Setup, round_: Round, player: str, seat: int = 0) -> Refusal | None:
    """Why this player may not have wagers at these positions, `seat` among them. Clause: `[table] positions, adjacent`."""
    law = setup.law.rulebook
    placed = {n for n, at in round_.seats.items() if any(w.player == player for w in at.wagers.values())}
    seats = sorted(placed | ({seat} if seat else set()))
    where = ", ".join(map(str, seats))
    if len(seats) > law.positions.value:
        return Refusal(
            f"{player} has wagers at seats {where}: a player has {law.positions.value} here",
            law.positions.cite,
            code="too_many_positions",
        )
    apart = bool(seats) and seats[-1] - seats[0] >= len(seats)
    if apart and law.adjacent is not None and law.adjacent.value:
        return Refusal(
            f"{player} has wagers at seats {where}: a player's positions lie side by side",
            law.adjacent.cite,
            code="positions_apart",
        )
    return None


def players(round_: Round) -> set[str]:
    """The players who are known by name or number."""
    return {w.player for seat in round_.seats.values() for w in seat.wagers.values()} - {""}


def unnamed(round_: Round) -> list[int]:
    """Seats in play of which nobody said who plays there."""
    return [n for n, seat in round_.in_play.items() if not any(w.player for w in seat.wagers.values())]


def laid_away(setup: Setup, round_: Round, seat: int, decision: Decision) -> LaidAway | None:
    """Where the cards of this seat go once its player has answered so; None where the hand plays on. Clause: `[[laid_away]]`."""
    law = setup.law.rulebook
    lies = {name for name, w in round_.seats[seat].wagers.items() if w.fate in (Fate.LIVE, Fate.STANDS)}
    rules = (rule for rule in law.laid_away if rule.after == decision)
    rule = next((rule for rule in rules if rule.beside is None or rule.beside in lies), None)
    if rule is None or rule.to == UNDER or decision is not Decision.FOLD:
        return rule
    return _for_own(setup, rule, lies) or _for_others(setup, round_, seat, rule) or rule


def _for_own(setup: Setup, rule: LaidAway, lies: set[str]) -> LaidAway | None:
    """Where the cards go that decide another wager of their player. Clause: `[play] folded_decides`, `folded_cards`."""
    play, rest = setup.law.rulebook.play, setup.law.rulebook.settlement.get(Settle.FOLDED_REST)
    if play.folded_decides is None or play.folded_cards is None or rest is None or rest.value != "settled":
        return None
    to, read = setup.law.decided(play.folded_cards), play.folded_cards
    beside = next((name for name in play.folded_decides.value if name in lies), None)
    if beside is None or to is None:
        return None
    return LaidAway(rule.after, to, read.cite, beside if to == UNDER else None, read.reading)


def _for_others(setup: Setup, round_: Round, seat: int, rule: LaidAway) -> LaidAway | None:
    """Where the cards go that may decide a wager of the table, or of another player. Clause: `[play] folded_others`."""
    law, read = setup.law.rulebook, setup.law.rulebook.play.folded_others_cards
    if read is None or law.play.folded_others is None or setup.law.decided(read) != RECORDED:
        return None
    for name in law.play.folded_others.value:
        point = law.settlement.get(OF_OTHERS[name])
        if point is None or point.value == "does_not_count":
            continue
        placed = {n for n, wager, _ in round_.wagers(Fate.LIVE, Fate.STANDS) if wager == name}
        if placed - ({seat} if point is law.settlement.get(Settle.ENVY_FOLDED) else set()):
            return LaidAway(rule.after, RECORDED, read.cite, None, read.reading)
    return None


def folded_unread(setup: Setup, round_: Round) -> Iterator[tuple[int, LaidAway]]:
    """Seats whose folded cards are to be recorded before they go to the rack, and were not. Clause: `[play] folded_cards`,
    `folded_others_cards`."""
    for seat, at in round_.seats.items():
        laid = laid_away(setup, round_, seat, Decision.FOLD) if at.folded and not at.void else None
        if laid is not None and laid.to == RECORDED and (Area.PLAYER, seat) not in round_.seen:
            yield seat, laid


def unread_before_rack(setup: Setup, round_: Round) -> Refusal | None:
    """Why the dealer's hand waits: the cards of a folded hand that may decide a wager were not recorded."""
    for seat, laid in folded_unread(setup, round_):
        told = f"first record the folded cards of seat {seat} ({RecordHand.kind}), then place them in the rack"
        return Refusal(told, laid.cite, code="folded_hand_unrecorded")
    return None
