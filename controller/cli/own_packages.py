"""The three import names of this program are general words that foreign distributions also use: is what we import ours?"""

import importlib

DISTRIBUTION = "tablewarden"
OPTIONAL = "simulators"  # a table in play may have none


class ForeignPackage(Exception):
    """Another distribution has taken the place of one of our packages, e.g. by an install into our environment."""

    def __init__(self, name: str, path: str) -> None:
        super().__init__(
            f"the package {name} at {path} is not part of {DISTRIBUTION}: something was installed over it; "
            f"make a new virtual environment and install {DISTRIBUTION} alone"
        )
        self.name, self.path = name, path


def verify_own_packages(names: tuple[str, ...] = ("controller", "drivers", OPTIONAL)) -> None:
    """Raises `ForeignPackage` if one of the packages does not say that it is ours. Imports nothing inside them."""
    for name in names:
        try:
            package = importlib.import_module(name)
        except ModuleNotFoundError:
            if name == OPTIONAL:
                continue
            raise
        if getattr(package, "__distribution__", None) != DISTRIBUTION:
            raise ForeignPackage(name, str(getattr(package, "__file__", None) or list(package.__path__)))
