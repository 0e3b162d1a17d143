"""Wagers settled one by one: in the order of the document, each with its outcome and what went back to the player.

Where the cards are known, what was paid is compared with what they make of the wager; otherwise the record says what was paid.
"""

from collections.abc import Sequence

from controller.games.settling.settled import Cut, Line, Outcome, label
from controller.rules.vocabulary import Method, Role, Settle
from controller.table.fold.ruling import Draft
from controller.table.questions import coupons_and_envy, stub
from controller.table.questions.community_due import community_first
from controller.table.questions.counting_shoe import cutting_card_untold
from controller.table.questions.short_hand import short_hand_first
from controller.table.questions.stub_count_and_turns import opened, order_cite
from controller.table.settlement import meters, validation
from controller.table.settlement.offer import offer
from controller.table.settlement.open_points import coupons_left_open, left_open
from controller.table.settlement.pay_table_check import no_row_gives
from controller.table.state.table import Fate, Round, Setup, State, Wager
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

OPEN = (Fate.LIVE, Fate.STANDS, Fate.TO_SETTLE)
OUTCOMES = (Outcome.WIN, Outcome.LOSE, Outcome.PUSH, Outcome.RETURN)
"""How a wager can be settled by people; what is void, held or not placed has its fate from elsewhere."""
BY_PLAYER, BY_STEP = "by_player", "by_step"
MOST_PAID = 10_000_000_000_000
"""No payout is larger: a slip of the keys is refused, and every sum stays exact for any JSON reader."""
IN_ORDER = "settled_in_order"
"""Code of the refusal of a wager that waits for its turn, or for the settlement."""
OF_THE_CENT = (a.Resolution.CENT_TO_PLAYER, a.Resolution.CENT_TO_HOUSE)


def next_to_settle(setup: Setup, round_: Round) -> tuple[int, tuple[str, ...], tuple[str, ...]] | None:
    """Seat whose turn it is, its wagers of the present step, and the clauses; None where the document has no such order.

    A folded hand waits for the conclusion of the round, whenever the dealer comes to it. Clause: `[settlement]`.
    """
    law = setup.law.rulebook
    side, order = law.settlement.get(Settle.FROM), law.settlement.get(Settle.ORDER)
    if side is None or order is None or order.value != BY_PLAYER:
        return None
    lies = [(s, w) for s, w, _ in round_.wagers(*OPEN) if not round_.seats[s].folded]
    for late in (False, True):
        for seat in sorted({s for s, _ in lies}, reverse=side.value == "right"):
            for step in law.settling:
                names = tuple(w for s, w in lies if s == seat and w in step.wagers)
                if names and step.after_all is late:
                    return seat, names, (*side.cite, *(c for c in step.cite if c not in side.cite))
    return None


def verify_settle_wager(setup: Setup, state: State, act: a.SettleWager, actor: Actor) -> Refusal | None:
    """What stands in the way of settling this wager now."""
    round_ = _round(state)
    if coupons_and_envy.is_beside(act):
        return coupons_and_envy.may_settle(setup, round_, act) or sums(act, 0)
    seat = round_.seats.get(act.seat)
    wager = seat.wagers.get(act.wager) if seat else None
    cite = validation.cite_of(setup, act.wager)
    if wager is None:
        return Refusal(f"seat {act.seat} has no {act.wager} wager in this round", cite, code="no_such_wager")
    if wager.outcome is not None:
        told = f"seat {act.seat}: the {act.wager} wager is settled already: {wager.outcome}"
        return Refusal(told, cite, code="settled_already")
    if (first := short_hand_first(state, act.seat)) is not None:
        return first
    if wager.fate not in (*OPEN, Fate.SETTLED):
        told = f"seat {act.seat}: the {act.wager} wager is {wager.fate}; nothing is settled on it"
        return Refusal(told, cite, code="nothing_to_settle")
    if (wrong := sums(act, wager.cents, counted=bool(wager.cents))) is not None:
        return wrong
    if wager.fate is not Fate.SETTLED:
        early = _too_early(setup, state, act, wager) or stub.due_before_settling(setup, state)
        if early is not None:
            return early
    return not_payable(setup, state, act)


