"""The settlement that cards and stakes make of the round, as far as both are known, offered to the people who settle it.

What is not known stands as a card that was not read: nothing is guessed, and what is missing is asked for. What is offered
binds nobody; a wager that is settled otherwise is recorded with the difference.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from controller.games.model import Phase
from controller.games.settling import round as rounds
from controller.games.settling.engine import Settler, settler_of
from controller.games.settling.money import ASKED, NOT_PROVABLE
from controller.games.settling.round import UNREADABLE, Hand, Irregularity, RoundRefused, Terms
from controller.games.settling.settled import Cut, Line, Outcome, Settlement
from controller.games.settling.side import BOX, SIX_CARD
from controller.rules.vocabulary import Area, Guard
from controller.table.questions.stub_count_and_turns import opened
from controller.table.state.table import Fate, Round, SeenHand, Setup
from controller.table.words.structs import replace

PROGRESSIVE = "progressive"
OPEN = (Fate.LIVE, Fate.STANDS, Fate.TO_SETTLE, Fate.SETTLED)
"""Fates of wagers that are still to be settled; `SETTLED` only where no outcome was recorded."""
TAKEN = (Fate.COLLECTED, Fate.LOST)
"""Fates of a wager that is gone, whatever the cards are: what becomes of its coupon needs none."""
OF_COUPON = (*OPEN, *TAKEN)
"""Fates of a wager beside which a coupon is settled, or taken with it."""
GONE = (Fate.RETURNED, Fate.LOST)
"""Fates of a wager that no cards settle any more: a progressive wager takes nothing from a meter then, and earns no envy."""
OF_THE_BOX, OF_THE_TABLE = SIX_CARD, "cover_all"
"""Wagers of which the cards are not those of the seat alone."""


class Missing(Struct, frozen=True):
    """What a person may still tell: a hand (`area`, `seat`), or the meter of this name."""

    area: Area | None = None
    seat: int = 0
    meter: str = ""


Key = tuple[int, str, bool, int]
"""Seat, wager, whether its coupon is meant, and the seat whose hand earns envy, 0 where none is meant."""


class Offer(Struct, frozen=True):
    """`lines`: wagers still to be settled, in the order of the document, after `cuts`.

    `refused`: why there are none, or seat by seat why the recorded cards of a hand count as not read. `limited`: lines of
    which a limit would take something where a person decides whether it stands, each with that limit. `uncounted`: seats with
    chips that nobody counted; nothing is offered for these.
    """

    lines: tuple[Line, ...] = ()
    missing: tuple[Missing, ...] = ()
    cuts: tuple[Cut, ...] = ()
    refused: str = ""
    limited: tuple[tuple[Line, Cut], ...] = ()
    uncounted: tuple[int, ...] = ()

    def line(self, seat: int, wager: str, *, coupon: bool = False, holder: int = 0) -> Line | None:
        """What is offered for this wager, its coupon, or envy; None where nobody can tell, or a person is to decide."""
        found = (x for x in self.lines if _key(x) == (seat, wager, coupon, holder))
        asked = [limited for limited, _ in self.limited]
        return next((x for x in found if x.outcome is not Outcome.HELD and x not in asked), None)

    def limits(self, seat: int, wager: str, *, coupon: bool, holder: int) -> tuple[Cut, ...]:
        """The limits of which a person is to decide before this wager is paid beyond them; () where none is reached."""
        return tuple(cut for x, cut in self.limited if _key(x) == (seat, wager, coupon, holder))

    def asked(self, *meant: Key) -> tuple[Line, ...]:
        """Of these, or without any of all that wait, those that a person decides because the text leaves them open."""
        held = (x for x in self.lines if x.outcome is Outcome.HELD and (x.reading or ASKED in x.note))
        return tuple(x for x in held if not meant or _key(x) in meant)

    def comes_to(self) -> dict[int, int] | None:
        """Cents that go back to each seat; None where nobody can tell that of all that waits."""
        if (
            self.refused
            or self.uncounted
            or self.missing
            or self.limited
            or any(x.outcome is Outcome.HELD for x in self.lines)
        ):
            return None
        seats = dict.fromkeys((x.seat for x in self.lines), 0)
        for line in self.lines:
            seats[line.seat] += line.returned + line.paid
        return seats


_last: tuple[Setup, Round, Offer | None] | None = None


def _key(line: Line) -> Key:
    return line.seat, line.wager, bool(line.coupon), line.holder


def offer(setup: Setup, round_: Round) -> Offer | None:
    """What is to be settled now, by cards and pay tables; None where no wager waits for it.

    Who may settle, what is recorded then and what is shown ask of the same round one after the other: the last answer is kept.
    """
    global _last  # noqa: PLW0603  # one pair of what was asked and the answer, replaced as a whole
    last = _last
    if last is None or last[0] is not setup or last[1] is not round_:
        _last = last = setup, round_, _offer(setup, round_)
    return last[2]


def _offer(setup: Setup, round_: Round) -> Offer | None:
    waiting = set(_waiting(setup, round_))
    if not waiting and not _beside(setup, round_):
        return None
    if len(_happened(round_)) > 1:
        return Offer(
            refused="several hands of this round are void, each for its own reason: settle by the document"
        )
    uncounted = round_.uncounted()
    settler = settler_of(setup.law)
    lie = {seat for seat, _, wager in round_.wagers(*OPEN) if wager.outcome is None}
    by_hand = tuple(seat for seat in uncounted if seat in lie)
    known = _as_known(setup, round_, settler)
    if not known.hands:
        return Offer(uncounted=by_hand) if by_hand else None
    settled, refused = _settled(settler, known)
    if settled is None:
        return Offer(refused=refused, uncounted=by_hand)
    lines = [_with_lost(round_, x) for x in _after(settled.lines, settled.cuts) if _waits(round_, x, waiting)]
    if uncounted:
        meters = bool(settler.resets) and _meets(round_, uncounted)
        lines = [x for x in lines if not _hangs_on_others(x, meters)]
    if not lines and not waiting:
        return None
    cuts = tuple(cut for cut in settled.cuts if any(x.seat == cut.seat for x in lines))
    limited = tuple((x, cut) for x, cut in _limited(settled.lines, settled.cuts) if x in lines)
    missing = tuple(_missing(setup, round_, settler, waiting, lines))
    return Offer(tuple(lines), missing, cuts, refused, limited, by_hand)


def all_lines(setup: Setup, round_: Round) -> tuple[Line, ...]:
    """What cards and pay tables make of every wager of the round, settled or not, in the order of settlement; () where nobody can
    tell."""
    known = _as_known(setup, round_, settler_of(setup.law))
    settled = _settled(settler_of(setup.law), known)[0] if known.hands and len(_happened(round_)) < 2 else None
    return settled.lines if settled is not None else ()


def _meets(round_: Round, uncounted: Sequence[int]) -> bool:
    """Whether one of these seats may take from a meter what another one would be paid from it."""
    placed = [round_.seats[seat].wagers.get(PROGRESSIVE) for seat in uncounted]
    return any(wager is not None and wager.fate not in GONE for wager in placed)


def _hangs_on_others(line: Line, meters: bool) -> bool:
    """Whether hands that stand in no settlement, as nobody counted their chips, could make it another. `meters`: they could take
    from those."""
    return line.wager == OF_THE_TABLE or (meters and line.wager == PROGRESSIVE and line.outcome is Outcome.WIN)


def _settled(settler: Settler, known: rounds.Round) -> tuple[Settlement | None, str]:
    """The settlement, and what cannot be. A hand that is not what its player said stands as unread: the others are compared."""
    told: tuple[str, ...] = ()
    while True:  # each time with one unread hand more
        try:
            return settler.settle(known), "; ".join(told)
        except RoundRefused as refused:
            told = tuple(dict.fromkeys((*told, str(refused))))
            unread = tuple(_without_cards(h) if h.seat == refused.seat else h for h in known.hands)
        if unread == known.hands:
            return None, "; ".join(told)
        known = replace(known, hands=unread)


def _without_cards(hand: Hand) -> Hand:
    return replace(
        hand, cards=_unread(len(hand.cards)), played=_unread(len(hand.played)), shown=_unread(len(hand.shown))
    )


def _waiting(setup: Setup, round_: Round) -> Iterator[tuple[int, str]]:
    """Before the last stage only what is settled with an answer, or before one; in it all that lies."""
    last = round_.phase is round_.game.stages[-1].phase
    for seat, name, wager in round_.wagers(*OPEN):
        now = last or wager.fate in (Fate.SETTLED, Fate.TO_SETTLE) or name in opened(setup, round_, seat)
        if now and wager.outcome is None and wager.cents and seat in round_.in_play:
            yield seat, name


def _beside(setup: Setup, round_: Round) -> bool:
    """Whether a coupon or envy may be left to be settled when no wager is. Beside chips that were taken it waits for no cards.

    A round that stopped may have chips that were settled before, or that a void spared, beside a coupon that nobody settled.
    """
    open_ = [
        seat.wagers[n].fate for seat in round_.seats.values() for n, c in seat.coupons.items() if c.outcome is None
    ]
    ends, stopped = round_.phase is round_.game.stages[-1].phase, round_.phase is Phase.STOPPED
    if (ends or stopped) and any(fate in TAKEN for fate in open_):
        return True
    if stopped:  # no hand earns envy any more; a coupon goes the way of chips that stay settled
        return bool(round_.seen) and Fate.SETTLED in open_
    if not ends or not (open_ or round_.seen):
        return False
    return bool(open_) or (
        settler_of(setup.law).pays_envy and any(name == PROGRESSIVE for _, name, _ in round_.wagers(*OPEN))
    )


def _waits(round_: Round, line: Line, waiting: set[tuple[int, str]]) -> bool:
    """Whether this line is still to be settled. A coupon is settled with its wager or after it; envy last of all."""
    seat = round_.seats[line.seat]
    if line.holder:
        return line.holder not in seat.envy
    if line.coupon:
        return seat.coupons[line.wager].outcome is None and seat.wagers[line.wager].fate in OF_COUPON
    return (line.seat, line.wager) in waiting


def _with_lost(round_: Round, line: Line) -> Line:
    """A coupon beside a wager that is lost already, whatever its cards would make of it, is taken with it."""
    if not line.coupon or round_.seats[line.seat].wagers[line.wager].fate is not Fate.LOST:
        return line
    return Line(line.seat, line.wager, 0, Outcome.LOSE, note="the coupon is taken", coupon=line.coupon)


def _as_known(setup: Setup, round_: Round, settler: Settler) -> rounds.Round:
    hand = setup.law.rulebook.hand
    dealer = round_.seen.get((Area.DEALER, 0))
    ends = round_.phase in (round_.game.stages[-1].phase, Phase.SETTLED)
    # After a dealer's natural no community card is dealt, or counts.
    without = dealer is not None and ends and (round_.natural or not round_.streets)
    return rounds.Round(
        tuple(_hand(setup, round_, seat, settler) for seat in round_.in_play if seat not in round_.uncounted()),
        _filled(round_, Area.DEALER, hand.dealer_cards),
        () if without else _filled(round_, Area.COMMUNITY, hand.community_cards),
        _filled(round_, Area.SIX_CARD_BOX, BOX),
        dealer.played if dealer else (),
        round_.meters,
        next(iter(_happened(round_)), None),
        terms_of(setup),
        under_way=True,
        left=round_.left,
    )


def _happened(round_: Round) -> tuple[Irregularity, ...]:
    """What made hands void, as far as it reaches those that are settled: with a hand of which nobody counted the chips no other
    one fares otherwise, unless all are void."""
    uncounted, voids = round_.uncounted(), tuple(map(_with_hands, round_.voids))
    if round_.void:
        return tuple(replace(void, seat=0) if void.seat in uncounted else void for void in voids)
    return tuple(void for void in voids if void.seat not in uncounted)


def _with_hands(void: Irregularity) -> Irregularity:
    """Where hands were missing, only what a person let stand is still to be settled: on hands that were dealt for it."""
    return replace(void, state=tuple(guard for guard in void.state if guard is not Guard.HANDS_MISSING))


def terms_of(setup: Setup) -> Terms:
    """Those of the table; what a hand could win with the least wagers may raise a limit of its payout."""
    return Terms.posted(setup.currency, setup.limits, setup.payout_limit, setup.unit)


def _hand(setup: Setup, round_: Round, number: int, settler: Settler) -> Hand:
    """A seat with what is known of it: a progressive wager only where its meters are, and it neither went back nor is lost."""
    seat, known = round_.seats[number], setup.law.rulebook.wagers
    wagers = {name: w.cents for name, w in seat.wagers.items() if name in known}
    gone = PROGRESSIVE in wagers and seat.wagers[PROGRESSIVE].fate in GONE
    if gone or any(meter not in round_.meters for meter in settler.resets):
        wagers.pop(PROGRESSIVE, None)
    seen = round_.seen.get((Area.PLAYER, number), SeenHand(_unread(setup.law.rulebook.hand.player.value)))
    played, shown = seen.played or _unread(settler.played), seen.shown or _unread(settler.shown)
    cards = _of_one_hand(setup, seen) if seat.one_hand else seen.cards
    coupons = {name: coupon.cents for name, coupon in seat.coupons.items() if name in wagers}
    return Hand(number, wagers, cards, seat.answers, played, shown, coupons)


def _of_one_hand(setup: Setup, seen: SeenHand) -> tuple[int, ...]:
    """Of more cards than a hand has, those that it plays, and nobody's word about the others; else the first that were dealt."""
    count = setup.law.rulebook.hand.player.value
    return (seen.played + _unread(count) if seen.played else seen.cards)[:count]


