"""The numbers of the three other documents as printed, and those that hang on what the licensee elects."""

from controller.rules.elections import cautious, elect
from controller.rules.model import Law, Rulebook
from controller.rules.pay import PayHand
from controller.rules.vocabulary import Area, Method, Moment, Role, Settle, ShuffleAt, Step


def _with(book: Rulebook, **chosen: str) -> Law:
    """The proposed elections, some of them changed; R_16 stands for R-16."""
    proposed = {e.reading: (e.choice, "test") for e in cautious(book, "test").elections.values()}
    changed = {name.replace("R_", "R-"): (choice, "test") for name, choice in chosen.items()}
    return elect(book, proposed | changed)


def test_one_deck_that_takes_turns_by_the_round_or_six_that_do_by_the_shoe(
    nj: Rulebook, fa: Rulebook, co: Rulebook
) -> None:
    """Clauses nj-pikit 39.2; ma-colorado 2; fast-action (b): there a shuffler makes two sets a duty, not a permission."""
    for book in (nj, co):
        assert (book.decks.per_set.value, book.decks.full.value) == (1, 52)
        assert (book.decks.second_set.value, book.decks.swap_after.value) == ("with_shuffler", "round")
        assert book.decks.cover_cards is not None
        assert book.decks.cutting_cards is None
    assert (fa.decks.second_set.value, fa.decks.swap_after.value) == ("required_with_shuffler", "shoe")
    assert fa.decks.least_decks_with_shuffler is not None
    assert fa.decks.least_decks_with_shuffler.value == 12
    assert fa.decks.cover_cards is None
    for chosen, decks, cards in (("six", 6, 312), ("eight", 8, 416)):
        rule = _with(fa, decks=chosen).rulebook.decks
        assert (rule.per_set.value, rule.full.value) == (decks, cards)


def test_the_stub_is_counted_every_five_rounds_unless_the_shuffler_counts(
    nj: Rulebook, fa: Rulebook, co: Rulebook
) -> None:
    """Clauses nj-pikit 39.7(e)-(f); ma-colorado 7(e)-(f); fast-action (h)(5)-(6) counts discards instead."""
    for book in (nj, co):
        assert book.stub is not None
        assert book.stub.every_rounds.value == 5
        assert (book.stub.waived_by.value, book.stub.waived_by.reading) == ("shuffler_counts_each_shuffle", None)
    assert fa.stub is None
    assert fa.discards.from_player is not None
    assert fa.discards.from_surrender is not None
    assert (fa.discards.from_player.value, fa.discards.from_surrender.value) == (2, 4)


def test_only_fast_action_changes_cards_by_the_gaming_day(nj: Rulebook, fa: Rulebook, co: Rulebook) -> None:
    """Clause fast-action (d)(5); the other two print no interval."""
    assert fa.deck_change.each_gaming_day is not None
    assert (fa.deck_change.each_gaming_day.value, fa.deck_change.each_gaming_day.cite) == (True, ("(d)(5)",))
    for book in (nj, fa, co):
        assert book.deck_change.interval_s == {}
    assert nj.deck_change.each_gaming_day is co.deck_change.each_gaming_day is None


def test_hands_and_who_has_none(nj: Rulebook, fa: Rulebook, co: Rulebook) -> None:
    """Five cards each without community cards; four each and five; three each and three without a dealer's hand."""
    hands = [(b.hand.player.value, b.hand.dealer_cards, b.hand.community_cards) for b in (nj, fa, co)]
    assert hands == [(5, 5, 0), (4, 4, 5), (3, 0, 3)]
    assert nj.hand.community is None
    assert co.hand.dealer is None
    assert all(book.progressive is None for book in (nj, fa, co))


def test_each_way_of_dealing_gives_each_hand_its_cards(nj: Rulebook, fa: Rulebook, co: Rulebook) -> None:
    """Whatever the method, the stacks add up to the correct hands; community cards dealt later are not among them."""
    for book in (nj, fa, co):
        for dealing in book.dealing.values():
            cards = {area: sum(s.cards for s in dealing.stacks if s.to is area) for area in Area}
            assert cards[Area.PLAYER] == book.hand.player.value
            assert cards[Area.DEALER] == book.hand.dealer_cards
            assert cards[Area.COMMUNITY] == (0 if dealing.community_after else book.hand.community_cards)


