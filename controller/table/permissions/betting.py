"""What stands in the way of a wager before the deal, and of the announcement that ends the betting."""

from controller.rules.parts import WagerRule
from controller.rules.vocabulary import Moment
from controller.table.questions import coupons_and_envy, positions
from controller.table.questions.stub_count_and_turns import withheld
from controller.table.state.table import Fate, Round, Seat, Setup, State
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.events import DeviceKind

MOST_CENTS = 10_000_000_000
"""No wager is larger: a slip of the keys is refused, and every sum of a round stays exact for any JSON reader (53 bits)."""


def place_wager(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    assert isinstance(act, a.PlaceWager)
    rule = setup.law.rulebook.wagers.get(act.wager)
    known = ", ".join(n for n, w in setup.law.rulebook.wagers.items() if w.placed == "before_deal")
    if rule is None or rule.placed != "before_deal":
        return Refusal(
            f"seat {act.seat}: no wager {act.wager} is placed before the deal; there are: {known}",
            code="wager_unknown",
        )
    if rule.optional and act.wager not in setup.offered:
        return Refusal(
            f"seat {act.seat}: {act.wager} is not offered at this table", rule.cite, code="wager_not_offered"
        )
    method = _round(state).method
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
    if (no_amount := _amount(setup, rule, act)) is not None:
        return no_amount
    if len(act.player) > positions.LONGEST_NAME:
        return Refusal(
            f"seat {act.seat}: a player's name has at most {positions.LONGEST_NAME} characters", code="text_length"
        )
    if act.player and (elsewhere := positions.positions(setup, _round(state), act.player, act.seat)) is not None:
        return elsewhere
    if (no_coupon := coupons_and_envy.place_coupon(setup, act)) is not None:
        return no_coupon
    placed = _round(state).seats[act.seat].wagers if act.seat in _round(state).seats else {}
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


def _amount(setup: Setup, rule: WagerRule, act: a.PlaceWager) -> Refusal | None:
    """Why no wager can have this amount here."""
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


def no_more_bets(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    """What must be placed stands at each seat with a wager, and in the amount that the document wants."""
    rules = setup.law.rulebook.wagers
    if not _round(state).in_play:
        return Refusal("no seat has placed its wagers; without a wager there is no round", code="no_wager")
    for player in sorted(positions.players(_round(state))):
        if (
            apart := positions.positions(setup, _round(state), player)
        ) is not None:  # a position between was given up
            return apart
    must = [rule for rule in rules.values() if rule.placed == "before_deal" and not rule.optional]
    for number, seat in sorted(_round(state).seats.items()):
        if not any(name in rules and not rules[name].sensed for name in seat.wagers):
            continue
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
        if (alone := _alone(setup, number, seat)) is not None:
            return alone
    return None


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


def withdraw_wager(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    assert isinstance(act, a.WithdrawWager)
    rule = setup.law.rulebook.wagers.get(act.wager)
    if rule is not None and rule.sensed:
        return Refusal(
            f"seat {act.seat}: {act.wager} is taken back from its sensor, not by hand",
            rule.cite,
            code="wager_on_sensor",
        )
    if not any((seat, name) == (act.seat, act.wager) for seat, name, _ in _round(state).wagers(Fate.LIVE)):
        return Refusal(f"seat {act.seat} has no {act.wager} wager on the layout", code="no_such_wager")
    return None


def lockout_released(setup: Setup, state: State, act: a.Act, actor: Actor) -> Refusal | None:
    if _round(state).chips:
        return None
    rule = setup.law.rulebook.wagers.get("progressive")
    cite = rule.cite if rule else ()
    return Refusal(
        "a progressive wager is not offered at this table; its lock-out stays engaged",
        cite,
        code="progressive_not_offered",
    )


def _round(state: State) -> Round:
    assert state.round is not None
    return state.round
