"""Acts that have a set shuffled by order and cut it: who is offered the cut, who made it, and whether it counts."""

from fractions import Fraction

from controller.rules.vocabulary import Action, Role, ShuffleAt, Step
from controller.table.card_sets import preparation
from controller.table.fold.ruling import Draft
from controller.table.questions.stub_count_and_turns import full_set
from controller.table.state.table import Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

MANUAL, PRESHUFFLED = "manual", "preshuffled"
BY_PLAYERS = "players"
OUT_OF_ORDER = "cut_out_of_order"


def ask_for_cut(draft: Draft, back: str, who: str, after: str) -> None:
    """A cut follows this kind of shuffle, or not. Clause: `[cut] after`."""
    rule = draft.setup.law.rulebook.cut.after
    if after in rule.value:
        draft.add(f.CutAsked(back, who, rule.cite))


def verify_direct_shuffle(setup: Setup, state: State, act: a.DirectShuffle, actor: Actor) -> Refusal | None:
    """Why the floor cannot have this set shuffled: the document knows no such order, or it is not at the table."""
    at = setup.law.rulebook.shuffle.at
    if ShuffleAt.ON_DIRECTION not in at:
        cite = at[ShuffleAt.AFTER_ROUND].cite if ShuffleAt.AFTER_ROUND in at else ()
        return Refusal(
            f"{setup.law.rulebook.id} names no shuffle by order; a set is shuffled after its round",
            cite,
            code="shuffle_not_ordered",
        )
    return _at_table(state, act.back)


def direct_shuffle(draft: Draft, act: a.DirectShuffle, actor: Actor) -> None:
    """What is out on the layout is played to its end first; any other set counts as shuffled no more."""
    back, who = act.back, actor.who
    rulebook, round_ = draft.setup.law.rulebook, draft.state.round
    cite = rulebook.shuffle.at[ShuffleAt.ON_DIRECTION].cite
    draft.add(f.ShuffleDirected(back, who, cite))
    in_play = round_ is not None and round_.back == back and round_.played
    action = Action.RESHUFFLE_AFTER_ROUND if in_play else Action.RESHUFFLE
    if not in_play and draft.state.sets[back].cycle_complete:
        draft.add(f.SetDisarmed(back, f"{who} wants it shuffled"))
    if any(d.back == back and d.action is action for d in draft.state.duties.values()):
        return
    role = rulebook.duty_roles.get(action)
    draft.add(f.DutyOpened(draft.next_id("D"), action, role.value if role else Role.DEALER, back=back, cite=cite))


def verify_record_cut(setup: Setup, state: State, act: a.RecordCut, actor: Actor) -> Refusal | None:
    """A cut is made where one is due, by whom the document wants, and deep enough where somebody counted."""
    rule = setup.law.rulebook.cut
    if (absent := _at_table(state, act.back)) is not None:
        return absent
    card_set = state.sets[act.back]
    if not card_set.cut_due:
        by_device = card_set.armed and not card_set.by_hand
        why = "was shuffled by a device" if by_device else "waits for no cut"
        cite = (*rule.not_after.cite, *rule.after.cite) if by_device else rule.after.cite
        return Refusal(
            f"the {act.back} set {why}; a cut follows a shuffle: {' or '.join(rule.after.value)}",
            cite,
            code="cut_not_due",
        )
    most = (
        full_set(setup) - rule.least_cards.value
        if rule.either_end and rule.either_end.value
        else full_set(setup) - 1
    )
    if act.cards is not None and not rule.least_cards.value <= act.cards <= most:
        return Refusal(
            f"a cut is {rule.least_cards.value} to {most} cards deep, not {act.cards}",
            rule.least_cards.cite,
            code="cut_too_deep",
        )
    if rule.by.value != BY_PLAYERS:
        wrong = act.seat or act.declined
        return (
            Refusal("here the dealer cuts, and nobody else is offered it", rule.by.cite, code="cut_not_offered")
            if wrong
            else None
        )
    return _offered_in_order(setup, state, act)