def test_packets_and_the_order_of_single_cards(nj: Rulebook, fa: Rulebook, co: Rulebook) -> None:
    """Clauses nj-pikit 39.9; ma-colorado 7(c), 9: packets go to players first; fast-action deals from a shoe only."""
    for method in (Method.DEALING_SHOE, Method.SHUFFLER):
        assert [(s.to, s.cards) for s in nj.dealing[method].stacks] == [(Area.PLAYER, 5), (Area.DEALER, 5)]
        assert [(s.to, s.cards) for s in co.dealing[method].stacks] == [(Area.PLAYER, 3), (Area.COMMUNITY, 3)]
    assert [s.to for s in co.dealing[Method.MANUAL_SHOE].stacks] == [Area.PLAYER, Area.COMMUNITY] * 3
    assert all(stack.reading == "R-50" for book in (nj, co) for stack in book.dealing[Method.SHUFFLER].stacks)
    assert set(fa.dealing) == {Method.MANUAL_SHOE, Method.DEALING_SHOE}
    burns_at = fa.dealing[Method.MANUAL_SHOE].burns_at
    assert burns_at is not None
    assert (fa.dealing[Method.MANUAL_SHOE].burns.value, burns_at.value) == (1, ("new_shoe", "new_dealer"))
    assert (fa.play.first_card_to.value, nj.play.first_card_to.value) == ("marker", "player_left")
    delivered = [
        _with(nj, dealer_stack=chosen).rulebook.dealing[Method.DEALING_SHOE].dealer_delivered
        for chosen in ("with_players", "after_decisions")
    ]
    assert [rule.value for rule in delivered if rule] == ["with_players", "after_decisions"]


def test_exact_amounts_follow_the_elections(nj: Rulebook, fa: Rulebook, co: Rulebook) -> None:
    """Clauses nj-pikit 39.1, 39.3(b); fast-action (h)(3); ma-colorado 6a(b), 10(b)(1), 11(b)(1)."""
    assert nj.wagers["five_card_bonus"].multiples(Moment.BEFORE_DEAL) == (1,)
    assert _with(nj, play_3="once").rulebook.wagers["play_3"].multiples(Moment.DECISION) == (1,)
    twice = _with(nj, play_3="twice", play_5="twice", R_16="by_election").rulebook.wagers
    assert [twice[name].multiples(Moment.DECISION) for name in ("play_3", "play_5")] == [(2,), (2,)]
    excludes = nj.wagers["play_3"].excludes
    assert excludes is not None
    assert excludes.value == ("play_5",)
    assert (fa.wagers["second_hand"].of, fa.wagers["second_hand"].multiples(Moment.DECISION)) == ("original", (1,))
    assert co.wagers["bonus"].exact_cents is not None
    assert co.wagers["bonus"].exact_cents.value == 100
    for version, folds in (("required_bet", True), ("permissible_bet", False)):
        bet = _with(co, version=version).rulebook.wagers["bet"]
        assert bet.or_fold is not None
        assert bet.or_fold.value is folds
        assert bet.multiples(Moment.DECISION) == (1,)


def test_positions_of_one_player(nj: Rulebook, fa: Rulebook, co: Rulebook) -> None:
    """Clauses nj-pikit 39.3(e); fast-action (j)(1); ma-colorado 6(e): adjacent ones, where more than one is permitted."""
    chosen = [_with(nj, positions=many).rulebook.positions.value for many in ("one", "two", "three")]
    assert chosen == [1, 2, 3]
    assert [_with(co, positions=many).rulebook.positions.value for many in ("one", "two")] == [1, 2]
    assert fa.positions.value == 1
    assert nj.adjacent is not None
    assert co.adjacent is not None
    assert fa.adjacent is None


