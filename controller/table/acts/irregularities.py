"""The act by which a person reports what went wrong: when it can be true, and what follows."""

from controller.games.model import AT_ONCE, Phase
from controller.games.settling.engine import WON_AT_ONCE, settler_of
from controller.rules.vocabulary import Action, Area, Guard, Method, Trigger
from controller.table.acts.devices import device_of
from controller.table.acts.duties_and_holds import close
from controller.table.card_sets import cuts
from controller.table.fold.ruling import Draft
from controller.table.irregularities import jams, revoked_answers
from controller.table.irregularities.dispositions import dispose
from controller.table.questions import burns
from controller.table.questions.deal_plan import (
    community_lies_open,
    community_to_come,
    deal_plan,
    hands_dealt,
    players_dealt,
)
from controller.table.questions.stub_count_and_turns import order_cite
from controller.table.state.table import Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.events import DeviceKind

SEEN_BY_PEOPLE = frozenset(
    {
        Trigger.SHUFFLER_JAM, Trigger.SHOE_JAM, Trigger.CARD_FACE_UP, Trigger.CARD_DRAWN_UNEXPOSED,
        Trigger.CARD_DRAWN_EXPOSED, Trigger.WRONG_COUNT_PLAYER, Trigger.WRONG_COUNT_DEALER, Trigger.WRONG_COUNT_COMMUNITY,
        Trigger.DEALER_CARD_EXPOSED, Trigger.PLAYER_CARD_EXPOSED, Trigger.COMMUNITY_CARD_EXPOSED,
        Trigger.CARDS_INSUFFICIENT, Trigger.PLAYER_LEFT, Trigger.FALSE_DECLARATION, Trigger.HAND_DECLARED_VOID,
        Trigger.DISCARD_COUNT_WRONG, Trigger.MARKER_NOT_MOVED, Trigger.CUTTING_CARD_REACHED,
        Trigger.HAND_TOUCHED, Trigger.HAND_HIDDEN, Trigger.UNFIT_CARD, Trigger.WAGER_LATE, Trigger.DEAL_OUT_OF_ORDER,
        Trigger.SOMETHING_ELSE,
    }
)  # fmt: skip
"""Triggers that a person may report; the others follow from devices, counts and the clock."""


OF_THE_HOUSE = frozenset({Trigger.STUB_COUNT_DUE, Trigger.STUB_WRONG})
"""Reported by a person where the document has no stub count, and the house may have one of its own."""
OF_A_SEAT = (
    Trigger.WRONG_COUNT_PLAYER, Trigger.PLAYER_LEFT, Trigger.FALSE_DECLARATION, Trigger.HAND_DECLARED_VOID,
    Trigger.HAND_TOUCHED, Trigger.HAND_HIDDEN,
)  # fmt: skip
ANYWHERE = (Trigger.UNFIT_CARD, Trigger.SOMETHING_ELSE)
"""What may show in every phase, and between the rounds."""
WRONG_COUNTS = (Trigger.WRONG_COUNT_PLAYER, Trigger.WRONG_COUNT_DEALER, Trigger.WRONG_COUNT_COMMUNITY)
OF_COMMUNITY = (Trigger.WRONG_COUNT_COMMUNITY, Trigger.COMMUNITY_CARD_EXPOSED)
FAILS = {Trigger.SHUFFLER_JAM: DeviceKind.SHUFFLER, Trigger.SHOE_JAM: DeviceKind.SHOE}
OF_DEVICES = tuple(FAILS)
OF_THE_SHOE = (
    Trigger.CARD_FACE_UP, Trigger.CARD_DRAWN_UNEXPOSED, Trigger.CARD_DRAWN_EXPOSED, Trigger.CARDS_INSUFFICIENT,
    Trigger.CUTTING_CARD_REACHED, Trigger.DEAL_OUT_OF_ORDER,
)  # fmt: skip
"""Shows with any card that is taken from the shoe, one to be burned included."""
BETWEEN = (*OF_DEVICES, *ANYWHERE)
"""What may show between the rounds, too."""
LONGEST_NOTE = 500
BEFORE_THE_DEAL = (Phase.BETTING, Phase.BETS_CLOSED)


def reportable(setup: Setup) -> list[Trigger]:
    """What people may report in this game, in alphabetical order."""
    return sorted(trigger for trigger in _reported(setup) if setup.law.rulebook.absent(trigger) is None)


def _reported(setup: Setup) -> frozenset[Trigger]:
    return SEEN_BY_PEOPLE | (OF_THE_HOUSE if setup.law.rulebook.stub is None else frozenset())


