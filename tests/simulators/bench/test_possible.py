"""What can go wrong at which table: refused before play with the clause, or it must have come about."""

import pytest

from simulators.bench.observer.evidence import Evidence
from simulators.bench.options import Options
from simulators.bench.possible import never_decided, trigger_of, why_not
from simulators.crew.scenario import Mishap
from tests.simulators.bench.test_observer import Case, by

HOUSE = {"R-18": "house_procedure"}


@pytest.mark.parametrize(
    ("table", "name", "words"),
    [
        (Options("nj-pikit"), "wrong_community", ("no community cards", "39.7(c)")),
        (Options("nj-pikit"), "late_wager", ("no progressive", "39.3(a)")),
        (Options("ma-colorado"), "exposed", ("no hand", "7(c)")),
        (Options("md-uth"), "marker", ("no dealing marker", "[")),
        (Options("fast-action"), "shoe_jam", ("no device deals", "R-18 = not_enabled", "(k)(1)")),
        (Options("fast-action"), "shuffler_jam", ("no shuffler", "R-18 = not_enabled", "(b)(4)")),
        (Options("fast-action"), "stub", ("no stub", "(h)(5)")),
        (Options("fast-action", elections=HOUSE), "misdeal", ("no stub", "(h)(5)")),
        (Options("md-uth", method="hand"), "shoe_stop", ("dealt by hand", "no device deals")),
        (Options("md-uth", method="manual_shoe"), "method", ("dealt by manual shoe", "no device deals")),
        (Options("md-uth"), "identities", ("reads no cards", "--recognition")),
        (Options("md-uth", counting=False), "count", ("does not count", "--no-count")),
    ],
)
def test_what_cannot_happen_is_told_with_its_reason(table, name, words):
    """The document does not know it, the device is not there, or it could not tell."""
    reason = why_not(Mishap.parse(f"{name}@1"), table)
    assert reason is not None
    assert all(word in reason for word in words), reason


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (Options("md-uth", method="hand"), "wrong_hand"),  # hands deal wrongly too
        (Options("md-uth", method="shuffler"), "stub"),
        (Options("md-uth", method="shuffler"), "idle_jam"),
        (Options("fast-action", elections=HOUSE), "shoe_jam"),
        (Options("fast-action"), "short_dealer"),
        (Options("nj-pikit", recognition=True), "identities"),
        (Options("ma-colorado"), "shoe.power_loss"),
    ],
)
def test_what_can_happen_is_let_through(table, name):
    """Devices that are there, and hands, can do wrong under any document that knows of it."""
    assert why_not(Mishap.parse(f"{name}@1"), table) is None


def test_a_jam_of_the_device_that_deals_is_one_of_the_shuffler_where_that_deals():
    """The same mishap is another trigger under another way of dealing."""
    jam = Mishap.parse("shoe_jam@1")
    assert trigger_of(jam, Options("md-uth")) == "shoe_jam"
    assert trigger_of(jam, Options("md-uth", method="shuffler")) == "shuffler_jam"


def decided(*triggers: str) -> Evidence:
    case = Case("md-uth")
    for trigger in triggers:
        case.made(trigger, by("play_on", "13.D"))
    return case.evidence


def test_a_mishap_that_led_to_nothing_has_not_happened():
    """Each needs a disposition of its own; a device's own trouble needs none."""
    asked = Options("md-uth", mishaps=("drawn@1", "drawn@3", "shoe.power_loss@2"))
    assert never_decided(asked, decided("card_drawn_unexposed", "card_drawn_unexposed")) == ""
    assert never_decided(asked, decided("card_drawn_unexposed")) == (
        "never happened: drawn@3 led to no card_drawn_unexposed"
    )


def test_the_table_of_a_document_has_the_devices_that_it_allows():
    """No progressive where there is none, no device where none was elected; one set where no shuffler stands."""
    assert Options("md-uth").kinds == ("shuffler", "shoe", "progressive")
    assert Options("nj-pikit", method="hand").kinds == ("shuffler",)
    fast = Options("fast-action")
    assert (fast.dealt_by, fast.kinds, fast.backs, fast.decks) == ("manual_shoe", (), ("red",), 6)
    devices = Options("fast-action", elections={**HOUSE, "decks": "eight"})
    assert (devices.dealt_by, devices.kinds, devices.decks) == ("dealing_shoe", ("shuffler", "shoe"), 8)
    assert len(devices.backs) == 2
