"""Who may log in: staff number, name, roles and the hash of a PIN, in one file that only the console writes."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from msgspec import Struct

HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
"""Argon2id, about 25 ms: one guess at a time, while the page goes on."""
NOBODY = HASHER.hash("")
"""Checked for an unknown staff number, so that its answer takes as long."""
DIGITS = range(4, 13)
"""Digits of a PIN and of a staff number."""


class Staff(Struct, frozen=True):
    """A person who may log in. `pin`: its argon2id hash."""

    number: str
    name: str
    roles: tuple[str, ...]
    pin: str


class PeopleUnreadable(Exception):
    """The file of people cannot be used; the text names it and says what to do."""


class PeopleFile:
    """The file of people. It is read anew at each log-in, so a change at the console counts at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Staff]:
        """Returns all people by staff number. Raises `PeopleUnreadable`."""
        try:
            if self.path.stat().st_mode & 0o077:
                raise PeopleUnreadable(
                    f"{self.path}: others can read the hashes of PINs; do `chmod 600 {self.path}`"
                )
            people = msgspec.json.decode(self.path.read_bytes(), type=list[Staff])
        except FileNotFoundError as exc:
            add = "add a supervisor with `tablewarden panel person --add`"
            raise PeopleUnreadable(f"{self.path}: there is no file of people; {add}") from exc
        except OSError as exc:
            raise PeopleUnreadable(f"{self.path}: {exc.strerror}") from exc
        except msgspec.MsgspecError as exc:
            raise PeopleUnreadable(f"{self.path}: no file of people ({exc})") from exc
        return {staff.number: staff for staff in people}

    def write(self, people: Iterable[Staff]) -> None:
        """Replaces the file in one step; only its owner can read it."""
        new = self.path.with_name(self.path.name + ".new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(msgspec.json.format(msgspec.json.encode(list(people))) + b"\n")
            out.flush()
            os.fsync(out.fileno())
        new.replace(self.path)

    def matching(self, number: str, pin: str) -> Staff | None:
        """Returns the person with this staff number and PIN; None for a wrong one. Takes about 25 ms."""
        staff = self.read().get(number)
        try:
            HASHER.verify(staff.pin if staff else NOBODY, pin)
        except (VerificationError, InvalidHashError):
            return None
        return staff
