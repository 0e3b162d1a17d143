"""Progressive meters that this table computes: what each input of a round puts into their ledgers.

Theory of operation. After every input the ledgers are brought up to the wagers of the round: a wager that was accepted adds once
the cards come, one that goes back afterwards is void, a wager that wins a part of a meter by the cards is a claim, paid in
the order of settlement. Each is booked once, as the ledger remembers it by round and seat; so an input that is decided
again after a crash finds nothing left to book. Clause: md-uth 12.D(1), 12.D(4).
"""

from collections.abc import Iterator, Mapping

from controller.games.settling import meters as ledger
from controller.games.settling.engine import settler_of
from controller.games.settling.meters import Account, Entry, Ledger, MeterTerms
from controller.games.settling.settled import Line, Outcome
from controller.rules.pay import OfMeter, parse_pays
from controller.rules.vocabulary import Settle
from controller.table.fold.meters import key
from controller.table.fold.ruling import Draft
from controller.table.settlement.offer import PROGRESSIVE, all_lines, offer
from controller.table.state.table import Booked, Fate, LastRound, MeterState, Round, Setup, State, Wager
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.refusal import Refusal

NOT_YET = (Fate.RETURNED, Fate.HELD)
"""Fates of a wager that adds nothing: it went back, or waits for a person."""
PAYS = (f.WagerSettled, f.RoundSettled, f.SettlementCorrected)


def book(draft: Draft) -> None:
    """Adds the entries that follow from the facts of this input."""
    if not draft.setup.meters or not draft.state.open:
        return
    for name, terms in draft.setup.meters.items():
        if name not in draft.state.meters:
            _add(draft, name, Entry.START, ledger.start(Ledger(terms), terms), terms=terms)
    round_ = draft.state.round
    if round_ is not None and round_.played:
        _contributions(draft, round_)
    if round_ is not None:
        _voids(draft, round_)
    if round_ is not None and any(isinstance(fact.event, f.HandRecorded) for fact in draft.facts):
        _claims(draft, round_)
    if any(isinstance(fact.event, PAYS) for fact in draft.facts):
        if round_ is not None:
            _prizes(draft, round_)
        for told in (round_, draft.state.last_round):
            if told is not None:
                _corrections(draft, told)


def untold(setup: Setup, round_: Round, act: a.SettleWager) -> Refusal | None:
    """Why a progressive wager does not win yet: which part of a meter it wins its cards tell, and nobody's word."""
    if not setup.meters or (act.wager, act.outcome) != (PROGRESSIVE, Outcome.WIN) or act.coupon or act.holder:
        return None
    found = offer(setup, round_)
    if found is not None and found.line(act.seat, PROGRESSIVE) is not None:
        return None
    return Refusal(
        f"seat {act.seat}: this table computes the meter, and the cards tell what is taken from it; record them first "
        f"({a.RecordHand.kind})",
        code="meter_needs_cards",
    )


def _contributions(draft: Draft, round_: Round) -> None:
    for name, state in draft.state.meters.items():
        wagers = tuple(
            (seat, wager.cents)
            for seat, wager in _progressive(round_)
            if wager.fate not in NOT_YET and wager.cents and key(round_.id, seat) not in state.booked
        )
        if wagers and name in draft.setup.meters:
            posts = ledger.contribution(state.ledger, sum(cents for _, cents in wagers))
            base = draft.setup.meters[name].base
            _add(draft, name, Entry.CONTRIBUTION, posts, round_=round_.id, wagers=wagers, reset=base)


def _voids(draft: Draft, round_: Round) -> None:
    """What a wager added stays on the meter where it goes back. Clause: `[[reading]]` on progressive chips of a void round."""
    for name, state in draft.state.meters.items():
        for seat, wager in _progressive(round_):
            has = state.booked.get(key(round_.id, seat))
            if has is not None and not has.void and wager.fate is Fate.RETURNED:
                gone, (cite, reading) = ((seat, wager.cents),), _why_it_went(draft, seat)
                posts = ledger.void(has.parts)
                _add(draft, name, Entry.VOID, posts, round_=round_.id, wagers=gone, cite=cite, reading=reading)


def _why_it_went(draft: Draft, seat: int) -> tuple[tuple[str, ...], str | None]:
    """Clauses and reading by which the wager of this seat went back with this input."""
    for fact in draft.facts:
        told = fact.event
        if isinstance(told, f.WagerDecided) and (told.seat, told.wager) == (seat, PROGRESSIVE):
            return told.cite, told.reading
    return (), None


