"""The views of the panel: where each is found, and who may open it. A new view is a row here and a page of its name."""

from typing import NamedTuple

PEOPLE = frozenset({"dealer", "floorperson", "supervisor"})
FLOOR = frozenset({"floorperson", "supervisor"})
SERVICE = frozenset({"technician", "supervisor"})


class View(NamedTuple):
    """A page that follows the table. `name`: of its files, `pages/NAME.html` and `static/NAME.js`, and of its text
    `NAME.title`; `roles`: who may open it."""

    name: str
    path: str
    roles: frozenset[str]


VIEWS = (
    View("dealer", "/", PEOPLE),
    View("floor", "/floor", FLOOR),
    View("technician", "/technician", SERVICE),
    View("history", "/history", FLOOR | SERVICE),
)


def views_of(role: str) -> tuple[View, ...]:
    """Returns the views that a role may open, its first one first."""
    return tuple(view for view in VIEWS if role in view.roles)


def home_of(role: str, wanted: str = "") -> str:
    """Returns the address after a log-in: the wanted view if the role may open it, else the first of the role."""
    paths = [view.path for view in views_of(role)]
    return wanted if wanted in paths else paths[0]