def settle_wager(draft: Draft, act: a.SettleWager, actor: Actor) -> None:
    """Records the outcome, by the clause of its step where the document has one.

    Where the cards make something else of the wager, that is on record too, and play waits until a person has looked.
    """
    round_ = _round(draft.state)
    placed = coupons_and_envy.on_record(round_.seats, act) or Wager(0)
    stake = coupons_and_envy.stake(act, placed)
    steps = (step for step in draft.setup.law.rulebook.settling if act.wager in step.wagers)
    cite = next((step.cite for step in steps), ())
    offered = offer(draft.setup, round_)
    line = offered.line(act.seat, act.wager, coupon=act.coupon, holder=act.holder) if offered else None
    returned = goes_back(act, stake, line)
    more = returned + act.paid - (line.returned + line.paid) if line else None
    draft.add(
        f.WagerSettled(
            round_.id, act.seat, act.wager, act.outcome, stake, returned, act.paid, draft.setup.currency, actor.who, cite,
            offered=line.outcome if line else None, difference=more,
            coupon=placed.cents if act.coupon else 0, holder=act.holder,
        )
    )  # fmt: skip
    limits = offered.limits(act.seat, act.wager, coupon=act.coupon, holder=act.holder) if offered else ()
    if limits:
        told = f"{coupons_and_envy.label(act)} was settled as {act.outcome} with {act.paid} cents won; "
        _ask_of_limits(draft, limits, told, coupons_and_envy.label(act))
    if line is not None and more:
        draft.hold(
            f"seat {act.seat}: {coupons_and_envy.label(act)} was settled as {act.outcome} "
            f"with {returned + act.paid} cents handed back, "
            f"and cards and pay table make it {line.outcome} with {line.returned + line.paid} "
            f"[{line.reading or ', '.join(line.cite)}]; correct it ({a.CorrectSettlement.kind}), or "
            f"{a.Resolution.GO_ON} lets it stand",
            seat=act.seat, wager=coupons_and_envy.label(act), choices=(a.Resolution.GO_ON,), code="settled_otherwise"
        )  # fmt: skip
    asked = offered.asked((act.seat, act.wager, act.coupon, act.holder)) if offered else ()
    if not asked and line is None:
        asked = left_open(draft.setup, round_, act)
    if (
        not asked
        and not limits
        and line is None
        and (cannot_be := no_row_gives(draft.setup, round_, act)) is not None
    ):
        draft.hold(
            cannot_be, seat=act.seat, wager=act.wager, choices=(a.Resolution.GO_ON,), code="settlement_impossible"
        )
    _for_the_floor(draft, asked, actor, act.seat, coupons_and_envy.label(act))


def not_payable(setup: Setup, state: State, act: a.SettleWager) -> Refusal | None:
    """What stands in the way whosever turn it is: hands that are not counted yet, a payout that nobody has validated."""
    of_cards = meters.untold(setup, _round(state), act)
    return _uncounted(setup, state, act.wager) or of_cards or validation.of_one_wager(setup, _round(state), act)


def sums(act: a.SettleWager | a.CorrectSettlement, stake: int, *, counted: bool = True) -> Refusal | None:
    """Why these sums cannot be, for a wager of so many cents. `counted`: whether anybody knows; if not, a win needs no sum."""
    where = f"seat {act.seat}:"
    if act.outcome not in OUTCOMES:
        known = ", ".join(OUTCOMES)
        return Refusal(
            f"{where} a wager that is settled has one of: {known}; not {act.outcome}", code="outcome_unknown"
        )
    if act.outcome is Outcome.WIN and not (1 if counted else 0) <= act.paid <= MOST_PAID:
        wrong = f"{where} a winning wager is paid 1 to {MOST_PAID} cents, {act.paid} were given"
        return Refusal(wrong, code="amount_out_of_range")
    if act.returned and not counted:
        wrong = f"{where} nobody counted the {act.wager}, so that no part of it can be told; leave `returned` out"
        return Refusal(wrong, code="wager_uncounted")
    if act.returned is not None and not 0 <= act.returned <= stake:
        wrong = f"{where} of a stake of {stake} cents 0 to {stake} go back, not {act.returned}"
        return Refusal(wrong, code="amount_out_of_range")
    return None


