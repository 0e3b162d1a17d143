"""The values of a rulebook, section by section: sets of cards, shuffling, dealing, wagers, play. Each with its citation.

A field that may be None stands for something that some documents do not know at all.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from controller.rules.citation import Cited
from controller.rules.vocabulary import Area, Method, Moment, Role, ShuffleAt, Step
from drivers.protocol.records import dataclass

Cutter = Literal["first_player", "player_at_cutting_card", "rightmost_player", "next_clockwise", "dealer"]
"""Who is offered the cut."""


@dataclass(frozen=True, slots=True)
class DeckRule:
    """`full`: cards in one set of `per_set` decks. `second_set`: no | with_shuffler | required_with_shuffler.

    `swap_after`: round | shoe. `least_decks_with_shuffler`: decks in both sets together. `cover_cards` and
    `cutting_cards`: beside the deck. `void_takes_turn`: whether a void round counts as a round of its set where sets alternate.
    `stored`: the set that is not in play lies shuffled in the shuffler. `earlier_rounds`: what becomes of rounds that were played
    before with a set that is found not to be whole (stand | ask).
    """

    per_set: Cited[int]
    full: Cited[int]
    second_set: Cited[Literal["no", "with_shuffler", "required_with_shuffler"]]
    swap_after: Cited[Literal["round", "shoe"]]
    sets_in_rack: Cited[int]
    cover_cards: Cited[int] | None = None
    cutting_cards: Cited[int] | None = None
    least_decks_with_shuffler: Cited[int] | None = None
    void_takes_turn: Cited[bool] | None = None
    stored: Cited[bool] | None = None
    earlier_rounds: Cited[Literal["stand", "ask"]] | None = None


@dataclass(frozen=True, slots=True)
class DeckChangeRule:
    """Longest time a set may stay in play, seconds, by dealing method; a method without an entry has no interval.

    `each_gaming_day`: the sets are changed at least once in each gaming day. `runs_from`: when the interval begins, where that is
    a reading: `at_table` once the set has come to the table, also where the method changes later.
    """

    interval_s: Mapping[Method, Cited[int]]
    each_gaming_day: Cited[bool] | None = None
    runs_from: Cited[Literal["at_table"]] | None = None


@dataclass(frozen=True, slots=True)
class ProcedureStep:
    """One step before the first round, the least role that takes it, and the clauses that demand it."""

    step: Step
    by: Role
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpeningRule:
    """Steps before the first round, in order. `new_set`: they hold too for a set that comes while the table is open.

    `preshuffled`: there is another way for cards that came inspected and shuffled.
    """

    steps: tuple[ProcedureStep, ...]
    each_set_apart: Cited[bool]
    new_set: Cited[bool]
    preshuffled: Cited[bool] | None = None


@dataclass(frozen=True, slots=True)
class IdleRule:
    """Steps at a table without play, in order; `with_shuffler`: all of them where a shuffler is in use.

    `each_set`: they hold for every set at the table. `stored_set`: the set that the shuffler kept may be dealt without
    being spread and shuffled, unless a player asks. `inspect_again`: once the player has seen them, the dealer inspects the cards
    and a floorperson verifies it, as at the opening.
    """

    steps: tuple[ProcedureStep, ...]
    each_set: Cited[bool]
    with_shuffler: tuple[ProcedureStep, ...] = ()
    stored_set: Cited[bool] | None = None
    inspect_again: Cited[bool] | None = None


@dataclass(frozen=True, slots=True)
class ShuffleRule:
    """`at`: when cards are shuffled. `into_shoe`: a device may put the shuffled cards straight into the shoe.

    `unless_preshuffled`: cards that came shuffled need no shuffle before the first round.
    """

    at: Mapping[ShuffleAt, Cited[bool]]
    into_shoe: Cited[bool]
    unless_preshuffled: Cited[bool] | None = None


@dataclass(frozen=True, slots=True)
class CutOffer:
    """Who is offered the cut, in one case that the document names, and the clause of that case."""

    to: Literal[
        "first_player",
        "player_at_cutting_card",
        "rightmost_after_dealer",
        "rightmost_on_direction",
        "next_clockwise",
        "dealer",
    ]
    cite: tuple[str, ...]
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class CutRule:
    """`after`: shuffles that a cut follows (manual | preshuffled); `not_after`: others (device). `by`: dealer | players, in the
    order of `offered_to`.

    `least_cards`: from the top of the stack, or with `either_end` from each of its ends. `cutting_card_at`: how far from
    its back the cutting card goes in, "1/4".
    """

    after: Cited[tuple[Literal["manual", "preshuffled"], ...]]
    not_after: Cited[tuple[Literal["device"], ...]]
    by: Cited[Literal["dealer", "players"]]
    least_cards: Cited[int]
    offered_to: tuple[CutOffer, ...] = ()
    cutting_card_at: Cited[Literal["1/4"]] | None = None
    either_end: Cited[bool] | None = None


@dataclass(frozen=True, slots=True)
class StubRule:
    """`every_rounds`: a stub count at least once in so many rounds; `waived_by`: what makes it unnecessary.

    `counted_by`: whose rounds these are: of the table, of each deck, or both. `void_rounds`: a void round is one of them.
    `over_change`: they go on when a new deck comes. `before`: in its round the count comes before this. None = the table's,
    void rounds too, they go on, and the count comes before the cards are collected.
    """

    every_rounds: Cited[int]
    waived_by: Cited[Literal["shuffler_counts_each_shuffle", "any_shuffler", "none"]]
    counted_by: Cited[Literal["table", "deck", "both"]] | None = None
    void_rounds: Cited[bool] | None = None
    over_change: Cited[bool] | None = None
    before: Cited[Literal["settling", "collecting"]] | None = None


@dataclass(frozen=True, slots=True)
class DiscardRule:
    """`reconstructable`: cards go into the rack so that each hand can be put together again.

    `from_player`, `from_surrender`: cards that the dealer verifies to have come from a hand that plays on, or gave up.
    """

    reconstructable: Cited[bool] | None = None
    from_player: Cited[int] | None = None
    from_surrender: Cited[int] | None = None


@dataclass(frozen=True, slots=True)
class OrderRule:
    """Hands that the document ranks. `of`: number of cards from which the best are taken; `hands`: place by name, 1 on top."""

    of: Cited[int]
    hands: Mapping[str, Cited[int]]


@dataclass(frozen=True, slots=True)
class RankingRule:
    """How cards and hands rank. `cards`: the ace; `ties`: what decides between hands of one rank, None where none compare.

    `six`: of a bonus on six cards; `three`: of three cards. `natural`: like cards of a dealt hand that end it at once;
    `house_ways`: whether the document sets the dealer's hand.
    """

    cards: Cited[Literal["ace_high_or_below_two"]]
    five: OrderRule
    ties: Cited[Literal["class_first", "highest_card_not_shared"]] | None = None
    six: OrderRule | None = None
    three: OrderRule | None = None
    natural: Cited[int] | None = None
    house_ways: Cited[bool] | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """One stack of the deal: to whom it goes, and its number of cards."""

    to: Area
    cards: int
    cite: tuple[str, ...]
    only_if: str | None = None  # a wager that must be offered for this stack to be dealt
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class Dealing:
    """One dealing method: `stacks` in order; a PLAYER stack stands for one to each seat in play, clockwise.

    `burns`: in each round. `burns_at`: further ones (new_shoe, new_dealer). `approval`: what of it the regulator approves.
    `dealer_delivered`: when the dealer's stack leaves the device (with_players | after_decisions). `reshuffles`: the shoe may
    be one that reshuffles by itself. `all_from_device`: what is dealt after the first deal comes out of the device, too.
    `withholds`: optional wagers that are not offered under this method, as it deals no cards for them.
    """

    method: Method
    cite: tuple[str, ...]
    stacks: tuple[Stack, ...]
    burns: Cited[int]
    community_after: bool  # the community cards are dealt later, from what is left
    needs_shuffler: Cited[bool] | None = None
    burns_at: Cited[tuple[Literal["new_shoe", "new_dealer"], ...]] | None = None
    approval: Cited[tuple[Literal["device", "place", "procedures"], ...]] | None = None
    dealer_delivered: Cited[Literal["with_players", "after_decisions"]] | None = None
    reshuffles: Cited[bool] | None = None
    all_from_device: Cited[bool] | None = None
    dealer_covered: Cited[bool] | None = None  # a cover card lies on the dealer's cards
    withholds: Cited[tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class SeatRule:
    """`positions`: betting positions that one player may have; `adjacent`: these must lie side by side.

    `not_kept`: kinds of table that the document permits and no configuration can name.
    """

    seats: Cited[int]
    positions: Cited[int]
    adjacent: Cited[bool] | None = None
    not_kept: Cited[tuple[Literal["electronic"], ...]] | None = None


@dataclass(frozen=True, slots=True)
class HandRule:
    """Cards of a correct hand; None where the game has no dealer's hand, or no community cards."""

    player: Cited[int]
    dealer: Cited[int] | None = None
    community: Cited[int] | None = None

    @property
    def dealer_cards(self) -> int:
        """Cards of a correct dealer's hand; 0 where the game has none."""
        return self.dealer.value if self.dealer else 0

    @property
    def community_cards(self) -> int:
        """Community cards of a correct round; 0 where the game has none."""
        return self.community.value if self.community else 0


