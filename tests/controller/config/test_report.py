"""`check` in words: what is wrong, what stands, and what nobody could prove with these devices."""

from pathlib import Path

import pytest

from controller.config.house import of_one_house
from controller.config.report import Finding, document, examine, page
from controller.games.registry import GAMES
from controller.readers.fault import Fault
from controller.rules.elections import proposals
from controller.rules.explain.questions import makers_choice
from controller.rules.read.library import find
from drivers.events import Capability, DeviceKind
from tests.controller.config.test_config import DEVICES, LEAST, SEALED, SIGNED, _write

EXAMPLE = Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml"


AS_OF = "questions_as_of = 2026-11-30"


def _changed(folder: Path, *changes: tuple[str, str]) -> Finding:
    text = EXAMPLE.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "table.toml"
    path.write_text(text)
    return examine(path)


def test_a_sound_table_is_told_whole() -> None:
    """Table, law with edition, devices with serial numbers, each reading with who chose it, record, broker, people."""
    finding = examine(EXAMPLE)
    lines = page(finding)
    text = "\n".join(lines)
    assert lines[0] == f"{EXAMPLE}: sound"
    assert "WRONG" not in text
    book = find("md-uth")
    for part in (
        "6 seats", f"edition {book.edition}", book.sha256[:16], "serial SIM-shoe-1", "127.0.0.1:1883", "flora: dealer",
    ):  # fmt: skip
        assert part in text
    for reading in book.readings.values():
        if reading.wager not in (None, *finding.config.table.offered):
            continue
        by = "by bench" if reading.closes else "the maker's choice"
        mark = "" if reading.proposed == reading.cautious else f" (cautious would be {reading.cautious})"
        assert any(line.strip().startswith(f"{reading.id}  {reading.proposed}{mark}  {by}: ") for line in lines), (
            reading.id
        )


def test_what_a_device_without_a_key_cannot_prove_is_named_with_it(tmp_path: Path) -> None:
    """Who speaks for it, and what it reported while nobody listened; a device with a key is not named."""
    key = tmp_path / "shoe-1.key"
    key.touch(0o600)
    key.write_bytes(bytes(range(32)))
    tmp_path.chmod(0o700)
    finding = _changed(tmp_path, ('serial = "SIM-shoe-1"\n', f'serial = "SIM-shoe-1"\nkey_file = "{key}"\n'))
    assert finding.faults == ()
    for words in ("that nobody speaks on the cable in the place of ", "that nobody changed the log of "):
        (found,) = [line for line in finding.open_questions if line.startswith(words)]
        assert "shuffler-1, progressive-1" in found
        assert "shoe-1" not in found


def test_a_file_with_another_fault_is_not_asked_about_wagers_that_it_does_not_offer(tmp_path: Path) -> None:
    """One thing wrong is one fault: what the table does not offer needs no pay table."""
    finding = _changed(tmp_path, ("[table]\n", '[table]\nrulebook_sha256 = "0123456789abcdef"\n'))
    (fault,) = finding.faults
    assert "was changed after it was signed" in fault


def test_a_reading_that_nobody_elected_is_a_fault_with_its_question_and_choices(tmp_path: Path) -> None:
    """The table could not open; the person who checks sees what is to be decided, and which choice is cautious."""
    finding = _changed(tmp_path, ('"R-01" = { choice = "void_and_remove", by = "bench" }\n', ""))
    (fault,) = finding.faults
    reading = find("md-uth").readings["R-01"]
    assert fault == (
        f"[elections] R-01: nobody has elected it, so the table may not open. {reading.problem} "
        "void_and_remove | hold (cautious)"
    )
    assert f"  WRONG  {fault}" in page(finding)


def test_a_choice_that_is_not_the_cautious_one_stands_out(tmp_path: Path) -> None:
    """Whoever reads the page sees where the house chose otherwise."""
    lines = [line.strip() for line in page(examine(EXAMPLE))]
    assert any(line.startswith("R-01  void_and_remove (cautious would be hold)  by bench") for line in lines)
    finding = _changed(tmp_path, ('"R-01" = { choice = "void_and_remove"', '"R-01" = { choice = "hold"'))
    assert any(line.strip().startswith("R-01  hold  by bench") for line in page(finding))


