"""Acts that open and close the table, begin a round, gather its cards and end it."""

from controller.games.model import Phase
from controller.games.registry import unplayable
from controller.rules.vocabulary import Action, Trigger
from controller.table.acts import card_sets
from controller.table.acts.betting import open_sensors
from controller.table.card_sets import preparation, time_in_play
from controller.table.course.reports import disarm
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions import stub
from controller.table.questions.deal_plan import cards_gone
from controller.table.questions.stub_count_and_turns import (
    not_its_turn,
    order_cite,
    stub_count_overdue,
    takes_chips,
)
from controller.table.settlement.unchecked import unchecked
from controller.table.state.card_set import CardSet
from controller.table.state.table import DISPENSERS, Fate, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.events import DeviceKind, Level


def verify_open_table(setup: Setup, state: State, act: a.OpenTable, actor: Actor) -> Refusal | None:
    """Why the table is not opened now."""
    return _not_ready(setup) or (Refusal("the table is open already", code="table_open") if state.open else None)


def open_table(draft: Draft, act: a.OpenTable, actor: Actor) -> None:
    """Opens the table; the time of its sets and their steps begin."""
    draft.add(f.TableOpened(actor.who))
    time_in_play.table_opened(draft, actor.who)
    preparation.table_opened(draft)


def close_table(draft: Draft, act: a.CloseTable, actor: Actor) -> None:
    """Closes the table."""
    draft.add(f.TableClosed(actor.who))


def _not_ready(setup: Setup) -> Refusal | None:
    """No round is begun of a game that cannot be played to its end, nor under a law that is not complete."""
    if (reason := unplayable(setup.law.rulebook)) is not None:
        return Refusal(reason, code="game_not_played")
    missing = setup.law.unelected(setup.offered)
    names = "; ".join(f"{r.id} ({r.problem})" for r in missing)
    nobody = f"these readings move money or void hands and nobody has elected them: {names}"
    return Refusal(nobody, code="reading_unelected") if missing else None


def verify_begin_round(setup: Setup, state: State, act: a.BeginRound, actor: Actor) -> Refusal | None:
    """Why no betting is opened with this set: a duty, a count or a step comes first, or its cards could not be dealt."""
    if not state.open:
        return Refusal("the table is not open; a floorperson opens it", code="table_closed")
    if state.duties:
        duties = ", ".join(f"{d.id} {d.word}" for d in state.duties.values())
        cite = tuple(clause for d in state.duties.values() for clause in d.cite)
        return Refusal(f"duties are open and block the next round: {duties}", cite, code="duties_open")
    card_set = state.sets.get(act.back)
    if card_set is None or not card_set.present:
        return Refusal(
            f"no {act.back} set is at the table; there are: {', '.join(state.backs_present)}", code="no_such_set"
        )
    overdue = stub_count_overdue(setup, state, act.back)
    if overdue:
        return Refusal(
            f"the set must be counted first: {overdue} rounds without a count ({a.RecordStubCount.kind} back={act.back})",
            stub.cite(setup, state),
            code="stub_count_overdue",
        )
    steps = card_sets.as_many_as_wanted(setup, state) or preparation.before_round(state, act.back)
    if steps is not None:
        return steps
    if (out_of_turn := not_its_turn(setup, state, act.back)) is not None:
        return Refusal(
            f"the sets alternate: {out_of_turn}", setup.law.rulebook.decks.swap_after.cite, code="sets_alternate"
        )
    # The table may have been opened under another configuration.
    return _cannot_be_dealt(setup, state, card_set) or _not_ready(setup)


def begin_round(draft: Draft, act: a.BeginRound, actor: Actor) -> None:
    """Opens the betting, and the sensors of a wager that they take."""
    number = draft.state.rounds + 1
    name = f"{draft.setup.table}-{number}"
    plays, chips = draft.setup.law.rulebook.plays, takes_chips(draft.setup)
    draft.add(f.RoundBegun(name, number, act.back, draft.state.method, actor.who, plays, chips))
    open_sensors(draft, "betting is open")


def _instead(setup: Setup, kind: DeviceKind) -> str:
    """Says what helps where no device of this kind is in service; a table without one can only deal another way."""
    name, other_way = setup.device_of(kind), f"deal another way ({a.ChangeMethod.kind})"
    return f"return {name} ({a.ReturnDevice.kind}), or {other_way}" if name else other_way