def goes_back(act: a.SettleWager | a.CorrectSettlement, stake: int, offered: Line | None) -> int:
    """Cents of the stake that go back: as was said, else as the cards have it, else all of it unless it loses."""
    if act.returned is not None:
        return act.returned
    if offered is not None and offered.outcome is act.outcome:
        return offered.returned
    return 0 if act.outcome is Outcome.LOSE else stake


def _too_early(setup: Setup, state: State, act: a.SettleWager, wager: Wager) -> Refusal | None:
    """A wager that was not settled with an answer waits for the settlement, and there for its turn."""
    round_ = _round(state)
    if act.wager in opened(setup, round_, act.seat):
        return None
    if wager.fate is Fate.TO_SETTLE:
        return community_first(state)
    if round_.phase is not round_.game.stages[-1].phase:
        return _before_settlement(setup, state, act)
    turn = next_to_settle(setup, round_)
    in_order = {w for step in setup.law.rulebook.settling for w in step.wagers}
    if round_.seats[act.seat].folded or act.wager not in in_order:
        return None
    if turn is None:
        return _in_another_step(setup, round_, act, in_order)
    seat, names, cite = turn
    if act.seat == seat and act.wager in names:
        return None
    return Refusal(f"first seat {seat}: {', '.join(names)}", cite, code=IN_ORDER)


def _before_settlement(setup: Setup, state: State, act: a.SettleWager) -> Refusal:
    """What comes before this wager is settled: an answer of its player, where one settles it at once, or the settlement."""
    round_ = _round(state)
    last, found = round_.game.stages[-1].phase, round_.game.settling(act.wager, round_.seats[act.seat].answers)
    waits = f"seat {act.seat}: the {act.wager} wager is settled in phase {last}"
    if found is None:
        return Refusal(waits, order_cite(setup, state, a.SettleRound.kind), code=IN_ORDER)
    stage, answers = found
    asked = setup.law.rulebook.play.asked_from.get(stage.moment) if stage.moment else None
    cite = asked.cite if asked else order_cite(setup, state, a.SettleRound.kind)
    if act.wager in stage.opened:
        return Refusal(
            f"seat {act.seat}: the {act.wager} wager is settled in phase {stage.phase}, in the turn of seat {act.seat}",
            cite, code=IN_ORDER,
        )  # fmt: skip
    said = f"{' or '.join(answers)} ({a.RecordDecision.kind})"
    if len(answers) < len(stage.answers):  # with another answer it waits
        return Refusal(f"{waits}, or once its player has answered {said}", cite, code=IN_ORDER)
    return Refusal(
        f"seat {act.seat}: the {act.wager} wager is settled once its player has answered {said}",
        cite,
        code=IN_ORDER,
    )


def _in_another_step(setup: Setup, round_: Round, act: a.SettleWager, in_order: set[str]) -> Refusal | None:
    """All that lose are collected before any is paid, and each from the same side, as far as the recorded cards show it.

    Clause: `[settlement] order`, `from`.
    """
    order = setup.law.rulebook.settlement.get(Settle.ORDER)
    if order is None or order.value != BY_STEP or (found := offer(setup, round_)) is None:
        return None
    lines = [x for x in found.lines if x.wager in in_order and not x.coupon and x.outcome is not Outcome.HELD]
    mine = next((n for n, x in enumerate(lines) if (x.seat, x.wager) == (act.seat, act.wager)), None)
    if mine is None:
        return None
    loses = lines[mine].outcome is Outcome.LOSE
    first = next((x for x in lines[:mine] if x.seat != act.seat or (x.outcome is Outcome.LOSE) is not loses), None)
    if first is None:
        return None
    step = "collect" if first.outcome is Outcome.LOSE else "settle"
    return Refusal(
        f"first {step} seat {first.seat}: {first.wager}; what loses is collected of all players, one by one, before any is paid",
        order.cite, code=IN_ORDER,
    )  # fmt: skip