def verify_report_irregularity(
    setup: Setup, state: State, act: a.ReportIrregularity, actor: Actor
) -> Refusal | None:
    """Why this is no irregularity here and now, or what is missing in what was said of it."""
    book = setup.law.rulebook
    if act.trigger not in _reported(setup):
        return Refusal(
            f"{act.trigger} is not reported by a person; in this game these are: {', '.join(reportable(setup))}",
            code="irregularity_unknown",
        )
    if (absent := book.absent(act.trigger)) is not None:
        return Refusal(absent.says, absent.cite, code="cannot_happen_here")
    if (wrong := _fields(setup, state, act) or _no_such_device(setup, state, act.trigger)) is not None:
        return wrong
    if act.trigger in ANYWHERE:
        return None
    if state.round is None:
        between = ", ".join(BETWEEN)
        none = Refusal(f"no round is in play; between rounds these are reported: {between}", code="no_round")
        return None if act.trigger in OF_DEVICES else none
    if act.trigger is Trigger.WAGER_LATE:
        return _bets_open(setup, state)
    if act.trigger not in OF_DEVICES and not _cards_taken(setup, state, act.trigger):
        return Refusal("no card of this round has been dealt", code="no_card_dealt")
    return _particulars(setup, state, act) or _cannot_be(setup, state, act)


def report_irregularity(draft: Draft, act: a.ReportIrregularity, actor: Actor) -> None:
    """What the document makes of it follows, by the row of this irregularity."""
    match act.trigger:
        case Trigger.SOMETHING_ELSE:
            _something_else(draft, act, actor)
        case Trigger.UNFIT_CARD:
            _unfit_card(draft, act)
        case (
            Trigger.SHUFFLER_JAM | Trigger.SHOE_JAM
        ):  # a person saw what the device did not report: it demands the same
            name = device_of(draft, FAILS[act.trigger])
            assert name is not None
            jams.seen(draft, name)
        case _:
            _dispose_reported(draft, act, actor)


def _dispose_reported(draft: Draft, act: a.ReportIrregularity, actor: Actor) -> None:
    device = draft.state.dispenser() or ""
    asked = draft.state.short_hand(act.seat) if act.trigger is Trigger.HAND_DECLARED_VOID else None
    before, found = draft.state.playing, _cards_found(draft, act)
    guards = _guards(draft, act, found)
    dispose(draft, act.trigger, *guards, device=device, back=before.back, seat=act.seat, cards=found)
    if act.trigger is Trigger.FALSE_DECLARATION:
        revoked_answers.undeclared(draft, before, act.seat)
    if asked is not None:
        close(draft, asked, actor)


def _cards_found(draft: Draft, act: a.ReportIrregularity) -> int:
    """Returns how many cards face up are new. Where a device has reported some, a person reports the number of all."""
    match act.trigger:
        case Trigger.CARD_FACE_UP:
            round_ = draft.state.playing
            return act.cards - (round_.face_up if round_.face_up_sensed else 0)
        case Trigger.CARD_DRAWN_EXPOSED:
            return act.cards
        case _:
            return 0


def _guards(draft: Draft, act: a.ReportIrregularity, found: int) -> list[Guard]:
    """The conditions of the row that hold, in the order in which a fact names them."""
    round_, trigger = draft.state.playing, act.trigger
    seen = {
        Trigger.CARD_FACE_UP: round_.face_up,
        Trigger.CARD_DRAWN_EXPOSED: round_.face_up + round_.drawn_exposed,
    }.get(trigger, 0)
    holds = {
        Guard.SEVERAL: seen + found > 1,
        Guard.COMMUNITY_DEALT: trigger is Trigger.WRONG_COUNT_PLAYER and bool(round_.streets or round_.natural),
        Guard.HANDS_MISSING: trigger is Trigger.DEALER_CARD_EXPOSED and not players_dealt(draft.setup, round_),
        Guard.COMPLETABLE: act.completable,
        Guard.TOO_MANY: act.too_many,
        Guard.ON_PURPOSE: act.on_purpose,
        Guard.OF_THE_BOX: act.in_box,
    }
    return [guard for guard, is_so in holds.items() if is_so]


def _unfit_card(draft: Draft, act: a.ReportIrregularity) -> None:
    """The set in which the card was found; between rounds that of the last one where nobody says which."""
    round_ = draft.state.round
    in_play = round_.back if round_ else ""
    back = act.back or in_play or draft.state.last_back or next(iter(draft.state.sets))
    guards = [Guard.IDLE_SET] if in_play and back != in_play else []
    dispose(draft, act.trigger, *guards, back=back, seat=act.seat)


