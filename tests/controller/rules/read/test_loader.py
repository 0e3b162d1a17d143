"""A rulebook that is not sound is refused at load, with every fault named and placed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.rules.read.library import available, find, shipped
from controller.rules.read.loader import RulebookInvalid, load_rulebook, parse_rulebook
from controller.rules.vocabulary import Action

FaultsOf = Callable[..., tuple[str, ...]]
SEATS = 'seats = { value = 6, cite = "2.A" }'
DRAWN = 'do = [{ action = "use_as_next", cite = "13.D" }]'
SILENT_IDENTITIES = 'trigger   = "shuffler_identities_wrong"'


@pytest.mark.parametrize("book", available())
def test_each_shipped_rulebook_is_sound(book: str) -> None:
    """What is shipped loads without a fault and carries the hash of its bytes."""
    assert len(find(book).sha256) == 64


SINGLE_FAULTS = [
    # what breaks, text in the shipped md-uth, its replacement, the one fault
    (
        "unknown key",
        'cover_cards  = {',
        'cover_card = 2\ncover_cards  = {',
        "[decks] cover_card: key_unknown",
    ),
    ("unknown table", "[decks]", "[deck]\n[decks]", "deck: key_unknown"),
    ("unknown key in a value", SEATS, 'seats = { value = 6, cite = "2.A", cites = "2.A" }',
     "[table] seats cites: key_unknown"),
    ("unknown key in a row", 'says    = "A card came', 'saids = "x"\nsays    = "A card came',
     "[[outcome]] N (card_drawn_unexposed) saids: key_unknown"),
    ("answer without words", 'says    = "A card came', 'says    = ""\nsay     = "A card came',
     "[[outcome]] N (card_drawn_unexposed) says: text_empty"),
    ("uncited value", SEATS, "seats = 6", "[table] seats: cite_missing"),
    ("value without a cite", SEATS, "seats = { value = 6 }", "[table] seats cite: key_missing"),
    ("value with an empty cite", SEATS, "seats = { value = 6, cite = [] }", "[table] seats cite: too_few"),
    ("unknown clause", SEATS, 'seats = { value = 6, cite = "2.AA" }',
     "[table] seats: clause_unknown"),
    ("demand without a cite", DRAWN, 'do = [{ action = "use_as_next" }]',
     "[[outcome]] N (card_drawn_unexposed) do 1 cite: key_missing"),
    ("demand of an unknown clause", DRAWN, 'do = [{ action = "use_as_next", cite = "13.DD" }]',
     "[[outcome]] N (card_drawn_unexposed) do 1: clause_unknown"),
    ("wrong type", SEATS, 'seats = { value = "6", cite = "2.A" }',
     "[table] seats value: type_wrong"),
    ("truth is no number", SEATS, 'seats = { value = true, cite = "2.A" }',
     "[table] seats value: type_wrong"),
    ("nothing where something must be", SEATS, 'seats = { value = 0, cite = "2.A" }',
     "[table] seats value: number_out_of_range"),
    ("below nothing", "burns           = { value = 2,", "burns           = { value = -1,",
     "[[dealing]] 2 (hand) burns value: number_out_of_range"),
    ("no duration", 'hand         = { value = "4h"', 'hand         = { value = "4 hours"',
     "[deck_change] hand value: text_unfit"),
    ("unknown waiver", 'counting_only = "shuffler_counts_each_shuffle"', 'counting_only = "shuffler_counts"',
     "[stub_count] waived_by counting_only: word_unknown"),
    ("unknown action", DRAWN, 'do = [{ action = "use_as_nxt", cite = "13.D" }]',
     "[[outcome]] N (card_drawn_unexposed) do 1 action: word_unknown"),
    ("unknown method", "hand         = {", "hands = {", "[deck_change] hands: word_unknown"),
    ("unknown role", 'recut                    = { value = "floorperson"', 'recut = { value = "pit_boss"',
     "[act_roles] recut value: word_unknown"),
    ("unknown guard", 'when    = ["device_failed"]', 'when    = ["device_fails"]',
     "[[outcome]] N (method_change) when: word_unknown"),
    ("unknown reading of a row", 'reading = "R-40", choice = "no_demand"', 'reading = "R-400", choice = "no_demand"',
     "[[silent]] N (method_change): reading_unknown"),
    ("unknown reading of a value", '"1.B(7)"], reading = "R-12"', '"1.B(7)"], reading = "R-1"',
     "[[wager]] 4 (trips) optional: reading_unknown"),
    ("choice that the reading lacks", 'reading = "R-40", choice = "no_demand"', 'reading = "R-40", choice = "nodemand"',
     "[[silent]] N (method_change): choice_unknown"),
    ("choice that no row uses", '{ id = "no_demand", says', '{ id = "third", says = "x" },\n  { id = "no_demand", says',
     "[[reading]] (R-40): choice_unused"),
    ("cautious choice that is none", 'cautious = "cover"', 'cautious = "covered"',
     "[[reading]] (R-40): choice_unknown"),
    ("reading that stands twice", 'id       = "R-51"', 'id       = "R-47"',
     "[[reading]] N (R-47) id: named_twice"),
    ("choice that stands twice", '{ id = "no_demand", says', '{ id = "cover", says = "x" },\n  { id = "no_demand", says',
     "[[reading]] (R-40): named_twice"),
    ("exception to an unknown clause", 'notwithstanding = "13.F"', 'notwithstanding = ["13.F", "13.FF"]',
     "[[outcome]] N (dealer_card_exposed): clause_unknown"),
    ("reading that governs no trigger", 'governs  = "shoe_jam"', 'governs  = "shoe_jams"',
     "[[reading]] N (R-21) governs: word_unknown"),
    ("wager that stands twice", 'name     = "play_the_board"', 'name     = "bad_beat"',
     "[[wager]] 9 (bad_beat) name: named_twice"),
    ("method that stands twice", 'method           = "shuffler"', 'method           = "dealing_shoe"',
     "[[dealing]] 4 (dealing_shoe) method: named_twice"),
    ("stack for no wager", 'only_if = "six_card"', 'only_if = "six_cards"',
     "[[dealing]] (manual_shoe): wager_unknown"),
    ("wager that is withheld and unknown", 'not_offered = ["six_card"]', 'not_offered = ["six_cards"]',
     "[[dealing]] (manual_shoe): wager_unknown"),
    ("wager that needs no known wager", 'requires = { value = ["ante", "blind", "trips"]',
     'requires = { value = ["ante", "blind", "trip"]',
     "[[wager]] (six_card): wager_unknown"),
    ("guard of another trigger", 'trigger = "card_drawn_unexposed"',
     'trigger = "card_drawn_unexposed"\nwhen = ["not_several"]',
     "[[outcome]] N (card_drawn_unexposed): guard_unfit"),
    ("action twice", DRAWN, DRAWN[:-1] + ', { action = "use_as_next", cite = "13.D" }]',
     "[[outcome]] N (card_drawn_unexposed): named_twice"),
    ("duty of nobody", "count_stub           = {", "card_to_racks = {",
     "[duty_roles] card_to_racks: word_unknown"),
    ("minimum that no dealer must hold", 'dealer_qualifies = { value = true', 'dealer_qualifies = { value = false',
     "[play] dealer_qualifies: keys_together"),
    ("minimum without what goes back", 'unqualified  = { value = "ante", cite = "11.H(1)" }', "",
     "[play] dealer_qualifies: keys_together"),
    ("wager that is another game's", 'unqualified  = { value = "ante"', 'unqualified = { value = "play_5"',
     "[settlement] unqualified: wager_unknown"),
    ("other id than the file's", 'id        = "md-uth"', 'id        = "md-texas"',
     "[rulebook] id: id_unfit"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "fault"), [c[1:] for c in SINGLE_FAULTS], ids=[c[0] for c in SINGLE_FAULTS]
)
def test_one_broken_line_is_refused_with_its_place_and_a_hint(
    faults_of: FaultsOf, old: str, new: str, fault: str
) -> None:
    """The message says where the fault stands, what is wrong with it, and the nearest word that is known."""
    assert fault in faults_of((old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('reading = "R-40", choice = "no_demand"', 'reading = "R-40", choice = "nodemand"'),
        ('reading = "R-40", choice = "no_demand"', 'reading = "R-400", choice = "no_demand"'),
    ],
)
def test_what_follows_from_a_misspelt_election_is_not_said_besides(
    faults_of: FaultsOf, old: str, new: str
) -> None:
    """One word was wrong: that its row then answers to too little is no second fault of that row."""
    where = "[[silent]] N (method_change)"
    assert len([fault for fault in faults_of((old, new)) if fault.startswith(where)]) == 1


def test_what_goes_back_and_cannot_be_read_is_all_that_is_said(faults_of: FaultsOf) -> None:
    """That the dealer must then hold a minimum for nothing is no second fault."""
    (fault,) = faults_of(('unqualified  = { value = "ante"', "unqualified = { value = 5"))
    assert fault == "[settlement] unqualified value: type_wrong"


NJ_FAULTS = [
    ("value without an option", 'value = { one = 1, two = 2, three = 3 }', 'value = { one = 1, two = 2 }',
     "[table] positions: choice_unused"),
    ("option that is none", 'value = { one = 1, two = 2, three = 3 }', 'value = { one = 1, two = 2, four = 4 }',
     "[table] positions: choice_unused"),
    ("choice of nothing", 'by_choice = "positions"', 'by_choice = "position"',
     "[table] positions: reading_unknown"),
    ("value of a wrong type", 'value = { one = 1, two = 2, three = 3 }', 'value = { one = 1, two = "2", three = 3 }',
     "[table] positions two: type_wrong"),
    ("choice without a value", 'by_choice = "positions", value = { one = 1, two = 2, three = 3 }', "value = 1",
     "[[choice]] (positions): choice_unused"),
    ("single option", '  { id = "with_players", says = "With the players\' stacks." },\n', "",
     "[[choice]] (dealer_stack): choices_unfit"),
    ("choice with the id of a reading", 'id      = "positions"', 'id      = "R-99"',
     "[[choice]] (R-99): id_unfit"),
    ("need of what nobody can elect", 'needs = { R-16 = "by_election" }', 'needs = { R-16 = "by_elections" }',
     "(play_5) twice: choice_unknown"),
    ("need of an unknown question", 'needs = { R-16 = "by_election" }', 'needs = { R-1600 = "by_election" }',
     "(play_5) twice: choice_unknown"),
    ("multiple of nothing", 'of       = "ante"\ntimes    =', 'times    =',
     "[[wager]] 2 (five_card_bonus) of: keys_together"),
    ("multiple of an unknown wager", 'of       = "ante"\ntimes    =', 'of       = "anti"\ntimes    =',
     "[[wager]] (five_card_bonus): wager_unknown"),
    ("excludes an unknown wager", 'excludes = { value = ["play_5"]', 'excludes = { value = ["play_6"]',
     "[[wager]] (play_3): wager_unknown"),
    ("multiple below one", 'times    = { before_deal = { value = [1]', 'times    = { before_deal = { value = [0]',
     "[[wager]] 2 (five_card_bonus) times before_deal value: type_wrong"),
    ("unknown step", 'step = "wash", by', 'step = "washing", by',
     "[[opening.steps]] 6 step: word_unknown"),
    ("unknown word in a list", 'value = ["manual", "preshuffled"]', 'value = ["manual", "shuffled"]',
     "[cut] after value: word_unknown"),
    ("value chosen by a reading that moves nothing", "cautious = \"before_look\"\nmoves    = true",
     "cautious = \"before_look\"\nmoves    = false",
     "[[reading]] (R-28): moves_missing"),
    ("demand of what cannot be", "[[absent]]\ntrigger   = \"marker_not_moved\"",
     "[[absent]]\ndo = []\ntrigger   = \"marker_not_moved\"",
     "[[absent]] 8 (marker_not_moved) do: key_unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fault"), [c[1:] for c in NJ_FAULTS], ids=[c[0] for c in NJ_FAULTS])
def test_what_hangs_on_elections_is_checked_as_strictly(
    faults_of: FaultsOf, old: str, new: str, fault: str
) -> None:
    """Each option has a value of the right kind, each choice does something, each multiple is one of a wager."""
    assert fault in faults_of((old, new), book="nj-pikit")


def test_nobody_to_ask_where_a_thing_that_cannot_be_is_reported(faults_of: FaultsOf) -> None:
    """An absent row holds and calls the floor, so the document must say who lifts a hold and who comes."""
    text = (shipped() / "nj-pikit.toml").read_text()
    role = next(line for line in text.splitlines() if line.startswith("call_floorperson "))
    faults = faults_of((role, ""), book="nj-pikit")
    assert any(f.startswith("[[absent]] 1 ") and f.endswith(": duty_role_missing") for f in faults)


def test_what_calls_nobody_needs_nobody_who_may_come(faults_of: FaultsOf) -> None:
    """Each row that calls the floor is named, and no other: a card drawn unseen is only the next one."""
    text = (shipped() / "nj-pikit.toml").read_text()
    role = next(line for line in text.splitlines() if line.startswith("call_floorperson "))
    calls = [
        row
        for rows in find("nj-pikit").rows.values()
        for row in rows
        if row.absent
        or Action.CALL_FLOORPERSON
        in {*(d.action for d in row.do), *(d.action for s in row.by_reading for d in s.do)}
    ]
    faults = faults_of((role, ""), book="nj-pikit")
    assert len(faults) == len(calls)
    assert not any("(card_drawn_unexposed)" in fault for fault in faults)


def test_a_hole_in_the_matrix_is_refused_with_the_state_that_nothing_answers(faults_of: FaultsOf) -> None:
    """A row that covers less than before leaves states of the table without an answer, and each is named."""
    when = 'when    = ["not_misdealt"]'
    faults = faults_of((when, 'when    = ["not_misdealt", "full_set_remains"]'))
    assert faults == ("trigger stub_wrong: trigger_unanswered",)


def test_a_trigger_without_any_row_is_refused(faults_of: FaultsOf) -> None:
    """Each trigger of the vocabulary has an answer in each document, if only that the text is silent."""
    text = (shipped() / "md-uth.toml").read_text()
    start = text.index(SILENT_IDENTITIES) - len("[[silent]]\n")
    row = text[start : text.index("# ---- the dealing shoe")]
    assert "trigger shuffler_identities_wrong: trigger_unanswered" in faults_of((row, ""))


def test_two_live_rows_are_refused_with_the_place_of_both(faults_of: FaultsOf) -> None:
    """A row that covers more than before meets another; both are named, with the state in which they meet."""
    faults = faults_of(('when    = ["shuffler_counts"]', "when    = []"))
    assert faults == ("trigger stub_count_due: trigger_answered_twice",)


def test_an_exception_without_notwithstanding_is_a_second_live_row(faults_of: FaultsOf) -> None:
    """What the text says notwithstanding another clause must say so in the file, or both rows would be live."""
    faults = faults_of(('notwithstanding = "13.F"\n', ""))
    assert "trigger dealer_card_exposed: trigger_answered_twice" in faults


def test_a_row_that_can_never_govern_is_refused(faults_of: FaultsOf) -> None:
    """Conditions that exclude each other make a dead row."""
    faults = faults_of(
        ('when    = ["shuffler_counts"]', 'when    = ["shuffler_counts", "not_shuffler_counts"]'),
        ('when    = ["not_shuffler_counts"]', "when    = []"),
    )
    assert faults == ("[[outcome]] N (stub_count_due): row_never_governs",)


def test_a_silent_row_must_act_by_a_reading(faults_of: FaultsOf) -> None:
    """Where the text is silent only an election acts: a row of its own demands would be law of our making."""
    steps = """by_reading = [
  { reading = "R-40", choice = "cover", do = ["cover_or_sign_device"] },
  { reading = "R-40", choice = "no_demand", do = ["record_only"] },
]"""
    faults = faults_of((steps, 'do = [{ action = "cover_or_sign_device", cite = "13.J" }]'))
    assert "[[silent]] N (method_change) do: key_unknown" in faults
    assert "[[silent]] N (method_change) by_reading: key_missing" in faults
    assert "[[reading]] (R-40): choice_unused" in faults


def test_a_reading_that_acts_must_be_elected_before_the_table_opens(faults_of: FaultsOf) -> None:
    """A reading that a row acts by and that does not move anything could stay unelected, and the row would do nothing."""
    faults = faults_of(('cautious = "cover"\nmoves    = true', 'cautious = "cover"\nmoves    = false'))
    assert faults == ("[[silent]] N (method_change): moves_missing",)


def test_a_row_must_have_a_step_for_each_choice_of_its_reading(faults_of: FaultsOf) -> None:
    """An election that a row does not know would silently demand nothing there."""
    faults = faults_of(('  { reading = "R-42", choice = "change_set", do = ["change_set"] },\n', ""))
    assert "[[silent]] N (set_not_alternated): demand_missing" in faults
    assert "[[silent]] N (set_not_alternated): choice_unused" in faults


def test_a_value_can_not_rest_on_a_reading_with_several_choices(faults_of: FaultsOf) -> None:
    """The value in the file is the one that is used, so a choice beside it would be a promise that nothing keeps."""
    two = '{ id = "optional", says = "x" }, { id = "required", says = "x" }'
    faults = faults_of(('[{ id = "optional", says = "A player may leave Trips out." }]', f"[{two}]"))
    assert faults == ("[[reading]] (R-12): choices_unfit",)


def test_a_value_can_not_rest_on_a_reading_that_rows_act_by(faults_of: FaultsOf) -> None:
    """One question with two kinds of answer: electing the other choice would change the row and leave the value."""
    faults = faults_of(('"1.B(7)"], reading = "R-12"', '"1.B(7)"], reading = "R-40"'))
    assert "[[reading]] (R-40): reading_used_twice" in faults
    assert "[[reading]] (R-12): choice_unused" in faults


def test_a_way_of_dealing_without_stacks_is_refused(faults_of: FaultsOf) -> None:
    """A method that deals nothing is an oversight, not a method."""
    text = (shipped() / "md-uth.toml").read_text()
    start = text.index("stacks = [")
    stacks = text[start : text.index("]\n\n", start) + 1]
    assert faults_of((stacks, "stacks = []")) == ("[[dealing]] (manual_shoe): no_stack",)


def test_a_slip_in_a_condition_is_not_followed_by_holes_that_it_made(faults_of: FaultsOf) -> None:
    """Holes and double answers of a trigger are told only when the conditions of all its rows can be read."""
    faults = faults_of(('when    = ["not_shuffler_counts"]', 'when    = ["not_shuffler_count"]'))
    assert faults == ("[[outcome]] N (stub_count_due) when: word_unknown",)


def test_a_demand_whose_duty_nobody_confirms_is_refused(faults_of: FaultsOf) -> None:
    """What a person carries out needs a role that may say so."""
    text = (shipped() / "md-uth.toml").read_text()
    role = next(line for line in text.splitlines() if line.startswith("count_stub "))
    faults = faults_of((role, ""))
    assert faults == ("[[outcome]] N (stub_count_due): duty_role_missing",)


def test_all_faults_are_listed_together(faults_of: FaultsOf) -> None:
    """One load shows everything that is wrong: a table that cannot be read does not hide a hole elsewhere."""
    faults = faults_of(
        (SEATS, "seats = 6"),
        ("every_rounds = { value = 5", 'every_rounds = { value = "five"'),
        (DRAWN, 'do = [{ action = "use_as_next", cite = "99.Z" }]'),
        ('when    = ["not_misdealt"]', 'when    = ["not_misdealt", "full_set_remains"]'),
        ('cautious = "cover"', 'cautious = "covered"'),
    )
    assert len(faults) == 5, "\n".join(faults)


def test_the_error_tells_the_file_and_every_fault(tmp_path: Path) -> None:
    """What a person sees at start names the path first, then each fault; those of one kind stand in one line."""
    path = tmp_path / "md-uth.toml"
    with pytest.raises(RulebookInvalid) as refused:
        parse_rulebook(b"[rulebook]\nid = 'md-uth'\n", frozenset(), path)
    text = str(refused.value)
    assert text.startswith(f"{path}: refused for ")
    assert all(fault.place.split()[-1] in text for fault in refused.value.faults)
    assert len(text.splitlines()) < len(refused.value.faults)
    missing = {fault.place: fault.line for fault in refused.value.faults if fault.code == "key_missing"}
    assert missing.items() >= {"[rulebook] edition": 1, "[rulebook] plays": 1, "[decks]": None}.items()


@pytest.mark.parametrize("data", [b"[decks", b"\xff\xfe", b"a = 1\na = 2\n"], ids=["cut", "no UTF-8", "key twice"])
def test_bytes_that_are_no_toml_are_refused_as_such(data: bytes, tmp_path: Path) -> None:
    """A torn file is one fault with the reason of the parser, not a traceback."""
    with pytest.raises(RulebookInvalid, match="file: no TOML"):
        parse_rulebook(data, frozenset(), tmp_path / "md-uth.toml")


def test_a_rulebook_without_its_clause_ids_is_refused(tmp_path: Path) -> None:
    """No citation can be checked without the list, so nothing of the file is believed."""
    path = tmp_path / "md-uth.toml"
    path.write_bytes((shipped() / "md-uth.toml").read_bytes())
    with pytest.raises(RulebookInvalid, match=r"clauses/md-uth\.txt are missing") as refused:
        load_rulebook(path)
    assert refused.value.path == path


def test_a_rulebook_that_does_not_say_what_it_is_misses_that_alone(faults_of: FaultsOf) -> None:
    """All else of it can be read, and there is still no rulebook without its names."""
    text = (shipped() / "md-uth.toml").read_text()
    names = text[text.index("[rulebook]") : text.index("[decks]")]
    assert faults_of((names, "")) == ("[rulebook]: key_missing",)


def test_a_missing_rulebook_is_not_an_invalid_one(tmp_path: Path) -> None:
    """The caller can tell a file that is not there from one that is wrong."""
    with pytest.raises(FileNotFoundError):
        load_rulebook(tmp_path / "md-uth.toml")