def test_faults_of_file_law_and_elections_come_in_one_list(tmp_path: Path) -> None:
    """And nothing is said to be right about a table that has them."""
    finding = _changed(
        tmp_path,
        ("seats = 6", "seats = 7"),
        ('"R-07" = { choice = "hold"', '"R-07" = { choice = "hodl"'),
        ("baud ", "buad "),
    )
    assert [fault.partition(":")[0] for fault in finding.faults] == [
        "[[device]] 1 (shuffler-1) buad", "[table] seats", "[elections] R-07",
    ]  # fmt: skip
    lines = page(finding)
    assert lines[0].endswith(": 3 faults")
    assert "Readings" not in lines


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ([("[mqtt]\nhost", "[log2]\nhost")], None),
        ([('host = "127.0.0.1"', 'host = "broker.example"')], "the link to broker.example is not encrypted"),
        ([('offered  = ["trips", "progressive"]', 'offered = ["trips"]')], "no progressive wager is offered"),
    ],
)
def test_what_works_and_should_be_known_is_a_note(
    tmp_path: Path, changes: list[tuple[str, str]], says: str | None
) -> None:
    """A note does not fail the check; a broken file has none."""
    finding = _changed(tmp_path, *changes)
    if says is None:
        assert finding.faults
        assert finding.notes == ()
    else:
        assert finding.faults == ()
        assert any(says in note for note in finding.notes)


def test_a_table_of_people_alone_says_what_rests_on_their_word(tmp_path: Path) -> None:
    """Without devices every count is somebody's word; nothing pretends otherwise."""
    path = tmp_path / "t.toml"
    elections = "".join(
        f'"{r.id}" = {{ choice = "{r.proposed}", by = "M. Ortiz" }}\n'
        for r in find("md-uth").readings.values()
        if r.moves and r.wager is None
    )
    elections += "".join(
        f'{c.id} = {{ choice = "{c.choices[0].id}", by = "M. Ortiz" }}\n'
        for c in find("md-uth").choices.values()
        if c.wager is None
    )
    path.write_text(
        '[table]\nsite="a"\nid="b"\nseats=6\nrulebook="md-uth"\nmethod="manual_shoe"\nbacks=["red"]\n'
        f'[journal]\npath="j"\n[elections]\n{elections}'
    )
    finding = examine(path)
    assert finding.faults == ()
    text = " ".join(finding.open_questions)
    assert "that a set was shuffled, and that it is whole" in text
    assert "dealing is as people record it" in text
    assert "firmware" not in text
    notes = " ".join(finding.notes)
    assert "nothing leaves this machine" in notes
    assert "nobody may act" in notes


def test_what_cannot_be_proved_depends_on_the_devices(tmp_path: Path) -> None:
    """A counting shuffler may say so when it comes online; a line device never can."""
    text = " ".join(examine(EXAMPLE).open_questions)
    assert "unless the shuffler says that it counts; else people count the stub every 5 rounds [10.C]" in text
    assert "what shoe-1 did before a power cut" in text
    assert "dealing is as people record it" not in text
    line = _changed(tmp_path, ('kind   = "progressive"', 'kind   = "line"'), (', "progressive"]', "]"))
    assert any("no report of progressive-1 is missing" in question for question in line.open_questions)


def test_what_every_approved_model_can_do_is_not_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the device table asks for it, the page no longer says that it cannot be proved."""
    monkeypatch.setattr("controller.config.report.LEAST", dict.fromkeys(DeviceKind, frozenset(Capability)))
    text = " ".join(examine(EXAMPLE).open_questions)
    assert "power cut" not in text
    assert "unless the shuffler" not in text


def test_limits_that_are_posted_and_not_set_are_a_note_on_a_bench(tmp_path: Path) -> None:
    """The table works without them, and takes any amount; those that are set stand on the page. Clause: nj-pikit 39.3(a)."""
    elections = "".join(
        f'{q} = {{ choice = "{c}", by = "bench" }}\n' for q, c in proposals(find("nj-pikit")).items()
    )
    text = (
        '[table]\nsite = "s"\nid = "t"\nseats = 6\nrulebook = "nj-pikit"\nmethod = "manual_shoe"\nbacks = ["red"]\n'
        f'[elections]\n{elections}[journal]\npath = "j"\n'
    )
    path = tmp_path / "table.toml"
    path.write_text(text)
    note = "ante has no least and no most (39.3(a)): no amount is refused for it; name it in [limits]"
    assert note in examine(path).notes
    path.write_text(f"{text}[limits]\nante = {{ least = 500, most = 50000 }}\n")
    set_ = examine(path)
    assert set_.faults == ()
    assert note not in set_.notes
    assert "  ante: 500 to 50000 cents" in page(set_)


def test_the_document_says_the_same_for_a_program() -> None:
    """Verdict, faults, law, elections, notes and open questions, in JSON types."""
    told = document(examine(EXAMPLE))
    assert (told["sound"], told["faults"], told["rulebook"]["id"]) == (True, [], "md-uth")
    assert {"reading": "R-01", "choice": "void_and_remove", "by": "bench", "cautious": "hold"} in told["readings"]
    assert told["not_provable"]
    broken = document(Finding(EXAMPLE, None, None, (Fault("x", "y", "key_unknown"),)))
    assert (broken["sound"], broken["rulebook"], broken["readings"]) == (False, None, [])
    assert broken["fault_codes"] == [{"code": "key_unknown", "place": "x", "line": None}]


def test_a_rulebook_whose_game_cannot_be_played_is_a_fault_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`check` and `run` refuse it in one sentence; the table does not come up half working."""
    monkeypatch.delitem(GAMES, find("fast-action").plays)
    path = tmp_path / "t.toml"
    path.write_text(
        '[table]\nsite="a"\nid="b"\nseats=6\nrulebook="fast-action"\nmethod="manual_shoe"\nbacks=["red"]\n'
        '[journal]\npath="j"\n'
    )
    assert any("plays fast_action, and rounds of that game cannot" in fault for fault in examine(path).faults)