def _something_else(draft: Draft, act: a.ReportIrregularity, actor: Actor) -> None:
    """What no row knows: the table stands still, a person decides, and no clause is cited for it."""
    round_, note = draft.state.round, act.note.strip()
    draft.add(f.SomethingElseReported(round_.id if round_ else "", act.seat, note, actor.who, actor.role))
    where = f"seat {act.seat}: " if act.seat else ""
    draft.hold(f"{where}{note}", seat=act.seat, code=Trigger.SOMETHING_ELSE.value)


def _no_such_device(setup: Setup, state: State, trigger: Trigger) -> Refusal | None:
    """A device that fails has to be one of this table."""
    if trigger is Trigger.SHOE_JAM and state.method is not Method.DEALING_SHOE:
        return Refusal(f"cards are dealt by {state.method}, not from a dealing shoe", code="no_such_device")
    if trigger is Trigger.SHUFFLER_JAM and setup.device_of(DeviceKind.SHUFFLER) is None:
        return Refusal("no shuffler belongs to this table", code="no_such_device")
    return None


def _particulars(setup: Setup, state: State, act: a.ReportIrregularity) -> Refusal | None:
    """What is said beside the trigger must be true of this round."""
    round_ = state.playing
    if act.in_box and not (act.trigger is Trigger.WRONG_COUNT_COMMUNITY and _deals_box(setup, round_)):
        return Refusal(
            f"in_box is said of {Trigger.WRONG_COUNT_COMMUNITY}, where cards are dealt to the box of the Six Card Bonus",
            code="no_box",
        )
    if act.completable and (cannot := _not_completable(setup, state, act)) is not None:
        return cannot
    if act.trigger in OF_A_SEAT and act.seat not in round_.in_play:
        return Refusal(
            f"say whose hand it is; in play are seats {', '.join(map(str, round_.in_play))}", code="unknown_seat"
        )
    match act.trigger:
        case Trigger.CARD_FACE_UP:
            return _told_already(setup, round_, act.cards)
        case Trigger.CUTTING_CARD_REACHED:
            return cuts.whose_hand(setup, round_, act)
        case _:
            return None


def _fields(setup: Setup, state: State, act: a.ReportIrregularity) -> Refusal | None:
    """What was said with a trigger to which it does not belong, or was left out."""
    if act.cards < 1:
        return Refusal("an irregularity concerns at least one card", code="count_out_of_range")
    if act.note and act.trigger is not Trigger.SOMETHING_ELSE:
        return Refusal(
            f"note belongs to {Trigger.SOMETHING_ELSE}; {act.trigger} says it all", code="note_not_asked"
        )
    if act.trigger is Trigger.SOMETHING_ELSE and not 1 <= len(act.note.strip()) <= LONGEST_NOTE:
        return Refusal(f"say what happened (note), in 1 to {LONGEST_NOTE} characters", code="note_missing")
    if act.back and act.trigger is not Trigger.UNFIT_CARD:
        return Refusal(f"back belongs to {Trigger.UNFIT_CARD}", code="back_not_asked")
    if act.back and act.back not in setup.backs:
        return Refusal(f"there is no {act.back} set; there are: {', '.join(setup.backs)}", code="unknown_set")
    least = 1 if act.trigger is Trigger.WAGER_LATE else 0
    if act.trigger in (*ANYWHERE, Trigger.WAGER_LATE) and not least <= act.seat <= setup.seats:
        return Refusal(f"there is no seat {act.seat}; seats are {least} to {setup.seats}", code="unknown_seat")
    return None


def _bets_open(setup: Setup, state: State) -> Refusal | None:
    """A wager is late from the announcement on, before any card is dealt."""
    if state.playing.phase is not Phase.BETTING:
        return None
    how = f"wagers are placed ({a.PlaceWager.kind}) and taken back ({a.WithdrawWager.kind})"
    return Refusal(
        f"bets are open, so no wager is late: {how}", order_cite(setup, state, a.PlaceWager.kind), code="bets_open"
    )


def _cards_taken(setup: Setup, state: State, trigger: Trigger) -> bool:
    """False while no card was dealt, nor one taken from the shoe to be burned, at which this could show."""
    round_ = state.playing
    if round_.phase not in BEFORE_THE_DEAL or round_.cards_out:
        return True
    return trigger in OF_THE_SHOE and (round_.burned > 0 or burns.due(setup, state) is not None)


def _deals_box(setup: Setup, round_: Round) -> bool:
    return any(planned.area is Area.SIX_CARD_BOX for planned in deal_plan(setup, round_))


