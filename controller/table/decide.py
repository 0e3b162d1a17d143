"""`decide(setup, state, input) -> facts`: pure, total, and the only door into the core.

An impossible input becomes `InputRefused`; an error of our own becomes `DecisionFailed` with a hold, so that a fault
in the software stops play and says so, and does not loop.
"""

from collections.abc import Iterable
from traceback import walk_tb

from controller.rules.vocabulary import Role
from controller.table.acts import contradictions, disputes
from controller.table.acts.permissions import do, doubt, verify
from controller.table.acts.seen import stale
from controller.table.card_sets.time_in_play import carry_over, gaming_day_told, set_due
from controller.table.course.links import decide_link
from controller.table.course.reports import decide_report
from controller.table.fold.fold import evolve
from controller.table.fold.ruling import Draft
from controller.table.irregularities.duties import close_done
from controller.table.questions import notices
from controller.table.settlement import meters
from controller.table.state.table import Setup, State
from controller.table.words import facts as f
from controller.table.words.acts import ACTS, Act, AnnounceNoMoreBets, ChangeMethod
from controller.table.words.codec import IDENTITIES
from controller.table.words.inputs import (
    SERVICE_EVENTS,
    CardsUnread,
    GamingDayTold,
    Input,
    RecordChecked,
    RecordReplaced,
    ServiceEvent,
    ServiceStarted,
    SetDue,
    SigningKeyChanged,
)
from drivers.events import ENGAGED, LINK_EVENTS, RELEASED, REPORTS, Level


def decide(setup: Setup, state: State, given: Input) -> tuple[f.Fact, ...]:
    """The facts that follow from one input, in order. Never raises for an input of any kind."""
    return tuple(decided(setup, state, given).facts)


def decided(setup: Setup, state: State, given: Input) -> Draft:
    """The same with the state that the facts lead to, for a caller who goes on from there."""
    try:
        return _decide(setup, state, given)
    except Exception as error:  # whatever it is: hold the table, say it, and do not decide this input again
        draft = _report_alone(setup, state, given)
        draft.add(f.DecisionFailed(given.body.kind, _said(error, state, given)))
        draft.hold(
            f"the software could not decide {given.body.kind}; check the table by hand",
            least_role=Role.SUPERVISOR,
            code="decision_failed",
        )
        return draft


def _said(error: Exception, state: State, given: Input) -> str:
    """Class and text; where cards are known the text may repeat them, and the place of the fault stands for it."""
    if given.body.kind not in IDENTITIES and not (state.round and state.round.seen):
        return f"{type(error).__name__}: {error}"
    *_, (frame, _) = walk_tb(error.__traceback__)
    return f"{type(error).__name__} in {frame.f_code.co_qualname}"


def _report_alone(setup: Setup, state: State, given: Input) -> Draft:
    """What a device reported stays true whatever we could make of it; only a report that cannot be folded is left out.

    A report of a device that is not here is refused before anything is made of it, so it never comes to this.
    """
    draft = Draft(setup, state, given.at)
    if given.body.kind in REPORTS or given.body.kind in LINK_EVENTS:
        try:
            draft.add(given.body, given.subject)  # type: ignore[arg-type]  # the registries say what it is
        except Exception:  # the fault lies in folding it; the input is in the record, and a hold asks people
            return Draft(setup, state, given.at)
    return draft


def _decide(setup: Setup, state: State, given: Input) -> Draft:
    body = given.body
    kind = body.kind
    draft = Draft(setup, state, given.at, body.method if isinstance(body, ChangeMethod) else None)
    if kind in ACTS:
        _act(draft, body, given)  # type: ignore[arg-type]  # the registry says what it is
    elif given.subject not in state.devices and (kind in REPORTS or kind in LINK_EVENTS):
        known = ", ".join(state.devices)
        draft.add(f.InputRefused(kind, f"no device {given.subject} belongs to this table; there are: {known}"))
    elif kind in REPORTS:
        disputes.watch(draft, given.subject, body)  # type: ignore[arg-type]
        decide_report(draft, given.subject, body)  # type: ignore[arg-type]
        close_done(draft)
    elif kind in LINK_EVENTS:
        decide_link(draft, given.subject, body)  # type: ignore[arg-type]
        close_done(draft)
    elif kind in SERVICE_EVENTS:
        _service(draft, body)  # type: ignore[arg-type]
    else:
        draft.add(f.InputRefused(kind, "no such kind of input"))
    meters.book(draft)
    return draft


def _act(draft: Draft, act: Act, given: Input) -> None:
    if given.actor is None:
        draft.add(f.InputRefused(act.kind, "an act carries who does it and in what role"))
        return
    refusal = stale(draft.setup, draft.state, act, given.seen) or verify(
        draft.setup, draft.state, act, given.actor
    )
    if refusal is not None:
        draft.add(
            f.InputRefused(
                act.kind,
                refusal.reason,
                given.actor.who,
                refusal.cite,
                refusal.code,
                refusal.said,
                refusal.reading,
            )
        )
        if isinstance(act, AnnounceNoMoreBets):
            _stay_locked(draft)
        return
    if (said_twice := doubt(draft.setup, draft.state, act)) is not None:
        contradictions.hold(draft, act, said_twice, given.actor)
        close_done(draft)
    else:
        do(draft, act, given.actor)


def _stay_locked(draft: Draft) -> None:
    """Records what the fail-safe did: the lock-out stays engaged until a person opens it."""
    for name, device in draft.state.devices.items():
        if device.wanted.get(Level.LOCKOUT) == RELEASED:
            draft.want(name, Level.LOCKOUT, ENGAGED, "no more bets was announced, but is refused")


def _service(draft: Draft, event: ServiceEvent) -> None:
    match event:
        case ServiceStarted():
            withdrawn = notices.withdrawn_unannounced(draft, event)
            draft.add(event)
            notices.ask(draft, withdrawn)
            draft.make_safe("the daemon started")
            carry_over(draft)
        case SetDue():
            set_due(draft, event)
        case GamingDayTold():
            gaming_day_told(draft, event)
        case RecordReplaced(file=file):
            draft.add(event)
            draft.hold(
                f"the record before this one is kept as {file}; this new one knows nothing of rounds, sets and holds "
                "before it: look at the table",
                least_role=Role.SUPERVISOR,
                code="record_begun_anew",
            )
        case SigningKeyChanged(statement="", before=before, key=key):
            draft.add(event)
            signs = f"signs with key {key}" if key else "has no key to sign with"
            draft.hold(
                f"the record was signed with key {before}, and now the table {signs}, which the key before has not named: "
                "find out who changed `key` in [journal]",
                least_role=Role.SUPERVISOR,
                code="signing_key_changed",
            )
        case RecordChecked(faults=faults, first_fault=first) if faults:
            draft.add(event)
            draft.hold(
                f"the record is not as it was written: {first}", least_role=Role.SUPERVISOR, code="record_damaged"
            )
        case CardsUnread(vault=vault, rounds=rounds) if draft.state.round and draft.state.round.id in rounds:
            draft.add(event)
            draft.hold(
                f"the cards recorded in this round are sealed under vault key {vault}, which is not in the vault's "
                "file: tell them again, and put that key back",
                least_role=Role.SUPERVISOR,
                code="cards_unreadable",
            )
        case _:
            draft.add(event)


def fold(state: State, facts: Iterable[f.Fact]) -> State:
    """The state after these facts: what the daemon does with its journal at start."""
    for fact in facts:
        state = evolve(state, fact)
    return state
