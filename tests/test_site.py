"""The site of the documents: it builds from the pages and the code alone, and says what is wrong with a link."""

import sys
import tomllib
from pathlib import Path

import pytest

from controller.cli.main import SECTIONS
from controller.control.typed import MONEY
from controller.text.act_list import act_lines

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs/site"))

import make_site  # noqa: E402  # a script of docs/site/, in no package
from make_site import Site  # noqa: E402
from references import references  # noqa: E402

NAV = """
[Start]
"Start" = "start.md"
"Its end" = "start.md#the-end"
"""
START = "# Start\n\n[end](#the-end), [scheme](schema/a.json)\n\n## The `end`\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    assert make_site.main(folder) == 0
    return folder


def test_the_site_builds_whole_and_begins_at_start_here(built):
    """Each page of docs/ has its file, and the threat model is among them."""
    made = {path.stem for path in built.glob("*.html")}
    assert made >= {path.stem for path in (ROOT / "docs").glob("*.md")} | {
        "threats",
        "readme",
        "security",
        "index",
    }
    assert '<h1 id="start-here">' in (built / "index.html").read_text()
    assert (built / "files/docs/schema/events.json").is_file()
    assert "http" not in (ROOT / "docs/site/page.html").read_text()


def test_navigation_leads_each_role(built):
    """The headings that a reader looks for, in this order."""
    nav = list(tomllib.loads((ROOT / "docs/site/nav.toml").read_text()))
    roles = [
        "Start here",
        "Install",
        "Upgrade",
        "Dealer",
        "Floor",
        "Technician",
        "Back office",
        "Regulator",
        "Device maker",
    ]
    assert nav[: len(roles)] == roles
    assert [nav.index("Reference")] == [len(roles)]


def test_references_name_each_command_act_and_key():
    """Made from the code, so that one that is added stands there at once."""
    made = references()
    assert all(f"# tablewarden {name}\n" in made["commands.md"] for names in SECTIONS.values() for name in names)
    assert "### tablewarden journal verify\n" in made["commands.md"]
    acts = {line.split()[0] for line in act_lines(MONEY) if not line.startswith(" ")}
    assert len(acts) > 50
    assert all(f"## {act}\n" in made["acts.md"] for act in acts)
    for table in tomllib.loads((ROOT / "config/tables/example.toml").read_text()):
        assert f"## {table}\n" in made["configuration.md"]


@pytest.mark.parametrize(
    ("page", "nav", "fault"),
    [
        (START, NAV, None),
        (START + "[x](gone.md)", NAV, "docs/start.md:6: gone.md: no such page or file"),
        (START + "[x](#gone)", NAV, "docs/start.md:6: #gone: no heading #gone there"),
        (START + "![x](gone.png)", NAV, "docs/start.md:6: gone.png: no such page or file"),
        (START, NAV.replace("the-end", "gone"), "docs/site/nav.toml: start.md#gone: no heading #gone there"),
        (
            START,
            NAV.replace('"start.md"', '"start.md#the-end"'),
            "docs/site/nav.toml: names docs/start.md 0 times, must be once",
        ),
    ],
)
def test_a_planted_fault_is_named_with_its_place(page, nav, fault, tmp_path):
    for name, text in {"start.md": page, "site/nav.toml": nav, "schema/a.json": "{}"}.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text)
    assert Site(tmp_path, {}).faults == ([] if fault is None else [fault])