def _colorado(folder: Path, name: str, version: str) -> Path:
    elected = proposals(find("ma-colorado")) | {"version": version}
    lines = [f'"{question}" = {{ choice = "{choice}", by = "J. Doe" }}' for question, choice in elected.items()]
    path = folder / f"{name}.toml"
    path.write_text(
        f'[table]\nsite = "lv01"\nid = "{name}"\nseats = 6\nrulebook = "ma-colorado"\nmethod = "manual_shoe"\n'
        'backs = ["red"]\n[elections]\n' + "\n".join(lines) + '\n[journal]\npath = "j.db"\n'
    )
    return path


def test_tables_of_one_house_that_play_different_versions_are_faults_of_both(tmp_path: Path) -> None:
    """Clause: ma-colorado 6(f). A third table under another document is not concerned."""
    alike = [_colorado(tmp_path, "t1", "required_bet"), _colorado(tmp_path, "t2", "required_bet")]
    other = _colorado(tmp_path, "t3", "permissible_bet")
    assert [f.faults for f in of_one_house([examine(path) for path in (*alike, EXAMPLE)])] == [(), (), ()]
    findings = of_one_house([examine(path) for path in (alike[0], other, EXAMPLE)])
    (fault,) = findings[0].faults
    assert (fault.place, fault.code) == ("[elections]", "elections_unequal")
    assert "t1 has required_bet, t3 has permissible_bet" in fault
    assert findings[1].faults == (fault,)
    assert findings[2].faults == ()


