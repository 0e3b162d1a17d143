"""What follows from a device's report: the report itself is the first fact, then what the document demands."""

from controller.games.model import Phase
from controller.rules.vocabulary import Action, Area, Guard, Step, Trigger
from controller.table.card_sets import preparation, stored_set
from controller.table.card_sets.preparation import RESHUFFLES
from controller.table.fold.ruling import Draft
from controller.table.irregularities import jams
from controller.table.irregularities.dispositions import LATE_CHIP, dispose
from controller.table.irregularities.late_cards import late_card, not_let_out
from controller.table.irregularities.miscounts import wrong_count
from controller.table.irregularities.suspect_rounds import suspect
from controller.table.questions.counting_shoe import drawn
from controller.table.questions.deal_plan import community_left, deal_plan, dealt_late, first_deal, still_in_device
from controller.table.questions.device_contents import handing_out, may_shuffle, still_to_deal
from controller.table.questions.fail_safe import ALARMS
from controller.table.questions.stub_count_and_turns import full_set
from controller.table.state.table import Fate
from controller.table.words import facts as f
from controller.table.words.acts import Resolution
from drivers import events as e

SHUFFLING_MODES = (e.Mode.SHUFFLE, e.Mode.COVER_ALL)


def decide_report(draft: Draft, name: str, report: e.Report) -> None:
    """Adds the report as a fact of this device and all that follows from it."""
    before, dealt = draft.state.devices[name], draft.state.dealt_set
    draft.add(report, name)
    if isinstance(report, e.CardsRemoved):
        _cards_removed(draft, name, report.cards_inside)
        if before.in_service:
            stored_set.taken_out(draft, name, before.holds)
    elif before.in_service:  # what happens in a device that is out of service is no event of the game
        _followed(draft, name, report, jammed_before=before.jammed)
    if dealt and round_live(draft) and not draft.state.dealt_set:
        _disarmed_in_deal(draft, name, report)
    if isinstance(report, ALARMS):
        _stand_still(draft, f"{name} reported {report.kind}")


def _followed(draft: Draft, name: str, report: e.Report, *, jammed_before: bool) -> None:
    """Of all other reports the fact alone is kept: nothing in the documents hangs on them."""
    match report:
        case e.Jammed() | e.ShuffleStopped() | e.DealStopped() if _in_use(draft, name):
            jams.reported(draft, name, report)
        case e.JamCleared(by_itself=True) if not jammed_before and _in_use(draft, name):
            jams.seen(draft, name, self_cleared=True)
        case e.ShuffleStarted(back=back):
            disarm(draft, may_shuffle(draft.state, back), f"{name} began a new cycle")
        case e.ShuffleCompleted():
            _shuffled(draft, name, report)
        case e.WagerSensed(seat=seat, locked=locked):
            _wager_sensed(draft, seat, locked)
        case e.WagerRemoved(seat=seat, locked=False):
            _taken_back(draft, name, seat)
        case e.LockoutReleased() | e.DispensingAllowed():
            _unwanted(draft, name, report)
        case e.DoorOpened():
            stored_set.door_opened(draft, name)
        case e.PoweredUp(cards_inside=inside):
            _powered_up(draft, name, inside)
        case e.SelfTestFailed(code=code):
            draft.hold(
                f"{name} failed its self-test (code {code}); take it out of service", code="self_test_failed"
            )
        case _:
            _cards_came(draft, name, report)


def _cards_came(draft: Draft, name: str, report: e.Report) -> None:
    """Cards left a device: one by one, a stack of the deal, or the last of it."""
    match report:
        case e.StackDispensed():
            _dispensed(draft, name, report)
        case e.DealCompleted():
            _deal_completed(draft, name)
        case e.FaceUpCard(activity=e.Activity.DEALING, back=back) if round_live(draft):
            _face_up(draft, name, back)
        case e.CardDrawn(back=back) if draft.state.round is None:
            _left_a_set(draft, name, back)
        case e.CardDrawn():
            drawn(draft, name, report)


def _disarmed_in_deal(draft: Draft, name: str, report: e.Report) -> None:
    """Deals no card without an armed set: the device locks again, and where the document demands nothing, people decide."""
    back = draft.state.playing.back
    because = (
        f"{name} reported {report.kind}: the {back} set, which is in play, does not count as shuffled any more"
    )
    draft.make_safe(because)
    asked = any(isinstance(fact.event, f.HoldPlaced) for fact in draft.facts)
    if not asked and not draft.state.demanded_now(back):
        draft.hold(f"{because}; look where its cards are", code="device_cards_unknown")


