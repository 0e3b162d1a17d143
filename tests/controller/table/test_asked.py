"""What the status asks people for: enough to play every game by it, and never what would be refused."""

from controller.daemon.views.prompts import stage_document, wager_documents
from controller.daemon.views.status import table_document
from controller.rules.vocabulary import Method
from controller.table.words import acts as a


def taken(table, method=None):
    return wager_documents(table.setup, method or table.state.method)


def test_the_wagers_of_a_table_are_those_it_takes_before_the_deal(make_table):
    """Equal amounts, a single amount and chips on sensors are told; what is not offered here is left out."""
    pikit = taken(make_table("nj-pikit", offered=("three_card_bonus",)))
    assert [(w["wager"], w["optional"], w["equals"]) for w in pikit] == [
        ("ante", False, None), ("five_card_bonus", False, "ante"), ("three_card_bonus", True, None),
    ]  # fmt: skip
    colorado = taken(make_table("ma-colorado", offered=("bonus",)))
    assert [(w["wager"], w["cents"]) for w in colorado] == [("ante", None), ("bonus", 100)]
    assert [w["wager"] for w in taken(make_table("ma-colorado", offered=()))] == ["ante"]
    assert [w["wager"] for w in taken(make_table("md-uth")) if w["sensed"]] == ["progressive"]


def test_wagers_come_with_what_the_table_takes(make_table):
    """Least and most where both are set; a wager without limits says so. Clause: nj-pikit 39.3(a)."""
    pikit = taken(make_table("nj-pikit", offered=(), limits={"ante": (500, 50_000)}))
    assert [(w["wager"], w["limits"]) for w in pikit] == [("ante", [500, 50_000]), ("five_card_bonus", None)]


def test_a_wager_that_the_method_deals_nothing_for_is_left_out(make_table):
    """It comes back with the method that deals its cards. Clause: md-uth 10.B(1), R-151."""
    table = make_table("md-uth", offered=("trips", "six_card"))
    names = {method: {w["wager"] for w in taken(table, method)} for method in Method}
    assert {method for method in Method if "six_card" in names[method]} == {Method.DEALING_SHOE, Method.SHUFFLER}
    elected = make_table("md-uth", offered=("trips", "six_card"), elect={"R-151": "dealt_first"})
    assert all("six_card" in {w["wager"] for w in taken(elected, method)} for method in Method)


def test_a_round_can_be_played_by_what_the_status_says_alone(make_table):
    """Whoever takes the first answer for each seat that waits, then the act that ends the stage, comes to the settlement."""
    table = make_table("nj-pikit", offered=("three_card_bonus",)).ready()
    table.bet((1, "ante", 1000), (1, "five_card_bonus", 1000), (1, "three_card_bonus", 300)).let_out().deal()
    said = []
    while (stage := table_document(table.setup, table.state)["round"]["stage"]) is not None:
        for seat in stage["waiting"]:
            answer = stage["answers"][0]
            said.append((seat, answer["decision"]))
            table.answer(seat, answer["decision"], *answer["multiples"][:1])
        if not stage["waiting"]:
            said.append(stage["ends"]["act"])
            table.act(a.ACTS[stage["ends"]["act"]]())
    assert said == [(1, "show"), (1, "play_3"), "reveal_dealer", "settle_round"]


def test_only_the_answers_of_the_version_that_is_played_are_offered(make_table):
    """Where a Bet is required a player may fold, where it is not a player may stay. Clause: ma-colorado 6(f)."""
    offered = {}
    for version in ("required_bet", "permissible_bet"):
        table = (
            make_table("ma-colorado", elect={"version": version}).ready().bet((1, "ante", 1000)).let_out().deal()
        )
        stage = stage_document(table.setup, table.round)
        assert stage is not None
        offered[version] = [answer["decision"] for answer in stage["answers"]]
    assert offered == {"required_bet": ["bet", "fold", "declare"], "permissible_bet": ["bet", "stay", "declare"]}
