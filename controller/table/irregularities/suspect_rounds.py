"""A wrong verdict on a set puts every round that was played with it since its last good one under suspicion."""

from collections.abc import Sequence

from controller.table.fold.ruling import Draft
from controller.table.state.card_set import CardSet
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.rounds_since_check import NOTHING_PLAYED

EARLIER_ROUNDS = "earlier_rounds"
"""Code of the hold that asks about rounds before the one in which a set was found not to be whole."""


def suspect(draft: Draft, back: str, verdict: f.Verdict) -> None:
    """Names the rounds, the one in play included, and the seats that had hands in them.

    A right number of cards proves nothing about which cards they are, so a set whose cards are read is compared with its
    last complete reading. What follows for the set and its wagers is the document's business, not this list's.
    """
    card_set = draft.state.sets.get(back, CardSet(back))
    read = verdict is f.Verdict.IDENTITIES
    played = (card_set.unread or NOTHING_PLAYED) if read else card_set.uncounted
    round_ = draft.state.round
    if round_ is not None and round_.back == back and round_.played:
        proven = round_.identities_proven if read else round_.count_proven
        played = played if proven else played.followed_by(round_.as_played())
    draft.add(f.SetSuspected(back, verdict, played.rounds, played.earlier))
    _ask(
        draft,
        back,
        [each.round for each in played.rounds if round_ is None or each.round != round_.id],
        played.earlier,
    )


def _ask(draft: Draft, back: str, rounds: Sequence[str], more: int) -> None:
    """Has a floorperson look at the rounds before this one, where that was elected. Clause: none; reading by `[decks]`."""
    rule = draft.setup.law.rulebook.decks.earlier_rounds
    if rule is None or draft.setup.law.decided(rule) != "ask" or not (rounds or more):
        return
    named = ", ".join(rounds) + (f" and {more} before them" if more else "")
    draft.hold(
        f"the {back} set is not whole, and was played with before: {named}; look at what was paid in them, and correct it "
        f"where that can be done ({a.CorrectSettlement.kind})",
        reading=rule.reading, choices=(a.Resolution.GO_ON,), code=EARLIER_ROUNDS,
    )  # fmt: skip
