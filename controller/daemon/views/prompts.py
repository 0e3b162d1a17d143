"""What people may be asked for now, as data: wagers of the coming deal, answers of a stage, and its end.

A screen draws its buttons from this, and the simulated people play by it, so that neither knows the game.
"""

from typing import Any

from controller.games.model import Answer, Ending, Settle, ShowCommunity, ShowDealer, Stage
from controller.games.registry import game_of
from controller.rules.vocabulary import Method, Moment
from controller.table.questions.stub_count_and_turns import asking_order, must_qualify, withheld
from controller.table.state.table import Round, Setup
from controller.table.words import acts as a

Document = dict[str, Any]


def wager_documents(setup: Setup, method: Method) -> list[Document]:
    """Returns the wagers that this table takes before the deal under `method`, in the rulebook's order.

    `equals`: the wager with the same amount; `cents`: its only amount; `sensed`: a chip on a sensor places it;
    `requires`: wagers that must stand beside it; `device_mode`: the shuffler's mode that it needs; `limits`: least
    and most in cents.
    """
    rules = setup.law.rulebook.wagers.values()
    offered = setup.offered - {*withheld(setup, method)}
    taken = [r for r in rules if r.placed == "before_deal" and (not r.optional or r.name in offered)]
    return [
        {
            "wager": rule.name,
            "optional": rule.optional,
            "sensed": rule.sensed,
            "equals": rule.of if 1 in rule.multiples(Moment.BEFORE_DEAL) else None,
            "cents": rule.exact_cents.value if rule.exact_cents else None,
            "requires": list(rule.requires.value),
            "device_mode": rule.device_mode.value if rule.device_mode else None,
            "limits": list(setup.limits[rule.name]) if rule.name in setup.limits else None,
        }
        for rule in taken
    ]


def keeps_set(setup: Setup) -> bool:
    """Returns True if a set is dealt on from round to round, until its cutting card comes."""
    game = game_of(setup.law.rulebook)
    return game is not None and game.keeps_set


def stage_document(setup: Setup, round_: Round) -> Document | None:
    """Returns who is asked now, in order, the possible answers, and the ending act; None in a common phase."""
    stage = round_.game.stage(round_.phase)
    if stage is None:
        return None
    version = setup.law.rulebook.play.version
    answers = [x for x in stage.answers if x.version in (None, version.value if version else None)]
    return {
        "waiting": asking_order(setup, round_)[0],
        "answers": [_answer(setup, stage, answer) for answer in answers],
        "ends": _ending(setup, round_, stage.ends) if stage.ends else None,
    }


def _answer(setup: Setup, stage: Stage, answer: Answer) -> Document:
    rule = setup.law.rulebook.wagers[answer.places] if answer.places else None
    multiples = rule.multiples(stage.moment) if rule else ()
    return {"decision": answer.decision.value, "places": answer.places, "multiples": list(multiples)}


def _ending(setup: Setup, round_: Round, ending: Ending) -> Document:
    """Returns the act that ends the stage, the street that it turns up, and the cards that leave the deck with it.

    `asks`: what the dealer says of the hand that is turned up.
    """
    law = setup.law.rulebook
    match ending:
        case ShowCommunity(street=street, cards=cards):
            dealing = law.dealing[round_.method]
            burn = 1 if round_.streets < dealing.burns.value else 0
            from_deck = max(0, burn + cards - round_.late_out) if dealing.community_after else 0
            return {"act": a.RevealCommunity.kind, "street": street.value, "cards": cards, "from_deck": from_deck}
        case ShowDealer():
            asks = ["qualifies"] * must_qualify(setup, round_.game)
            asks += ["natural"] * (law.play.dealer_natural is not None)
            return {"act": a.RevealDealer.kind, "asks": asks}
        case Settle():
            return {"act": a.SettleRound.kind}