def verify_settle_round(setup: Setup, state: State, act: a.SettleRound, actor: Actor) -> Refusal | None:
    """A player with too few cards has chosen first, and what is paid by the number of hands waits for that number."""
    if act.handed_back is not None and not 0 <= act.handed_back <= MOST_PAID:
        return Refusal(
            f"0 to {MOST_PAID} cents can be handed back in a round, {act.handed_back} were given",
            code="amount_out_of_range",
        )
    return (
        short_hand_first(state, 0)
        or community_first(state)
        or cutting_card_untold(setup, state)
        or _uncounted(setup, state)
        or stub.due_before_settling(setup, state)
        or validation.of_round(setup, _round(state))
    )


def settle_round(draft: Draft, act: a.SettleRound, actor: Actor) -> None:
    """Records that all is settled; where the cards tell what it comes to and somebody has added up what went back, both.

    Where they differ play waits until a person has looked.
    """
    round_, setup = _round(draft.state), draft.setup
    found = offer(setup, round_)
    # Envy of a hand that nobody counted, or what it wins for the table, would be missing in the sum.
    counted = not round_.uncounted()
    comes_to = found.comes_to() if found and counted else None
    told = None if comes_to is None else sum(comes_to.values())
    more = None if act.handed_back is None or told is None else act.handed_back - told
    asked = found.asked() if found else ()
    if not any(line.coupon for line in asked):
        asked = (*asked, *coupons_left_open(setup, round_))
    draft.add(f.RoundSettled(actor.who, act.handed_back, told, more, setup.currency))
    if comes_to is not None and more:
        seats = ", ".join(f"seat {seat} {cents}" for seat, cents in comes_to.items())
        draft.hold(
            f"the round was settled with {act.handed_back} cents handed back, and cards and pay tables make it {told} ({seats}); "
            f"correct what was wrong ({a.CorrectSettlement.kind}); {a.Resolution.GO_ON} lets the rest stand",
            code="settled_otherwise_in_sum",
        )
    reached = [cut for _, cut in found.limited] if found else []
    for seat in dict.fromkeys(cut.seat for cut in reached):
        mine = tuple(dict.fromkeys(cut for cut in reached if cut.seat == seat))
        _ask_of_limits(draft, mine)
    _for_the_floor(draft, asked, actor)


def _uncounted(setup: Setup, state: State, wager: str = "") -> Refusal | None:
    """Why the shuffler's number of hands is needed first: a wager that needs its mode lies, and the shuffler dealt."""
    round_, rules = _round(state), setup.law.rulebook.wagers
    cite = order_cite(setup, state, a.RecordHandsFound.kind)
    if not cite or round_.hands_found or round_.method is not Method.SHUFFLER:
        return None
    lies = {name for _, name, _ in round_.wagers(*OPEN) if name in rules and rules[name].device_mode is not None}
    if not lies or (wager and wager not in lies):
        return None
    return Refusal(
        f"first record how many hands the shuffler has found ({a.RecordHandsFound.kind})", cite, code="hands_first"
    )


def verify_record_hands_found(setup: Setup, state: State, act: a.RecordHandsFound, actor: Actor) -> Refusal | None:
    """What stands in the way of recording the hands that the shuffler shows."""
    cite = order_cite(setup, state, act.kind)
    if not cite or _round(state).method is not Method.SHUFFLER:
        return Refusal(
            f"under {setup.law.rulebook.id}, dealt by {_round(state).method}, no device finds the hands",
            cite,
            code="hands_not_asked",
        )
    if not 1 <= act.hands <= setup.seats + 1:
        return Refusal(
            f"{act.hands} hands cannot be; 1 to {setup.seats + 1}, the dealer's among them",
            cite,
            code="count_out_of_range",
        )
    return None


def record_hands_found(draft: Draft, act: a.RecordHandsFound, actor: Actor) -> None:
    """Compares the number with the hands that were dealt; no text says what follows where they differ. Clause: `[act_order]`."""
    round_ = _round(draft.state)
    expected, cite = len(round_.in_play) + 1, order_cite(draft.setup, draft.state, act.kind)
    draft.add(f.HandsFound(round_.id, act.hands, expected, act.hands == expected, actor.who, cite))
    if act.hands != expected:
        draft.hold(
            f"the shuffler has found {act.hands} hands, and {expected} were dealt: what it pays by is wrong",
            code="hands_contradict",
        )


