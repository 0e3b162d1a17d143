"""Names each table that this version would keep closed. Runs in preinst, with the old version's Python and no package."""

import json
import sys
import tomllib
from pathlib import Path

ADDED = json.loads(r"""@ADDED@""")


def lacks(table, elections):
    """What the file must say before this version may come."""
    book = ADDED.get(str(table.get("rulebook")))
    if book is None:
        return
    signed = str(table.get("rulebook_sha256", ""))
    if signed and not book["sha256"].startswith(tuple(signed.split())):
        new, is_one = book["sha256"][:16], len(signed.split()) == 1
        now = signed if is_one else "HASH-OF-NOW"
        how = "" if is_one else " (`tablewarden rulebook list` prints the one of now; two hashes may stand there)"
        yield (
            f"rulebook_sha256: this version has {table['rulebook']} as {new}. Read what changed, then "
            f'sign it beside the one of now: rulebook_sha256 = "{now} {new}"{how}'
        )
    as_of = str(elections.get("questions_as_of", ""))
    for question in book["questions"]:
        is_asked = question["wager"] is None or question["wager"] in table.get("offered", [])
        if is_asked and question["since"] > as_of and question["id"] not in elections:
            choices = "".join(f"\n      {choice}" for choice in question["choices"])
            yield (
                f"[elections] {question['id']}, new since {question['since']}, keeps this table closed until it is elected. "
                f"{question['problem']}{choices}"
            )


refused = False
for path in sorted(Path(sys.argv[1]).glob("*.toml")):
    try:
        said = tomllib.loads(path.read_text())
        table, elections = dict(said["table"]), dict(said.get("elections", {}))
    except (OSError, ValueError, KeyError, TypeError):
        continue  # no table, or none that runs
    for text in lacks(table, elections):
        refused = True
        print(f"tablewarden: {path} {text}")
if refused:
    print(
        "tablewarden: Nothing was changed. Write the answers, and the day of the newest as questions_as_of. Then upgrade again."
    )
    sys.exit(
        "tablewarden: The version of now accepts them, so a restart stops no table. Version 0.2.0 does not: restart none before."
    )