def _stand_still(draft: Draft, because: str) -> None:
    """Records what the fail-safe did: no device deals until a person starts the deal again."""
    for name, device in draft.state.devices.items():
        if device.wanted.get(e.Level.DISPENSING) == e.ALLOWED:
            draft.want(name, e.Level.DISPENSING, e.INHIBITED, because)


def _in_use(draft: Draft, name: str) -> bool:
    """The documents speak of a dealing shoe that is being used; a shuffler in service always is, and nothing else holds cards."""
    kind = draft.state.devices[name].kind
    return kind is e.DeviceKind.SHUFFLER or (kind is e.DeviceKind.SHOE and name == draft.state.dispenser())


def disarm(draft: Draft, backs: list[str], because: str) -> None:
    """These sets do not count as shuffled any more."""
    for back in backs:
        card_set = draft.state.sets.get(back)
        if card_set is not None and card_set.cycle_complete:
            draft.add(f.SetDisarmed(back, because))


def _shuffled(draft: Draft, name: str, report: e.ShuffleCompleted) -> None:
    """The predicates that a device can tell, each by itself; a wrong count or identity is the document's business at once."""
    able = may_shuffle(draft.state, report.back)
    if len(able) != 1 or able[0] not in draft.state.sets:
        known = ", ".join(draft.state.sets)
        draft.hold(
            f"{name} shuffled a set of back {report.back} ({known} belong here); look, and shuffle it again",
            code="unknown_set",
        )
        return
    back = able[0]
    expected = full_set(draft.setup)
    count_right = None if report.count is None else report.count == expected
    identities = {e.Identities.COMPLETE: True, e.Identities.INCOMPLETE: False}.get(report.identities)
    mode_shuffle = report.mode in SHUFFLING_MODES
    counts = not _must_shuffle_again(draft, name, back) and not _lies_on_layout(draft, back)
    draft.add(f.SetChecked(back, counts, mode_shuffle, count_right, identities, report.defects))
    if draft.state.sets[back].armed:
        preparation.proven(draft, back, Step.SHUFFLE, name, "device")
    if count_right is False:
        suspect(draft, back, f.Verdict.COUNT)
        dispose(draft, Trigger.SHUFFLER_COUNT_WRONG, device=name, back=back)
    elif identities is False:
        suspect(draft, back, f.Verdict.IDENTITIES)
        dispose(draft, Trigger.SHUFFLER_IDENTITIES_WRONG, device=name, back=back)
    elif mode_shuffle and counts:
        _close_duties(draft, name, RESHUFFLES, back=back)


def _lies_on_layout(draft: Draft, back: str) -> bool:
    """A cycle in a round that goes on is none of the whole set: cards of it lie before the players."""
    round_ = draft.state.round
    return round_ is not None and round_.back == back and round_.on_layout and round_.phase is not Phase.STOPPED


def _must_shuffle_again(draft: Draft, name: str, back: str) -> bool:
    """A cycle that jammed on its way and came to its end all the same is not the new shuffle that the jam demands."""
    demanded = any(
        (duty.action in RESHUFFLES and duty.back == back)
        or (duty.action is Action.CLEAR_DEVICE and duty.device == name)
        for duty in draft.state.duties.values()
    )
    return demanded and draft.state.devices[name].disturbed


def _cards_removed(draft: Draft, name: str, inside: int | None) -> None:
    """A device that senses no card any more proves that it was cleared."""
    if inside == 0:
        _close_duties(draft, name, (Action.CLEAR_DEVICE,), device=name)
        emptied(draft, name)


def emptied(draft: Draft, name: str) -> None:
    """Cards that were to come out of this device lie in people's hands: a shoe that was dealt on from is one no more, and the
    set of the round has to be shuffled before it is dealt, or dealt on."""
    round_ = draft.state.round
    laid = []
    if draft.state.devices[name].kind is e.DeviceKind.SHOE and (round_ is None or not round_.let_out):
        laid = [card_set.back for card_set in draft.state.sets.values() if card_set.in_shoe]
    if still_to_deal(draft.setup, draft.state, name) and not deal_is_out(draft):
        laid.append(draft.state.playing.back)
    disarm(draft, laid, f"its cards were taken out of {name}")