@dataclass(frozen=True, slots=True)
class WagerRule:
    """One wager. `placed`: before_deal | decision. `requires`: wagers that must stand. `exact_cents`: the only amount.

    `times`: by the moment it is placed, the multiples of the wager `of` that it may amount to. `excludes`: wagers that
    may not stand beside it. `or_fold`: who does not place it folds. `device_mode`: what the shuffler must be set to
    where it is offered. `posted`: its amount lies within a least and a most that players can read at the table.
    `not_with`: answers of the player after which this wager may not be placed. `notice`: it is withdrawn only after a notice.
    """

    name: str
    placed: Literal["before_deal", "decision"]
    requires: Cited[tuple[str, ...]]
    cite: tuple[str, ...]
    optional: bool
    sensed: bool = False  # its chip lies on a progressive sensor
    exact_cents: Cited[int] | None = None
    of: str | None = None
    times: tuple[tuple[Moment, Cited[tuple[int, ...]]], ...] = ()
    excludes: Cited[tuple[str, ...]] | None = None
    or_fold: Cited[bool] | None = None
    device_mode: Cited[Literal["cover_all"]] | None = None
    posted: Cited[bool] | None = None
    not_with: Cited[tuple[str, ...]] | None = None
    notice: Cited[bool] | None = None

    def multiples(self, moment: Moment | None) -> tuple[int, ...]:
        """Multiples of the wager `of` that this one may amount to at that moment; () where nothing is printed, or at none."""
        return next((cited.value for at, cited in self.times if at is moment), ())


