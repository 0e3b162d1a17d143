"""Acts before the deal: wagers are placed and taken back, and the announcement ends the betting."""

from collections.abc import Mapping

from controller.rules.parts import WagerRule
from controller.rules.vocabulary import Moment, Trigger
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import accept_progressive, dispose
from controller.table.questions import coupons_and_envy, positions
from controller.table.questions.stub_count_and_turns import full_set, order_cite, takes_chips, withheld
from controller.table.state.table import Fate, Seat, Setup, State, Wager
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.events import ENGAGED, RELEASED, DeviceKind, Level

MOST_CENTS = 10_000_000_000
"""No wager is larger: a slip of the keys is refused, and every sum of a round stays exact for any JSON reader (53 bits)."""


def verify_place_wager(setup: Setup, state: State, act: a.PlaceWager, actor: Actor) -> Refusal | None:
    """Why this wager is not placed: the table does not take it here, or its amount, its player or its ground is wrong."""
    rule = setup.law.rulebook.wagers.get(act.wager)
    known = ", ".join(n for n, w in setup.law.rulebook.wagers.items() if w.placed == "before_deal")
    if rule is None or rule.placed != "before_deal":
        return Refusal(
            f"seat {act.seat}: no wager {act.wager} is placed before the deal; there are: {known}",
            code="wager_unknown",
        )
    return (
        _not_taken(setup, state, act, rule)
        or _wrong_amount(setup, act, rule)
        or _wrong_player(setup, state, act)
        or coupons_and_envy.place_coupon(setup, act)
        or _without_ground(setup, state, act, rule)
    )


def place_wager(draft: Draft, act: a.PlaceWager, actor: Actor) -> None:
    """Records the wager, and the coupon beside it."""
    currency = draft.setup.currency
    draft.add(f.WagerPlaced(act.seat, act.wager, act.cents, currency, actor.who, act.player, act.coupon))


def _not_taken(setup: Setup, state: State, act: a.PlaceWager, rule: WagerRule) -> Refusal | None:
    """Why the table takes no such wager at this seat now."""
    if rule.optional and act.wager not in setup.offered:
        return Refusal(
            f"seat {act.seat}: {act.wager} is not offered at this table", rule.cite, code="wager_not_offered"
        )
    method = state.playing.method
    if act.wager in withheld(setup, method):
        return Refusal(
            f"seat {act.seat}: {act.wager} is not offered while cards are dealt by {method}: no clause deals its cards",
            rule.cite,
            code="wager_withheld",
        )
    if rule.sensed:
        return Refusal(
            f"seat {act.seat}: {act.wager} is placed on its sensor, not by hand", rule.cite, code="wager_on_sensor"
        )
    if (wrong := wrong_mode(state, rule)) is not None:
        return wrong
    if not 1 <= act.seat <= setup.seats:
        return Refusal(
            f"seat {act.seat}: this table has seats 1 to {setup.seats}",
            setup.law.rulebook.seats.cite,
            code="unknown_seat",
        )
    return None


def _wrong_amount(setup: Setup, act: a.PlaceWager, rule: WagerRule) -> Refusal | None:
    """Why nobody bets this amount: by the document, or by the posted limits."""
    if act.cents < 0:
        return Refusal(
            f"seat {act.seat}: a wager is at least 1 cent, or 0 if nobody counted it; {act.cents} was given",
            code="amount_out_of_range",
        )
    if act.cents > MOST_CENTS:
        return Refusal(
            f"seat {act.seat}: {act.cents} cents cannot be; at most {MOST_CENTS}", code="amount_out_of_range"
        )
    if rule.exact_cents is not None and act.cents != rule.exact_cents.value:
        return Refusal(
            f"seat {act.seat}: {act.wager} is exactly {rule.exact_cents.value} cents",
            rule.exact_cents.cite,
            code="amount_not_exact",
        )
    least, most = setup.limits.get(act.wager, (1, MOST_CENTS))
    if act.cents and not least <= act.cents <= most:
        return Refusal(
            f"seat {act.seat}: {act.wager} is from {least} to {most} cents at this table",
            rule.cite,
            code="amount_out_of_limits",
        )
    return None


def _wrong_player(setup: Setup, state: State, act: a.PlaceWager) -> Refusal | None:
    """Why this player does not bet at this seat."""
    if len(act.player) > positions.LONGEST_NAME:
        return Refusal(
            f"seat {act.seat}: a player's name has at most {positions.LONGEST_NAME} characters", code="text_length"
        )
    return positions.positions(setup, state.playing, act.player, act.seat) if act.player else None