def record_cut(draft: Draft, act: a.RecordCut, actor: Actor) -> None:
    """Records who cut the set; in some documents the cutting card goes into it next."""
    rule = draft.setup.law.rulebook.cut
    marks = rule.cutting_card_at is not None
    draft.add(f.SetCut(act.back, act.seat, act.declined, actor.who, rule.by.cite, act.cards, marks))
    preparation.proven(draft, act.back, Step.CUT, actor.who, actor.role)


def offered_to(setup: Setup, state: State) -> tuple[int, ...]:
    """Seats to which the cut is offered, in this order; () where the dealer cuts, or where nobody has played yet.

    Clause: `[cut] offered_to`: the player at whose hand the cutting card showed, else the one farthest to the dealer's
    right; after a refusal clockwise.
    """
    round_ = state.round if state.round is not None and state.round.collected else None
    seats = sorted(round_.in_play if round_ else state.last_seats)
    if setup.law.rulebook.cut.by.value != BY_PLAYERS or not seats:
        return ()
    first = _cutting_card(state) or seats[-1]
    return (first, *(seat for seat in seats if seat > first), *(seat for seat in seats if seat < first))


def _cite_of(setup: Setup, *cases: str) -> tuple[str, ...]:
    """The clauses of these cases of `[cut] offered_to`; where the document prints none, of who cuts."""
    rule = setup.law.rulebook.cut
    found = [clause for offer in rule.offered_to if offer.to in cases for clause in offer.cite]
    return tuple(dict.fromkeys(found)) or rule.by.cite


def _first_case(state: State) -> str:
    """The case of `[cut] offered_to` that decides who is asked first, once a round has been played."""
    at_hand = _cutting_card(state)
    if at_hand is None:
        return "rightmost_on_direction"
    return "player_at_cutting_card" if at_hand else "rightmost_after_dealer"


def _cutting_card(state: State) -> int | None:
    """The seat at which the cutting card showed, 0 for the dealer's hand, None where it did not show."""
    round_ = state.round
    return round_.cutting_card if round_ is not None and round_.collected else state.cutting_card


def _offered_in_order(setup: Setup, state: State, act: a.RecordCut) -> Refusal | None:
    """Players are asked from the first one on clockwise; one who has left declines. The dealer cuts if nobody will.

    Each refusal cites the case that it rests on.
    """
    order = offered_to(setup, state)
    first_case, passed_on = _first_case(state) if order else "first_player", _cite_of(setup, "next_clockwise")
    asked = (*act.declined, act.seat) if act.seat else act.declined
    if any(not 1 <= seat <= setup.seats for seat in asked) or len(set(asked)) < len(asked):
        return Refusal(
            f"the cut is offered once to each of seats 1 to {setup.seats}", passed_on, code=OUT_OF_ORDER
        )
    if not asked:
        first = f"seat {order[0]}" if order else "the first player at the table"
        return Refusal(
            f"the cut is offered to {first} first; the dealer cuts if every player declines",
            _cite_of(setup, first_case, "dealer"),
            code=OUT_OF_ORDER,
        )
    if order and not _may_be_first(state, order, asked[0]):
        return Refusal(
            f"the cut is offered to seat {order[0]} first", _cite_of(setup, first_case), code=OUT_OF_ORDER
        )
    turn = {seat: (seat < asked[0], seat) for seat in (*asked, *order)}
    if [*asked] != sorted(asked, key=turn.__getitem__):
        says = "after a refusal the cut is offered on clockwise around the table"
        return Refusal(says, passed_on, code=OUT_OF_ORDER)
    left = [seat for seat in order if seat not in asked and (not act.seat or turn[seat] < turn[act.seat])]
    if left:
        who = f"seat {act.seat} cuts" if act.seat else "the dealer cuts"
        seats = ", ".join(map(str, left))
        return Refusal(
            f"offer the cut to seat {seats} before {who}; a player who has left declines",
            passed_on,
            code=OUT_OF_ORDER,
        )
    return None


def _may_be_first(state: State, order: tuple[int, ...], seat: int) -> bool:
    """Whether the offer may begin here: farther to the dealer's right than any seat of the last round somebody may sit by now."""
    return seat == order[0] or (not _cutting_card(state) and seat > order[0])