def test_tables_that_call_themselves_the_same_are_told_apart_by_their_files(tmp_path: Path) -> None:
    """Two files with one name would hide each other."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = _colorado(tmp_path / "a", "t1", "required_bet")
    two = _colorado(tmp_path / "b", "t1", "permissible_bet")
    (fault,) = of_one_house([examine(path) for path in (one, two)])[0].faults
    assert str(one) in fault
    assert str(two) in fault


def test_a_document_that_changes_sets_each_gaming_day_wants_to_know_when_it_begins(tmp_path: Path) -> None:
    """Clause: fast-action (d)(5). Without it sets are due after 24 hours, and `check` says so; half of it is a fault."""
    elected = proposals(find("fast-action"))
    lines = [f'"{question}" = {{ choice = "{choice}", by = "J. Doe" }}' for question, choice in elected.items()]
    path = tmp_path / "t.toml"

    def checked(extra: str) -> Finding:
        path.write_text(
            f'[table]\nsite = "lv01"\nid = "t1"\nseats = 6\nrulebook = "fast-action"\nmethod = "manual_shoe"\n'
            f'backs = ["red"]\n{extra}\n[elections]\n' + "\n".join(lines) + '\n[journal]\npath = "j.db"\n'
        )
        return examine(path)

    assert any("24 hours after they came [(d)(5)]" in note for note in checked("").notes)
    whole = checked('gaming_day = "06:00"\ntime_zone = "America/New_York"')
    assert whole.faults == ()
    assert not any("24 hours" in note for note in whole.notes)
    assert checked('gaming_day = "06:00"').faults == (
        "[table] gaming_day: 'gaming_day' and 'time_zone' belong together",
    )
    (fault,) = checked('gaming_day = "25:00"\ntime_zone = "UTC"').faults
    assert fault == "[table] gaming_day: is a time of day as 06:00, not '25:00'"


def test_a_table_without_a_vault_is_told_what_that_means(tmp_path: Path) -> None:
    """On a bench it is allowed, and said; with one the line is gone."""
    line = "that the record's file alone shows nobody the faces of cards: no vault"
    assert line in "\n".join(page(_changed(tmp_path)))
    sealed = _changed(tmp_path, ("[journal]\n", '[journal]\nvault = "vault.key"\n'))
    assert line not in "\n".join(page(sealed))


def test_in_production_a_record_without_a_second_place_is_told(tmp_path: Path) -> None:
    """With the key and what to do; also where only the policy of pruning is missing; a bench is spared it."""
    production = (LEAST + DEVICES).replace("[journal]", f"production = true\n{SIGNED}{SEALED}")

    def told(text: str) -> list[str]:
        finding = examine(_write(tmp_path, text))
        assert finding.config is not None
        return [note.partition(":")[0] for note in finding.notes if note.startswith("[retention]")]

    copied, kept = f'\n[retention]\ncopy = "{tmp_path}"\n', "keep_days = 35\n"
    missing = ["[retention] copy is missing", "[retention] keep_days is missing"]
    assert told(production) == missing
    assert told(production + copied) == missing[1:]
    assert told(production + copied + kept) == []
    assert told(LEAST + DEVICES) == []
    text = "\n".join(page(examine(_write(tmp_path, production))))
    assert "name a folder on another disk or medium, and let the unit write there" in text


def test_what_only_one_table_can_have_is_told_of_both_that_have_it(tmp_path: Path) -> None:
    """A client id is a fault: the two would throw each other out for ever. A record may lie on two machines, and is odd."""
    text = EXAMPLE.read_text()
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text(text)
    two.write_text(text.replace('id   = "example"', 'id   = "other"'))
    first, second = of_one_house([examine(one), examine(two)])
    for finding, name in ((first, "other"), (second, "example")):
        (fault,) = finding.faults
        assert (fault.place, fault.code) == ("[mqtt] client_id", "client_id_taken")
        assert f"is also that of {name};" in fault
    (odd,) = set(first.warnings) - set(examine(one).warnings)
    assert odd.startswith("[journal] path: /var/lib/tablewarden/example.journal is also the record of other; ")
    assert f"  ODD    {odd}" in page(first)
    two.write_text(text)
    told = of_one_house([examine(one), examine(two)])[0].warnings
    assert f"[table] site, id: bench/example is also {two}; rename one of them" in told


def test_one_file_given_twice_and_the_shipped_tables_share_nothing(tmp_path: Path) -> None:
    """A file is not another because it is named again, nor through a link."""
    link = tmp_path / "link.toml"
    link.symlink_to(EXAMPLE)
    alone = examine(EXAMPLE)
    for others in ([EXAMPLE], [link], [EXAMPLE.with_name("example-ma.toml")]):
        told = of_one_house([alone, *map(examine, others)])[0]
        assert (told.faults, told.warnings) == (alone.faults, alone.warnings)


def test_a_question_that_an_update_added_is_listed_with_what_follows(tmp_path: Path) -> None:
    """The table would not open in the morning: `check` names the question, its effect and the cautious choice."""
    line = next(
        line for line in EXAMPLE.read_text("utf-8").splitlines(keepends=True) if line.startswith('"R-167"')
    )
    before = _changed(tmp_path, (line, ""), (AS_OF, "questions_as_of = 2026-11-29"))
    text = "\n".join(page(before))
    assert "New questions since these elections (2026-11-29)" in text
    assert "R-167  since 2026-11-30  KEEPS THIS TABLE CLOSED until it is elected  [11.C(1)" in text
    assert "hand_only (cautious): " in text
    listed = {q["reading"]: q for q in document(before)["new"]}
    assert {id_ for id_, q in listed.items() if q["closes"]} == {"R-167"}
    new = listed["R-167"]
    assert (new["reading"], new["closes"], new["cautious"]) == ("R-167", True, "hand_only")
    assert new["effect"].startswith("Bears on how cards are dealt")
    unsaid = _changed(tmp_path, (line, ""), (AS_OF, ""))
    assert [q.id for q in unsaid.new if not makers_choice(q)] == ["R-167"]
    assert "questions_as_of" in "\n".join(page(unsaid))


@pytest.mark.parametrize(
    ("day", "fault"),
    [('"30.11.2026"', "must be a date"), ("2026-11-30T00:00:00", "must be a date"), ("3", "must be a date")],
)
def test_a_day_of_questions_that_is_none_is_a_fault(tmp_path: Path, day: str, fault: str) -> None:
    """A text or an instant is no day."""
    finding = _changed(tmp_path, (AS_OF, f"questions_as_of = {day}"))
    assert [f for f in finding.faults if f.startswith("[elections] questions_as_of: ") and fault in f]