def _not_completable(setup: Setup, state: State, act: a.ReportIrregularity) -> Refusal | None:
    """The dealer's hand is completed with the next cards, none of them face up, of a set that is whole. Clause: its own row's."""
    row = setup.law.rulebook.row(act.trigger, frozenset({Guard.COMPLETABLE}))
    if not any(demand.action is Action.COMPLETE_DEALER_HAND for demand in row.do):
        return None
    round_ = state.playing
    if round_.streets:
        return Refusal(
            "community cards lie face up, so the dealer's hand is not completed any more; report it without completable",
            row.cite, code="hand_not_completable",
        )  # fmt: skip
    if found_out := state.sets[round_.back].found_out:
        return Refusal(
            f"{found_out}, so the dealer's hand is not completed; report it without completable",
            row.cite,
            code="hand_not_completable",
        )
    return None


def _told_already(setup: Setup, round_: Round, cards: int) -> Refusal | None:
    """Counts a card once that both a device and a person have reported."""
    if not round_.face_up_sensed or cards > round_.face_up:
        return None
    return Refusal(
        f"{round_.face_up} face up in this round is recorded already, as a device told; if another one lies face up, give "
        f"their number in all (cards = {round_.face_up + 1})",
        setup.law.rulebook.row(Trigger.CARD_FACE_UP, frozenset()).cite,
        code="reported_already",
    )


def _cannot_be(setup: Setup, state: State, act: a.ReportIrregularity) -> Refusal | None:
    """What is no irregularity here: of cards that are up, or that never come, of who is out, of a hand not known as short."""
    round_ = state.playing
    if act.trigger is Trigger.DEALER_CARD_EXPOSED and round_.game.dealer_is_up(round_.phase):
        return Refusal(
            "the dealer's hand is turned up already; none of its cards is seen too early", code="cards_face_up"
        )
    cite = setup.law.rulebook.row(act.trigger, frozenset()).cite
    natural = setup.law.rulebook.play.dealer_natural
    if natural is not None and round_.natural and act.trigger in OF_COMMUNITY:
        no_natural = f"if it is none, say that first ({a.RevealDealer.kind} natural=false)"
        return Refusal(
            f"the dealer has a natural, so no community card is dealt; {no_natural}",
            natural.cite,
            code="no_community_cards",
        )
    if act.trigger is Trigger.COMMUNITY_CARD_EXPOSED and community_lies_open(round_):
        return Refusal(
            "all community cards lie face up already; none of them is seen too early", cite, code="cards_face_up"
        )
    if act.trigger is Trigger.CARDS_INSUFFICIENT and _all_dealt(setup, state):
        short = ", ".join(kind for kind in WRONG_COUNTS if setup.law.rulebook.absent(kind) is None)
        none = "no card is left to be dealt in this round, so none is wanting"
        return Refusal(f"{none}; what came short is reported as that: {short}", cite, code="cards_not_short")
    if act.trigger is Trigger.FALSE_DECLARATION:
        return _not_declared(setup, round_, act.seat, cite)
    if act.trigger is Trigger.HAND_DECLARED_VOID and state.short_hand(act.seat) is None:
        return Refusal(
            f"seat {act.seat} is not known to have too few cards; report the wrong number first",
            cite,
            code="hand_not_short",
        )
    return None


def _all_dealt(setup: Setup, state: State) -> bool:
    """True where this round needs no card of its set any more, neither for a hand nor for all."""
    round_, demanded = state.playing, {duty.action for duty in state.duties.values()}
    if Action.DEAL_COMMUNITY in demanded:
        return False
    if not round_.live or round_.phase is round_.game.stages[-1].phase:
        return True
    replaced = Action.CARD_TO_RACK not in demanded  # in the place of a card that goes there another one is dealt
    return hands_dealt(setup, round_) and not community_to_come(setup, round_) and replaced


def _not_declared(setup: Setup, round_: Round, number: int, cite: tuple[str, ...]) -> Refusal | None:
    """Why this seat has declared no hand falsely. Clause: ma-colorado 10(b)(3)(i), 11(b)(2)(i), 14(d)."""
    seat = round_.in_play[number]
    if seat.folded:
        return Refusal(f"seat {number} has folded and declared nothing", cite, code="nothing_declared")
    if round_.streets and seat.answers and seat.answers[-1] not in AT_ONCE:
        return Refusal(
            f"seat {number} has answered {seat.answers[-1]} and declared nothing before the community cards; what people say "
            f"otherwise is a dispute ({a.RaiseDispute.kind})",
            cite,
            code="nothing_declared",
        )
    seen = round_.seen.get((Area.PLAYER, number))
    whole = not seat.one_hand  # which cards came first is not to be seen
    if whole and seen is not None and settler_of(setup.law).wins_at_once(seen.cards):
        again = f"record them again if they were recorded wrongly ({a.RecordHand.kind})"
        return Refusal(f"seat {number}: {WON_AT_ONCE}; {again}", cite, code="nothing_declared")
    return None