def test_what_is_worth_money_and_open_is_asked_until_it_is_elected(
    nj: Rulebook, fa: Rulebook, co: Rulebook
) -> None:
    """Ties, a pair of tens, the hand that decides the ante: proposed is that a person decides each time."""
    points = [
        (nj, Settle.TIE, "R_55", "push"), (nj, Settle.ANTE_HAND, "R_56", "played_hand"),
        (nj, Settle.ANTE_HAND, "R_56", "five_cards"), (fa, Settle.TIE, "R_55", "collect"),
        (fa, Settle.TIE, "R_55", "push"), (co, Settle.HAND_WITHOUT_BET, "R_57", "settled"),
        (co, Settle.UNDECLARED_WINNER, "R_58", "paid"), (co, Settle.LOW_ACE_OF_THREE, "R_59", "counts"),
    ]  # fmt: skip
    for book, point, reading, choice in points:
        assert cautious(book, "test").rulebook.settlement[point].value == "ask"
        assert _with(book, **{reading: choice}).rulebook.settlement[point].value == choice
    for choice, pays in (("ask", "ask"), ("push", "push"), ("pays", "1 to 1")):
        table = _with(co, version="permissible_bet", R_20=choice).rulebook.pay["ante permissible_bet"]
        assert str(table.rows[PayHand.PAIR_OF_TENS].value) == pays
    looks = [_with(nj, R_28=chosen).rulebook.play.bonus_cards for chosen in ("before_look", "after_look")]
    assert [look.value for look in looks if look] == ["before_look", "after_look"]
    orders = [
        _with(nj, settlement=chosen).rulebook.settlement[Settle.ORDER].value for chosen in ("by_step", "by_player")
    ]
    assert orders == ["by_step", "by_player"]
    for chosen, must in (("with", True), ("without", False)):
        qualifies = _with(nj, qualifier=chosen).rulebook.play.dealer_qualifies
        assert qualifies is not None
        assert qualifies.value is must


def test_a_device_without_a_rule_needs_a_house_procedure(nj: Rulebook, fa: Rulebook) -> None:
    """fast-action (i) has no rule on devices: they may be put into service only where the house has its own."""
    for chosen, allowed in (("not_enabled", False), ("house_procedure", True)):
        devices = _with(fa, R_18=chosen).rulebook.devices
        assert {device: rule.value for device, rule in devices.items()} == {
            Method.SHUFFLER: allowed, Method.DEALING_SHOE: allowed,
        }  # fmt: skip
    assert nj.devices == {}


def test_cut_recut_and_shuffle(nj: Rulebook, fa: Rulebook, co: Rulebook) -> None:
    """Clauses nj-pikit 39.6; ma-colorado 5; fast-action (e): players cut there, and nobody may order a second cut."""
    for book in (nj, co):
        assert (book.cut.by.value, book.cut.least_cards.value) == ("dealer", 10)
        assert book.cut.after.value == ("manual", "preshuffled")
        assert book.act_roles["recut"].value is Role.SUPERVISOR
        assert set(book.shuffle.at) == {ShuffleAt.BEFORE_PLAY, ShuffleAt.AFTER_ROUND}
    assert (fa.cut.by.value, fa.cut.least_cards.value) == ("players", 10)
    assert [(offer.to, *offer.cite) for offer in fa.cut.offered_to] == [
        ("first_player", "(e)(3)(i)"),
        ("player_at_cutting_card", "(e)(3)(ii)"),
        ("rightmost_after_dealer", "(e)(3)(iii)"),
        ("rightmost_on_direction", "(e)(3)(iv)"),
        ("next_clockwise", "(e)(4)"),
        ("dealer", "(e)(4)"),
    ]
    assert "recut" not in fa.act_roles
    assert set(fa.shuffle.at) == {ShuffleAt.BEFORE_PLAY, ShuffleAt.AFTER_SHOE, ShuffleAt.ON_DIRECTION}


def test_an_idle_table_with_a_shuffler_takes_the_set_that_the_shuffler_kept(nj: Rulebook, fa: Rulebook) -> None:
    """Clauses fast-action (e)(8)(i)-(ii); nj-pikit 39.6(e) knows one way only."""
    assert [step.step for step in fa.idle.steps][-3:] == [Step.STACK, Step.SHUFFLE, Step.CUT]
    assert [step.step for step in fa.idle.with_shuffler][-2:] == [Step.INTO_SHUFFLER, Step.TAKE_STORED_SET]
    assert fa.idle.stored_set is not None
    assert nj.idle.with_shuffler == ()
    assert nj.idle.stored_set is None