def _without_ground(setup: Setup, state: State, act: a.PlaceWager, rule: WagerRule) -> Refusal | None:
    """Why the wager does not fit to those that lie at the seat: it lies there already, or needs another one first."""
    seat = state.playing.seats.get(act.seat)
    placed: Mapping[str, Wager] = seat.wagers if seat else {}
    if act.wager in placed:
        return Refusal(
            f"seat {act.seat}: {act.wager} is placed already; withdraw it first", code="wager_placed_already"
        )
    wagers = setup.law.rulebook.wagers  # two wagers that require each other are checked when bets close
    missing = [n for n in rule.requires.value if n not in placed and act.wager not in wagers[n].requires.value]
    if missing:
        return Refusal(
            f"seat {act.seat}: {act.wager} needs {', '.join(missing)} first",
            rule.requires.cite,
            code="wager_needs_another",
        )
    return None


def wrong_mode(state: State, rule: WagerRule) -> Refusal | None:
    """A wager that needs the shuffler in a mode of its own; a shuffler that does not tell its mode is believed."""
    if rule.device_mode is None:
        return None
    wanted, shuffler = rule.device_mode.value, state.device_of(DeviceKind.SHUFFLER)
    if shuffler is None:
        return Refusal(
            f"{rule.name} needs the shuffler in service, set to {wanted}",
            rule.device_mode.cite,
            code="shuffler_mode_wrong",
        )
    mode = shuffler[1].levels.mode
    if mode is None or mode == wanted:
        return None
    return Refusal(
        f"{shuffler[0]} is set to {mode}; for {rule.name} it is set to {wanted}",
        rule.device_mode.cite,
        code="shuffler_mode_wrong",
    )


def verify_withdraw_wager(setup: Setup, state: State, act: a.WithdrawWager, actor: Actor) -> Refusal | None:
    """Why there is nothing to take back by hand."""
    rule = setup.law.rulebook.wagers.get(act.wager)
    if rule is not None and rule.sensed:
        return Refusal(
            f"seat {act.seat}: {act.wager} is taken back from its sensor, not by hand",
            rule.cite,
            code="wager_on_sensor",
        )
    if not any((seat, name) == (act.seat, act.wager) for seat, name, _ in state.playing.wagers(Fate.LIVE)):
        return Refusal(f"seat {act.seat} has no {act.wager} wager on the layout", code="no_such_wager")
    return None


def withdraw_wager(draft: Draft, act: a.WithdrawWager, actor: Actor) -> None:
    """Takes the wager back, and its coupon with it."""
    draft.add(f.WagerWithdrawn(act.seat, act.wager, actor.who))


def verify_announce_no_more_bets(
    setup: Setup, state: State, act: a.AnnounceNoMoreBets, actor: Actor
) -> Refusal | None:
    """What must be placed stands at each seat with a wager, and in the amount that the document wants."""
    if not state.playing.in_play:
        return Refusal("no seat has placed its wagers; without a wager there is no round", code="no_wager")
    for player in sorted(positions.players(state.playing)):
        apart = positions.positions(setup, state.playing, player)  # a position between was given up
        if apart is not None:
            return apart
    for number, seat in sorted(state.playing.seats.items()):
        if (wrong := _incomplete(setup, number, seat)) is not None:
            return wrong
    return None


def announce_no_more_bets(draft: Draft, act: a.AnnounceNoMoreBets, actor: Actor) -> None:
    """The lock-out follows the announcement; chips accepted before it become wagers of their seats."""
    accept_progressive(draft)
    law = draft.setup.law.rulebook
    locks = law.cite_for(law.progressive.lock_at.cite if law.progressive else (), draft.state.method)
    cite = (*order_cite(draft.setup, draft.state, act.kind), *locks)
    seats = tuple(sorted({seat for seat, _ in draft.state.playing.accepted}))
    draft.add(f.BetsClosed(actor.who, seats, cite))
    progressive = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if progressive is None:
        return
    draft.want(progressive[0], Level.LOCKOUT, ENGAGED, "no more bets")
    draft.want(progressive[0], Level.LAMPS, ",".join(map(str, seats)), "accepted progressive wagers")
    _return_chips_without_ground(draft)


