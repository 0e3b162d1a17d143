"""The act registry: one row for each act that people can do at the table.

A new act is a class in `controller/table/words/acts/`, a row here, and two functions beside each other: `verify_x` says why
the act cannot be done now, `x` adds the facts that follow from it. Everything else reads the rows: who may do the act when
(`permissions`), which acts are listed as possible (`possible`), what an act comes to (`decide`).
"""

from collections import Counter
from collections.abc import Sequence

from controller.games.registry import GAMES
from controller.rules.vocabulary import Role
from controller.table.acts import (
    betting,
    card_sets,
    contradictions,
    dealing,
    devices,
    disputes,
    duties_and_holds,
    irregularities,
    phases,
    rounds,
    together,
    tries,
    turns,
)
from controller.table.acts.row import AnyRow, Row
from controller.table.card_sets import cuts, preparation
from controller.table.questions import burns, notices
from controller.table.settlement import corrections, hand_records, settle, validation
from controller.table.words import acts as a

PLAYER, FLOORPERSON, SUPERVISOR = Role.PLAYER, Role.FLOORPERSON, Role.SUPERVISOR

# Lists of possible acts are shown in this order.
ROWS: tuple[AnyRow, ...] = (
    # In every phase, and between rounds.
    Row(a.CorrectSettlement, phases.anytime, corrections.verify_correct_settlement, corrections.correct_settlement,
        least_role=SUPERVISOR, while_held=True, contradiction=contradictions.settlement),
    Row(a.ValidateProgressive, phases.anytime, validation.verify_validate_progressive, validation.validate_progressive,
        plays_on=True),
    Row(a.ConfirmDuty, phases.anytime, duties_and_holds.verify_confirm_duty, duties_and_holds.confirm_duty,
        least_role=PLAYER, while_held=True, disturbs=disputes.of_duty, tries=tries.duties),  # each duty names its own role
    Row(a.ResolveHold, phases.anytime, duties_and_holds.verify_resolve_hold, duties_and_holds.resolve_hold,
        while_held=True, tries=tries.answers),
    Row(a.RecordShuffle, phases.anytime, card_sets.verify_record_shuffle, card_sets.record_shuffle,
        while_held=True, disturbs=disputes.set_named, tries=tries.each_set(a.RecordShuffle)),
    Row(a.BringSet, phases.anytime, card_sets.verify_bring_set, card_sets.bring_set,
        least_role=FLOORPERSON, while_held=True, disturbs=disputes.set_named, tries=tries.each_set(a.BringSet)),
    Row(a.ConfirmStep, phases.anytime, preparation.verify_confirm_step, preparation.confirm_step,
        least_role=PLAYER, contradiction=contradictions.step),  # the document names the role of each step
    Row(a.DirectShuffle, phases.anytime, cuts.verify_direct_shuffle, cuts.direct_shuffle,
        least_role=FLOORPERSON, tries=tries.each_set(a.DirectShuffle)),
    Row(a.RecordCut, phases.anytime, cuts.verify_record_cut, cuts.record_cut),
    Row(a.PlaceCuttingCard, phases.anytime, cuts.verify_place_cutting_card, cuts.place_cutting_card),
    Row(a.PostNotice, phases.anytime, notices.verify_post_notice, notices.post_notice,
        least_role=FLOORPERSON, while_held=True, tries=tries.notices),
    Row(a.NewDealer, phases.anytime, None, card_sets.new_dealer, while_held=True, tries=tries.alone(a.NewDealer())),
    Row(a.TakeSetAway, phases.anytime, card_sets.verify_take_set_away, card_sets.take_set_away,
        least_role=FLOORPERSON, while_held=True, disturbs=disputes.set_named, tries=tries.each_set(a.TakeSetAway)),
    Row(a.ReportSetDue, phases.anytime, card_sets.verify_report_set_due, card_sets.report_set_due,
        tries=tries.each_set(a.ReportSetDue)),
    Row(a.TakeDeviceOut, phases.anytime, devices.verify_take_device_out, devices.take_device_out,
        least_role=FLOORPERSON, while_held=True, for_technicians=True, disturbs=disputes.device_named, tries=tries.devices_out),
    Row(a.ReturnDevice, phases.anytime, devices.verify_return_device, devices.return_device,
        least_role=FLOORPERSON, while_held=True, for_technicians=True, disturbs=disputes.device_named, tries=tries.devices_back),
    Row(a.RaiseDispute, phases.anytime, disputes.verify_raise_dispute, disputes.raise_dispute,
        least_role=FLOORPERSON, while_held=True),
    Row(a.NameBookmark, phases.anytime, disputes.verify_name_bookmark, disputes.name_bookmark,
        least_role=FLOORPERSON, while_held=True),
    Row(a.AllowClearing, phases.anytime, disputes.verify_allow_clearing, disputes.allow_clearing,
        least_role=SUPERVISOR, while_held=True),
    Row(a.CloseDispute, phases.anytime, disputes.verify_close_dispute, disputes.close_dispute,
        least_role=SUPERVISOR, while_held=True),
    Row(a.SeeAlarm, phases.anytime, disputes.verify_see_alarm, disputes.see_alarm,
        while_held=True, for_technicians=True, tries=tries.alarms),
    Row(a.ClearAlarm, phases.anytime, disputes.verify_clear_alarm, disputes.clear_alarm,
        least_role=SUPERVISOR, while_held=True),
    # The table opens, a round begins.
    Row(a.OpenTable, phases.between_rounds, rounds.verify_open_table, rounds.open_table,
        least_role=FLOORPERSON, tries=tries.alone(a.OpenTable())),
    Row(a.CloseTable, phases.between_rounds, None, rounds.close_table,
        least_role=FLOORPERSON, tries=tries.alone(a.CloseTable())),
    Row(a.BeginRound, phases.between_rounds, rounds.verify_begin_round, rounds.begin_round,
        tries=tries.each_set(a.BeginRound)),
    # Before the deal.
    Row(a.PlaceWager, phases.betting, betting.verify_place_wager, betting.place_wager, least_role=PLAYER),
    Row(a.WagersAsBefore, phases.betting, together.verify_wagers_as_before, parts=together.wagers_as_before,
        tries=tries.alone(a.WagersAsBefore())),
    Row(a.WithdrawWager, phases.betting, betting.verify_withdraw_wager, betting.withdraw_wager, least_role=PLAYER),
    Row(a.AnnounceNoMoreBets, phases.betting, betting.verify_announce_no_more_bets, betting.announce_no_more_bets,
        tries=tries.alone(a.AnnounceNoMoreBets())),
    Row(a.ReleaseLockout, phases.betting, betting.verify_release_lockout, betting.release_lockout,
        tries=tries.alone(a.ReleaseLockout())),
    Row(a.RecordProgressiveCount, phases.bets_closed, betting.verify_record_progressive_count, betting.record_progressive_count,
        tries=tries.alone(a.RecordProgressiveCount(0))),
    # From the first card to the settlement.
    Row(a.CountAndDeal, phases.bets_closed, together.verify_count_and_deal, parts=together.count_and_deal,
        plays_on=True, tries=tries.count_and_deal),
    Row(a.StartDealing, phases.cards_come, dealing.verify_start_dealing, dealing.start_dealing,
        plays_on=True, tries=tries.alone(a.StartDealing())),
    Row(a.RecordInitialDeal, phases.dealing, dealing.verify_record_initial_deal, dealing.record_initial_deal,
        plays_on=True, tries=tries.alone(a.RecordInitialDeal())),
    Row(a.RecordDecision, phases.players_asked, turns.verify_record_decision, turns.record_decision,
        least_role=PLAYER, plays_on=True, contradiction=contradictions.decision),
    Row(a.RecordDecisions, phases.players_asked, together.verify_record_decisions, parts=together.record_decisions,
        plays_on=True),
    Row(a.RevealCommunity, phases.community_shown, turns.verify_reveal_community, turns.reveal_community,
        plays_on=True, tries=tries.streets),
    Row(a.RevealDealer, phases.dealer_shown, turns.verify_reveal_dealer, turns.reveal_dealer,
        plays_on=True, tries=tries.dealer_hands),
    Row(a.RecordHandsFound, phases.course, settle.verify_record_hands_found, settle.record_hands_found),
    # The settlement, and the end of the round.
    Row(a.SettleWager, phases.wagers_settled, settle.verify_settle_wager, settle.settle_wager,
        plays_on=True, contradiction=contradictions.settlement),
    Row(a.SettleOffered, phases.settlement, together.verify_settle_offered, parts=together.settle_offered,
        plays_on=True),
    Row(a.RecordHand, phases.hands_shown, hand_records.verify_record_hand, hand_records.record_hand, while_held=True),
    Row(a.RecordMeter, phases.hands_shown, hand_records.verify_record_meter, hand_records.record_meter),
    Row(a.SettleRound, phases.settlement, settle.verify_settle_round, settle.settle_round, plays_on=True),
    Row(a.RecordStubCount, phases.hands_shown_and_between, dealing.verify_record_stub_count, dealing.record_stub_count,
        contradiction=contradictions.stub_count),
    Row(a.CollectCards, phases.cards_collected, rounds.verify_collect_cards, rounds.collect_cards,
        tries=tries.alone(a.CollectCards())),
    Row(a.EndRound, phases.round_over, rounds.verify_end_round, rounds.end_round, tries=tries.alone(a.EndRound())),
    Row(a.NextRound, phases.last_of_round, together.verify_next_round, parts=together.next_round,
        plays_on=True, tries=tries.each_set(a.NextRound)),
    # What may come in between.
    Row(a.ReportIrregularity, phases.anytime, irregularities.verify_report_irregularity, irregularities.report_irregularity,
        while_held=True, contradiction=contradictions.irregularity),
    Row(a.IdleTable, phases.between_rounds, preparation.verify_idle_table, preparation.idle_table,
        tries=tries.alone(a.IdleTable())),
    Row(a.RequestSpread, phases.between_rounds, preparation.verify_request_spread, preparation.request_spread,
        least_role=PLAYER, tries=tries.each_set(a.RequestSpread)),
    Row(a.Recut, phases.before_deal, cuts.verify_recut, cuts.recut,
        least_role=FLOORPERSON, tries=tries.each_set(a.Recut)),
    Row(a.BurnCard, phases.in_round, burns.verify_burn_card, burns.burn_card, tries=tries.alone(a.BurnCard())),
    Row(a.ChangeMethod, phases.between_rounds, devices.verify_change_method, devices.change_method,
        least_role=FLOORPERSON, tries=tries.methods),
)  # fmt: skip


def by_kind(rows: Sequence[AnyRow]) -> dict[str, AnyRow]:
    """Kind of act -> its row. Raises `LookupError` where an act has no row, or two."""
    kinds = Counter(row.act.kind for row in rows)
    wrong = [kind for kind in a.ACTS if kinds[kind] != 1]
    if wrong:
        raise LookupError(f"each act has exactly one row in the act registry, and not so: {', '.join(wrong)}")
    return {row.act.kind: row for row in rows}


REGISTRY = by_kind(ROWS)

PHASES = {name: {kind: row.when(game) for kind, row in REGISTRY.items()} for name, game in GAMES.items()}
"""Game -> kind of act -> the phases it belongs to."""
WHILE_HELD = frozenset(row.act.kind for row in ROWS if row.while_held)
"""Acts that may be done while play is held."""
