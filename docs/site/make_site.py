"""Builds the site of the documents, without a network: `python docs/site/make_site.py [FOLDER]`, by default build/site.

Pages come from Markdown, references from the code. Faults are a page that nav.toml names never or twice, and a link to a file or
a heading that is not there. Each fault is printed with its place, nothing is written, and the exit code is 1.
"""

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILES = "files"
"""The folder of the site with what pages link to and what is no page: schemas, pictures, examples."""


@dataclass
class Page:
    """One page. `source`: its place below the root; `tokens`: the parsed Markdown; `headings`: anchor -> (level, text)."""

    source: Path
    tokens: list[Token]
    headings: dict[str, tuple[int, str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its file in the site."""
        return f"{self.source.stem.lower()}.html"

    @property
    def title(self) -> str:
        """Its first heading."""
        return next((text for _, text in self.headings.values()), self.source.stem)


class Site:
    """The pages of one root, what they link to, and what is wrong with them."""

    def __init__(self, root: Path, made: Mapping[str, str]) -> None:
        self.root, self.faults = root, list[str]()
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        self.files: set[Path] = set()
        self.nav = tomllib.loads((root / "docs/site/nav.toml").read_text("utf-8"))
        texts = {path: (root / path).read_text("utf-8") for path in self._sources()}
        texts |= {Path("docs") / name: text for name, text in made.items()}
        self.pages = {path: self._parsed(path, text) for path, text in texts.items()}
        self._look_at_nav()
        for page in self.pages.values():
            self._look_at_links(page)

    def _sources(self) -> Iterator[Path]:
        for path in sorted([*self.root.glob("*.md"), *(self.root / "docs").glob("*.md")]):
            yield path.relative_to(self.root)

    def _parsed(self, path: Path, text: str) -> Page:
        page = Page(path, self.markdown.parse(text))
        for token, inline in zip(page.tokens, page.tokens[1:], strict=False):
            if token.type == "heading_open":
                said = "".join(child.content for child in inline.children or ())
                anchor = slug = re.sub(r"[^\w\- ]", "", said.strip().lower()).replace(" ", "-")
                more = 0
                while anchor in page.headings:
                    more += 1
                    anchor = f"{slug}-{more}"
                page.headings[anchor] = (int(token.tag[1]), said)
                token.attrSet("id", anchor)
        return page

    def _look_at_nav(self) -> None:
        named = [target for entries in self.nav.values() for target in entries.values()]
        for target in named:
            if (problem := self._resolved(Path("docs"), target)[1]) is not None:
                self.faults.append(f"docs/site/nav.toml: {target}: {problem}")
        whole = [(self.root / "docs" / target).resolve() for target in named if "#" not in target]
        for page in self.pages:
            if (many := whole.count((self.root / page).resolve())) != 1:
                self.faults.append(f"docs/site/nav.toml: names {page} {many} times, must be once")

    def _look_at_links(self, page: Page) -> None:
        for block in page.tokens:
            for token in block.children or ():
                attribute = {"link_open": "href", "image": "src"}.get(token.type, "")
                target = str(token.attrGet(attribute) or "") if attribute else ""
                if not target or re.match(r"[a-z]+:", target):
                    continue
                found, problem = self._resolved(page.source.parent, unquote(target), page)
                if problem is not None:
                    line = block.map[0] + 1 if block.map else 0
                    self.faults.append(f"{page.source}:{line}: {target}: {problem}")
                token.attrSet(attribute, found)

    def _resolved(self, folder: Path, target: str, here: Page | None = None) -> tuple[str, str | None]:
        """Returns the place of a link's target in the site, and the problem with it, if any."""
        place, _, anchor = target.partition("#")
        path = Path(*((self.root / folder / place).resolve().relative_to(self.root.resolve())).parts)
        page = self.pages.get(path) if place else here
        if page is not None:
            problem = f"no heading #{anchor} there" if anchor and anchor not in page.headings else None
            return page.name + (f"#{anchor}" if anchor else ""), problem
        if not (self.root / path).is_file():
            return target, "no such page or file"
        self.files.add(path)
        return f"{FILES}/{path}", None

    def write(self, folder: Path) -> None:
        """Writes all pages and the files they link to; what was in the folder before is gone."""
        shutil.rmtree(folder, ignore_errors=True)
        frame = Template((HERE / "page.html").read_text("utf-8"))
        for path in self.files:
            (folder / FILES / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / path, folder / FILES / path)
        for page in self.pages.values():
            body = self.markdown.renderer.render(page.tokens, self.markdown.options, {})
            text = frame.substitute(title=escape(page.title), nav="\n".join(self._nav(page)), body=body)
            (folder / page.name).write_text(text, "utf-8")
        start = next(iter(next(iter(self.nav.values())).values()))
        shutil.copyfile(folder / self._resolved(Path("docs"), start)[0], folder / "index.html")

    def _nav(self, page: Page) -> Iterator[str]:
        for section, entries in self.nav.items():
            yield f"<h2>{escape(section)}</h2><ul>"
            for title, target in entries.items():
                place = self._resolved(Path("docs"), target)[0]
                here = place == page.name
                yield f'<li{" class=here" if here else ""}><a href="{escape(place)}">{escape(title)}</a>'
                inner = [(a, text) for a, (level, text) in page.headings.items() if level == 2] if here else []
                yield "".join(
                    ["<ul>", *(f'<li><a href="#{a}">{escape(t)}</a>' for a, t in inner), "</ul>"] if inner else []
                )
            yield "</ul>"


def main(folder: Path) -> int:
    """Builds the site, or prints each fault."""
    from references import references  # noqa: PLC0415  # the commands of the program; a site of other pages needs none

    site = Site(ROOT, references())
    print(*site.faults, sep="\n", file=sys.stderr, end="\n" if site.faults else "")
    if site.faults:
        return 1
    site.write(folder)
    print(f"{len(site.pages)} pages: {folder / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "site"))