@dataclass(frozen=True, slots=True)
class PlayRule:
    """How a round is played where documents differ.

    `first_card_to`: player_left | marker. `version`: required_bet | permissible_bet. `dealer_qualifies`: the dealer must
    hold a minimum. `bonus_cards`: when a player picks the cards of a bonus wager (before_look | after_look).
    `surrender`: part of the wager that a hand gives up, "1/2"; `surrender_cent`: who keeps the cent of a sum that cannot
    be halved (player | house | hold); `short_given_up`: what becomes of a hand that was given up and is found to have too few
    cards (stands | hold). `fold_collects`: wagers that the dealer collects when
    their player folds; `collected_in_void`: what a later void makes of them (return | collected | hold), and of
    other wagers of such a hand (`fold_shares`); `lost_in_void`: of wagers that an irregularity had made lost (return | lost |
    hold); `spared_in_void`: of wagers that an earlier void had spared (reached | hold).
    `settled_in_void`: what a void makes of wagers that were paid or collected
    before (return | stands | hold).
    `dealer_natural`: wagers that go back where the dealer's first cards win at once. `asked_from`: by the moment, on
    which side of the dealer the asking begins (left | right); a moment without an entry has no order.
    `fold_keeps`: optional wagers that stay and are settled by the cards of a hand that folded. `folded_decides`: others that its
    cards decide where these are read; `folded_cards`: how they are, before they would go to the rack (rack_recorded |
    under_wager). `folded_others`: wagers of other seats that a folded hand may decide; `folded_others_cards`: how it is read for
    them (rack_recorded | rack). `dealer_announced`: the
    dealer says to the players what hand it is that was turned up.
    """

    first_card_to: Cited[Literal["player_left", "marker"]]
    settled_in_void: Cited[Literal["return", "stands", "hold"]]
    version: Cited[Literal["required_bet", "permissible_bet"]] | None = None
    dealer_qualifies: Cited[bool] | None = None
    bonus_cards: Cited[Literal["before_look", "after_look"]] | None = None
    surrender: Cited[Literal["1/2"]] | None = None
    surrender_cent: Cited[Literal["player", "house", "hold"]] | None = None
    fold_collects: Cited[tuple[str, ...]] | None = None
    collected_in_void: Cited[Literal["return", "collected", "hold"]] | None = None
    dealer_natural: Cited[tuple[str, ...]] | None = None
    asked_from: Mapping[Moment, Cited[str]] = field(default_factory=dict)
    fold_keeps: Cited[tuple[str, ...]] | None = None
    dealer_announced: Cited[bool] | None = None
    folded_decides: Cited[tuple[str, ...]] | None = None
    folded_cards: Cited[Literal["rack_recorded", "under_wager"]] | None = None
    folded_others: Cited[tuple[Literal["cover_all", "progressive"], ...]] | None = None
    folded_others_cards: Cited[Literal["rack_recorded", "rack"]] | None = None
    fold_shares: Cited[tuple[str, ...]] | None = None
    lost_in_void: Cited[Literal["return", "lost", "hold"]] | None = None
    short_given_up: Cited[Literal["stands", "hold"]] | None = None
    spared_in_void: Cited[Literal["reached", "hold"]] | None = None


