"""Cards on record contradict what was announced of the same hand: a person finds out which of the two is wrong. Pure.

What these say is published and kept in logs, so that none of them names a card.
"""

from collections.abc import Mapping

from controller.cards.house_ways import Setting, is_natural, set_hand
from controller.games.settling.engine import settler_of
from controller.games.settling.pikit import reaches_minimum
from controller.games.settling.round import UNREADABLE
from controller.rules.ranked import house_ways
from controller.rules.vocabulary import Area
from controller.table.settlement.offer import Offer, offer
from controller.table.state.table import Fate, Round, Setup, Wager
from controller.table.words import acts as a
from controller.table.words.structs import replace

REMEDY = f"record the cards again if they were recorded wrongly ({a.RecordHand.kind})"

SOME_CENTS = 100


def contradicted(setup: Setup, before: Round, now: Round, told: a.RecordHand) -> str | None:
    """What the hand that was recorded between the two states contradicts, in words, with what can be done; None = nothing.

    Which cards the dealer plays may still be asked for, and is no contradiction.
    Clause: `[play] dealer_qualifies`, `dealer_natural`, `[ranking] house_ways`;
    a declaration, a natural or a setting of cards by the game's own.
    """
    cards = now.seen[told.area, told.seat].cards
    if told.area is Area.DEALER and UNREADABLE not in cards:
        if _misjudged(now, cards):
            said = "reach" if now.qualified else "not reach"
            return (
                f"the dealer's hand was said to {said} its minimum, and by its cards it is otherwise; {REMEDY}, or settle by "
                f"the cards what was given back or was not ({a.CorrectSettlement.kind})"
            )
        if _misnamed(now, cards):
            said = "a natural" if now.natural else "no natural"
            anew = f"say it anew ({a.RevealDealer.kind} natural={str(not now.natural).lower()})"
            then = anew if now.live else f"correct what was settled by it ({a.CorrectSettlement.kind})"
            return (
                f"the dealer's hand was said to be {said}, and by its cards it is otherwise; {REMEDY}, or "
                f"{a.Resolution.GO_ON} and {then}"
            )
        if (way := _set_otherwise(setup, now)) is not None:
            return (
                f"the dealer's hand is not set by the house ways, of which the first that fits is: {way.says} [{way.cite}]; "
                f"before the community cards it is set so and told again ({a.RecordHand.kind}), after them decide about the round"
            )
    if disproved(setup, now, told.seat) and not disproved(setup, before, told.seat):
        return (
            f"the hand of seat {told.seat} was reported to be declared falsely, and by its cards it wins at once; {REMEDY}, or "
            f"settle by the cards what was taken or given back by that report ({a.CorrectSettlement.kind})"
        )
    refused = _refused(setup, now) if told.area is Area.PLAYER else ""
    if refused and refused not in _refused(setup, before):
        return (
            f"the recorded cards do not fit what was answered or set, and nothing is compared with them; {REMEDY}, "
            f"or report what happened ({a.ReportIrregularity.kind})"
        )
    return None


def disproved(setup: Setup, round_: Round, number: int) -> bool:
    """Whether the cards on record of this seat win at once, although its declaration was reported to be false."""
    seat, seen = round_.seats.get(number), round_.seen.get((Area.PLAYER, number))
    whole = seat is not None and seat.disbelieved and not seat.one_hand
    return whole and seen is not None and settler_of(setup.law).wins_at_once(seen.cards)


def returned_by_announcement(setup: Setup, round_: Round, seat: int, wager: str) -> bool:
    """True where this wager went back by what was said of the dealer's hand, which its cards may show to be wrong, or which was
    said otherwise since."""
    natural = setup.law.rulebook.play.dealer_natural
    names = (
        *(round_.game.returned_unqualified if round_.qualified is False else ()),
        *(natural.value if natural is not None and round_.natural is not None else ()),
    )
    whose, base = round_.seats[seat], round_.game.base
    if wager not in names or round_.void or whose.void or whose.wagers[wager].fate is not Fate.RETURNED:
        return False
    return whose.wagers[base].fate is not Fate.RETURNED  # then another cause sent both back


def returned_unproven(setup: Setup, round_: Round) -> bool:
    """Whether a wager went back because of what was said of the dealer's hand, and no recorded cards show it."""
    seen = round_.seen.get((Area.DEALER, 0))
    cards = seen.cards if seen is not None else (UNREADABLE,)
    borne_out = UNREADABLE not in cards and not _misjudged(round_, cards) and not _misnamed(round_, cards)
    if (
        borne_out and round_.natural is not False
    ):  # what went back by a natural did so before it was said to be none
        return False
    return any(
        returned_by_announcement(setup, round_, seat, name) for seat, name, _ in round_.wagers(Fate.RETURNED)
    )


def _misjudged(round_: Round, cards: tuple[int, ...]) -> bool:
    """Whether the dealer's hand was said to reach its minimum and does not, or the other way round."""
    return round_.qualified is not None and reaches_minimum(cards) is not round_.qualified


def _misnamed(round_: Round, cards: tuple[int, ...]) -> bool:
    """Whether the dealer's hand was said to be a natural and is none, or the other way round."""
    return round_.natural is not None and is_natural(cards) is not round_.natural


def _set_otherwise(setup: Setup, round_: Round) -> Setting | None:
    """How the document sets the dealer's hand, where the record has it set another way. Clause: `[ranking] house_ways`."""
    ranking, seen = setup.law.rulebook.ranking, round_.seen[Area.DEALER, 0]
    if ranking.house_ways is None or not seen.played or is_natural(seen.cards):
        return None
    setting = set_hand(seen.cards, house_ways(setup.law.rulebook))
    return None if tuple(sorted(seen.played, reverse=True)) in setting.plays else setting


def _refused(setup: Setup, round_: Round) -> str:
    return (offer(setup, _as_if_counted(setup, round_)) or Offer()).refused


def _as_if_counted(setup: Setup, round_: Round) -> Round:
    """Cards fit an answer or not whatever lies there: chips that nobody counted stand as some that could."""
    rules, seats = setup.law.rulebook.wagers, dict(round_.seats)
    for number in round_.uncounted():
        lie = seats[number].wagers
        some = {name: replace(lie[name], cents=_cents(setup, lie, name)) for name in lie.keys() & rules.keys()}
        seats[number] = replace(seats[number], wagers={**lie, **some})
    return replace(round_, seats=seats)


def _cents(setup: Setup, lie: Mapping[str, Wager], name: str) -> int:
    """The amount of this wager: as recorded, else the printed multiple of its base wager, else the least posted one."""
    if lie[name].cents:
        return lie[name].cents
    rule = setup.law.rulebook.wagers[name]
    of = next((at for at in lie if at == rule.of), None)
    if of is not None:
        return _cents(setup, lie, of) * rule.times[0][1].value[0]
    least, _ = setup.limits.get(name, (SOME_CENTS, SOME_CENTS))
    return least