def _close_duties(draft: Draft, by: str, actions: tuple[Action, ...], *, device: str = "", back: str = "") -> None:
    for duty in list(draft.state.duties.values()):
        if duty.action in actions and duty.device == device and duty.back == back:
            draft.add(f.DutyClosed(duty.id, duty.action, by, "device"))


def _dispensed(draft: Draft, name: str, report: e.StackDispensed) -> None:
    """Compares each stack with the document's order and number of cards, the moment it is out."""
    round_ = draft.state.round
    if round_ is None:
        _left_a_set(draft, name, report.back)
        return
    if name != draft.state.dispenser() or not round_.live:
        return
    if round_.phase is not Phase.DEALING and not round_.late_let_out:
        not_let_out(draft, name)
        return
    if report.back is not e.Back.UNKNOWN and report.back != round_.back:
        dispose(draft, Trigger.SET_NOT_ALTERNATED, device=name, back=report.back)
    if dealt_late(draft.setup, round_) and (draft.state.short_hand() or round_.shows_community_next):
        late_card(draft, name)
        return
    plan = deal_plan(draft.setup, round_)
    if round_.stacks_out > len(plan):
        draft.hold(f"{name} gave out stack {report.stack}; the deal has {len(plan)}", code="stack_too_many")
        return
    planned = plan[round_.stacks_out - 1]
    if report.cards != planned.cards:
        wrong_count(draft, planned, report.cards)
    if not deal_is_out(draft):
        return
    if round_.late_let_out:
        draft.make_safe("the dealer's stack is out")
    else:
        initial_deal_done(draft)


def _left_a_set(draft: Draft, name: str, back: e.Back) -> None:
    """Cards came out while no round was in play: a set that was ready to be dealt is whole no more."""
    armed = [b for b in may_shuffle(draft.state, back) if b in draft.state.sets and draft.state.sets[b].armed]
    disarm(draft, armed, f"{name} gave out cards while no round was in play")
    if armed:
        draft.hold(
            f"{name} gave out cards while no round was in play; gather and shuffle the {', '.join(armed)} set",
            code="cards_dispensed",
        )


def _dealer_cards(draft: Draft) -> int:
    return draft.setup.law.rulebook.hand.dealer_cards


def deal_is_out(draft: Draft) -> bool:
    """True where a device has given out every stack of the deal that is going on."""
    if not round_live(draft) or draft.state.dispenser() is None:
        return False
    round_ = draft.state.playing
    if round_.late_let_out:
        return not still_in_device(draft.setup, round_) and community_left(draft.setup, round_) <= 0
    return round_.phase is Phase.DEALING and round_.stacks_out >= len(first_deal(draft.setup, round_))


def initial_deal_done(draft: Draft) -> None:
    """The deal is done once the dealer has completed a hand that came out short, with the next cards in sequence."""
    draft.make_safe("the initial deal is done")
    if any(d.action is Action.COMPLETE_DEALER_HAND for d in draft.state.duties.values()):
        return
    round_ = draft.state.playing
    plan = deal_plan(draft.setup, round_)
    dealers = sum(n for to, n in zip(plan, round_.stacks, strict=False) if to.area is Area.DEALER)
    missing = 0 if any(planned.late for planned in plan) else max(0, _dealer_cards(draft) - dealers)
    draft.add(f.InitialDealCompleted(round_.cards_out + missing))


def _deal_completed(draft: Draft, name: str) -> None:
    """The device says the deal is over: fewer stacks than the document's plan is a failure to deal."""
    if handing_out(draft.setup, draft.state, name) and not deal_is_out(draft):
        jams.jam(draft, name, draft.state.playing.back, dealing=True)


def _face_up(draft: Draft, name: str, back: str) -> None:
    """A card lies face up. If a person has reported one that this device had not, the two may be the same: a person is asked."""
    round_ = draft.state.playing
    guards = [Guard.SEVERAL] if round_.face_up else []
    if round_.face_up_sensed > round_.face_up:
        dispose(draft, Trigger.CARD_FACE_UP, *guards, device=name, back=back, cards=1)
        return
    row = draft.setup.law.rulebook.row(Trigger.CARD_FACE_UP, frozenset())
    draft.hold(
        f"{name} reports a card face up, and a person has reported one: continue if it is the same; if it is another, report "
        f"the number of all (card_face_up, cards = {round_.face_up + 1})",
        cite=row.cite, code="card_face_up"
    )  # fmt: skip


