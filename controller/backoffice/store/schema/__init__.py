"""The tables of the store, as numbered migrations: one file of SQL each, for SQLite and for PostgreSQL.

Both files of a number make tables, columns and keys by equal names; what both understand stands once, in a file of that number
beside the two folders, and follows. A migration that was released is never changed; a later one has the next number. Each is
applied once, in one transaction, and noted in the table `migration`.
"""

from importlib.resources import files
from typing import Literal

from drivers.protocol.records import dataclass

Dialect = Literal["sqlite", "postgresql"]


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema. `number` counts from 1 without holes."""

    number: int
    name: str
    sql: str


class SchemaUnknown(Exception):
    """A newer release has migrated the store."""


def migrations(dialect: Dialect) -> list[Migration]:
    """Returns all migrations of this release in order."""
    folder = files(__name__) / dialect
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".sql")), key=lambda each: each.name)
    made = []
    for each in found:
        number, _, name = each.name.removesuffix(".sql").partition("-")
        both = files(__name__) / each.name
        sql = each.read_text() + (both.read_text() if both.is_file() else "")
        made.append(Migration(int(number), name, sql))
    return made


def missing(dialect: Dialect, applied: set[int]) -> list[Migration]:
    """Returns the migrations that a store with the `applied` numbers lacks; raises SchemaUnknown if it has later ones."""
    known = migrations(dialect)
    if later := applied - {each.number for each in known}:
        raise SchemaUnknown(
            f"the store has migration {max(later)} and this release knows {len(known)}: use the release that made it"
        )
    return [each for each in known if each.number not in applied]