def _cannot_be_dealt(setup: Setup, state: State, card_set: CardSet) -> Refusal | None:
    """Why no round by this method could be dealt: nobody bets on one. Clause: `[[dealing]] needs_shuffler`, the method's own."""
    dealing = setup.law.rulebook.dealing[state.method]
    deals, needs = DISPENSERS.get(state.method), dealing.needs_shuffler
    if deals is not None and state.device_of(deals) is None:
        return Refusal(
            f"cards are dealt by {state.method}, and no {deals} is in service; {_instead(setup, deals)}",
            dealing.cite,
            code="no_dispenser",
        )
    if needs is None or not needs.value:
        return None
    shuffler, named = state.device_of(DeviceKind.SHUFFLER), setup.device_of(DeviceKind.SHUFFLER)
    if shuffler is None:
        return Refusal(
            f"cards dealt by {state.method} are shuffled by a shuffler, and none is in service; "
            f"{_instead(setup, DeviceKind.SHUFFLER)}",
            needs.cite,
            code="no_shuffler",
        )
    if card_set.armed and card_set.by_hand:
        return Refusal(
            f"cards dealt by {state.method} are shuffled by a shuffler, not by hand; shuffle the {card_set.back} set in {named}",
            needs.cite,
            code="shuffled_by_hand",
        )
    return None


def verify_collect_cards(setup: Setup, state: State, act: a.CollectCards, actor: Actor) -> Refusal | None:
    """Cards lie on the layout until the wagers that a disposition spared are settled on them, and a due stub is counted.

    Before the deal there is nothing to collect but cards that came out unasked.
    """
    round_ = state.playing
    if round_.live and not round_.unbidden:
        cite = order_cite(setup, state, act.kind)
        return Refusal("no cards are out; they are collected when the round is settled", cite, code="no_cards_out")
    first = (Action.DEAL_COMMUNITY, Action.SETTLE)
    open_still = [d for d in state.duties.values() if d.action in first]
    if open_still:
        return Refusal(f"first {open_still[0].id}: {open_still[0].word}", open_still[0].cite, code="duty_first")
    return stub.due(setup, state)


def collect_cards(draft: Draft, act: a.CollectCards, actor: Actor) -> None:
    """Of a set whose cards came out unbidden nobody knows the order any more: it is shuffled before it is dealt."""
    round_ = draft.state.playing
    if round_.unbidden and round_.live:
        disarm(draft, [round_.back], "cards that came out unasked were collected again")
    draft.add(f.CardsCollected(actor.who))


def verify_end_round(setup: Setup, state: State, act: a.EndRound, actor: Actor) -> Refusal | None:
    """Why the round does not end: wagers or cards of it lie there."""
    round_ = state.playing
    if round_.phase is Phase.BETTING:
        lies = round_.wagers(Fate.LIVE) or round_.accepted  # one that is held holds play
        return (
            Refusal("wagers lie on the layout; withdraw them, or announce no more bets", code="wagers_on_layout")
            if lies
            else None
        )
    return (
        None
        if round_.collected
        else Refusal("collect the cards into the discard rack first", code="collect_first")
    )


def end_round(draft: Draft, act: a.EndRound, actor: Actor) -> None:
    """Ends the round with what was not checked in it, takes back every release, and asks for a stub count that is due."""
    round_ = draft.state.playing
    left_out = unchecked(draft.setup, draft.state)
    counts = round_.played and (not round_.void or stub.counts_void(draft.setup))
    marker, out = _next_marker(draft, round_), cards_gone(draft.setup, round_)
    draft.add(f.RoundEnded(round_.id, _outcome(round_), actor.who, marker, out, left_out, counts))
    progressive = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if progressive and progressive[1].wanted.get(Level.LAMPS):
        draft.want(progressive[0], Level.LAMPS, "", "the round has ended")
    draft.make_safe("no round is in play")
    if stub_count_overdue(draft.setup, draft.state, round_.back):
        dispose(draft, Trigger.STUB_COUNT_DUE, back=round_.back)


def _outcome(round_: Round) -> str:
    """A word of `RoundEnded.outcome`. A round of which every bet was taken back before the deal was not played."""
    if round_.void:
        return "void"
    if round_.phase is Phase.STOPPED:
        return "stopped"
    return "played" if round_.played else "not_dealt"


def _next_marker(draft: Draft, round_: Round) -> int | None:
    """After a round the marker moves on clockwise, past the last seat to the dealer. Clause: `first_card_to`."""
    if draft.setup.law.rulebook.play.first_card_to.value != "marker":
        return None
    moves = round_.let_out and not round_.marker_stayed
    return (round_.marker + moves) % (draft.setup.seats + 1)