def _claims(draft: Draft, round_: Round) -> None:
    """A hand whose cards win a part of a meter is a claim from then on, on record and on every screen. What it comes to is
    settled at the player's turn. Cards that are recorded anew may make it another sum, or none.

    Clause: md-uth 11.J(2)(a), 12.D(4).
    """
    wins = {
        line.seat: (pays.meter, line)
        for line in all_lines(draft.setup, round_)
        if (line.wager, line.outcome) == (PROGRESSIVE, Outcome.WIN) and not (line.holder or line.coupon)
        if isinstance(pays := parse_pays(line.pays), OfMeter)
    }
    known = {name: dict(state.booked) for name, state in draft.state.meters.items()}
    for name, booked in known.items():
        for seat, _ in _progressive(round_):
            has = booked.get(key(round_.id, seat))
            meter, line = wins.get(seat, ("", None))
            comes_to = line.paid if line is not None and meter == name else 0
            if has is not None and not has.void and has.prize is None and has.seen != comes_to:
                cite = line.cite if line is not None else ()
                _add(draft, name, Entry.SEEN, {}, round_=round_.id, seat=seat, prize=comes_to, cite=cite)


def _prizes(draft: Draft, round_: Round) -> None:
    """A claim, its payment, and a new start after a full prize: in the order of settlement, all of one input or none."""
    placed = dict(_progressive(round_))
    waits = [seat for seat, wager in placed.items() if wager.fate is Fate.SETTLED]
    if not any(_unpaid(state, round_, seat) for state in draft.state.meters.values() for seat in waits):
        return
    for line in all_lines(draft.setup, round_):
        if line.wager != PROGRESSIVE or line.holder or line.coupon or line.seat not in waits:
            continue
        pays = parse_pays(line.pays) if line.outcome is Outcome.WIN else None
        cents = _paid(placed[line.seat], line)
        if isinstance(pays, OfMeter) and cents:
            state = draft.state.meters.get(pays.meter)
            if state is not None and _unpaid(state, round_, line.seat):
                _pay(draft, round_, line, pays, cents)


def _pay(draft: Draft, round_: Round, line: Line, pays: OfMeter, cents: int) -> None:
    name, whole, law = pays.meter, pays.per_cent == 100, draft.setup.law.rulebook
    after = law.settlement.get(Settle.METER_AFTER)
    lowers = after is not None and after.value == "lower"
    book_of = draft.state.meters[name].ledger
    number = book_of.claims + 1
    taken = ledger.claim(book_of, cents, whole=whole, lowers=lowers)
    for entry, posts in ((Entry.CLAIM, taken), (Entry.PAID, ledger.paid(cents))):
        _add(
            draft, name, entry, posts, round_=round_.id, seat=line.seat, claim=number, prize=cents, cite=line.cite
        )
    if whole:
        terms = draft.setup.meters.get(name, book_of.terms)
        posts = ledger.start(draft.state.meters[name].ledger, terms)
        _add(draft, name, Entry.RESEED, posts, terms=terms, round_=round_.id)


def _corrections(draft: Draft, told: Round | LastRound) -> None:
    """Books what a correction gives or takes after a prize was paid. No meter rises or falls by it."""
    for name, state in draft.state.meters.items():
        for seat, wager in _progressive(told):
            has = state.booked.get(key(told.id, seat))
            if has is None or not wager.corrected or (has.prize is None and not has.seen):
                continue
            now, before = wager.paid if wager.outcome is Outcome.WIN else 0, has.prize or 0
            if now != before:
                posts = ledger.correction(now - before)
                _add(draft, name, Entry.CORRECTION, posts, round_=told.id, seat=seat, prize=now)


def _progressive(round_: Round | LastRound) -> Iterator[tuple[int, Wager]]:
    for number, seat in sorted(round_.seats.items()):
        if (wager := seat.wagers.get(PROGRESSIVE)) is not None:
            yield number, wager


def _unpaid(state: MeterState, round_: Round, seat: int) -> bool:
    has: Booked | None = state.booked.get(key(round_.id, seat))
    return has is not None and has.prize is None


def _paid(wager: Wager, line: Line) -> int:
    """Cents that the wager was paid: as it was settled, or with the round as the cards have it."""
    if wager.outcome is None:
        return line.paid
    return wager.paid if wager.outcome is Outcome.WIN else 0


def _add(
    draft: Draft,
    name: str,
    entry: Entry,
    posts: Mapping[Account, int],
    *,
    round_: str | None = None,
    seat: int | None = None,
    claim: int | None = None,
    wagers: tuple[tuple[int, int], ...] | None = None,
    prize: int | None = None,
    reset: int | None = None,
    terms: MeterTerms | None = None,
    cite: tuple[str, ...] = (),
    reading: str | None = None,
) -> None:
    state: State = draft.state
    before = state.meters[name].ledger if name in state.meters else Ledger(MeterTerms(0, 0))
    after, currency = before.posted(entry, posts, terms), draft.setup.currency
    about = (round_, wagers, seat, claim, prize, reset, terms, cite, reading)
    draft.add(f.MeterBooked(name, after.generation, entry, posts, after.cents, currency, *about))


def recorded_by_nobody(setup: Setup, meter: str) -> Refusal | None:
    """Why nobody types a meter here."""
    if meter not in setup.meters:
        return None
    cite = settler_of(setup.law).resets[meter][1]
    return Refusal(
        f"this table's ledger has the meter {meter}; nobody types it", cite, code="meter_told_by_ledger"
    )