def _wager_sensed(draft: Draft, seat: int, locked: bool) -> None:
    """In time is judged by the recorded "no more bets"; a chip after it, or after the lock, is late."""
    round_ = draft.state.round
    if round_ is None or not round_.live:
        return
    if not 1 <= seat <= draft.setup.seats:
        rule = draft.setup.law.rulebook.seats
        draft.hold(
            f"a chip lies on the sensor of seat {seat}, and this table has seats 1 to {draft.setup.seats}; give it back, "
            "and look at the device",
            cite=rule.cite, reading=rule.reading, code="no_such_seat",
        )  # fmt: skip
        return
    if round_.phase is Phase.BETTING and not locked and round_.chips:
        return
    if any((s, w) in ((seat, "progressive"), (seat, LATE_CHIP)) for s, w, _ in round_.wagers(Fate.HELD)):
        return  # the same chip again: its hold stands
    if not round_.chips:
        _not_offered(draft, seat)
        return
    dispose(draft, Trigger.PROGRESSIVE_LATE, *([Guard.AFTER_LOCK] if locked else []), seat=seat)


def _taken_back(draft: Draft, name: str, seat: int) -> None:
    """Something that happened in the betting had made the chip a wager already; taken off its sensor in time it is none."""
    round_ = draft.state.round
    if round_ is None or round_.phase is not Phase.BETTING or any(at == seat for at, _ in round_.accepted):
        return
    if any((at, wager) == (seat, "progressive") for at, wager, _ in round_.wagers(Fate.LIVE)):
        draft.add(f.WagerWithdrawn(seat, "progressive", name))


def _not_offered(draft: Draft, seat: int) -> None:
    """A chip for a wager that this house does not offer is none, whenever it comes: it is held until it is given back."""
    rule = draft.setup.law.rulebook.wagers.get("progressive")
    cite = rule.cite if rule else ()
    draft.decide_wager(seat, "progressive", draft.setup.progressive_cents, Fate.HELD, cite, None)
    draft.hold(
        f"seat {seat}: a chip lies on the sensor of a progressive wager that is not offered at this table; give it back",
        cite=cite, seat=seat, wager="progressive", choices=(Resolution.RETURN_WAGER,), code="progressive_not_offered"
    )  # fmt: skip


def _unwanted(draft: Draft, name: str, report: e.LockoutReleased | e.DispensingAllowed) -> None:
    """Locks a device that opened by itself, and holds play for a person."""
    level = e.Level.LOCKOUT if isinstance(report, e.LockoutReleased) else e.Level.DISPENSING
    wanted = draft.state.devices[name].wanted.get(level, e.SAFE_VALUE[level])
    if wanted == e.SAFE_VALUE[level] and report.cause is not e.Cause.COMMAND:
        draft.want(name, level, e.SAFE_VALUE[level], f"{name} opened by itself ({report.cause})")
        draft.hold(
            f"{name} opened its {level} by itself ({report.cause}); look who touched it", code="level_opened"
        )


def _powered_up(draft: Draft, name: str, inside: int | None) -> None:
    """What shuffles has forgotten over a power cut that the cards in it were in order, also those that it has still to deal;
    one that finds none has nothing to forget. A dispenser that lost its power in the middle of a deal cannot say which stacks
    were taken: it failed to deal."""
    device = draft.state.devices[name]
    shuffles = device.kind is e.DeviceKind.SHUFFLER or e.Capability.RESHUFFLES in device.capabilities
    if shuffles and inside != 0:
        may_lie_in_it = [device.holds] if device.holds else may_shuffle(draft.state, e.Back.UNKNOWN)
        if still_to_deal(draft.setup, draft.state, name):
            may_lie_in_it.append(draft.state.playing.back)
        disarm(
            draft,
            [b for b in may_lie_in_it if not _lies_on_layout(draft, b)],
            f"{name} restarted with cards in it",
        )
    if handing_out(draft.setup, draft.state, name) and not deal_is_out(draft):
        jams.jam(draft, name, draft.state.playing.back, dealing=True)


def round_live(draft: Draft) -> bool:
    """True while wagers lie on the layout and nobody has decided them."""
    return draft.state.round is not None and draft.state.round.live
