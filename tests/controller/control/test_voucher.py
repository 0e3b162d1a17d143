"""A program answers for its people from one login and in some roles, and the core learns through whom they came."""

import pytest

from controller.control.desk import Refused, Voucher, vouched
from controller.rules.vocabulary import Role
from controller.table.words.inputs import Actor, Seen

ACT = {"id": 2, "do": "act", "act": "begin_round", "args": {"back": "red"}, "role": "dealer"}
MINE = Voucher("panel", 7, frozenset({Role.DEALER}))


async def test_a_vouched_person_acts_with_voucher_and_session(connect, desk):
    seen = {"order": 3, "marks": {"phase": "0a"}}
    told = await (await connect()).ask({**ACT, "who": "zoe", "session": "s1", "seen": seen})
    assert told["ok"]
    assert desk.acts[0][1] == Actor("zoe", Role.DEALER, "panel", "s1")
    assert desk.seen == Seen(3, {"phase": "0a"})


async def test_without_a_session_the_voucher_answers_for_nobody(connect, desk):
    told = await (await connect()).ask({**ACT, "who": "zoe"})
    assert (told["error"]["code"], desk.acts) == ("unknown_person", [])


@pytest.mark.parametrize(
    ("who", "role", "session", "uid"),
    [
        ("zoe", "dealer", "s1", 8),
        ("zoe", "supervisor", "s1", 7),
        ("z\u202ee", "dealer", "s1", 7),
        ("zoe", "dealer", "", 7),
    ],
)
def test_what_the_voucher_may_not_say_is_refused(who, role, session, uid):
    with pytest.raises(Refused):
        vouched((MINE,), who, role, session, uid)
    assert vouched((MINE,), "zoe", "dealer", "s1", 7).via == "panel"


async def test_a_try_is_answered_and_not_recorded(connect, desk):
    told = await (await connect()).ask({**ACT, "do": "try", "who": "own"})
    assert told["result"] == {"facts": [{"kind": "begin_round_tried", "by": "own"}]}
    assert desk.records == []
