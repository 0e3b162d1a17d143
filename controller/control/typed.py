"""Reads the arguments of an act as people type them: amounts as 10.00, numbers whole, times with their UTC offset."""

import re
from collections.abc import Mapping
from typing import get_args, get_type_hints

from msgspec.structs import fields

from controller.control.desk import ErrorCode, Refused
from controller.control.wire import act_from
from controller.table.words.acts import ACTS, Act

MONEY = ("cents", "coupon", "reset", "paid", "returned", "handed_back")
"""Arguments in whole cents on the wire and in the record; people type them as 10.00."""
AMOUNT = "amount"
"""What people type for `cents`."""
FORM = re.compile(r"(\d+)\.(\d\d)")
WHOLE = re.compile(r"-?\d+")


def typed_act(name: str, words: Mapping[str, str]) -> tuple[Act, list[str]]:
    """Returns the act, and notices of forms that will not be taken any more. Raises `Refused`."""
    cls = ACTS.get(name)
    numbers = {} if cls is None else _numbers(cls)
    given: dict[str, str] = {}
    notices: list[str] = []
    for key, text in words.items():
        if key == AMOUNT and "cents" in numbers:
            if "cents" in words:
                raise _refused("amount and cents say the same thing; write amount alone")
            given["cents"] = _cents(key, text)
        elif key in MONEY and key in numbers:
            given[key] = _money(key, text, notices)
        elif key in numbers and not key.endswith("_us") and not WHOLE.fullmatch(text):
            raise _refused(f"{key}={text} is no whole number; write {key}=3")
        else:
            given[key] = text
    return act_from(name, given, strict=False), notices


def _numbers(cls: type[Act]) -> set[str]:
    types = get_type_hints(cls)
    return {f.name for f in fields(cls) if types[f.name] is int or int in get_args(types[f.name])}


def _money(key: str, text: str, notices: list[str]) -> str:
    name = AMOUNT if key == "cents" else key
    if not WHOLE.fullmatch(text):
        if key == "cents":
            raise _refused(f"cents={text} is no whole number of cents; write {name}=10.00 for ten")
        return _cents(key, text)
    value = int(text)
    meant = f"{value // 100}.{value % 100:02}" if value >= 0 else text
    notices.append(f"{key}={text} is taken as {meant} in this version only; write {name}={meant}")
    return text


def _cents(key: str, text: str) -> str:
    found = FORM.fullmatch(text)
    if found is None:
        raise _refused(f"{key}={text} is no amount; write {key}=10.00, with two digits behind the point")
    return str(int(found[1] + found[2]))


def _refused(reason: str) -> Refused:
    return Refused(ErrorCode.BAD_REQUEST, reason, refusal="type_wrong")