def verify_place_cutting_card(setup: Setup, state: State, act: a.PlaceCuttingCard, actor: Actor) -> Refusal | None:
    """The cutting card goes into a stack that was cut, and not nearer to its back than printed where somebody counted.

    Clause: `[cut] cutting_card_at`.
    """
    rule = setup.law.rulebook.cut.cutting_card_at
    if rule is None:
        return Refusal(
            f"{setup.law.rulebook.id} has no cutting card in the stack",
            setup.law.rulebook.cut.by.cite,
            code="mark_not_asked",
        )
    if (absent := _at_table(state, act.back)) is not None:
        return absent
    if not state.sets[act.back].mark_due:
        first = f"cut it first ({a.RecordCut.kind})" if state.sets[act.back].cut_due else "it waits for none"
        return Refusal(
            f"no cutting card goes into the {act.back} set now; {first}", rule.cite, code="mark_not_due"
        )
    full = full_set(setup)
    least = -(-full * Fraction(rule.value) // 1)
    if act.behind is not None and not least <= act.behind < full:
        return Refusal(
            f"the cutting card goes in with {least} to {full - 1} cards behind it, not {act.behind}", rule.cite,
            code="mark_too_deep",
        )  # fmt: skip
    return None


def place_cutting_card(draft: Draft, act: a.PlaceCuttingCard, actor: Actor) -> None:
    """The dealer has put the cutting card into the stack. Clause: `[cut] cutting_card_at`."""
    rule = draft.setup.law.rulebook.cut.cutting_card_at
    assert rule is not None  # where the document knows no such place the act was refused
    draft.add(f.CuttingCardPlaced(act.back, actor.who, rule.cite, act.behind))


def verify_recut(setup: Setup, state: State, act: a.Recut, actor: Actor) -> Refusal | None:
    """Only a cut that was made, and before any card was dealt after it."""
    role = setup.law.rulebook.act_roles.get(a.Recut.kind)
    if role is None:
        return Refusal(f"{setup.law.rulebook.id} knows no second cut", code="recut_not_known")
    if (absent := _at_table(state, act.back)) is not None:
        return absent
    if not state.sets[act.back].was_cut or state.sets[act.back].in_shoe:
        return Refusal(
            f"the {act.back} set was not cut, or cards were dealt since", role.cite, code="recut_not_due"
        )
    return None


def recut(draft: Draft, act: a.Recut, actor: Actor) -> None:
    """The set waits for a cut again."""
    cite = draft.setup.law.rulebook.act_roles[act.kind].cite
    draft.add(f.CutAsked(act.back, actor.who, cite, again=True))


def whose_hand(setup: Setup, round_: Round, act: a.ReportIrregularity) -> Refusal | None:
    """Where players cut, the one at whose hand the cutting card showed is asked first: so that is said with it."""
    rule, in_play = setup.law.rulebook.cut, round_.in_play
    if (
        rule.by.value != BY_PLAYERS
        or (act.seat in in_play and not act.at_dealer)
        or (act.at_dealer and not act.seat)
    ):
        return None
    seats = ", ".join(map(str, in_play))
    return Refusal(
        f"say where the cutting card showed, for the next cut: seat {seats}, or at_dealer for the dealer's hand and the "
        "community cards", _cite_of(setup, "player_at_cutting_card", "rightmost_after_dealer"), code="cutting_card_unplaced"
    )  # fmt: skip


def before_deal(setup: Setup, state: State, back: str) -> Refusal | None:
    """Why no card of this set is dealt before it was cut."""
    rule = setup.law.rulebook.cut
    if not state.sets[back].cut_due:
        return None
    return Refusal(
        f"first cut the {back} set, at least {rule.least_cards.value} cards deep (record_cut)",
        rule.after.cite,
        code="cut_first",
    )


def _at_table(state: State, back: str) -> Refusal | None:
    card_set = state.sets.get(back)
    if card_set is None or not card_set.present:
        return Refusal(f"no {back} set is at the table; there are: {', '.join(state.sets)}", code="no_such_set")
    return None