@dataclass(frozen=True, slots=True)
class ProgressiveRule:
    """`lock_at`: when the lock-out must be engaged; `verify_count`: chips collected are compared with wagers accepted.

    `payout_validated`: hand and light are looked at by a person of the role that the act needs, before a payout is made.
    """

    lock_at: Cited[Literal["no_more_bets"]]
    verify_count: Cited[bool]
    payout_validated: Cited[bool] | None = None


@dataclass(frozen=True, slots=True)
class LaidAway:
    """Where the cards of a hand go that is over with this answer of its player.

    `to`: rack | rack_spread (face down, then the rack) | rack_counted | rack_recorded | under_wager. `beside`: only where this
    wager lies, and under it the cards go; of several rules the first that fits holds.
    """

    after: str
    to: str
    cite: tuple[str, ...]
    beside: str | None = None
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class SettlingStep:
    """Wagers of one player that are settled in one step. `after_all`: once all others are settled for everybody.

    `in_order`: whether the step has its place at all, where that is a reading; without one its wagers are settled at any time.
    """

    named: tuple[str, ...]
    cite: tuple[str, ...]
    after_all: bool = False
    in_order: Cited[bool] | None = None

    @property
    def wagers(self) -> tuple[str, ...]:
        """Wagers that have their place in the order here."""
        return self.named if self.in_order is None or self.in_order.value else ()
