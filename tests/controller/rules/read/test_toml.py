"""Whatever stands in a file, it is a document or a reason in words."""

import pytest

from controller.readers.toml import MAX_NUMBER, MIN_NUMBER, MOST_DEPTH, TomlInvalid, parse_toml

BRACKETS = 5000


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"[table", "Expected ']' at the end of a table declaration"),
        (b"a = 1\na = 2", "overwrite"),
        (b"a = 1 # \xff", "byte 9 is no UTF-8"),
        (b"\xef\xbb\xbfa = 1", "begins with a byte order mark"),
        (b"a = " + b"[" * BRACKETS + b"]" * BRACKETS, "nested deeper"),
        (b"a = " + b"{a=" * BRACKETS + b"1" + b"}" * BRACKETS, "nested deeper"),
        (b"a" + b".a" * BRACKETS + b" = 1", "nested deeper"),
        (b"[a" + b".a" * BRACKETS + b"]", "nested deeper"),
        (b"a = " + b"9" * 5000, "digits"),
        (b"a = 0x" + b"f" * 5000, "a whole number is not from"),
        (f"a = [1, {MAX_NUMBER + 1}]".encode(), "a whole number is not from"),
        (f"a = {{b = {MIN_NUMBER - 1}}}".encode(), "a whole number is not from"),
    ],
)
def test_what_is_no_toml_has_a_reason(data: bytes, why: str) -> None:
    """No error of the interpreter, neither now nor when a value is printed."""
    with pytest.raises(TomlInvalid, match=why):
        parse_toml(data)


def test_what_is_toml_is_read_to_its_edges() -> None:
    """The largest numbers, and as deep as is allowed."""
    assert parse_toml(f"a = [{MIN_NUMBER}, {MAX_NUMBER}]".encode()) == {"a": [MIN_NUMBER, MAX_NUMBER]}
    deep = MOST_DEPTH - 1
    assert "a" in parse_toml(b"a = " + b"[" * deep + b"1" + b"]" * deep)
    with pytest.raises(TomlInvalid):
        parse_toml(b"a = " + b"[" * (deep + 1) + b"1" + b"]" * (deep + 1))