def _for_the_floor(draft: Draft, asked: Sequence[Line], actor: Actor, seat: int = 0, wager: str = "") -> None:
    """What the text leaves open, and the house elected to ask about, is not settled by the dealer alone."""
    if not asked or actor.role.may_act_as(Role.FLOORPERSON):
        return
    open_ = "; ".join(f"seat {x.seat} {label(x)} [{x.reading or ', '.join(x.cite)}]" for x in asked)
    draft.hold(
        f"a floorperson decides what these wagers come to, and a {actor.role} settled them: {open_}; correct what is wrong "
        f"({a.CorrectSettlement.kind}), or {a.Resolution.GO_ON} lets it stand",
        reading=asked[0].reading, seat=seat, wager=wager, code="floor_decides"
    )  # fmt: skip


def _ask_of_limits(draft: Draft, limits: Sequence[Cut], settled: str = "", wager: str = "") -> None:
    """Whether a limit of the payout stands was left to a person each time, and this hand goes beyond it."""
    seat, comes_to, reading = limits[0].seat, limits[0].before, limits[0].reading
    stand = " or ".join(f"to {cut.limit} [{', '.join(cut.cite)}], {cut.cut} less" for cut in limits)
    draft.hold(
        f"seat {seat}: {settled}by the cards the hand comes to {comes_to}. Whether that is limited {stand}, is asked each time "
        f"({reading}): correct it ({a.CorrectSettlement.kind}), or {a.Resolution.GO_ON} lets it stand",
        reading=reading, seat=seat, wager=wager, code="limit_asked"
    )  # fmt: skip


def surrender(draft: Draft, seat: int, by: str) -> None:
    """Part of the first wager is collected at once; of a cent that cannot be halved the reading says whose it is.

    Clause: `[play] surrender`, `surrender_cent`.
    """
    round_, play = _round(draft.state), draft.setup.law.rulebook.play
    stake, cent = round_.seats[seat].wagers[round_.game.base].cents, play.surrender_cent
    if stake % 2 == 0 or cent is None:
        give_up_half(draft, seat, by, None)
        return
    match draft.setup.law.decided(cent):
        case "player":
            give_up_half(draft, seat, by, a.Resolution.CENT_TO_PLAYER)
        case "house":
            give_up_half(draft, seat, by, a.Resolution.CENT_TO_HOUSE)
        case _:
            draft.decide_wager(seat, round_.game.base, stake, Fate.HELD, (), cent.reading)
            draft.hold(
                f"seat {seat}: half of {stake} cents cannot be paid; decide: {' or '.join(OF_THE_CENT)}",
                reading=cent.reading, seat=seat, wager=round_.game.base, choices=OF_THE_CENT, code="cent_undecided"
            )  # fmt: skip


def give_up_half(draft: Draft, seat: int, by: str, cent: a.Resolution | None) -> None:
    """The half that is given up is collected and the other goes back. `cent`: whose the odd one is, None = there is none."""
    round_, play = _round(draft.state), draft.setup.law.rulebook.play
    stake = round_.seats[seat].wagers[round_.game.base].cents
    returned = stake // 2 + (stake % 2 if cent is a.Resolution.CENT_TO_PLAYER else 0)
    assert play.surrender is not None  # a game in which hands are surrendered has it: `Game.misfits`
    reading = play.surrender_cent.reading if cent and play.surrender_cent else None
    _record(draft, seat, round_.game.base, Outcome.LOSE, returned, 0, by, play.surrender.cite, reading)


def _record(
    draft: Draft, seat: int, wager: str, outcome: Outcome, returned: int, paid: int, by: str, cite: tuple[str, ...],
    reading: str | None = None,
) -> None:  # fmt: skip
    round_ = _round(draft.state)
    stake, currency = round_.seats[seat].wagers[wager].cents, draft.setup.currency
    settled = f.WagerSettled(
        round_.id, seat, wager, outcome, stake, returned, paid, currency, by, cite, reading,
        outcome if stake else None, 0 if stake else None,  # chips that nobody counted are compared with nothing
    )  # fmt: skip
    draft.add(settled)


def _round(state: State) -> Round:
    assert state.round is not None
    return state.round