def _filled(round_: Round, area: Area, count: int) -> tuple[int, ...]:
    """The cards of the table that lie there, and an unread one in the place of each that does not yet."""
    seen = round_.seen.get((area, 0))
    cards = seen.cards if seen else ()
    return cards + _unread(count - len(cards))


def _unread(count: int) -> tuple[int, ...]:
    return (UNREADABLE,) * count


def _missing(
    setup: Setup, round_: Round, settler: Settler, waiting: set[tuple[int, str]], lines: Sequence[Line]
) -> Iterator[Missing]:
    """What would settle more: meters, then the hands of seats that cannot be told, then the cards of the table."""
    if any(name == PROGRESSIVE for _, name in waiting):
        yield from (Missing(meter=meter) for meter in settler.resets if meter not in round_.meters)
    open_ = [x for x in lines if x.outcome is Outcome.HELD and x.note == NOT_PROVABLE]
    whole_table = any(x.wager == OF_THE_TABLE for x in open_)
    for seat in round_.in_play:
        seen = round_.seen.get((Area.PLAYER, seat))
        wanted = whole_table or any(x.seat == seat for x in open_)
        if wanted and (seen is None or UNREADABLE in seen.cards or len(seen.played) < settler.played):
            yield Missing(Area.PLAYER, seat)
    hand = setup.law.rulebook.hand
    up = not round_.void and round_.game.dealer_is_up(round_.phase)
    counts = {
        Area.DEALER: hand.dealer_cards if up else 0,
        Area.COMMUNITY: hand.community_cards if round_.streets else 0,
    }
    if any(x.wager == OF_THE_BOX for x in open_):
        counts[Area.SIX_CARD_BOX] = BOX
    for area, count in counts.items():
        if open_ and UNREADABLE in _filled(round_, area, count):
            yield Missing(area)


def _after(lines: Sequence[Line], cuts: Sequence[Cut]) -> Iterator[Line]:
    """The lines less what a limit takes off: what is paid last goes beyond it."""
    left = {n: cut.cut for n, cut in enumerate(cuts) if not cut.held}
    found = []
    for line in reversed(lines):
        paid = line.paid
        for n, cents in left.items():
            if _counts(cuts[n], line):
                taken = min(cents, paid)
                left[n], paid = cents - taken, paid - taken
        found.append(replace(line, paid=paid))
    return reversed(found)


def _limited(lines: Sequence[Line], cuts: Sequence[Cut]) -> Iterator[tuple[Line, Cut]]:
    """The lines of which a limit would take something in the same way, had it been elected."""
    for cut in cuts:
        left = cut.cut if cut.held else 0
        for line in reversed(lines):
            if left and line.paid and _counts(cut, line):
                yield line, cut
                left -= min(left, line.paid)


def _counts(cut: Cut, line: Line) -> bool:
    return line.seat == cut.seat and line.wager in cut.wagers and not line.holder
