"""Acts that say many things at once: each is other acts, one after another, with their guards, and recorded as their facts.

This module only lists the acts. `permissions` tries all of them before the first is done, and `decide` does them.
"""

from collections.abc import Iterator

from controller.games.model import Settle, ShowCommunity, ShowDealer, Stage
from controller.games.settling.settled import Outcome
from controller.table.questions.stub_count_and_turns import asking_order, must_qualify
from controller.table.settlement.offer import offer
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

LONGEST_LINE = 400
"""Characters of a line of answers."""
REST = "rest"
PARTLY = (Outcome.WIN, Outcome.LOSE)
"""Outcomes of which a part of the stake can go back."""


def verify_wagers_as_before(setup: Setup, state: State, act: a.WagersAsBefore, actor: Actor) -> Refusal | None:
    """Whether anything is to be placed again."""
    if any(True for _ in _as_before(setup, state)):
        return None
    return Refusal("no wager of the last round can be placed again; place each wager", code="nothing_to_repeat")


def wagers_as_before(setup: Setup, state: State, act: a.WagersAsBefore) -> tuple[a.Act, ...]:
    """Each wager, seat by seat, then the announcement if it is said as well."""
    return (*_as_before(setup, state), *([a.AnnounceNoMoreBets()] if act.close else []))


def _as_before(setup: Setup, state: State) -> Iterator[a.PlaceWager]:
    """Of a seat at which something lies now, somebody has said already what that is. Coupons are used once."""
    rules, now = setup.law.rulebook.wagers, state.playing.seats
    for number, seat in sorted(state.last_round.seats.items() if state.last_round else ()):
        if number not in now or not now[number].wagers:
            for name, wager in seat.wagers.items():
                if name in rules and rules[name].placed == "before_deal" and not rules[name].sensed:
                    yield a.PlaceWager(number, name, wager.cents, wager.player)


def verify_record_decisions(setup: Setup, state: State, act: a.RecordDecisions, actor: Actor) -> Refusal | None:
    """Whether the line can be read, and what it names is there."""
    if isinstance(read := _answers(setup, state, act.line), str):
        return Refusal(f"{read}; a line is like `1 check, 2 play 4, rest fold`", code="line_unreadable")
    if act.show and _shown(setup, state) is None:
        return Refusal(
            "no cards come next, or something is said of them: turn them up alone", code="street_out_of_order"
        )
    return None


def record_decisions(setup: Setup, state: State, act: a.RecordDecisions) -> tuple[a.Act, ...]:
    """Each answer in the order in which players are asked, then the cards that come next if they are turned up as well."""
    read, shown = _answers(setup, state, act.line), _shown(setup, state) if act.show else None
    return (*(read if isinstance(read, list) else ()), *([shown] if shown else []))


def _shown(setup: Setup, state: State) -> a.Act | None:
    """How the cards that come next are turned up, where nobody has to say anything of them."""
    round_, play = state.playing, setup.law.rulebook.play
    match _stage(state).ends:
        case ShowCommunity(street=street):
            return a.RevealCommunity(street)
        case ShowDealer() if not must_qualify(setup, round_.game) and play.dealer_natural is None:
            return a.RevealDealer()
    return None


def _answers(setup: Setup, state: State, line: str) -> list[a.RecordDecision] | str:
    """The answers of a line, or what is wrong with it."""
    waiting, said = asking_order(setup, state.playing)[0], dict[int, a.RecordDecision]()
    if len(line) > LONGEST_LINE:
        return f"a line has at most {LONGEST_LINE} characters"
    for part in line.split(","):
        who, _, words = part.strip().partition(" ")
        decision, _, multiple = words.strip().partition(" ")
        if decision not in tuple(a.Decision) or not (multiple or "0").isdecimal() or len(multiple) > 2:
            return f"`{part.strip()}` is no answer"
        if who != REST and not (who.isdecimal() and len(who) < 3):
            return f"`{who}` is no seat"
        seats = [seat for seat in waiting if seat not in said] if who == REST else [int(who)]
        if any(seat in said for seat in seats):
            return f"seat {who} is said twice"
        said |= {seat: a.RecordDecision(seat, a.Decision(decision), int(multiple or 0)) for seat in seats}
    return sorted(said.values(), key=lambda x: waiting.index(x.seat) if x.seat in waiting else -1)


def _stage(state: State) -> Stage:
    stage = state.playing.game.stage(state.playing.phase)
    assert stage is not None  # players are asked in a stage of the game
    return stage


def verify_count_and_deal(setup: Setup, state: State, act: a.CountAndDeal, actor: Actor) -> Refusal | None:
    """A count that differs is recorded alone: play stops then, and no card goes out."""
    if act.chips == state.playing.chips_accepted:
        return None
    return Refusal(
        f"{state.playing.chips_accepted} chips were accepted, not {act.chips}: record the count alone "
        f"({a.RecordProgressiveCount.kind})",
        code="count_differs",
    )


def count_and_deal(setup: Setup, state: State, act: a.CountAndDeal) -> tuple[a.Act, ...]:
    """The chips are counted, then the cards go out."""
    return a.RecordProgressiveCount(act.chips), a.StartDealing()


def verify_settle_offered(setup: Setup, state: State, act: a.SettleOffered, actor: Actor) -> Refusal | None:
    """Whether the cards tell what each waiting wager comes to."""
    found = offer(setup, state.playing)
    if found is not None and found.lines and found.comes_to() is not None:
        return None
    return Refusal(
        f"the cards do not tell what each wager comes to: record the hands that are missing ({a.RecordHand.kind}), settle each "
        f"wager ({a.SettleWager.kind}), or all as you paid them ({a.SettleRound.kind})",
        code="offer_incomplete",
    )  # fmt: skip


def settle_offered(setup: Setup, state: State, act: a.SettleOffered) -> tuple[a.Act, ...]:
    """Each line of the offer, in the order of the document, then the round."""
    found = offer(setup, state.playing)
    lines = [
        a.SettleWager(x.seat, x.wager, x.outcome, x.paid, x.returned if x.outcome in PARTLY else None, bool(x.coupon), x.holder)
        for x in (found.lines if found else ())
        if x.outcome is not Outcome.NOT_PLACED
    ]  # fmt: skip
    return (*lines, a.SettleRound())


def verify_next_round(setup: Setup, state: State, act: a.NextRound, actor: Actor) -> Refusal | None:
    """Whether the set is one of the table's."""
    if act.back in state.sets:
        return None
    return Refusal(f"no {act.back} set belongs to this table", code="no_such_set")


def next_round(setup: Setup, state: State, act: a.NextRound) -> tuple[a.Act, ...]:
    """What is left of this round, then the betting of the next one."""
    collects = [] if state.playing.collected else [a.CollectCards()]
    return (*_whole(state), *collects, a.EndRound(), a.BeginRound(act.back))


def _whole(state: State) -> list[a.Act]:
    """The round is settled as a whole, where that is what comes now."""
    stage = state.playing.game.stage(state.playing.phase)
    return [a.SettleRound()] if stage is not None and isinstance(stage.ends, Settle) else []