def _incomplete(setup: Setup, number: int, seat: Seat) -> Refusal | None:
    """Which wager this seat lacks, or has in an amount that the document does not want."""
    rules = setup.law.rulebook.wagers
    if not any(name in rules and not rules[name].sensed for name in seat.wagers):
        return None
    must = [rule for rule in rules.values() if rule.placed == "before_deal" and not rule.optional]
    for rule in sorted(must, key=lambda rule: rule.of is None):
        placed, spoken = seat.wagers.get(rule.name), rule.name.replace("_", " ")
        if rule.of is not None:
            of = seat.wagers.get(rule.of)
            if placed is None or of is None or not fits(rule, placed.cents, of.cents):
                return Refusal(
                    f"seat {number}: the {spoken} must stand and equal the {rule.of}",
                    rule.cite,
                    code="wager_needs_another",
                )
        elif placed is None:
            return Refusal(f"seat {number}: the {spoken} must stand", rule.cite, code="wager_needs_another")
    return _alone(setup, number, seat)


def fits(rule: WagerRule, cents: int, of: int) -> bool:
    """Whether the amount is one that the document wants; of chips that nobody counted nobody can say otherwise."""
    return 0 in (cents, of) or cents in [of * n for n in rule.multiples(Moment.BEFORE_DEAL)]


def _alone(setup: Setup, number: int, seat: Seat) -> Refusal | None:
    """A wager whose ground was taken back after it was placed. A chip on a sensor is no wager before the announcement."""
    rules = setup.law.rulebook.wagers
    for name in seat.wagers:
        rule = rules.get(name)
        missing = [n for n in rule.requires.value if n not in seat.wagers] if rule and not rule.sensed else []
        if rule and missing:
            told = f"seat {number}: {name} needs {', '.join(missing)}; place that, or take {name} back too"
            return Refusal(told, rule.requires.cite, code="wager_needs_another")
    return None


def _return_chips_without_ground(draft: Draft) -> None:
    """A progressive wager may not stand without the wagers that it requires."""
    rule = draft.setup.law.rulebook.wagers.get("progressive")
    if rule is None:
        return
    for seat, name, _ in draft.state.playing.wagers(Fate.LIVE):
        placed = draft.state.playing.seats[seat].wagers
        missing = [w for w in rule.requires.value if w not in placed]
        if name == "progressive" and missing:
            draft.hold(
                f"seat {seat}: a progressive wager without {', '.join(missing)}; it goes back",
                cite=rule.requires.cite, reading=rule.requires.reading, seat=seat, wager=name,
                choices=(a.Resolution.RETURN_WAGER,), code="wager_needs_another"
            )  # fmt: skip


def verify_release_lockout(setup: Setup, state: State, act: a.ReleaseLockout, actor: Actor) -> Refusal | None:
    """The sensors stay locked where the house offers no wager that they take."""
    if state.playing.chips:
        return None
    rule = setup.law.rulebook.wagers.get("progressive")
    cite = rule.cite if rule else ()
    return Refusal(
        "a progressive wager is not offered at this table; its lock-out stays engaged",
        cite,
        code="progressive_not_offered",
    )


def release_lockout(draft: Draft, act: a.ReleaseLockout, actor: Actor) -> None:
    """Opens the sensors again."""
    open_sensors(draft, f"{actor.who} released it")


def open_sensors(draft: Draft, because: str) -> None:
    """The sensors take chips now, unless the house offers no wager that they take: then they stay locked."""
    if not draft.state.playing.chips:
        return
    progressive = draft.state.device_of(DeviceKind.PROGRESSIVE)
    if progressive and progressive[1].online:
        draft.want(progressive[0], Level.LOCKOUT, RELEASED, because)


def verify_record_progressive_count(
    setup: Setup, state: State, act: a.RecordProgressiveCount, actor: Actor
) -> Refusal | None:
    """Why no chips are counted here, or why there cannot be so many."""
    if (absent := setup.law.rulebook.absent(Trigger.PROGRESSIVE_MISMATCH)) is not None:
        return Refusal(absent.says, absent.cite, code="cannot_happen_here")
    if not takes_chips(setup) and not state.playing.accepted:
        offers = setup.law.rulebook.wagers["progressive"].cite
        return Refusal(
            "no progressive wager is offered at this table, so no chip of one is counted",
            offers,
            code="progressive_not_offered",
        )
    limit = full_set(setup)
    return (
        None
        if 0 <= act.chips <= limit
        else Refusal(f"{act.chips} chips cannot be; 0 to {limit}", code="count_out_of_range")
    )


def record_progressive_count(draft: Draft, act: a.RecordProgressiveCount, actor: Actor) -> None:
    """Compares the chips on the layout with those that the device accepted."""
    law = draft.setup.law.rulebook
    cite = law.cite_for(law.progressive.verify_count.cite if law.progressive else (), draft.state.method)
    accepted = draft.state.playing.chips_accepted
    draft.add(f.ProgressiveCounted(act.chips, accepted, actor.who, cite))
    if act.chips != accepted:
        dispose(draft, Trigger.PROGRESSIVE_MISMATCH)
